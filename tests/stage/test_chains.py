"""Several calls of one run change the same file: the run, and each call of it, is taken back
exactly, whoever made the changes, and never what others have changed between them or since.
"""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config import Message
from sandbox.stage import record
from sandbox.stage.direct import remove
from sandbox.undo import StageError, UndoStore
from sandbox.undo.inverse import LATER
from sandbox.undo.store import Undone
from tests.stage.test_stage import staged

Tree = dict[str, object]
Act = Callable[[Path, Path, str], None]  # on a folder, for a home, as a call


def script(text: str) -> Act:
    def act(root: Path, home: Path, call: str) -> None:
        staged(root, home, f"F={NAME}; mkdir -p d; {text}; true", call=call).commit()

    return act


def python(text: str) -> Act:
    return script(f"python3 -c \"from pathlib import Path; f = Path('{NAME}'); {text}\"")


def tool(text: str | None, name: str = "") -> Act:
    """Write a file as the file tools do; None writes once more what it holds."""

    def act(root: Path, home: Path, call: str) -> None:
        place = root / (name or NAME)
        with record(UndoStore(home), "r", call, [place]):
            place.parent.mkdir(exist_ok=True)
            draft = place.with_name(".draft")
            held = place.read_text() if place.exists() else "fresh\n"
            draft.write_text(held + (text or ""))
            if place.exists():
                (shutil.copymode if text else shutil.copystat)(place, draft)
            draft.replace(place)

    return act


def trash(name: str) -> Act:
    def act(root: Path, home: Path, call: str) -> None:
        if os.path.lexists(root / name):
            remove(home, "r", call, [root / name])

    return act


NAME = "d/f"
ACTS: dict[str, Act] = {
    "bash other": script("echo more >> $F"),
    "bash same": script("[ -e $F ] && cat $F > t && cat t > $F && rm t"),
    "bash other file, same bytes": script("[ -e $F ] && cp $F t && mv t $F"),
    "python other": python("f.write_text('python')"),
    "python same": python("f.exists() and f.write_bytes(f.read_bytes())"),
    "chmod": script("[ -e $F ] && chmod 600 $F"),
    "tool other": tool("tool\n"),
    "tool same": tool(None),
    "trash": trash(NAME),
    "trash folder": trash("d"),
    "mv": script("mv $F g"),
    "mv folder": script("mv d e"),
    "rm and anew": script("rm -rf d; mkdir d; echo anew > $F; echo x > d/x"),
}

SECOND = ["tool other", "bash other", "bash same", "tool same", "rm and anew", "trash folder", "mv"]


def tree(root: Path) -> Tree:
    """Return what the files hold, and the names of the folders, whose times the tools do not
    keep."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        mode = stat.S_IMODE(status.st_mode)
        held = path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(root))] = held, mode, held and status.st_mtime_ns
    return found


def worlds(base: Path, first: str) -> Iterator[tuple[str, Path, Path]]:
    """Yield a second act, a folder and a home: the folder holds a file, or nothing."""
    for number, second in enumerate(SECOND + SECOND[:2]):
        root, home = base / f"{number}" / "root", base / f"{number}" / "home"
        root.mkdir(parents=True)
        home.mkdir()
        if number < len(SECOND):
            (root / "d").mkdir()
            (root / NAME).write_text("owner's\n")
            os.utime(root / NAME, (1_500_000_000, 1_500_000_000))
        yield second, root, home


def undone(root: Path, home: Path, call: str | None, wanted: Tree) -> str:
    """Return why taking back did not give this tree, "" where it did."""
    try:
        done = UndoStore(home).undo("r", call)
    except StageError as error:
        if "nothing to undo" not in str(error):
            return str(error)
        done = Undone()  # the call has changed nothing
    if done.conflicts:
        return str(done.conflicts)
    found = tree(root)
    return "" if found == wanted else f"{found} for {wanted}"


def failures(base: Path, first: str, plan: list[tuple[str | None, int]]) -> list[str]:
    """Return what goes wrong after two acts when these calls are taken back, each giving a
    state."""
    wrong = []
    for second, root, home in worlds(base, first):
        states = [tree(root)]
        for call, name in (("1", first), ("2", second)):
            ACTS[name](root, home, call)
            states.append(tree(root))
        for step, (back, state) in enumerate(plan):
            if why := undone(root, home, back, states[state]):
                wrong.append(f"{first}, {second}, {list(states[0])}, step {step}: {why}")
                break
    return wrong


@pytest.mark.parametrize("first", ACTS)
def test_a_run_is_taken_back_and_brought_back(tmp_path: Path, first: str) -> None:
    assert failures(tmp_path, first, [(None, 0), (None, 2), (None, 0)]) == []


@pytest.mark.parametrize("first", ACTS)
def test_calls_are_taken_back_one_by_one(tmp_path: Path, first: str) -> None:
    assert failures(tmp_path, first, [("2", 1), ("1", 0)]) == []


@pytest.mark.parametrize("act", ["bash other", "bash same", "tool other", "rm and anew"])
@pytest.mark.parametrize("when", ["between", "since"])
def test_what_others_change_is_not_taken_back(root: Path, home: Path, act: str, when: str) -> None:
    for call, name in (("1", "tool other"), ("2", act)):
        ACTS[name](root, home, call)
        if (call == "1") == (when == "between"):
            (root / NAME).write_text("mine\n")
    before = tree(root)
    assert UndoStore(home).undo("r").conflicts
    assert tree(root) == before


@pytest.mark.parametrize("act", ["bash other", "tool other", "mv", "trash", "rm and anew"])
def test_an_earlier_call_names_the_later_one_that_changed_the_same(
    root: Path, home: Path, act: str
) -> None:
    ACTS["bash other"](root, home, "1")
    ACTS[act](root, home, "2")
    before, store = tree(root), UndoStore(home)
    assert {each.why for each in store.undo("r", "1").conflicts} == {Message(LATER)}
    assert tree(root) == before
    assert not store.undo("r", "2").conflicts and not store.undo("r", "1").conflicts
    assert not (root / NAME).exists()


def test_a_call_that_was_brought_back_is_taken_back_with_its_run(root: Path, home: Path) -> None:
    before = tree(root)
    ACTS["bash other"](root, home, "1")
    ACTS["tool other"](root, home, "2")
    after = tree(root)
    for call in ("2", "2", None, None):
        assert UndoStore(home).undo("r", call).conflicts == ()
    assert tree(root) == after
    assert UndoStore(home).undo("r").conflicts == () and tree(root).keys() == before.keys()
