"""Where a value stands in answers: the paths to it, the rows on the way, and what the rows say that
can pick them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from replay.extract import EVERY, KEY

ROW = "[]"
MAX_DEPTH = 8
_PLAIN = re.compile(r"""[^.\[\]=&'*"]+""")
Path = tuple["Step", ...]
Form = tuple[str, ...]  # a path without the places of its rows


class Step(NamedTuple):
    """A step of a path: a key, or ROW with the place of the row; and what stands there."""

    key: str
    place: str | int
    value: Any


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield all that stands in an answer with its path, a thing before its parts. A mapping of
    mappings is gone through both by its keys and as rows."""
    yield path, value
    if len(path) > MAX_DEPTH:
        return
    for step in _below(value):
        yield from nodes(step.value, (*path, step))


def _below(value: Any) -> Iterator[Step]:
    """Yield the steps that lead into a value."""
    if isinstance(value, list):
        yield from (Step(ROW, number, each) for number, each in enumerate(value))
    if not isinstance(value, Mapping):
        return
    is_table = all(isinstance(row, Mapping) for row in value.values())
    for key, each in value.items():
        if is_plain_key(key):
            yield Step(key, key, each)
        if is_table:
            yield Step(ROW, key, {KEY: key, **each})


def is_plain_key(key: Any) -> bool:
    """Return True for a key that an extractor can name."""
    return _PLAIN.fullmatch(str(key)) is not None


def signature(path: Path) -> Form:
    """Return the form of a path."""
    return tuple(step.key for step in path)


def differ(values: Sequence[Any]) -> bool:
    """Return True where not all values are the same."""
    return len({repr(value) for value in values}) > 1


def shared(tables: Sequence[Mapping[Any, Any]]) -> list[Any]:
    """Return the keys that all tables have, in the order of the first."""
    first = tables[0] if tables else {}
    return [key for key in first if all(key in other for other in tables)]


def is_same(found: Any, wanted: Any) -> bool:
    """Return True for the same value of the same type."""
    return type(found) is type(wanted) and bool(found == wanted)


def is_written(found: Any, text: Any) -> bool:
    """Return True for a value that is written as a text."""
    return not isinstance(found, list | dict | bool | None) and str(found) == text


def paths_to(value: Any, wanted: Any, is_it: Callable[[Any, Any], bool]) -> dict[Form, Path]:
    """Return the first path of each form that leads to a value in an answer."""
    paths = [path for path, each in nodes(value) if is_it(each, wanted)]
    return dict.fromkeys(map(signature, paths)) | {signature(path): path for path in paths[::-1]}


def forms_of_key(value: Any, key: str) -> list[Form]:
    """Return the forms of the paths that end in a key; only lists have rows here."""
    paths = (path for path, _ in nodes(value) if path and path[-1].key == key)
    return list(dict.fromkeys(signature(path) for path in paths if not _is_in_table(path)))


def _is_in_table(path: Path) -> bool:
    """Return True for a path that goes through a mapping of mappings as rows."""
    return any(step.key == ROW and isinstance(step.place, str) for step in path)


def rows_of(answer: Any, key: str) -> set[str]:
    """Return the paths of the lists whose rows have a key of their own."""
    found = [form[:-1] for form in forms_of_key(answer, key)]
    return {".".join(form[:-1]) for form in found if form[-1:] == (ROW,) and form.count(ROW) == 1}


def records(answer: Any) -> dict[Form, Mapping[str, Any]]:
    """Return the mappings of an answer that stand in no list, by their path."""
    found = {signature(path): each for path, each in nodes(answer) if isinstance(each, Mapping)}
    return {form: each for form, each in found.items() if ROW not in form}


def below(value: Any, keys: Sequence[str]) -> Any:
    """Return what stands below these keys of mappings; None where one is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def fields(row: Any, goes_into_lists: bool) -> dict[Form, list[Any]]:
    """Return the scalars of a row by their path; `*` stands for the items of a list, and for any
    field of a part."""
    found: dict[Form, list[Any]] = {}
    for path, leaf in nodes(row):
        if path and not isinstance(leaf, list | Mapping):
            for form in _forms(path, goes_into_lists):
                found.setdefault(form, []).append(leaf)
    return found


def _forms(path: Path, goes_into_lists: bool) -> list[Form]:
    form = tuple(EVERY if step.key == ROW else step.key for step in path)
    if _is_in_table(path) or form.count(EVERY) > goes_into_lists:
        return []
    is_part = goes_into_lists and len(form) > 1 and form[-1] != EVERY
    return [form, (*form[:-1], EVERY)] if is_part else [form]
