"""Keep a value that begins with a dash from being taken for an option: `--` before it where the
program takes that, `./` where it names a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from shell import words
from shell.placed import Placed

_BEGIN = r'("?)\$\{{?({name}(?:_in_\w+)?)\b'


def guarded(
    script: str, names: Iterable[str], does_the_same: Callable[[str], bool]
) -> tuple[str, list[str]]:
    """Return the script with `--` or `./` before values where it then still does the same, and the
    names for which it does not.

    `names` are parameters whose values may begin with a dash.
    """
    left = []
    for name in names:
        for command in sorted(_commands(script, name), reverse=True):
            if (safe := _safe(script, name, command, does_the_same)) is None:
                left.append(name)
            else:
                script = safe
    return script, list(dict.fromkeys(left))


def _commands(script: str, name: str) -> set[int]:
    """Return the commands of which an argument begins with the value."""
    return {word.command for word in words(script) if _begins_with(word, name)}


def _begins_with(word: Placed, name: str) -> bool:
    return word.role == "argument" and re.match(_BEGIN.format(name=name), word.text) is not None


def _safe(script: str, name: str, command: int, does_the_same: Callable[[str], bool]) -> str | None:
    """Return the script in which a command takes the value for no option; None where none does the
    same."""
    mine = [word for word in words(script) if word.command == command]
    behind = [word for word in mine if word.role == "argument"]
    is_printed = mine[0].text == "printf" and not _begins_with(behind[0], name)
    if is_printed or any(word.text == "--" for word in mine):
        return script
    if mine[0].text == "echo":
        tried = _as_printf(script, mine)
        return tried if tried and does_the_same(tried) else None
    mine = [word for word in behind if _begins_with(word, name)]
    dashed = _spliced(script, mine[:1], "-- ")
    if does_the_same(dashed):
        return dashed
    if does_the_same(_spliced(script, mine, "./")):
        return _spliced(script, mine, "", _BEGIN.format(name=name))
    return None


def _spliced(script: str, found: Sequence[Placed], before: str, begin: str = "") -> str:
    """Return the script with a text before these words; or with `./` before a dash of the value
    with which they begin."""
    source = script.encode()
    for word in reversed(found):
        text = before + word.text
        if begin:
            text = re.sub(begin + r"\}?", r"\1${\2/#-/./-}", word.text, count=1)
        source = source[: word.start] + text.encode() + source[word.end :]
    return source.decode()


def _as_printf(script: str, echo: Sequence[Placed]) -> str | None:
    """Return a script with `printf` in place of an `echo` of one text: it takes no `--`."""
    if len(echo) != 2 or echo[1].text[0] != '"':
        return None
    source = script.encode()
    return (source[: echo[0].start] + b"printf '%s\\n'" + source[echo[0].end :]).decode()
