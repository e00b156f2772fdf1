"""Say where the values of an argument come from: a template that gives in each run what was asked
with there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from learning.calls import requests
from learning.calls.book import MIN_CHARS, Book, Source
from learning.calls.finding import Found, found_in
from replay.wordings import LITERAL

TOKEN = re.compile(r"\{\{\w+\}\}|[A-Za-z0-9_#@.:/+-]*[A-Za-z0-9_]|\s+|.", re.DOTALL)
MAX_GUARDS = 2


class Unexplained(Exception):
    """Nothing says where a value came from. Its text is what the owner reads."""


class Values:
    """Explains arguments. What it needs of earlier answers is saved by the steps that bring
    them."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def template(self, values: Sequence[Any], key: str, name: str = "") -> Any:
        """Return the template of these values, one of each run. Raises Unexplained, which names the
        argument."""
        try:
            return self._explained(values, key)
        except Unexplained as why:
            raise Unexplained(f"{name}{'.' if name else ''}{why}") from why

    def _explained(self, values: Sequence[Any], key: str) -> Any:
        if all(isinstance(value, Mapping) for value in values):
            return self._mapping(values, key)
        if all(isinstance(value, list) for value in values):
            return self._list(values, key)
        if any(isinstance(value, list | Mapping) for value in values):
            raise Unexplained(f"{key}: {_shown(values)} have different forms")
        return self._scalar(values, key)

    def _mapping(self, values: Sequence[Any], key: str) -> dict[str, Any]:
        names = list(values[0])
        if any(set(value) != set(names) for value in values):
            raise Unexplained(f"{key}: {_shown([sorted(value) for value in values])}")
        return {name: self._explained([value[name] for value in values], name) for name in names}

    def _list(self, values: Sequence[Any], key: str) -> Any:
        if all(value == values[0] for value in values) and not self.book.is_single:
            return values[0]
        if name := self.book.called(values, key):
            return f"{{{{{name}}}}}"
        lengths = {len(value) for value in values}
        if lengths == {1}:
            singular = key[:-1] if key.endswith("s") else key
            return [self._explained([value[0] for value in values], singular)]
        if found := self._named(found_in(self.book, values, key), values, key):
            return found
        if name := self.book.parameter(key, values):
            return f"{{{{{name}}}}}"
        if len(lengths) == 1:
            return [self._explained(list(row), key) for row in zip(*values, strict=True)]
        raise Unexplained(f"{key}: {_shown(values)}")

    def _scalar(self, values: Sequence[Any], key: str) -> Any:
        book = self.book
        if all(isinstance(value, bool) or value is None for value in values):
            return self._constant(values, key)
        if name := book.called(values, key):
            return f"{{{{{name}}}}}"
        differ = len(set(map(repr, values))) > 1
        if not differ and not book.is_single:
            return self._same(values, key)
        if name := book.parameter(key, values):
            return f"{{{{{name}}}}}"
        is_telling = differ or len(str(values[0])) >= MIN_CHARS
        found = self._named(found_in(book, values, key), values, key) if is_telling else ""
        return found or self._made(values, key)

    def _made(self, values: Sequence[Any], key: str) -> Any:
        is_text = all(isinstance(value, str) for value in values)
        return self.composed(values, key) if is_text else self._constant(values, key)

    def _same(self, values: Sequence[Any], key: str) -> Any:
        """Return a value that is the same in all runs: a constant, unless it is an id that was
        looked up."""
        value = values[0]
        if all(requests.spans(run.request, str(value), True) for run in self.book.runs):
            is_word = not LITERAL.search(str(value))  # what a wording can hold as it is
            name = "" if is_word else self.book.parameter(key, values)
            return f"{{{{{name}}}}}" if name else value
        found = [each for each in found_in(self.book, values, key) if each.is_named]
        is_id = isinstance(value, str) and re.search(r"\d", value) is not None
        if is_id:
            return self._named(found, values, key) or value
        for each in found[:MAX_GUARDS]:
            guard(each, value)
        return value

    def _constant(self, values: Sequence[Any], key: str) -> Any:
        if any(value != values[0] for value in values):
            raise Unexplained(f"{key}: {_shown(values)}")
        return values[0]

    def _named(self, found: Sequence[Found], values: Sequence[Any], key: str) -> str:
        """Save the best way to look the values up; the others that are as good must agree with
        it."""
        if not found:
            return ""
        best = found[0]
        name = self.book.save(best.source, best.extractor, values, key)
        if isinstance(values[0], list) and best.doubles:
            self.book.again.append((best.source, name, best.doubles))
        later = self.book.sources[self.book.sources.index(best.source) + 1 :]
        for other in (each for each in found[1:] if each.source in later):
            is_as_good = other.rank == best.rank and other.is_named
            if is_as_good and not best.source.is_looped and not isinstance(values[0], list):
                guard(other, f"{{{{{name}}}}}")
        return f"{{{{{name}}}}}"

    def answer(self, answers: Sequence[str], *, is_question: bool) -> Any:
        """Return what is said in the end: a field as it is, or a text with values. Raises
        Unexplained."""
        is_telling = len(set(answers)) > 1 or min(map(len, answers)) >= MIN_CHARS
        found = found_in(self.book, answers, "answer", as_text=True) if is_telling else []
        if found:
            return self._named(found, answers, "answer")
        return self.composed(answers, "answer", must_differ=is_question)

    def composed(self, values: Sequence[str], key: str, *, must_differ: bool = False) -> str:
        """Return a text with the values in it that differ between the runs. Raises Unexplained."""
        texts = self.with_names(values)
        if len(set(texts)) == 1:
            is_as_it_was = texts[0] == values[0] and self.book.is_single
            if must_differ and is_as_it_was:
                raise Unexplained(f"{key}: {_shown(values)}")
            return texts[0]
        try:
            return self._joined([TOKEN.findall(text) for text in texts], key)
        except (Unexplained, ValueError) as why:  # or another number of words
            raise Unexplained(f"{key}: {_shown(values)}") from why

    def _joined(self, rows: Sequence[Sequence[str]], key: str) -> str:
        parts: list[str] = []
        for column in zip(*rows, strict=True):
            is_same = len(set(column)) == 1
            parts.append(column[0] if is_same else self._part(column, parts, key))
        return "".join(parts)

    def _part(self, column: Sequence[str], before: Sequence[str], key: str) -> str:
        if any(text.startswith("{{") for text in column):
            raise Unexplained(f"{key}: {_shown(column)}")
        words = [part for part in before if part.isidentifier()]
        near = words[-1] if words else key
        if name := self.book.parameter(near, column):
            return f"{{{{{name}}}}}"
        found = found_in(self.book, column, near, as_text=True)
        if not found:
            raise Unexplained(f"{key}: {_shown(column)}")
        return self._named(found, column, near)

    def with_names(self, values: Sequence[str]) -> list[str]:
        """Return the texts with {{name}} in the places of known values that all of them hold."""
        texts = list(values)
        if any("{{" in text for text in texts):
            return texts
        known = {name: row for name, row in self.book.known.items() if self._tells(row)}
        for name, row in sorted(known.items(), key=lambda item: -len(str(item[1][0]))):
            places = [requests.spans(t, str(v), True) for t, v in zip(texts, row, strict=True)]
            if all(places):
                pairs = zip(texts, places, strict=True)
                texts = [_replaced(text, spans, f"{{{{{name}}}}}") for text, spans in pairs]
        return texts

    def _tells(self, row: Sequence[Any]) -> bool:
        """Return True for values that do not stand in a text by chance."""
        if not all(isinstance(value, str | int | float) and str(value) for value in row):
            return False
        is_long = self.book.is_single and min(len(str(value)) for value in row) >= MIN_CHARS
        return is_long or len({str(value) for value in row}) > 1


def _replaced(text: str, spans: Sequence[tuple[int, int]], by: str) -> str:
    for start, end in reversed(spans):
        is_within = text[:start].count("{{") > text[:start].count("}}")
        text = text if is_within else f"{text[:start]}{by}{text[end:]}"
    return text


def guard(found: Found, value: Any) -> None:
    """Let the step that brings an answer expect a value in it."""
    if found.path and not found.extractor.startswith("all "):
        expect(found.source, found.path, value)


def expect(source: Source, path: str, value: Any) -> None:
    """Let a step expect a value at a path of its answer."""
    if source.root == "json" and not source.is_looped:
        source.step.expect.setdefault("fields", {})[path] = value


def _shown(values: Sequence[Any]) -> str:
    texts = [str(value) for value in values]
    return " / ".join(text if len(text) <= 60 else f"{text[:57]}…" for text in texts)
