"""Atomic writing: the old content or the new, whatever happens in between."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.files import write_atomic

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return an empty folder."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def test_new_file_follows_the_umask_and_old_file_keeps_its_mode(place: Path) -> None:
    old = os.umask(0o027)
    try:
        write_atomic(place / "new", "x")
        assert (place / "new").stat().st_mode & 0o777 == 0o640
        (place / "run.sh").write_text("x")
        (place / "run.sh").chmod(0o755)
        write_atomic(place / "run.sh", "y")
        assert (place / "run.sh").stat().st_mode & 0o777 == 0o755
        write_atomic(place / "key", "z", mode=0o600)
        assert (place / "key").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(old)


def test_link_stays_and_its_target_is_written(place: Path) -> None:
    (place / "deep").mkdir()
    (place / "deep/target").write_text("old")
    (place / "link").symlink_to("deep/target")
    write_atomic(place / "link", "new")
    assert (place / "link").is_symlink()
    assert (place / "deep/target").read_text() == "new"


def test_what_fails_half_way_leaves_the_old_content_and_nothing_else(place: Path) -> None:
    path = place / "a.txt"
    path.write_text("old")

    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise OSError("the source went away")

    with pytest.raises(OSError, match="went away"):
        write_atomic(path, pieces())
    with pytest.raises(UnicodeEncodeError):
        write_atomic(path, "\ud800")
    assert path.read_text() == "old"
    assert [path.name for path in place.iterdir()] == ["a.txt"]


@pytest.mark.disk("64k")
def test_full_disk_leaves_the_old_content(small_disk: Path) -> None:
    write_atomic(small_disk / "a", "old")
    with pytest.raises(OSError, match="No space left"):
        write_atomic(small_disk / "a", b"x" * 200_000)
    assert (small_disk / "a").read_text() == "old"
    assert [path.name for path in small_disk.iterdir()] == ["a"]


def test_killed_writer_leaves_a_whole_file(place: Path) -> None:
    path = place / "a"
    path.write_text("0" * 50_000)
    code = (
        "import sys; from pathlib import Path; from memory.files import write_atomic\n"
        "for n in range(10**6): write_atomic(Path(sys.argv[1]), str(n % 10) * 50_000); n or print(flush=True)"
    )
    for delay in (0.001, 0.003, 0.007, 0.015, 0.03):
        writer = subprocess.Popen(
            [sys.executable, "-c", code, str(path)], cwd=CHECKOUT, stdout=subprocess.PIPE
        )
        with writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(delay)
            writer.send_signal(signal.SIGKILL)
        text = path.read_text()
        assert len(text) == 50_000
        assert len(set(text)) == 1
