"""Put the values of a script of code_run into its environment: a value never becomes part of
code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from learning.calls.book import Book
from learning.induce import Written
from learning.induce.from_runs import differing, other_values
from tools.scripts import clean


def as_one(book: Book, scripts: Sequence[str], kind: str) -> str | None:
    """Return the script that all runs ran, with values as variables; None if they differ."""
    texts = [clean(script) for script in scripts]
    vectors = _by_name(book, texts)
    if vectors is None:
        return None
    if kind == "python":
        return texts[0] if len(set(texts)) == 1 else None
    folders = [str(run.trace.cwd) for run in book.runs]
    found = set()
    for n, text in enumerate(texts):
        values = {name: str(row[n]) for name, row in vectors.items()}
        written = Written.of(text, values, [folders[n]])
        found.add(written.text)
    return found.pop() if len(found) == 1 else None


def _by_name(book: Book, texts: Sequence[str]) -> Mapping[str, Sequence[Any]] | None:
    """Return the values in the scripts by name: known, in the request, or unlike."""
    for value in book.wanted if book.is_single else ():
        if value in texts[0]:
            book.parameter("value", [value])
    for n, vector in enumerate(_differing(texts), 1):
        if vector and not (book.called(vector, "value") or book.parameter(f"value_{n}", vector)):
            return None
    return {name: row for name, row in book.known.items() if _stands(row, texts)}


def _differing(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield what a text that differs is in each script; [] where they differ otherwise."""
    for text in differing(texts[0], texts[1:]):
        rows = [other_values(texts[0], {"it": text}, other)[0] for other in texts[1:]]
        yield [] if None in rows else [text, *(row["it"] for row in rows if row)]


def _stands(row: Sequence[Any], texts: Sequence[str]) -> bool:
    pairs = zip(row, texts, strict=True)
    return all(_spelled(str(value), text) for value, text in pairs)


def _spelled(value: str, text: str) -> bool:
    home = str(Path.home())
    short = value.replace(home, "~", 1) if value.startswith(f"{home}/") else value
    return len(value) > 1 and (value in text or short in text)
