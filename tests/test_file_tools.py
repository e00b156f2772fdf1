"""Reading, patching, writing and trashing files: real files, in every encoding and shape that
people have."""

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from models.base import ToolResult
from sandbox.undo import UndoStore
from tests.rows import cases
from tools.base import Tool, ToolContext, ToolError
from tools.files.read import file_read
from tools.files.trash import file_trash
from tools.files.write import file_patch, file_write
from tools.scripts.calls import code_run


@pytest.fixture
def ctx(tmp_path: Path, home: Path) -> ToolContext:
    return ToolContext(cwd=tmp_path / "cwd", folder=tmp_path / "run", home=home)


def call(tool: Tool, ctx: ToolContext, **args: Any) -> dict[str, Any]:
    result = tool.run(ctx, **args)
    assert isinstance(result, ToolResult)
    assert result.status == "ok"
    data: dict[str, Any] = json.loads(json.dumps(result.data))
    return data


def refusal(tool: Tool, ctx: ToolContext, **args: Any) -> str:
    with pytest.raises(ToolError) as error:
        tool.run(ctx, **args)
    return str(error.value)


# file_read


def test_lines_are_numbered_and_a_range_says_where_to_go_on(ctx: ToolContext) -> None:
    (ctx.cwd / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 501)))
    some = call(file_read, ctx, path="a.txt", start=3, count=2)
    assert some == {"output": "3|line 3\n4|line 4", "next_start": 5}
    assert call(file_read, ctx, path="a.txt", start=499) == {"output": "499|line 499\n500|line 500"}
    assert call(file_read, ctx, path="a.txt")["next_start"] == 201
    assert "has 500 lines" in refusal(file_read, ctx, path="a.txt", start=501)


def test_keyword_shows_its_lines_with_neighbours(ctx: ToolContext) -> None:
    lines = [f"line {n}" for n in range(1, 101)]
    lines[9] = lines[49] = "Here is the NEEDLE"
    (ctx.cwd / "a.txt").write_text("\n".join(lines))
    data = call(file_read, ctx, path="a.txt", keyword="needle")
    assert data["matches"] == 2
    numbers = [line.partition("|")[0] for line in data["output"].splitlines()]
    assert numbers == ["8", "9", "10", "11", "12", "--", "48", "49", "50", "51", "52"]
    assert call(file_read, ctx, path="a.txt", keyword="absent")["matches"] == 0
    assert call(file_read, ctx, path="a.txt", keyword="needle", start=20)["matches"] == 1


@cases
def test_encoding_is_found_and_kept_by_a_patch(
    ctx: ToolContext, encoding: str, text: str, named: str | None
) -> None:
    path = ctx.cwd / "a.txt"
    path.write_bytes(text.encode(encoding))
    data = call(file_read, ctx, path="a.txt")
    assert data["output"] == "\n".join(f"{n}|{line}" for n, line in enumerate(text.splitlines(), 1))
    assert data.get("encoding") == named
    first = text.splitlines()[0]
    call(file_patch, ctx, path="a.txt", old=first, new=first + "!")
    assert path.read_bytes() == text.replace(first, first + "!").encode(encoding)
    call(file_write, ctx, path="a.txt", content="end\n", mode="append")
    call(file_write, ctx, path="a.txt", content="start\n", mode="prepend")
    whole = "start\n" + text.replace(first, first + "!") + "end\n"
    assert path.read_bytes() == whole.encode(encoding)


def test_missing_file_brings_near_names(ctx: ToolContext) -> None:
    (ctx.cwd / "report.md").touch()
    assert str(ctx.cwd / "report.md") in refusal(file_read, ctx, path="Reprot.md")
    (ctx.cwd / "deep").mkdir()
    assert str(ctx.cwd / "deep") in refusal(file_read, ctx, path="depe/er/notes.txt")
    assert "does not exist" in refusal(file_patch, ctx, path="zzz", old="a", new="b")


def test_folder_is_listed(ctx: ToolContext) -> None:
    (ctx.cwd / "sub").mkdir()
    (ctx.cwd / "a.txt").write_text("12345")
    (ctx.cwd / "link").symlink_to("a.txt")
    (ctx.cwd / "two\nlines").touch()
    data = call(file_read, ctx, path=".")
    assert data["output"].splitlines() == ["a.txt  5", "link -> a.txt", "sub/", r"'two\nlines'  0"]
    first = call(file_read, ctx, path=".", count=1)
    assert first == {"output": "a.txt  5", "entries": 4, "next_start": 2}


def test_pipe_socket_and_device_are_refused_at_once(ctx: ToolContext) -> None:
    os.mkfifo(ctx.cwd / "pipe")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(ctx.cwd / "sock"))
        kinds = {"pipe": "a named pipe", "/dev/zero": "a device", "sock": "a socket"}
        for name, words in kinds.items():
            assert words in refusal(file_read, ctx, path=name)
            assert words in refusal(file_patch, ctx, path=name, old="a", new="b")
    (ctx.cwd / "circle").symlink_to("circle")
    assert "circle" in refusal(file_read, ctx, path="circle")


OF_ONE_PATH: tuple[tuple[Tool, dict[str, str]], ...] = (
    (file_read, {}),
    (file_write, {"content": "x"}),
    (file_patch, {"old": "a", "new": "b"}),
)


def test_what_can_be_no_path_is_the_models_mistake(ctx: ToolContext) -> None:
    for path in ("a\0b", "\ud800", "~nobody-of-this-name/x", "x" * 5000):
        for tool, more in OF_ONE_PATH:
            assert refusal(tool, ctx, path=path, **more)
        assert refusal(file_trash, ctx, paths=[path])


def test_one_answer_is_bounded(ctx: ToolContext) -> None:
    (ctx.cwd / "a.txt").write_text(("z" * 900 + "\n") * 1000)
    data = call(file_read, ctx, path="a.txt", count=1000)
    assert len(data["output"]) < 22_000
    assert data["next_start"] == len(data["output"].splitlines()) + 1


# file_patch


def test_patch_tells_none_from_many(ctx: ToolContext) -> None:
    two = "def two():\n    return 1"
    (ctx.cwd / "a.py").write_text(f"def one():\n    return 1\n\n{two}\n")
    for old, new, said in (
        ("return 1", "return 2", "occurs 2 times (lines 2, 5)"),
        ("def twoo():", "x", "Closest lines:\n4|def two():"),
        ("def two():\n  return 1", "x", "white space only"),
        ("something else entirely", "x", "No line is like it"),
        ("def", "def", "nothing to change"),
        ("", "x", "old is empty"),
        ("def two", "\udc00", "surrogate"),
    ):
        assert said in refusal(file_patch, ctx, path="a.py", old=old, new=new)
    data = call(file_patch, ctx, path="a.py", old=two, new=two.replace("1", "2"))
    assert data["line"] == 4
    told = ["@@ -3,3 +3,3 @@", " ", " def two():", "-    return 1", "+    return 2"]
    assert data["diff"].splitlines() == told


def test_patch_keeps_newlines_mode_and_link(ctx: ToolContext) -> None:
    target = ctx.cwd / "run.sh"
    target.write_bytes(b"one\r\ntwo\r\nthree\r\n")
    target.chmod(0o750)
    (ctx.cwd / "link").symlink_to("run.sh")
    call(file_patch, ctx, path="link", old="one\ntwo", new="one\nextra\ntwo")
    assert target.read_bytes() == b"one\r\nextra\r\ntwo\r\nthree\r\n"
    assert target.stat().st_mode & 0o777 == 0o750
    assert (ctx.cwd / "link").is_symlink()


# file_write


def test_write_makes_folders_and_says_what_changed(ctx: ToolContext) -> None:
    data = call(file_write, ctx, path="new/deep/a.txt", content="one\ntwo\n")
    assert (data["bytes"], data["lines"], data["created"]) == (8, 2, True)
    data = call(file_write, ctx, path="new/deep/a.txt", content="one\n2\n")
    assert data["diff"].splitlines() == ["@@ -1,2 +1,2 @@", " one", "-two", "+2"]
    assert (ctx.cwd / "new/deep/a.txt").read_text() == "one\n2\n"


def test_references_become_the_lines_they_name(ctx: ToolContext) -> None:
    (ctx.cwd / "src.txt").write_text("".join(f"line {n}\n" for n in range(1, 10)))
    content = "A\n{{file:src.txt:2:3}}\nB {{file:" + str(ctx.cwd / "src.txt") + ":9:9}}!\n"
    call(file_write, ctx, path="a.txt", content=content)
    assert (ctx.cwd / "a.txt").read_text() == "A\nline 2\nline 3\nB line 9!\n"
    for reference in ("{{file:src.txt:2:99}}", "{{file:src.txt:3:2}}", "{{file:src.txt:0:1}}"):
        said = refusal(file_write, ctx, path="a.txt", content=reference)
        assert "the file has lines 1 to 9" in said
    assert refusal(file_write, ctx, path="a.txt", content="{{file:missing.txt:1:2}}")
    assert (ctx.cwd / "a.txt").read_text() == "A\nline 2\nline 3\nB line 9!\n"
    call(file_write, ctx, path="doc.md", content="write {{file:path:start:end}}")
    assert (ctx.cwd / "doc.md").read_text() == "write {{file:path:start:end}}"


# file_trash


def test_trash_takes_all_and_gives_back(ctx: ToolContext) -> None:
    names = ["plain.txt", "two\nlines", "😀 密.txt", "-rf"]
    for name in names:
        (ctx.cwd / name).write_text(name)
    (ctx.cwd / "folder/sub").mkdir(parents=True)
    (ctx.cwd / "folder/sub/x").write_text("x")
    (ctx.cwd / "link").symlink_to("/etc")
    (ctx.cwd / "broken").symlink_to("nowhere")
    raw = os.fsencode(ctx.cwd) + b"/caf\xe9"
    Path(os.fsdecode(raw)).touch()
    everything = [*names, "folder", "link", "broken", os.fsdecode(b"caf\xe9")]
    data = file_trash.run(ctx, paths=[*everything, "folder/sub/x", "plain.txt"])
    assert isinstance(data, ToolResult)
    assert data.data["count"] == len(everything)
    assert list(ctx.cwd.iterdir()) == []
    assert Path("/etc").is_dir()
    UndoStore(ctx.home).undo(ctx.run)
    assert (ctx.cwd / "folder/sub/x").read_text() == "x"
    assert (ctx.cwd / "two\nlines").read_text() == "two\nlines"
    assert (ctx.cwd / "link").readlink() == Path("/etc")
    assert {path.name for path in ctx.cwd.iterdir()} == set(everything)


def test_nothing_moves_when_one_is_missing(ctx: ToolContext) -> None:
    (ctx.cwd / "a").touch()
    assert str(ctx.cwd / "b") in refusal(file_trash, ctx, paths=["a", "b"])
    assert (ctx.cwd / "a").exists()
    assert call(file_trash, ctx, paths=[]) == {"output": "nothing to move", "count": 0}


def test_folder_that_is_in_use_stays(ctx: ToolContext, tmp_path: Path) -> None:
    ctx.home.mkdir(parents=True)
    for path in (ctx.home, ctx.home.parent, tmp_path, Path("/"), ctx.cwd, Path("/proc")):
        assert "in use" in refusal(file_trash, ctx, paths=[str(path)])


# the rest


def test_forbidden_place_is_said(ctx: ToolContext) -> None:
    (ctx.cwd / "closed").mkdir(mode=0)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65_534)
    try:
        for tool, more in OF_ONE_PATH:
            assert "Permission denied" in refusal(tool, ctx, path="closed/a", **more)
        assert "closed/a" in refusal(file_trash, ctx, paths=["closed/a"])
        calling = code_run.run(ctx, type="bash", script="ls", cwd="closed/a")
        assert not isinstance(calling, ToolResult)
        with pytest.raises(ToolError, match="Permission denied"):
            next(calling)
    finally:
        if is_root:
            os.seteuid(0)


def test_paths_for_the_gate_follow_links_but_not_the_one_to_be_deleted(ctx: ToolContext) -> None:
    (ctx.cwd / "link").symlink_to("/etc")
    assert file_read.touches(ctx, {"path": "link/hosts"}) == (Path("/etc/hosts").resolve(),)
    touched = file_trash.touches(ctx, {"paths": ["link", "link/x"]})
    assert touched == (ctx.cwd / "link", Path("/etc/x"))
    assert file_trash.touches(ctx, {"paths": ["a/../.."]}) == (ctx.cwd.parent,)
    assert file_write.touches(ctx, {"path": "~/x"}) == (Path.home() / "x",)
