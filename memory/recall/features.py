"""Count what speaks for a turn as the answer to a question: words, meaning, shape, who said it,
when.

Each turn is looked at together with its neighbours and its episode: the answer to "Where did you
go?" repeats none of the question's words. All numbers are about 0 to 1, so that one set of weights
(assets/recall_weights.json) serves journals of every size. Source: figures "Recall"; seed 003 P4.3.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memory.journal.turns import Turn
from memory.recall.question import Question, asked_words
from memory.recall.written import superseded_by
from text.time import TimeRange
from text.words import asked, cut

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

K1, B = 1.2, 0.75
EPISODE_SECONDS = 2 * 3600  # a longer silence begins another episode
NEAR_SECONDS = 4 * 3600  # what was said longer before is no neighbour
DAY = 86_400.0
COMPANY = 2.0  # its values are up to this: a journal of one talk teaches no weight for it
MAX_CHARS = 6000  # of a turn; what stands behind is found by the index, and weighs no more
_TIMES = """
yesterday today tonight tomorrow last next ago week weekend month year monday tuesday wednesday thursday friday saturday
sunday january february march april may june july august september october november december recent recently just 昨天 今天
明天 前天 后天 上周 下周 这周 上个 下个 去年 今年 明年 前年 刚才 刚刚 最近 周一 周二 周三 周四 周五 周六 周日 周末 星期 礼拜 天前 年前 月前
"""
_TIME = frozenset(_TIMES.split())
_DATE = re.compile(r"\b(19|20)\d\d\b|\d(st|nd|rd|th)\b|\d[月号日]")
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"[A-Z](?<=[a-z,] .)[a-z]+")  # behind a small letter or comma
_SENTENCE = re.compile(r"[^.!?。！？]+[.!。！]|[^.!?。！？]+$")


class Shape(NamedTuple):
    """Hold what a text looks like: how often each token stands in it, how many there are, and what
    kind of sentences."""

    tokens: Mapping[str, int]
    length: int
    stated: int  # tokens that stand in sentences which ask nothing
    asks: bool  # somewhere
    ends_asking: bool
    has_time: bool
    has_digit: bool
    names: int


@lru_cache(maxsize=8192)
def shape(text: str) -> Shape:
    """Return the shape of a text."""
    text = text[:MAX_CHARS]
    tokens = cut(text)
    has_digit = _DIGIT.search(text) is not None
    bare = text.partition(" [photo")[0].rstrip()
    asks = "?" in text or "？" in text
    stated = sum(map(len, _SENTENCE.findall(text))) / len(text) if asks else 1.0
    return Shape(
        Counter(tokens),
        max(1, len(tokens)),
        round(len(tokens) * stated),
        asks,
        bare.endswith(("?", "？")),
        (has_digit and _DATE.search(text) is not None) or not _TIME.isdisjoint(tokens),
        has_digit,
        len(_NAME.findall(text)),
    )


class Meaning(NamedTuple):
    """How near a turn is to the question, in standard deviations above all turns: the statement,
    and the nearest sentence as it was asked. `cosine`: of the statement."""

    stated: Numbers
    first: Numbers
    cosine: Numbers


class Rows:
    """The turns that are looked at, by session and time, with what is next to what. Takes them in
    any order."""

    def __init__(self, turns: Mapping[int, Turn], before: Mapping[int, int | None]) -> None:
        """`before`: the turn before each; a turn that is not in it, as a line that was written
        down, stands alone."""
        import numpy as np

        order = sorted(turns, key=lambda number: _place(number, turns[number]))
        self.numbers = order
        self.turns = [turns[number] for number in order]
        self.shapes = [shape(turn.text) for turn in self.turns]
        self.at = np.array([turn.at.timestamp() for turn in self.turns], float)
        total = len(order)
        gaps = np.diff(self.at)
        is_same = np.array(
            [one.session == other.session for one, other in pairwise(self.turns)], bool
        )
        are_beside = [before.get(other) == one for one, other in pairwise(order)]
        follows = np.nonzero(np.array(are_beside, bool) & (gaps <= NEAR_SECONDS))[0]
        is_same &= np.array(order[1:]) > 0
        self.before = np.full(total, -1)  # the row of the turn before; -1: none, or it is not here
        self.before[follows + 1] = follows
        self.after = np.full(total, -1)
        self.after[follows] = follows + 1
        self.episodes: NDArray[np.int64] = np.concatenate(
            [np.zeros(min(1, total), int), np.cumsum(~is_same | (gaps > EPISODE_SECONDS))]
        )
        self.starts = np.nonzero(np.diff(self.episodes, prepend=-1))[0]
        self.lengths = np.array([each.length for each in self.shapes], float)
        speakers = np.array([turn.who for turn in self.turns])
        others = np.nonzero(speakers[follows] != speakers[follows + 1])[0]
        self.is_talk = np.zeros(total)  # 1 beside a turn of somebody else; a memo is no talk
        self.is_talk[follows[others]] = self.is_talk[follows[others] + 1] = 1.0

    def earlier(self, values: Numbers) -> Numbers:
        """Return the values of the turn before (0 where there is none), along the last axis."""
        return _moved(values, self.before)

    def later(self, values: Numbers) -> Numbers:
        """Return the values of the turn after."""
        return _moved(values, self.after)

    def highest(self, values: Numbers) -> Numbers:
        """Return the highest of each episode, for each of its turns."""
        import numpy as np

        return np.maximum.reduceat(values, self.starts)[self.episodes]


def _moved(values: Numbers, places: NDArray[np.int64]) -> Numbers:
    import numpy as np

    return np.where(places >= 0, values[..., places], 0.0)


def _place(number: int, turn: Turn) -> tuple[str, datetime, str, int]:
    return turn.session, turn.at, turn.id if number < 0 else "", number


def features(
    question: Question,
    rows: Rows,
    documents: Mapping[str, int],
    total: int,
    meaning: Meaning | None,
    ranges: Sequence[TimeRange],
    like: Numbers | None = None,
) -> dict[str, Numbers]:
    """Return name → a number for each row. `documents`: in how many of the `total` turns each term
    stands; `ranges`: the times that the question names; `like`: (words of the question, rows), how
    much a row has words like them. Without `meaning`, what comes of it and of `like` is left
    out."""
    found = _of_words(question, rows, documents, total)
    found |= _of_shape(question, rows)
    found["answers"] = found["after_question"] * found.pop("before")
    if meaning is not None:
        found |= _of_meaning(rows, meaning)
        found |= _of_like_words(question, rows, documents, total, like)
    return found | _of_time(rows, ranges)


def rarity(documents: int, total: int) -> float:
    """Return how much a term tells that stands in so many of all turns."""
    return math.log(1 + (total - documents + 0.5) / (documents + 0.5))


def _of_words(
    question: Question, rows: Rows, documents: Mapping[str, int], total: int
) -> dict[str, Numbers]:
    terms = [term for term in question.terms if term in documents]
    rare = _rarities(terms, documents, total) * [question.terms[term] for term in terms]
    own = _counted(terms, question.also, rows)
    before, after = rows.earlier(own), rows.later(own)
    both, mean = rows.lengths + rows.earlier(rows.lengths), float(rows.lengths.mean())
    window = rare @ _saturated(own + before, both, float(both.mean()))
    near = (own > 0) | (before > 0) | (after > 0)
    everything = float(rare.sum()) or 1.0
    return {
        "own": _to_one(rare @ _saturated(own, rows.lengths, mean)),
        "covered": rare @ (own > 0) / everything,
        "covered_near": rare @ near / everything,
        "before": _to_one(rows.earlier(rare @ _saturated(own, rows.lengths, mean))),
        "window": _to_one(window),
        "episode_best": _to_one(rows.highest(window)),
    }


def _rarities(terms: Sequence[str], documents: Mapping[str, int], total: int) -> Numbers:
    import numpy as np

    return np.array([rarity(documents.get(term, 0), total) for term in terms])


def _counted(terms: Sequence[str], also: Mapping[str, tuple[str, ...]], rows: Rows) -> Numbers:
    """Return (terms, rows): how often a term, or what stands for the same, is in a row."""
    import numpy as np

    counted = np.zeros((len(terms), len(rows.numbers)))
    places: dict[str, list[int]] = {}
    for at, term in enumerate(terms):
        for one in (term, *also.get(term, ())):
            places.setdefault(one, []).append(at)
    for row, each in enumerate(rows.shapes):
        for one in places.keys() & each.tokens.keys():
            counted[places[one], row] += each.tokens[one]
    return counted


def _of_shape(question: Question, rows: Rows) -> dict[str, Numbers]:
    """Return what the sentences of a row look like; all but the last three only tell something in a
    dialogue."""
    import numpy as np

    talk = rows.is_talk
    asks = np.array([each.asks for each in rows.shapes], float)
    ends_asking = np.array([each.ends_asking for each in rows.shapes], float)
    stated = np.log1p(np.array([each.stated for each in rows.shapes], float)) - 3.2
    names = np.array([min(4, each.names) / 4 for each in rows.shapes])
    times = np.array([each.has_time for each in rows.shapes], float)
    named = np.array([turn.who in question.named for turn in rows.turns], float)
    return {
        "speaker": named if len(question.named) == 1 else np.zeros(len(named)),
        "company": _company(question, rows),
        "stated": stated * talk,
        "names": names * talk,
        "time": times * talk,
        "asks": asks * talk,
        "ends_asking": ends_asking * talk,
        "after_question": rows.earlier(asks),
        "written": np.array(rows.numbers) < 0,
        "superseded": np.array([bool(superseded_by(turn)) for turn in rows.turns], float),
        "importance": np.array([(turn.importance - 5) / 5 for turn in rows.turns]),
    }


def _company(question: Question, rows: Rows) -> Numbers:
    """Return the share of the people whom the question names that speak, or are named, in the
    episode of a row."""
    import numpy as np

    found = np.zeros(len(rows.numbers))
    for who in question.named:
        name = set(asked(who))
        is_here = [
            turn.who == who or name <= each.tokens.keys()
            for turn, each in zip(rows.turns, rows.shapes, strict=True)
        ]
        found += COMPANY * rows.highest(np.array(is_here, float)) / len(question.named)
    return found


def _of_meaning(rows: Rows, meaning: Meaning) -> dict[str, Numbers]:
    return {
        "near": meaning.stated / 4,
        "near_first": meaning.first / 4,
        "near_episode": rows.highest(meaning.stated) / 4,
    }


def _of_like_words(
    question: Question, rows: Rows, documents: Mapping[str, int], total: int, like: Numbers | None
) -> dict[str, Numbers]:
    """Return the words of the question of which the row, or what is around it, has one that means
    much the same."""
    import numpy as np

    asked = asked_words(question)
    if like is None:
        like = np.zeros((len(asked), len(rows.numbers)))
    rare = _rarities(asked, documents, total)
    rare /= float(rare.sum()) or 1.0
    near = rare @ np.maximum(like, 0.8 * np.maximum(rows.earlier(like), rows.later(like)))
    best = np.maximum.reduceat(like, rows.starts, axis=-1)[..., rows.episodes]
    return {"like": rare @ like, "like_near": _spread(near), "like_episode": rare @ best}


def _spread(values: Numbers) -> Numbers:
    """Return standard deviations above the mean of these rows, about -1 to 1."""
    result: Numbers = (values - values.mean()) / (values.std() + 1e-6) / 4
    return result


def _of_time(rows: Rows, ranges: Sequence[TimeRange]) -> dict[str, Numbers]:
    """Said within the time asked for, or soon after it; or speaking of it. Never a reason against a
    turn."""
    import numpy as np

    within, soon, mentioned = (np.zeros(len(rows.numbers)) for _ in range(3))
    for wanted in ranges:
        start = wanted.start.timestamp() if wanted.start else -math.inf
        end = wanted.end.timestamp() if wanted.end else math.inf
        within = np.maximum(within, (rows.at >= start) & (rows.at < end))
        soon = np.maximum(soon, (rows.at >= start - DAY) & (rows.at < end + 8 * DAY))
        overlaps = [any(_overlap(each, wanted) for each in turn.mentioned) for turn in rows.turns]
        mentioned = np.maximum(mentioned, overlaps)
    return {"within": within, "soon": soon, "mentioned": mentioned}


def _overlap(spoken: TimeRange, asked: TimeRange) -> bool:
    """Return True if a turn speaks of the time asked for, and of not much more."""
    if spoken.start is None or spoken.end is None or asked.start is None or asked.end is None:
        return False
    longest = max(asked.end - asked.start, spoken.end - spoken.start)
    shared = min(asked.end, spoken.end) - max(asked.start, spoken.start)
    return shared.total_seconds() > 0.2 * longest.total_seconds()


def _saturated(counts: Numbers, lengths: Numbers, mean: float) -> Numbers:
    """BM25's measure of how often a term stands in a text."""
    result: Numbers = counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / (mean or 1.0)))
    return result


def _to_one(values: Numbers) -> Numbers:
    top = float(values.max()) if values.size else 0.0
    return values / top if top > 0 else values
