"""Keys as the DevTools protocol takes them: Enter, a, Control+a, Shift+Tab."""

from __future__ import annotations

from typing import Any

from tools.browser.link import BrowserError

KEYS = {  # name: (code, key number, text)
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Escape": ("Escape", 27, ""),
    "Backspace": ("Backspace", 8, ""),
    "Delete": ("Delete", 46, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
    "PageUp": ("PageUp", 33, ""),
    "PageDown": ("PageDown", 34, ""),
    "Insert": ("Insert", 45, ""),
    " ": ("Space", 32, " "),
    **{f"F{number}": (f"F{number}", 111 + number, "") for number in range(1, 13)},
}
_MARKS = {  # on a US keyboard: the marks of a key, its code and number; by their own numbers they would be arrows and Delete
    **{
        marks: (f"Digit{digit}", 48 + digit)
        for digit, marks in enumerate((")", "!", "@", "#", "$", "%", "^", "&", "*", "("))
    },
    "=+": ("Equal", 187),
    ",<": ("Comma", 188),
    "-_": ("Minus", 189),
    ".>": ("Period", 190),
    "/?": ("Slash", 191),
    ";:": ("Semicolon", 186),
    "`~": ("Backquote", 192),
    "[{": ("BracketLeft", 219),
    "\\|": ("Backslash", 220),
    "]}": ("BracketRight", 221),
    "'\"": ("Quote", 222),
}
_MODIFIERS = {"alt": 1, "control": 2, "ctrl": 2, "meta": 4, "shift": 8}


def key_events(keys: str) -> list[dict[str, Any]]:
    """The events of one stroke, such as "Control+a". Raises BrowserError for a key that there is not."""
    *held, key = keys.split("+") if len(keys) > 1 else [keys]
    held = [each.strip().lower() for each in held]
    modifiers = sum(_MODIFIERS.get(each, 0) for each in held)
    name = next(
        (each for each in KEYS if each.lower() == key.lower()),
        " " if key.lower() == "space" else key,
    )
    code, number, text = KEYS.get(name, ("", 0, ""))
    if name not in KEYS and len(name) == 1:
        code, number, text = *_letter(name), name
    if (not number and not text) or not set(held) <= set(_MODIFIERS):
        known = ", ".join(each for each in KEYS if each.strip())
        raise BrowserError(f"no such key: {keys[:40]}; there are {known}, letters, Control+a …")
    same = {"modifiers": modifiers, "key": name, "code": code, "windowsVirtualKeyCode": number}
    typed = {"text": text} if text and not modifiers & 6 else {}
    more = {"commands": ["selectAll"]} if modifiers & 6 and name.lower() == "a" else {}
    return [
        {"type": "keyDown" if typed else "rawKeyDown", **same, **typed, **more},
        {"type": "keyUp", **same},
    ]


def _letter(sign: str) -> tuple[str, int]:
    """Code and number of the key that has a sign; a sign that no key has is text alone."""
    if sign.isascii() and sign.isalnum():
        return (f"Digit{sign}" if sign.isdigit() else f"Key{sign.upper()}"), ord(sign.upper())
    return next((key for marks, key in _MARKS.items() if sign in marks), ("", 0))
