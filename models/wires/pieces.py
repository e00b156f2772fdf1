"""Put the pieces of chat completions together: texts, objects, lists, and the calls that they
belong to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from models.streams.typed import list_of, record_of, text_of
from models.wires.answer import Call

_WHOLE = {"id", "type", "format", "role", "name", "index"}  # their text comes whole, not in pieces


def merged(old: Any, new: Any, key: str) -> Any:
    """Return a value with the next piece of it: texts are joined, objects by their keys, entries of
    lists by their index."""
    match old, new:
        case str(), str():
            return new if key in _WHOLE else old + new
        case dict(), dict():
            told = {name: value for name, value in new.items() if value is not None}
            return old | {name: merged(old.get(name), value, name) for name, value in told.items()}
        case list(), list():
            return reduce(lambda parts, part: with_part(parts, part, ("index", "type")), new, old)
    return old if new is None else new


def with_part(parts: list[Any], part: Any, keys: Sequence[str]) -> list[Any]:
    """Return the parts and one more; it goes on with the last one where they have a type and are
    equal in these keys."""
    last, new = record_of(parts[-1] if parts else None), record_of(part)
    is_same = all(last.get(key) == new.get(key) for key in keys)
    if new.get("type") is not None and is_same:
        return [*parts[:-1], merged(last, new, "")]
    return [*parts, part]


def plain(content: object) -> str:
    """Return text that comes as a string or as a list of parts."""
    if isinstance(content, str):
        return content
    parts = map(record_of, list_of(content))
    return "".join(text_of(part.get("text")) for part in parts if part.get("type") == "text")


def call_of(calls: list[Call], delta: dict[str, Any], name: str) -> Call:
    """Return the call that a delta continues, or a new one among the calls. Servers leave out the
    index, or the id, or give all calls the same index; the id tells best, then the index, then a
    name that comes again after arguments."""
    id_, index = text_of(delta.get("id")), delta.get("index")
    index = index if isinstance(index, int) else None
    same = [call for call in calls if index is None or call.index in (index, None)]
    call = same[-1] if same else None
    if call is None or _is_other(call, id_, index, name):
        call = Call(id_, index)
        calls.append(call)
    call.id = call.id or id_
    return call


def _is_other(call: Call, id_: str, index: int | None, name: str) -> bool:
    if id_ and call.id:
        return id_ != call.id
    if id_ or index is not None:
        return False
    has_arguments = bool(call.pieces) or call.given is not None
    return bool(name) and has_arguments
