"""Run a test's Python in a mount namespace of its own, so that it may mount what it needs."""

import subprocess
import sys
from pathlib import Path

from tests.conftest import CHECKOUT

START = """
import os, subprocess, sys, time
from pathlib import Path
from sandbox import kernel
from sandbox.undo.commits import Conflicted
from sandbox.stage import Stage, recover
from sandbox.undo import StageError, UndoStore
from tests.stage.file_scripts import snapshot
base = Path(sys.argv[1])
root, home = base / "root", base / "agent"
root.mkdir(exist_ok=True), home.mkdir(exist_ok=True)
shell = subprocess.Popen(["sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def apart(*words):
    print(*words, "&& echo done || exit 1", file=shell.stdin, flush=True)
    assert shell.stdout.readline() == "done\\n"
def mount(*words):
    apart("mount", *words)
def lock():
    "Become an ordinary user, for whom the kernel locks what is mounted by now."
    kernel.checked(kernel.libc.unshare(kernel.NEW_USER))
    kernel.deny_groups("/proc/self")
    kernel.map_ids("/proc/self", "1000 0 1", "1000 0 1")
def staged(script):
    stage = Stage.open([root], home, "r", "c")
    return stage, *stage.run(["bash", "-c", script], root)
"""


def passes(folder: Path, body: str) -> None:
    """Run `body` as root of a namespace; it asserts by itself."""
    words = ["unshare", "-Urm", sys.executable, "-c", START + body, str(folder)]
    done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
