"""Take of a step's outcome what an SOP saves: text, lines, or a value found by its path and by what
its row says.

    output   lines   exit_code   json   json.items.0.id   data.path
    json.items[name=product].sku       of the only row whose `name` is the value `product`
    json.items[sku=sku & stock='yes']  by several fields, and by texts that are always the same
    json.items[].id                    of the only row there is
    json[size=size & kind~old].id      of the row whose `kind` is as `old` is, but for what the
                                       other fields name
    json.*.items[name=product].id      of the only such row in all parts of a list, or of a mapping
    json[items.*.name=product].id      of the only row that has such a row within
    all json[status='open'].id         of each such row, as a list; none is an error
    csv[sku=code].price                of a table with a head

A value that is a list picks one row for each of its items. A mapping of mappings has rows, too:
`@key` is the key of each. A row that is not there, or is there more than once, is an error: to say
which one is meant would be a guess.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from models.base import ToolResult
from replay import template
from text import pattern

MAX_OUTPUT_BYTES = 64_000_000
EVERY, KEY = "*", "@key"
TEXTS = ("output", "lines")
_EXTRACTOR = pattern(r"(all )?(output|lines|exit_code|json|csv|data)((?:\.[^.\[\]]+|\[[^\]]*\])*)")
_SEGMENT = pattern(r"\.([^.\[\]]+)|\[([^\]]*)\]")
_CONDITION = pattern(r"\s*([^=~&']+?)([=~])(?:'([^']*)'|([a-z][a-z0-9_]*))\s*")


class Condition(NamedTuple):
    """A field of a row and what it must be: the value of a name, or a text."""

    path: tuple[str, ...]
    text: str
    name: str
    is_like: bool = False  # a mapping that may differ in what the other conditions name


Segment = str | tuple[Condition, ...]  # a key or `*`; the conditions of a row


class Extractor(NamedTuple):
    """An extractor, read."""

    takes_all: bool
    root: str
    segments: tuple[Segment, ...]

    @property
    def names(self) -> set[str]:
        """Return the names of the values that pick its rows."""
        rows = [row for row in self.segments if not isinstance(row, str)]
        return {each.name for row in rows for each in row} - {""}


@lru_cache(maxsize=4096)
def parse(text: str) -> Extractor | None:
    """Return an extractor, or None where the text is none."""
    found = _EXTRACTOR.fullmatch(text)
    if found is None or (found[3] and found[2] in ("output", "lines", "exit_code")):
        return None
    segments: list[Segment] = []
    for key, conditions in _SEGMENT.findall(found[3]):
        read = key or _conditions(conditions)
        if read is None:
            return None
        segments.append(read)
    return Extractor(bool(found[1]), found[2], tuple(segments))


def _conditions(text: str) -> tuple[Condition, ...] | None:
    if not text.strip():
        return ()
    found = [_CONDITION.fullmatch(each) for each in text.split("&")]
    if None in found:
        return None
    return tuple(
        Condition(tuple(m[1].split(".")), m[3] or "", m[4] or "", m[2] == "~") for m in found if m
    )


def field_of(path: str) -> str:
    """Return the extractor of a field of the JSON that is answered; `all PATH` asks for those of
    all rows."""
    takes_all, rest = ("all ", path[4:]) if path.startswith("all ") else ("", path)
    return f"{takes_all}json{'' if rest[:1] == '[' else '.'}{rest}"


def extract(result: ToolResult, extractor: str, values: Mapping[str, Any] | None = None) -> Any:
    """Return what the extractor takes of a result. `values` are the parameters and what was saved
    before.

    Raises ValueError, TemplateError, OSError. When the output is cut, `data["file"]` holds the
    whole of it.
    """
    read = parse(extractor)
    if read is None:
        raise ValueError(f"{extractor!r} is no extractor")
    if read.root == "exit_code":
        return template.find("exit_code", result.data)
    found = ROOTS[read.root](result.data)
    return found if read.root in TEXTS else picked(found, read, values or {})


def picked(value: Any, read: Extractor, values: Mapping[str, Any]) -> Any:
    """Return what the extractor takes of a parsed value. Raises ValueError."""
    lists = {name: values[name] for name in read.names if isinstance(values.get(name), list)}
    if not lists:
        return _picked(value, read, values)
    lengths = {len(each) for each in lists.values()}
    if len(lengths) > 1:
        raise ValueError(f"{', '.join(sorted(lists))} do not have the same length")
    rows = ({name: each[n] for name, each in lists.items()} for n in range(lengths.pop()))
    return [_picked(value, read, {**values, **row}) for row in rows]


def _picked(value: Any, read: Extractor, values: Mapping[str, Any]) -> Any:
    nodes, at = [value], read.root
    for segment in read.segments:
        if isinstance(segment, str):
            at = f"{at}.{segment}"
            nodes = [child for node in nodes for child in _children(node, segment)]
            missing = f"there is no {segment!r} in {at!r}"
        else:
            nodes = _rows(nodes, segment, values)
            missing = f"there is no {_told(segment, values)}"
            if len(nodes) > 1 and not read.takes_all:
                raise ValueError(f"there are {len(nodes)} {_told(segment, values, 'rows')}")
        if not nodes:
            raise ValueError(missing)
    if read.takes_all:
        return nodes
    if len(nodes) != 1:
        raise ValueError(f"there are {len(nodes)} of {at!r}")
    return nodes[0]


def _children(node: Any, key: str) -> Sequence[Any]:
    if key == EVERY:
        rows = list(node.values()) if isinstance(node, Mapping) else node
        return rows if isinstance(rows, list) else []
    if isinstance(node, Mapping):
        return [node[key]] if key in node else []
    is_place = isinstance(node, list) and key.isdigit() and int(key) < len(node)
    return [node[int(key)]] if is_place else []


def rows_in(node: Any) -> list[Any]:
    """Return the rows of a list, or of a mapping of mappings, each with its key."""
    if isinstance(node, list):
        return node
    return [{KEY: key, **row} for key, row in node.items()] if _is_table(node) else []


def _is_table(node: Any) -> bool:
    if isinstance(node, Mapping):
        return node != {} and all(isinstance(row, Mapping) for row in node.values())
    return isinstance(node, list)


def _rows(
    nodes: Sequence[Any], conditions: Sequence[Condition], values: Mapping[str, Any]
) -> list[Any]:
    """Return the rows that meet the conditions; where none does to the letter, those that do but
    for case and `_`."""
    if not any(_is_table(node) for node in nodes):
        raise ValueError("it is no list of objects")
    rows = [row for node in nodes for row in rows_in(node)]
    exact = [row for row in rows if _meets_all(row, conditions, values, str)]
    return exact or [row for row in rows if _meets_all(row, conditions, values, plain)]


def _meets_all(
    row: Any, conditions: Sequence[Condition], values: Mapping[str, Any], form: Callable[[str], str]
) -> bool:
    told = {form(_wanted(each, values)) for each in conditions if not each.is_like}
    for each in conditions:
        if each.is_like:
            own = next(_leaves(row, each.path), None)
            holds = is_like(own, values.get(each.name), told)
        else:
            holds = _meets(row, each, values, form)
        if not holds:
            return False
    return True


def _meets(
    row: Any, condition: Condition, values: Mapping[str, Any], form: Callable[[str], str]
) -> bool:
    wanted = form(_wanted(condition, values))
    return any(
        not isinstance(leaf, list | Mapping) and form(template.as_text(leaf)) == wanted
        for leaf in _leaves(row, condition.path)
    )


def is_like(own: Any, other: Any, told: Collection[str]) -> bool:
    """Return True for two mappings of the same keys that differ only where the first has one of the
    texts."""
    if not isinstance(own, Mapping) or not isinstance(other, Mapping) or set(own) != set(other):
        return False
    texts = {*told, *map(plain, told)}
    return all(own[key] == other[key] or plain(template.as_text(own[key])) in texts for key in own)


def _wanted(condition: Condition, values: Mapping[str, Any]) -> str:
    return template.as_text(values.get(condition.name)) if condition.name else condition.text


def _leaves(row: Any, path: Sequence[str]) -> Iterator[Any]:
    nodes = [row]
    for key in path:
        nodes = [child for node in nodes for child in _children(node, key)]
    yield from nodes


def plain(text: str) -> str:
    """Return a text in the form in which two spellings of a word are the same: `credit_card`,
    `Credit card`."""
    return " ".join(text.casefold().replace("_", " ").split())


def _told(conditions: Sequence[Condition], values: Mapping[str, Any], noun: str = "row") -> str:
    said = [f"{'.'.join(each.path)} is {_wanted(each, values)!r}" for each in conditions]
    return f"{noun} whose {' and '.join(said)}" if said else noun


def json_of(data: Any) -> Any:
    """Return what a call answered, parsed; of an MCP server's answer in several parts, what it gave
    as a structure.

    Raises ValueError, OSError.
    """
    text = whole_output(data)
    structured = data.get("structured") if isinstance(data, dict) else None
    try:
        return json.loads(text)
    except ValueError:
        if not isinstance(structured, dict):
            raise
    return structured["result"] if set(structured) == {"result"} else structured


def _lines(data: Any) -> list[str]:
    text = whole_output(data)
    return text.removesuffix("\n").split("\n") if text else []


def joined(brought: Sequence[Any]) -> dict[str, str]:
    """Return what several calls answered as one answer: a JSON list. Raises ValueError, OSError."""
    return {"output": json.dumps([_value_of(data) for data in brought], ensure_ascii=False)}


def _value_of(data: Any) -> Any:
    try:
        return json_of(data)
    except ValueError:
        return whole_output(data)


def table(text: str) -> list[Mapping[str, Any]]:
    """Return the lines of CSV below their head as rows. Raises ValueError when the text is no
    table."""
    import csv  # few SOPs read tables
    import io

    try:
        head, *lines = [line for line in csv.reader(io.StringIO(text), strict=True) if line]
    except (csv.Error, ValueError) as error:
        raise ValueError(f"it is no table: {error}") from error
    is_ragged = any(len(line) != len(head) for line in lines)
    if len(head) < 2 or len(set(head)) < len(head) or is_ragged:
        raise ValueError("it is no table: each line must have as many fields as its head")
    return [dict(zip(head, line, strict=True)) for line in lines]


def whole_output(data: Any) -> str:
    """Return all that a call printed, also what was too long to show. Raises ValueError,
    OSError."""
    if not isinstance(data, dict):
        return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    if not data.get("file"):
        return str(data.get("output", ""))
    path = Path(data["file"])
    if path.stat().st_size > MAX_OUTPUT_BYTES:
        raise ValueError(f"{path} is larger than {MAX_OUTPUT_BYTES} bytes")
    return path.read_text(encoding="utf-8")


ROOTS: Mapping[str, Callable[[Any], Any]] = {
    "data": lambda data: data,
    "json": json_of,
    "csv": lambda data: table(whole_output(data)),
    "lines": _lines,
    "output": lambda data: whole_output(data).strip("\n"),
}
