"""The words of a script with their places, quoting and roles: where a parameter can stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from shell.bash import Command, Redirect, Word, read
from shell.catalogue import Entry, entry

Role = Literal["command", "option", "value", "argument", "target", "document", "assignment", "item"]
_MARKS = {"'": "single", '"': "double", "$'": "ansi", '$"': "double"}
# One pair of quotes around all, with none between that is not escaped.
_QUOTED = re.compile(r"(\$?(['\"]))(?:(?!\2)[^\\]|\\.)*\2", re.DOTALL)


class Placed(NamedTuple):
    """One word of a script. `start` and `end` are bytes of its UTF-8, quotes included.

    `role`: command (the name), option, value (of the option `of`), argument, target (of the
    redirection `of`), document (a here-document or here-string), assignment (of the variable `of`),
    item (of a `for` loop over the variable `of`). `value` is what the command gets, None where that
    is only known when it runs. `command` numbers the commands of `shell.read(script).commands`.
    """

    start: int
    end: int
    text: str
    value: str | None
    role: Role
    quoting: str  # "", single, double, ansi, or mixed
    has_glob: bool
    has_expansion: bool
    command: int
    of: str = ""


def words(script: str) -> list[Placed]:
    """Return the words of a script in the order of their places; those in `$(…)` too.

    Words that do not stand in the script as written are left out. Raises nothing: of a script that
    cannot be read it gives what could be (`shell.read(script).problem` says why).
    """
    source = script.encode("utf-8", "replace")
    found: dict[tuple[int, int], Placed] = {}
    for number, command in enumerate(read(script).commands):
        for word, role, of in _roles(command):
            if 0 <= word.start < word.end:
                placed = _placed(source, word, role, number, of)
                found.setdefault((placed.start, placed.end), placed)
    return [found[place] for place in sorted(found)]


def _placed(source: bytes, word: Word, role: Role, number: int, of: str) -> Placed:
    text = source[word.start : word.end].decode("utf-8", "replace")
    return Placed(
        *(word.start, word.end, text, word.value({}), role, _quoting(text)),
        *(word.has_glob, word.has_expansion, number, of),
    )


def _quoting(text: str) -> str:
    whole = _QUOTED.fullmatch(text)
    if whole:
        return _MARKS[whole[1]]
    return "mixed" if re.search(r"['\"\\]", text) else ""


def _roles(command: Command) -> Iterator[tuple[Word, Role, str]]:
    for name, word in command.assignments:
        yield word, "assignment", name
    if command.loop_variable:
        for word in command.words:
            yield word, "item", command.loop_variable
    else:
        yield from _of_words(command.words)
    for redirect in command.redirects:
        yield redirect.word, _of_redirect(redirect), redirect.operator


def _of_redirect(redirect: Redirect) -> Role:
    return "document" if redirect.operator in ("<<", "<<<") else "target"


def _of_words(listed: list[Word], first: int = 0) -> Iterator[tuple[Word, Role, str]]:
    """Yield the name, then options with their values, then arguments; the command behind a wrapper
    again."""
    if first >= len(listed):
        return
    yield listed[first], "command", ""
    name = listed[first].written.rpartition("/")[2]
    known = entry(name)
    skipped = int(known.more.get("runs", -1)) if known else -1
    before, is_behind = "", False
    for at in range(first + 1, len(listed)):
        word = listed[at]
        role = _role(word, before, known, is_behind)
        if role == "argument" and skipped == 0:
            yield from _of_words(listed, at)
            return
        skipped -= role == "argument"
        yield word, role, before if role == "value" else ""
        before = word.literal or ""
        is_behind |= before == "--"


def _role(word: Word, before: str, known: Entry | None, is_behind: bool) -> Role:
    if is_behind:
        return "argument"
    if known and before in known.takes:
        return "value"
    return "option" if re.match("-.", word.written) else "argument"
