"""A stage shows what a command did, commits it, and takes it back."""

import time
from pathlib import Path

import pytest

from sandbox.stage import Stage, record, recover, why_none
from sandbox.undo import StageError, UndoStore
from tests.machine import calls_of
from tests.stage.file_scripts import snapshot


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
    seen = Path(f"/proc/{stage._holder.pid}/root") if stage._holder else Path()
    assert (seen / (root / "n.txt").relative_to("/")).read_text() == "new\n"
    stage.discard()


def test_direct_change_is_undone_like_a_staged_one(root: Path, home: Path) -> None:
    before = snapshot(root)
    with record(
        UndoStore(home), "r", "1", [root / "a.txt", root / "new" / "deep" / "n.txt", root / "b.txt"]
    ):
        (root / "a.txt").write_text("written by a tool\n")
        (root / "new" / "deep").mkdir(parents=True)
        (root / "new" / "deep" / "n.txt").write_text("n")
        (root / "b.txt").unlink()
    kinds = [
        change.kind for kept in UndoStore(home).changes("r") for change in kept.changes.changes
    ]
    assert sorted(kinds) == ["changed", "gone", "new"]
    assert not UndoStore(home).undo("r").conflicts
    now = snapshot(root)
    assert now.keys() == before.keys()
    assert now["a.txt"] == before["a.txt"]


def test_full_undo_store_stops_a_commit_before_it_begins(root: Path, home: Path) -> None:
    (root / "large").write_bytes(bytes(3000))
    before = snapshot(root)
    stage = staged(root, home, "rm large")
    with pytest.raises(StageError, match=r"undo\.max_gb"):
        stage.commit(UndoStore(home, max_bytes=2000))
    stage.discard()
    assert snapshot(root) == before


def test_processes_that_stay_behind_are_dead_before_the_walk(root: Path, home: Path) -> None:
    stage = staged(
        root,
        home,
        "(exec 3>>a.txt; for i in $(seq 100); do echo late >&3; sleep 0.05; done) & sleep 0.2",
    )
    stage.commit()
    size = (root / "a.txt").stat().st_size
    assert size > 4
    time.sleep(0.2)
    assert (root / "a.txt").stat().st_size == size


def test_root_that_is_a_link_is_covered(root: Path, home: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    stage = Stage.open([link], home, "r", "c")
    stage.run(["bash", "-c", "echo x > a.txt"], link)
    assert (root / "a.txt").read_text() == "one\n"
    stage.commit()
    assert (root / "a.txt").read_text() == "x\n"


def test_probe_opens_a_stage(root: Path, home: Path) -> None:
    assert why_none(home, [root]) == ""
    assert list((home / "undo").iterdir()) == []


def test_walk_costs_by_what_changed(home: Path, tmp_path: Path) -> None:
    wide = tmp_path / "wide"
    for n in range(100):
        (wide / str(n)).mkdir(parents=True)
        for m in range(50):
            (wide / str(n) / str(m)).touch()
    stage = staged(wide, home, "echo x > 7/7")
    stage.close()
    # 400 calls; to look at the 5,000 files would take tens of thousands
    assert calls_of(lambda: stage.changes) < 2_000
    assert len(stage.changes.changes) == 1
    stage.discard()
