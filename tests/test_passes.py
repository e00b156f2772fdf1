"""Bound what a task passes on its way to its first tool: files of ours, and calls from one to
another (bench/passes.py)."""

import re
import sys

from tests.conftest import CHECKOUT
from tests.machine import ran


def test_few_files_and_calls_stand_between_a_task_and_its_tool() -> None:
    command = [sys.executable, "-m", "bench.passes"]
    done = ran(*command, check=True, cwd=CHECKOUT)
    found = re.findall(r"^(.+): (\d+) files, (\d+) calls", done.stdout, re.MULTILINE)
    counted = {name: (int(files), int(calls)) for name, files, calls in found}
    assert all(map(int.__le__, counted["by rote"], (155, 1_100))), done.stdout
    assert all(map(int.__le__, counted["file_write"], (178, 2_200))), done.stdout
