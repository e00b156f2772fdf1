"""Check that what is kept can be dropped, and that what is hard to keep is kept right."""

import os
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.stage import Stage, record, recover
from sandbox.undo import StageError, UndoStore, conflicts, entries, trees
from tests.stage.file_scripts import snapshot
from tests.stage.test_conflicts import refused
from tests.stage.test_stage import staged


def test_forgotten_run_leaves_nothing_on_the_disk(root: Path, home: Path) -> None:
    staged(root, home, "rm a.txt; echo x > b.txt", run="secret").commit()
    staged(root, home, "rm -r sub", run="other").commit()
    store = UndoStore(home)
    assert store.forget("secret") == len("one\n") + len("two\n")
    assert [each.run for each in store.all()] == ["other"]
    with pytest.raises(StageError, match="nothing to undo"):
        store.undo("secret")
    assert not store.undo("other").conflicts
    assert (root / "sub" / "c.txt").exists()


def test_full_store_drops_what_is_old_before_it_refuses(root: Path, home: Path) -> None:
    (root / "large").write_bytes(bytes(3000))
    staged(root, home, "rm large", run="old").commit()
    (root / "large").write_bytes(bytes(3000))
    with pytest.raises(StageError, match="undo forget"):
        staged(root, home, "rm large").commit(UndoStore(home, max_bytes=4000))
    staged(root, home, "rm large").commit(UndoStore(home, keep_days=0, max_bytes=4000))
    assert not (root / "large").exists()


@pytest.mark.parametrize("jump_seconds", [-86_400, 86_400])
def test_clock_that_jumps_hides_no_conflict(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, jump_seconds: int
) -> None:
    stage = staged(root, home, "echo staged > a.txt")
    offset = conflicts._offset()
    monkeypatch.setattr(conflicts, "_offset", lambda: offset + jump_seconds * 10**9)
    (root / "a.txt").write_text("mine\n")
    assert refused(stage) == ["a.txt"]


def test_second_of_two_runs_in_one_folder_is_told(root: Path, home: Path) -> None:
    first = Stage.open([root], home, "r1", "c")
    second = staged(root, home, "echo second > a.txt; echo s > s.txt", run="r2")
    first.run(["bash", "-c", "echo first > a.txt; echo f > f.txt"], root)
    first.commit()
    assert refused(second) == ["a.txt"]
    assert (root / "a.txt").read_text() == "first\n"
    assert not (root / "s.txt").exists()


def test_two_runs_that_touch_other_files_both_count(root: Path, home: Path) -> None:
    first = Stage.open([root], home, "r1", "c")
    staged(root, home, "echo second > b.txt", run="r2").commit()
    first.run(["bash", "-c", "echo first > a.txt"], root)
    first.commit()
    assert not UndoStore(home).undo("r2").conflicts
    texts = [(root / name).read_text() for name in ("a.txt", "b.txt")]
    assert texts == ["first\n", "two\n"]


def test_huge_sparse_file_stays_sparse_and_is_not_read(root: Path, home: Path) -> None:
    with (root / "disk").open("wb") as file:
        file.truncate(20 << 30)
    before = (root / "disk").stat()
    stage = staged(root, home, "printf x | dd of=disk bs=1 seek=9000 conv=notrunc status=none")
    began = time.process_time()
    (change,) = stage.changes.changes
    stage.commit(UndoStore(home, max_bytes=30 << 30))
    assert time.process_time() - began < 1
    assert change.after == 20 << 30
    assert (root / "disk").stat().st_blocks * 512 < 1 << 20
    assert not UndoStore(home).undo("r").conflicts
    assert (root / "disk").stat().st_ino == before.st_ino


def test_socket_of_another_program_is_reached(root: Path, home: Path) -> None:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(root / "agent.sock"))
    server.listen()
    words = (
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect('agent.sock'); s.send(b'x')"
    )
    stage = staged(root, home, f'python3 -c "{words}"; echo y > a.txt')
    connection, _ = server.accept()
    assert connection.recv(1) == b"x"
    connection.close()
    stage.commit()
    server.close()
    assert (root / "agent.sock").is_socket()


def test_files_of_two_owners_keep_them(root: Path, home: Path) -> None:
    if os.geteuid() != 0:  # an ordinary user has files of one owner, and cannot give them away
        staged(root, home, "! chown 12345 a.txt 2>/dev/null").discard()
        return
    os.chown(root / "a.txt", 12345, 12346)
    (root / "sub").chmod(0o2775)
    os.chown(root / "sub", 12345, 12346)
    before = snapshot(root)
    staged(root, home, "echo x >> a.txt; chown 777 b.txt; touch sub/n; mv sub/c.txt .").commit()
    owners = {name: (root / name).stat() for name in ("a.txt", "b.txt", "sub/n")}
    assert [found.st_uid for found in owners.values()] == [12345, 777, 0]
    assert owners["sub/n"].st_gid == 12346
    assert not UndoStore(home).undo("r").conflicts
    assert snapshot(root) == before


def test_stage_over_many_files_costs_by_what_changed(tmp_path: Path, home: Path) -> None:
    wide = tmp_path / "wide"
    for n in range(200):
        (wide / str(n)).mkdir(parents=True)
        for m in range(500):
            os.mknod(wide / str(n) / str(m))
    began = time.process_time()
    stage = staged(wide, home, "for n in 1 2 3; do echo x > $n/$n; done; rm 7/7; mv 8/8 9/new")
    stage.commit()
    assert not UndoStore(home).undo("r").conflicts
    assert time.process_time() - began < 0.5


def test_records_of_others_are_not_read_for_a_commit_or_at_a_start(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        staged(root, home, f"echo {number} > f{number}", run=f"r{number}").commit()
    read: list[str] = []
    peek = entries.peek

    def seen(folder: Path) -> dict[str, object]:
        read.append(folder.name)
        return peek(folder)

    monkeypatch.setattr(entries, "peek", seen)
    store = UndoStore(home)
    assert recover(home) == [] and store.bytes() == 0
    with record(store, "new", "1", [root / "a.txt"]) as done:
        (root / "a.txt").write_text("other\n")
    assert [change.kind for change in done[0].changes] == ["changed"]
    assert read == [] and store.bytes() == len("one\n")
    assert [each.call for each in store.changes("new")] == ["1"] and len(read) == 1


def test_what_is_recorded_keeps_to_the_limits_of_the_store(root: Path, home: Path) -> None:
    store = UndoStore(home, max_bytes=3)
    with pytest.raises(StageError, match="max_gb"), record(store, "r", "1", [root / "a.txt"]):
        pytest.fail("it was begun")
    assert store.all() == []


def test_a_folder_made_by_one_call_and_filled_by_the_next_is_undone(root: Path, home: Path) -> None:
    before = snapshot(root)
    with record(UndoStore(home), "r", "1", [root / "new" / "n"]):
        (root / "new").mkdir()
        (root / "new" / "n").write_text("one\n")
    staged(root, home, "echo more >> new/n; echo x > new/m", run="r").commit()
    assert UndoStore(home).undo("r").conflicts == ()
    assert not (root / "new").exists() and snapshot(root).keys() == before.keys()


def test_a_stage_whose_holder_has_died_can_be_thrown_away(root: Path, home: Path) -> None:
    stage = Stage.open([root], home, "r", "c")
    assert stage._cell is not None
    stage._cell.process.kill()
    stage._cell.process.wait()
    with pytest.raises(StageError):
        stage.discard()
    stage.discard()
    assert list((home / "undo").iterdir()) == [] and snapshot(root)


def test_a_full_disk_is_told_by_the_folder_of_the_copies(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage.open([root], home, "r", "c")
    assert stage.is_full() == ""
    look = os.statvfs
    monkeypatch.setattr(os, "statvfs", lambda path: Full(look(path)))
    assert stage.is_full().startswith(str(home))
    stage.discard()


class Full:
    """A disk with one block left."""

    def __init__(self, found: os.statvfs_result) -> None:
        self.f_bavail, self.f_frsize, self.f_blocks = 1, found.f_frsize, found.f_blocks


def test_a_large_file_of_holes_takes_no_more_than_it_holds(root: Path, home: Path) -> None:
    with (root / "image").open("wb") as file:
        file.truncate(200 << 20)
    script = "printf x | dd of=image bs=1 seek=50000000 conv=notrunc status=none; printf y >> image"
    staged(root, home, script).commit(UndoStore(home, max_bytes=10_000_000))
    assert (root / "image").stat().st_size == (200 << 20) + 1
    trees.carry(str(root / "image"), str(root / "copy"))
    assert (root / "copy").stat().st_blocks < 10_000
    assert not UndoStore(home).undo("r").conflicts


@pytest.mark.disk("2m")
def test_an_undo_on_a_full_disk_does_nothing_and_says_what_helps(small_disk: Path) -> None:
    root, home = small_disk / "root", small_disk / "home"
    root.mkdir()
    (root / "a").write_text("old")
    stage = Stage.open([root], home, "r", "c")
    stage.run(["sh", "-c", "echo new > a; echo b > $'b\\xff'"], root)
    stage.commit()
    with suppress(OSError), (small_disk / "fill").open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    store = UndoStore(home)
    with pytest.raises(StageError, match="undo forget"):
        store.undo("r")
    assert (root / "a").read_text() == "new\n"
    (small_disk / "fill").unlink()
    assert not store.undo("r").conflicts
    assert [(each.name, each.read_text()) for each in root.iterdir()] == [("a", "old")]
