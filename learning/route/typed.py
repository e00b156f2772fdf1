"""Read a stretch of a request as the value of a parameter, by the parameter's type; never guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from learning.route.place import Where, absolute, folder_called, held_words, words
from replay.parameters import FIGURE, FORMATS, NUMBERED
from text import pattern, values

if TYPE_CHECKING:
    from text.values import Value

Schema = Mapping[str, Any]
_NUMBER = pattern(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,6})?", re.ASCII)
_PLAIN_PATH = pattern(r"\.{1,2}|(?:~|\.{1,2})?/(?:[A-Za-z0-9_-][A-Za-z0-9_./-]*)?")
_BARE = pattern(r"[^\s\"'`,;:?!<>|&/\\~()\[\]{}「」『』《》]+")
_NAMED = pattern(
    r"(?!\.*$)[^\s\"'`,;:?!<>|&\\~()\[\]{}「」『』《》/][^\s\"'`,;:?!<>|&\\~()\[\]{}「」『』《》]*"
)  # perhaps with its folder
_CODE = pattern(r"(?=.*(?:[0-9_]|[A-Z]{2}(?![a-z])))[A-Za-z0-9_.-]+")
_GLOB = pattern(
    r"[^\s\"'`,;:<>|&/\\~()「」『』《》]*(?:[*?]|\.[A-Za-z]\w{0,7}$)[^\s\"'`,;:<>|&/\\~()「」『』《》]*"
)
_SIGNS = pattern(r"[\n\"`“”「」『』;|<>]|^$")  # nothing, or more than one thing may be meant
BETWEEN = pattern(r"\s*(?:,\s*and\b|,|\band\b|&|、|，|和)\s*")  # the items of a list
TO_THE_END = ("rest", "colon")
_FORMS = {"quoted": _CODE, "glob": _GLOB}  # of a text in one word
FREE = ("rest", "colon", "words")  # shapes that take any words


def kind_of(schema: Schema) -> str:
    """Return the kind under which a parameter is read: a choice, a figure, a format, else its
    type."""
    if "enum" in schema:
        return "enum"
    if schema.get("pattern") in (FIGURE, NUMBERED):
        return "figure"
    form = str(schema.get("format"))
    return form if form in FORMATS else str(schema["type"])


def is_free_text(schema: Schema) -> bool:
    """Return True for a parameter that takes any text."""
    return schema["type"] == "string" and schema.keys().isdisjoint(("enum", "format"))


def read(text: str, schema: Schema, shape: str, where: Where) -> Any:
    """Return the value that a text stands for, or None where it is not of the parameter's type."""
    reader = _READERS.get(kind_of(schema))
    return reader(text, schema, shape, where) if reader else None


def _figure(text: str, schema: Schema) -> str | None:
    """Return a number as it stands in code: in figures, where the pattern does not take the
    words."""
    figure = number(text, "number")
    return text if figure is None or re.search(schema["pattern"], text) else str(figure)


def _list(text: str, schema: Schema, where: Where) -> list[Any] | None:
    """Return the values of a list in words: a, b and c."""
    items = schema.get("items", {"type": "string"})
    found = [read(each.strip(), items, "", where) for each in BETWEEN.split(text) if each.strip()]
    return None if None in found else found or None


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
    return found[0] if [each.text for each in found] == [text] else None


def _whole_of(kind: str, text: str) -> str | None:
    """Return the value of this kind that all of a text is."""
    found = whole(text)
    return str(found.value) if found and found.kind == kind else None


def path_of(value: Value, where: Where) -> str | None:
    """Return the path that a value of a text names."""
    if value.is_quoted:
        return absolute(value.text[1:-1], where)
    if value.kind == "folder":
        return found_here(value.text, where) or str(folder_called(value.value, where))
    return absolute(value.value, where) if value.kind == "path" else None


def path_said(text: str, where: Where, shape: str = "") -> str | None:
    """Return the path that all of a text names, from the root."""
    if shape == "new":
        where = where._replace(cwd=where.here)
    if _PLAIN_PATH.fullmatch(text):  # most paths; the reader costs 20 ms
        return absolute(text, where)
    if text in words()["here"]:
        return str(where.here)
    readers = [found_here, _path_in_words, *([_new_path] if shape == "new" else [])]
    return next(filter(None, (reader(text, where) for reader in readers)), None)


def _path_in_words(text: str, where: Where) -> str | None:
    found = whole(text)
    return path_of(found, where) if found else None


def _new_path(text: str, where: Where) -> str | None:
    """Return where a thing is made that has this name."""
    is_name = _BARE.fullmatch(text) is not None
    return str(where.cwd / text) if is_name and not is_cautious(text) else None


def found_here(name: str, where: Where) -> str | None:
    """Return the path of what stands in or below the working folder by this very name."""
    is_name = _NAMED.fullmatch(name) is not None
    return str(where.cwd / name) if is_name and (where.cwd / name).exists() else None


def _day(text: str) -> str | None:
    """Return the day that all of a text names: 24 December, next Friday."""
    if day := _whole_of("date", text):
        return day
    if is_cautious(text):  # tomorrow may be when it is to be done
        return None
    from text.time import day_named

    return day_named(text, datetime.now().astimezone())


def _one_of(text: str, choices: list[Any]) -> Any:
    said, places = text.lower(), _places(tuple(map(str, choices)))
    place = places.get(said, places.get(said.removesuffix("s")))  # pdfs
    return None if place is None else choices[place]


@lru_cache(maxsize=512)
def _places(choices: tuple[str, ...]) -> dict[str, int]:
    """Return where each choice stands first, by its name in lower case."""
    names = [choice.lower() for choice in choices]
    return {name: names.index(name) for name in names}


def _string(text: str, schema: Schema, shape: str) -> str | None:
    if _is_quoted(text):
        return text[1:-1]
    if shape in TO_THE_END:
        return _rest(text, shape)
    if shape == "words":
        return None if _SIGNS.search(text) else text
    form = _FORMS.get(shape, _BARE)
    is_one = form.fullmatch(text) and not is_cautious(text)
    return with_dot(text, schema) if is_one else None


def _is_quoted(text: str) -> bool:
    """Return True where quotes stand around all of a text; most begin with a letter or digit."""
    found = None if text[:1].isalnum() else whole(text)
    return found is not None and found.is_quoted


def _rest(text: str, shape: str) -> str | None:
    bare = text[1:] if text.startswith((":", "：")) else text
    is_said = shape == "rest" or bare != text
    return bare.strip(" ,，") or None if is_said else None


def with_dot(text: str, schema: Schema) -> str:
    """Return an ending with its dot where the parameter takes it with a dot only: rtf, .rtf."""
    pattern, dotted = str(schema.get("pattern", "")), f".{text}"
    taken = [each for each in ("x", text, dotted) if re.search(pattern, each)]
    return dotted if taken == [dotted] else text


def is_cautious(text: str, known: str = "") -> bool:
    """Return True where a word changes what is asked for, and `known` (the wordings) does not hold
    it."""
    tables = ("cautious", "everyone")
    return bool(held_words(text, *tables) - held_words(known, *tables))


_READERS: Mapping[str, Callable[[str, Schema, str, Where], Any]] = {
    "enum": lambda text, schema, shape, where: _one_of(text, schema["enum"]),
    "integer": lambda text, schema, shape, where: number(text, "integer"),
    "number": lambda text, schema, shape, where: number(text, "number"),
    "figure": lambda text, schema, shape, where: _figure(text, schema),
    "array": lambda text, schema, shape, where: _list(text, schema, where),
    "path": lambda text, schema, shape, where: path_said(text, where, shape),
    "date": lambda text, schema, shape, where: _day(text),
    "url": lambda text, schema, shape, where: _whole_of("url", text),
    "string": lambda text, schema, shape, where: _string(text, schema, shape),
}
