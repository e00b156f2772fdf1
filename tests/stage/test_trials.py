"""A script in a stage, committed, leaves what it leaves when it is run directly; undone, the tree
is as it was.
"""

import os
import pwd
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.machine import ran
from tests.stage.trials import trial

# By seed: files of several names written by one and removed by another (15, 46), written and then
# taken back (14), linked anew, moved and redone (60, 83, 139); the others as they come.
SEEDS = [13, 14, 15, 46, 60, 83, 99, 139, *range(200, 232)]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_script_in_a_stage_equals_running_it(tmp_path: Path, seed: int) -> None:
    assert trial(tmp_path, seed) == ""


@pytest.fixture
def folder_of_nobody() -> Iterator[Path]:
    """Yield a folder of an ordinary user, which is this one where it is not root."""
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
    done = ran(*words, cwd=CHECKOUT)
    assert done.stdout == "20 of 20 equal\n", done.stdout + done.stderr


IN_A_ROOT_OF_ROOT = """
import os, sys
from pathlib import Path
from sandbox.stage import Stage
from sandbox.undo import UndoStore
root, home = Path(sys.argv[1]), Path(sys.argv[2])
home.mkdir()
stage = Stage.open([root], home, "r", "c")
code, output = stage.run(["bash", "-c", "echo 1 > mine"], root)
assert code == 0, output
found = [(each.kind, each.path.name) for each in stage.changes.changes]
assert found == [("new", "mine")], found
stage.commit()
assert (root / "mine").read_text() == "1\\n"
assert not UndoStore(home).undo("r").conflicts
assert not (root / "mine").exists()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of root")
def test_a_root_that_belongs_to_root_is_no_change_of_an_ordinary_user(
    folder_of_nobody: Path,
) -> None:
    shared = folder_of_nobody / "shared"  # as /tmp is
    shared.mkdir()
    shared.chmod(0o1777)
    python = shutil.which("python3", path="/usr/bin") or sys.executable
    done = ran(
        python,
        "-c",
        IN_A_ROOT_OF_ROOT,
        str(shared),
        str(folder_of_nobody / "agent"),
        cwd=CHECKOUT,
        user="nobody",
        group="nogroup",
        extra_groups=[],
    )
    assert done.returncode == 0, done.stdout + done.stderr
