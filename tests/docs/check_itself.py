#!/usr/bin/env python3
"""The test of the pages, tested: a page that is right passes, and one wrong character of each kind of block makes it fail. usage: check_itself.py BUILD"""
import os
import re
import subprocess
import sys
import tempfile

here, build = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(sys.argv[1])
RIGHT = """# A page

```console
$ gpusnap query serve.gsnap "largest free block"
device  address                size  segment         pool   pool_id  stream      free  free_blocks  device_free
…
$ echo one; echo two
one
two
```

```pycon
>>> import gpusnap
>>> gpusnap.open("serve.gsnap").diagnose()["verdict"]
'fragmented'
```

<!-- before: printf 'malloc a %s m\\n' 40 >before.script -->
```console
$ gpusnap sim before.script --capacity 50MiB --trace | head -2
…
```

<!-- file: own.script -->
```text
malloc a 40 m
```

```console
$ cat own.script
malloc a 40 m
$ gpusnap map serve.gsnap -o serve-map.png
```

<!-- file: own.c -->
```c
#include <stdio.h>

int main(void)
{
	puts("forty-two");
	return 0;
}
```

```console
$ cc -Wall -Werror own.c -o own && ./own
forty-two
```

<!-- file: own.yml -->
```yaml
- uses: ./tools/ci
  with:
    run: demo
    assert: |
      ooms = 1
      peak_reserved < 5GiB
```

<!-- from: docs/examples/leak.py -->
```python
losses.append(loss)                          # losses.append(loss.item()) would keep a number
```

![The heap](IMAGES/serve-map.png)

`gpusnap diagnose serve.gsnap -v`, `gpusnap query FILE "top stacks"`, `make check-docs`, `make bench-load`, `GPUSNAP_DIR`, `gpusnap.torch.attach()`, `gpusnap_open`, `tools/ci/action.yml`, `--state oom`, [a page](DOCS/ask.md#for-agents)
"""
# what is changed, and into what
WRONG = {
    "an output of a command": ("one\ntwo", "one\ntw0"),
    "a missing line of an output": ("one\ntwo", "one"),
    "an output of Python": ("'fragmented'", "'fragmentec'"),
    "a command": ('"largest free block"', '"largest free blocc"'),
    "a file that a command reads": ("```text\nmalloc a 40 m", "```text\nmalloc a 41 m"),
    "what a C program says": ('puts("forty-two")', 'puts("forty-three")'),
    "a C program that no compiler takes": ("#include <stdio.h>\n", ""),
    "an input of a workflow": ("    assert: |", "    asserts: |"),
    "what a workflow asserts": ("ooms = 1", "ooms = 0"),
    "a workflow without the action": ("- uses: ./tools/ci", "- uses: ./tools/cd"),
    "an excerpt": ("losses.append(loss)  ", "losses.append(lost)  "),
    "a language that nothing runs": ("<!-- from: docs/examples/leak.py -->\n", ""),
    "a comment that says nothing known": ("<!-- from:", "<!-- form:"),
    "a picture that no command makes": ("-o serve-map.png", "-o other.png"),
    "a picture that has changed": ("serve-map.png\n```", "serve-map.png --color state\n```"),
    "an option in a sentence": ("serve.gsnap -v", "serve.gsnap --verbos"),
    "a file in a sentence that is not there": ("diagnose serve.gsnap", "diagnose sirve.gsnap"),
    "a query in a sentence": ("top stacks", "top stucks"),
    "a target of make": ("`make check-docs`", "`make check-dock`"),
    "a benchmark of C": ("`make bench-load`", "`make bench-loud`"),
    "a variable": ("GPUSNAP_DIR", "GPUSNAP_DIRE"),
    "a name of the Python package": ("gpusnap.torch.attach", "gpusnap.torch.atach"),
    "a name of C": ("gpusnap_open", "gpusnap_opens"),
    "a file of the repository": ("tools/ci/action.yml", "tools/ci/action.yaml"),
    "a link": ("DOCS/ask.md", "DOCS/aks.md"),
    "an anchor": ("#for-agents", "#for-agent"),
    "an option alone": ("`--state oom`", "`--stat oom`"),
}
try:
    import yaml  # noqa: F401: what a workflow is read with
except ImportError:
    print("docs: SKIPPED: the test of workflows needs PyYAML")
    WRONG = {what: change for what, change in WRONG.items() if "workflow" not in what}
counts = {"passed": 0, "failed": 0}


def outcome(text, update=""):
    """(exit status, what it said, the page afterwards)"""
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/page.md"
        images = os.path.relpath(os.path.dirname(os.path.dirname(here)) + "/docs/img", folder)
        docs = os.path.dirname(images)
        with open(path, "w", encoding="utf-8") as page:
            page.write(text.replace("IMAGES", images).replace("DOCS", docs))
        done = subprocess.run([sys.executable, here + "/check_docs.py", build, path], capture_output=True, text=True, env={**os.environ, "UPDATE": update})
        return done.returncode, done.stdout + done.stderr, open(path, encoding="utf-8").read().replace(images, "IMAGES").replace(docs, "DOCS")


def expect(what, holds, said):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"docs: FAILED: {what}:\n{said}")


# what the machine shows is written by the test itself, as UPDATE=1 does for every page
whole = outcome(re.sub(r"(free block\"\n)device.*\n…\n", r"\1", RIGHT), "1")[2]
status, said, _ = outcome(whole)
expect("a page that is right passes", status == 0, said)
for what, (old, new) in WRONG.items():
    assert old in whole, what
    status, said, _ = outcome(whole.replace(old, new, 1))
    expect(f"{what} that is wrong is found", status == 1 and "FAILED" in said, said)
status, said, after = outcome(whole.replace("one\ntwo", "one\ntw0", 1), "1")
expect("UPDATE=1 puts an output right", after == whole, after)
print("docs, itself: {passed} passed, {failed} failed".format(**counts))
sys.exit(counts["failed"] > 0)
