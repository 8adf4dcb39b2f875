#!/usr/bin/env python3
"""Run what the pages show, and compare. usage: check_docs.py BUILD PAGE…   (UPDATE=1 rewrites outputs and pictures: then read and look at them)

A fence `console` holds commands behind "$ " (continued behind "> ") and what a terminal of 100 columns shows of them, a line "…" standing for any
lines. A fence `pycon` holds Python behind ">>> ". A page's blocks run in its order in one folder that holds docs/examples with its recordings.
A fence `text` holds no command; one of any other language must say by a comment above it what it is. The comments, several joined by "; ":

    <!-- file: NAME -->       the block is a file of the folder, for the commands that follow; a workflow (yaml) is also run
    <!-- from: PATH -->       the block is an excerpt of a file of the repository
    <!-- before: COMMAND -->  runs first, unseen
    <!-- needs: WHAT -->      places.py says what there is; the block runs in a folder of its own with the examples, where what it needs is here
    <!-- not run: WHY -->     left out

What is left out is counted as skipped, with its reason. A picture `![…](…/NAME.png)` whose NAME.png a command of the page made is compared with it,
pixel by pixel; one that nothing makes is a failure unless "not run" stands above it. Commands and names inside sentences and tables are checked by mentions.py."""
import os
import re
import shutil
import struct
import sys
import tempfile
import zlib

import mentions
import workflow
from fences import alike, fences, parts, renamed
from places import ROOT, Place, Unmet
from runners import Python, on_terminal

UPDATE = os.environ.get("UPDATE") == "1"
HOME = "/srv/train"      # what outputs call the folder
PROMPTS = {"console": ("$ ", "> "), "pycon": (">>> ", "... ")}
counts = {"passed": 0, "failed": 0, "skipped": 0}


def tell(ok, what):
    counts["passed" if ok else "failed"] += 1
    if not ok:
        print("docs: FAILED:", what)


def pixels(path):
    """Size and pixels, however they are packed."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
        at += 12 + n
    return data[16:29], zlib.decompress(packed)


class Page:
    """A page being checked: its places by what they need, each with a folder and an interpreter that its blocks share."""

    def __init__(self, build, name):
        self.build, self.name, self.left_out = build, name, False
        self.text = open(os.path.join(ROOT, name), encoding="utf-8").read()
        self.root, self.places, self.interpreters = tempfile.mkdtemp(), {}, {}

    def place(self, need):
        if need not in self.places:
            self.places[need] = Place(self.build, tempfile.mkdtemp(dir=self.root), need)
        return self.places[need]

    def python(self, need):
        if need not in self.interpreters:
            self.interpreters[need] = Python(self.place(need))
        return self.interpreters[need]

    def skip(self, why):
        self.left_out = True
        counts["skipped"] += 1
        print(f"docs: SKIPPED {self.name}: {why}")

    def run(self, fence):
        """The block's lines as they should be."""
        prompt, more = PROMPTS[fence.kind]
        need, lines = fence.notes.get("needs"), []
        for source, expected in parts(fence.body, prompt, more):
            text = "\n".join(source)
            got = on_terminal(text, self.place(need)) if fence.kind == "console" else self.python(need).run(text)
            got = [line.replace(self.place(need).folder, HOME) for line in got]
            for end in (expected, got):
                while end and not end[-1]:
                    end.pop()
            ok = alike(renamed(expected), renamed(got))
            lines += [(prompt if not i else more) + s for i, s in enumerate(source)] + (expected if ok else got)
            if not UPDATE:
                tell(ok, f"{self.name}: {prompt}{source[0]}\n" + "".join(f"  - {x}\n" for x in expected) + "".join(f"  + {x}\n" for x in got))
        return "\n".join(lines) + "\n"

    def excerpt(self, fence):
        whole = [line.strip() for line in open(os.path.join(ROOT, fence.notes["from"]), encoding="utf-8")]
        part = [line.strip() for line in fence.body.splitlines()]
        found = any(whole[i:i + len(part)] == part for i in range(len(whole)))
        tell(found, f"{self.name}: a block is not what {fence.notes['from']} says")

    def block(self, fence):
        """What the block should be."""
        notes, need = fence.notes, fence.notes.get("needs")
        if "not run" in notes:
            self.skip(notes["not run"])
            return fence.body
        place = self.place(need)
        if "before" in notes:
            on_terminal(notes["before"], place)
        if "from" in notes:
            self.excerpt(fence)
        elif "file" in notes:
            with open(os.path.join(place.folder, notes["file"]), "w", encoding="utf-8") as out:
                out.write(fence.body)
            if fence.kind == "yaml" and not UPDATE:
                wrong = workflow.trouble(fence.body, place)
                tell(not wrong, f"{self.name}: {notes['file']}: {wrong}")
        elif fence.kind in PROMPTS:
            return self.run(fence)
        elif fence.kind != "{toctree}" and (fence.kind != "text" or "$ " in fence.body):
            tell(False, f"{self.name}: nothing runs a block of {fence.kind or 'no language'}: {fence.body.splitlines()[0]}")
        return fence.body

    def pictures(self):
        for why, target in re.findall(r"(?:<!-- not run: ([^\n]*) -->\n)?!\[[^]]*\]\(([^)]*\.png)\)", self.text):
            stored = os.path.normpath(os.path.join(ROOT, os.path.dirname(self.name), target))
            made = [path for path in (os.path.join(p.folder, os.path.basename(target)) for p in self.places.values() if p.folder != ROOT) if os.path.exists(path)]
            if why:
                self.skip(why)
                tell(os.path.exists(stored), f"{self.name}: {target} is not there")
            elif not made:
                tell(os.path.exists(stored) and self.left_out, f"{self.name}: no command makes {target}")
            elif UPDATE:
                if not os.path.exists(stored) or pixels(made[0]) != pixels(stored):
                    shutil.copyfile(made[0], stored)
            else:
                tell(os.path.exists(stored) and pixels(made[0]) == pixels(stored), f"{self.name}: {target} has changed")

    def check(self):
        out, at = [], 0
        for fence in fences(self.text):
            try:
                body = self.block(fence)
            except Unmet as e:
                body = fence.body
                self.skip(str(e))
            out += [self.text[at:fence.start], body]
            at = fence.end
        for interpreter in self.interpreters.values():
            interpreter.close()
        self.pictures()
        if UPDATE:
            with open(os.path.join(ROOT, self.name), "w", encoding="utf-8") as page:
                page.write("".join(out) + self.text[at:])
        else:
            mentions.check(self.build, self.name, self.text, self.root, tell)
            mentions.check_links(self.name, self.text, tell)
        shutil.rmtree(self.root)


for page in sys.argv[2:]:
    try:
        Page(os.path.abspath(sys.argv[1]), os.path.relpath(page, ROOT)).check()
    except ValueError as e:
        tell(False, f"{page}: {e}")
print("docs: {passed} passed, {failed} failed".format(**counts) + (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
sys.exit(counts["failed"] > 0)
