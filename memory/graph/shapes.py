"""Define the parts of the graph: parties, statements, and the names under which they are filed.
Source: seed 003 P5.1.

A statement is one thing that one turn says: subject, predicate, object. What several turns say
becomes one edge. A node's id holds its session, so what a group says of a name and what the owner
says of it never meet.
"""

from __future__ import annotations

import hashlib
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from text import pattern
from text.words import cut

Kind = Literal["User", "Agent", "Entity", "Scene"]
Predicate = Literal["PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO", "MENTIONED", "CAUSED_BY"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PREDICATES: tuple[Predicate, ...] = get_args(Predicate)
OPPOSITE: dict[str, Predicate] = {"PREFERS": "DISLIKES", "DISLIKES": "PREFERS"}
MAX_NAME_CHARS = 60
_LEADING = pattern(
    r"(?i)^(?:the|an?|some|any|this|that|these|those|my|our|to)(?:\s+|$)|^(?:这个|那个|一个|一些|我的)"
)
_ADDRESS = pattern(r"://|^[~/.\\]|^[A-Za-z]:\\|@")
_EDGES = " \t\n\"'“”‘’「」『』《》()（）[]【】,，.。!！?？;；:：-–—~…"


class Party(NamedTuple):
    """One side of a statement. `key` is what it is filed under: the same for spellings that mean
    the same."""

    kind: Kind
    name: str
    key: str


class Statement(NamedTuple):
    """Hold what one turn says. `number`: the turn in the index; `label` says more of a relation;
    `by`: "rules" or "model"."""

    subject: Party
    predicate: Predicate
    object: Party
    number: int
    label: str = ""
    confidence: float = 0.7  # 0 to 1
    emotion: str = ""
    by: str = "rules"


LESS = "less"  # the label of what something else is liked better than
OWNER = Party("User", "owner", "owner")
AGENT = Party("Agent", "agent", "agent")


def entity(name: str) -> Party | None:
    """Return the person, thing or topic of that name; None for what is no name, and for paths and
    addresses."""
    shown = " ".join(name.encode("utf-8", "ignore").decode().split()).strip(_EDGES)
    while shorter := _LEADING.match(shown):
        shown = shown[shorter.end() :].strip(_EDGES)
    key = key_of(shown)
    if not key or len(shown) > MAX_NAME_CHARS or _ADDRESS.search(shown):
        return None
    return Party("Entity", shown, key)


@lru_cache(maxsize=4096)
def key_of(name: str) -> str:
    """Return what a name is filed under: lower case, no accents, English words as their stems."""
    plain = _LEADING.sub("", unicodedata.normalize("NFKC", name).casefold().strip(_EDGES))
    if not plain.isascii():
        return " ".join(plain.split())
    return " ".join(cut(word)[-1] if word.isalpha() else word for word in plain.split())


def both(subject: Party | None, object: Party | None) -> tuple[Party, Party] | None:
    """Return the two sides of a statement; None where one is missing, or both are the same."""
    if subject is None or object is None:
        return None
    return None if subject.key == object.key else (subject, object)


def role_key(of: Party, role: str) -> str:
    """Return what "my sister" is filed under, said by `of`: no name has an @."""
    return f"@{of.kind}:{of.key}:{role}"


def node_id(session: str, kind: str, key: str) -> str:
    """Return the name of a node: the same in every process, and after a rebuild."""
    return "n-" + _hash(session, kind, key)


def edge_id(subject: str, predicate: str, object: str, label: str) -> str:
    """Return the name of an edge. What is liked is one edge however it is called; relations of two
    kinds are two."""
    return "e-" + _hash(subject, predicate, object, label if predicate == "RELATES_TO" else "")


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
