"""Check that what another program writes while a stage is open is never lost."""

import fcntl
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sandbox.stage import Stage
from sandbox.undo import commits
from sandbox.undo.commits import Conflicted
from sandbox.undo.steps import Step
from tests.stage.file_scripts import OLD
from tests.stage.test_stage import staged


def refused(stage: Stage) -> list[str]:
    """Return the names of the conflicts that stop a commit."""
    with pytest.raises(Conflicted) as caught:
        stage.commit()
    stage.discard()
    return sorted({Path(each.path).name for each in caught.value.conflicts})


def test_editor_that_saves_meanwhile_keeps_its_text(root: Path, home: Path) -> None:
    stage = staged(root, home, "echo staged > a.txt")
    (root / "draft").write_text("edited\n")
    (root / "draft").replace(root / "a.txt")
    assert refused(stage) == ["a.txt"]
    assert (root / "a.txt").read_text() == "edited\n"


def test_old_file_that_is_moved_in_is_not_replaced(root: Path, home: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("old\n")
    os.utime(old, (OLD, OLD))
    stage = staged(root, home, "echo staged > new.txt; echo staged > b.txt")
    old.rename(root / "new.txt")
    assert refused(stage) == ["new.txt"]
    assert (root / "new.txt").read_text() == "old\n"
    assert (root / "b.txt").read_text() == "two\n"


def test_log_that_is_open_elsewhere_is_not_replaced(root: Path, home: Path) -> None:
    with (root / "a.txt").open("a") as log:
        stage = staged(root, home, "echo staged >> a.txt")
        assert refused(stage) == ["a.txt"]
        log.write("later\n")
    assert (root / "a.txt").read_text() == "one\nlater\n"


def test_locked_file_is_not_replaced(root: Path, home: Path) -> None:
    with (root / "a.txt").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert refused(staged(root, home, "echo staged > a.txt")) == ["a.txt"]


def test_file_with_a_lock_on_a_part_of_it_is_not_replaced(root: Path, home: Path) -> None:
    stage = staged(root, home, "echo staged > a.txt")
    with (root / "a.txt").open("r") as file:
        fcntl.lockf(file, fcntl.LOCK_SH, 1)
        assert refused(stage) == ["a.txt"]


def test_file_made_below_a_removed_folder_is_kept(root: Path, home: Path) -> None:
    stage = staged(root, home, "rm -rf sub")
    (root / "sub" / "fresh").write_text("x")
    assert "fresh" in refused(stage)
    assert (root / "sub" / "fresh").exists()


def test_work_of_others_beside_is_no_conflict(root: Path, home: Path) -> None:
    stage = staged(root, home, "echo staged > a.txt; echo n > sub/n.txt")
    (root / "b.txt").write_text("mine\n")
    (root / "sub" / "o.txt").write_text("other\n")
    stage.commit()
    assert (root / "b.txt").read_text() == "mine\n"
    assert (root / "sub" / "o.txt").read_text() == "other\n"
    assert (root / "sub" / "n.txt").read_text() == "n\n"


def test_database_with_an_open_connection_is_one_unit(root: Path, home: Path) -> None:
    other = sqlite3.connect(root / "x.db")
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("CREATE TABLE t (n)")
    other.execute("INSERT INTO t VALUES (1)")
    other.commit()
    script = "import sqlite3; c = sqlite3.connect('x.db'); c.execute('INSERT INTO t VALUES (2)'); c.commit()"
    stage = staged(root, home, f'python3 -c "{script}"')
    other.execute("INSERT INTO t VALUES (3)")
    other.commit()
    assert refused(stage)
    assert [row[0] for row in other.execute("SELECT n FROM t ORDER BY n")] == [1, 3]
    other.close()


def test_closed_database_is_committed_whole(root: Path, home: Path) -> None:
    other = sqlite3.connect(root / "x.db")
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("CREATE TABLE t (n)")
    other.commit()
    other.close()
    script = "import sqlite3; c = sqlite3.connect('x.db'); c.execute('INSERT INTO t VALUES (2)'); c.commit(); c.close()"
    staged(root, home, f'python3 -c "{script}"').commit()
    with sqlite3.connect(root / "x.db") as found:
        assert found.execute("SELECT n FROM t").fetchall() == [(2,)]
    found.close()


@pytest.mark.parametrize("name", ["old.txt", "sub/c.txt"])
def test_what_is_written_after_the_look_is_not_lost(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Somebody appends to a file after the conflicts were looked at, before it is moved away."""
    (root / "old.txt").write_text("one\n")
    (root / "sub").mkdir(exist_ok=True)
    (root / "sub/c.txt").write_text("one\n")
    stage = staged(root, home, "echo two > old.txt; rm -r sub")
    prepare = commits.prepare

    def slow(*args: Any) -> list[Step]:
        steps = prepare(*args)
        with (root / name).open("a") as file:
            file.write("theirs\n")
        return steps

    monkeypatch.setattr(commits, "prepare", slow)
    with pytest.raises(Conflicted, match="meanwhile"):
        stage.commit()
    assert (root / name).read_text() == "one\ntheirs\n"
    assert (root / "old.txt").read_text().startswith("one\n")
    stage.discard()
