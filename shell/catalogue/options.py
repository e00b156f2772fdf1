"""Splits a command line into options, their values and operands, and says whether a row fits it.
None: not known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from shell.catalogue.packs import Entry, Row

Values = Sequence[str | None]
_CLUSTER = re.compile(r"-([A-Za-z]+)")


def operands(known: Entry | None, values: Values) -> list[str | None]:
    """Return the words that are neither options nor values of options."""
    return [values[at] for at in operand_places(known, values)]


def operand_places(known: Entry | None, values: Values) -> Iterator[int]:
    """Give the places of the operands."""
    takes = known.takes if known else frozenset[str]()
    before, is_behind = "", False
    for at, value in enumerate(values):
        is_option = value is not None and value[:1] == "-" and value != "-"
        if is_behind or not (is_option or before in takes):
            yield at
        is_behind = is_behind or value == "--"
        before = value or ""


def values_of(known: Entry | None, values: Values, options: Sequence[str]) -> Iterator[int]:
    """Give the places of the values of options: behind `-o`, in `-oX`, in `--out=X`."""
    for at, value in enumerate(values):
        if (at and values[at - 1] in options) or (
            value and value.partition("=")[0] in options and "=" in value
        ):
            yield at


def has_option(known: Entry | None, option: str, values: Values) -> bool:
    """Return True if an option is given, alone, with a value, or in a cluster (`-rf`)."""
    return any(value and _is_option(known, option, value) for value in values)


def _is_option(known: Entry | None, option: str, value: str) -> bool:
    if not value.startswith("-"):
        return False
    if option.endswith("*"):
        return value.startswith(option[:-1])
    if value == option or value.startswith(option + "="):
        return True
    is_letter = len(option) == 2 and not value.startswith("--")
    return is_letter and _in_cluster(known, option[1], value)


def _in_cluster(known: Entry | None, letter: str, value: str) -> bool:
    cluster = _CLUSTER.match(value)
    takes = known.takes if known else frozenset[str]()
    for found in cluster[1] if cluster else "":
        if found == letter:
            return True
        if f"-{found}" in takes:
            return False  # the rest is that option's value
    return False


def fits(known: Entry, row: Row, values: Values, plain: Values) -> bool:
    """Return True if a row's words stand first and its options are given."""
    if row.words == ("bare",):
        return not plain
    has_words = all(_has_word(word, at, plain, values) for at, word in enumerate(row.words))
    return has_words and all(has_option(known, option, values) for option in row.options)


def _has_word(word: str, at: int, plain: Values, values: Values) -> bool:
    if word in ("--", "."):
        return word in values
    if word == "*":
        return True
    if at >= len(plain):
        return False
    operand = plain[at]
    if operand is None:
        return False
    return operand.startswith(word[:-1]) if word.endswith("*") else operand == word
