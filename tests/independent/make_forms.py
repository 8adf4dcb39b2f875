#!/usr/bin/env python3
"""Write one PyTorch snapshot in every form that people have: pickle protocols 0 to 5, as PyTorch's C++ pickler, as JSON, packed, as
memory_viz pages of 2.0 and of later releases, as the bare list of segments.

usage: make_forms.py SNAPSHOT.pickle FOLDER     (needs zstd for the packed forms)"""
import base64, gzip, io, json, os, pickle, struct, subprocess, sys

from summary import Plain


class CppPickler:
    """PyTorch's torch/csrc/jit pickler as facts of its output: protocol 2, strings memoised by value after the first use, 8-byte
    LONG1, empty batches written, containers put in the memo after they are filled and only if shared."""

    def __init__(self, shared):
        self.out, self.memo, self.strings, self.containers, self.shared = io.BytesIO(), 0, {}, {}, shared

    def put(self):
        self.out.write(b"q" + bytes([self.memo]) if self.memo < 256 else b"r" + struct.pack("<I", self.memo))
        self.memo += 1
        return self.memo - 1

    def get(self, i):
        self.out.write(b"h" + bytes([i]) if i < 256 else b"j" + struct.pack("<I", i))

    def string(self, s):
        if s in self.strings:
            return self.get(self.strings[s])
        raw = s.encode()
        self.out.write(b"X" + struct.pack("<I", len(raw)) + raw)
        self.strings[s] = self.put()

    def integer(self, i):
        if 0 <= i < 256:
            self.out.write(b"K" + bytes([i]))
        elif 0 <= i < 65536:
            self.out.write(b"M" + struct.pack("<H", i))
        elif -2**31 <= i < 2**31:
            self.out.write(b"J" + struct.pack("<i", i))
        else:
            self.out.write(b"\x8a\x08" + struct.pack("<q", i))

    def container(self, v):
        if id(v) in self.containers:
            return self.get(self.containers[id(v)])
        if isinstance(v, dict):
            self.out.write(b"}(")
            for key, value in v.items():
                self.value(key)
                self.value(value)
            self.out.write(b"u")
        else:
            self.out.write(b"](")
            for item in v:
                self.value(item)
            self.out.write(b"e")
        if self.shared.get(id(v), 0) > 1:
            self.containers[id(v)] = self.put()

    def value(self, v):
        if v is None or isinstance(v, bool):
            self.out.write(b"N" if v is None else b"\x88" if v else b"\x89")
        elif isinstance(v, str):
            self.string(v)
        elif isinstance(v, int):
            self.integer(v)
        elif isinstance(v, float):
            self.out.write(b"G" + struct.pack(">d", v))
        elif isinstance(v, tuple):
            for item in v:
                self.value(item)
            self.out.write(b"\x86")
        else:
            self.container(v)

    def dump(self, v):
        self.out.write(b"\x80\x02")
        self.value(v)
        self.out.write(b".")
        return self.out.getvalue()


def count(v, seen):
    if isinstance(v, (dict, list)):
        seen[id(v)] = seen.get(id(v), 0) + 1
        if seen[id(v)] == 1:
            for item in v.values() if isinstance(v, dict) else v:
                count(item, seen)
    return seen


def column_page(snapshot):
    """A page of 2.0: columns of one device's events (a free's two halves folded), segments and live blocks."""
    strings, suffixes = [], []

    def string(s):
        strings.append(s)
        return len(strings) - 1

    def stack(frames):
        rest = None
        for f in reversed(frames):
            suffixes.append((string(f"{f['filename']}:{f['line']}:{f['name']}"), rest))
            rest = len(suffixes) - 1
        return rest

    trace, events, i = snapshot["device_traces"][0], {k: [] for k in ("action", "addr", "size", "stream", "frames")}, 0
    while i < len(trace):
        e, action = trace[i], trace[i]["action"]
        if action == "free_requested" and trace[i + 1]["action"] == "free_completed" and trace[i + 1]["addr"] == e["addr"]:
            action, i = "free", i + 1
        i += 1
        for key, value in (("action", string(action)), ("addr", e.get("addr", e.get("device_free"))), ("size", e["size"]),
                           ("stream", e["stream"]), ("frames", stack(e.get("frames", [])))):
            events[key].append(value)
    segments = {"addr": [], "size": [], "stream": []}
    blocks = {"addr": [], "size": [], "real_size": [], "frames": [], "pending_free": []}
    for s in snapshot["segments"]:
        for key, value in (("addr", s["address"]), ("size", s["total_size"]), ("stream", s["stream"])):
            segments[key].append(value)
        for b in s["blocks"]:
            if b["state"] != "inactive":
                for key, value in (("addr", b["address"]), ("size", b["size"]), ("real_size", b["requested_size"]),
                                   ("frames", stack(b["frames"])), ("pending_free", int(b["state"] != "active_allocated"))):
                    blocks[key].append(value)
    data = {"string_table": strings, "suffix_table": suffixes, "events": events, "segments": segments, "blocks": blocks}
    return f"\n<!DOCTYPE html>\n<html>\n<script>\nlet trace_data = {json.dumps(data)}\n\nlet more = {{}}\n</script>\n</html>\n"


def embedded_page(snapshot):
    raw = pickle.dumps(snapshot)
    raw += b"\0" * (3 - len(raw) % 3)
    files = json.dumps([{"name": "snapshot.pickle", "base64": base64.b64encode(raw).decode()}])
    return f"\n<!DOCTYPE html>\n<html>\n<script>\nconst local_files = {files}\nadd_local_files(local_files, 'x')\n</script>\n</html>\n"


def main():
    source, folder = sys.argv[1:]
    snapshot = Plain(open(source, "rb")).load()
    forms = {f"protocol{p}.pickle": pickle.dumps(snapshot, p) for p in range(6)}
    forms["cpp.pickle"] = CppPickler(count(snapshot, {})).dump(snapshot)
    forms["snapshot.json"] = json.dumps(snapshot).encode()
    forms["embedded.html"] = embedded_page(snapshot).encode()
    forms["columns.html"] = column_page(snapshot).encode()
    forms["traces.pickle"] = pickle.dumps({"traces": snapshot["device_traces"], "more": [{"a": [1, {}]}], "segments": snapshot["segments"]})
    forms["list.pickle"] = pickle.dumps(snapshot["segments"])
    forms["twice.json.gz.zst"] = None
    for name, data in forms.items():
        if data:
            open(os.path.join(folder, name), "wb").write(data)
    packed = gzip.compress(forms["snapshot.json"], mtime=0)
    path = os.path.join(folder, "twice.json.gz")
    open(path, "wb").write(packed)
    subprocess.run(["zstd", "-q", "-f", "--rm", path], check=True)


if __name__ == "__main__":
    main()
