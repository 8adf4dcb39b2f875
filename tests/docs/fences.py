"""The fenced blocks of a page, and what the comment above one says of it."""
import re

FENCE = re.compile(r"^(?:<!-- (?P<notes>[^\n]*?) -->\n+)?(?P<ticks>```)(?P<kind>[^\n`]*)\n(?P<body>.*?)^```$", re.S | re.M)
NOTES = ("not run", "needs", "file", "from", "before")
BETWEEN = re.compile("; (?=(?:" + "|".join(NOTES) + "): )")


class Fence:
    """kind, body, notes; start and end of the body in the page."""

    def __init__(self, match):
        self.kind, self.body = match["kind"].strip(), match["body"]
        self.start, self.end = match.span("body")
        self.notes = {}
        for note in BETWEEN.split(match["notes"]) if match["notes"] else []:
            key, colon, value = note.partition(": ")
            if not colon or key not in NOTES:
                raise ValueError(f"a comment above a block that says nothing the test knows: {note!r}")
            self.notes[key] = value


def fences(text):
    return [Fence(m) for m in FENCE.finditer(text)]


def without_fences(text):
    return FENCE.sub("", text)


def parts(body, prompt, more):
    """(source, lines of output) in turn."""
    found = []
    for line in body.splitlines():
        if line.startswith(prompt):
            found.append(([line[len(prompt):]], []))
        elif found and line.startswith(more) and not found[-1][1]:
            found[-1][0].append(line[len(more):])
        elif found:
            found[-1][1].append(line.rstrip())
        else:
            raise ValueError(f"output before the first command: {line!r}")
    return found


def renamed(lines):
    """The lines with names that are new in each run, of redaction, dumps and temporary folders, numbered as they come."""
    names = {}
    return [re.sub(r"\b(?:file|function)-[0-9a-f]{10}\b|\boom-[\w.-]+-\d+\.gsnap\b|\bgpusnap-view-\w{6}\b|\d+ KiB(?=\); it holds)",
                   lambda m: names.setdefault(m[0], f"name-{len(names):010}"), line) for line in lines]


def alike(expected, got):
    """Whether the lines are those expected, "…" standing for any."""
    if not expected:
        return not got
    if expected[0] == "…":
        return any(alike(expected[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and expected[0] == got[0] and alike(expected[1:], got[1:])
