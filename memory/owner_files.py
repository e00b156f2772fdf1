"""Reads what the owner writes by hand in the home folder: whatever lies there, reading neither waits nor leaves the home.

A name may lead to a pipe, a device, a folder, another encoding or out of the home folder; each is said, none is followed.

    SopwithError
    └── Unreadable   the owner's: the file is there and cannot be used; `said(lang)` says why
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from config import SopwithError

MAX_BYTES = 1_000_000  # more than a model can read at once
_WHY = {
    "folder": ("{name} is a folder, not a file", "{name} 是文件夹，不是文件"),
    "special": ("{name} is a pipe or a device, not a file", "{name} 是管道或设备，不是文件"),
    "outside": ("{name} is a link that leads out of the home folder", "{name} 是指向主目录之外的链接"),
    "link": ("{name} is a link; a shared session follows none", "{name} 是链接；共享会话不跟随链接"),
    "loop": ("{name} is a link that leads nowhere", "{name} 是没有终点的链接"),
    "encoding": ("{name} is not UTF-8 text", "{name} 不是 UTF-8 文本"),
    "system": ("{name} cannot be read: {what}", "{name} 读不了：{what}"),
}


class Unreadable(SopwithError):
    """A file that the owner wrote is there and cannot be used."""

    def __init__(self, key: str, name: str, what: str = "") -> None:
        self.key, self.name, self.what = key, name, what
        super().__init__(self.said("en"))

    def said(self, lang: str) -> str:
        """One line in the language."""
        return _WHY[self.key][lang == "zh"].format(name=self.name, what=self.what)


@dataclass(frozen=True, slots=True)
class OwnerText:
    """What a file says: line ends are \\n, no byte order mark. `is_cut`: only its first MAX_BYTES."""

    text: str
    is_cut: bool = False


def read_owner_text(home: Path, name: str, *, follows_links: bool = True) -> OwnerText:
    """The text of the file `name` (relative) of the home folder.

    A link may lead to another place in the home folder, or nowhere with `follows_links` off. Raises FileNotFoundError
    when there is none, Unreadable for all else.
    """
    path = home / name
    try:
        place = _place(home, path, name, follows_links)
        data = _bytes(place, name)
    except FileNotFoundError:
        if path.is_symlink():
            raise Unreadable("loop", name) from None
        raise
    except OSError as error:
        raise Unreadable("loop" if error.errno == errno.ELOOP else "system", name, error.strerror or "") from error
    return _decoded(data, name)


def _place(home: Path, path: Path, name: str, follows_links: bool) -> Path:
    """Where the name leads to. Raises Unreadable when that is none of its business, OSError."""
    try:
        place, root = path.resolve(strict=True), home.resolve(strict=True)
    except RuntimeError as error:  # links in a circle, as Python up to 3.12 says it
        raise Unreadable("loop", name) from error
    if not place.is_relative_to(root):
        raise Unreadable("outside", name)
    if not follows_links and place != root / name:
        raise Unreadable("link", name)
    _check_kind(place.stat().st_mode, name)  # before it is opened: opening alone moves some devices
    return place


def _bytes(place: Path, name: str) -> bytes:
    """At most one byte more than MAX_BYTES. Opening never waits for somebody to write; a link put there since is refused."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        _check_kind(os.fstat(descriptor).st_mode, name)
        return file.read(MAX_BYTES + 1)


def _check_kind(mode: int, name: str) -> None:
    if stat.S_ISDIR(mode):
        raise Unreadable("folder", name)
    if not stat.S_ISREG(mode):
        raise Unreadable("special", name)


def _decoded(data: bytes, name: str) -> OwnerText:
    is_cut = len(data) > MAX_BYTES
    if is_cut:
        data = data[: data.rfind(b"\n", 0, MAX_BYTES) + 1] or data[:MAX_BYTES]
    try:
        text = data.decode("utf-8-sig", "ignore" if is_cut and not data.endswith(b"\n") else "strict")
    except UnicodeDecodeError as error:
        raise Unreadable("encoding", name) from error
    if "\0" in text:
        raise Unreadable("encoding", name)
    return OwnerText(text.replace("\r\n", "\n"), is_cut)
