"""What sentences and tables of a page name in `code`: commands with their options, targets of make, variables, Python and C names, files. A command
that names what it works on is also run, on the examples, and must not fail; a word in capitals stands for what SAMPLES says."""
import functools
import glob
import os
import re
import shlex
import subprocess

from fences import without_fences
from places import ROOT, environment, furnish

# what stands for a word of a command; None: that command is not run here, its words are checked alone
SAMPLES = {"FILE": "serve.gsnap", "A": "serve.gsnap", "B": "train.pickle", "OLD": "serve.gsnap", "NEW": "train.pickle", "DIR": "dumps", "INPUT": "serve.gsnap",
           "SCRIPT": "one.script", "SIZE": "1GiB", "TEXT": "expandable_segments:True", "STATE": "peak", "oom.pickle": "train.pickle",
           "public.gsnap": "serve.gsnap", "big.pickle": "train.pickle", "PID": None, "OUT": None}
NOT_HERE = {"run": "a program", "view": "a browser", "page": "the page", "top": "a terminal", "dump": "a process", "mcp": "a client", "fleet": "DuckDB"}
MAY_SAY = {0, 10, 11, 12, 13, 14, 20}      # verdicts and assertions are answers


def codes(text):
    return [m[1].replace("\\|", "|") for m in re.finditer(r"(?<!`)`([^`\n]+)`(?!`)", without_fences(text))]


@functools.lru_cache(None)
def help_of(build, *topic):
    done = subprocess.run([build + "/gpusnap", "help", *topic], capture_output=True, text=True)
    return done.stdout if not done.returncode else None


@functools.lru_cache(None)
def all_options(build):
    commands = re.findall(r"^  ([a-z]+) ", help_of(build), re.M)
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", "".join(help_of(build, c) for c in commands))) | {"--help", "--version"}


@functools.lru_cache(None)
def targets():
    rules = [ROOT + "/Makefile", *glob.glob(ROOT + "/t*/**/rules.mk", recursive=True)]
    benches = {"bench-" + os.path.basename(path)[len("bench_"):-len(".c")] for path in glob.glob(ROOT + "/tests/bench/bench_*.c")}
    return benches | set(re.findall(r"^([a-z][\w%-]*)(?=[^=\n]*:(?!=))", "".join(open(path, encoding="utf-8").read() for path in rules), re.M))


@functools.lru_cache(None)
def python_names(module):
    """The text of a module of the package, so that no module of others' is needed."""
    path = ROOT + "/tools/python/" + module.replace(".", "/")
    for name in (path + ".py", path + "/__init__.py"):
        if os.path.exists(name):
            return open(name, encoding="utf-8").read()
    return None


def python_name(dotted):
    """Whether gpusnap.a.b is a module of the package, or a name in one."""
    words = dotted.split(".")
    if python_names(".".join(words)) is not None:
        return True
    module = python_names(".".join(words[:-1])) or ""
    return bool(re.search(rf"\b{words[-1]}\b", module))


def words_of(command):
    """The command's words, of what may be left out too, without signs that stand for more of the same."""
    return [word for word in shlex.split(re.sub(r"[\[\]…]", " ", command)) if word]


def wrong_words(build, words):
    """What the command does not know."""
    if not words:
        return []
    if help_of(build, words[0]) is None:
        return [words[0]]
    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", help_of(build, words[0]))) | {"--help"}
    own = words[1:]
    if words[0] == "run":      # the program's own words follow
        own = own[:next((i for i, word in enumerate(own) if word in ("python", "./program")), len(own))]
    return [word for word in own if word.startswith("-") and word != "-" and word.split("=")[0] not in known]


def sample(words):
    """The words with samples in place of capitals; None where it cannot be run here."""
    if len(words) < 2 or words[0] in NOT_HERE or any(SAMPLES.get(word, word) is None for word in words):
        return None
    if not any(word in SAMPLES or "." in word or word == "--list" for word in words[1:]):
        return None      # names no input: a family of commands
    out = [SAMPLES.get(word, word) for word in words]
    takes_output = any(word in ("-o", "--output") for word in out)
    return out if not takes_output else [w.replace("FILE.db", "f.db") for w in words[:1] + out[1:]]


def run_sample(build, words, folder):
    run_in = os.path.join(folder, "mentions")
    if not os.path.exists(run_in):
        os.makedirs(run_in + "/dumps")
        furnish(run_in)
        os.link(run_in + "/serve.gsnap", run_in + "/dumps/serve-r1-.gsnap")
        with open(run_in + "/one.script", "w") as script:
            script.write("malloc a 2048 m\n")
        with open(run_in + "/error.txt", "w") as text:
            text.write("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 4.00 GiB of which 56.00 MiB is free.\n")
    for name in re.findall(r"\b[\w-]+\.(?:png|svg|html|md|db|gsnap)\b", " ".join(words[words.index("-o"):] if "-o" in words else [])):
        if os.path.exists(os.path.join(run_in, name)) and name not in SAMPLES.values():
            os.unlink(os.path.join(run_in, name))
    done = subprocess.run([build + "/gpusnap", *words], cwd=run_in, env=environment(build, run_in), capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    return None if done.returncode in MAY_SAY else f"exits with {done.returncode}: {done.stderr.strip()}"


def trouble(build, code, folder):
    """What is wrong about a piece of code; None: nothing, or it is none of what is known here."""
    command = re.match(r"(?:python -m )?gpusnap (?=[a-z])(.*)", code)
    if command:
        words = words_of(command[1])
        wrong = wrong_words(build, words)
        ready = None if wrong else sample(words)
        return f"{wrong[0]!r} is not known" if wrong else run_sample(build, ready, folder) if ready else None
    make = re.fullmatch(r"make((?: [\w=./-]+)+)", code)
    if make:
        return next((f"no target {t}" for t in make[1].split() if "=" not in t and re.sub("[A-Z]{2,}", "%", t) not in targets()), None)
    for name in re.findall(r"\bGPUSNAP_[A-Z_]+\b", code):
        if name not in help_of(build, "env") and name not in help_of(build, "env").replace(" ", ""):
            return f"{name} is not in `gpusnap help env`"
    for name in re.findall(r"\bgpusnap(?:\.[a-zA-Z_]\w*)+", code):
        if not re.search(r"\.(h|c|pc|html|gsnap|1)$|schema_version", name) and not python_name(name):
            return f"the Python package has no {name}"
    for name in re.findall(r"(?<![\w/-])gpusnap_[a-z_]+\b(?![.*])", code):
        if not any(re.search(rf"\b{name}\b", open(ROOT + "/" + h).read()) for h in ("recorder/gpusnap.h", "analyzer/api/gpusnap_analyzer.h")):
            return f"no header has {name}"
    if re.fullmatch(r"(?:tools|docs|schema|tests|recorder|analyzer)/[\w./-]+", code) and not glob.glob(os.path.join(ROOT, re.sub("[A-Z_]{4,}", "*", code))):
        return "there is no such file"
    option = re.match(r"(--[a-z][\w-]+)", code)
    if option and option[1] not in all_options(build) | {"--gpusnap", "--gpusnap-update"}:
        return "no command has this option"
    return None


def check(build, page, text, folder, tell):
    for code in dict.fromkeys(codes(text)):
        try:
            wrong = trouble(build, code, folder)
        except ValueError as e:
            wrong = str(e)
        if wrong or re.match(r"(?:python -m )?gpusnap [a-z]|make |GPUSNAP_|gpusnap[._]|--", code):
            tell(not wrong, f"{page}: `{code}`: {wrong}")


def anchors(path):
    """The anchors that GitHub and MyST give the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", without_fences(open(path, encoding="utf-8").read()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(page, text, tell):
    """Links to files of the repository and their headings. What is made for the site alone (reference/) Sphinx has."""
    for target, anchor in re.findall(r"(?<!!)\[[^]\n]*\]\(([^)#\s]*)(?:#([^)]*))?\)", without_fences(text)):
        if re.match(r"[a-z]+:", target) or "reference/" in target:
            continue
        path = os.path.normpath(os.path.join(ROOT, os.path.dirname(page), target)) if target else os.path.join(ROOT, page)
        tell(os.path.exists(path), f"{page}: the link to {target} leads nowhere")
        if anchor and os.path.exists(path):
            tell(anchor in anchors(path), f"{page}: {target} has no heading {anchor}")
