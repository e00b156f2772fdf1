"""Hide keys that show whose they are: `sk-…`, `ghp_…`, PEM blocks, JWT, webhooks, passwords in
URLs.

The shapes are rows of assets/safety/key_shapes.txt. No rule goes by randomness: it would hide
hashes and lock files. Patterns are compiled when a text may hold such a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from safety.secrets.encodings import long_words
from text.sections import sections

_LETTER = "[A-Za-z0-9_-]"
_DISCORD = r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,40}"
_SHORTEST = 16  # characters of a text with a key
_SIGNS, _SHORTEST_WORD = "_.-", 14  # of a word in which a key may begin
_BLANK = "␣"  # stands for a blank in the marker of a row

Rows = list[tuple[str, str]]


@cache
def rows(file: str, section: str) -> Rows:
    """Return marker and pattern of each row of a data file."""
    lines = sections(file)[section].splitlines()
    pairs = (line.partition(" ") for line in lines)
    return [(marker.replace(_BLANK, " "), shape) for marker, _, shape in pairs]


def hide_keys(text: str, label: str) -> str:
    """Return the text with every such key replaced by `label`; of a password in a URL the user's
    name stays."""
    if len(text) < _SHORTEST:
        return text
    for marker, shape in rows("safety/key_shapes.txt", "blocks"):
        if marker in text:
            text = compiled(shape).sub(label, text)
    for marker, shape in rows("safety/key_shapes.txt", "within"):
        if marker in text:
            text = replaced(text, marker, shape, lambda found: _kept(found) + label)
    return _hide_words(text, label)


def _kept(found: re.Match[str]) -> str:
    return str(found[1]) if found.lastindex else ""


def replaced(text: str, marker: str, shape: str, replace: Callable[[re.Match[str]], str]) -> str:
    """Substitute on the lines that hold `marker` alone: a search for it is quicker than the
    pattern."""
    parts, at = list[str](), 0
    found = text.find(marker)
    while found >= 0:
        start, end = text.rfind("\n", at, found) + 1 or at, text.find("\n", found)
        end = len(text) if end < 0 else end
        parts += [text[at:start], compiled(shape).sub(replace, text[start:end])]
        at = end
        found = text.find(marker, end)
    return "".join(parts) + text[at:]


def _hide_words(text: str, label: str) -> str:
    parts, at = list[str](), 0
    for place, word in long_words(text, _SIGNS, _SHORTEST_WORD):
        for start in _starts(word, place):
            end = _end_of_key(text, start) if start >= at else None
            if end is not None:
                parts += [text[at:start], label]
                at = end
    return "".join(parts) + text[at:]


def _end_of_key(text: str, start: int) -> int | None:
    begins = _begins()
    shapes = begins.get(text[start : start + 2]) or begins.get(text[start : start + 1]) or []
    matches = (compiled(shape).match(text, start) for shape in shapes)
    return next((found.end() for found in matches if found), None)


def _starts(word: str, at: int) -> Iterator[int]:
    """Give where in a word a key may begin: in front, and behind each dash or dot
    ("backup-ghp_…")."""
    begin = len(word) - len(word.lstrip("_.-"))
    while 0 <= begin < len(word):
        yield at + begin
        signs = [place for sign in "-." if (place := word.find(sign, begin)) >= 0]
        begin = min(signs) + 1 if signs else len(word)


@cache
def _begins() -> dict[str, list[str]]:
    """Return the patterns by their first two letters."""
    found: dict[str, list[str]] = {letter: [_DISCORD] for letter in "MNO"}
    for shape in sections("safety/key_shapes.txt")["begin"].splitlines():
        found.setdefault(shape.replace("\\", "")[:2], []).append(shape)
    return found


@cache
def compiled(shape: str) -> re.Pattern[str]:
    """Return the pattern, compiled once."""
    return re.compile(shape.replace("{W}", _LETTER))
