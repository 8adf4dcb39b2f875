"""Running what a block shows: commands on a terminal, Python in an interpreter."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time


def on_terminal(command, place, limit=240):
    """What a terminal of 100 columns shows of a command, without colours; lines that were written over are gone."""
    pid, fd = pty.fork()
    if not pid:
        os.chdir(place.folder)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        os.execve("/bin/bash", ["bash", "-c", command], place.env)
    out, end = b"", time.time() + limit
    while time.time() < end:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    else:
        os.kill(pid, 9)
        out += b"\n(took too long)\n"
    os.waitpid(pid, 0)
    os.close(fd)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.decode("utf-8", "replace").replace("\r\n", "\n"))
    return [line.rsplit("\r", 1)[-1].rstrip() for line in text.splitlines()]


class Python:
    """One interpreter for the blocks of a place, in a process of its own so that a crash of the library is the page's alone."""

    def __init__(self, place):
        here = os.path.dirname(os.path.abspath(__file__))
        self.process = subprocess.Popen([place.python, "-u", "-c", f"import sys; sys.path.insert(0, {here!r}); import check_docs_python"],
                                        cwd=place.folder, env=place.env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def run(self, source):
        try:
            self.process.stdin.write(repr(source) + "\n")
            self.process.stdin.flush()
            return [line.rstrip() for line in eval(self.process.stdout.readline() or "'(died)'").splitlines()]
        except BrokenPipeError:
            return ["(died)"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
