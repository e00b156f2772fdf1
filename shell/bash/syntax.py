"""The records of a script that was read: commands, words, parts, redirections. Offsets are bytes of
its UTF-8."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from text import pattern

PartKind = Literal["text", "variable", "unknown"]
_GLOB = pattern(r"[*?]|\[.+\]")
_EXPANDS = pattern(r"^~(/|$)|\{[^{}]*(,|\.\.)[^{}]*\}")


class NotUnderstood(Exception):
    """The script is not shell as we read it; the text says where the reader stopped."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a word: "text" as it is, "variable" by name, or "unknown" (a substitution, an
    expansion).

    Of an unknown part `source` is the text of a `${…}`, and `commands` are those of a substitution.
    """

    kind: str
    value: str = ""
    is_quoted: bool = False
    source: str = ""
    commands: tuple[Command, ...] = field(default=(), compare=False, repr=False)


@dataclass(slots=True)
class Word:
    """One word of a command, before expansion. `items` are the words of an array.

    `start` and `end` are -1 where the word does not stand in the script as written (inside
    backticks with escapes, or in a script that was read in other words).
    """

    parts: list[Part] = field(default_factory=list)
    items: list[Word] | None = None
    start: int = field(default=-1, compare=False)
    end: int = field(default=-1, compare=False)

    def value(self, variables: Mapping[str, str]) -> str | None:
        """Return the word as the command gets it, or None. A pattern such as *.txt stays a
        pattern."""
        texts = []
        for part in self.parts:
            text = variables.get(part.value) if part.kind == "variable" else part.value
            if part.kind == "unknown" or text is None:
                return None
            texts.append(text)
        whole = "".join(texts)
        is_home = self._starts_plain and re.match(r"~(/|$)", whole) is not None
        return variables["HOME"] + whole[1:] if is_home and "HOME" in variables else whole

    def known_start(self, variables: Mapping[str, str]) -> str:
        """Return what is known of the word's beginning."""
        known = Word()
        for part in self.parts:
            if Word([part]).value(variables) is None:
                break
            known.parts.append(part)
        return str(known.value(variables))

    @property
    def _starts_plain(self) -> bool:
        return bool(self.parts) and self.parts[0].kind == "text" and not self.parts[0].is_quoted

    @property
    def written(self) -> str:
        """Return the word as it stands in the script, as far as it can be told."""
        names = {"variable": "$"}
        return "".join(names.get(part.kind, "") + part.value for part in self.parts)

    @property
    def literal(self) -> str | None:
        """Return the text of an unquoted word without any expansion, for reserved words; else
        None."""
        is_plain = self._starts_plain and len(self.parts) == 1
        return self.parts[0].value if is_plain else None

    @property
    def has_glob(self) -> bool:
        """Return True if the shell would look for files that fit the word."""
        return any(_GLOB.search(part.value) for part in self._bare())

    @property
    def has_expansion(self) -> bool:
        """Return True if the value depends on anything but the word's own text."""
        if {part.kind for part in self.parts} - {"text"}:
            return True
        return any(_EXPANDS.search(part.value) for part in self._bare())

    def _bare(self) -> list[Part]:
        return [part for part in self.parts if part.kind == "text" and not part.is_quoted]


@dataclass(slots=True)
class Redirect:
    """`> file`, `<<< text` (the word is the text), `<< END` (the word is the document)."""

    operator: str
    word: Word


@dataclass(slots=True)
class Command:
    """A simple command: assignments before it, words, redirections. `is_piped`: it reads another's
    output."""

    words: list[Word] = field(default_factory=list)
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    is_piped: bool = False
    loop_variable: str = ""  # of `for NAME in words`: the words are no command
    source: Command | None = None  # whose output it reads, if that is one simple command
    sources: tuple[Command, ...] = ()  # … if it is several: of `{ a; b; } |`
    start: int = field(default=-1, compare=False)
    end: int = field(default=-1, compare=False)


@dataclass(slots=True)
class Script:
    """A script that was read: its commands in order, the bodies of its functions, and what could
    not be read."""

    commands: list[Command] = field(default_factory=list)
    functions: dict[str, list[Command]] = field(default_factory=dict)
    problem: str = ""
