"""Say why files are not ready for the writes of a replay: gone, without leave, without room.
Nothing is written yet."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from replay.rote import Write
from replay.said import Lang, say
from replay.template import as_text

MARGIN_BYTES = 4_000_000  # stays free on a file system that is written to
_ABSOLUTE = re.compile(r"/.*")
ENCODINGS = ("utf-16", "gb18030", "cp1252")


def not_ready(planned: Sequence[Write], cwd: Path, lang: Lang) -> str:
    """Return the first reason why these writes cannot all be done; "" when they can."""
    needed: dict[Path, int] = {}
    for write in planned:
        args = write.args or {}
        for path in _relied_on(write.tool, args, cwd):
            if not os.path.lexists(path):
                return say("guard.missing", lang, path)
        old = str(args.get("old", ""))
        if write.tool == "file_patch" and not _holds(_path(cwd, args["path"]), old):
            return say("guard.missing", lang, json.dumps(old, ensure_ascii=False)[:200])
        for path, size in _targets(write.tool, args, cwd):
            if why := _unwritable(path, lang, makes_folders=write.tool == "file_write"):
                return why
            needed[_nearest(path)] = needed.get(_nearest(path), 0) + size
    return next(_short_of_space(needed, lang), "")


def _path(cwd: Path, text: Any) -> Path:
    return cwd / Path(str(text)).expanduser()


def _relied_on(tool: str, args: Mapping[str, Any], cwd: Path) -> list[Path]:
    """Return paths that must be there for a write to work."""
    key = {"file_trash": "paths", "file_patch": "path"}.get(tool, "cwd")
    return [_path(cwd, each) for each in _listed(args.get(key))]


def _targets(tool: str, args: Mapping[str, Any], cwd: Path) -> Iterator[tuple[Path, int]]:
    """Yield each path that a write changes, with the bytes it needs there; of a script all absolute
    paths in its values."""
    if tool in ("file_write", "file_patch") and "path" in args:
        text = str(args.get("content", args.get("new", "")))
        yield _path(cwd, args["path"]), len(text.encode("utf-8", "replace"))
    elif tool == "file_trash":
        yield from ((_path(cwd, path), 0) for path in _listed(args.get("paths")))
    elif tool == "code_run":
        values = map(str, (args.get("env") or {}).values())
        yield from ((Path(value), 0) for value in values if _ABSOLUTE.fullmatch(value))


def _listed(value: Any) -> list[str]:
    if isinstance(value, list):
        return [as_text(item) for item in value]
    return [value] if isinstance(value, str) else []


def _unwritable(path: Path, lang: Lang, *, makes_folders: bool) -> str:
    parent = path.parent
    if not parent.is_dir() and not makes_folders:
        return say("guard.no_parent", lang, path, parent)
    place = path if path.is_file() else _nearest(parent)
    return "" if os.access(place, os.W_OK) else say("guard.no_right", lang, place)


def _short_of_space(needed: Mapping[Path, int], lang: Lang) -> Iterator[str]:
    volumes: dict[int, tuple[Path, int]] = {}
    for place, size in needed.items():
        device = place.stat().st_dev
        first, sum_ = volumes.get(device, (place, 0))
        volumes[device] = (first, sum_ + size)
    for place, size in volumes.values():
        free = shutil.disk_usage(place).free
        wanted = size + min(MARGIN_BYTES, size)  # a write needs room beside the old
        if free < max(wanted, 1):
            yield say("guard.no_space", lang, place, free, wanted)


def _nearest(path: Path) -> Path:
    """Return the path, or the folder nearest above it that exists."""
    return next((place for place in (path, *path.parents) if place.exists()), Path("/"))


def _holds(path: Path, text: str) -> bool:
    """Return True if a file holds the text, in any encoding and with any line ends that the file
    had."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    plain = data.replace(b"\r\n", b"\n")
    if text.replace("\r\n", "\n").encode("utf-8", "surrogateescape") in plain:
        return True
    return any(text in data.decode(encoding, "replace") for encoding in ENCODINGS)
