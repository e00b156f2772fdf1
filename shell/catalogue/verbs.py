"""Verbs of remote tools and of tasks: words that read, delete, start or change, wherever they are
used."""

from __future__ import annotations

from collections.abc import Sequence

from shell.catalogue.packs import Entry, words
from text import pattern

_PARTS = pattern(r"[-:_/.]+|(?<=[a-z0-9])(?=[A-Z])")
_KINDS = {"delete": "delete", "spend": "spend", "change": "send"}
_REMOTE_PLACE = pattern(r"[a-z0-9]+://|[\w.-]+:")
_NO_TASK = pattern("[=/]")  # a variable, a file
_GROUPED = pattern(r"[^/]*:[^/]*")
_LAST_VERB = 6  # words behind which nobody says what is done


def pieces(word: str) -> list[str]:
    """Split `describe-instances`, `pg:reset` and `DeleteInstance` into their words, in lower
    case."""
    return [piece.lower() for piece in _PARTS.split(word) if piece]


def kind_of(word: str, known: Entry) -> str:
    """Return what a verb does (read, delete, spend, send), or "" for no verb that is known."""
    if _GROUPED.fullmatch(word):
        first, _, last = word.rpartition(":")
        kinds = (kind_of(each, known) for each in (last, first.partition(":")[0]))
        return next(filter(None, kinds), "")
    parts = pieces(word)
    if word in words("read").union(known.listed("reads_verbs")):
        return "read"
    if not (words("read") - words("nouns")).isdisjoint(parts[:1]):
        return "read"
    for kind, effect in _KINDS.items():
        if not words(kind).isdisjoint([word, *parts]):
            return effect
    return "" if words("read").isdisjoint(parts) else "read"


def judge(known: Entry, plain: Sequence[str | None]) -> str:
    """Return what a remote tool does by its verbs; "send" where no verb is known."""
    start = known.more.get("verbs", 0)
    if start == "first":
        return _first(known, plain)
    named = [word or "" for word in plain[int(start) :][:_LAST_VERB]]
    kinds = [kind_of(word, known) for word in named]
    nouns, seen = words("nouns").union(known.listed("reads_verbs")), "send"
    for at, word in enumerate(named):
        kind = kinds[at] or "send"
        if word in nouns and any(kinds[at + 1 : at + 2]):
            seen = kind
        elif kinds[at] or not word:
            return kind
    return seen


def _first(known: Entry, plain: Sequence[str | None]) -> str:
    """Return the first word as the verb; docker's groups (`image`, `compose`) stand before it."""
    groups = set(known.listed("groups"))
    named = [word for word in plain[:2] if word not in groups] + [*plain[2:]]
    if not named:
        return "read"
    return kind_of(named[0] or "", known) or "send"


def transfer(known: Entry, plain: Sequence[str | None]) -> str:
    """Return "read" for a copy from a store to here, else "send"; "" for no copy."""
    patterns = str(known.more.get("transfers", "")).split(";")
    verbs = {pattern.split()[-1] for pattern in patterns if pattern.strip()}
    at = next((n for n, word in enumerate(plain) if word in verbs), None)
    if at is None:
        return ""
    is_remote = [bool(_REMOTE_PLACE.match(word or "x:")) for word in plain[at + 1 :]]
    return "read" if is_remote == [True, False] else "send"


def task(plain: Sequence[str | None]) -> str:
    """Return the name of a task that does more than build and test, or "". `test:delete` is a
    test."""
    for word in filter(None, plain[:3]):
        parts = [] if _NO_TASK.search(word) else pieces(word)
        if not words("tries").isdisjoint(parts[:1]):
            return ""
        if not words("read").isdisjoint(parts[-1:]):
            return ""
        if not words("tasks").isdisjoint(parts):
            return word
    return ""
