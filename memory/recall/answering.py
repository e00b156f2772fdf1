"""Answer a question from memory, where one line says it for sure: no model is asked.

Sure is a statement in which everything stands that the question asks about, and a value of the kind that it asks for: a
time, a number. What asks itself, what a newer line took the place of, and what the agent said are no answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

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
    r"(?i)\b(?:called|named?|tell|know|remember|put)\b|\b(?:i|we) (?:say|said|tell|told|mention(?:ed)?|talk(?:ed)?)\b|['’]s\b|什么|名字|[的了吗呢吧啊我你您他她它们是在叫放哪里儿个谁几多少这那]"
)
_WORD = pattern(r"[A-Za-z0-9_'’.-]+|[^\W\dA-Za-z_]+")
_ASKS = pattern(
    r"(?i)^\W*(?:what|when|where|who|whom|whose|which|how (?:many|much|old|long)|do you (?:know|remember))\b"
    r"|什么|哪[里儿个天年月些]|谁|几[点号个]|多少|何时|[吗呢][？?]?\s*$"
)
Kind = Literal["sure", "nearest", "forget"]
_FORGET = pattern(
    r"(?i)\s*(?:(?:please )?forget (?:that|about)\s|请?忘[掉记了])(?P<what>.+?)(?:(?:这件|的)事情?)?[。.!！]?\s*"
)
_OWN = pattern(r"(?i)\b(?:i|my|we|our)\b|我")
_TOLD = pattern(
    r"(?i)^(?:please )?(?:remember|note|keep in mind|don['’]t forget)(?: that\b|\s*[:,])?\s+(?=\S)|^请?(?:记住|记一下|别忘了)[，,：:]?\s*"
)


class Answer(NamedTuple):
    """A line that answers, without the words that told us to keep it; `source` says where it stands; `nearest`: not all
    that is asked about stands in it; `forget`: it is to be forgotten."""

    text: str
    source: str
    at: datetime
    kind: Kind


def answer(home: Path, text: str, now: datetime, only: str | None = None) -> list[Answer]:
    """Return the lines that answer a question for sure, the best first; else the one line that holds most of what the
    owner asks about themselves; for "forget that …" the lines that say it. `only`: the session that asks, when it is not
    the owner's. Raises JournalError."""
    if told := _FORGET.fullmatch(text):
        return _lines(home, told["what"], now, only, "forget")
    return _lines(home, text, now, only, "sure") if is_question(text) else []


def _lines(home: Path, text: str, now: datetime, only: str | None, kind: Kind) -> list[Answer]:
    from memory.journal.store import Store
    from memory.recall.ranking import search
    from memory.recall.written import refresh

    path, wanted = home / "journal" / "memory.sqlite3", _wanted(text)
    if only is None:
        refresh(home)
    with closing(Store(path, readonly=True, only=only)) as store:
        known = wanted.keys() & store.documents(wanted).keys()
        if known != wanted.keys():
            kind = "nearest"
        if not known or (kind == "nearest" and not _is_mostly(known, wanted, text)):
            return []
        named = " ".join(dict.fromkeys(wanted[term] for term in wanted if term in known))
        found = search(store, named, now, LOOKED_AT).results
    lines: dict[str, Answer] = {}
    for turn in (each.turn for each in found):
        said = " ".join(turn.text.split())
        if _says(turn, text, known) and not _was_an_order(home, turn):
            lines.setdefault(said, Answer(_TOLD.sub("", said), turn.source, turn.at, kind))
    return list(lines.values())[:MOST] if kind != "nearest" or len(lines) == 1 else []


def _is_mostly(known: set[str], wanted: Mapping[str, str], question: str) -> bool:
    """Return True where the memory has half of what the owner asks about themselves."""
    is_own = is_question(question) and _OWN.search(question) is not None
    return is_own and 2 * len(known) >= len(wanted)


def is_question(text: str) -> bool:
    """Tell whether a text asks for something that a memory could hold."""
    return len(text) <= MAX_QUESTION_CHARS and _ASKS.search(text) is not None


def _wanted(question: str) -> dict[str, str]:
    """The terms that must stand in an answer, each with the word that it is of."""
    from memory.recall.question import is_small
    from text.words import asked

    said = _WORD.findall(_ASKING.sub(" ", _ASKS.sub(" ", question)))
    return {
        term: word
        for word in said
        for term in asked(word)[-1 if word.isascii() else 0 :]
        if not (is_small(term) or is_small(word.lower()))
    }


def _says(turn: Turn, question: str, wanted: set[str]) -> bool:
    from memory.recall.features import shape
    from memory.recall.written import superseded_by

    seen = shape(turn.text)
    is_asked = seen.asks, is_question(turn.text), _FORGET.fullmatch(turn.text)
    if any(is_asked) or turn.who == "agent" or superseded_by(turn):
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
