#!/usr/bin/env python3
"""Puts the page together: one HTML file with the module, the worker's script and the viewer inside.
usage: assemble.py MODULE.wasm.gz TOOLS_PAGE OUT.html

Between the comments `gpusnap: begin` and `gpusnap: end` stands what a report takes over; `gpusnap: recordings` is where recordings go.
Scripts are allowed by their hashes, so that nothing that a file names can become one."""
import base64, gzip, hashlib, json, os, re, sys
sys.dont_write_bytecode = True  # the sources' folder may be read-only
import practice as practised

module, folder, out = sys.argv[1:]


def text(name):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return f.read()


def parts(ending):
    names = sorted(n for n in os.listdir(os.path.join(folder, "viewer")) if n.endswith(ending))
    return "".join(text("viewer/" + n) for n in names)


def words(file, macro):
    """The pairs of a table of the C sources: MACRO("word", "meaning"), MACRO("word", number) or MACRO(NAME, "word", "words for people"), as an object of the page's script."""
    pairs = re.findall(macro + r'\((?:\w+, )?"([^"]+)", (?:"([^"]+)"|(\d+))\)', text("../../" + file))
    if not pairs:
        sys.exit(f"assemble: {file} has no {macro}")
    return json.dumps({"__proto__": None} | {word: meaning or int(number) for word, meaning, number in pairs}, ensure_ascii=False)


# What has its home in C: the words of the answers with what they mean, what categories are called, cards with their memory.
tables = "".join(f"const {name} = {words(file, macro)}\n" for name, file, macro in (
    ("TERMS", "tools/terms.def", "GS_TERM"), ("VERDICTS", "tools/terms.def", "GS_VERDICT"), ("CATEGORY_WORDS", "analyzer/meaning/category.h", "GS_CATEGORY"),
    ("CARDS", "analyzer/replay/cards.def", "GS_CARD")))
with open(module, "rb") as f:
    packed = base64.b64encode(f.read()).decode()
practice = base64.b64encode(gzip.compress(practised.recording(), 9, mtime=0)).decode()
worker = '"use strict"\n' + text("wasi.js") + text("packed.js") + text("pieces.js") + text("engine.js") + text("worker.js")
script = '(() => {\n"use strict"\n' + tables + text("packed.js") + text("feed.js") + text("client.js") + parts(".js") + "})()\n"
for name, source in ("worker", worker), ("script", script):
    if "</script" in source.lower() or "<!--" in source:
        sys.exit(f"assemble: the {name} would end its element")
digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
# The worker is a blob: URL; a blob cannot become a script of the page, and a worker has no network by the page's own rules.
policy = ("default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; "
          f"script-src 'sha256-{digest}' 'wasm-unsafe-eval'; worker-src blob:; base-uri 'none'; form-action 'none'")
page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="gpusnap">
<meta name="color-scheme" content="light dark">
<title>gpusnap</title>
</head><body>
<!-- gpusnap: begin -->
<style>
{parts('.css')}</style>
{parts('.html')}<script type="text/plain" id="gpusnap-module">{packed}</script>
<script type="text/plain" id="gpusnap-worker">{worker}</script>
<script type="text/plain" id="gpusnap-practice">{practice}</script>
<script>{script}</script>
<!-- gpusnap: recordings -->
<!-- gpusnap: end -->
</body></html>
"""
with open(out + ".part", "w", encoding="utf-8", newline="") as f:
    f.write(page)
os.replace(out + ".part", out)
print(f"  PAGE {out}: {len(page) // 1024} KiB, the module {len(base64.b64decode(packed)) // 1024} KiB of it")
