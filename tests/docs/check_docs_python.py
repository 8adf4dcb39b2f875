"""An interpreter that takes a source as a literal on each line of standard input, and answers with what it printed, likewise."""
import ast, code, contextlib, io, sys

console = code.InteractiveConsole({"__name__": "__main__"})
for line in sys.stdin:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        source = ast.literal_eval(line)
        console.runsource(source if "\n" not in source else source + "\n", symbol="single")
    sys.__stdout__.write(repr(out.getvalue()) + "\n")
    sys.__stdout__.flush()
