#!/usr/bin/env python3
"""Pictures of the page for the documentation, drawn by Chromium. usage: shots.py BUILD PAGE   (Python has playwright: make deps-browser)"""
import os
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
build, page = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
# name of the picture: recording, width, height
SHOTS = {"page": ("train-8.pickle.zst", 1280, 1180)}

with sync_playwright() as drive, tempfile.TemporaryDirectory() as folder:
    browser = drive.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    for name, (recording, width, height) in SHOTS.items():
        env = {**os.environ, "GPUSNAP_PAGE": page, "BROWSER": "true", "TMPDIR": folder}
        made = subprocess.run([build + "/gpusnap", "view", f"{root}/docs/examples/recorded/{recording}"], env=env, check=True, capture_output=True, text=True)
        tab = browser.new_context(viewport={"width": width, "height": height}, color_scheme="light").new_page()
        tab.goto("file://" + made.stdout.strip())
        tab.wait_for_function("document.querySelector('canvas')")
        tab.wait_for_timeout(4000)
        tab.screenshot(path=f"{root}/docs/img/{name}.png")
    browser.close()
