"""Verbs of remote tools and of tasks: words that read, delete, start or change, wherever they are used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shell.catalogue.packs import Entry, words

_PARTS = re.compile(r"[-:_/.]+|(?<=[a-z0-9])(?=[A-Z])")
_KINDS = {"delete": "delete", "spend": "spend", "change": "send"}
_REMOTE_PLACE = re.compile(r"[a-z0-9]+://|[\w.-]+:")
_PLAIN_WORD = re.compile(r"[a-z][a-z:_-]{1,30}")
_LAST_VERB = 6  # words behind which nobody says what is done


def pieces(word: str) -> list[str]:
    """Split `describe-instances`, `pg:reset` and `DeleteInstance` into their words, in lower case."""
    return [piece.lower() for piece in _PARTS.split(word) if piece]


def kind_of(word: str, known: Entry | None = None) -> str:
    """Return what a verb does (read, delete, spend, send), or "" for no verb that is known."""
    if ":" in word and "/" not in word:
        first, _, last = word.rpartition(":")
        return kind_of(last, known) or kind_of(first.partition(":")[0], known)
    parts = pieces(word)
    if _only_reads(word, parts, known.listed("reads_verbs") if known else []):
        return "read"
    for kind, effect in _KINDS.items():
        if not words(kind).isdisjoint({word, *parts}):
            return effect
    return "" if words("read").isdisjoint(parts) else "read"


def _only_reads(word: str, parts: list[str], own: list[str]) -> bool:
    is_read = word in own or word in words("read")
    return is_read or not (words("read") - words("nouns")).isdisjoint(parts[:1])


def judge(known: Entry, plain: Sequence[str | None]) -> str:
    """Return what a remote tool does by its verbs; "send" where no verb is known."""
    start = known.more.get("verbs", 0)
    if start == "first":
        return _first(known, plain)
    named = [word or "" for word in plain[int(start) :][:_LAST_VERB]]
    nouns = words("nouns") | set(known.listed("reads_verbs"))
    seen = ""
    for word, behind in zip(named, [*named[1:], ""], strict=False):
        kind = kind_of(word, known)
        if word in nouns and kind_of(behind, known):
            seen = kind
        elif kind or not word:
            return kind or "send"
    return seen or "send"


def _first(known: Entry, plain: Sequence[str | None]) -> str:
    """The first word is the verb; docker's groups (`image`, `compose`) stand before it."""
    groups = set(known.listed("groups"))
    named = [word for at, word in enumerate(plain) if not (word in groups and at < 2)]
    if not named:
        return "read"
    return kind_of(named[0] or "", known) or "send"


def transfer(known: Entry, plain: Sequence[str | None]) -> str:
    """Return "read" for a copy from a store to here, else "send"; "" for no copy."""
    patterns = str(known.more.get("transfers", "")).split(";")
    verbs = {pattern.split()[-1] for pattern in patterns if pattern.strip()}
    at = next((n for n, word in enumerate(plain) if word in verbs), -1)
    is_remote = [bool(_REMOTE_PLACE.match(word or "x:")) for word in plain[at + 1 :]]
    return "" if at < 0 else "read" if is_remote == [True, False] else "send"


def task(plain: Sequence[str | None]) -> str:
    """Return the name of a task that does more than build and test, or "". `test:delete` is a test."""
    for word in plain[:3]:
        parts = pieces(word or "")
        if not word or "=" in word or "/" in word:
            continue
        if parts and (parts[0] in words("tries") or parts[-1] in words("read")):
            return ""
        if words("tasks") & set(parts):
            return word
    return ""


def of_stranger(name: str, plain: Sequence[str | None]) -> str:
    """Return the effect of a program that nobody has listed, by its name and its first words; "" for none."""
    own = pieces(name)
    hard_name = len(own) > 1 and own[-1] in words("hard") & words("delete")
    if name in words("plain"):
        return ""
    return "delete" if plain and hard_name else _of_first_words(plain[:2])


def _of_first_words(first: Sequence[str | None]) -> str:
    for word in first:
        if not word or not _PLAIN_WORD.fullmatch(word):
            return ""
        kind, parts = kind_of(word), pieces(word)
        if kind == "read" or parts[:1] == ["test"]:
            return ""
        if words("hard") & {word, *parts}:
            return kind if kind in ("delete", "send") else "send"
    return ""
