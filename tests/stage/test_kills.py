"""A commit or an undo that is killed at any point is finished or taken back by the next start;
nothing is lost.
"""

import sys
from pathlib import Path

import pytest

from sandbox.stage import Stage, recover
from tests.conftest import CHECKOUT
from tests.machine import ran
from tests.stage.file_scripts import snapshot
from tests.stage.test_stage import staged

STEP = 4  # of the points, each fourth; scripts/stage_trials takes all
SCRIPT = "echo x >> a.txt; rm b.txt; mv sub/c.txt d.txt; mkdir new; echo n > new/n; chmod 700 sub; ln -s a.txt l; echo h >> hard1"

# Kills itself before, or after, the n-th call that changes anything on the disk.
CHILD = """
import ctypes, os, signal, sys
from pathlib import Path
from sandbox.stage import Stage
from sandbox.undo import UndoStore
from sandbox.undo import entries, steps
home, what, number, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
left = count
def deadly(function):
    def call(*args, **words):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **words)
    return call
for name in ("rename", "link", "replace", "unlink", "chmod", "utime", "mkdir", "rmdir", "symlink"):
    setattr(os, name, deadly(getattr(os, name)))
steps._rename_alone = deadly(steps._rename_alone)
entries.Entry.write = deadly(entries.Entry.write)
if what == "commit":
    Stage.waiting(home, number).commit()
else:
    assert not UndoStore(home).undo("r").conflicts
"""


def killed(home: Path, what: str, number: str, count: int) -> bool:
    """Do it in a process that is killed at its `count`-th change of the disk. False when it came to
    its end before.
    """
    words = [sys.executable, "-c", CHILD, str(home), what, number, str(count)]
    done = ran(*words, cwd=CHECKOUT)
    assert done.returncode in (0, -9), done.stderr
    return done.returncode == -9


def grown(folder: Path) -> Path:
    """Make the owner's folder anew."""
    (folder / "sub").mkdir(parents=True)
    for name, text in (("a.txt", "one"), ("b.txt", "two"), ("sub/c.txt", "three"), ("hard1", "h")):
        (folder / name).write_text(f"{text}\n")
    (folder / "hard2").hardlink_to(folder / "hard1")
    return folder


@pytest.mark.parametrize("what", ["commit", "undo"])
def test_killed_at_each_point_it_is_whole_or_not_done(tmp_path: Path, what: str) -> None:
    count, seen = 1, set[str]()
    while True:
        root, home = grown(tmp_path / f"root{count}"), tmp_path / f"home{count}"
        before = snapshot(root)
        number = staged(root, home, SCRIPT).wait()
        if what == "undo":
            stage = Stage.waiting(home, number)
            assert stage is not None
            stage.commit()
        was_killed = killed(home, what, number, count)
        recover(home)
        seen.add(state_of(root, before))
        if not was_killed:
            break
        waiting = Stage.waiting(home, number)
        if waiting is not None:  # it was killed before it began, and nothing is lost
            waiting.commit()
        count += STEP
    assert seen == {"before", "after"}
    assert count > 20


def state_of(root: Path, before: dict[str, tuple[object, ...]]) -> str:
    """Return which of the two states a folder is in. It is in no other."""
    now = snapshot(root)
    if now == before:
        return "before"
    texts = {
        name: (root / name).read_text() for name in ("a.txt", "d.txt", "new/n", "hard1", "hard2")
    }
    assert texts == {
        "a.txt": "one\nx\n",
        "d.txt": "three\n",
        "new/n": "n\n",
        "hard1": "h\nh\n",
        "hard2": "h\nh\n",
    }
    assert sorted(now) == [".", "a.txt", "d.txt", "hard1", "hard2", "l", "new", "new/n", "sub"]
    return "after"
