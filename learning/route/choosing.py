"""Choose the SOP for a request: an exact wording is done; the nearest are shown; a model may pick among them.

A model's pick is held against the request: each value stands in it, each value that it names is used. What a pick
would write is shown first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from learning.route.exact import readings
from learning.route.filling import Shown, fill
from learning.route.place import Where
from learning.route.request import MAX_CHARS, Asked
from learning.route.typed import is_cautious
from memory.sops.store import Sop
from models.errors import ModelError
from replay.parameters import ParameterError

if TYPE_CHECKING:
    from learning.route.ranking import Ranking

AskModel = Callable[[str, str], str]  # request, cards → the reply; raises ModelError
BEST = 5  # SOPs that BM25 proposes
MOST_SHOWN = 3
SHARE = 0.34  # of a request's terms, for a call to a model
HINT_SHARE = 0.2
NEAR = 0.4  # of the best one's weight
MAX_REPLY_CHARS = 20_000
CARD_WORDINGS = 3


class Match(NamedTuple):
    """The SOP that is done, with its bound parameters, and how it was found."""

    sop: Sop
    parameters: dict[str, Any]
    wording: str = ""
    lane: str = "wordings"


class Candidate(NamedTuple):
    """An SOP that was looked at, as `sops search` lists it; `lane` is "" for one that is only shown."""

    name: str
    score: float
    lane: str
    parameters: dict[str, Any]
    why: str


@dataclass
class Choice:
    """The outcome: `match` is done; `pick` is what a model chose and the owner has to see; `shown` is near; `hints`
    are for a model that does the task."""

    decision: Literal["rote", "model", "none"] = "none"
    match: Match | None = None
    shown: list[Shown] = field(default_factory=list)
    hints: list[Sop] = field(default_factory=list)
    pick: Shown | None = None

    @property
    def candidates(self) -> list[Candidate]:
        """The SOPs that were looked at, the best first; then hints that cannot be done, such as a draft."""
        if self.match:
            match = self.match
            return [Candidate(match.sop.name, 1.0, match.lane, match.parameters, match.wording)]
        shown = [
            Candidate(each.sop.name, round(each.weight, 4), "", each.parameters, why(each))
            for each in self.shown
        ]
        names = [each.sop.name for each in self.shown]
        rest = [sop for sop in self.hints if sop.name not in names]
        return [*shown, *(Candidate(sop.name, 0.0, "", {}, sop.status) for sop in rest)]


def why(shown: Shown) -> str:
    """Return why an SOP is shown and not done."""
    if shown.problem:
        return shown.problem
    if shown.missing:
        return f"needs {', '.join(shown.missing)}"
    if shown.unused:
        return f"does not use {', '.join(shown.unused)}"
    return "said in other words"


def exact_match(request: str, sops: Iterable[Sop], where: Where) -> Match | None:
    """Return the SOP of which the whole request is a wording; None where two SOPs could be meant."""
    asked = Asked.read(request)
    if len(request) > MAX_CHARS or not asked.squeezed:
        return None
    found = [pair for sop in sops for pair in _matches(sop, asked, where)]
    most = max((filled for _, filled in found), default=0)
    best = [match for match, filled in found if filled == most]
    best = [match for match in best if not match.sop.is_seed] or best
    is_clear = all(
        (each.sop.name, each.parameters) == (best[0].sop.name, best[0].parameters) for each in best
    )
    return best[0] if best and is_clear else None


def _matches(sop: Sop, asked: Asked, where: Where) -> Iterable[tuple[Match, int]]:
    procedure = sop.procedure if sop.may_be_asked(asked.squeezed) else None
    for wording, values in readings(asked, procedure, where) if procedure else ():
        try:
            parameters = procedure.bind(values, where.cwd) if procedure else {}
        except ParameterError:  # the SOP cannot take the value; it is shown with the reason
            continue
        yield Match(sop, parameters, wording.text), len(values) - wording.text.count(":words}")


def choose(
    request: str,
    sops: Iterable[Sop],
    cwd: Path,
    owner_home: Path,
    *,
    ask_model: AskModel | None = None,
) -> Choice:
    """Return what serves a request. `ask_model` gets the request and the cards of the nearest SOPs."""
    known = [sop for sop in sops if sop.status != "archived" and not sop.is_quarantined]
    where = Where(cwd, owner_home)
    runnable = [sop for sop in known if sop.runs_alone]
    match = exact_match(request, runnable, where)
    if match:
        return Choice("rote", match)
    if len(request) > MAX_CHARS:
        return Choice()
    from learning.route.index import INDEX

    ranking, asked = INDEX.of(known), Asked.read(request)
    by_name = {sop.name: sop for sop in known}
    ranked = [(by_name[name], score) for name, score in ranking.best(asked.task, len(known))]
    five = [(sop, score) for sop, score in ranked if sop.runs_alone][:BEST]
    filled = sorted(
        (fill(sop, asked, where, score) for sop, score in five), key=lambda each: -each.weight
    )
    shown = [each for each in filled if each.weight >= NEAR * filled[0].weight]
    hints = [sop for sop, _ in ranked if _is_hint(sop, asked, ranking)][:MOST_SHOWN]
    choice = Choice("model" if hints else "none", None, shown, hints)
    cards = [each for each in shown if _is_worth_a_call(each, asked, ranking)]
    if ask_model and cards:
        _let_pick(choice, asked, cards, ask_model, where)
    return choice


def _is_hint(sop: Sop, asked: Asked, ranking: Ranking) -> bool:
    if sop.is_seed or not sop.description:
        return False
    return ranking.share(asked.task, sop.name) >= HINT_SHARE


def _is_worth_a_call(shown: Shown, asked: Asked, ranking: Ranking) -> bool:
    """Return True for what was learned here and is about the request; a seed stands in every prompt anyway."""
    return not shown.sop.is_seed and ranking.share(asked.task, shown.sop.name) >= SHARE


def _let_pick(
    choice: Choice, asked: Asked, cards: Sequence[Shown], ask_model: AskModel, where: Where
) -> None:
    """Let the model pick; a pick that only reads and takes up all is done, another one is shown first."""
    try:
        reply = ask_model(asked.written, "\n\n".join(card(each.sop) for each in cards))
    except ModelError:  # it cannot be reached: then it is not asked to choose
        return
    name, values = read_answer(reply)
    picked = next((each for each in cards if each.sop.name == name), None)
    checked = _checked(picked, values, asked, where) if picked else None
    if checked is None:
        return
    procedure = checked.sop.procedure
    known = " ".join(each.text for each in procedure.wordings) if procedure else ""
    only_reads = procedure is not None and procedure.effects == "none"
    if only_reads and not is_cautious(asked.words, known):
        choice.decision = "rote"
        choice.match = Match(checked.sop, checked.parameters, "", "model")
    else:
        choice.pick = checked


def _checked(picked: Shown, values: dict[str, Any], asked: Asked, where: Where) -> Shown | None:
    """Return the pick with the model's values; None where a value does not stand in the request or one is left over."""
    procedure = picked.sop.procedure
    assert procedure is not None
    read = fill(picked.sop, asked, where)
    try:
        parameters = procedure.bind(values, where.cwd)
    except ParameterError:
        return None
    defaults = {name: schema.get("default") for name, schema in procedure.parameters.items()}
    used = []
    for name, value in parameters.items():
        stands = _stands(value, read.parameters.get(name), defaults[name], asked, where.cwd)
        if not stands:
            return None
        used.append(str(value))
    if any(not _is_used(text, used) for text in read.unused):
        return None
    return Shown(picked.sop, picked.score, parameters, read.places)


def _stands(value: Any, read: Any, default: Any, asked: Asked, cwd: Path) -> bool:
    if value in (read, default):
        return True
    if isinstance(value, str) and default is not None and value == str(cwd / str(default)):
        return True
    return isinstance(value, str) and value.lower() in asked.plain.lower()


def _is_used(text: str, used: Sequence[str]) -> bool:
    bare = text.strip("\"'`“”「」『』《》")
    return any(bare in value for value in used)


def card(sop: Sop) -> str:
    """Return an SOP as a model reads it: what it does, its parameters, some wordings."""
    procedure = sop.procedure
    lines = [f"{sop.name}: {' '.join(sop.description.split())}"]
    for name, schema in procedure.parameters.items() if procedure else ():
        kind = "|".join(map(str, schema.get("enum", ()))) or schema.get("format", schema["type"])
        need = "required" if procedure and name in procedure.required else "optional"
        lines.append(f"  {name} ({kind}, {need}) {schema.get('description', '')}".rstrip())
    wordings = procedure.wordings[:CARD_WORDINGS] if procedure else ()
    return "\n".join([*lines, *(f"  e.g. {wording.text}" for wording in wordings)])


def read_answer(reply: str) -> tuple[str, dict[str, Any]]:
    """Return the SOP and the values of a model's reply; "" for none."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        said = json.loads(reply[start : end + 1]) if 0 <= start < end < MAX_REPLY_CHARS else {}
    except (ValueError, RecursionError):
        return "", {}
    if not isinstance(said, dict) or not isinstance(said.get("sop"), str):
        return "", {}
    values = said.get("parameters", {})
    return said["sop"], values if isinstance(values, dict) else {}
