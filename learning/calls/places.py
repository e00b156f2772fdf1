"""Where a value stands in answers: the paths to it, the rows on the way, and what the rows say that
can pick them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replay.extract import KEY, rows_in

ROW = "[]"
MAX_DEPTH = 8
_STATE = re.compile(r"[a-z][a-z_-]*")
Path = tuple[tuple[str, Any], ...]  # (key or ROW, the key or place in this answer)


def paths_to(value: Any, wanted: Any, as_text: bool = False) -> Iterator[Path]:
    """Yield each path to a value in an answer. A mapping of mappings is gone through both by its
    key and as rows."""
    yield from _paths(value, wanted, as_text, ())


def _paths(value: Any, wanted: Any, as_text: bool, path: Path) -> Iterator[Path]:
    if is_same(value, wanted, as_text):
        yield path
    for step, each in _below(value) if len(path) <= MAX_DEPTH else ():
        yield from _paths(each, wanted, as_text, (*path, step))


def _below(value: Any) -> Iterator[tuple[tuple[str, Any], Any]]:
    """Yield each step that leads into a value, and what stands there."""
    if isinstance(value, list):
        yield from (((ROW, number), each) for number, each in enumerate(value))
    if not isinstance(value, Mapping):
        return
    is_table = all(isinstance(row, Mapping) for row in value.values())
    for key, each in value.items():
        if is_plain_key(key):
            yield (key, key), each
        if is_table:
            yield (ROW, key), {KEY: key, **each}


def is_plain_key(key: Any) -> bool:
    """Return True for a key that an extractor can name."""
    return isinstance(key, str) and key != "" and not set(key) & set(".[]=&'*\"")


def is_same(found: Any, wanted: Any, as_text: bool = False) -> bool:
    """Return True for the same value of the same type; `as_text`: for one that is written the
    same."""
    if as_text and not isinstance(found, list | dict | bool):
        return found is not None and str(found) == str(wanted)
    return type(found) is type(wanted) and bool(found == wanted)


def below(value: Any, keys: Sequence[str]) -> Any:
    """Return what stands below these keys of mappings; None where one is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def states(rows: Sequence[Any]) -> dict[str, Any]:
    """Return the words of a program, and the yes and no, that all rows say alike, such as `status:
    booked`; no names."""
    first = rows[0] if all(isinstance(row, Mapping) for row in rows) else {}
    return {
        key: said
        for key, said in first.items()
        if is_plain_key(key)
        and (isinstance(said, bool) or (isinstance(said, str) and _STATE.fullmatch(said)))
        and all(is_same(row.get(key), said) for row in rows)
    }


def signature(path: Path) -> tuple[str, ...]:
    """Return a path without the places of its rows."""
    return tuple(key for key, _ in path)


def at(value: Any, path: Path) -> Any:
    """Return what stands at a path."""
    for key, place in path:
        if key == ROW and isinstance(value, Mapping):
            value = {KEY: place, **value[place]}
        else:
            value = value[place]
    return value


def fields(row: Any, goes_into_lists: bool) -> dict[tuple[str, ...], list[Any]]:
    """Return the scalars of a row by their path; `*` stands for the items of a list."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for path, leaf in _leaves(row, goes_into_lists, ()):
        found.setdefault(path, []).append(leaf)
    return found


def _leaves(
    value: Any, goes_into_lists: bool, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        yield from _leaves_of_mapping(value, goes_into_lists, path)
    elif isinstance(value, list):
        rows = rows_in(value) if goes_into_lists and "*" not in path else []
        for each in rows:
            yield from _leaves(each, goes_into_lists, (*path, "*"))
    elif value is not None and path:
        yield path, value


def _leaves_of_mapping(
    value: Mapping[str, Any], goes_into_lists: bool, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, each in value.items() if len(path) < MAX_DEPTH else ():
        if is_plain_key(key):
            yield from _leaves(each, goes_into_lists, (*path, key))
        is_any = path and goes_into_lists and not isinstance(each, list | Mapping)
        if is_any:
            yield (*path, "*"), each


def paths_of_key(value: Any, key: str, path: Path = ()) -> Iterator[Path]:
    """Yield each path whose last key is this one."""
    if path and path[-1][0] == key:
        yield path
    if isinstance(value, Mapping) and len(path) < MAX_DEPTH:
        for name, each in value.items():
            if is_plain_key(name):
                yield from paths_of_key(each, key, (*path, (name, name)))
    for number, each in enumerate(value if isinstance(value, list) else []):
        yield from paths_of_key(each, key, (*path, (ROW, number)))


def rows_of(answer: Any, key: str) -> set[str]:
    """Return the paths of the lists whose rows have a key of their own, as an extractor has
    them."""
    found = (signature(path) for path in paths_of_key(answer, key))
    return {".".join(form[:-2]) for form in found if form.count(ROW) == 1 and form[-2] == ROW}


def common(each: Sequence[Mapping[tuple[str, ...], list[Any]]]) -> list[tuple[str, ...]]:
    """Return the paths that all rows have, in the order of the first."""
    return [path for path in each[0] if all(path in other for other in each)]
