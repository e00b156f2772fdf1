"""Finds the SOPs that a request is most likely about: BM25 over name, description, wordings and past requests.

Our own sixty lines, because the libraries for it bring numpy (0.1 s of start-up) and ranking procedures is what this
project is for. English by roots, Chinese by pairs of characters, which beat word cutting and need no dictionary; a known
word is also found by what means the same. It only proposes: learning/rewording.py decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from learning.concepts import FREE_ENGLISH, chinese_cut, is_verb, meanings, phrases, roots, stem
from text import pattern

K1, B = 1.2, 0.6
RARE_TERMS = 16  # of a long request only so many of the rarest count
MAX_CHARS = 4000  # of a text; what comes behind says nothing new
WORD = pattern(r"[a-z0-9]+(?:['’][a-z]+)?|[㐀-鿿]+")
SLOT = pattern(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Document:
    """One SOP as it is looked up: its name, and texts with how much each counts."""

    name: str
    texts: Sequence[tuple[str, float]]


@dataclass(slots=True)
class Ranking:
    """An index over some documents; adding to it means making another one."""

    names: list[str] = field(default_factory=list)
    _postings: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    _lengths: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, counted: Iterable[tuple[str, Mapping[str, float]]]) -> Ranking:
        """Of each document its name and what `weigh` says about it."""
        made = cls()
        for number, (name, weights) in enumerate(counted):
            made.names.append(name)
            made._lengths.append(sum(weights.values()))
            for term, weight in weights.items():
                made._postings.setdefault(term, []).append((number, weight))
        return made

    def best(self, request: str, count: int) -> list[tuple[str, float]]:
        """Up to `count` names with their scores, the best first; only those that share a term with the request."""
        total = len(self.names)
        mean = sum(self._lengths) / total if total else 1.0
        wanted = sorted(
            set(terms(request)) & self._postings.keys(),
            key=lambda term: (len(self._postings[term]), term),
        )
        scores: dict[int, float] = {}
        for term in wanted[:RARE_TERMS]:
            found = self._postings[term]
            rarity = math.log(1 + (total - len(found) + 0.5) / (len(found) + 0.5))
            for number, weight in found:
                length = 1 - B + B * self._lengths[number] / (mean or 1.0)
                scores[number] = scores.get(number, 0.0) + rarity * weight * (K1 + 1) / (
                    weight + K1 * length
                )
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], self.names[pair[0]]))
        return [(self.names[number], round(score, 4)) for number, score in ranked[:count]]

    def share(self, request: str, name: str) -> float:
        """How much of what a request is about stands in a document, 0 to 1; what is to be done does not count."""
        number = self.names.index(name)
        asked = set(_subjects(request))
        found = [
            term for term in asked if any(at == number for at, _ in self._postings.get(term, ()))
        ]
        return len(found) / len(asked) if asked else 0.0


def _subjects(request: str) -> Iterator[str]:
    """The roots and pairs of a request, without what is to be done and small words."""
    for word in WORD.findall(request[:MAX_CHARS].lower()):
        if not word.isascii():
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif (
            word not in FREE_ENGLISH
            and not word.isdigit()
            and not _only_does(meanings().get(word, frozenset()))
        ):
            yield roots(word)


def _only_does(things: frozenset[str]) -> bool:
    """True for a word that is something to do and no thing."""
    return is_verb(things) and not any(thing.startswith("o:") for thing in things)


def weigh(document: Document) -> dict[str, float]:
    """How often each term stands in a document, each text by its weight; a term counts once in one text."""
    found: dict[str, float] = {}
    for text, weight in document.texts:
        for term in set(terms(text)):
            found[term] = found.get(term, 0.0) + weight
    return found


def terms(text: str) -> Iterator[str]:
    """What a text is found by: roots of English words, pairs of Chinese characters, things that its words mean."""
    words = WORD.findall(SLOT.sub(" ", text[:MAX_CHARS].lower()))
    known = meanings()
    for position, word in enumerate(words):
        if not word.isascii():
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
            for part in chinese_cut(word):
                yield from known.get(part, ())
            continue
        for parts in phrases().get(word, ()):
            if tuple(words[position : position + len(parts)]) == parts:
                yield from known[" ".join(parts)]
        if word not in FREE_ENGLISH:
            yield roots(word)
            yield from known.get(word, ()) or known.get(stem(word), ())
