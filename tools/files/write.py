"""The tool that writes a file: anew, at its end, at its start; it can take in lines of other files.
Seed 002 §3."""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from config import Message
from models.base import ToolResult
from safety.paths import references
from tools.base import ToolContext, ToolError, resolve, tool
from tools.files.text_files import (
    SAMPLE,
    encoding_of,
    failure,
    keeps_no_secret,
    lines_changed,
    open_regular,
    read_text,
    utf8,
    write_beneath,
)

_DIFFED = 1_000_000  # bytes; of larger files only what is added is shown


def taken(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return for the gate the files whose lines the content takes in; they are opened as the gate
    has seen them."""
    names = [match[1] for match in references(str(args.get("content", "")))]
    for name in names:
        with suppress(ToolError):  # it is no path: the tool says so
            ctx.judged.setdefault(name, _without_links(ctx.path(name)))
    return {"taken": [ctx.judged[name] for name in names if name in ctx.judged]}


def _without_links(path: Path) -> Path:
    try:
        return resolve(path)
    except ToolError:  # links in a circle, which are not opened
        return path


@tool("read", "write", paths=("path",), about=taken)
def file_write(
    ctx: ToolContext,
    path: str,
    content: str,
    mode: Literal["overwrite", "append", "prepend"] = "overwrite",
) -> ToolResult:
    """Write a text file and its folders.

    content: {{file:path:start:end}} becomes those lines
    """
    place = ctx.place(path)
    content = _expanded(ctx, content)
    utf8("content", content)
    keeps_no_secret(ctx, place, content)
    try:
        if place.is_dir():
            raise ToolError("error.files.folder-give-path-file", path=path)
        with ctx.recorded(place):
            if place.exists():
                return _change(place, content, mode)
            size = write_beneath(place, content)
    except OSError as error:
        raise failure(place, error) from error
    return ToolResult(
        "ok",
        {"path": str(place), "bytes": size, "lines": len(content.splitlines()), "created": True},
    )


def _change(place: Path, content: str, mode: str) -> ToolResult:
    size = place.stat().st_size
    data: dict[str, Any] = {"path": str(place)}
    if mode == "overwrite" and (size > _DIFFED or not _is_text(place)):
        data["bytes"] = write_beneath(place, content)
    else:
        before = read_text(place)
        added = before.adapted(content)
        texts = {"append": before.text + added, "prepend": added + before.text}
        after = texts.get(mode, content)
        whole = before.encoded(after) if mode in texts else content
        diff = {"diff": lines_changed(before.text, after)} if size <= _DIFFED else {}
        data |= {"bytes": write_beneath(place, whole)} | diff
    return ToolResult("ok", data | {"lines": len(content.splitlines())})


def _is_text(place: Path) -> bool:
    with open_regular(place) as file:
        return encoding_of(file.read(SAMPLE)) is not None


def _expanded(ctx: ToolContext, content: str) -> str:
    """Return the content with its references replaced by the lines they name."""
    found = references(content)
    if not found:
        return content
    parts, at = [], 0
    for reference in found:
        parts += [content[at : reference.start()], _referred(ctx, reference)]
        at = reference.end()
    return "".join(parts) + content[at:]


def _referred(ctx: ToolContext, reference: re.Match[str]) -> str:
    start, end = int(reference[2]), int(reference[3])
    lines = read_text(ctx.place(reference[1])).text.removesuffix("\n").split("\n")
    if not 1 <= start <= end <= len(lines):
        raise ToolError(
            "error.files.file-lines-nothing-written", path=reference[0], count=len(lines)
        )
    return "\n".join(line.removesuffix("\r") for line in lines[start - 1 : end])


MAX_BYTES = 500_000  # of a file that is compared


def diff(tool: str, args: dict[str, Any], path: Path) -> str:
    """Return the lines that file_patch or file_write would take away (-) and put there (+); ""
    where there is nothing to compare."""
    if tool == "file_patch":
        return lines_changed(str(args.get("old", "")), str(args.get("new", "")), MAX_BYTES)
    if tool != "file_write" or args.get("mode", "overwrite") != "overwrite":
        return ""
    try:
        is_small = path.is_file() and path.stat().st_size <= MAX_BYTES
        before = path.read_text("utf-8") if is_small else ""
    except (OSError, ValueError):
        return ""
    return lines_changed(before, str(args.get("content", "")), MAX_BYTES) if before else ""


@tool("read", "write", paths=("path",))
def file_patch(ctx: ToolContext, path: str, old: str, new: str) -> ToolResult:
    """Replace a passage of a text file.

    old: exact, occurs once, no line numbers
    """
    place = ctx.place(path)
    for name, text in (("old", old), ("new", new)):
        utf8(name, text)
    keeps_no_secret(ctx, place, new)
    if old == new:
        raise ToolError("error.files.old-new-same-nothing")
    if not old:
        raise ToolError("error.files.old-empty-add-text")
    found = read_text(place)
    wanted = old if old in found.text else found.adapted(old)
    times = found.text.count(wanted)
    if times == 0:
        raise ToolError("error.files.old-does-occur", path=path, rest=_closest(found.text, old))
    if times > 1:
        starts = itertools.islice(re.finditer(re.escape(wanted), found.text), 10)
        lines = ", ".join(str(found.text.count("\n", 0, at.start()) + 1) for at in starts)
        raise ToolError("error.files.old-occurs-times-lines", path=path, count=times, lines=lines)
    changed = found.text.replace(wanted, found.adapted(new), 1)
    try:
        with ctx.recorded(place):
            size = write_beneath(place, found.encoded(changed))
    except OSError as error:
        raise failure(place, error) from error
    line = found.text.count("\n", 0, found.text.index(wanted)) + 1
    return ToolResult(
        "ok",
        {
            "path": str(place),
            "line": line,
            "bytes": size,
            "diff": lines_changed(found.text, changed),
        },
    )


def _closest(text: str, old: str) -> str:
    """Return the lines that look most like `old`, with numbers, or what kind of difference it
    is."""
    import difflib

    lines, wanted = text.splitlines(), old.strip().splitlines()
    if not lines:
        return Message("error.files.empty")
    if not wanted:
        return Message("error.files.blank-old")
    bare = [line.strip() for line in lines]
    longest = max(wanted[:20], key=lambda line: len(line.strip()))
    match = difflib.get_close_matches(longest.strip(), bare[:20_000], 1, 0.5)
    if not match:
        return Message("error.files.no-like")
    at = max(0, bare.index(match[0]) - wanted.index(longest))
    near = enumerate(lines[at : at + min(len(wanted), 12)], at + 1)
    shown = "\n".join(f"{number}|{line[:200]}" for number, line in near)
    is_same = "".join(old.split()) in "".join(text.split())
    return Message(f"error.files.closest{'-space' if is_same else ''}", lines=shown)
