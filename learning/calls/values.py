"""Say where the values of an argument come from: a template that gives in each run what was asked
with there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from learning.calls import requests
from learning.calls.book import MIN_CHARS, Book, slot
from learning.calls.finding import Found, found_in
from learning.calls.places import differ
from replay.wordings import LITERAL

TOKEN = re.compile(r"\{\{\w+\}\}|[A-Za-z0-9_#@.:/+-]*[A-Za-z0-9_]|\s+|.", re.DOTALL)
MAX_GUARDS = 2


class Unexplained(Exception):
    """Nothing says where a value came from. Its text is what the owner reads."""

    @classmethod
    def of(cls, key: str, values: Sequence[Any]) -> Unexplained:
        """Return the error that shows the values of an argument."""
        texts = [str(value) for value in values]
        shown = [text if len(text) <= 60 else f"{text[:57]}…" for text in texts]
        return cls(f"{key}: {' / '.join(shown)}")


class Values:
    """Explains arguments; steps save what that takes of their answers."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def template(self, values: Sequence[Any], key: str, name: str = "") -> Any:
        """Return the template of these values. Raises Unexplained, which names the argument."""
        try:
            return self._explained(values, key)
        except Unexplained as why:
            raise Unexplained(f"{name}{'.' if name else ''}{why}") from why

    def _explained(self, values: Sequence[Any], key: str) -> Any:
        ways = {Mapping: self._mapping, list: self._list}
        for kind, way in ways.items():
            if all(isinstance(value, kind) for value in values):
                return way(values, key)
        if any(isinstance(value, tuple(ways)) for value in values):
            raise Unexplained.of(key, values)
        return self._scalar(values, key)

    def _mapping(self, values: Sequence[Any], key: str) -> dict[str, Any]:
        keys = [sorted(value) for value in values]
        if differ(keys):
            raise Unexplained.of(key, keys)
        return {
            each: self._explained([value[each] for value in values], each) for each in values[0]
        }

    def _list(self, values: Sequence[Any], key: str) -> Any:
        if self.book.is_constant(values):
            return values[0]
        if name := self.book.called(values, key):
            return slot(name)
        lengths = {len(value) for value in values}
        if lengths == {1}:
            return [self._explained([value[0] for value in values], key.removesuffix("s"))]
        if name := self._looked_up(values, key) or self.book.parameter(key, values):
            return slot(name)
        if len(lengths) == 1:
            return [self._explained(list(row), key) for row in zip(*values, strict=True)]
        raise Unexplained.of(key, values)

    def _scalar(self, values: Sequence[Any], key: str) -> Any:
        book = self.book
        if all(isinstance(value, bool | None) for value in values):
            return self._constant(values, key)
        if name := book.called(values, key):
            return slot(name)
        if book.is_constant(values):
            return self._same(values, key)
        if name := book.parameter(key, values):
            return slot(name)
        if book.tells(values) and (name := self._looked_up(values, key)):
            return slot(name)
        is_text = all(isinstance(value, str) for value in values)
        return self.composed(values, key) if is_text else self._constant(values, key)

    def _same(self, values: Sequence[Any], key: str) -> Any:
        """Return a value that all runs share: a constant, unless it is an id that was looked up."""
        value, text = values[0], str(values[0])
        if self.book.says(text, is_exact=True):
            is_word = not LITERAL.search(text)  # what a wording can hold as it is
            return value if is_word else slot(self.book.parameter(key, values)) or value
        found = [each for each in found_in(self.book, values, key) if each.named]
        if isinstance(value, str) and re.search(r"\d", value):
            return slot(self._saved(found, values, key)) or value
        for each in found[:MAX_GUARDS]:
            each.guard(value)
        return value

    def _constant(self, values: Sequence[Any], key: str) -> Any:
        if any(value != values[0] for value in values):
            raise Unexplained.of(key, values)
        return values[0]

    def _looked_up(self, values: Sequence[Any], key: str, *, as_text: bool = False) -> str:
        """Return the name of the values as a step looks them up; "" where none can."""
        return self._saved(found_in(self.book, values, key, as_text=as_text), values, key)

    def _saved(self, found: Sequence[Found], values: Sequence[Any], key: str) -> str:
        """Save the best way and return its name; those that are as good must agree with it."""
        if not found:
            return ""
        best = found[0]
        name = self.book.save(best.source, best.extractor, values, key)
        if not isinstance(values[0], list):
            for other in filter(best.is_rival, found):
                other.guard(slot(name))
        elif best.doubles:
            self.book.again.append((best.source, name, best.doubles))
        return name

    def answer(self, answers: Sequence[str], *, is_question: bool) -> Any:
        """Return what is said in the end: a field, or a text with values. Raises Unexplained."""
        is_telling = differ(answers) or min(map(len, answers)) >= MIN_CHARS
        if is_telling and (name := self._looked_up(answers, "answer", as_text=True)):
            return slot(name)
        return self.composed(answers, "answer", must_differ=is_question)

    def composed(self, values: Sequence[str], key: str, *, must_differ: bool = False) -> str:
        """Return a text with the values in it that differ between the runs. Raises Unexplained."""
        texts = self.with_names(values)
        if not differ(texts):
            is_as_it_was = texts[0] == values[0] and self.book.is_single
            if must_differ and is_as_it_was:
                raise Unexplained.of(key, values)
            return texts[0]
        try:
            return self._joined([TOKEN.findall(text) for text in texts], key)
        except (Unexplained, ValueError) as why:  # or another number of words
            raise Unexplained.of(key, values) from why

    def _joined(self, rows: Sequence[Sequence[str]], key: str) -> str:
        parts: list[str] = []
        for column in zip(*rows, strict=True):
            parts.append(self._part(column, parts, key) if differ(column) else column[0])
        return "".join(parts)

    def _part(self, column: Sequence[str], before: Sequence[str], key: str) -> str:
        if any(text.startswith("{{") for text in column):
            raise Unexplained.of(key, column)
        near = next((part for part in reversed(before) if part.isidentifier()), key)
        name = self.book.parameter(near, column) or self._looked_up(column, near, as_text=True)
        if not name:
            raise Unexplained.of(key, column)
        return slot(name)

    def with_names(self, values: Sequence[str]) -> list[str]:
        """Return the texts with {{name}} in the places of known values that all of them hold."""
        texts = list(values)
        if any("{{" in text for text in texts):
            return texts
        known = [(name, row) for name, row in self.book.known.items() if self._tells(row)]
        for name, row in sorted(known, key=lambda item: -len(str(item[1][0]))):
            places = [requests.spans(t, str(v), True) for t, v in zip(texts, row, strict=True)]
            if all(places):
                pairs = zip(texts, places, strict=True)
                texts = [_replaced(text, spans, slot(name)) for text, spans in pairs]
        return texts

    def _tells(self, row: Sequence[Any]) -> bool:
        """Return True for values that do not stand in a text by chance."""
        is_scalar = all(isinstance(value, str | int | float) for value in row)
        return is_scalar and "" not in row and self.book.tells(row)


def _replaced(text: str, spans: Sequence[tuple[int, int]], by: str) -> str:
    for start, end in reversed(spans):
        is_within = text[:start].count("{{") > text[:start].count("}}")
        text = text if is_within else f"{text[:start]}{by}{text[end:]}"
    return text
