"""Answer a question from memory, where one line says it for sure: no model is asked.

Sure is a statement in which everything stands that the question asks about, and a time where one is
asked for. What asks itself, what a newer line took the place of, and what the agent said are no
answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from memory.recall.question import is_question, is_small, only_asks, without_asking
from text import pattern
from text.time import find

if TYPE_CHECKING:
    from memory.journal.store import Store
    from memory.journal.turns import Turn
    from models.embeddings import Embedder

LOOKED_AT = 20
MOST = 3  # lines
LEAST_FIT = 0.44  # of 20 questions that nothing answers two are given a line, at 0.4 four
# Words that only say that a name or a value is asked for.
_ASKING = pattern(
    r"(?i)\b(?:called|named?|tell|know|remember|put)\b|\b(?:i|we) (?:say|said|tell|told|mention(?:ed)?|talk(?:ed)?)\b|['’]s\b|什么|名字|[的了吗呢吧啊我你您他她它们是在叫放哪里儿个谁几多少这那]"
)
_WORD = pattern(r"[A-Za-z0-9_'’.-]+|[^\W\dA-Za-z_]+")
_WHEN = pattern(
    r"(?i)^\s*(?:when|since when|how long|(?:in|on|during)? ?(?:what|which) (?:date|year|month|day|week))\b"
    r"|什么时[候间]|哪一?[天年月日]|几[号月点]|多久|何时"
)
Kind = Literal["sure", "nearest"]
_OWN = pattern(r"(?i)\b(?:i|my|we|our)\b|我")


class Answer(NamedTuple):
    """A line that answers, without the words that told us to keep it; `source` says where it
    stands; `nearest`: not all that is asked about stands in it."""

    text: str
    source: str
    at: datetime
    kind: Kind

    def __str__(self) -> str:
        return f"{self.text} [{self.at.astimezone():%Y-%m-%d}, {self.source}]"


def answer(
    home: Path, question: str, now: datetime, embedder: Embedder | None = None
) -> list[Answer]:
    """Return the lines that answer a question for sure, the best first; else the one line that
    holds most of what the owner asks about themselves. With an `embedder`: the lines that may
    answer it by what they mean. Raises JournalError."""
    if not (only_asks(question) if embedder else is_question(question)):
        return []
    from memory.journal.store import Store
    from memory.recall.written import refresh

    refresh(home)
    with closing(Store(home / "journal" / "memory.sqlite3", readonly=True)) as store:
        found = _found(store, question, now, embedder)
    lines: dict[str, Answer] = {}
    for turn, kind in found:
        text = _told(turn)
        if text not in lines and not _was_an_order(home, turn):
            lines[text] = Answer(text, turn.source, turn.at, kind)
    is_one = embedder is None and any(each.kind == "nearest" for each in lines.values())
    return [] if is_one and len(lines) > 1 else list(lines.values())[:MOST]


def _told(turn: Turn) -> str:
    from memory.wording import told

    return told(" ".join(turn.text.split()))


def _found(
    store: Store, question: str, now: datetime, embedder: Embedder | None
) -> list[tuple[Turn, Kind]]:
    """Return the statements that may answer, the best first."""
    if embedder:
        return [(turn, "nearest") for turn in _meant(store, question, now, embedder)]
    wanted = _wanted(question)
    known = wanted.keys() & store.documents(wanted).keys()
    kind: Kind = "sure" if known == wanted.keys() else "nearest"
    if kind == "sure" or _is_mostly(known, wanted, question):
        named = " ".join(dict.fromkeys(wanted[term] for term in wanted if term in known))
        return [(turn, kind) for turn in _saying(store, question, known, named, now)]
    return []


def _saying(
    store: Store, question: str, known: set[str], named: str, now: datetime
) -> Iterator[Turn]:
    """Yield the statements in which all that is `known` of a question stands."""
    from memory.recall.ranking import search

    for each in search(store, named, now, LOOKED_AT).results if known else ():
        if _says(each.turn, question, known):
            yield each.turn


def _meant(store: Store, question: str, now: datetime, embedder: Embedder) -> list[Turn]:
    from memory.recall.ranking import search

    results = search(store, question, now, LOOKED_AT, embedder=embedder).results
    fitting = (each.turn for each in results if each.fit >= LEAST_FIT)
    return list(filter(_states, fitting))


def _is_mostly(known: set[str], wanted: Mapping[str, str], question: str) -> bool:
    """Return True where the memory has half of what the owner asks about themselves."""
    return _OWN.search(question) is not None and 2 * len(known) >= len(wanted)


def _wanted(question: str) -> dict[str, str]:
    """Return the terms that must stand in an answer, each with the word that it is of."""
    from text.words import asked

    said = _WORD.findall(_ASKING.sub(" ", without_asking(question)))
    return {
        term: word
        for word in said
        for term in asked(word)[-1 if word.isascii() else 0 :]
        if not (is_small(term) or is_small(word.lower()))
    }


def _states(turn: Turn) -> bool:
    """Tell whether a turn states something that still holds."""
    from memory.recall.features import shape
    from memory.recall.written import superseded_by
    from memory.written import forgets

    asks = shape(turn.text).asks or is_question(turn.text) or bool(forgets(turn.text))
    is_no_statement = asks, superseded_by(turn)
    return turn.who != "agent" and not any(is_no_statement)


def _says(turn: Turn, question: str, wanted: set[str]) -> bool:
    """Tell whether a turn states all that is wanted, and a time where one is asked for."""
    from memory.recall.features import shape

    seen = shape(turn.text)
    if not _states(turn) or not wanted <= seen.tokens.keys():
        return False
    return not _WHEN.search(question) or seen.has_digit or bool(find(turn.text, turn.at))


_TELLS = pattern(r"(?i)^(?:i|my|we|our)\b|\b(?:is|are|was|were|has)\b|^我|是")


def _was_an_order(home: Path, turn: Turn) -> bool:
    """Return True for a request: a procedure did it, or nothing could and it states nothing."""
    from memory.logs import summarise

    run = summarise(home, turn.run) if turn.run and turn.who == "owner" else None
    if run is None:
        return False
    is_done = bool(run.sop)
    return is_done or (run.status == "no_model" and not _TELLS.search(turn.text))
