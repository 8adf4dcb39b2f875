#!/usr/bin/env python3
"""Whether what comments and the guides name is there: files, and names that begin as the project's do.

usage: check-comments.py [FILE…]   (in the repository's root; without files: all sources and guides)

A file is named by its path, or by the end of it ("history.c", "pool/rule_sets.h"); a name is one of gs_…, GS_…,
gpusnap_… or GPUSNAP_…, or any that is called, "name()", and must stand somewhere outside comments; one that goes on with
"…" or "*" ("GS_WANT_…") need only be begun there. A name with NAME in it stands for many."""
import os, re, subprocess, sys

GUIDES = ["ARCHITECTURE.md", "CONTRIBUTING.md", "schema/FORMAT.md", "tools/page/README.md"]
ROOMS = ("analyzer/", "recorder/", "schema/", "tools/", "tests/")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)
FILE = re.compile(r'(?<![\w.$*%/~-])((?:[\w-]+/)*[\w-]+\.(?:c|h|def|sql|mk|mjs|mdoc))\b(?![\w*/])')
NAME = re.compile(r'(?<![\w%$-])((?:gs|GS|gpusnap|GPUSNAP)_\w+)(…|\*|)')
CALL = re.compile(r'(?<![\w.:>-])([A-Za-z_]\w{2,})\(\)()')
C = re.compile(r'\.(c|h|def|cc|cpp)$')
CODE = re.compile(r'\.(c|h|def|cc|cpp|py|mk|js|mjs|sh|sql|map|in|json)$|Makefile$')
# files of others that comments speak of
FOREIGN = {"cuda.h", "sqlite3.h", "zstd.h", "unistd.h", "Python.h", "zstd_lazy.c", "zstd_opt.c"}


def sources_here():
    git = subprocess.run(["git", "ls-files"], capture_output=True, text=True)
    here = git.stdout.splitlines() if git.returncode == 0 else [
        os.path.relpath(os.path.join(folder, f), ".") for folder, _, files in os.walk(".") for f in files]
    return [f for f in here if os.path.isfile(f) and "/data/" not in f]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def parts(path, text):
    """(code, [(line, comment)]) of a C source; of a guide what is in backquotes counts as comment."""
    if path.endswith(".md"):
        return "", [(text[:m.start()].count("\n") + 1, m.group(1)) for m in re.finditer(r"`([^`\n]+)`", text)]
    comments, code, at = [], [], 0
    for m in COMMENT.finditer(text):
        if m.group(0)[0] == "/":
            comments.append((text[:m.start()].count("\n") + 1, re.sub(r"\n\s*\*", "\n", m.group(0))))
            code.append(text[at:m.start()])
            at = m.end()
    return "".join(code) + text[at:], comments


class There:
    """What may be spoken of: files by any end of their path, words of the code, beginnings that macros paste on."""
    def __init__(self, files):
        self.ends = {"/".join(f.split("/")[i:]) for f in files for i in range(f.count("/") + 1)}
        self.words = {"GPUSNAP_" + n for n in re.findall(r"^\w+\((\w+)", read("recorder/api/env.def"), re.M)}
        self.pasted = set()
        for path in files:
            if CODE.search(path):
                code = parts(path, read(path))[0] if C.search(path) else read(path)
                self.words.update(re.findall(r"[A-Za-z_]\w+", code))
                self.pasted.update(re.findall(r"\b((?:gs|GS)_\w*_)##", code))

    def file(self, name):
        return name in self.ends or name in FOREIGN or "NAME" in name

    def name(self, name, begun):
        if begun or name.endswith("_"):
            return any(w.startswith(name) for w in self.words)
        return name in self.words or any(name.startswith(p) for p in self.pasted)


def missing(path, there):
    for line, comment in parts(path, read(path))[1]:
        for m in FILE.finditer(comment):
            if not there.file(m.group(1)):
                yield line + comment[:m.start()].count("\n"), f"there is no file {m.group(1)}"
        for m in list(NAME.finditer(comment)) + list(CALL.finditer(comment)):
            if not there.name(m.group(1), m.group(2)):
                yield line + comment[:m.start()].count("\n"), f"nothing is called {m.group(1)}"


def main(chosen):
    files = sources_here()
    there = There(files)
    bad = 0
    for path in chosen or [f for f in files if C.search(f) and f.startswith(ROOMS) or f in GUIDES]:
        for line, what in missing(path, there):
            print(f"{path}:{line}: {what}")
            bad = 1
    print(f"comments: {1 - bad} passed, {bad} failed")
    return bad


sys.exit(main(sys.argv[1:]))
