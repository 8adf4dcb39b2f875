"""A workflow that a page shows: its steps that use the project's action are run, as the action runs them."""
import re

from places import ROOT, Unmet
from runners import on_terminal


def inputs():
    text = open(ROOT + "/tools/ci/action.yml", encoding="utf-8").read()
    return set(re.findall(r"^  ([a-z]+):\n    description", text, re.M)), re.search(r"      run: \|\n((?:        .*\n)+)", text)[1]


def trouble(text, place):
    """What is wrong about the workflow, None: it holds."""
    try:
        import yaml
    except ImportError:
        raise Unmet("needs PyYAML")
    known, script = inputs()
    mine = [step.get("with", {}) for step in yaml.safe_load(text) if step["uses"] == "./tools/ci"]
    if not mine:
        return "no step uses the action"
    for given in mine:
        if set(given) - known:
            return f"the action has no input {sorted(set(given) - known)[0]}"
        place.env.update(RUN=given["run"], ASSERT=given.get("assert", ""), BASE=given.get("base", ""), DIRECTORY=given.get("directory", "gpusnap-ci"),
                         ACTION=ROOT + "/tools/ci", GITHUB_STEP_SUMMARY=place.folder + "/by-action.md")
        shown = on_terminal(f"set -e\n{script}\necho exit 0", place)
        for name in ("RUN", "ASSERT", "BASE", "DIRECTORY", "ACTION", "GITHUB_STEP_SUMMARY"):
            del place.env[name]
        if shown[-1:] != ["exit 0"]:
            return "it fails: " + " / ".join(shown[-5:])
    return None
