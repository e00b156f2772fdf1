"""Holds that what a tool opens is what the gate has judged, however fast somebody else puts links
in its place."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.base import ToolResult
from safety.paths.handles import open_beneath
from tools.base import Tool, ToolContext, ToolError
from tools.files import file_patch, file_read, file_write

TRIES, SECONDS = 5_000, 30.0
# Exchanges two names all the time.
SWAPPER = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
one, other = (os.fsencode(each) for each in sys.argv[1:3])
while True:
    libc.renameat2(-100, one, -100, other, 2)
"""


def test_a_path_without_links_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("here")
    found = open_beneath(tmp_path / "a" / "b" / "file", os.O_RDONLY)
    assert os.read(found, 10) == b"here"
    os.close(found)


@pytest.mark.parametrize("link", ["a", "a/b", "a/b/file"])
def test_no_link_on_the_way_is_followed(tmp_path: Path, link: str) -> None:
    (tmp_path / "real" / "b").mkdir(parents=True)
    (tmp_path / "real" / "b" / "file").write_text("secret")
    place = tmp_path / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(tmp_path / Path(link.replace("a", "real", 1)))
    with pytest.raises(OSError, match="a link or another file stands here now"):
        open_beneath(tmp_path / "a" / "b" / "file", os.O_RDONLY)


def test_nothing_outside_of_the_root_is_opened(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "file").write_text("secret")
    for path in (tmp_path / "file", tmp_path / "root" / ".." / "file"):
        with pytest.raises(OSError, match="not below"):
            open_beneath(path, os.O_RDONLY, root=tmp_path / "root")


@pytest.fixture
def swaps(tmp_path: Path) -> Iterator[None]:
    """Yield a folder of the owner becomes a link to a foreign one and back, all the time."""
    for name in ("own", "foreign"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(f"{name}\n")
    (tmp_path / "work").mkdir()
    (tmp_path / "own").rename(tmp_path / "work" / "folder")
    (tmp_path / "work" / "other").symlink_to(tmp_path / "foreign")
    names = [str(tmp_path / "work" / name) for name in ("folder", "other")]
    with subprocess.Popen([sys.executable, "-c", SWAPPER, *names]) as made:
        yield
        assert made.poll() is None
        made.kill()


def _context(folder: Path) -> ToolContext:
    return ToolContext(folder / "work", folder, folder / "home")


def _tried(ctx: ToolContext, tool: Tool, args: dict[str, str]) -> ToolResult | None:
    """One call as the handler makes it; None when it was refused."""
    ctx.judged.clear()
    try:
        paths = tool.touches(ctx, args)
        taken = tool.about(ctx, args).get("taken", [])
        if all(path.is_relative_to(ctx.cwd) for path in (*paths, *taken)):  # the gate's look
            found = tool.run(ctx, **args)
            assert isinstance(found, ToolResult)
            return found
    except ToolError:
        return None
    return None


def test_no_read_wins_the_race_against_a_swapped_link(swaps: None, tmp_path: Path) -> None:
    ctx, end = _context(tmp_path), time.monotonic() + SECONDS
    results: list[ToolResult | None] = []
    while len(results) < TRIES and time.monotonic() < end:
        results.append(_tried(ctx, file_read, {"path": "folder/file"}))
        results.append(_tried(ctx, file_read, {"path": "folder"}))
    read = [str(each.data["output"]) for each in results if each]
    assert 0 < len(read) < len(results)
    assert not any("foreign" in output for output in read)


def test_no_write_wins_the_race_against_a_swapped_link(swaps: None, tmp_path: Path) -> None:
    ctx, end = _context(tmp_path), time.monotonic() + SECONDS
    calls = (
        (file_write, {"path": "folder/file", "content": "own\n", "mode": "overwrite"}),
        (file_write, {"path": "folder/deep/new", "content": "own\n"}),
        (file_write, {"path": "copy", "content": "{{file:folder/file:1:1}}\n"}),
        (file_patch, {"path": "folder/file", "old": "own", "new": "own too"}),
    )
    copy, copies = tmp_path / "work" / "copy", set[str]()
    results: list[ToolResult | None] = []
    while len(results) < TRIES and time.monotonic() < end:
        results += [_tried(ctx, tool, args) for tool, args in calls]
        copies.add(copy.read_text() if copy.exists() else "")
    assert 0 < len([each for each in results if each]) < len(results)
    assert not any("foreign" in each for each in copies)
    assert [each.name for each in (tmp_path / "foreign").iterdir()] == ["file"]
    assert (tmp_path / "foreign" / "file").read_text() == "foreign\n"
