"""Keep a value that begins with a dash from being taken for an option: `--` before it, where the
program takes that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from shell import words
from shell.placed import Placed


def guarded(
    script: str, names: Iterable[str], does_the_same: Callable[[str], bool]
) -> tuple[str, list[str]]:
    """Return the script with `--` before values where it then still does the same, and the names
    for which it does not.

    `names` are parameters whose values may begin with a dash.
    """
    left = []
    for name in names:
        for command in sorted(_commands(script, name), reverse=True):
            tried = _with_dashes(script, name, command)
            if tried is None or not does_the_same(tried):
                left.append(name)
            else:
                script = tried
    return script, list(dict.fromkeys(left))


def _commands(script: str, name: str) -> set[int]:
    """Return the commands of which an argument begins with the value."""
    return {
        word.command
        for word in words(script)
        if _begins_with(word.text, name) and word.role == "argument"
    }


def _begins_with(text: str, name: str) -> bool:
    return re.match(rf'"?\$\{{?{name}\b', text) is not None


def _with_dashes(script: str, name: str, command: int) -> str | None:
    mine = [word for word in words(script) if word.command == command]
    if any(word.text == "--" for word in mine):
        return script
    if mine[0].text == "echo":
        return _as_printf(script, mine)
    arguments = [word for word in mine if word.role == "argument"]
    first = next(word for word in arguments if _begins_with(word.text, name))
    source = script.encode()
    return (source[: first.start] + b"-- " + source[first.start :]).decode()


def _as_printf(script: str, echo: Sequence[Placed]) -> str | None:
    """Return a script with `printf` in place of an `echo` of one text: it takes no `--`."""
    if len(echo) != 2 or echo[1].text[0] != '"':
        return None
    source = script.encode()
    return (source[: echo[0].start] + b"printf '%s\\n'" + source[echo[0].end :]).decode()
