"""Tell what is known at one place of a script: variables, the working folder, files that it
made."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from shell.bash import Command
from shell.effects.records import Effect

MAX_DEPTH = 6  # of scripts within scripts
MAX_COMMANDS = 250  # in one script; nobody reads more before they say yes
_TAKEN = ("deletes", "takes")


def _nothing(state: State, text: str) -> None:
    raise NotImplementedError


class Arg(NamedTuple):
    """One argument. `text` is None when it is only known when it runs; then `start` is what is
    known of its beginning."""

    text: str | None
    start: str = ""
    is_pattern: bool = False
    has_output: bool = False  # holds the output of a command, which is not known
    stream: tuple[Command, ...] = ()  # of `<(…)`: the commands whose output can be read there

    @property
    def is_printed(self) -> bool:
        """Return True for what a command prints."""
        return self.has_output or bool(self.stream)


@dataclass(slots=True)
class State:
    """The state of a script while it is gone through. `effects` and `budget` are shared with inner
    scripts.

    `run` goes through an inner script, `run_words` through one command: the walk sets them.
    """

    variables: dict[str, str]
    cwd: str | None
    depth: int = 0
    effects: list[Effect] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    written: dict[str | None, str | None] = field(
        default_factory=dict
    )  # files made: their text, if known
    copies: dict[str | None, str] = field(
        default_factory=dict
    )  # files made from programs: their names
    outputs: set[str] = field(default_factory=set)  # variables with an output that is not known
    budget: list[int] = field(default_factory=lambda: [MAX_COMMANDS])
    forbidden: frozenset[str] = frozenset()
    reads: Callable[[str], str | None] = lambda _: None
    run: Callable[[State, str], None] = _nothing
    run_words: Callable[[State, list[Arg], Command], None] = lambda *_: None

    def has_text(self, path: str | None) -> bool:
        """Return True of a file that the script itself has made, or whose text can be read:
        `written` holds it then."""
        if path is not None and path not in self.written:
            text = self.reads(path)
            self.written |= {} if text is None else {path: text}
        return path in self.written

    def inner(self) -> State:
        """Return the state for a script that this one runs: it knows the same and changes nothing
        here."""
        copied = ("variables", "functions", "written", "copies", "outputs")
        own = {name: getattr(self, name).copy() for name in copied}
        return replace(self, depth=self.depth + 1, **own)

    def script(self, text: str) -> None:
        """Go through a script that this one runs."""
        self.run(self.inner(), text)

    def add(self, kind: str, command: str, verb: str = "", *, is_local: bool = True) -> None:
        """Note an effect."""
        self.effects.append(Effect(kind, command, verb, is_local=is_local))

    def forget(self, command: str) -> None:
        """Take the effects of a command back: a closer look found it harmless."""
        self.effects[:] = [each for each in self.effects if each.command != command]

    def file(self, kind: str, command: str, arg: Arg) -> None:
        """Note what happens to a file. Of a name that is known in its beginning alone the folder
        counts."""
        if arg.text is not None:
            path = self.join(arg.text)
        elif kind in _TAKEN:
            kind, path = "deletes", self.join(f"{arg.start.rpartition('/')[0] or '.'}/found")
        else:
            path = self.join(arg.start) if arg.start.startswith(("/", "~")) else None
        if path is not None:
            self.effects.append(Effect(kind, command, "", path, arg.is_pattern))

    def join(self, text: str) -> str | None:
        """Return the path that a name stands for, or None where the working folder is not known."""
        text = text.removeprefix("file://").removeprefix("@")
        if not re.fullmatch(r"[^\0]{1,4096}", text):
            return None
        if text.startswith("/"):
            return _plain(text)
        return None if self.cwd is None else _plain(f"{self.cwd}/{text}")


def _plain(path: str) -> str:
    """Return the path without dots; a slash at the end stays, for a pattern behind it."""
    return re.sub(r"^//+", "/", posixpath.normpath(path))
