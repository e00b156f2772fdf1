"""Tell what the text given to a database's client would do: SQL, Redis, MongoDB, and the clients'
own commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from shell.catalogue import words
from text import pattern
from text.sections import sections

_INERT = pattern(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|`[^`]*`|\$(\w*)\$.*?\$\1\$", re.DOTALL
)
_COPIES_OUT = pattern(r"(?i)\\copy\s*\(\s*(select|with)\b(?!.*\bprogram\b)", re.DOTALL)
_MONGO_BY_TEXT = pattern(r"\$out\b|\$merge\b|\[\s*['\"]\w+['\"]\s*\]\s*\(")
_MONGO_STRINGS = pattern(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_ANY_CASE = ("changes", "leaves")


@cache
def _words(section: str) -> frozenset[str]:
    return frozenset(sections("commands/statements.txt")[section].split())


@cache
def _shape(section: str) -> re.Pattern[str]:
    """Return the pattern of a section: any of its expressions."""
    several = "|".join(sections("commands/statements.txt")[section].split())
    return re.compile(several, re.IGNORECASE if section in _ANY_CASE else 0)


def changes_sql(text: str) -> bool:
    """Return True if SQL, or a command of psql or sqlite3, may do more than read. An empty text:
    yes, it waits for more."""
    parts = re.split(r";|\n(?=\s*[.\\])", _INERT.sub("''", text))
    statements = [part.strip(" \t\r\n(") for part in parts if part.strip(" \t\r\n('")]
    return not statements or any(map(_changes, statements))


def only_in_memory(values: Sequence[str | None], texts: Sequence[str | None]) -> bool:
    """Return True if a database that is no file (`sqlite3 :memory:`) is filled and asked, and
    nothing leaves it."""
    if ":memory:" not in values or None in texts:
        return False
    return not any(map(_shape("leaves").search, filter(None, texts)))


def _changes(statement: str) -> bool:
    if _COPIES_OUT.match(statement):
        return bool(_shape("changes").search(statement.removeprefix("\\copy")))
    if statement.startswith((".", "\\")):
        return not _shape("meta").match(statement) or not {"|", "!"}.isdisjoint(statement)
    word = re.sub(r"[^A-Za-z].*", "", statement, flags=re.DOTALL).lower()
    if word == "pragma":
        return "=" in statement
    if word in _words("tells"):
        return False
    return word not in _words("reads") or bool(_shape("changes").search(statement))


def changes_redis(asked: list[str | None]) -> bool:
    """Return True if a Redis command may do more than read. None: it waits for commands."""
    first, second = [str(word).lower() for word in [*asked, None, None][:2]]
    return words("redis_reads").isdisjoint([first, f"{first}.{second}"])


def changes_mongo(text: str) -> bool:
    """Return True if JavaScript for MongoDB's shell may do more than read."""
    looked_at = {_shape("mongo"): _MONGO_STRINGS.sub("''", text), _MONGO_BY_TEXT: text}
    return any(changes.search(part) for changes, part in looked_at.items())
