"""Read a request: without politeness, full-width characters made plain, each character in its
place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from learning.route.place import held_words, words
from text import pattern
from text import values as readers

if TYPE_CHECKING:
    from text.values import Value

MAX_CHARS = 1000
PLAIN = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {
    ord(wide): plain for wide, plain in zip("　。、“”„‘’…", ' .,"""\'\'.', strict=True)
}
_EDGES = " \t\r\n,!:;."
_TAIL = pattern(r"(?:(?<=[^\s./])[.?!]+|[?!]+|[\s,]+)$")


@dataclass(frozen=True)
class Asked:
    """A request. `written`, `plain` and `lower` are equally long; the task stands from `start` to
    before `end`."""

    written: str
    plain: str
    lower: str
    start: int
    end: int

    @classmethod
    def read(cls, request: str) -> Asked:
        """Return the request as it is read."""
        plain = request.translate(PLAIN)
        lower = plain.lower()
        if not plain.isascii():
            lower = "".join(low if len(low := each.lower()) == 1 else each for each in plain)
        start, end = _without_politeness(lower)
        return cls(request, plain, without_articles(lower), start, end)

    @property
    def task(self) -> str:
        """Return the request as it was written, without politeness."""
        return self.written[self.start : self.end]

    def said(self, start: int, end: int) -> str:
        """Return what was said between two places, without the articles and spaces around it;
        quoted as written."""
        lower = self.lower[start:end]
        first = start + len(lower) - len(lower.lstrip())
        place = slice(first, start + len(lower.rstrip()))
        is_quoted = self.plain[place][:1] in tuple("\"'`「『《")
        return self.written[place] if is_quoted else self.plain[place]

    def without(self, places: Iterable[tuple[int, int]]) -> str:
        """Return the task with these places left blank."""
        text = self.written
        for start, end in places:
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
        return text[self.start : self.end]

    @cached_property
    def squeezed(self) -> str:
        """Return the request in lower case without spaces, for a quick look; then once more without
        articles."""
        return " ".join("".join(text.split()) for text in (self.plain.lower(), self.lower))

    @cached_property
    def words(self) -> str:
        """Return the task in lower case without the values that it names."""
        return self.without((each.start, each.end) for each in self.values).lower()

    def has_word(self, table: str) -> bool:
        """Return True where the request holds a word of this table."""
        return bool(held_words(self.plain, table))

    @cached_property
    def values(self) -> list[Value]:
        """Return the values that the task names."""
        found = readers.values_in(self.plain[:MAX_CHARS])
        return [each for each in found if self.start <= each.start <= each.end <= self.end]


def task_of(request: str) -> str:
    """Return a request in lower case without politeness, articles and the signs at its end."""
    asked = Asked.read(request)
    return " ".join(asked.lower[asked.start : asked.end].split())


def without_articles(text: str) -> str:
    """Return a text with spaces in the place of what says nothing."""
    return _articles().sub(lambda match: " " * len(match[0]), text)


@cache
def _articles() -> re.Pattern[str]:
    english = "|".join(each for each in words()["articles"] if each.isascii())
    chinese = "|".join(each for each in words()["articles"] if not each.isascii())
    return re.compile(rf"(?<!\S)(?:{english})(?!\S)|{chinese}")


def bare(task: str) -> str:
    """Return a task without what asks to be shown something, as far as that leaves anything."""
    first, last = _shows()
    return last.sub("", first.sub("", task, count=1)).strip() or task


@cache
def _shows() -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = words()["shows"]
    first, last = _either(table["before"]), _either(table["behind"])
    return re.compile(f"^(?:{first})", re.IGNORECASE), re.compile(f"(?:{last})$", re.IGNORECASE)


def _either(said: list[str]) -> str:
    bounded = (rf"\b{re.escape(each)}\b" if each.isascii() else re.escape(each) for each in said)
    return rf"(?:{'|'.join(bounded)})\s*"


def _without_politeness(lower: str) -> tuple[int, int]:
    start, end = 0, len(lower)
    while (found := _begin(lower, start, end)) > start:
        start = found
    while (found := _end(lower, start, end)) < end:
        end = found
    return start, end


def _begin(lower: str, start: int, end: int) -> int:
    start = end - len(lower[start:end].lstrip(" \t\r\n,!"))
    phrases = tuple(words()["before"])
    for phrase in phrases if lower.startswith(phrases, start, end) else ():
        behind = start + len(phrase)
        if lower.startswith(phrase, start, end) and _is_edge(phrase, lower[behind:end][:1]):
            return behind
    return start


def _end(lower: str, start: int, end: int) -> int:
    bare = start + len(_TAIL.sub("", lower[start:end]))
    phrases = tuple(words()["after"])
    for phrase in phrases if lower.endswith(phrases, start, bare) else ():
        before = bare - len(phrase)
        if lower.endswith(phrase, start, bare) and _is_edge(phrase, lower[start:before][-1:]):
            return before
    return bare


def _is_edge(phrase: str, beside: str) -> bool:
    """Return True where a phrase ends beside this character; Chinese needs no space."""
    return not (phrase.isascii() and beside.isascii() and beside.strip(_EDGES))
