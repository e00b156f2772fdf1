"""Cut a script at the programs that work outside the sandbox.

Such a program sees what is committed, and nothing that a script has set: so what stands before it
is committed first, and what stands behind it is a script of its own.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sandbox.broker import Untrusted, program
from sandbox.network import NOTHING, Leave, Outside
from text import names, pattern
from tools.base import ToolContext, ToolError

_ENDS = pattern(rb"(?:[ \t]*2>&1)?[ \t]*(?:&&|;|\n|\Z)")  # behind a program that works outside
_STARTS = pattern(rb"(?:\A\s*|&&\s*|;\s*|\n\s*)\Z")  # before it
_MOVES = ("cd", "pushd", "popd")
_SETS = names("export declare typeset readonly unset source . eval alias exec")


class Piece(NamedTuple):
    """A part of a script: text for the shell, or the words of a program that works outside."""

    text: str
    cwd: Path
    words: tuple[str, ...] = ()


def allowed(ctx: ToolContext, tool: str, args: dict[str, Any], folder: Path) -> Leave:
    """Return what a call may reach beyond the sandbox."""
    if ctx.sandbox is None:
        return NOTHING
    found = ctx.leave(tool, args, (folder,))
    is_owners = ctx.sandbox.profile.kind == "owner"
    if not is_owners:  # a shared session has nobody who would allow more
        return Leave(found.hosts)
    # of a replay the owner was asked about the files alone; all else is judged by what it changes
    return Leave(found.hosts, files=found.files) if ctx.hold else found


def outside(words: tuple[str, ...]) -> list[str]:
    """Return the words of a program that works outside the sandbox, which is root's. Raises
    ToolError."""
    try:
        return [str(program(words[0])), *words[1:]]
    except Untrusted as error:
        raise ToolError(str(error)) from error


def cut(script: str, cwd: Path, leave: Leave) -> list[Piece]:
    """Return the pieces, in their order; the script itself where nothing in it works outside.
    Raises ToolError."""
    if "\0" in script:
        raise ToolError("error.scripts.script-holds-nul-character")
    try:
        script.encode()
    except UnicodeEncodeError as error:
        raise ToolError("error.scripts.script-half-surrogate-pair", number=error.start) from error
    if leave.unclear:
        raise _not_alone(leave.unclear[0])
    if not leave.programs:
        return [Piece(script, cwd)]
    return list(_cut(script.encode(), cwd, sorted(leave.programs, key=lambda each: each.start)))


def _cut(script: bytes, cwd: Path, programs: list[Outside]) -> Iterator[Piece]:
    at = 0
    for each in programs:
        before, end = script[at : each.start], _ENDS.match(script, each.end)
        start = _STARTS.search(before)
        if start is None or end is None:
            raise _not_alone(each.words[0])
        text = before[: start.start()].decode()
        if text.strip():
            _check(text, each.words[0])
            yield Piece(text, cwd)
            cwd = _left_in(text, cwd, each.words[0])
        yield Piece(script[each.start : each.end].decode(), cwd, each.words)
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
    """Return the folder in which a piece leaves its shell. Raises ToolError where that, or what it
    sets, cannot be told."""
    named = _commands(text)
    if any(map(_SETS.issuperset, (words[:1] for words in named))):
        raise _not_alone(name)
    moves = [words for words in named if words[0] in _MOVES]
    if not moves:
        return cwd
    match named[0]:
        case ["cd", str(target)] if len(moves) == 1:
            return (cwd / target).resolve()
    raise _not_alone(name)


def _commands(text: str) -> list[list[str | None]]:
    """Return the words of each command, None for what only a shell knows; one without words for
    what is not understood."""
    from shell.bash import NotUnderstood, parse

    home = {"HOME": os.path.expanduser("~")}  # noqa: PTH111 - as the shell has it
    try:
        return [[word.value(home) for word in command.words] for command in parse(text)]
    except NotUnderstood:
        return [[]]


def _not_alone(name: str) -> ToolError:
    return ToolError("error.scripts.nothing-run-works-outside", program=name)
