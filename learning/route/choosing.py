"""Choose the SOP for a request: an exact wording is done; the nearest are shown; a model may pick
among them.

The rules stand in RULES; the first one that knows decides. What a model's pick would write is shown
first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from learning.route.filling import Shown, fill
from learning.route.matching import (
    Match,
    barely_said,
    exact_match,
    only_reads,
)
from learning.route.picking import AskModel, picked
from learning.route.place import Where
from learning.route.request import MAX_CHARS, Asked
from memory.sops import Sop

if TYPE_CHECKING:
    from learning.route.ranking import Ranking
    from models.embeddings import Embedder

BEST = 5  # SOPs that are proposed
POOL = 20  # SOPs by words, and as many by meaning, whose values are read
MOST_SHOWN = 3
MOST_WORDS = 3  # of a name; three characters count as a word
SHARE = 0.34  # of a request's terms, for a call to a model
COSINE = 0.3  # of meanings, for a call to a model
HINT_SHARE = 0.2
NEAR = 0.6  # below the best one's weight


class Candidate(NamedTuple):
    """An SOP that was looked at, as `sops search` lists it; `lane` is "" for one that is only
    shown."""

    name: str
    score: float
    lane: str
    parameters: dict[str, Any]
    why: str


LazyEmbedder = Callable[[], "Embedder | None"]


@dataclass
class Choice:
    """The outcome: `match` is done; `pick` is what a model chose and the owner has to see; `shown`
    are the nearest of the `shortlist`; `hints` are for a model that does the task."""

    decision: Literal["rote", "model", "none"] = "none"
    match: Match | None = None
    shown: list[Shown] = field(default_factory=list)
    hints: list[Sop] = field(default_factory=list)
    pick: Shown | None = None
    shortlist: list[Shown] = field(default_factory=list)

    @property
    def candidates(self) -> list[Candidate]:
        """Return the SOPs that were looked at, the best first; then hints that cannot be done, such
        as a draft."""
        if match := self.match:
            return [Candidate(match.sop.name, 1.0, match.lane, match.parameters, match.wording)]
        listed = {sop.name: Candidate(sop.name, 0.0, "", {}, sop.status) for sop in self.hints}
        shown = {each.sop.name: _as_candidate(each) for each in self.shortlist}
        return list({**shown, **listed, **shown}.values())


def _as_candidate(shown: Shown) -> Candidate:
    score = round(max(shown.weight, 0.0), 4)
    return Candidate(shown.sop.name, score, "", shown.parameters, why(shown))


def why(shown: Shown) -> str:
    """Return why an SOP is shown and not done."""
    if shown.problem:
        return shown.problem
    if shown.missing:
        return f"needs {', '.join(shown.missing)}"
    if shown.unused:
        return f"does not use {', '.join(shown.unused)}"
    return "said in other words"


class Question:
    """A request, and the SOPs that it may mean; each part is worked out when a rule first needs
    it."""

    def __init__(
        self, request: str, sops: Iterable[Sop], where: Where, embedder: LazyEmbedder | None
    ) -> None:
        self.request, self.where, self._embedder = request, where, embedder or (lambda: None)
        self.asked = Asked.read(request)
        self.known = [sop for sop in sops if sop.status != "archived" and not sop.is_quarantined]
        self.runnable = [sop for sop in self.known if sop.runs_alone]
        self.has_own = any(not sop.is_seed for sop in self.runnable)

    # by wordings

    @cached_property
    def match(self) -> Match | None:
        """Return the SOP of which the request is a wording."""
        return exact_match(self.request, self.runnable, self.where)

    @cached_property
    def held_back(self) -> list[Shown]:
        """Return what has the request as a wording and is only shown: a candidate, since it may not
        run alone, or what a vague wording asks for."""
        candidates = [sop for sop in self.known if sop.status == "candidate"]
        found = exact_match(self.request, candidates, self.where) or self._vaguely()
        return [_as_shown(self.request, found)] if found else []

    def _vaguely(self) -> Match | None:
        if self.match or not self.asked.has_word("vague"):
            return None
        seeds = [sop for sop in self.known if sop.is_seed]
        found = exact_match(self.request, seeds, self.where, vague=True)
        return found if found and _is_short(found) else None

    # by words, meaning and values

    @cached_property
    def ranking(self) -> Ranking:
        """Return the index over all that is known."""
        from learning.route.ranking import index_of  # an exact wording needs none

        return index_of(self.known)

    @cached_property
    def scores(self) -> dict[str, float]:
        """Return the SOPs that share words with the request, the best first."""
        return dict(self.ranking.best(self.asked.task, len(self.known)))

    @cached_property
    def near(self) -> list[Shown]:
        """Return the SOPs near the request with their values, the nearest first: by words, by
        meaning, by what they take."""
        scores, meant = self.scores, self._meant()
        count, most = POOL if meant else BEST, max(scores.values(), default=0.0) or 1.0
        pool = [*self._best(scores, count), *self._best(meant, count)]
        found = [
            fill(sop, self.asked, self.where, scores.get(name, 0.0) / most, meant.get(name, 0.0))
            for name, sop in {sop.name: sop for sop in pool}.items()
        ]
        near = sorted(filter(self._may_be_meant, found), key=lambda each: -each.weight)
        for each in near[:BEST]:
            each.told = self.ranking.rare_share(self.asked.task, each.sop.name)
        return near

    def _meant(self) -> dict[str, float]:
        """Return how near each SOP is in meaning; nothing is loaded where nothing was learned."""
        made = self._embedder() if self.has_own else None
        if made is None:
            return {}
        from learning.route.meaning import nearness

        return nearness(self.asked.task, self.runnable, made)

    def _best(self, scores: Mapping[str, float], count: int) -> list[Sop]:
        scored = (sop for sop in self.runnable if sop.name in scores)
        return sorted(scored, key=lambda sop: -scores[sop.name])[:count]

    def _may_be_meant(self, card: Shown) -> bool:
        """Return False for an SOP that has no use for a file of the request, for one that changes
        what may be to be kept, and where no word beside a single value is one of the SOP's: any
        number fits a number."""
        if any((self.where.cwd / each).is_file() for each in card.unused):
            return False
        procedure = card.sop.procedure
        is_change = card.sop.is_seed and procedure is not None and procedure.effects != "none"
        if is_change and self.asked.has_word("spared"):
            return False
        beside = self.asked.without(card.places.values())
        is_said = any((card.meant, len(card.places) > 1, not beside.strip()))
        return is_said or self.ranking.share(beside, card.sop.name) > 0

    def share(self, sop: Sop) -> float:
        """Return how much of the request's terms an SOP has."""
        return self.ranking.share(self.asked.task, sop.name)

    def owners(self, seed: Match) -> list[Shown]:
        """Return what the owner taught and is shown first in spite of a seed that has the wording:
        its words are said, or it is nearer in meaning."""
        near = self.near if self.has_own else []
        own = [each for each in near if not each.sop.is_seed and each.takes_all]
        least = max([COSINE, *(each.meant for each in near if each.sop is seed.sop)])
        return [e for e in own if self.share(e.sop) >= HINT_SHARE or e.meant > least]

    def is_worth_a_call(self, card: Shown) -> bool:
        """Return True for an SOP that a model may know to be meant."""
        if card.takes_all or card.meant >= COSINE:
            return True
        return self.share(card.sop) >= SHARE

    @property
    def hints(self) -> list[Sop]:
        """Return what was learned and has words of the request, the best first."""
        learned = {sop.name: sop for sop in self.known if not sop.is_seed and sop.description}
        ranked = (learned[name] for name in self.scores if name in learned)
        return [sop for sop in ranked if self.share(sop) >= HINT_SHARE]


def wording_is_done(question: Question) -> Choice | None:
    """Do what has the request as a wording; a seed only where nothing that the owner taught is
    near."""
    match = question.match
    if match is None:
        return None
    is_less = match.sop.is_seed and (question.held_back or question.owners(match))
    return None if is_less else Choice("rote", match)


def reading_is_done(question: Question) -> Choice | None:
    """Do what the owner taught and only reads, by its wording but for the words that ask to be
    shown something."""
    if question.match:
        return None
    own = [each.sop for each in question.near if not each.sop.is_seed]
    match = barely_said(question.asked, own, question.where)
    return Choice("rote", match) if match else None


def nearest_are_shown(question: Question) -> Choice:
    """Show the nearest."""
    best, hints = question.near[:BEST], question.hints
    near = [each for each in best if each.weight >= best[0].weight - NEAR]
    shown = [*question.held_back, *near]
    return Choice("model" if hints else "none", None, shown, hints[:MOST_SHOWN], None, best)


RULES = (wording_is_done, reading_is_done)


def choose(
    request: str,
    sops: Iterable[Sop],
    cwd: Path,
    owner_home: Path,
    *,
    ask_model: AskModel | None = None,
    embedder: LazyEmbedder | None = None,
) -> Choice:
    """Return what serves a request. `ask_model` gets the request and the cards of the nearest SOPs;
    with `embedder` also those count as near that share no word with it."""
    if len(request) > MAX_CHARS:
        return Choice()
    question = Question(request, sops, Where(cwd, owner_home), embedder)
    decided = next(filter(None, (rule(question) for rule in RULES)), None)
    if decided:
        return decided
    choice = nearest_are_shown(question)
    cards = [each for each in question.near if not each.sop.is_seed][:BEST]  # seeds are in prompts
    if ask_model and any(map(question.is_worth_a_call, cards)):
        choice.pick = picked(question.asked, cards, ask_model, question.where)
    if choice.pick and only_reads(choice.pick.sop, question.asked):
        match = Match(choice.pick.sop, choice.pick.parameters, "", "model")
        return replace(choice, decision="rote", match=match, pick=None)
    return choice


def _is_short(found: Match) -> bool:
    """Return False for a sentence where a name is looked for."""
    said = " ".join(str(found.parameters[name]) for name, _ in found.slots)
    return len(re.findall(r"[^\W\u4e00-\u9fff]+|[\u4e00-\u9fff]{1,3}", said)) <= MOST_WORDS


def _as_shown(request: str, found: Match) -> Shown:
    """Return a match to be shown, with the places where the request says its values."""
    places = {}
    for name in dict(found.slots):
        said = str(found.parameters[name]).rpartition("/")[2].strip("[]'")
        at = max(request.find(said), 0)
        places[name] = (at, at + len(said))
    return Shown(found.sop, 1.0, 1.0, found.parameters, places)
