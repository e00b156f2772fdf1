"""Read a bash script into its letters as the shell takes them: each with its place and the quoting
it stands in.

Quotes, backslashes and names of variables are no letters; a gap stands in their place where text
may not be joined over them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from text import pattern

Quoting = Literal["plain", "single", "double", "ansi", "document", "raw", "sum", "gap"]
GAP = "\0"
_NAME = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])")
_DOCUMENT = re.compile(r"<<-?[ \t]*(\\?[\w.-]+|'[^'\n]*'|\"[^\"\n]*\")")


class Letter(NamedTuple):
    """One letter of what the shell takes: it stands at `start` to `end` of the script."""

    text: str
    start: int
    end: int
    quoting: Quoting


class Letters:
    """The letters of a script, in order."""

    def __init__(self, script: str) -> None:
        self.script = script
        self.found: list[Letter] = []
        self._stack: list[str] = ["plain"]
        self._documents: list[tuple[str, bool, tuple[int, int]]] = []
        self._bounds: list[tuple[tuple[int, int], int, int]] = []  # of documents: word, body
        at = 0
        while at < len(script):
            at = self._step(at)
        self.text = "".join(letter.text for letter in self.found)

    def _add(self, start: int, end: int, quoting: Quoting, text: str | None = None) -> int:
        letter = self.script[start:end] if text is None else text
        self.found.append(Letter(letter, start, end, quoting))
        return end

    def _gap(self, start: int, end: int) -> int:
        return self._add(start, end, "gap", GAP)

    def _step(self, at: int) -> int:
        """Take what stands at a place; return where the next begins."""
        letter, top = self.script[at], self._stack[-1]
        if letter == "\\":
            return self._escaped(at, top)
        if letter == "$":
            return self._dollar(at, top)
        if (top, letter) == ("double", '"'):
            self._stack.pop()
            return at + 1
        if top == "double":
            return self._add(at, at + 1, "double")
        return self._in_plain(at, letter, top)

    def _escaped(self, at: int, top: str) -> int:
        following = self.script[at + 1 : at + 2]
        if top == "double" and following not in ("$", "`", '"', "\\", "\n"):
            return self._add(at, at + 1, "double")
        if following == "\n":
            return at + 2
        quoting: Quoting = "double" if top == "double" else "plain"
        return self._add(at, at + 2, quoting, following or "\\")

    def _dollar(self, at: int, top: str) -> int:
        rest = self.script[at : at + 3]
        if rest.startswith("$'") and top != "double":
            return self._quoted(at, at + 2, "ansi")
        for opening, inner in (("$((", "sum"), ("$(", "inner"), ("${", "brace")):
            if rest.startswith(opening):
                self._stack.append(inner)
                name = re.match(r"[!#]?\w+", self.script[at + 2 :]) if inner == "brace" else None
                return self._gap(at, at + len(opening) + (name.end() if name else 0))
        if found := _NAME.match(self.script, at):
            return self._gap(at, found.end())
        return self._add(at, at + 1, "double" if top == "double" else "plain")

    def _in_plain(self, at: int, letter: str, top: str) -> int:
        if letter == _CLOSES.get(top):
            return self._closed(at, top)
        for form, take in _OUT_OF_QUOTES:
            if found := form.match(self.script, at):
                return take(self, found)
        if letter == "\n" and self._documents:
            return self._bodies(self._add(at, at + 1, "plain"))
        if letter == "(":
            self._stack.append("inner")
        return self._add(at, at + 1, "sum" if top == "sum" else "plain")

    def _closed(self, at: int, top: str) -> int:
        self._stack.pop()
        return self._gap(at, at + (2 if top == "sum" and self.script.startswith("))", at) else 1))

    def _opened(self, found: re.Match[str]) -> int:
        self._stack.append("double")
        return found.end()

    def _quoted(self, at: int, start: int, quoting: Quoting) -> int:
        """Take a text in single quotes, from `start` on."""
        end = start
        while end < len(self.script) and self.script[end] != "'":
            wide = 2 if quoting == "ansi" and self.script[end] == "\\" else 1
            end = self._add(end, end + wide, quoting) if wide == 1 else self._gap(end, end + wide)
        return end + 1

    def _document(self, found: re.Match[str]) -> int:
        word, is_text = found[1], found[0].startswith("<<<")
        if self._stack[-1] == "sum":
            return self._add(found.start(), found.start() + 1, "sum")
        if not is_text:
            self._documents.append((word.strip("'\"\\"), word[0] in "'\"\\", found.span(1)))
        return self._gap(found.start(), found.end())

    def _bodies(self, at: int) -> int:
        """Take the here-documents that begin at a line."""
        for word, is_raw, named in self._documents:
            first = at
            while at < len(self.script):
                end = self.script.find("\n", at)
                end = len(self.script) if end < 0 else end + 1
                line = self.script[at:end]
                if line.strip("\t\n") == word:
                    at = self._gap(at, end)
                    break
                at = self._line(at, end, is_raw)
            self._bounds.append((named, first, at))
        self._documents.clear()
        return at

    def with_open_document(self, at: int) -> str:
        """Return the script with the document around a place open to variables."""
        (start, end), first, last = next(each for each in self._bounds if each[1] <= at < each[2])
        word = re.sub(r"['\"\\]", "", self.script[start:end])
        body = re.sub(r"([\\$`])", r"\\\1", self.script[first:last])
        return self.script[:start] + word + self.script[end:first] + body + self.script[last:]

    def _line(self, at: int, end: int, is_raw: bool) -> int:
        """Take one line of a here-document."""
        while at < end:
            found = None if is_raw else _NAME.match(self.script, at)
            if found or (not is_raw and self.script[at] in "\\`$"):
                at = self._gap(at, found.end() if found else at + 1)
            else:
                at = self._add(at, at + 1, "raw" if is_raw else "document")
        return at


_CLOSES = {"inner": ")", "brace": "}", "sum": ")"}
_OUT_OF_QUOTES: tuple[tuple[re.Pattern[str], Callable[[Letters, re.Match[str]], int]], ...] = (
    (pattern(r"'"), lambda mine, found: mine._quoted(found.start(), found.end(), "single")),
    (pattern(r'"'), Letters._opened),
    (pattern(r"(?<![^ \t\n;&|(])#[^\n]*"), lambda mine, found: mine._gap(*found.span())),
    (_DOCUMENT, Letters._document),
)
