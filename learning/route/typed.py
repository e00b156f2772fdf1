"""Read a stretch of a request as the value of a parameter, by the parameter's type; never guess."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from learning.route.place import Where, absolute, folder_called, words
from replay.parameters import FIGURE, NUMBERED
from text import pattern, values

if TYPE_CHECKING:
    from text.values import Value

Schema = Mapping[str, Any]
_NUMBER = pattern(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,6})?", re.ASCII)
_PLAIN_PATH = pattern(r"(?:~|\.{1,2})?/(?:[A-Za-z0-9_-][A-Za-z0-9_./-]*)?")
_BARE = pattern(r"[^\s\"'`,;:?!<>|&/\\~()\[\]{}「」『』《》]+")
_NAMED = pattern(
    r"(?!\.*$)[^\s\"'`,;:?!<>|&\\~()\[\]{}「」『』《》/][^\s\"'`,;:?!<>|&\\~()\[\]{}「」『』《》]*"
)  # perhaps with its folder
_CODE = pattern(r"(?=.*(?:[0-9_]|[A-Z]{2}(?![a-z])))[A-Za-z0-9_.-]+")
_GLOB = pattern(
    r"[^\s\"'`,;:<>|&/\\~()「」『』《》]*(?:[*?]|\.[A-Za-z]\w{0,7}$)[^\s\"'`,;:<>|&/\\~()「」『』《》]*"
)
_SIGNS = pattern(r"[\n\"`“”「」『』;|<>]")  # more than one thing may be meant
BETWEEN = pattern(r"\s*(?:,\s*and\b|,|\band\b|&|、|，|和)\s*")  # the items of a list
TO_THE_END = ("rest", "colon")
FREE = ("rest", "colon", "words")  # shapes that take any words


def read(text: str, schema: Schema, shape: str, where: Where) -> Any:
    """Return the value that a text stands for, or None where it is not of the parameter's type."""
    if "enum" in schema:
        return _one_of(text, schema["enum"])
    if schema["type"] in ("integer", "number"):
        return number(text, schema["type"])
    if (kind := schema.get("pattern")) in (FIGURE, NUMBERED):
        figure = number(text, "number")
        return text if figure is None or re.search(kind, text) else str(figure)
    if schema["type"] == "array":
        return _list(text, schema.get("items", {"type": "string"}), where)
    kind = schema.get("format", "")
    if kind == "path":
        return path_said(text, where, shape)
    if kind == "date":
        return _day(text)
    if kind == "url":
        found = whole(text)
        return found.value if found and found.kind == kind else None
    return _string(text, schema, shape) if schema["type"] == "string" else None


def _list(text: str, items: Schema, where: Where) -> list[Any] | None:
    """Return the values of a list in words: a, b and c."""
    found = [read(each.strip(), items, "", where) for each in BETWEEN.split(text) if each.strip()]
    return found if found and None not in found else None


def number(text: str, kind: str) -> int | float | None:
    """Return the number that digits or words say."""
    text = text.removeprefix("#")
    if _NUMBER.fullmatch(text):
        figure = text.replace(",", "")
        if "." not in figure:
            return int(figure)
        return float(figure) if kind == "number" else None
    if not text.isascii():
        return values.chinese_number(text)
    is_word = text.replace(" ", "").replace("-", "").isalpha()
    return values.cardinal(text) if is_word and text != "and" else None


@lru_cache(maxsize=2048)
def whole(text: str) -> Value | None:
    """Return the value that all of a text is."""
    found = values.values_in(text)
    is_whole = len(found) == 1 and found[0].text == text
    return found[0] if is_whole else None


def path_of(value: Value, where: Where) -> str | None:
    """Return the path that a value of a text names."""
    if value.kind == "folder" and not value.is_quoted:
        return str(folder_called(value.value, where))
    if value.is_quoted:
        return absolute(value.text[1:-1], where)
    return absolute(value.value, where) if value.kind == "path" else None


def path_said(text: str, where: Where, shape: str = "") -> str | None:
    """Return the path that all of a text names, from the root."""
    if shape == "new" and where.new is not None:
        where = where._replace(cwd=where.new)
    is_plain = text in (".", "..", "/") or _PLAIN_PATH.fullmatch(text)
    if is_plain:  # most paths; the reader costs 20 ms
        return absolute(text, where)
    if text in words()["here"]:
        return str(where.new or where.cwd)
    if path := found_here(text, where):
        return path
    found = whole(text)
    path = path_of(found, where) if found else None
    is_new = shape == "new" and _BARE.fullmatch(text) and not is_cautious(text)
    return path or (str(where.cwd / text) if is_new else None)


def found_here(name: str, where: Where) -> str | None:
    """Return the path of what stands in or below the working folder by this very name."""
    is_name = _NAMED.fullmatch(name) is not None
    return str(where.cwd / name) if is_name and (where.cwd / name).exists() else None


def _day(text: str) -> str | None:
    """Return the day that all of a text names: 24 December, next Friday."""
    found = whole(text)
    if found and found.kind == "date":
        return str(found.value)
    if is_cautious(text):  # tomorrow may be when it is to be done
        return None
    from text.time import day_named

    return day_named(text, datetime.now().astimezone())


def _one_of(text: str, choices: list[Any]) -> Any:
    said = text.lower()
    for form in (said, said.removesuffix("s")):  # pdfs
        for choice in choices:
            if str(choice).lower() == form:
                return choice
    return None


def _string(text: str, schema: Schema, shape: str) -> str | None:
    found = whole(text) if text[:1] and not text[0].isalnum() else None
    if found is not None and found.is_quoted:
        return text[1:-1]
    if shape in TO_THE_END:
        return _rest(text, shape)
    if shape == "words":
        return text if text and not _SIGNS.search(text) else None
    pattern = {"quoted": _CODE, "glob": _GLOB}.get(shape, _BARE)
    if not pattern.fullmatch(text) or is_cautious(text):
        return None
    return with_dot(text, schema)


def _rest(text: str, shape: str) -> str | None:
    has_colon = text[:1] in (":", "：")
    if shape == "colon" and not has_colon:
        return None
    return text[has_colon:].strip(" ,，") or None


def with_dot(text: str, schema: Schema) -> str:
    """Return an ending with its dot where the parameter takes it with a dot only: rtf, .rtf."""
    pattern = str(schema.get("pattern", ""))
    dotted_only = bool(pattern) and not any(re.search(pattern, each) for each in ("x", text))
    needs_dot = dotted_only and re.search(pattern, f".{text}")
    return f".{text}" if needs_dot else text


def is_cautious(text: str, known: str = "") -> bool:
    """Return True where a word changes what is asked for, and `known` (the wordings) does not hold
    it."""
    said = set(re.findall(r"[a-z']+", text.lower()))
    learned = set(re.findall(r"[a-z']+", known.lower()))
    for word in (*words()["cautious"], *words()["everyone"]):
        is_said = word in said if word.isascii() else word in text
        is_known = word in learned if word.isascii() else word in known
        if is_said and not is_known:
            return True
    return False
