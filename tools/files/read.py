"""The tool that reads a file by lines, or lists a folder; a file of any size costs the memory of
one screen. Seed 002 §3."""

from __future__ import annotations

import io
import itertools
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from models.base import ToolResult
from models.images import IMAGES
from safety.paths import open_beneath
from tools.base import Between, ToolContext, ToolError, tool
from tools.files.text_files import (
    SAMPLE,
    binary_kind,
    encoding_of,
    failure,
    is_folder,
    open_regular,
)

MAX_LINE = 1_000  # characters shown of a line
MAX_CHARS = 20_000  # characters shown in one answer
AROUND = 2  # lines shown before and after one that holds the keyword
_LONG = 1 << 16  # characters kept of a line
Line = tuple[int, str]


@tool("read", paths=("path",))
def file_read(
    ctx: ToolContext,
    path: str,
    start: Annotated[int, Between(1)] = 1,
    count: Annotated[int, Between(1, 2000)] = 200,
    keyword: str | None = None,
) -> ToolResult:
    """Read a file as numbered lines, or list a folder.

    keyword: only lines around it
    """
    place = ctx.place(path)
    if is_folder(place):
        return _folder(place, start, count)
    with open_regular(place) as file:
        sample = file.read(SAMPLE)
        encoding = encoding_of(sample)
        if encoding is None:
            size = os.fstat(file.fileno()).st_size
            said = {"output": f"{binary_kind(sample)}, {size:,} bytes: not text", "binary": True}
            where = ctx.path(path)
            images = [str(where)] if where.suffix.lower() in IMAGES else []
            return ToolResult("ok", said, images=images)
        file.seek(0)
        with io.TextIOWrapper(file, encoding, "replace", newline="\n") as reader:
            lines = _lines_from(reader, start)
            data = _found(lines, keyword, count) if keyword else _range(lines, start, count)
    if encoding != "utf-8":
        data["encoding"] = encoding
    return ToolResult("ok", data)


def _range(lines: Iterator[Line], start: int, count: int) -> dict[str, Any]:
    shown, size, number = [], 0, start - 1
    for number, text in itertools.islice(lines, count):
        shown.append(f"{number}|{_cut(text)}")
        size += len(shown[-1])
        if size > MAX_CHARS:
            break
    if not shown:
        return {"output": "(empty file)"}
    more = {} if next(lines, None) is None else {"next_start": number + 1}
    return {"output": "\n".join(shown)} | more


def _found(lines: Iterator[Line], keyword: str, count: int) -> dict[str, Any]:
    wanted = keyword.lower()
    shown: list[str] = []
    before: deque[Line] = deque(maxlen=AROUND + 1)
    hits = after = last = number = size = 0
    for number, text in lines:
        is_hit = wanted in text.lower()
        hits += is_hit
        after = AROUND if is_hit else after - 1
        before.append((number, text))
        if after < 0:
            continue
        if 0 < last < before[0][0] - 1:
            shown.append("--")
        shown += [f"{place}|{_cut(line, wanted)}" for place, line in before]
        size += sum(map(len, shown[-len(before) :]))
        last = number
        before.clear()
        if len(shown) >= count or size > MAX_CHARS:
            break
    if not hits:
        return {"output": f"no line holds {keyword!r}", "matches": 0}
    more = {} if next(lines, None) is None else {"next_start": number + 1}
    return {"output": "\n".join(shown), "matches": hits} | more


def _cut(text: str, keyword: str = "") -> str:
    if len(text) <= MAX_LINE:
        return text
    at = max(0, text.lower().find(keyword) - MAX_LINE // 2) if keyword else 0
    return f"{'…' if at else ''}{text[at : at + MAX_LINE]}… ({len(text):,} characters)"


def _lines_from(reader: io.TextIOWrapper, start: int) -> Iterator[Line]:
    """Numbered lines from line `start`, without their newline; of a very long line only its first
    65,536 characters are kept.

    Raises ToolError when the file ends before.
    """
    for number in itertools.count(1):
        text = more = reader.readline(_LONG)
        if not text:
            break
        while not more.endswith("\n") and (more := reader.readline(_LONG)):
            pass
        if number >= start:
            yield number, text.rstrip("\r\n").removeprefix("\ufeff" if number == 1 else "")
    if 1 < start >= number:
        raise ToolError("error.files.start-behind-end-file", number=start, count=f"{number - 1:,}")


def _folder(place: Path, start: int, count: int) -> ToolResult:
    try:
        held = open_beneath(place, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise failure(place, error) from error
    try:
        with os.scandir(held) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        lines = [_entry(entry, held) for entry in entries[start - 1 : start - 1 + count]]
    except OSError as error:
        raise failure(place, error) from error
    finally:
        os.close(held)
    data: dict[str, Any] = {"output": "\n".join(lines) or "(empty folder)", "entries": len(entries)}
    if start - 1 + count < len(entries):
        data["next_start"] = start + count
    return ToolResult("ok", data)


def _entry(entry: os.DirEntry[str], folder: int) -> str:
    name = entry.name if entry.name.isprintable() else ascii(entry.name)
    try:
        if entry.is_symlink():
            return f"{name} -> {os.readlink(entry.name, dir_fd=folder)}"
        return f"{name}/" if entry.is_dir() else f"{name}  {entry.stat().st_size:,}"
    except OSError as error:
        return f"{name}  ({error.strerror})"
