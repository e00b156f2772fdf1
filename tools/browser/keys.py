"""Keys as the DevTools protocol takes them: Enter, a, Control+a, Shift+Tab."""

from __future__ import annotations

import re
from typing import Any

from tools.browser.link import BrowserError

_NAMED = "Backspace 8, Tab 9, Escape 27, PageUp 33, PageDown 34, End 35, Home 36, ArrowLeft 37, ArrowUp 38, ArrowRight 39, ArrowDown 40, Insert 45, Delete 46"
KEYS = {  # name: (code, key number, text)
    "Enter": ("Enter", 13, "\r"),
    " ": ("Space", 32, " "),
    **{name: (name, int(number), "") for name, number in map(str.split, _NAMED.split(","))},
    **{f"F{number}": (f"F{number}", 111 + number, "") for number in range(1, 13)},
}
_MODIFIERS = {"alt": 1, "control": 2, "ctrl": 2, "meta": 4, "shift": 8}
_COMMANDS = 2 | 4  # with these held a key is a command, and types nothing
_BY_NAME = {each.lower(): each for each in KEYS} | {"space": " "}


def key_events(keys: str) -> list[dict[str, Any]]:
    """Return the events of one stroke, such as "Control+a". Raises BrowserError for a key that
    there is not."""
    *held, key = re.split(r"(?<=.)\+", keys)  # a plus by itself is a key
    held = [each.strip().lower() for each in held]
    name = _BY_NAME.get(key.lower(), key)
    known = KEYS.get(name) or _letter(name)
    if known is None or not set(held) <= set(_MODIFIERS):
        names = ", ".join(filter(str.strip, KEYS))
        raise BrowserError("error.browser.such-key-letters-control", key=keys[:40], names=names)
    code, number, text = known
    modifiers = sum(_MODIFIERS[each] for each in held)
    same = {"modifiers": modifiers, "key": name, "code": code, "windowsVirtualKeyCode": number}
    down: dict[str, Any] = {"type": "keyDown", **same, "text": text}
    if modifiers & _COMMANDS or not text:
        down = {"type": "rawKeyDown", **same}
        down |= {"commands": ["selectAll"]} if name.lower() == "a" else {}
    return [down, {"type": "keyUp", **same}]


def _letter(sign: str) -> tuple[str, int, str] | None:
    """Return the code, number and text of the key that has a sign; a sign that no key has is text
    alone."""
    if len(sign) != 1:
        return None
    if sign.isascii() and sign.isalnum():
        kind = "Digit" if sign.isdigit() else "Key"
        return f"{kind}{sign.upper()}", ord(sign.upper()), sign
    return "", 0, sign  # by its own number a sign would be an arrow, or Delete
