"""Gather the turns that may answer a question: by words, by meaning, by time, by who is named, and
what was said around.

A journal of any size is looked at as closely as a small one: the turns of a person whom the
question names are searched by themselves. Source: seed 003 P4.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memory.recall.question import Question, is_echo, is_joint, is_small, understood
from memory.recall.written import best_lines, forgotten
from text.time import TimeRange
from text.words import asked

if TYPE_CHECKING:
    from memory.journal.store import Store
    from memory.recall.features import Numbers, Rows
    from memory.recall.meaning import Near
    from models.embeddings import Embedder

BY_WORDS = 60
BY_WORDS_ALONE = 120  # where nothing is found by meaning
BY_NAME = 60  # of what a person said whom the question names
BY_MEANING = 40
BY_LINES = 40  # of what was written down
BY_TIME = 40  # of each time axis
MAX_NAMED = 20_000  # turns of a person that are looked at for their meaning
MAX_QUERY_CHARS = 2000  # what stands behind adds nothing to what is asked
MAX_IN_RANGE = 3000


class Candidates(NamedTuple):
    """Hold what is weighed: the question, the rows, and a number for each row and feature."""

    question: Question
    rows: Rows
    features: dict[str, Numbers]
    hits: Collection[int]  # not only neighbours
    ranges: Sequence[TimeRange]
    has_meaning: bool
    read: Mapping[int, datetime] = {}  # row → when it was last read
    told: float = 1.0  # the share of what is telling in the question that stands anywhere
    alike: Numbers | float = 0.0  # of each row, the cosine to the question; 0 without meaning
    is_measured: bool = True  # False for a model of which it is not known what is near
    asked_before: frozenset[int] = frozenset()  # rows that only ask, as the question does
    forgotten: frozenset[int] = frozenset()  # rows that the owner wants kept no longer


def candidates(
    store: Store,
    query: str,
    now: datetime,
    session: str | None = None,
    embedder: Embedder | None = None,
) -> tuple[Candidates | None, list[str]]:
    """Return what may answer a question, with its features, and what could not be used. None where
    nothing may."""
    from memory.graph import synonyms
    from memory.recall.features import Rows, features
    from memory.recall.words import MODELS, alike
    from text.time import find

    query = query[:MAX_QUERY_CHARS]
    also = synonyms(store, query, session)
    documents = _documents(store, query, also)
    words = _by_words(store, documents, session)
    turns = store.turns(words, session)
    question = understood(query, {turn.who for turn in turns.values()}, also)
    words = _by_name(store, question, documents, session) | words
    near, degraded = _near(store, question, session, embedder)
    meant = {*words, *_by_meaning(store, question, near)}
    ranges = find(question.parts[-1], now)  # before it a talk only tells of times
    numbers = meant | _in_time(store, ranges, session, words, near)
    if not numbers:
        return None, degraded
    beside = store.beside(meant)
    turns |= store.turns((_numbers(beside) | numbers) - turns.keys(), session)
    beside |= store.beside(turns.keys() - beside.keys())
    rows = Rows(turns, {number: before for number, (before, _) in beside.items()})
    total = store.total(session)
    meaning = near.of(rows.numbers) if near else None
    like = alike(store, near.vectors.model, question, rows) if near else None
    echoes = frozenset(row for row, turn in enumerate(rows.turns) if is_echo(turn, query))
    gone = forgotten(rows.turns)
    return (
        Candidates(
            question,
            rows,
            features(question, rows, documents, total, meaning, ranges, like),
            numbers,
            ranges,
            meaning is not None,
            _last_read(store, rows),
            _told(question, documents, total),
            meaning.cosine if meaning else 0.0,
            near is None or near.vectors.model in MODELS,
            echoes,
            gone,
        ),
        degraded,
    )


def _documents(store: Store, query: str, also: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Return in how many turns each term of a question stands, or what stands for the same."""
    terms = [term for term in asked(query) if not is_small(term)]
    documents = store.documents([*terms, *(other for others in also.values() for other in others)])
    for term, others in also.items():
        known = [documents[other] for other in others if other in documents]
        if known:
            documents.setdefault(term, max(known))
    return documents


def _by_words(store: Store, documents: Mapping[str, int], session: str | None) -> dict[int, float]:
    """Return the turns and lines with the highest BM25."""
    said = dict(store.keyword_ranks(list(documents), BY_WORDS, session))
    written = best_lines(store, list(documents), BY_LINES) if session is None else []
    return said | dict(written)


def _by_name(
    store: Store, question: Question, documents: Mapping[str, int], session: str | None
) -> dict[int, float]:
    """Return the turns with the highest BM25 among those of each person whom the question names."""
    terms = [term for term in question.terms if term in documents]
    found: dict[int, float] = {}
    for who in sorted(question.named):
        found |= store.keyword_ranks(terms, BY_NAME, session, near=asked(who))
    return found


def _by_meaning(store: Store, question: Question, near: Near | None) -> set[int]:
    """Return the turns nearest in meaning: of all, and of each person whom the question names."""
    if near is None:
        return set()
    found = set(near.best)
    for who in sorted(question.named):
        found.update(near.nearest(store.with_near(asked(who), MAX_NAMED), BY_MEANING))
    return found


def _near(
    store: Store, question: Question, session: str | None, embedder: Embedder | None
) -> tuple[Near | None, list[str]]:
    """Return what is near in meaning, and what is missing for it."""
    if embedder is None:
        return None, ["embeddings"]
    from memory.recall.meaning import near
    from models.embeddings import EmbeddingError

    try:
        found = near(store, question, session, embedder, BY_MEANING)
    except EmbeddingError:
        return None, ["embeddings"]
    is_whole = found is not None and not store.waiting("embedding")
    return found, [] if is_whole else ["embeddings"]


def _in_time(
    store: Store,
    ranges: Iterable[TimeRange],
    session: str | None,
    words: Mapping[int, float],
    near: Near | None,
) -> set[int]:
    """Return turns of the times that are asked for: said then, or speaking of then; those that fit
    otherwise, first."""
    found: set[int] = set()
    for each in (one for one in ranges if not one.is_vague):
        for axis in ("said", "mentioned"):
            inside = store.turns_between(each.start, each.end, axis, session, MAX_IN_RANGE)
            fitting = [number for number in inside if number in words]
            fitting += near.nearest(inside, BY_TIME) if near else inside[-BY_TIME:]
            found.update(fitting[: 2 * BY_TIME])
    return found


def around(store: Store, numbers: Iterable[int]) -> set[int]:
    """Return the turns before and after some."""
    return _numbers(store.beside(numbers))


def _numbers(beside: Mapping[int, tuple[int | None, int | None]]) -> set[int]:
    return {number for pair in beside.values() for number in pair if number is not None}


def _last_read(store: Store, rows: Rows) -> dict[int, datetime]:
    read = store.last_accessed(rows.numbers)
    return {row: read[number] for row, number in enumerate(rows.numbers) if number in read}


def _told(question: Question, documents: Mapping[str, int], total: int) -> float:
    """Return the share of what is telling in a question that stands anywhere; 1 where nothing is
    telling."""
    from memory.recall.features import rarity

    whole = (term for term in question.terms if term in documents or not is_joint(term))
    weights = {term: rarity(documents.get(term, 0), total) for term in whole}
    everything = sum(weights.values())
    known = sum(weight for term, weight in weights.items() if term in documents)
    return known / everything if everything else 1.0
