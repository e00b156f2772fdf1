"""A stage shows what a command did, commits it, and takes it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.stage import Stage, UndoStore, recover
from tests.stage.file_scripts import snapshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small folder of the owner's."""
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n")
    (folder / "b.txt").write_text("two\n")
    (folder / "sub" / "c.txt").write_text("three\n")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def staged(root: Path, home: Path, script: str, run: str = "r", call: str = "c") -> Stage:
    stage = Stage.open([root], home, run, call)
    code, output = stage.run(["bash", "-c", script], root)
    assert code == 0, output
    return stage


def test_nothing_is_changed_before_the_commit(root: Path, home: Path) -> None:
    before = snapshot(root)
    stage = staged(root, home, "echo x >> a.txt; rm b.txt; mv sub/c.txt d.txt; mkdir new")
    assert snapshot(root) == before
    kinds = {str(each.path.relative_to(root)): each.kind for each in stage.changes.changes}
    assert kinds == {"a.txt": "changed", "b.txt": "gone", "d.txt": "moved", "new": "new"}
    assert snapshot(root) == before
    stage.commit()
    assert (root / "a.txt").read_text() == "one\nx\n"
    assert not (root / "b.txt").exists()
    assert (root / "d.txt").read_text() == "three\n"


def test_undo_brings_back_what_was_there_and_can_be_undone(root: Path, home: Path) -> None:
    before = snapshot(root)
    staged(root, home, "echo x >> a.txt; rm b.txt", call="1").commit()
    staged(
        root, home, "echo y >> a.txt; mkdir d; mv sub/c.txt d; chmod 600 a.txt", call="2"
    ).commit()
    after = snapshot(root)
    done = UndoStore(home).undo("r")
    assert not done.conflicts
    assert snapshot(root) == before
    assert not UndoStore(home).undo("r").conflicts
    assert snapshot(root) == after


def test_what_others_changed_since_is_not_undone(root: Path, home: Path) -> None:
    staged(root, home, "echo x >> a.txt; rm b.txt").commit()
    (root / "a.txt").write_text("mine\n")
    done = UndoStore(home).undo("r")
    assert [Path(each.path).name for each in done.conflicts] == ["a.txt"]
    assert (root / "a.txt").read_text() == "mine\n"
    assert not (root / "b.txt").exists()


def test_discarded_stage_leaves_nothing(root: Path, home: Path) -> None:
    before = snapshot(root)
    staged(root, home, "rm -rf *").discard()
    assert snapshot(root) == before
    assert list((home / "undo").iterdir()) == []


def test_waiting_stage_is_committed_by_number(root: Path, home: Path) -> None:
    number = staged(root, home, "echo x >> a.txt").wait()
    assert recover(home) == []
    stage = Stage.waiting(home, number)
    assert stage is not None
    stage.commit()
    assert (root / "a.txt").read_text() == "one\nx\n"


def test_open_stage_is_seen_from_outside_and_hides_the_home(root: Path, tmp_path: Path) -> None:
    home = root / "agent"
    home.mkdir()
    (home / "secret").write_text("s")
    stage = staged(root, home, "echo new > n.txt; [ ! -e agent/secret ]")
    assert stage.path(root / "n.txt").read_text() == "new\n"
    stage.discard()
