"""The trash of a home from before the undo store is listed and brought back; nothing new goes
there."""

import json
import os
from pathlib import Path

import pytest

from sandbox.undo import StageError, Trash
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
    with pytest.raises(StageError, match="something is there already"):
        Trash(home).restore(ID)
    assert file.read_text() == "new"
    for wrong in ("", "..", "../x", "20200101-000000-abc"):
        with pytest.raises(StageError):
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
