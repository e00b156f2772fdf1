"""The home folder: made once, by many at once, and refused when it cannot serve."""

import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory.home import HomeError, open_home
from memory.home.folder import FOLDERS, HomeTooNew
from tests.conftest import CHECKOUT, CommandLine


def tree(folder: Path) -> dict[str, tuple[int, float]]:
    return {
        str(path): (path.stat().st_mode, path.stat().st_mtime_ns)
        for path in [folder, *folder.rglob("*")]
    }


def test_home_is_made_for_the_owner_alone(home: Path) -> None:
    open_home(home / "deep")
    for folder in [home / "deep", *((home / "deep") / name for name in FOLDERS)]:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (home / "deep" / "version").read_text() == "1\n"


def test_home_of_a_newer_version_is_refused_and_untouched(home: Path) -> None:
    home.mkdir()
    (home / "version").write_text("2\n")
    before = tree(home)
    with pytest.raises(HomeTooNew, match="Update Sopwith") as caught:
        open_home(home)
    assert caught.value.exit_code == 2
    assert tree(home) == before


def test_file_in_the_place_of_the_home_is_told_by_every_command(
    tmp_path: Path, cli: CommandLine
) -> None:
    (tmp_path / "taken").write_text("a note")
    code, _, err = cli("--home", str(tmp_path / "taken"), "runs", "list")
    assert code == 1 and "cannot be used" in err and "defect" not in err and "--home" in err


def test_full_disk_is_said_before_anything_is_made(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(b"x" * (3 << 20) + b"x" * 900_000)
    home = small_disk / "home"
    with pytest.raises(HomeError, match="is full"):
        open_home(home)
    assert not (home / "runs").exists()


def test_many_processes_make_one_home_at_once(home: Path) -> None:
    code = (
        "import sys, time, pathlib; from memory.home.folder import open_home\n"
        "time.sleep(max(0, float(sys.argv[2]) - time.time())); open_home(pathlib.Path(sys.argv[1]))"
    )
    at = str(time.time() + 1)
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(home), at],
            cwd=CHECKOUT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    assert [(each.communicate()[1], each.returncode) for each in started] == [("", 0)] * 8
    assert sorted(path.name for path in home.iterdir()) == sorted([*FOLDERS, "version"])
