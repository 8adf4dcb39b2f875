#!/usr/bin/env python3
"""The reference lacks nothing: each command, option, query, column, table, variable, function of C and Python, schema and section of the file has its
entry. What there is is read from elsewhere than the pages' maker reads it, where there is an elsewhere: the libraries' symbols, the database's own
schema, the sources. usage: check_reference.py BUILD FOLDER (the folder that tools/docs/reference.py wrote)"""
import ast
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

build, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sample = root + "/docs/examples/recorded/serve.gsnap"
counts = {"passed": 0, "failed": 0}
# variables that one part of gpusnap sets for another, or that only its own building reads
OWN = {"GPUSNAP_RUN", "GPUSNAP_POOL", "GPUSNAP_PARTS", "GPUSNAP_PLATFORM"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def text_of(name):
    with open(os.path.join(folder, name), encoding="utf-8") as page:
        return page.read()


def source(path):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


def missing(names, text):
    """Those that do not stand in the text as words."""
    return [name for name in sorted(names) if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)]


def tell(what, good, why):
    counts["passed" if good else "failed"] += 1
    if not good:
        print(f"reference: FAILED: {what}: {why}")


def expect(what, names, text):
    """All are there; and without one of them the test would have seen it."""
    names = set(names)
    lacking = missing(names, text)
    one = sorted(names)[len(names) // 2]
    seen = missing(names, re.sub(rf"(?<![\w-]){re.escape(one)}(?![\w-])", "", text)) == sorted({one, *lacking})
    tell(what, bool(names) and not lacking and seen, f"not there: {', '.join(lacking)}" if lacking else f"{one} could be missing unseen")


def sections(text, level):
    """{heading: what stands under it}"""
    parts = re.split(rf"^{'#' * level} (.*)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def plain(markdown):
    return re.sub(r"\\(.)|\*", lambda m: m[1] or "", markdown.replace("&#45;", "-").replace("&zwnj;", ""))


def commands():
    names = re.findall(r"^  ([a-z]+) ", run(build + "/gpusnap", "help"), re.M)
    expect("a page a command", {f"gpusnap-{name}" for name in names}, text_of("commands/index.md"))
    for name in names:
        shown = run(build + "/gpusnap", "help", name)
        expect(f"options of {name}", set(re.findall(r"^  (?:-[a-zA-Z], |    )(--[a-z0-9-]+)", shown, re.M)) or {f"gpusnap-{name}"},
               plain(text_of(f"commands/gpusnap-{name}.md")) + f" gpusnap-{name}")
    pages = "".join(text_of(f) for f in os.listdir(folder) if f.endswith(".md"))
    for topic in re.search(r"other topics: ([a-z ]+)\.", run(build + "/gpusnap", "help"))[1].split():
        tell(f"the topic {topic}", run(build + "/gpusnap", "help", topic) in pages, "not there")


def queries():
    text, names = text_of("queries.md"), {name[:-4].replace("_", " ") for name in os.listdir(root + "/schema/sql/query")}
    under = sections(text, 2)
    expect("a heading a query", names, "\n".join(under))
    for name in names & set(under):
        answer = run(build + "/gpusnap", "query", sample, name, "--format", "csv").splitlines()[0].split(",")
        expect(f"columns of {name}", answer, under[name].split("```sql")[0])


def tables():
    with tempfile.TemporaryDirectory() as scratch:
        run(build + "/gpusnap", "load", sample, "-o", scratch + "/s.db")
        db = sqlite3.connect(scratch + "/s.db")
        stored = {name: {row[1] for row in db.execute(f'PRAGMA table_info("{name}")')} for name, in
                  db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'")}
    under = sections(text_of("tables.md"), 2)
    expect("a heading a table", stored, "\n".join(under))
    for name in stored:
        expect(f"columns of {name}", stored[name], under.get(name, ""))


def variables():
    quoted = set()
    for where in ("recorder", "tools", "analyzer"):
        for path, _, files in os.walk(os.path.join(root, where)):
            for name in files:
                if name.endswith((".c", ".py", ".cpp", ".def")):
                    quoted |= set(re.findall(r"""["'](GPUSNAP_[A-Z_]+)["']""", source(os.path.join(path, name))))
    listed = re.findall(r"\b(?:GPUSNAP_)?(DIR|NAME|EVENTS|STACKS|DEPTH|LEVEL|MAX_DUMPS|MAX_MB|SIGNAL|STREAM|BACKWARD|CONF|LOG|DISABLE)\b", source("recorder/gpusnap.h"))
    expect("variables", (quoted - OWN) | {"GPUSNAP_" + name for name in listed}, text_of("env.md"))


def of_c():
    for library in ("libgpusnap.so.1", "libgpusnap-analyzer.so.1"):
        symbols = re.findall(r" T (gpusnap_\w+)@", run("nm", "-D", "--defined-only", f"{build}/{library}"))
        expect(f"functions of {library}", symbols, text_of("c.md"))


def of_python():
    text = text_of("python.md")
    offered = set()
    for path in ("__init__", "torch", "fleet/__init__"):
        tree = ast.parse(source(f"tools/python/gpusnap/{path}.py"))
        module = "gpusnap" + ("" if path == "__init__" else "." + path.split("/")[0])
        offered |= {f"{module}.{name}" for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__" for name in ast.literal_eval(node.value)}
    for path in ("cupy", "rmm", "lightning", "transformers", "fleet/spark", "fleet/ray"):
        tree = ast.parse(source(f"tools/python/gpusnap/{path}.py"))
        offered |= {f"gpusnap.{path.replace('/', '.')}.{n.name}" for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name[0] != "_"}
    expect("names of the Python package", offered, text)


def of_the_fleet():
    under = sections(text_of("fleet.md"), 3)
    tree = ast.parse(source("tools/python/gpusnap/fleet/schema.py"))
    declared = next(node.value for node in tree.body if isinstance(node, ast.AnnAssign) and node.target.id == "TABLES")
    for name, row in zip(declared.keys, declared.values):
        columns = re.findall(r"\(\s*['\"](\w+)['\"], ['\"](?:text|int|real|bool)['\"]", ast.unparse(row))
        expect(f"the fleet's {name.value}", ["snapshot_id", "rank", *columns], under.get(name.value, ""))
    expect("questions", {name[:-4].replace("_", " ") for name in os.listdir(root + "/tools/python/gpusnap/fleet/questions")}, "\n".join(under))
    expect("questions on the fleet's page", {name[:-4].replace("_", " ") for name in os.listdir(root + "/tools/python/gpusnap/fleet/questions")}, source("docs/fleet.md"))


def of_files():
    expect("schemas", os.listdir(root + "/schema/json"), text_of("json.md"))
    kinds = re.findall(r"^\tGS_SECTION_(\w+) = (\d+)", source("schema/gsnap_rows.h"), re.M)
    expect("sections of the file", {f"{number} {name.lower().replace('_', ' ')}" for name, number in kinds},
           re.sub(r"[|`*:()]+", " ", text_of("format.md").lower()).replace("  ", " "))


for check in (commands, queries, tables, variables, of_c, of_python, of_the_fleet, of_files):
    check()
print("reference: {passed} passed, {failed} failed".format(**counts))
sys.exit(counts["failed"] > 0)
