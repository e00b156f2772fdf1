"""Reads what the owner writes by hand in the home folder: whatever lies there, reading neither
waits nor leaves the home.

A name may lead to a pipe, a device, a folder, another encoding or out of the home folder; each is
said, none is followed.

    SopwithError
    └── Unreadable   the owner's: the file is there and cannot be used
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import NamedTuple

from config import SopwithError
from text import pattern

MAX_BYTES = 1_000_000  # more than a model can read at once
_CHINESE = pattern(r"[\u4e00-\u9fff]{2}")


class Unreadable(SopwithError):
    """A file that the owner wrote is there and cannot be used. One line, that names it."""


class OwnerText(NamedTuple):
    """Hold what a file says: line ends are \\n, no byte order mark. `is_cut`: only its first
    MAX_BYTES."""

    text: str
    is_cut: bool = False


def read_owner_text(home: Path, name: str, *, follows_links: bool = True) -> OwnerText:
    """Return the text of the file `name` (relative) of the home folder, at most MAX_BYTES of it.

    A link may lead to another place in the home folder, or nowhere with `follows_links` off. Raises
    FileNotFoundError when there is none, Unreadable for all else.
    """
    data = _data(home, name, follows_links, MAX_BYTES + 1)
    is_cut = len(data) > MAX_BYTES
    if is_cut:
        data = data[: data.rfind(b"\n", 0, MAX_BYTES) + 1] or _whole_characters(data[:MAX_BYTES])
    text = _text(data, name).removeprefix("\ufeff")
    return OwnerText(text.replace("\r\n", "\n"), is_cut)


def whole_text(home: Path, name: str) -> str:
    """Return all of a file, byte order mark and line ends as they are. Raises as `read_owner_text`
    does."""
    return _text(_data(home, name, True, -1), name)


def _data(home: Path, name: str, follows_links: bool, limit: int) -> bytes:
    path = home / name
    try:
        return _bytes(_place(home, path, name, follows_links), name, limit)
    except FileNotFoundError:
        if path.is_symlink():
            raise Unreadable("error.files.link-leads-nowhere", name=name) from None
        raise
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Unreadable("error.files.link-leads-nowhere", name=name) from error
        raise Unreadable("error.files.cannot-read", file=name, error=error) from error


def _place(home: Path, path: Path, name: str, follows_links: bool) -> Path:
    """Return where the name leads to. Raises Unreadable when that is none of its business,
    OSError."""
    try:
        place, root = path.resolve(strict=True), home.resolve(strict=True)
    except RuntimeError as error:  # links in a circle, as Python up to 3.12 says it
        raise Unreadable("error.files.link-leads-nowhere", name=name) from error
    if not place.is_relative_to(root):
        raise Unreadable("error.files.link-leads-out-home", name=name)
    if not follows_links and place != root / name:
        raise Unreadable("error.files.link-shared-session-follows", name=name)
    _check_kind(place.stat().st_mode, name)  # before it is opened: opening alone moves some devices
    return place


def _bytes(place: Path, name: str, limit: int) -> bytes:
    """Return the first bytes. Opening never waits for somebody to write; a link put there since is
    refused."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
    descriptor = os.open(place, flags)
    with os.fdopen(descriptor, "rb") as file:
        _check_kind(os.fstat(descriptor).st_mode, name)
        return file.read(limit)


def _check_kind(mode: int, name: str) -> None:
    if stat.S_ISDIR(mode):
        raise Unreadable("error.files.folder-file", name=name)
    if not stat.S_ISREG(mode):
        raise Unreadable("error.files.pipe-device-file", name=name)


def _whole_characters(data: bytes) -> bytes:
    """Return UTF-8 without the half of a character at its end."""
    return data.decode("utf-8", "ignore").encode()


def _text(data: bytes, name: str) -> str:
    text = decoded(data)
    if text is None:
        raise Unreadable("error.files.utf-text", name=name)
    return text


def decoded(data: bytes) -> str | None:
    """Return the text of a file in UTF-8, or in GBK where Chinese words come of it; None for what
    is no text."""
    for encoding, is_text in (("utf-8", _is_text), ("gb18030", _is_chinese)):
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            return text if is_text(text) else None
    return None


def _is_text(text: str) -> bool:
    return "\0" not in text


def _is_chinese(text: str) -> bool:
    return _is_text(text) and _CHINESE.search(text) is not None
