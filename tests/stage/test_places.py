"""A stage works, or says why not, wherever the folders of an owner lie."""

import os
from pathlib import Path

import pytest

from sandbox.cells import levels
from sandbox.stage import Stage
from tests.stage.apart import passes


def test_mount_below_a_root_is_covered_by_parts(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
for name in ("a", "m", "b/c", "b/m"):
    (root / name).mkdir(parents=True)
    (root / name / "f").write_text("old")
mount("-t", "tmpfs", "tmpfs", root / "m")
mount("-t", "tmpfs", "tmpfs", root / "b" / "m")
staged("cat a/f")[0].discard()
assert not list(root.rglob(".sopwith-undo"))
stage, code, output = staged("echo 1 > a/f; echo 2 > m/n; echo 3 > b/c/f; rm -f m/none; echo 4 > b/m/n")
assert code == 0, output
assert (root / "a/f").read_text() == "old" and not (root / "m/n").exists()
stage.commit()
found = [(root / name).read_text() for name in ("a/f", "m/n", "b/c/f", "b/m/n")]
assert found == ["1\\n", "2\\n", "3\\n", "4\\n"], found
assert not UndoStore(home).undo("r").conflicts
assert (root / "a/f").read_text() == "old" and not (root / "m/n").exists()
stage, code, output = staged("echo 5 > beside")
assert code and b"Read-only" in output, output
stage.discard()
assert not (root / "beside").exists()
""",
    )


def test_who_looks_at_what_is_hidden_is_told(root: Path, home: Path) -> None:
    """Each program goes on, and nothing of it is seen."""
    (root / ".env").write_text("KEY=1\n")
    (root / "keys").mkdir()
    stage = Stage.open([root], home, "r", "c1", masks=[str(root / ".env"), str(root / "keys")])
    code, output = stage.run(
        ["sh", "-e", "-c", "ls keys; grep -r KEY . || cp .env copy; cat copy"], root
    )
    assert code == 0, output
    assert b"hidden-from-scripts" in output
    stage.close()
    assert stage.opened == [str(root / ".env")]
    stage.discard()


def test_who_does_not_look_is_told_nothing(root: Path, home: Path) -> None:
    (root / ".env").write_text("KEY=1\n")
    stage = Stage.open([root], home, "r", "c1", masks=[str(root / ".env")])
    stage.run(["sh", "-c", "ls -la; find .; stat .env; cat a.txt"], root)
    stage.close()
    assert stage.opened == []
    stage.discard()


def test_root_on_another_file_system_keeps_its_images_there(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
mount("-t", "tmpfs", "tmpfs", root)
(root / "a").write_text("old")
stage, code, output = staged("ls -A; echo new > a; mkdir d")
assert output == b"a\\n" + b"" or b".sopwith-undo" in output, output
stage.commit()
assert (root / "a").read_text() == "new\\n"
assert list((root / ".sopwith-undo").rglob("kept/*"))
assert not UndoStore(home).undo("r").conflicts
assert (root / "a").read_text() == "old" and not (root / "d").exists()
""",
    )


def test_root_on_overlayfs_is_committed_by_copies(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
for name in ("low", "up", "work", "top"):
    (base / name).mkdir(parents=True)
options = ",".join(f"{k}={base / v}" for k, v in (("lowerdir", "low"), ("upperdir", "up"), ("workdir", "work")))
mount("-t", "overlay", "overlay", "-o", "userxattr," + options, base / "top")
root, home = base / "top/root", base / "top/home"
root.mkdir(), home.mkdir()
(root / "a").write_text("old")
stage, code, output = staged("echo new > a; mkdir d; echo x > d/x; ln d/x y")
assert code == 0, output
stage.commit()
assert (root / "a").read_text() == "new\\n"
assert (root / "d/x").samefile(root / "y")
assert not UndoStore(home).undo("r").conflicts
assert (root / "a").read_text() == "old" and not (root / "d").exists()
""",
    )


def test_full_disk_in_a_commit_changes_nothing(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
mount("-t", "tmpfs", "-o", "size=1500k", "tmpfs", root)
(root / "a").write_bytes(bytes(600_000))
os.link(root / "a", root / "b")
before, code = snapshot(root), 0
try:
    stage, code, output = staged("printf x | dd of=a conv=notrunc status=none")
    stage.commit()
except StageError as error:
    output = str(error).encode()
    stage.discard()
if b"No space" in output:  # in the commit, or in the script, where the kernel frees late
    now = snapshot(root)
    same = [now[name][4] == before[name][4] for name in ("a", "b")]
    assert same == [True, True], (same, code, output, os.listdir(root))
else:
    raise AssertionError((code, output, (root / "b").read_bytes()[:1]))
""",
    )


def test_script_that_fills_the_disk_gets_its_error(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
mount("-t", "tmpfs", "-o", "size=2m", "tmpfs", base)
root.mkdir(), home.mkdir()
(root / "a").write_text("old")
before = snapshot(root)
stage, code, output = staged("head -c 9000000 /dev/zero > big")
assert code and b"No space" in output, output
stage.discard()
assert snapshot(root) == before
assert not list((home / "undo").iterdir())
""",
    )


def test_a_mount_that_goes_while_the_stage_is_made_leaves_a_stage(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
from sandbox.stage import stage as stages
(root / "m").mkdir(); (root / "a").write_text("old")
mount("-t", "tmpfs", "tmpfs", root / "m")
(root / "m" / "x").mkdir()
mount("-t", "tmpfs", "tmpfs", root / "m" / "x")
made = stages._made
def late(*words):
    stages._made = made
    subprocess.run(["umount", root / "m" / "x"], check=True)
    (root / "m" / "x").rmdir()
    subprocess.run(["umount", "-l", root / "m"], check=True)
    (root / "m").rmdir()
    return made(*words)
stages._made = late
stage, code, output = staged("echo new > a")
assert code == 0, output
stage.commit()
assert (root / "a").read_text() == "new\\n"
""",
    )


def test_a_folder_that_somebody_removes_meanwhile_ends_no_call(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
for name in ("a", "b", "m"):  # the mount makes each of the others a part of its own
    (root / name).mkdir()
mount("-t", "tmpfs", "tmpfs", root / "m")
stage, code, output = staged("echo new > b/f; echo lost > a/f")
assert code == 0, output
(root / "a").rmdir()
stage.commit()
assert (root / "b/f").read_text() == "new\\n" and not (root / "a").exists()
""",
    )


def test_a_mount_that_comes_while_the_stage_is_made_leaves_a_stage(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
from sandbox.stage import stage as stages
(root / "m").mkdir(); (root / "a").write_text("old")
made = stages._made
def late(*words):
    stages._made = made
    mount("-t", "tmpfs", "tmpfs", root / "m")
    return made(*words)
stages._made = late
stage, code, output = staged("echo new > a")
assert code == 0, output
stage.commit()
assert (root / "a").read_text() == "new\\n"
""",
    )


def test_in_our_own_walls_a_command_has_our_number(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "builder", lambda: str(levels.WALLS))
    stage = Stage.open([root], home, "r", "c1")
    code, output = stage.run(["sh", "-c", "id -u; echo x > new"], root)
    assert (code, output.split()) == (0, [str(os.getuid()).encode()])
    assert [change.path.name for change in stage.changes.changes] == ["new"]
    stage.discard()
