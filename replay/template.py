"""Fills `{{name | filter}}` and `{{name | count file files}}` in the arguments and the result of an
SOP with parameters and saved values.

A string that is one template alone becomes the value itself, so a list stays a list; inside text a
value is written out. What is filled in is never read as a template again. A script is not filled at
all (replay/procedure.py).
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from text import pattern

TEMPLATE = pattern(
    r"\{\{\s*([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*((?:\|\s*[a-z]+(?:\s+[^\s|{}]+)*\s*)*)\}\}"
)


class TemplateError(ValueError):
    """A template names a value or a filter that does not exist, or the value has not the shape that
    the filter needs."""


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """Return the template (a string, or lists and mappings of them) with the values in their
    places. Raises TemplateError."""
    if isinstance(template, Mapping):
        return {key: fill(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [fill(value, values) for value in template]
    if not isinstance(template, str) or "{{" not in template:
        return template
    if alone := TEMPLATE.fullmatch(template.strip()):
        value = _value(alone, values)
        if template == alone[0] or not isinstance(value, str):
            return value  # of a text also the white space around it counts
    return TEMPLATE.sub(lambda match: as_text(_value(match, values)), template)


def names(template: Any) -> Iterator[str]:
    """Yield the values that a template uses, by their first name. Raises TemplateError for braces
    that are no template."""
    if isinstance(template, Mapping):
        for value in template.values():
            yield from names(value)
    elif isinstance(template, list):
        for value in template:
            yield from names(value)
    elif isinstance(template, str) and "{{" in template:
        if "{{" in TEMPLATE.sub("", template):
            raise TemplateError(
                "what stands in {{ }} is a name, then filters, as in {{old | count}}"
            )
        for match in TEMPLATE.finditer(template):
            _check_filters(match)
            yield match[1].partition(".")[0]


def find(path: str, values: Any) -> Any:
    """Return what a dotted path points to in nested mappings and lists: "files.0.name". Raises
    TemplateError."""
    value = values
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise TemplateError(f"there is no {part!r} in {path!r}")
    return value


def as_text(value: Any) -> str:
    """Return a value inside text: strings as they are, lists a line each, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(as_text(item) for item in value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def readable_bytes(size: float) -> str:
    """Return a number of bytes for people, in powers of 1024: "1.4 GB"."""
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if abs(size) < 1024 or unit == "TB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError("unreachable")


def _value(match: re.Match[str], values: Mapping[str, Any]) -> Any:
    value = find(match[1], values)
    for filter_name, words in _filters(match):
        try:
            value = FILTERS[filter_name](value, *words)
        except (TypeError, ValueError, IndexError, KeyError) as error:
            raise TemplateError(
                f"{match[0]}: {filter_name!r} does not work on this value: {error}"
            ) from error
    return value


def _check_filters(match: re.Match[str]) -> None:
    for name, words in _filters(match):
        if name not in FILTERS:
            raise TemplateError(f"there is no filter {name!r}; there are {', '.join(FILTERS)}")
        if words and (name != "count" or len(words) != 2):
            raise TemplateError(
                "only `count` takes words, one and many, as in {{old | count file files}}"
            )


def _filters(match: re.Match[str]) -> list[tuple[str, list[str]]]:
    """Return the name of each filter, with the words behind it."""
    return [(name, words) for name, *words in (part.split() for part in match[2].split("|")[1:])]


def _count(value: Any, one: str = "", many: str = "") -> int | str:
    """Return how many there are; with the words for one and for many, a text such as "1 file". A
    number counts as itself."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and one
    number = 0 if value is None else value if is_number else len(value)
    return f"{number:,} {one if number == 1 else many}" if one else number


FILTERS: dict[str, Callable[..., Any]] = {
    "count": _count,
    "first": lambda value: value[0],
    "last": lambda value: value[-1],
    "sum": lambda value: sum(float(item) if "." in str(item) else int(item) for item in value),
    "bytes": lambda value: readable_bytes(float(value)),
    "join": lambda value: ", ".join(as_text(item) for item in value),
    "lines": lambda value: "\n".join(as_text(item) for item in value),
    "json": lambda value: json.dumps(value, ensure_ascii=False),
    "name": lambda value: posixpath.basename(value.rstrip("/")),
    "stem": lambda value: posixpath.splitext(posixpath.basename(value.rstrip("/")))[0],
    "parent": lambda value: posixpath.dirname(value.rstrip("/")),
}
