#!/usr/bin/env python3
"""Writes the reference's pages from the program itself, so that they cannot say anything else. usage: reference.py BUILD FOLDER"""
import ast
import json
import os
import re
import subprocess
import sys
import types

build, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sample = root + "/docs/examples/recorded/serve.gsnap"


MODULES = (("gpusnap", "Marks of your own, and the answers of the command as objects and tables."),
           ("gpusnap.torch", "Recording PyTorch."), ("gpusnap.cupy", "Recording CuPy."), ("gpusnap.rmm", "Recording RMM."),
           ("gpusnap.lightning", "A callback for Lightning's Trainer."), ("gpusnap.transformers", "A callback for the Hugging Face Trainer."),
           ("gpusnap.fleet", "Thousands of dumps as Parquet tables; needs pyarrow and DuckDB."),
           ("gpusnap.fleet.spark", "The same by Spark."), ("gpusnap.fleet.ray", "The same by Ray Data."))
TYPES = {"int": "integer", "bool": "boolean"}
VARIABLES = """
The Python package also reads `GPUSNAP_LIBRARY` and `GPUSNAP_ANALYZER_LIBRARY`: the recorder's and the analyzer's library, where they are not those of the package.
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def gpusnap(*arguments):
    return run(build + "/gpusnap", *arguments)


def read(name):
    with open(os.path.join(root, name), encoding="utf-8") as text:
        return text.read()


def write(name, text):
    os.makedirs(os.path.dirname(os.path.join(folder, name)) or ".", exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write(text)


def cell(value):
    return "" if value is None else str(value).replace("|", "\\|").replace("<", "&lt;")


def table(head, rows):
    return "".join("| " + " | ".join(cell(c) for c in row) + " |\n" for row in [head, ["---"] * len(head), *rows])


def manual(page):
    """A manual page as Markdown under a heading of its own; its sections a level lower, its head and foot gone."""
    text = run("mandoc", "-T", "markdown", page)
    name = os.path.basename(page)[:-2].replace("gpusnap-", "gpusnap ")
    lines = [line for line in text.splitlines()[1:] if not re.match(r"^\S+ - .* \d{4}$", line)]
    body = re.sub(r"^# ([A-Z ]+)$", lambda m: "## " + m[1].capitalize(), "\n".join(lines), flags=re.M)
    body = re.sub(r"^(\*\*.*)\n\n> (.*)$", r"\1\n: \2", body, flags=re.M)
    body = re.sub(r"gpusnap-([a-z]+)\(1\)", r"[gpusnap \1](gpusnap-\1.md)", body.replace("**-&#45;", "**--").replace("&#45;-", "--").replace("&zwnj;", ""))
    return name, f"# {name}\n\n{body}\n"


def commands():
    pages = sorted(os.listdir(build + "/share/man/man1"))
    names = []
    for page in pages:
        name, text = manual(f"{build}/share/man/man1/{page}")
        write(f"commands/{page[:-2]}.md", text)
        names.append(page[:-2])
    write("commands/index.md", "# Commands\n\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n")


def queries():
    rows = json.loads(gpusnap("query", "--list", "--json"))["rows"]
    text = "# Queries\n\n`gpusnap query FILE NAME`, of which a beginning is enough if only one name has it.\n\n"
    text += table(["name", "what it answers"], [(f"[{r['name']}](#{r['name'].replace(' ', '-')})", r["description"]) for r in rows])
    for r in rows:
        columns = json.loads(gpusnap("query", sample, r["name"], "--json"))["columns"]
        text += f"\n## {r['name']}\n\n{r['description']}.\n\nColumns: {', '.join(f'`{c}`' for c in columns)}\n\n"
        text += f"```sql\n{gpusnap('query', '--show', r['name']).strip()}\n```\n"
    write("queries.md", text)


def tables():
    rows = json.loads(gpusnap("query", sample, "tables", "--json"))["rows"]
    text = "# Tables\n\nWhat SQL can ask, in a database that `gpusnap load` wrote or of any file that `gpusnap query` is given. The first views show the chosen `--state`.\n"
    for name in dict.fromkeys(r["table"] for r in rows):
        text += f"\n## {name}\n\n" + table(["column", "type", "meaning"], [(r["column"], r["type"], r["meaning"]) for r in rows if r["table"] == name])
    write("tables.md", text)


def topics():
    for topic, title, more in (("env", "Variables", VARIABLES), ("state", "States", ""), ("size", "Sizes", ""), ("terms", "Words of the answers", ""), ("columns", "Columns of whatif, diff and list", ""),
                               ("query", "Asking", "")):
        write(f"{topic}.md", f"# {title}\n\n```text\n{gpusnap('help', topic)}```\n{more}")


def sources():
    """Pages that show a file as it is."""
    headers = (("Recording", "recorder/gpusnap.h"), ("Analysis", "analyzer/api/gpusnap_analyzer.h"))
    write("format.md", re.sub("^```hex .*$", "```text", read("schema/FORMAT.md"), flags=re.M))
    write("c.md", "# C interfaces\n" + "".join(f"\n## {what}: `{os.path.basename(path)}`\n\n```c\n{read(path)}```\n" for what, path in headers))
    text = "# JSON schemas\n\nEvery `--json` answer is one object that one of these describes.\n"
    for name in sorted(os.listdir(root + "/schema/json")):
        text += f"\n## {name}\n\n```json\n{read('schema/json/' + name)}```\n"
    write("json.md", text)


def public(module):
    """The names that a module of the package offers: its __all__, else what it defines."""
    path = "tools/python/" + module.replace(".", "/")
    tree = ast.parse(read(path + "/__init__.py" if os.path.isdir(os.path.join(root, path)) else path + ".py"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return [n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")]


def python():
    text = "# Python\n\nWhat the Python package brings ([Install](../install.md)). Only the module that you import needs the library it is about.\n"
    for module, about in MODULES:
        text += f"\n## {module}\n\n{about}\n\n```{{eval-rst}}\n.. currentmodule:: {module}\n\n"
        for name in public(module):
            if f"{module}.{name}" in dict(MODULES):
                continue
            what = "autoexception" if name.endswith("Error") else "autoclass" if name[0].isupper() else "autofunction"
            text += f".. {what}:: {module}.{name}\n" + ("   :members:\n" if name[0].isupper() else "") + "\n"
        text += "```\n"
    write("python.md", text)


def fleet_tables():
    """The tables of gpusnap.fleet.schema, which needs pyarrow for types alone."""
    module, arrow = types.ModuleType("schema"), types.ModuleType("pyarrow")
    for name in ("string", "int64", "float64", "bool_", "date32", "schema", "field"):
        setattr(arrow, name, lambda *_, **__: None)
    was, sys.modules["pyarrow"] = sys.modules.get("pyarrow"), arrow
    exec(read("tools/python/gpusnap/fleet/schema.py"), module.__dict__)
    if was:
        sys.modules["pyarrow"] = was
    else:
        del sys.modules["pyarrow"]
    return module.TABLES, module._KEY


def fleet():
    tables, key = fleet_tables()
    text = "# Tables and questions of a fleet\n\nWhat [`gpusnap fleet`](../fleet.md) writes. Every table has `day` (UTC, of the failure; none where no time is known) and `job` beside these columns. "
    text += "Sizes are bytes, times microseconds since 1970 UTC, unknown is NULL.\n\n## Tables\n"
    for name, (row, columns) in tables.items():
        text += f"\n### {name}\n\nA row: {row}.\n\n" + table(["column", "type", "meaning"], [(f"`{c}`", TYPES.get(t, t), m) for c, t, m in key + columns])
    text += "\n## Questions\n\nThe same SQL for DuckDB and Spark.\n"
    for name in sorted(os.listdir(root + "/tools/python/gpusnap/fleet/questions")):
        about, sql = read("tools/python/gpusnap/fleet/questions/" + name).split("\n", 1)
        text += f"\n### {name[:-4].replace('_', ' ')}\n\n{about.lstrip('- ').capitalize()}.\n\n```sql\n{sql.strip()}\n```\n"
    write("fleet.md", text)


commands()
queries()
tables()
topics()
sources()
python()
fleet()
write("index.md", "# Reference\n\nMade from the program itself.\n\n```{toctree}\n:maxdepth: 1\n\ncommands/index\nqueries\ntables\nquery\ncolumns\nstate\nsize\nterms\nenv\nfleet\npython\nc\nformat\njson\n```\n")
