"""Write a script anew with parameters in the places of values, so that quoting and meaning stay as
they were typed."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from pathlib import Path

from learning.induce import programs
from learning.induce.letters import Letter, Letters
from learning.induce.places import FREE, Place, Spot, apart, is_path, places, several
from shell import words
from shell.placed import Placed
from text import pattern

PROGRAM_OPTIONS = ("-c", "-e", "--expression")
PROGRAM_PLACE = {"sqlite3": 1}  # arguments before the program; else it is the first
PROGRAM_QUOTES = ("single", "raw", "double", "document")
_QUOTES = ("single", "double")
_CLOSED = {"single": "'", "ansi": "'", "double": '"'}  # before a variable that stands free
_OPENED = _CLOSED | {"ansi": "$'"}  # behind it
_NEAR = pattern(r"(?:\.\./)?(?!\.\.?(?:/|$))")  # below a folder, or beside it


@dataclass(slots=True)
class Written:
    """A script with parameters. `first` are lines that come before it; `refused` says of a value
    why it stays as it is; `patterns` are what all values of a parameter must be like, where one is
    part of code."""

    script: str
    used: dict[str, int] = field(default_factory=dict)
    first: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    patterns: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the whole script."""
        return "\n".join([*dict.fromkeys(self.first), self.script])

    @classmethod
    def of(cls, script: str, values: Mapping[str, str], folders: Sequence[str]) -> Written:
        """Return a script with each value, in any spelling, replaced by its parameter."""
        home = Path.home()
        return written(script, {name: spellings(values[name], home, folders) for name in values})

    @staticmethod
    def several(script: str, value: str) -> list[Spot]:
        """Return the places of a short number that stands more than once."""
        return several(script, value)


def spellings(value: str, home: Path, folders: Sequence[str] = ()) -> list[str]:
    """Return spellings of a value, the usual one first; of a path also beside these folders."""
    if not re.match(r"~?/", value):
        return [value]
    path = value.rstrip("/") or "/"
    full = str(home) + path[1:] if path.startswith("~") else path
    found = [path, full]
    if full.startswith(f"{home}/"):
        found.append("~" + full[len(str(home)) :])
    relative = [os.path.relpath(full, folder) for folder in folders]
    near = sorted(filter(_NEAR.match, relative), key=lambda each: each.startswith("../"))
    return list(dict.fromkeys([*found, *near]))


def written(
    script: str,
    values: Mapping[str, Sequence[str]],
    only: Mapping[str, Sequence[int]] | None = None,
) -> Written:
    """Return a script with each value, in any of its spellings, replaced by the parameter of its
    name. `only`: which of its places, counted from the start, where it must stay in others."""
    letters = Letters(script)
    found = []
    for name, texts in values.items():
        spots = _standing(letters, texts)
        chosen = (only or {}).get(name, range(len(spots)))
        found += [(name, place) for at, place in enumerate(spots) if at in chosen]
    writer = _Writer(script, letters)
    result = writer.write(apart(found))
    if writer.raw is None:
        return result
    return written(letters.with_open_document(writer.raw), values, only)


def _standing(letters: Letters, texts: Sequence[str]) -> list[Place]:
    """Return where a value stands; a name alone counts where no other spelling does."""
    found: set[Place] = set()
    for text in texts:
        if "/" in text or not found:
            found |= {
                place
                for place in places(letters, text)
                if len(texts) == 1 or is_path(letters.text, place)
            }
    return sorted(found)


class _Writer:
    def __init__(self, script: str, letters: Letters) -> None:
        self.script, self.letters = script, letters
        self.words = words(script)
        self.programs = _programs(self.words)
        self.bytes = list(accumulate((len(each.encode()) for each in script), initial=0))
        self.result = Written(script)
        self.edits: set[tuple[int, int, str]] = set()  # bounds in the script, and the text there
        self.escaped: dict[tuple[str, str, str], str] = {}  # variables by name, command, escape
        self.raw: int | None = None  # where a value stands in a document that is taken as it is
        self.clashes = set(re.findall(r"\b(?:for|select)\s+(\w+)\b|^\s*(\w+)=", script, re.M))

    def write(self, found: Sequence[tuple[str, Place]]) -> Written:
        """Replace the places."""
        for name, place in reversed(found):
            try:
                self._replace(name, place)
            except programs.Refused as error:
                self.result.refused.setdefault(name, str(error))
            else:
                self.result.used[name] = self.result.used.get(name, 0) + 1
        for start, end, text in sorted(self.edits, reverse=True):
            script = self.result.script
            self.result.script = script[:start] + text + script[end:]
        return self.result

    def _replace(self, name: str, place: Place) -> None:
        variable = self._variable(name)
        word = self._word(place)
        command = self.programs.get(word, "") if place.opens == place.closes else ""
        is_program = place.opens in PROGRAM_QUOTES or command in programs.IN_WORDS
        if command and is_program:
            if pattern := self._in_program(variable, place, word, command):
                self.result.patterns[name] = pattern
        elif "gap" in (place.opens, place.closes):
            raise programs.Refused("it stands where the shell takes no values")
        else:
            self._put(place.start, place.end, variable, place)

    def _variable(self, name: str) -> str:
        """Return the variable to use: another one where the script has its own of this name."""
        if any(name in pair for pair in self.clashes):
            self.result.first.append(f"given_{name}=${name}")
            return f"given_{name}"
        return name

    def _in_program(self, name: str, place: Place, word: Placed | None, command: str) -> str:
        """Put a variable into a program; return what its values must be like, "" for any."""
        first, last = self._bounds(place)
        at, is_double = (place.first - first, place.last - first), place.opens == "double"
        stands = programs.Spot(
            self.letters.text[first:last], *at, name, self._options(word), is_double
        )
        spot = programs.taken(stands, command)
        start, end = self._in_script(first + spot.first, first + spot.last)
        if spot.around:
            opening, closing = self._in_script(first + spot.around[0], first + spot.around[1])
            self._splice(opening, opening, "(")
            self._splice(closing, closing, ")")
        if spot.code:
            code = shlex.quote(spot.code) if place.opens == "plain" else spot.code
            self._splice(start, end, code)
            return ""
        variable = name
        if spot.escape:
            known = [each for each in self.escaped if each[:2] == (name, command)]
            variable = f"{name}_in_{command}{len(known) or ''}"
            variable = self.escaped.setdefault((name, command, spot.escape), variable)
            escape = shlex.quote(spot.escape)
            self.result.first.append(f"{variable}=$(printf '%s' \"${name}\" | sed {escape})")
        self._put(start, end, variable, place)
        return spot.pattern

    def _in_script(self, first: int, last: int) -> tuple[int, int]:
        return self.letters.found[first].start, self.letters.found[last - 1].end

    def _bounds(self, place: Place) -> tuple[int, int]:
        """Return the letters of the program that a place is in: those of its word or document."""
        before = takewhile(self._is_like(place), reversed(self.letters.found[: place.first]))
        behind = takewhile(self._is_like(place), self.letters.found[place.last :])
        return place.first - len(list(before)), place.last + len(list(behind))

    @staticmethod
    def _is_like(place: Place) -> Callable[[Letter], bool]:
        ends = FREE if place.opens == "plain" else ""
        return lambda letter: letter.quoting == place.opens and letter.text not in ends

    def _put(self, start: int, end: int, variable: str, place: Place) -> None:
        """Put a variable in the place of a text: quoted where it stands free."""
        if place.opens == "raw":
            self.raw = place.start
            return
        around = self.script[start - 1] + self.script[end : end + 1]
        is_within_quotes = place.opens == place.closes == "double" and around != '""'
        if is_within_quotes or place.opens in ("document", "sum"):
            self._splice(start, end, f"${{{variable}}}")
            return
        before, behind = _CLOSED.get(place.opens, ""), _OPENED.get(place.closes, "")
        if place.opens in _QUOTES and before == around[0]:
            start, before = start - 1, ""
        if place.closes in _QUOTES and behind == around[1:]:
            end, behind = end + 1, ""
        self._splice(start, end, f'{before}"${variable}"{behind}')

    def _splice(self, start: int, end: int, text: str) -> None:
        self.edits.add((start, end, text))

    def _word(self, place: Place) -> Placed | None:
        start, end = self.bytes[place.start], self.bytes[place.end]
        around = [word for word in self.words if word.start <= start and end <= word.end]
        return min(around, key=lambda word: word.end - word.start, default=None)

    def _options(self, word: Placed | None) -> str:
        mine = [each for each in self.words if word and each.command == word.command]
        return " ".join(each.text for each in mine if each.role == "option")


def _programs(listed: Sequence[Placed]) -> dict[Placed | None, str]:
    """Return the words that are code, each with the command that takes it."""
    found: dict[Placed | None, str] = {}
    for first in listed:
        command = (first.value or "").rpartition("/")[2] if first.role == "command" else ""
        if command in programs.KINDS:
            mine = [each for each in listed if each.command == first.command]
            code = _code(command, [each for each in mine if each.start > first.start])
            found |= dict.fromkeys(code, command)
    return found


def _code(command: str, behind: Sequence[Placed]) -> list[Placed]:
    """Return words that are code: documents, and those of -c or -e, else the first argument."""
    documents, values, arguments = (
        [word for word in behind if word.role == role] for role in ("document", "value", "argument")
    )
    given = [word for word in values if word.of in PROGRAM_OPTIONS]
    has_no_place = any(word.of == "-f" for word in values) or command.startswith("python")
    at = len(arguments) if has_no_place else PROGRAM_PLACE.get(command, 0)
    return documents + (given or arguments[at : at + 1])
