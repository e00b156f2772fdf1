"""A script in a stage, committed, leaves what it leaves when it is run directly; undone, the tree is
as it was.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.stage.trials import trial

# By seed: files of several names written by one and removed by another (15, 46), written and then
# taken back (14), linked anew, moved and redone (60, 83, 139); the others as they come.
SEEDS = [13, 14, 15, 46, 60, 83, 99, 139, *range(200, 232)]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_script_in_a_stage_equals_running_it(tmp_path: Path, seed: int) -> None:
    assert trial(tmp_path, seed) == ""


@pytest.fixture
def folder_of_nobody() -> Iterator[Path]:
    """A folder of an ordinary user, which is this one where it is not root."""
    folder = Path(tempfile.mkdtemp(prefix="trials-", dir="/var/tmp"))
    if os.geteuid() == 0:
        user = pwd.getpwnam("nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_random_scripts_of_an_ordinary_user_equal_running_them(folder_of_nobody: Path) -> None:
    # the interpreter of this run may lie in a folder that is closed to others
    python = shutil.which("python3", path="/usr/bin") or sys.executable
    words = [python, "scripts/stage_trials", "20", "--folder", str(folder_of_nobody)]
    if os.geteuid() == 0:
        words += ["--user", "nobody"]
    done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.stdout == "20 of 20 equal\n", done.stdout + done.stderr
