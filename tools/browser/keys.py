"""Keys as the DevTools protocol takes them: Enter, a, Control+a, Shift+Tab."""

from __future__ import annotations

from typing import Any

from tools.browser.link import BrowserError

_NAMED = "Backspace 8, Tab 9, Escape 27, PageUp 33, PageDown 34, End 35, Home 36, ArrowLeft 37, ArrowUp 38, ArrowRight 39, ArrowDown 40, Insert 45, Delete 46"
KEYS = {  # name: (code, key number, text)
    "Enter": ("Enter", 13, "\r"),
    " ": ("Space", 32, " "),
    **{name: (name, int(number), "") for name, number in map(str.split, _NAMED.split(","))},
    **{f"F{number}": (f"F{number}", 111 + number, "") for number in range(1, 13)},
}
# On a US keyboard: the marks of a key, its code and number; by their own numbers they would be arrows and Delete.
_SIGNS = "=+ Equal 187, -_ Minus 189, .> Period 190, /? Slash 191, ;: Semicolon 186, `~ Backquote 192, [{ BracketLeft 219, \\| Backslash 220, ]} BracketRight 221, '\" Quote 222"
_MARKS = {
    ",<": ("Comma", 188),
    **{sign: (f"Digit{digit}", 48 + digit) for digit, sign in enumerate(")!@#$%^&*(")},
    **{marks: (code, int(number)) for marks, code, number in map(str.split, _SIGNS.split(", "))},
}
_MODIFIERS = {"alt": 1, "control": 2, "ctrl": 2, "meta": 4, "shift": 8}


def key_events(keys: str) -> list[dict[str, Any]]:
    """The events of one stroke, such as "Control+a". Raises BrowserError for a key that there is not."""
    *held, key = keys.split("+") if len(keys) > 1 else [keys]
    held = [each.strip().lower() for each in held]
    modifiers = sum(_MODIFIERS.get(each, 0) for each in held)
    by_name = {each.lower(): each for each in (*KEYS, " ")} | {"space": " "}
    name = by_name.get(key.lower(), key)
    code, number, text = KEYS.get(name) or (*_letter(name), name[:1])
    is_known = name in KEYS or len(name) == 1
    if not (is_known and set(held) <= set(_MODIFIERS)):
        known = ", ".join(each for each in KEYS if each.strip())
        raise BrowserError("error.browser.such-key-letters-control", key=keys[:40], names=known)
    same = {"modifiers": modifiers, "key": name, "code": code, "windowsVirtualKeyCode": number}
    is_command = bool(modifiers & 6)
    typed = {"text": text} if text and not is_command else {}
    more = {"commands": ["selectAll"]} if is_command and name.lower() == "a" else {}
    return [
        {"type": "keyDown" if typed else "rawKeyDown", **same, **typed, **more},
        {"type": "keyUp", **same},
    ]


def _letter(sign: str) -> tuple[str, int]:
    """Code and number of the key that has a sign; a sign that no key has is text alone."""
    if sign.isascii() and sign.isalnum():
        return (f"Digit{sign}" if sign.isdigit() else f"Key{sign.upper()}"), ord(sign.upper())
    return next((key for marks, key in _MARKS.items() if sign in marks), ("", 0))
