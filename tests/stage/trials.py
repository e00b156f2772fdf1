"""Hold a script that was run in a stage against the same script run directly, then undo and redo
it."""

import os
import subprocess
import time
from pathlib import Path

from sandbox.stage import Stage
from sandbox.undo import UndoStore
from tests.stage.file_scripts import grow, snapshot, write

Tree = dict[str, tuple[object, ...]]
SECONDS = 60


def trial(folder: Path, seed: int) -> str:
    """Return how the two differ for the script of this seed, "" for not at all."""
    root = folder / "root"
    grow(root, seed)
    return compared(folder, write(root, seed, as_root=os.geteuid() == 0))


def compared(folder: Path, script: str, aside: str = "") -> str:
    """Return how a script over `folder`/root differs in a stage from the same run directly, but for
    files of the name `aside`.
    """
    root, saved, direct, home = (folder / name for name in ("root", "saved", "direct", "agent"))
    home.mkdir()
    subprocess.run(["cp", "-a", str(root), str(saved)], check=True)
    before, began = without(aside, snapshot(root)), time.time() - 1
    words, env = ["bash", "-c", script], environment(folder)
    subprocess.run(words, cwd=root, env=env, capture_output=True, timeout=SECONDS, check=False)
    root.rename(direct)
    saved.rename(root)
    stage = Stage.open([root], home, "run", "call")
    stage.run(words, root, env, SECONDS)
    committed = stage.commit()
    wanted = without(aside, snapshot(direct, newer_than=began))
    found = difference("staged", wanted, without(aside, snapshot(root, newer_than=began)))
    if found or not committed.number:
        return found
    store = UndoStore(home)
    for state, tree, limit in (("undone", before, None), ("redone", wanted, began)):
        if conflicts := store.undo("run").conflicts:
            return f"{state}: {conflicts[:3]}"
        if found := difference(state, tree, without(aside, snapshot(root, newer_than=limit))):
            return found
    return left_behind(home)


def without(name: str, tree: Tree) -> Tree:
    return {path: state for path, state in tree.items() if os.path.basename(path) != name}


def environment(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(folder), "GIT_PAGER": "cat"}


def difference(state: str, wanted: Tree, found: Tree) -> str:
    """Return the paths in which two trees differ, with both states of each."""
    names = sorted(wanted.keys() | found.keys(), key=os.fsencode)
    lines = [
        f"{state} {name!r}: {_short(wanted.get(name))} became {_short(found.get(name))}"
        for name in names
        if wanted.get(name) != found.get(name)
    ]
    return "\n".join(lines)


def _short(state: tuple[object, ...] | None) -> str:
    if state is None:
        return "nothing"
    return ", ".join(
        f"{len(each)} bytes" if isinstance(each, bytes) and len(each) > 20 else str(each)
        for each in state
    )


def left_behind(home: Path) -> str:
    """Return the copies of a stage that a commit should have removed."""
    left = [path for path in home.rglob("*") if path.name in ("up", "work", "put")]
    return f"left behind: {left}" if left else ""
