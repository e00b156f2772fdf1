"""The parameters of an SOP: a small part of JSON schema, checked in microseconds and with one-line
errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from config import SopwithError
from text import names

Schema = Mapping[str, Any]
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
}
NOTHING = r"(?!)"
WRITTEN: dict[str, tuple[str, Callable[[str], Any]]] = {  # values as a command line gives them
    "integer": (r"[+-]?[0-9]{1,18}", int),
    "number": (r"[+-]?[0-9]{1,18}(\.[0-9]+)?", float),
    "boolean": ("true|false", lambda text: text == "true"),
}
FORMATS = ("path", "date", "url")
_URL = re.compile(r"https?://[^\s/?#]+\S*")
FIGURE = r"^\d+(\.\d+)?$"  # a number as it is said: it stands in code
NUMBERED = r"^(?!-)[^\s,]*\d[^\s,]*$"  # a number, or what has one in it: 09, 7b, 1.0-rc2
PATTERNS_SAID = {
    "^[^-]": "must not begin with a hyphen",
    **dict.fromkeys((FIGURE, NUMBERED), "must be a number"),
}
UNCHECKED = names("date-time time duration email hostname ipv4 ipv6 uri uuid")  # of JSON schema
SCHEMA_KEYS = (
    *("type", "format", "enum", "default", "description", "items", "title", "examples"),
    *("minimum", "maximum", "minLength", "maxLength", "pattern"),
)
MAX_VALUE_CHARS = 100_000  # the kernel takes 128 KiB for one environment variable


class ParameterError(SopwithError):
    """A parameter that this SOP cannot take. One line."""

    exit_code = 2


def bind(
    schemas: Mapping[str, Schema], required: tuple[str, ...], given: Mapping[str, Any], cwd: Path
) -> dict[str, Any]:
    """Return the given values with defaults filled in, numbers made of text where a number is due,
    paths made absolute.

    Raises ParameterError. Binding what was bound already changes nothing.
    """
    for name in given:
        if name not in schemas:
            raise ParameterError(
                "error.replay.parameter-here", name=repr(name), known=", ".join(schemas) or "none"
            )
    bound = {}
    for name, schema in schemas.items():
        value = given.get(name, schema.get("default"))
        if value is not None:
            bound[name] = _checked(name, value, schema, cwd)
        elif name in required:
            raise ParameterError(
                "error.replay.parameter-missing", name=repr(name), meaning=_meaning(schema)
            )
    return bound


def _checked(name: str, value: Any, schema: Schema, cwd: Path) -> Any:
    value = _coerced(value, schema, cwd)
    if wrong := mismatch(value, schema):
        raise ParameterError(
            "error.replay.parameter", name=repr(name), wrong=wrong, value=_shown(value)
        )
    if isinstance(value, list) and schema["items"].get("format") == "path":
        return [str(cwd / Path(each).expanduser()) for each in value]
    return str(cwd / Path(value).expanduser()) if schema.get("format") == "path" else value


def _coerced(value: Any, schema: Schema, cwd: Path) -> Any:
    """Return a number, truth value or list written as text, as a command line gives it:
    `names=["a", "b"]`; a number for a text."""
    if not isinstance(value, str):
        is_figure = type(value) is int and schema.get("pattern") in (FIGURE, NUMBERED)
        return str(value) if is_figure else value
    kind, text = schema["type"], value.strip()
    if kind == "array":
        return _listed(text, cwd)
    form, read = WRITTEN.get(kind, (NOTHING, str))
    return read(text) if re.fullmatch(form, text) else value


def _listed(text: str, cwd: Path) -> Any:
    """Return the items of a list as a command line gives it: JSON, one path, or words between
    commas or spaces."""
    import json
    import shlex

    with suppress(ValueError, RecursionError, OSError):
        if text and (cwd / text).exists():
            return [text]
        if text.startswith("["):
            return json.loads(text)
        splitter = shlex.shlex(text, posix=True)
        splitter.whitespace += ","
        splitter.whitespace_split, splitter.commenters = True, ""
        return list(splitter)
    return text


def mismatch(value: Any, schema: Schema) -> str:
    """Return what is wrong with a value, as in "must be an integer"; empty when nothing is."""
    kind = schema["type"]
    is_other = isinstance(value, bool) and kind != "boolean"
    if is_other or not isinstance(value, TYPES[kind]):
        return f"must be {_meaning(schema)}"
    if value not in schema.get("enum", [value]):
        return f"must be one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, str):
        return _text_mismatch(value, schema)
    if isinstance(value, list):
        wrong = next(filter(None, (mismatch(item, schema["items"]) for item in value)), "")
        return wrong and f"must hold items that each {wrong}"
    return _out_of_range(value, schema)


def _out_of_range(value: Any, schema: Schema) -> str:
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    if value < least:
        return f"must be {least} or more"
    return f"must be {most} or less" if value > most else ""


def _text_mismatch(value: str, schema: Schema) -> str:
    if "\0" in value:
        return "must hold no NUL character"
    if any("\ud800" <= char <= "\udfff" for char in value):
        return "must be text in UTF-8"
    if len(value.encode()) > MAX_VALUE_CHARS:
        return f"must be shorter than {MAX_VALUE_CHARS} bytes"
    least, most = schema.get("minLength", 0), schema.get("maxLength", MAX_VALUE_CHARS)
    if not least <= len(value) <= most:
        return f"must be {least} to {most} characters long"
    pattern = schema.get("pattern", "")
    if not re.search(pattern, value):
        return said_of(pattern) or f"must match {pattern}"
    check = FORMAT_CHECKS.get(schema.get("format", ""))
    return check(value) if check else ""


def said_of(pattern: str) -> str:
    """Return what a pattern asks for in words; "" for one that only the expression says."""
    if pattern in PATTERNS_SAID:
        return PATTERNS_SAID[pattern]
    plain = re.fullmatch(r"\^\(\?!-\)\[\\w(.*)\]\+\$", pattern)
    signs = re.sub(r"\\(.)", r"\1", plain[1]) if plain else ""
    return f"must be made of letters, digits and {signs!r} alone" if plain else ""


def _not_a_path(value: str) -> str:
    try:
        Path(value).expanduser()
    except RuntimeError:
        return "must be a path; there is no such user"
    return "" if value.strip() else "must be a path"


def _not_a_date(value: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        return "must be a date like 2026-01-31"
    return "" if len(value) == 10 else "must be a date like 2026-01-31"


FORMAT_CHECKS: dict[str, Callable[[str], str]] = {
    "path": _not_a_path,
    "date": _not_a_date,
    "url": lambda value: "" if _URL.fullmatch(value) else "must be an http or https address",
}


def _meaning(schema: Schema) -> str:
    """Return what a parameter is, for an error: its description, else its format or type."""
    kind = schema.get("format", schema["type"])
    kind = 'list, such as ["a", "b"]' if kind == "array" else kind
    return str(schema.get("description") or ("an " if kind[0] in "aio" else "a ") + kind)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
