"""An interpreter that takes a source as a literal on each line of standard input, and answers with what it printed, or the traceback, likewise.
What libraries log to standard error is not shown."""
import ast
import code
import contextlib
import io
import sys


class Console(code.InteractiveConsole):
    def write(self, data):
        out.write(data)


console = Console({"__name__": "__main__"})
for line in sys.stdin:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        source = ast.literal_eval(line)
        console.runsource(source if "\n" not in source else source + "\n", symbol="single")
    sys.__stdout__.write(repr(out.getvalue()) + "\n")
    sys.__stdout__.flush()
