"""The trash of a home from before the undo store is listed and brought back; nothing new goes
there."""

import json
import os
from pathlib import Path

import pytest

from sandbox.trash import Trash, TrashError
from tests.conftest import CommandLine

ID = "20260101-080000-ab12cd"


def kept(home: Path, id: str, origins: list[Path]) -> None:
    """Put things into the trash as the first version did."""
    items = []
    for count, origin in enumerate(origins, 1):
        place = home / "trash" / id / str(count)
        place.mkdir(parents=True)
        origin.rename(place / origin.name)
        items.append(
            {"origin": str(origin), "origin_bytes": os.fsencode(origin).hex(), "kept": str(count)}
        )
    (home / "trash" / id / "record.json").write_text(
        json.dumps({"at": "2026-01-01", "items": items})
    )


def test_what_an_old_home_removed_is_listed_and_comes_back(cli: CommandLine, home: Path) -> None:
    plain, folder = Path.cwd() / "two\nlines", Path.cwd() / "folder"
    plain.write_text("x")
    folder.mkdir()
    (folder / "link").symlink_to("/etc")
    kept(home, ID, [plain, folder])
    [listed] = json.loads(cli("trash", "list", "--json").stdout)["trash"]
    assert listed == {"id": ID, "paths": [str(plain), str(folder)]}
    assert cli("trash", "restore", ID).code == 0
    assert plain.read_text() == "x"
    assert (folder / "link").readlink() == Path("/etc")
    assert Trash(home).ids() == []


def test_nothing_is_written_over_and_no_other_place_is_read(home: Path) -> None:
    file = Path.cwd() / "a"
    file.write_text("old")
    kept(home, ID, [file])
    file.write_text("new")
    with pytest.raises(TrashError, match="something is there already"):
        Trash(home).restore(ID)
    assert file.read_text() == "new"
    for wrong in ("", "..", "../x", "20200101-000000-abc"):
        with pytest.raises(TrashError):
            Trash(home).restore(wrong)


def test_it_comes_back_to_another_file_system_whole(home: Path) -> None:
    shared = Path("/dev/shm") / f"sopwith-{os.getpid()}"
    if not shared.parent.is_dir():
        pytest.skip("no second file system here")
    folder = Path.cwd() / "folder"
    folder.mkdir()
    (folder / "a").write_text("1")
    (folder / "a").chmod(0o640)
    kept(home, ID, [folder])
    record = home / "trash" / ID / "record.json"
    text = record.read_text().replace(
        os.fsencode(folder).hex(), os.fsencode(shared / "folder").hex()
    )
    record.write_text(text)
    try:
        Trash(home).restore(ID)
        there = shared / "folder" / "a"
        assert (there.read_text(), there.stat().st_mode & 0o777) == ("1", 0o640)
    finally:
        (shared / "folder" / "a").unlink()
        (shared / "folder").rmdir()
        shared.rmdir()


def test_what_went_to_the_desktops_trash_is_found_there(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    origin, trash = Path.cwd() / "密 %41.txt", tmp_path / "data" / "Trash"
    for name in ("files", "info"):
        (trash / name).mkdir(parents=True)
    (trash / "files" / "x.txt").write_text("mine")
    quoted = str(origin).replace("%", "%25").replace("密", "%E5%AF%86").replace(" ", "%20")
    (trash / "info" / "x.txt.trashinfo").write_text(f"[Trash Info]\nPath={quoted}\n")
    number = (trash / "files" / "x.txt").stat().st_ino
    item = {"origin_bytes": os.fsencode(origin).hex(), "number": number}
    (home / "trash" / ID).mkdir(parents=True)
    (home / "trash" / ID / "record.json").write_text(json.dumps({"items": [item]}))
    assert Trash(home).restore(ID) == [origin]
    assert origin.read_text() == "mine"
    assert list((trash / "info").iterdir()) == []
