"""Choose the SOP for a request: an exact wording is done; the nearest are shown; a model may pick
among them.

A model's pick is held against the request: each value stands in it, each value that it names is
used. What a pick would write is shown first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from learning.route.exact import is_vague, may_be_asked, readings
from learning.route.filling import Shown, fill
from learning.route.place import Where, folder_called, words
from learning.route.request import MAX_CHARS, Asked
from learning.route.saying import Way, ways
from learning.route.typed import is_cautious
from memory.sops import Sop
from models.errors import ModelError
from replay.parameters import ParameterError
from replay.procedure import Procedure
from replay.wordings import SLOT, Wording

if TYPE_CHECKING:
    from learning.route.ranking import Ranking
    from models.embeddings import Embedder

AskModel = Callable[[str, str], str]  # request, cards → the reply; raises ModelError
BEST = 5  # SOPs that are proposed
POOL = 20  # SOPs by words, and as many by meaning, whose values are read
MOST_SHOWN = 3
MOST_WORDS = 3  # of a name; three characters count as a word
SHARE = 0.34  # of a request's terms, for a call to a model
COSINE = 0.3  # of meanings, for a call to a model
HINT_SHARE = 0.2
NEAR = 0.6  # below the best one's weight
MAX_REPLY_CHARS = 20_000
CARD_WORDINGS = 3


class Match(NamedTuple):
    """The SOP that is done, with its bound parameters, and how it was found."""

    sop: Sop
    parameters: dict[str, Any]
    wording: str = ""
    lane: str = "wordings"


class Candidate(NamedTuple):
    """An SOP that was looked at, as `sops search` lists it; `lane` is "" for one that is only
    shown."""

    name: str
    score: float
    lane: str
    parameters: dict[str, Any]
    why: str


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
        if self.match:
            match = self.match
            return [Candidate(match.sop.name, 1.0, match.lane, match.parameters, match.wording)]
        shown = [
            Candidate(
                each.sop.name, round(max(each.weight, 0.0), 4), "", each.parameters, why(each)
            )
            for each in self.shortlist
        ]
        names = [each.sop.name for each in self.shortlist]
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


def exact_match(
    request: str, sops: Iterable[Sop], where: Where, *, vague: bool = False
) -> Match | None:
    """Return the SOP of which the whole request is a wording; None where two SOPs could be meant.
    `vague`: by a seed's wordings that may ask about anything, such as "where is {name}"."""
    asked = Asked.read(request)
    if len(request) > MAX_CHARS or not asked.squeezed.strip():
        return None
    sops = [sop for sop in sops if _may_be_said(sop, asked)]
    said = (_said(way, sops, vague=vague) for way in ways(asked, where))
    return next(filter(None, said), None)


def _may_be_said(sop: Sop, asked: Asked) -> bool:
    """Take a quick look: the request holds words of one of the wordings."""
    procedure = sop.procedure if sop.may_be_asked(asked.squeezed) else None
    return procedure is not None and may_be_asked(procedure, asked)


def _said(way: Way, sops: Sequence[Sop], *, vague: bool) -> Match | None:
    """Return the SOP of which one way to say a request is a wording."""
    found = _owners_first([pair for sop in sops for pair in _matches(sop, way, vague=vague)])
    most = max((reading.filled for _, reading in found), default=0)
    best = [(match, reading) for match, reading in found if reading.filled == most]
    own = [pair for pair in best if not pair[0].sop.is_seed]
    return _only_one(own or best)


def _owners_first(found: list[tuple[Match, _Reading]]) -> list[tuple[Match, _Reading]]:
    """Leave out the seeds where a wording of the owner's says at least as much of the request
    itself."""
    seeds = [reading.free for match, reading in found if match.sop.is_seed]
    least = min(seeds, default=0)
    own = [pair for pair in found if not pair[0].sop.is_seed and pair[1].free <= least]
    return own if seeds and own else found


def _only_one(best: Sequence[tuple[Match, _Reading]]) -> Match | None:
    """Return the match of the one SOP that is meant, by the wording that says most itself."""
    if len({match.sop.name for match, _ in best}) != 1:
        return None
    least = min(reading.free for _, reading in best)
    matches = [match for match, reading in best if reading.free == least]
    is_clear = all(match.parameters == matches[0].parameters for match in matches)
    return matches[0] if is_clear else None


class _Reading(NamedTuple):
    """How much a wording says: slots that take typed values, characters that free texts take."""

    filled: int
    free: int


def _matches(sop: Sop, way: Way, *, vague: bool) -> Iterable[tuple[Match, _Reading]]:
    procedure = sop.procedure
    if procedure is None or (way.reads and procedure.effects != "none"):
        return
    for wording, values in readings(way.asked, procedure, way.where, is_bare=way.is_bare):
        try:
            parameters = procedure.bind(values, way.where.cwd)
        except ParameterError:  # the SOP cannot take the value; it is shown with the reason
            continue
        if procedure.takes_another_kind(parameters) or not way.takes_folder(parameters):
            continue
        is_more = not sop.is_seed and _says_more(way.asked, wording, values, procedure)
        if is_more or (sop.is_seed and is_vague(wording)) != vague:
            continue
        filled = len(values) - wording.text.count(":words}")
        free = sum(len(str(value)) for value in values.values())
        yield Match(sop, parameters, wording.text), _Reading(filled, free)


def _says_more(
    asked: Asked, wording: Wording, values: Mapping[str, Any], procedure: Procedure
) -> bool:
    """Return True where a text of several words may be more than a value: `boots unless it is
    empty`. In quotes it is not."""
    free = [name for name, shape in SLOT.findall(wording.text) if shape == "words"]
    texts = [str(values[name]) for name in free if "examples" not in procedure.parameters[name]]
    return any(is_cautious(text) and f'"{text}"' not in asked.plain for text in texts)


def choose(
    request: str,
    sops: Iterable[Sop],
    cwd: Path,
    owner_home: Path,
    *,
    ask_model: AskModel | None = None,
    embedder: Callable[[], Embedder | None] | None = None,
) -> Choice:
    """Return what serves a request. `ask_model` gets the request and the cards of the nearest SOPs;
    with `embedder` also those count as near that share no word with it."""
    known = [sop for sop in sops if sop.status != "archived" and not sop.is_quarantined]
    where = Where(cwd, owner_home)
    runnable = [sop for sop in known if sop.runs_alone]
    match = exact_match(request, runnable, where)
    other = _elsewhere(request, match, runnable, where)
    if other and _only_reads(other.sop, Asked.read(request)):
        match = other
    elif other:
        return Choice("none", None, shown := [_as_shown(request, other)], [], None, shown)
    candidate = _to_show(request, known, where, is_sure=match is not None)
    if match and not (match.sop.is_seed and (candidate or _has_own(runnable))):
        return Choice("rote", match)
    if len(request) > MAX_CHARS:
        return Choice()
    from learning.route.index import INDEX

    ranking, asked = INDEX.of(known), Asked.read(request)
    scores = dict(ranking.best(asked.task, len(known)))
    filled = _nearest(asked, runnable, scores, _meant(asked, runnable, embedder), where)
    filled = [each for each in filled if _is_near(each, asked, ranking, cwd)]
    if match is None and (match := _barely_said(asked, filled, where)):
        return Choice("rote", match)
    for each in filled[:BEST]:
        each.told = ranking.rare_share(asked.task, each.sop.name)
    meant = max([COSINE, *(each.meant for each in filled if match and each.sop is match.sop)])
    owners = [*candidate, *(each for each in filled if _is_owners(each, meant, asked, ranking))]
    if match and not owners:
        return Choice("rote", match)
    choice = _shown(filled, [sop for sop in known if _is_hint(sop, asked, ranking)], scores)
    choice.shown[:0] = candidate
    cards = [each for each in filled if not each.sop.is_seed][:BEST]  # seeds stand in prompts
    if ask_model and any(_is_worth_a_call(each, asked, ranking) for each in cards):
        _let_pick(choice, asked, cards, ask_model, where)
    return choice


def _barely_said(asked: Asked, filled: Sequence[Shown], where: Where) -> Match | None:
    """Return what only reads and has the request as a wording, both without the words that ask to
    be shown something."""
    own = (each.sop for each in filled if not each.sop.is_seed)
    sops = [sop for sop in own if _only_reads(sop, asked)]
    said = (way._replace(reads=True, is_bare=True) for way in ways(asked, where))
    return next(filter(None, (_said(way, sops, vague=False) for way in said)), None)


def _has_own(runnable: Sequence[Sop]) -> bool:
    return any(not sop.is_seed for sop in runnable)


def _is_owners(card: Shown, meant: float, asked: Asked, ranking: Ranking) -> bool:
    """Return True for what the owner taught, where its words are said in a request of which a seed
    has the wording, or where it is nearer in meaning than the seed is (`meant`): it is shown
    first."""
    is_said = ranking.share(asked.task, card.sop.name) >= HINT_SHARE or card.meant > meant
    return not card.sop.is_seed and card.takes_all and is_said


def _to_show(request: str, known: Sequence[Sop], where: Where, *, is_sure: bool) -> list[Shown]:
    """Return the candidate whose wording is asked for, since it may not run alone, or what a vague
    wording asks for."""
    candidates = [sop for sop in known if sop.status == "candidate"]
    seeds = [sop for sop in known if sop.is_seed]
    found = exact_match(request, candidates, where)
    if found is None and not is_sure and Asked.read(request).has_word(words()["vague"]):
        found = exact_match(request, seeds, where, vague=True)
        found = found if found and _is_short(found) else None
    return [_as_shown(request, found)] if found else []


def _is_short(found: Match) -> bool:
    """Return False for a sentence where a name is looked for."""
    said = " ".join(str(found.parameters[name]) for name, _ in SLOT.findall(found.wording))
    return len(re.findall(r"[^\W\u4e00-\u9fff]+|[\u4e00-\u9fff]{1,3}", said)) <= MOST_WORDS


def _as_shown(request: str, found: Match) -> Shown:
    """Return a match to be shown, with the places where the request says its values."""
    places = {}
    for name in {slot for slot, _ in SLOT.findall(found.wording)}:
        said = str(found.parameters[name]).rpartition("/")[2].strip("[]'")
        at = max(request.find(said), 0)
        places[name] = (at, at + len(said))
    return Shown(found.sop, 1.0, 1.0, found.parameters, places)


def _elsewhere(
    request: str, match: Match | None, runnable: Sequence[Sop], where: Where
) -> Match | None:
    """Return what is meant with files of another of the owner's folders, where the request names
    one that is not here and there is one such folder."""
    if match and (not match.sop.is_seed or all(each.exists() for each in _named(match, where.cwd))):
        return None
    names = [each.value for each in Asked.read(request).values if each.kind == "path"]
    away = [each for each in names if "/" not in each and not (where.cwd / each).exists()]
    folders = {folder_called(name, where) for name in words()["folders"]} - {where.cwd}
    holding = [each for each in sorted(folders) if any((each / name).exists() for name in away)]
    seeds = [sop for sop in runnable if sop.is_seed]
    there = (where._replace(cwd=folder, new=where.cwd) for folder in holding)
    found = [(exact_match(request, seeds, each), each.cwd) for each in there]
    named = [(each, _named(each, folder)) for each, folder in found if each]
    meant = [each for each, paths in named if paths and all(path.exists() for path in paths)]
    return meant[0] if len(meant) == 1 else None


def _named(match: Match, cwd: Path) -> list[Path]:
    """Return what the request names by its bare name, and means in this folder."""
    schemas = match.sop.procedure.parameters if match.sop.procedure else {}
    names = [name for name, shape in SLOT.findall(match.wording) if shape != "new"]
    paths = (Path(each) for name in names for each in _paths(match.parameters[name], schemas[name]))
    return [each for each in paths if each.parent == cwd]


def _paths(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Return the paths that a value is, or holds."""
    if schema["type"] == "array":
        return [path for each in value for path in _paths(each, schema.get("items", {"type": ""}))]
    return [value] if schema.get("format") == "path" else []


def _shown(filled: Sequence[Shown], hints: list[Sop], scores: Mapping[str, float]) -> Choice:
    """Return the choice as it is without a model."""
    near = filled[0].weight - NEAR if filled else 0.0
    shown = [each for each in filled[:BEST] if each.weight >= near]
    ranked = [name for name in scores if name in {sop.name for sop in hints}]
    hints = sorted(
        (sop for sop in hints if sop.name in ranked), key=lambda sop: ranked.index(sop.name)
    )
    decision: Literal["model", "none"] = "model" if hints else "none"
    return Choice(decision, None, shown, hints[:MOST_SHOWN], None, list(filled[:BEST]))


def _is_near(card: Shown, asked: Asked, ranking: Ranking, cwd: Path) -> bool:
    """Return False for an SOP that has no use for a file of the request, for one that changes what
    may be to be kept, and where no word beside a single value is one of the SOP's: any number fits
    a number."""
    if any((cwd / each).is_file() for each in card.unused):
        return False
    changes = card.sop.procedure is not None and card.sop.procedure.effects != "none"
    if card.sop.is_seed and changes and asked.has_word(words()["spared"]):
        return False
    beside = asked.without(card.places.values())
    is_said = card.meant or len(card.places) > 1 or not beside.strip()
    return bool(is_said) or ranking.share(beside, card.sop.name) > 0


def _is_worth_a_call(card: Shown, asked: Asked, ranking: Ranking) -> bool:
    is_near = ranking.share(asked.task, card.sop.name) >= SHARE or card.meant >= COSINE
    return is_near or card.takes_all


def _meant(
    asked: Asked, runnable: Sequence[Sop], embedder: Callable[[], Embedder | None] | None
) -> dict[str, float]:
    """Return how near each SOP is in meaning; nothing is loaded where nothing was learned."""
    made = embedder() if embedder and any(not sop.is_seed for sop in runnable) else None
    if made is None:
        return {}
    from learning.route.meaning import nearness

    return nearness(asked.task, runnable, made)


def _nearest(
    asked: Asked,
    runnable: Sequence[Sop],
    scores: Mapping[str, float],
    meant: Mapping[str, float],
    where: Where,
) -> list[Shown]:
    """Return the SOPs near a request with their values, the nearest first: by words, by meaning, by
    what they take."""
    by_words = sorted(
        (sop for sop in runnable if sop.name in scores), key=lambda sop: -scores[sop.name]
    )
    by_meaning = sorted(
        (sop for sop in runnable if sop.name in meant), key=lambda sop: -meant[sop.name]
    )
    count = POOL if meant else BEST
    pool = {sop.name: sop for sop in (*by_words[:count], *by_meaning[:count])}
    most = max(scores.values(), default=0.0) or 1.0
    found = [
        fill(sop, asked, where, scores.get(name, 0.0) / most, meant.get(name, 0.0))
        for name, sop in pool.items()
    ]
    return sorted(found, key=lambda each: -each.weight)


def _is_hint(sop: Sop, asked: Asked, ranking: Ranking) -> bool:
    if sop.is_seed or not sop.description:
        return False
    return ranking.share(asked.task, sop.name) >= HINT_SHARE


def _let_pick(
    choice: Choice, asked: Asked, cards: Sequence[Shown], ask_model: AskModel, where: Where
) -> None:
    """Let the model pick; a pick that only reads and takes up all is done, another one is shown
    first."""
    try:
        reply = ask_model(asked.written, "\n\n".join(card(each.sop) for each in cards))
    except ModelError:  # it cannot be reached: then it is not asked to choose
        return
    name, values = read_answer(reply)
    picked = next((each for each in cards if each.sop.name == name), None)
    checked = _checked(picked, values, asked, where) if picked else None
    if checked is None:
        return
    if _only_reads(checked.sop, asked):
        choice.decision = "rote"
        choice.match = Match(checked.sop, checked.parameters, "", "model")
    else:
        choice.pick = checked


def _only_reads(sop: Sop, asked: Asked) -> bool:
    """Return True for an SOP that changes nothing, asked for without a word that changes what is
    asked."""
    procedure = sop.procedure
    if procedure is None or procedure.effects != "none":
        return False
    known = " ".join(each.text for each in procedure.wordings)
    return not is_cautious(asked.words, known)


def _checked(picked: Shown, values: dict[str, Any], asked: Asked, where: Where) -> Shown | None:
    """Return the pick with the model's values; None where a value does not stand in the request or
    one is left over."""
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
    return Shown(picked.sop, picked.score, picked.meant, parameters, read.places)


def _stands(value: Any, read: Any, default: Any, asked: Asked, cwd: Path) -> bool:
    if value in (read, default):
        return True
    if isinstance(value, str) and default is not None and value == str(cwd / str(default)):
        return True
    if isinstance(value, str):
        return value.lower() in asked.plain.lower()
    return re.search(rf"(?<!\d){re.escape(str(value))}(?!\d)", asked.plain) is not None


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
