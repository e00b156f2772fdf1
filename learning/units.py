"""The scalars in the arguments of a call: each with its place, and the names that stand beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learning import python_words, shell_words
from learning.mentions import _normal
from memory.runlog.evidence import Result
from shell.bash import NotUnderstood

NOWHERE = Path("/\0")
MIN_BYTES = 3  # a shorter value never binds by value alone


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the run could know of where it ran."""

    cwd: Path
    owner_home: Path
    today: str  # 2026-01-31
    user: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """A scalar of a call's arguments; of a script, one of its words or constants. `number` counts them."""

    call: int
    argument: tuple[str | int, ...]
    number: int
    text: str
    place: str = "argument"
    hints: tuple[str, ...] = ()
    folder: Path = Path()  # where relative paths of this call start
    language: str = ""  # "bash", "python", or "" for an argument itself
    is_home_known: bool = True  # a leading ~ means the owner's home
    is_number: bool = False
    verb: str = ""

    @property
    def where(self) -> tuple[int, tuple[str | int, ...], int]:
        return self.call, self.argument, self.number


def units_of(number: int, call: Result, cwd: Path, owner_home: Path) -> tuple[list[Unit], str]:
    """The scalars of a call; and why its script could not be read, or ""."""
    folder = absolute(str(call.args.get("cwd") or "."), cwd, owner_home)
    units, why = [], ""
    for path, value in scalars(call.args):
        if path == ("script",) and call.tool == "code_run" and isinstance(value, str):
            try:
                units += script_units(number, value, str(call.args.get("type")), folder)
            except NotUnderstood as error:
                why = str(error)
        elif path != ("type",) or call.tool != "code_run":
            here = cwd if path == ("cwd",) else folder
            hints = tuple(str(part).lower() for part in path if isinstance(part, str))
            is_number = isinstance(value, int | float)
            units.append(
                Unit(number, path, 0, as_text(value), "argument", hints, here, is_number=is_number)
            )
    return units, why


def script_units(number: int, script: str, kind: str, folder: Path) -> list[Unit]:
    """The words of a shell script, or the constants of a Python one. Raises NotUnderstood."""
    if kind == "python":
        return [
            Unit(number, ("script",), n, as_text(c.value), c.place, c.hints, folder, "python", is_number=not isinstance(c.value, str), verb=_printer(script, c))
            for n, c in enumerate(python_words.scan(script))
        ]  # fmt: skip
    units, here = [], folder
    for n, word in enumerate(shell_words.scan(script).words):
        is_home = next((piece.kind for piece in word.pieces if piece.text), "") == "home"
        units.append(
            Unit(
                number,
                ("script",),
                n,
                word.text,
                word.place,
                word.hints,
                here,
                "bash",
                is_home,
                verb=word.verb,
            )
        )
        if word.is_first and word.text in ("cd", "pushd", "popd"):
            here = NOWHERE  # from here on nobody knows where a relative path starts
    return units


def _printer(script: str, constant: python_words.PyConstant) -> str:
    """ "print" for a text that stands by itself among what is printed."""
    is_printed = constant.hints == ("print",) and re.search(r"[(,]\s*$", script[: constant.start])
    return "print" if is_printed else ""


def scalars(
    value: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str | int | float]]:
    """Each text and number inside nested arguments, with its path."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from scalars(inner, (*path, str(key)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from scalars(inner, (*path, number))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, value


def as_text(value: str | int | float) -> str:
    """A scalar as it would stand in a text."""
    return value if isinstance(value, str) else json.dumps(value)


def absolute(text: str, cwd: Path, owner_home: Path) -> Path:
    """The path that a text means in a folder, without dots; links are not followed."""
    path = owner_home / text[1:].lstrip("/") if text == "~" or text.startswith("~/") else cwd / text
    return Path(*_normal(path.parts))
