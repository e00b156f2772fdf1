"""Cut a script at the programs that work outside the sandbox.

Such a program sees what is committed, and nothing that a script has set: so what stands before it is committed first, and what
stands behind it is a script of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sandbox.network import Leave, Outside
from tools.base import ToolError

_ENDS = re.compile(rb"(?:[ \t]*2>&1)?[ \t]*(?:&&|;|\n|\Z)")  # behind a program that works outside
_STARTS = re.compile(rb"(?:\A\s*|&&\s*|;\s*|\n\s*)\Z")  # before it
_MOVES = ("cd", "pushd", "popd")
_SETS = (
    "export",
    "declare",
    "typeset",
    "readonly",
    "unset",
    "source",
    ".",
    "eval",
    "alias",
    "exec",
)


class Piece(NamedTuple):
    """A part of a script: text for the shell, or the words of a program that works outside."""

    text: str
    cwd: Path
    words: tuple[str, ...] = ()


def cut(script: str, cwd: Path, leave: Leave) -> list[Piece]:
    """Return the pieces, in their order; the script itself where nothing in it works outside. Raises ToolError."""
    if leave.unclear:
        raise _not_alone(leave.unclear[0])
    if not leave.programs:
        return [Piece(script, cwd)]
    return list(_cut(script.encode(), cwd, sorted(leave.programs, key=lambda each: each.start)))


def _cut(script: bytes, cwd: Path, programs: list[Outside]) -> Iterator[Piece]:
    at = 0
    for program in programs:
        before, end = script[at : program.start], _ENDS.match(script, program.end)
        start = _STARTS.search(before)
        if start is None or end is None:
            raise _not_alone(program.words[0])
        text = before[: start.start()].decode()
        if text.strip():
            _check(text, program.words[0])
            yield Piece(text, cwd)
            cwd = _left_in(text, cwd, program.words[0])
        yield Piece(script[program.start : program.end].decode(), cwd, program.words)
        at = end.end()
    if rest := script[at:].decode().strip():
        _check(rest, programs[-1].words[0])
        yield Piece(rest, cwd)


def _check(text: str, name: str) -> None:
    """Raise ToolError where the program stands within a loop, a condition or a group."""
    words = ["bash", "-n", "-c", text]
    if subprocess.run(words, capture_output=True, check=False, timeout=10).returncode:
        raise _not_alone(name)


def _left_in(text: str, cwd: Path, name: str) -> Path:
    """Return the folder in which a piece leaves its shell. Raises ToolError where that, or what it sets, cannot be told."""
    from shell.bash import NotUnderstood, parse

    try:
        commands = parse(text)
    except NotUnderstood:
        raise _not_alone(name) from None
    home = {"HOME": os.path.expanduser("~")}  # noqa: PTH111 - as the shell has it
    named = [[word.value(home) for word in command.words] for command in commands]
    if any(not words or words[0] in _SETS for words in named):
        raise _not_alone(name)
    moves = [words for words in named if words[0] in _MOVES]
    if not moves:
        return cwd
    target = moves[0][1] if moves[0][0] == "cd" and len(moves[0]) == 2 else None
    if len(moves) > 1 or moves[0] is not named[0] or target is None:
        raise _not_alone(name)
    return (cwd / target).resolve()


def _not_alone(name: str) -> ToolError:
    return ToolError(
        f"nothing was run: {name} works outside the sandbox, where it sees no variables of a script and no files that are not"
        " committed. Give it plain words, in a call of its own, or between && at the top of a script; 2>&1 may follow, no pipe"
    )
