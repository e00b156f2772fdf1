"""Recall for a run unasked: the turns that a request is about, what was read, lines for the model,
and whom or what "it" and "she" in a question stand for (seed 003 P2.5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memory.home import MAIN
from memory.journal.turns import WRITTEN, Found, Turn
from memory.recall.candidates import BY_LINES, BY_WORDS_ALONE, MAX_QUERY_CHARS, around
from memory.recall.question import Question, is_small, understood
from memory.recall.written import best_lines, forgotten, outdated, superseded_by
from text.words import asked

if TYPE_CHECKING:
    from memory.journal.store import Store

MAX_HINTS = 2  # the names that were said last; more would hide what is asked for
_REFERS = re.compile(
    r"(?i)\b(?:it|its|they|them|their|he|him|his|she|her|hers|the same|(?:that|this|those|these)(?=\s*(?:[?.!,]|$)))\b"
    r"|[它他她]们?|[那这]个?(?=[是在怎什吗呢？?]|$)"
)
LEAST_TERMS = 2
FIRST = 20  # among which it is looked for what is outdated
LEAST_COVERED = 0.6  # of what is telling in a request, for a turn that is brought up unasked


def relevant(store: Store, request: str, k: int) -> list[Found]:
    """Return up to `k` turns that speak of what a request is about, best first: only those in
    which, or around which, most of what is telling in it stands. By words alone, ranked by BM25:
    that finds one in fifty less than `weighed` would, whose numpy the start of a run would feel."""
    request = request[:MAX_QUERY_CHARS]
    terms = [term for term in asked(request) if not is_small(term)]
    if len(terms) < LEAST_TERMS:
        return []
    documents = store.documents(terms)
    hits = dict(store.keyword_ranks(list(documents), BY_WORDS_ALONE))
    hits |= dict(best_lines(store, list(documents), BY_LINES))
    turns = store.turns(hits.keys() | around(store, hits))
    question = understood(request, {turns[number].who for number in turns.keys() & hits.keys()})
    found: dict[str, Found] = {}
    for number, words in _covering(store, turns, _telling(store, question, documents)):
        score = round(hits.get(number, 0.0) / max(hits.values()), 4)
        why = f"words: {', '.join(sorted(words))}"
        text = " ".join(turns[number].text.split())
        found.setdefault(text, Found(turns[number], score, why))
    found.pop(" ".join(request.split()), None)
    return _that_hold(sorted(found.values(), key=lambda each: -each.score)[:FIRST])[:k]


def _telling(store: Store, question: Question, documents: Mapping[str, int]) -> dict[str, float]:
    """Return the terms of a question that stand anywhere, and how much each tells."""
    from memory.recall.features import rarity

    total = store.total()
    known = (term for term in question.terms if term in documents)
    return {term: rarity(documents[term], total) for term in known}


def _that_hold(found: Sequence[Found]) -> list[Found]:
    """Return what no newer turn takes the place of, and what is not to be forgotten."""
    turns = [each.turn for each in found]
    old, gone = outdated(turns), forgotten(turns)
    places = (place for place, turn in enumerate(turns) if turn.id not in old)
    return [found[place] for place in places if place not in gone]


def _covering(
    store: Store, turns: Mapping[int, Turn], telling: Mapping[str, float]
) -> Iterator[tuple[int, AbstractSet[str]]]:
    """Give the turns that, with those around them, say most of what is telling, and their own words
    of it; the last first."""
    from memory.recall.features import shape

    beside, everything = store.beside(turns), sum(telling.values()) or 1.0
    own = {
        number: telling.keys() & shape(turn.text).tokens.keys() for number, turn in turns.items()
    }
    for number in sorted(turns, key=lambda each: turns[each].at, reverse=True):
        near = own[number].union(*(own[each] for each in _close(turns, number, beside)))
        covered = sum(telling[term] for term in near) / everything
        if covered < LEAST_COVERED or superseded_by(turns[number]):
            continue
        if own[number]:
            yield number, own[number]


def _close(
    turns: Mapping[int, Turn], number: int, beside: Mapping[int, tuple[int | None, int | None]]
) -> Iterator[int]:
    """Yield the turns before and after one that were said soon before or after it."""
    from memory.recall.features import NEAR_SECONDS

    for near in beside.get(number, ()):
        other = turns.get(near or 0)
        if other and abs((other.at - turns[number].at).total_seconds()) <= NEAR_SECONDS:
            yield near or 0


def mark_read(path: Path, only: str | None, found: Sequence[Found], now: datetime) -> None:
    """Note that these were read, so that used turns stay near. What cannot be written is left."""
    from memory.journal.lock import JournalError
    from memory.journal.store import Store

    try:
        store = Store(path, only=only)
    except JournalError:
        return
    try:
        numbers = (store.number(each.turn.session, each.turn.id) for each in found)
        store.touch([number for number in numbers if number is not None], now)
    except JournalError:
        pass
    finally:
        store.close()


def context_lines(turns: Sequence[Found], budget_chars: int) -> list[str]:
    """Return what was found, as a model reads it: by episode and time, each with its date and who
    said it, within a budget."""
    kept: list[Turn] = []
    for each in turns:
        budget_chars -= len(each.turn.text) + 40
        if budget_chars < 0:
            break
        kept.append(each.turn)
    kept.sort(key=lambda turn: (turn.session, turn.at))
    return [
        f"{turn.at:%Y-%m-%d %H:%M} {_speaker(turn)}: {' '.join(turn.text.split())} [{turn.source}]"
        for turn in kept
    ]


def _speaker(turn: Turn) -> str:
    """Return who said it; whoever speaks in a group is not the owner for that."""
    if turn.session in (MAIN.name, WRITTEN):
        return turn.who
    return turn.session if turn.who in ("owner", turn.session) else f"{turn.who} in {turn.session}"


def with_names(question: str, recent: Callable[[], Sequence[Turn]]) -> str:
    """Return the question and behind it the names that it may refer to: "when did we buy it?" → "…
    HP-4200". As it is where it refers to nothing: then nobody asks for what was said last
    (`recent`, the newest last)."""
    if not _REFERS.search(question):
        return question
    names = dict.fromkeys(name for turn in reversed(recent()) for name in _names(turn.text))
    new = [name for name in names if name.casefold() not in question.casefold()]
    return " ".join([question, *new[:MAX_HINTS]])


def _names(text: str) -> Iterator[str]:
    from memory.wording import values

    for value in values(text):
        is_name = value.kind in ("name", "quoted", "path") or (
            value.kind == "word" and value.text[:1].isupper()
        )
        if is_name and len(value.text) > 1:
            yield value.text
