"""On a desktop, what is removed goes to the desktop's trash, as its file manager expects it, and comes back by its id."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

import pytest

from sandbox.trash import Trash, TrashError
from tests.conftest import CommandLine, Finished
from tests.driving import call
from tests.screen import scripted

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("send2trash") is None,
    reason="send2trash is missing: scripts/setup --extra desktop",
)
NAMES = ["plain.txt", "two words.txt", "密 %41.txt", "-rf"]
Removing = Callable[..., Finished]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """XDG_DATA_HOME of a desktop that is there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("DISPLAY", ":77")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for name in [
        name for name in sys.modules if name.startswith("send2trash")
    ]:  # it looks at them when it is imported
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "data"


@pytest.fixture
def remove(cli: CommandLine, home: Path) -> Removing:
    def removing(*names: str, settings: str = "", **env: str) -> Finished:
        scripted(home, [call("file_trash", paths=list(names)), "Tidied."], settings)
        done = cli("tidy up", "--approve", "all", env=env)
        assert (done.code, done.stdout) == (0, "Tidied.\n"), done
        return cli("runs", "show", "last")

    return removing


def listed(cli: CommandLine) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(cli("trash", "list", "--json").stdout)["trash"]
    return found


def test_things_go_to_the_desktop_with_their_origin_and_come_back(
    cli: CommandLine, remove: Removing, data: Path, home: Path
) -> None:
    for name in NAMES:
        Path(name).write_text(name)
    Path("folder/sub").mkdir(parents=True)
    Path("folder/sub/x").write_text("x")
    gone = [*NAMES, "folder"]
    assert "moved to the desktop's trash as" in remove(*gone).stdout
    assert not any(Path(name).exists() for name in gone)
    assert sorted(path.name for path in (data / "Trash" / "files").iterdir()) == sorted(gone)
    for note in (data / "Trash" / "info").iterdir():  # what a file manager goes by
        first, path, date = note.read_text().splitlines()
        assert (first, unquote(path)) == (
            "[Trash Info]",
            f"Path={Path.cwd() / note.name.removesuffix('.trashinfo')}",
        )
        assert date.startswith("DeletionDate=20")
    assert [each["paths"] for each in listed(cli)] == [[str(Path.cwd() / name) for name in gone]]
    assert str(Path.cwd() / "folder") in cli("trash", "list").stdout
    back = cli("trash", "restore", str(listed(cli)[0]["id"]))
    assert back.code == 0 and [Path(name).read_text() for name in NAMES] == NAMES
    assert Path("folder/sub/x").read_text() == "x"
    assert not any((data / "Trash" / "info").iterdir()) and not any(
        (data / "Trash" / "files").iterdir()
    )
    assert listed(cli) == [] and cli("trash", "restore").code == 1


@pytest.mark.parametrize(("settings", "display"), [("safety: {trash: home}", ":77"), ("", "")])
def test_without_a_desktop_and_where_the_owner_says_so_the_home_has_it(
    cli: CommandLine, remove: Removing, data: Path, home: Path, settings: str, display: str
) -> None:
    Path("a.txt").write_text("a")
    assert "moved to the trash as" in remove("a.txt", settings=settings, DISPLAY=display).stdout
    assert not data.exists() and len(list((home / "trash").rglob("a.txt"))) == 1
    assert cli("trash", "restore").stdout == f"back: {Path.cwd() / 'a.txt'}\n"
    assert Path("a.txt").read_text() == "a"


def test_what_the_desktop_does_not_take_takes_all_to_the_home(
    data: Path, home: Path, tmp_path: Path
) -> None:
    here = tmp_path / "cwd"
    (here / "a").write_text("a")
    (here / "broken").symlink_to("nowhere")  # send2trash wants to follow it
    id, items = Trash(home, uses_desktop=True).send([here / "a", here / "broken"])
    assert all(item.kept.is_relative_to(home / "trash" / id) for item in items)
    assert not any((data / "Trash" / "files").iterdir()) and not any(
        (data / "Trash" / "info").iterdir()
    )
    Trash(home).restore(id)
    assert ((here / "a").read_text(), (here / "broken").readlink()) == ("a", Path("nowhere"))


def test_each_id_brings_back_its_own_and_what_the_owner_emptied_is_said(
    cli: CommandLine, data: Path, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "cwd" / "same.txt"
    trash, ids = Trash(home, uses_desktop=True), []
    for text in ("first", "second", "third"):
        file.write_text(text)
        ids.append(trash.send([file])[0])
    trash.restore(ids[1])
    assert file.read_text() == "second"
    with pytest.raises(TrashError, match="something is there already"):
        trash.restore(ids[0])
    file.unlink()
    for place in (*(data / "Trash" / "files").iterdir(), *(data / "Trash" / "info").iterdir()):
        if place.name.startswith("same.txt"):  # the first of that name
            place.unlink()
    assert cli("trash", "restore", ids[0]).stdout == "it is no longer in the trash\n"
    assert trash.restore(ids[2]) == [file] and file.read_text() == "third"


def test_a_trial_of_an_sop_leaves_nothing_on_the_desktop(
    cli: CommandLine, data: Path, home: Path
) -> None:
    Path("in").mkdir()
    Path("in/old.txt").write_text("old")
    os.utime("in/old.txt", (1, 1))
    done = cli("sops", "verify", "clean-old-files", f"folder={Path('in').resolve()}", "days=30")
    assert done.code == 0 and Path("in/old.txt").exists(), done
    assert not data.exists() and not list((home / "trash").glob("*/record.json"))


def test_a_chinese_owner_is_told_in_chinese(cli: CommandLine, data: Path, home: Path) -> None:
    assert cli("--lang", "zh", "trash", "list").stdout == "回收站是空的\n"
    assert "回收站里没有 none" in cli("--lang", "zh", "trash", "restore", "none").stderr


def test_what_lies_on_another_disk_goes_to_the_trash_of_that_disk(
    data: Path, home: Path, tmp_path: Path
) -> None:
    shared = Path("/dev/shm")
    if not shared.is_dir() or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system here")
    file = shared / f"sopwith-{os.getpid()}"
    file.write_text("far")
    try:
        id, items = Trash(home, uses_desktop=True).send([file])
        assert not file.exists() and [item.kept.read_text() for item in items] == ["far"]
        assert Trash(home).restore(id) == [file] and file.read_text() == "far"
    finally:
        file.unlink(missing_ok=True)
        for folder in ("files", "info", "."):
            with suppress(OSError):  # not empty: somebody else's
                (shared / f".Trash-{os.getuid()}" / folder).resolve().rmdir()
