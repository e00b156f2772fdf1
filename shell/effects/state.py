"""Hold what is known at one place of a script: variables, the working folder, functions, files that it made."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from shell.bash import Command
from shell.effects.expand import Arg, Expander
from shell.effects.records import Effect

MAX_DEPTH = 6  # of scripts within scripts
MAX_COMMANDS = 250  # in one script; nobody reads more before they say yes


@dataclass(slots=True)
class State:
    """The state of a script while it is gone through. `effects` and `budget` are shared with inner scripts."""

    variables: dict[str, str]
    cwd: str | None
    depth: int = 0
    effects: list[Effect] = field(default_factory=list)
    functions: dict[str, list[Command]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    written: dict[str, str | None] = field(default_factory=dict)  # files made: their text, if known
    programs: dict[str, str] = field(default_factory=dict)  # copies of programs: their names
    positional: list[str] | None = None
    arrays: dict[str, list[str]] = field(default_factory=dict)
    outputs: set[str] = field(default_factory=set)  # variables with an output that is not known
    loops: dict[str, list[str]] = field(default_factory=dict)
    budget: list[int] = field(default_factory=lambda: [MAX_COMMANDS])
    forbidden: frozenset[str] = frozenset()
    prints: Callable[[tuple[Command, ...]], str | None] = lambda _: None

    def inner(self) -> State:
        """Return the state for a script that this one runs: it knows the same and changes nothing here."""
        return replace(
            self,
            variables=dict(self.variables),
            depth=self.depth + 1,
            functions=dict(self.functions),
            aliases=dict(self.aliases),
            written=dict(self.written),
            arrays=dict(self.arrays),
            outputs=set(self.outputs),
            loops=dict(self.loops),
        )

    def add(self, kind: str, command: str, verb: str = "", *, is_local: bool = True) -> None:
        """Note an effect."""
        self.effects.append(Effect(kind, command, verb, is_local=is_local))

    def file(self, kind: str, command: str, arg: Arg) -> None:
        """Note what happens to a file, if its name is known at least in its beginning."""
        if arg.text is None:
            self._somewhere(kind, command, arg.start)
        elif (path := self.join(arg.text)) is not None:
            self.effects.append(Effect(kind, command, "", path, arg.is_pattern))

    def _somewhere(self, kind: str, command: str, start: str) -> None:
        """A name that is only known in its beginning: of what is taken away the folder counts."""
        if kind in ("deletes", "takes"):
            path = self.join(f"{start.rpartition('/')[0]}/found" if "/" in start else "found")
            if path is not None and path != "/found":
                self.effects.append(Effect("deletes", command, "", path))
        elif start.startswith(("/", "~")) and (path := self.join(start)) is not None:
            self.effects.append(Effect(kind, command, "", path))

    def join(self, text: str) -> str | None:
        """Return the path that a name stands for, or None where the working folder is not known."""
        text = text.removeprefix("file://").removeprefix("@")
        if not text or len(text) > 4096 or "\0" in text:
            return None
        if text.startswith("/"):
            return _plain(text)
        return None if self.cwd is None else _plain(f"{self.cwd}/{text}")

    def expander(self) -> Expander:
        """Return what is known of the variables here."""
        return Expander(self.variables, self.prints, self.arrays, self.outputs, self.positional)


def _plain(path: str) -> str:
    """The path without dots; a slash at the end stays, for a pattern behind it."""
    return re.sub(r"^//+", "/", posixpath.normpath(path))
