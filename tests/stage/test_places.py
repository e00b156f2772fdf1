"""A stage works, or says why not, wherever the folders of an owner lie."""

from pathlib import Path

import pytest

from sandbox.stage import Stage
from tests.stage.apart import passes

WAYS = pytest.mark.parametrize("lock", ["", "lock()"], ids=["root", "user"])


@WAYS
def test_mounts_below_a_root_are_covered_each_by_itself(tmp_path: Path, lock: str) -> None:
    passes(
        tmp_path,
        f"""
for name in ("a", "m", "b/c", "b/m", "n"):
    (root / name).mkdir(parents=True)
    (root / name / "f").write_text("old")
for place in ("m", "b/m", "n", "n/deep"):
    (root / place).mkdir(exist_ok=True)
    mount("-t", "tmpfs", "tmpfs", root / place)
(root / "n/deep/f").write_text("old")
mount("-t", "tmpfs", "-o", "ro", "tmpfs", root / "b/c")
{lock}
staged("cat a/f")[0].discard()
assert not list(root.rglob(".sopwith-undo"))
stage, code, output = staged("echo 1 > a/f; echo 2 > m/n; echo 4 > b/m/n; echo 5 > n/deep/f; rm -f m/none")
assert code == 0, output
assert (root / "a/f").read_text() == "old" and not (root / "m/n").exists()
stage.commit()
found = [(root / name).read_text() for name in ("a/f", "m/n", "b/m/n", "n/deep/f")]
assert found == ["1\\n", "2\\n", "4\\n", "5\\n"], found
assert not UndoStore(home).undo("r").conflicts
assert (root / "a/f").read_text() == "old" and not (root / "m/n").exists()
stage, code, output = staged("ls n/deep; echo 6 > b/c/f")
assert code and b"Read-only" in output and b"f\\n" in output, output
stage.discard()
""",
    )


@WAYS
def test_beside_a_mount_a_new_file_needs_no_rights_but_a_roots(tmp_path: Path, lock: str) -> None:
    """A user's namespace may show nothing of what a mount hides, so the kernel covers no folder
    above one."""
    passes(
        tmp_path,
        f"""
(root / "m").mkdir(), (root / "f").write_text("old")
mount("-t", "tmpfs", "tmpfs", root / "m")
{lock}
stage, code, output = staged("echo new > beside && echo new > f && rmdir m")
assert code and (b"Read-only" if {bool(lock)} else b"busy") in output, output
stage.commit()
assert (root / "beside").exists() != {bool(lock)}
""",
    )


def test_who_looks_at_what_is_hidden_is_told(root: Path, home: Path) -> None:
    """Each program goes on, and nothing of it is seen; who does not look is told nothing."""
    (root / ".env").write_text("KEY=1\n")
    (root / "keys").mkdir()
    looks = "ls keys; grep -r KEY . || cp .env copy; cat copy"
    for script, opened in (
        (looks, [str(root / ".env")]),
        ("ls -la; find .; stat .env; cat a.txt", []),
    ):
        stage = Stage.open([root], home, "r", "c1", masks=[str(root / ".env"), str(root / "keys")])
        code, output = stage.run(["sh", "-e", "-c", script], root)
        assert code == 0, output
        assert (b"# hidden-from-scripts" in output) == bool(opened)
        stage.close()
        assert stage.opened == opened
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
(root / "a").write_bytes(os.urandom(600_000))
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


def test_each_folder_beside_a_mount_is_covered_by_itself(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
for count in range(200):
    (root / f"d{count:03}").mkdir()
mount("-t", "tmpfs", "tmpfs", root / "d100")
lock()
stage = Stage.open([root], home, "r", "c")
words = ["bash", "-c", "echo 1 > d199/f; echo 2 > d000/f; echo 3 > d100/f"]
assert stage.run(words, root) == (0, b"")
stage.commit()
assert [(root / name / "f").read_text() for name in ("d199", "d000", "d100")] == ["1\\n", "2\\n", "3\\n"]
""",
    )


@WAYS
@pytest.mark.parametrize("goes", [True, False])
def test_a_mount_that_comes_or_goes_while_the_stage_is_made_leaves_a_stage(
    tmp_path: Path, lock: str, goes: bool
) -> None:
    passes(
        tmp_path,
        f"""
from sandbox.stage import stage as stages
(root / "m").mkdir(), (root / "d").mkdir()
if {goes}:
    mount("-t", "tmpfs", "tmpfs", root / "m")
    (root / "m" / "x").mkdir()
    mount("-t", "tmpfs", "tmpfs", root / "m" / "x")
{lock}
made = stages._made
def late(*words):
    stages._made = made
    if {goes}:
        apart("umount", root / "m" / "x", "&& umount -l", root / "m", "&& rmdir", root / "m")
    else:
        mount("-t", "tmpfs", "tmpfs", root / "m")
    return made(*words)
stages._made = late
stage, code, output = staged("echo new > d/a")
assert code == 0, output
stage.commit()
assert (root / "d/a").read_text() == "new\\n"
""",
    )


@WAYS
@pytest.mark.parametrize("goes", [True, False])
def test_a_mount_that_comes_or_goes_while_a_call_works_ends_no_call(
    tmp_path: Path, lock: str, goes: bool
) -> None:
    """Its changes elsewhere are committed; those at the mount are a conflict."""
    change, back = ["umount -l", "mount -t tmpfs tmpfs"][:: 1 if goes else -1]
    passes(
        tmp_path,
        f"""
for name in ("a", "m", "z"):
    (root / name).mkdir()
mount("-t", "tmpfs", "tmpfs", root / "z")
if {goes}:
    mount("-t", "tmpfs", "tmpfs", root / "m")
{lock}
for script, said in (("echo new > a/f", ""), ("echo new > a/f; echo new > m/f", "mounted")):
    stage, code, output = staged(script)
    apart("{change}", root / "m")
    try:
        stage.commit()
        assert not said
    except Conflicted as error:
        assert said and said in str(error), error
    assert (root / "a/f").read_text() == "new\\n" and not (root / "m/f").exists()
    apart("{back}", root / "m")
assert not (root / "m/f").exists()
""",
    )


@WAYS
def test_a_folder_that_somebody_removes_meanwhile_ends_no_call(tmp_path: Path, lock: str) -> None:
    passes(
        tmp_path,
        f"""
for name in ("a", "b", "c", "m"):
    (root / name).mkdir()
mount("-t", "tmpfs", "tmpfs", root / "m")
{lock}
stage, code, output = staged("echo new > b/f; echo new > a/f")
assert code == 0, output
(root / "a").rmdir(), (root / "c").rmdir()
stage.commit()
assert (root / "b/f").read_text() == (root / "a/f").read_text() == "new\\n"
assert not (root / "c").exists()
""",
    )
