"""Answer a question from memory, where one line says it for sure: no model is asked.

Sure is a statement in which everything stands that the question asks about, and a value of the kind that it asks for: a
time, a number. What asks itself, what a newer line took the place of, and what the agent said are no answers.
"""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memory.recall.question import is_question, is_small, without_asking
from text import pattern
from text.time import find

if TYPE_CHECKING:
    from memory.journal.turns import Turn
    from memory.recall.features import Shape
    from models.embeddings import Embedder

LOOKED_AT = 20
MOST = 3  # lines
LEAST_SHARE = 0.6  # of the best one's score
# Words that only say that a name or a value is asked for.
_ASKING = pattern(
    r"(?i)\b(?:called|named?|tell|know|remember|put)\b|['’]s\b|什么|名字|[的了吗呢吧啊我你您他她它们是在叫放哪里儿个谁几多少这那]"
)
_WORD = pattern(r"[A-Za-z0-9_'’.-]+|[^\W\dA-Za-z_]+")
_TOLD = pattern(
    r"(?i)^(?:please )?(?:remember|note|keep in mind|don['’]t forget)(?: that\b|\s*[:,])?\s+(?=\S)|^请?(?:记住|记一下|别忘了)[，,：:]?\s*"
)


class Answer(NamedTuple):
    """A line that answers, without the words that told us to keep it; `source` says where it stands."""

    text: str
    source: str
    at: datetime

    def __str__(self) -> str:
        return f"{self.text} [{self.at.astimezone():%Y-%m-%d}, {self.source}]"


def answer(
    home: Path, question: str, now: datetime, embedder: Embedder | None = None
) -> list[Answer]:
    """Return the lines that answer a question for sure, the best first; most often none. With an `embedder`: the lines
    that may answer it, by their words or their meaning. Raises JournalError."""
    if not is_question(question):
        return []
    from memory.journal.store import Store
    from memory.recall.ranking import search
    from memory.recall.written import refresh

    refresh(home)
    with closing(Store(home / "journal" / "memory.sqlite3", readonly=True)) as store:
        wanted = _wanted(question)
        is_told = bool(wanted) and store.documents(wanted).keys() == wanted
        if not (is_told or embedder):
            return []
        found = search(store, question, now, LOOKED_AT, embedder=embedder).results
    told = [each for each in found if _states(each.turn)]
    turns = [each.turn for each in told if each.score >= LEAST_SHARE * told[0].score]
    if embedder is None:
        turns = [turn for turn in turns if _says(turn, question, wanted)]
    lines: dict[str, Answer] = {}
    for turn in turns:
        text = _TOLD.sub("", " ".join(turn.text.split()))
        if text not in lines and not _was_an_order(home, turn):
            lines[text] = Answer(text, turn.source, turn.at)
    return list(lines.values())[:MOST]


def _wanted(question: str) -> set[str]:
    """The terms that must stand in an answer."""
    from text.words import asked

    said = _WORD.findall(_ASKING.sub(" ", without_asking(question)))
    terms = (term for word in said for term in asked(word)[-1 if word.isascii() else 0 :])
    return {term for term in terms if not is_small(term)}


def _states(turn: Turn) -> bool:
    """Tell whether a turn states something that still holds."""
    from memory.recall.features import shape
    from memory.recall.written import superseded_by

    is_no_statement = shape(turn.text).asks, is_question(turn.text), superseded_by(turn)
    return turn.who != "agent" and not any(is_no_statement)


def _says(turn: Turn, question: str, wanted: set[str]) -> bool:
    from memory.recall.features import shape

    seen = shape(turn.text)
    return wanted <= seen.tokens.keys() and _has_value(turn, seen, question)


_TELLS = pattern(r"(?i)\b(?:i|my|we|our|is|are|was|were|has)\b|我|是")


def _was_an_order(home: Path, turn: Turn) -> bool:
    """Return True for a request: a procedure did it, or nothing could and it states nothing."""
    from memory.logs import summarise

    run = summarise(home, turn.run) if turn.run and turn.who == "owner" else None
    if run is None:
        return False
    is_done = bool(run.sop)
    return is_done or (run.status == "no_model" and not _TELLS.search(turn.text))


_WHEN = pattern(
    r"(?i)^\s*(?:when|since when|how long|(?:in|on|during)? ?(?:what|which) (?:date|year|month|day|week))\b"
    r"|什么时[候间]|哪一?[天年月日]|几[号月点]|多久|何时"
)
_COUNT = pattern(r"(?i)\bhow (?:many|much|old|often)\b|多少|几[个次岁本只条位家]|多大")
_NAMED = pattern(r"(?i)\b(?:called|named?|who|whose)\b|叫|名字|谁")
_IS_NAMED = pattern("叫|名|姓|是")


def _has_value(turn: Turn, seen: Shape, question: str) -> bool:
    """Tell whether a turn holds a value of the kind that a question asks for."""
    if _WHEN.search(question):
        return seen.has_digit or bool(find(turn.text, turn.at))
    if _NAMED.search(question):
        is_named = seen.names > 0 or seen.has_digit
        return is_named if question.isascii() else _IS_NAMED.search(turn.text) is not None
    return seen.has_digit or not _COUNT.search(question)
