"""Find the SOPs that a request is most likely about: BM25 over name, description, wordings and
meanings of values.

The terms are kept in memory, so that a process that lives on need not cut all texts again. Stems and pairs of characters come from text/words. It only proposes what is shown. Sixty lines of
our own, since the libraries for it bring numpy (0.1 s of start-up).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from memory.sops import Sop
from replay.procedure import Procedure
from replay.wordings import SLOT
from text.words import SMALL, asked, cut_each

K1, B = 1.2, 0.6
_RAREST = 16  # terms of a long request that count
_CHARS = 4000  # of a text; what stands behind says nothing new

Weights = Mapping[str, float]
State = tuple[str, tuple[int, ...], tuple[str, ...]]  # folder, times of its files, wordings


class Ranking:
    """An index over the terms of some documents."""

    def __init__(self, documents: Iterable[tuple[str, Weights]]) -> None:
        self._names: list[str] = []
        self._lengths: list[float] = []
        self._found: dict[str, list[tuple[int, float]]] = {}
        self._weights: dict[str, Weights] = {}
        for number, (name, weights) in enumerate(documents):
            self._names.append(name)
            self._weights[name] = weights
            self._lengths.append(sum(weights.values()))
            for term, weight in weights.items():
                self._found.setdefault(term, []).append((number, weight))

    def best(self, request: str, count: int) -> list[tuple[str, float]]:
        """Return up to `count` names with their scores, best first; each shares a term with the
        request."""
        terms = {term for term in terms_asked(request) if term in self._found}
        known = list(terms - SMALL or terms)  # small words count where nothing else is known
        known.sort(key=lambda term: (len(self._found[term]), term))
        scores: dict[int, float] = {}
        for term in known[:_RAREST]:
            for number, score in self._scored(term):
                scores[number] = scores.get(number, 0.0) + score
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], self._names[pair[0]]))
        return [(self._names[number], round(score, 4)) for number, score in ranked[:count]]

    def share(self, request: str, name: str) -> float:
        """Return how much of a request's terms a document has, 0 to 1."""
        wanted = set(terms_asked(request)) - SMALL
        return len(wanted & self._weights[name].keys()) / (len(wanted) or 1)

    def rare_share(self, request: str, name: str) -> float:
        """Return how much of a request a document has, 0 to 1, where a rare term says more than a
        common one."""
        wanted = {term: self._rarity(term) for term in set(terms_asked(request)) - SMALL}
        held = (wanted[term] for term in wanted if term in self._weights[name])
        return sum(held) / (sum(wanted.values()) or 1.0)

    def _rarity(self, term: str) -> float:
        count, total = len(self._found.get(term, ())), len(self._names)
        return math.log(1 + (total - count + 0.5) / (count + 0.5))

    def _scored(self, term: str) -> Iterator[tuple[int, float]]:
        found, total = self._found[term], len(self._names)
        mean = sum(self._lengths) / total
        rarity = self._rarity(term)
        for number, weight in found:
            length = 1 - B + B * self._lengths[number] / (mean or 1.0)
            yield number, rarity * weight * (K1 + 1) / (weight + K1 * length)


@lru_cache(maxsize=64)
def terms_asked(request: str) -> tuple[str, ...]:
    """Return the terms that a request is looked up by; the names of files say nothing."""
    words = " ".join(each for each in request[:_CHARS].split() if "/" not in each)
    return tuple(term for term in asked(words) if not term.isdigit())


def weigh(sop: Sop) -> dict[str, float]:
    """Return the terms of an SOP, each with its weight; a term counts once in a text."""
    found: dict[str, float] = {}
    texts, weights = zip(*_texts(sop), strict=True)
    said = [SLOT.sub(" ", text[:_CHARS]) for text in texts]
    for terms, weight in zip(cut_each(said), weights, strict=True):
        for term in set(terms):
            found[term] = found.get(term, 0.0) + weight
    return found


def _texts(sop: Sop) -> Iterator[tuple[str, float]]:
    yield sop.name.replace("-", " "), 2.0
    yield sop.description, 1.5
    yield sop.summary("zh"), 1.5
    triggers = sop.metadata.get("triggers")
    yield from ((str(each), 2.0) for each in triggers) if isinstance(triggers, list) else ()
    if sop.procedure is None:
        return
    yield from ((wording.text, 1.0) for wording in sop.procedure.wordings)
    for schema in sop.procedure.parameters.values():
        yield " ".join(map(str, schema.get("enum", ()))), 1.0
        yield str(schema.get("description", "")), 0.5


class Index:
    """Hold the SOPs that were asked about last."""

    def __init__(self) -> None:
        self._weights: dict[State, dict[str, float]] = {}
        self._made: tuple[Sequence[Sop], Ranking] | None = None

    def of(self, sops: Sequence[Sop]) -> Ranking:
        """Return an index over these SOPs, with the wordings that were added to them."""
        if self._made is not None and self._made[0] == sops:
            return self._made[1]
        keys = {_state(sop): sop for sop in sops}
        known = self._weights
        self._weights = {key: known.get(key) or weigh(sop) for key, sop in keys.items()}
        made = Ranking((sop.name, self._weights[key]) for key, sop in keys.items())
        self._made = sops, made
        return made


INDEX = Index()


def _state(sop: Sop) -> State:
    """Tell one state of an SOP from another; its files are only looked at where nobody did when it
    was read."""
    steps = sop.steps
    texts = [each.text for each in steps.wordings] if isinstance(steps, Procedure) else []
    names = ("SKILL.md", "SKILL.zh.md", "sop.yaml")
    folder = os.fspath(sop.folder)
    stamp = sop.stamp or [_changed(f"{folder}/{name}") for name in names]
    return folder, tuple(stamp), tuple(texts)


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - a thousand of these take a millisecond
    except OSError:
        return 0
