"""Where a block runs: what is in the environment, and what some blocks need beyond the command itself."""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# what a block may need: the variable that names a Python environment, and the modules that must be in it
VENVS = {"PyTorch": ("TORCH_VENV", "torch"), "pytest": ("PLUGINS_VENV", "torch, pytest"), "DuckDB": ("FLEET_VENV", "pyarrow, duckdb, pandas"),
         "Spark": ("FLEET_VENV", "pyspark, pyarrow"), "Ray": ("FLEET_VENV", "ray.data")}


def environment(build, folder):
    drop = ("GPUSNAP", "COLUMNS", "LINES", "NO_COLOR", "MAKE", "MFLAGS", "DISPLAY", "WAYLAND")
    env = {k: v for k, v in os.environ.items() if not k.startswith(drop)}
    return {**env, "PATH": build + ":" + env["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm", "HOME": folder, "BROWSER": "true", "TMPDIR": "/tmp",
            "XDG_CACHE_HOME": build + "/docs-hooks",
            "PYTHONPATH": ROOT + "/tools/python", "GPUSNAP_ANALYZER_LIBRARY": build + "/libgpusnap-analyzer.so.1",
            "GPUSNAP_LIBRARY": build + "/libgpusnap.so.1", "CHECKOUT": ROOT, "B": os.path.relpath(build, ROOT)}


def furnish(folder, recordings=True):
    """The examples, with their recordings."""
    for path in glob.glob(ROOT + "/docs/examples/*.*"):
        shutil.copy(path, folder)
    for path in glob.glob(ROOT + "/docs/examples/recorded/*") if recordings else []:
        if path.endswith(".zst"):
            subprocess.run(["zstd", "-qd", path, "-o", os.path.join(folder, os.path.basename(path)[:-4])], check=True)
        else:
            shutil.copy(path, folder)


def pytest_point(folder):
    """Makes the package in the source tree an installed one, with the entry point by which pytest finds it."""
    point = re.search(r'pytest11\]\n(\w+) = "([\w.]+)"', open(ROOT + "/pyproject.toml", encoding="utf-8").read())
    path = os.path.join(folder, ".site")
    os.makedirs(path + "/gpusnap-0.dist-info", exist_ok=True)
    for name, text in (("METADATA", "Metadata-Version: 2.1\nName: gpusnap\nVersion: 0\n"), ("entry_points.txt", f"[pytest11]\n{point[1]} = {point[2]}\n")):
        with open(f"{path}/gpusnap-0.dist-info/{name}", "w") as out:
            out.write(text)
    return path


class Unmet(Exception):
    """What a block needs is not here."""


class Place:
    """A folder and an environment for blocks. need: None, or what the comment says: a key of VENVS, `PyTorch on 4096 MiB`; `page`: the page
    for the browser; `installed`: the result of make install; `checkout`: the source tree itself."""

    def __init__(self, build, folder, need):
        self.folder, self.env, self.python = folder, environment(build, folder), sys.executable
        word, _, mib = (need or "").partition(" on ")
        if not need:
            furnish(folder)
        elif word == "checkout":
            self.folder = ROOT
        elif word == "page":
            page = os.path.abspath(os.environ.get("GPUSNAP_PAGE") or build + "/page/gpusnap.html")
            if not os.path.exists(page):
                raise Unmet("needs the page (make page)")
            furnish(folder)
            self.env["GPUSNAP_PAGE"] = page
        elif word == "installed":
            self._install(build)
        elif word in VENVS:
            self._enter(word, build)
            if "torch" in VENVS[word][1]:
                self._pretend(build, mib.split()[0] if mib else "1024")
        else:
            raise ValueError(f"a block that needs {need!r}, which the test does not know")

    def _install(self, build):
        prefix = self.folder + "/usr"
        subprocess.run(["make", "-s", "install", "prefix=" + prefix, "B=" + os.path.relpath(build, ROOT)], cwd=ROOT, env=self.env, check=True, stdout=subprocess.DEVNULL)
        lib = os.path.dirname(glob.glob(prefix + "/lib/**/gpusnap.pc", recursive=True)[0])
        self.env.update(PATH=prefix + "/bin:" + self.env["PATH"], PKG_CONFIG_PATH=lib, LD_LIBRARY_PATH=os.path.dirname(lib))

    def _enter(self, word, build):
        variable, modules = VENVS[word]
        venv = os.path.abspath(os.environ.get(variable) or "/nowhere")
        self.python = venv + "/bin/python"
        if not os.path.exists(self.python) or subprocess.run([self.python, "-c", "import " + modules], capture_output=True).returncode:
            raise Unmet(f"needs {word}: {variable}, an environment with {modules}")
        os.symlink(ROOT + "/tools", self.folder + "/tools")
        self.env.update(PATH=f"{build}:{venv}/bin:{os.environ['PATH']}", PYSPARK_PYTHON=self.python, RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")
        furnish(self.folder, recordings=False)
        if word == "pytest":
            self.env["PYTHONPATH"] += ":" + pytest_point(self.folder)

    def _pretend(self, build, mib):
        sys.path.insert(0, ROOT + "/tests/torch")
        from check_torch_env import prepare
        fake = prepare(self.python, build)[1]
        self.env.update(LD_PRELOAD=f"{fake}:{fake[:-3]}.nvml.so", FAKE_CUDA_MIB=mib)
