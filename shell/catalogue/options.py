"""Splits a command line into options, their values and operands, and says whether a row fits it.
None: not known."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from shell.catalogue.packs import Entry, Row

Values = Sequence[str | None]
_OPTION = re.compile(r"-.", re.DOTALL)
_CLUSTER = re.compile(r"-([A-Za-z]+)")
_ANYWHERE = ("--", ".")  # words of rows that may stand at any place


def operands(known: Entry, values: Values) -> list[str | None]:
    """Return the words that are neither options nor values of options."""
    return [values[at] for at in operand_places(known, values)]


def operand_places(known: Entry, values: Values) -> Iterator[int]:
    """Give the places of the operands: all behind `--`, and what is no option before."""
    end = values.index("--") if "--" in values else len(values)
    for at, (before, value) in enumerate(itertools.pairwise(["", *values[:end]])):
        if before not in known.takes and not _OPTION.match(value or ""):
            yield at
    yield from range(end + 1, len(values))


def values_of(values: Values, options: Sequence[str]) -> Iterator[int]:
    """Give the places of the values of options: behind `-o`, in `--out=X`."""
    for at, (before, value) in enumerate(itertools.pairwise(["", *values])):
        name, is_glued, _ = (value or "").partition("=")
        if before in options or (is_glued and name in options):
            yield at


def given_options(known: Entry, values: Values) -> frozenset[str]:
    """Return the options of a line: as they are written, without their values, and each letter of a
    cluster (`-rf`)."""
    found = [value for value in values if value and value.startswith("-")]
    names = [value.partition("=")[0] for value in found]
    letters = [letter for value in found for letter in _letters(known, value)]
    return frozenset([*found, *names, *letters])


def _letters(known: Entry, value: str) -> Iterator[str]:
    """Give the options of a cluster, up to one that has the rest as its value."""
    cluster = _CLUSTER.match(value)
    for letter in cluster[1] if cluster else "":
        yield f"-{letter}"
        if f"-{letter}" in known.takes:
            return


def has_option(option: str, given: frozenset[str]) -> bool:
    """Return True if an option, or one that begins like `--delete*`, is among the given."""
    if option.endswith("*"):
        return any(each.startswith(option[:-1]) for each in given)
    return option in given


def fits(row: Row, given: frozenset[str], values: Values, plain: Values) -> bool:
    """Return True if a row's words stand first and its options are given."""
    if row.words == ("bare",):
        return not plain
    if not all(has_option(option, given) for option in row.options):
        return False
    return all(_has_word(word, at, plain, values) for at, word in enumerate(row.words))


def _has_word(word: str, at: int, plain: Values, values: Values) -> bool:
    if word in _ANYWHERE:
        return word in values
    if word == "*":
        return True
    operand = plain[at] if at < len(plain) else None
    if operand is None:
        return False
    return operand.startswith(word[:-1]) if word.endswith("*") else operand == word
