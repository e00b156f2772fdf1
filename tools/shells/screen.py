"""Keys by their names, and the screen that a program has painted, as text."""

from __future__ import annotations

import re
from typing import Any

from tools.base import ToolError

KEYS = {
    "enter": "\r", "tab": "\t", "esc": "\033", "space": " ", "backspace": "\177", "shift-tab": "\033[Z",
    "up": "\033[A", "down": "\033[B", "right": "\033[C", "left": "\033[D", "home": "\033[1~", "insert": "\033[2~",
    "delete": "\033[3~", "end": "\033[4~", "page-up": "\033[5~", "page-down": "\033[6~",
    "f1": "\033[[A", "f2": "\033[[B", "f3": "\033[[C", "f4": "\033[[D", "f5": "\033[[E", "f6": "\033[17~",
    "f7": "\033[18~", "f8": "\033[19~", "f9": "\033[20~", "f10": "\033[21~", "f11": "\033[23~", "f12": "\033[24~",
}  # fmt: skip
_OTHER_NAMES = {
    "escape": "esc",
    "return": "enter",
    "pageup": "page-up",
    "pagedown": "page-down",
    "del": "delete",
}
_PAINTS = re.compile(rb"\033\[(?:\d*;?\d*[HfABd]|\?1049h|2J)")
# Sequences that pyte does not know: other terminals', and strings that are for the terminal itself.
_UNKNOWN = re.compile(
    rb"\033\[[<=>][0-9;:]*[ -/]*[@-~]|\033\[\?[0-9;]*[ -/]*[^hl0-9; -/]|\033[P^_X][^\033]*\033\\|\033\][^\007\033]*(?:\007|\033\\)"
)


def keys(names: list[str]) -> str:
    """Return what a terminal sends for these keys. Raises ToolError with the names that are
    known."""
    return "".join(map(_key, names))


def paints(said: bytes) -> bool:
    """Return True if a program has moved about on the screen: then its output is read as a
    screen."""
    return bool(_PAINTS.search(said))


def painted(said: bytes, rows: int, columns: int) -> str:
    """Return the screen after all that was said, without the blanks at the ends of lines and the
    empty lines below."""
    import pyte  # 20 ms, for those who look at a screen

    screen: Any = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    for piece in re.split(rb"(?=\033)", _UNKNOWN.sub(b"", said)):
        try:
            stream.feed(piece)
        except (TypeError, KeyError, IndexError, ValueError):
            # pyte fails on numbers that are too many; a terminal goes on
            stream = pyte.ByteStream(screen)
    cells = ((screen.buffer[row][column].data for column in range(columns)) for row in range(rows))
    return "\n".join("".join(line).rstrip() for line in cells).rstrip("\n")


def _key(name: str) -> str:
    plain = re.sub(r"[ _+]", "-", name.strip().casefold())
    plain = _OTHER_NAMES.get(plain, plain)
    if found := KEYS.get(plain):
        return found
    if control := re.fullmatch(r"(?:ctrl|control|c|\^)-?([a-z\\\]])", plain):
        return chr(ord(control[1].upper()) - 64)
    raise ToolError(
        "error.shells.key-called-known-ctrl", key=f"{name[:30]!r}", names=", ".join(KEYS)
    )
