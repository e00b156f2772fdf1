"""Answer a question from memory, where one line says it for sure: no model is asked.

Sure is a statement in which everything stands that the question asks about, and a value of the kind that it asks for: a
time, a number. What asks itself, what a newer line took the place of, and what the agent said are no answers.
"""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from text import pattern
from text.time import find

if TYPE_CHECKING:
    from memory.journal.turns import Turn
    from memory.recall.features import Shape

MAX_QUESTION_CHARS = 200
LOOKED_AT = 20
MOST = 3  # lines
# Words that only say that a name or a value is asked for.
_ASKING = pattern(
    r"(?i)\b(?:called|named?|tell|know|remember|put)\b|['’]s\b|什么|名字|[的了吗呢吧啊我你您他她它们是在叫放哪里儿个谁几多少这那]"
)
_WORD = pattern(r"[A-Za-z0-9_'’.-]+|[^\W\dA-Za-z_]+")
_ASKS = pattern(
    r"(?i)^\W*(?:what|when|where|who|whom|whose|which|how (?:many|much|old|long)|do you (?:know|remember))\b"
    r"|什么|哪[里儿个天年月些]|谁|几[点号个]|多少|何时|[吗呢][？?]?\s*$"
)


_TOLD = pattern(
    r"(?i)^(?:please )?(?:remember|note|keep in mind|don['’]t forget)(?: that\b|\s*[:,])?\s+(?=\S)|^请?(?:记住|记一下|别忘了)[，,：:]?\s*"
)


class Answer(NamedTuple):
    """A line that answers, without the words that told us to keep it; `source` says where it stands."""

    text: str
    source: str
    at: datetime


def answer(home: Path, question: str, now: datetime, only: str | None = None) -> list[Answer]:
    """Return the lines that answer a question for sure, the best first; most often none. `only`: the session that asks,
    when it is not the owner's. Raises JournalError."""
    if not is_question(question):
        return []
    from memory.journal.store import Store
    from memory.recall.ranking import search
    from memory.recall.written import refresh

    path = home / "journal" / "memory.sqlite3"
    if only is None:
        refresh(home)
    with closing(Store(path, readonly=True, only=only)) as store:
        wanted = _wanted(question)
        if not wanted or store.documents(wanted).keys() != wanted:
            return []
        found = search(store, question, now, LOOKED_AT).results
    sure: dict[str, Answer] = {}
    for turn in (each.turn for each in found):
        text = " ".join(turn.text.split())
        if _says(turn, question, wanted) and not _was_an_order(home, turn):
            sure.setdefault(text, Answer(_TOLD.sub("", text), turn.source, turn.at))
    return list(sure.values())[:MOST]


def is_question(text: str) -> bool:
    """Tell whether a text asks for something that a memory could hold."""
    return len(text) <= MAX_QUESTION_CHARS and _ASKS.search(text) is not None


def _wanted(question: str) -> set[str]:
    """The terms that must stand in an answer."""
    from memory.recall.question import is_small
    from text.words import asked

    said = _WORD.findall(_ASKING.sub(" ", _ASKS.sub(" ", question)))
    terms = (term for word in said for term in asked(word)[-1 if word.isascii() else 0 :])
    return {term for term in terms if not is_small(term)}


def _says(turn: Turn, question: str, wanted: set[str]) -> bool:
    from memory.recall.features import shape
    from memory.recall.written import superseded_by

    seen = shape(turn.text)
    is_no_statement = seen.asks, is_question(turn.text), turn.who == "agent", superseded_by(turn)
    if any(is_no_statement):
        return False
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


def _has_value(turn: Turn, seen: Shape, question: str) -> bool:
    """Tell whether a turn holds a value of the kind that a question asks for."""
    if _WHEN.search(question):
        return seen.has_digit or bool(find(turn.text, turn.at))
    if _NAMED.search(question) and question.isascii():
        return seen.names > 0 or seen.has_digit
    return seen.has_digit or not _COUNT.search(question)
