#!/usr/bin/env python3
"""Writes the reference's pages from the program itself, so that they cannot say anything else. usage: reference.py BUILD FOLDER"""
import json, os, re, subprocess, sys

build, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sample = root + "/docs/examples/recorded/serve.gsnap"


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
    for topic, title in (("env", "Variables"), ("state", "States"), ("size", "Sizes")):
        write(f"{topic}.md", f"# {title}\n\n```text\n{gpusnap('help', topic)}```\n")


def sources():
    """Pages that show a file as it is."""
    headers = (("Recording", "recorder/gpusnap.h"), ("Analysis", "analyzer/api/gpusnap_analyzer.h"))
    write("format.md", re.sub("^```hex .*$", "```text", read("schema/FORMAT.md"), flags=re.M))
    write("c.md", "# C interfaces\n" + "".join(f"\n## {what}: `{os.path.basename(path)}`\n\n```c\n{read(path)}```\n" for what, path in headers))
    text = "# JSON schemas\n\nEvery `--json` answer is one object that one of these describes.\n"
    for name in sorted(os.listdir(root + "/schema/json")):
        text += f"\n## {name}\n\n```json\n{read('schema/json/' + name)}```\n"
    write("json.md", text)


def python():
    text = "# Python\n\n```{eval-rst}\n.. automodule:: gpusnap\n\n"
    for name in ("open", "step", "tag", "dump"):
        text += f".. autofunction:: gpusnap.{name}\n"
    for name in ("snapshots.Snapshot", "snapshots.Diagnosis", "snapshots.Picture", "tables.Table", "library.Error", "library.UsageError"):
        text += f".. autoclass:: gpusnap.{name}\n   :members:\n"
    write("python.md", text + "```\n")


commands()
queries()
tables()
topics()
sources()
python()
write("index.md", "# Reference\n\nMade from the program itself.\n\n```{toctree}\n:maxdepth: 1\n\ncommands/index\nqueries\ntables\nenv\nstate\nsize\npython\nc\nformat\njson\n```\n")
