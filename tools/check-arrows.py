#!/usr/bin/env python3
"""Holds the sources against tools/arrows.txt: who may include whom, and who may link whom.

usage: check-arrows.py BUILD_FOLDER

An include is an arrow from a file to a file; a symbol that an object leaves undefined is an arrow from its source to
the source that defines it. Either may only run within a room or along a line of the table, and neither may run in a
circle between files, not even inside a room. Prints an offence a line.
"""

import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOPS = ("schema", "recorder", "analyzer", "tools")
OURS = ("gs_", "gpusnap")  # how each name that we link begins; preload/ alone also defines others' names, to hook them
# Objects that no .c of the tree makes.
MADE = {"gen/sql": "schema/sql.c", "font": "analyzer/draw/font.S"}


def table(path):
    """room -> the rooms that it may use."""
    rooms = {}
    for line in open(path):
        line = line.split("#")[0].strip()
        if line:
            room, _, uses = line.partition(":")
            rooms[room.strip()] = set(uses.split())
    for room, uses in rooms.items():
        for other in uses - set(rooms):
            sys.exit(f"arrows: {room} may use {other}, which is no room of the table")
    return rooms


def may_use(a, b, rooms):
    """Whether the table lets room A use room B: by name, or by the name of a room that B lies in."""
    return a == b or any(b == use or b.startswith(use + "/") for use in rooms[a])


def room_of(path, rooms):
    """The room whose folder, or whose very file, holds PATH; the longest such name."""
    names = [r for r in rooms if path == r or path.startswith(r + "/")]
    return max(names, key=len) if names else None


def sources():
    for top in TOPS:
        for folder, _, names in os.walk(top):
            for name in names:
                if name.endswith((".c", ".h", ".def")):
                    yield os.path.join(folder, name)


def includes():
    """file -> the files of ours that it includes."""
    arrows = collections.defaultdict(set)
    for path in sources():
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', open(path).read(), re.M):
            if os.path.exists(name):
                arrows[path].add(name)
    return arrows


def objects(build):
    """source -> its object, for every object that was built of a source that is still there."""
    found = {}
    for folder, _, names in os.walk(os.path.join(build, "obj")):
        for name in names:
            if name.endswith(".o"):
                stem = os.path.relpath(os.path.join(folder, name), os.path.join(build, "obj"))[:-2]
                source = MADE.get(stem, stem + ".c")
                if source.startswith(TOPS) and (stem in MADE or os.path.exists(source)):
                    found[source] = os.path.join(folder, name)
    return found


def symbols(build):
    """source -> {source that defines what it uses: one such symbol}."""
    built = objects(build)
    of_object = {obj: source for source, obj in built.items()}
    defined, wanted, here = collections.defaultdict(set), [], None
    shown = subprocess.run(["nm", "-A", *built.values()], capture_output=True, text=True, check=True).stdout
    for line in shown.splitlines():
        name, _, rest = line.partition(":")
        *_, kind, symbol = rest.split()
        here = of_object[name]
        if not symbol.startswith(OURS):
            continue
        if kind in "TDBRVWC":
            defined[symbol].add(here)
        elif kind == "U":
            wanted.append((here, symbol))
    arrows = collections.defaultdict(dict)
    for source, symbol in wanted:
        for home in defined[symbol]:
            arrows[source].setdefault(home, symbol)
    return arrows


def circles(arrows):
    """The sets of files that reach one another (Tarjan), by name."""
    number, low, stack, on, found = {}, {}, [], set(), []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        on.add(node)
        for other in sorted(arrows.get(node, ())):
            if other == node:
                continue
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            ring = []
            while not ring or ring[-1] != node:
                ring.append(stack.pop())
                on.discard(ring[-1])
            if len(ring) > 1:
                found.append(sorted(ring))

    for node in sorted(arrows):
        if node not in number:
            visit(node)
    return sorted(found)


def offences(build):
    rooms = table(os.path.join(HERE, "arrows.txt"))
    for path in sorted(sources()):
        if room_of(path, rooms) is None:
            yield f"{path} lies in no room of the table"
    by_include, by_symbol = includes(), symbols(build)
    for verb, arrows in (("includes", by_include), ("links", by_symbol)):
        for source in sorted(arrows):
            for target in sorted(arrows[source]):
                a, b = room_of(source, rooms), room_of(target, rooms)
                if a and b and not may_use(a, b, rooms):
                    symbol = f" ({arrows[source][target]})" if verb == "links" else ""
                    yield f"{a} -> {b}: {source} {verb} {target}{symbol}"
    for verb, arrows in (("includes", by_include), ("links", by_symbol)):
        for ring in circles(arrows):
            inside = set(ring)
            why = [f"{s} -> {t}" + (f" ({arrows[s][t]})" if verb == "links" else "")
                   for s in ring for t in sorted(arrows[s]) if t in inside and t != s]
            yield f"a circle of {verb}: " + ", ".join(why)


def main():
    sys.setrecursionlimit(10000)
    found = list(offences(sys.argv[1]))
    for line in found:
        print("arrows:", line)
    if not found:
        print("arrows: 1 passed, 0 failed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
