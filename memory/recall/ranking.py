"""Find the turns that answer a question: what may answer it is weighed, and the first of it chosen.

The weights are learned from questions of several kinds (`python -m bench.learn --write`,
assets/recall_weights.json). A time in the question is a reason for a turn and keeps places for it,
never a reason against one. What is not there (vectors, index) is done without and named. Source:
seed 003 P4.2-P4.5; seed 000 stage 2; figures "Recall".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memory.journal.turns import WRITTEN, Found, Recalled
from memory.recall.candidates import Candidates, candidates
from memory.recall.question import only_asks
from memory.recall.written import marked, outdated, superseded_by
from text import pattern

if TYPE_CHECKING:
    from memory.journal.store import Store
    from memory.recall.features import Numbers, Rows
    from models.embeddings import Embedder

WEIGHTS = Path(__file__).parents[2] / "assets" / "recall_weights.json"
LIKE = 0.05  # from which it is said that a turn has words like those asked for
# One turn must fit as well as that, else nothing is given: its cosine, and a share of what is said in
# it and beside it. Of searches that their own journal answers 97 in 100 are kept; of questions that
# were asked of another one 25, of 20 that nothing answers 4.
LEAST_ASKED = {True: 0.34, False: 0.27}  # of a question, in English and else
LEAST_WORDS = 0.22  # of words as typed into a search box: few words are far from every sentence
LEAST_TALK = 0.17  # of several sentences: anything near may help
# Without a model: of Chinese many pairs of characters stand nowhere.
LEAST_SAID = {True: 0.3, False: 0.01}
SHARE_SAID = 0.7
NEAREST = 3  # that are given where nothing fits
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
FIRST = 20  # among which it is looked for what is outdated
LEAST_REPEATED = 8  # characters
_TALK = pattern(r"[.!?。！？，,；;]\s*\S")
_HEAD = pattern(r": |：")  # behind the words with which the agent says what it kept
DIGITS = 3  # of a score; what differs behind comes of the order in which numbers were added up


def search(
    store: Store,
    query: str,
    now: datetime,
    k: int = 10,
    session: str | None = None,
    embedder: Embedder | None = None,
) -> Recalled:
    """Return the `k` turns that answer a question best, best first; `now` is aware. `session`: only
    what was said there. Where nothing fits, the nearest stand apart: what says the same in quite
    other words is among them, and what has nothing to do with it."""
    if not query.strip():
        return Recalled([], [])
    found, degraded = candidates(store, query, now, session, embedder)
    if found is None:
        return Recalled([], degraded)
    if _fits(found):
        return Recalled(_best(store, found, now, k), degraded)
    return Recalled([], degraded, _best(store, found, now, min(k, NEAREST)))


def _best(store: Store, found: Candidates, now: datetime, k: int) -> list[Found]:
    """Return the first `k` of what was found."""
    import numpy as np

    scores = weighed(found, now).round(DIGITS)
    # a line that says only what is usual in a question is near to many
    fit = found.alike + SHARE_SAID * found.told**2 * found.features["covered"]
    order = [int(row) for row in np.argsort(-scores, kind="stable")]
    order = [row for row in order if row not in found.forgotten]
    near = 10 * k + 100  # nobody looks further
    order = _without_repeats(order[:near], found) + order[near:]
    order = _outdated_last(order, found.rows)
    chosen = _with_reserved(order, found, k)
    episodes = store.episode_of(found.rows.numbers[row] for row in chosen)
    return [
        Found(
            found.rows.turns[row],
            round(float(scores[row]), DIGITS),
            _why(found, row),
            episodes.get(found.rows.numbers[row]),
            round(float(fit[row]), DIGITS),
        )
        for row in chosen
    ]


def _fits(found: Candidates) -> bool:
    """Return True when anything answers: it says enough of what is asked, means it, or something is
    of the time asked for."""
    query = found.question.text
    timely = found.features["within"] + found.features["mentioned"]
    has_time = any(not each.is_vague for each in found.ranges)
    is_timely = has_time and _most(found, timely) > 0
    if any((is_timely, found.question.named, not found.is_measured)):
        return True
    said = found.told * found.features["covered_near"]
    if not found.has_meaning:
        return _most(found, said) >= LEAST_SAID[query.isascii()]
    return _most(found, found.alike + SHARE_SAID * said) >= _least(query)


def _least(query: str) -> float:
    if _TALK.search(query):
        return LEAST_TALK
    return LEAST_ASKED[query.isascii()] if only_asks(query) else LEAST_WORDS


def _most(found: Candidates, values: Numbers) -> float:
    """Return the highest value of a row. What is to be forgotten answers nothing, nor does what
    only asks the same as a question."""
    is_asked = only_asks(found.question.text)
    return _highest(found, values, found.asked_before if is_asked else frozenset())


def _highest(found: Candidates, values: Numbers, left_out: frozenset[int]) -> float:
    import numpy as np

    return float(np.delete(values, list(left_out | found.forgotten)).max(initial=0.0))


def weighed(found: Candidates, now: datetime) -> Numbers:
    """Return a score for each row; only the order and the distance of two scores mean something."""
    import numpy as np

    weights = _weights()["words_and_meaning" if found.has_meaning else "words"]
    total = np.zeros(len(found.rows.numbers))
    for name, values in found.features.items():
        total += weights.get(name, 0.0) * values
    days = np.maximum(0.0, now.timestamp() - found.rows.at) / 86_400
    # all that is asked for, as typed into a search box
    total += BY_HAND["whole"] * (found.features["covered"] > WHOLE)
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


def _without_repeats(order: Iterable[int], found: Candidates) -> list[int]:
    """Return the same words again go behind everything else, so does what the agent repeats of them
    and what only asks the same; what was written down counts once for each file."""
    rows = found.rows
    said = [each.text.strip() for each in (rows.turns[row] for row in order) if each.who != "agent"]
    seen: set[tuple[str, str]] = set()
    first: list[int] = []
    again: list[int] = []
    for row in order:
        turn = rows.turns[row]
        text = (turn.text.strip(), turn.source.partition(":")[0] if turn.session == WRITTEN else "")
        is_again = text in seen or _is_echo(found, row, said)
        (again if is_again else first).append(row)
        seen.add(text)
    return first + again


def _is_echo(found: Candidates, row: int, said: Iterable[str]) -> bool:
    turn = found.rows.turns[row]
    if turn.who != "agent":  # a search for words may find a question, if nothing else says them
        is_asked = row in found.asked_before
        is_alone = _highest(found, found.features["covered"], found.asked_before) == 0
        return is_asked and not (is_alone and not only_asks(found.question.text))
    return any(_repeats(turn.text.strip(), each) for each in said)


def _repeats(answer: str, said: str) -> bool:
    """Tell whether an answer says little more than what was said, or ends a sentence with it."""
    bare = answer.partition(" [")[0].rstrip(".")
    pairs = ((said, answer), (bare, said), (_HEAD.split(bare, 1)[-1], said))
    return any(_is_telling(part) and part in whole for part, whole in pairs)


def _is_telling(part: str) -> bool:
    least = LEAST_REPEATED if part.isascii() else LEAST_REPEATED // 2  # a character is a word
    return len(part) >= least


def _outdated_last(order: Sequence[int], rows: Rows) -> list[int]:
    """Mark the lines among the first that a newer one took the place of, and put them behind
    those."""
    first = list(order[:FIRST])
    newer = outdated([rows.turns[row] for row in first])
    for row in first:
        if by := newer.get(rows.turns[row].id):
            rows.turns[row] = marked(rows.turns[row], by)
    first.sort(key=lambda row: rows.turns[row].id in newer)
    return [*first, *order[FIRST:]]


def _with_reserved(order: Sequence[int], found: Candidates, k: int) -> list[int]:
    """Return the first `k`; where a time is asked for, some of them are of that time if there are
    any that fit."""
    chosen = list(order[:k])
    timely = found.features["within"] + found.features["mentioned"]
    fits = found.features["own"] + found.features.get("near", 0.0)
    if not found.ranges:
        return chosen
    untimely = [row for row in chosen if timely[row] == 0]
    wanted = max(0, round(RESERVED * k) - (len(chosen) - len(untimely)))
    spare = [row for row in order[k:] if timely[row] > 0 and fits[row] > 0.1][:wanted]
    leaving = untimely[len(untimely) - len(spare) :]
    return [row for row in chosen if row not in leaving] + spare


def _why(found: Candidates, row: int) -> str:
    """Return what spoke for a turn, in a few words."""
    words = _words_said(found, row)
    said = [f"words: {', '.join(words[:6])}"] if words else []
    said += [why for name, (least, why) in _WHYS.items() if _value(found, name, row) > least]
    turn = found.rows.turns[row]
    if found.features["speaker"][row]:
        said.append(f"said by {turn.who}")
    if not words and _value(found, "like", row) > LIKE:
        said.append("words that mean much the same")
    if by := superseded_by(turn):
        said.append(f"superseded by {by}")
    return "; ".join(said) or "near such turns"


_WHYS = {
    "near": (0.5, "meaning"),
    "within": (0.0, "said at that time"),
    "mentioned": (0.0, "speaks of that time"),
}


def _value(found: Candidates, name: str, row: int) -> float:
    return float(found.features[name][row]) if name in found.features else 0.0


def _words_said(found: Candidates, row: int) -> list[str]:
    """Return the terms of the question, or what stands for the same, that a row has."""
    tokens, question = found.rows.shapes[row].tokens, found.question
    terms = [each for term in question.terms for each in (term, *question.also.get(term, ()))]
    return [each for each in terms if each in tokens]
