"""Finds the turns that answer a question: by words, by meaning, by time, weighed together.

Words and meaning each name turns that may be it; those and their neighbours are looked at closely (recall_features.py)
and weighed (assets/recall_weights.json, learned by `python bench/recall.py --learn`). A time in the question is a reason
for a turn and keeps places for it, never a reason against one. What is not there (vectors, index) is done without and
named. Source: seed 003 P4.2-P4.5; seed 000 stage 2; figures "Recall".
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memory.home.sessions import MAIN
from memory.journal.turns import WRITTEN, Found, Recalled, Turn
from memory.recall.question import Question, is_joint, is_small, understood
from memory.recall.written import best_lines, superseded_by
from text.time import TimeRange
from text.words import asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory.journal.store import Store
    from memory.recall.features import Numbers, Rows
    from memory.recall.meaning import Near
    from models.embeddings import Embedder

WEIGHTS = Path(__file__).parents[2] / "assets" / "recall_weights.json"
BY_WORDS = 60
BY_WORDS_ALONE = 120  # where nothing is found by meaning
BY_MEANING = 60
BY_LINES = 40  # of what was written down
BY_TIME = 40  # of each time axis
MAX_QUERY_CHARS = 2000  # what stands behind adds nothing to what is asked
MAX_IN_RANGE = 3000
FEW = 1000  # turns in which a term may stand however many there are
COMMON = 0.01  # the share of the turns above which a term tells little
LEAST_TERMS = 2
WORTHLESS = 0.4  # the share of the turns above which a term weighs next to nothing in BM25
MOST = 60_000  # turns in which terms that all are common stand together, 20 ms
LIKE = 0.1  # from which it is said that a turn has words like those asked for
LEAST_SAID = 0.3  # of what is telling in a question, around one turn; else nothing is given
LEAST_NEAR = 0.24  # the cosine from which a turn may mean what is asked; strangers of our questions stay below 0.2
LEAST_ALIKE = 0.1  # of words that mean much the same, weighed by how rare they are
LEAST_COVERED = 0.6  # of what is telling in a request, for a turn that is brought up unasked
RESERVED = 0.3  # of the places, for turns of the time that is asked for
RECENT_DAYS = 30.0
BY_HAND = {
    "recent": 0.15,
    "read": 0.1,
    "importance": 0.4,
    "whole": 1.0,
    "written": 1.0,
    "superseded": -1.5,
}  # no collection of questions tells these
WHOLE = 0.999


class Candidates(NamedTuple):
    """Hold what is weighed: the question, the rows, and a number for each row and feature. `hits`: not only neighbours."""

    question: Question
    rows: Rows
    features: dict[str, Numbers]
    hits: Collection[int]
    ranges: Sequence[TimeRange]
    has_meaning: bool
    read: Mapping[int, datetime] = {}  # row → when it was last read
    told: float = 1.0  # the share of what is telling in the question that stands anywhere
    nearest: float = 1.0  # the cosine of what is nearest; 1 for a model of which nothing is known


def search(
    store: Store,
    query: str,
    now: datetime,
    k: int = 10,
    session: str | None = None,
    embedder: Embedder | None = None,
) -> Recalled:
    """The `k` turns that answer a question best, best first; `now` is aware. `session`: only what was said there."""
    import numpy as np

    found, degraded = candidates(store, query, now, session, embedder)
    if found is None or not _fits(found):
        return Recalled([], degraded)
    scores = weighed(found, now)
    order = [int(row) for row in np.argsort(-scores, kind="stable")]
    near = 10 * k + 100  # nobody looks further
    order = _without_repeats(order[:near], found.rows) + order[near:]
    chosen = _with_reserved(order, found, k)
    episodes = store.episode_of(found.rows.numbers[row] for row in chosen)
    results = [
        Found(
            found.rows.turns[row],
            round(float(scores[row]), 4),
            _why(found, row),
            episodes.get(found.rows.numbers[row]),
        )
        for row in chosen
    ]
    return Recalled(results, degraded)


def candidates(
    store: Store,
    query: str,
    now: datetime,
    session: str | None = None,
    embedder: Embedder | None = None,
) -> tuple[Candidates | None, list[str]]:
    """Return what may answer a question, with its features, and what could not be used. None where nothing may."""
    from memory.graph.synonyms import synonyms
    from memory.recall.features import Rows, features
    from memory.recall.words import alike

    query = query[:MAX_QUERY_CHARS]
    if not query.strip():
        return None, []
    total = store.total(session)
    also = synonyms(store, query, session)
    terms = [term for term in asked(query) if not is_small(term)]
    documents = store.documents([*terms, *(other for others in also.values() for other in others)])
    for term, others in also.items():
        if term not in documents and (
            known := [documents[other] for other in others if other in documents]
        ):
            documents[term] = max(known)
    ranked = store.keyword_ranks(_telling(documents, total), BY_WORDS_ALONE, session)
    lines = dict(best_lines(store, list(documents), BY_LINES)) if session is None else {}
    words = dict(ranked[:BY_WORDS]) | lines
    turns = store.turns(words, session)
    question = understood(query, {turn.who for turn in turns.values()}, also)
    near, degraded = _near(store, question, session, embedder)
    words = words if near else dict(ranked) | lines
    ranges = _ranges(query, now)
    numbers = (
        set(words)
        | set(near.best if near else ())
        | _in_time(store, [each for each in ranges if not each.is_vague], session, words, near)
    )
    if not numbers:
        return None, degraded
    turns |= store.turns(
        (_around(store, [*words, *(near.best if near else ())]) | numbers) - turns.keys(), session
    )
    rows = Rows(turns, {number: before for number, (before, _) in store.beside(turns).items()})
    meaning = near.of(rows.numbers) if near else None
    like = alike(store, embedder.name, question, rows) if near and embedder else None
    found = features(question, rows, documents, total, meaning, ranges, like)
    read = store.last_accessed(numbers)
    last = (
        {row: read[number] for row, number in enumerate(rows.numbers) if number in read}
        if read
        else {}
    )
    told = _told(question, documents, total)
    nearest = near.nearest_cosine() if near else 0.0
    return (
        Candidates(
            question, rows, found, numbers, ranges, meaning is not None, last, told, nearest
        ),
        degraded,
    )


def _told(question: Question, documents: Mapping[str, int], total: int) -> float:
    """The share of what is telling in a question that stands anywhere; 1 where nothing is telling."""
    from memory.recall.features import rarity

    whole = (term for term in question.terms if term in documents or not is_joint(term))
    weights = {term: rarity(documents.get(term, 0), total) for term in whole}
    everything = sum(weights.values())
    known = sum(weight for term, weight in weights.items() if term in documents)
    return known / everything if everything else 1.0


def _fits(found: Candidates) -> bool:
    """True when anything answers: it says enough of what is asked, means it, or is of the time that is asked for."""
    said = found.told * float(found.features["covered_near"].max(initial=0.0))
    asks_of = found.ranges or found.question.named
    alike = found.features.get("like")
    is_alike = alike is not None and float(alike.max(initial=0.0)) > LEAST_ALIKE
    return bool(asks_of) or said >= LEAST_SAID or found.nearest >= LEAST_NEAR or is_alike


def _around(store: Store, numbers: Iterable[int]) -> set[int]:
    """The turns before and after some."""
    pairs = store.beside(numbers).values()
    return {number for pair in pairs for number in pair if number is not None}


def weighed(found: Candidates, now: datetime) -> Numbers:
    """A score for each row; only the order and the distance of two scores mean something."""
    import numpy as np

    weights = _weights()["words_and_meaning" if found.has_meaning else "words"]
    total = np.zeros(len(found.rows.numbers))
    for name, values in found.features.items():
        total += weights.get(name, 0.0) * values
    days = np.maximum(0.0, now.timestamp() - found.rows.at) / 86_400
    total += BY_HAND["whole"] * (
        found.features["covered"] > WHOLE
    )  # all that is asked for, as typed into a search box
    total += BY_HAND["written"] * found.features["written"]
    total += BY_HAND["superseded"] * found.features["superseded"]
    total += BY_HAND["recent"] * np.exp(-days / RECENT_DAYS)
    for row, at in found.read.items():
        total[row] += BY_HAND["read"] * np.exp(
            -max(0.0, (now - at).total_seconds()) / 86_400 / RECENT_DAYS
        )
    result: Numbers = total + BY_HAND["importance"] * found.features["importance"]
    return result


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    found: Mapping[str, Mapping[str, float]] = json.loads(WEIGHTS.read_text("utf-8"))["weights"]
    return found


def _telling(documents: Mapping[str, int], total: int) -> list[str]:
    """The terms of a question without those that stand in very many turns, as long as there are others: each turn in
    which one stands is scored."""
    rare = [term for term, found in documents.items() if found <= max(FEW, COMMON * total)]
    if len(rare) >= LEAST_TERMS:
        return rare
    by_count = sorted(documents, key=lambda term: documents[term])
    by_count = by_count[:1] + [
        term for term in by_count[1 : 2 * LEAST_TERMS] if documents[term] < WORTHLESS * total
    ]
    sums = accumulate(documents[term] for term in by_count)
    return [
        term
        for at, (term, seen) in enumerate(zip(by_count, sums, strict=True))
        if at < LEAST_TERMS or seen <= MOST
    ]


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
    return found, ([] if found and not store.waiting("embedding") else ["embeddings"])


def _ranges(query: str, now: datetime) -> list[TimeRange]:
    from text.time import find

    return find(query, now)


def _in_time(
    store: Store,
    ranges: Sequence[TimeRange],
    session: str | None,
    words: Mapping[int, float],
    near: Near | None,
) -> set[int]:
    """Turns of the times that are asked for: said then, or speaking of then; those that fit otherwise, first."""
    found: set[int] = set()
    for each in ranges:
        for axis in ("said", "mentioned"):
            inside = store.turns_between(each.start, each.end, axis, session, MAX_IN_RANGE)
            fitting = [number for number in inside if number in words]
            fitting += near.nearest(inside, BY_TIME) if near else inside[-BY_TIME:]
            found.update(fitting[: 2 * BY_TIME])
    return found


def _without_repeats(order: Iterable[int], rows: Rows) -> list[int]:
    """The same words again go behind everything else; what was written down counts once for each file."""
    seen: set[tuple[str, str]] = set()
    first: list[int] = []
    again: list[int] = []
    for row in order:
        turn = rows.turns[row]
        text = (turn.text.strip(), turn.source.partition(":")[0] if turn.session == WRITTEN else "")
        (again if text in seen else first).append(row)
        seen.add(text)
    return first + again


def _with_reserved(order: Sequence[int], found: Candidates, k: int) -> list[int]:
    """The first `k`; where a time is asked for, some of them are of that time if there are any that fit."""
    chosen = list(order[:k])
    timely = found.features["within"] + found.features["mentioned"]
    fits = found.features["own"] + found.features.get("nearest", 0.0)
    wanted = round(RESERVED * k) - sum(timely[row] > 0 for row in chosen)
    spare = (
        [row for row in order[k:] if timely[row] > 0 and fits[row] > 0.1][: max(0, wanted)]
        if found.ranges
        else []
    )
    untimely = [row for row in chosen if timely[row] == 0]
    leaving = set(untimely[len(untimely) - len(spare) :]) if spare else set()
    return [row for row in chosen if row not in leaving] + spare


def _why(found: Candidates, row: int) -> str:
    """Return what spoke for a turn, in a few words."""
    shape = found.rows.shapes[row]
    also = found.question.also
    words = [
        each
        for term in found.question.terms
        for each in (term, *also.get(term, ()))
        if each in shape.tokens
    ]
    said = [f"words: {', '.join(words[:6])}"] if words else []
    if found.has_meaning and found.features["near"][row] > 0.5:
        said.append("meaning")
    if found.features["within"][row]:
        said.append("said at that time")
    if found.features["mentioned"][row]:
        said.append("speaks of that time")
    if found.features["speaker"][row]:
        said.append(f"said by {found.rows.turns[row].who}")
    if not words and (found.features["answers"][row] > 0.2 or found.features["before"][row] > 0.4):
        said.append("follows a turn with these words")
    if "like_others" in found.features and found.features["like_others"][row] > LIKE:
        said.append("words that mean much the same")
    if by := superseded_by(found.rows.turns[row]):
        said.append(f"superseded by {by}")
    return "; ".join(said) or "near such turns"


def relevant(store: Store, request: str, k: int) -> list[Found]:
    """Up to `k` turns that speak of what a request is about, best first: only those in which, or around which, most of what
    is telling in it stands. By words alone, ranked by BM25: that finds one in fifty less than `weighed` would, whose numpy the
    start of a run would feel."""
    from memory.recall.features import rarity, shape

    terms = [term for term in asked(request[:MAX_QUERY_CHARS]) if not is_small(term)]
    if len(terms) < LEAST_TERMS:
        return []
    documents, total = store.documents(terms), store.total()
    hits = dict(store.keyword_ranks(_telling(documents, total), BY_WORDS_ALONE))
    hits |= dict(best_lines(store, list(documents), BY_LINES))
    turns = store.turns(hits.keys() | _around(store, hits))
    beside = store.beside(turns)
    question = understood(
        request[:MAX_QUERY_CHARS], {turns[number].who for number in hits if number in turns}
    )
    telling = {term: rarity(documents[term], total) for term in question.terms if term in documents}
    own = {
        number: telling.keys() & shape(turn.text).tokens.keys() for number, turn in turns.items()
    }
    everything, said = sum(telling.values()) or 1.0, " ".join(request.split())
    found: dict[str, Found] = {}
    for number in sorted(
        turns, key=lambda each: turns[each].at, reverse=True
    ):  # of the same words, the last
        text = " ".join(turns[number].text.split())
        near = own[number].union(*(own[each] for each in _close(turns, number, beside)))
        covered = sum(telling[term] for term in near) / everything
        if superseded_by(turns[number]):
            continue
        if own[number] and covered >= LEAST_COVERED and text != said:
            score = round(hits.get(number, 0.0) / max(hits.values()), 4)
            found.setdefault(
                text, Found(turns[number], score, f"words: {', '.join(sorted(own[number]))}")
            )
    return sorted(found.values(), key=lambda each: -each.score)[:k]


def _close(
    turns: Mapping[int, Turn], number: int, beside: Mapping[int, tuple[int | None, int | None]]
) -> Iterator[int]:
    """The turns before and after one that were said soon before or after it."""
    from memory.recall.features import NEAR_SECONDS

    for near in beside.get(number, ()):
        other = turns.get(near or 0)
        if other and abs((other.at - turns[number].at).total_seconds()) <= NEAR_SECONDS:
            yield near or 0


def mark_read(path: Path, only: str | None, found: Sequence[Found], now: datetime) -> None:
    """Writes down that these were read, so that what is used stays near. What cannot be written is left."""
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
    """Return what was found, as a model reads it: by episode and time, each with its date and who said it, within a budget."""
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
