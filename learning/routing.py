"""Finds the SOP that a request means, and its parameters; the lanes are tried in order and the first that is sure wins.

1. *wordings* (`route`): the whole request is one wording of an SOP with its slots filled by texts of their types.
2. *rewording* (`choose` from here on): BM25 proposes five SOPs; the request must be a wording of exactly one of them in
   other words (learning/rewording.py).
3. *offline*, if there is one: a small model fills one of the five; its answer passes the guards of `_agrees`.
4. *model*: the configured model chooses among the five, or none; its answer passes the same guards.
5. Nothing is sure: the best SOPs are returned as hints, to be read by the model that does the task.

Anything left over, or two readings, and a lane declines. Source: seed 002 §7; seed 001 §2.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from learning.request import PLAIN, Asked
from learning.slots import QUOTES, Unclear, Where, as_ending, says_which, value_of
from memory.sops.store import Sop
from models.errors import ModelError
from replay.parameters import ParameterError
from replay.procedure import Procedure, Wording
from text import pattern

if TYPE_CHECKING:  # a request in a known wording, the usual one, does without these
    from learning.ranking import Ranking
    from models.offline import Card, Filled, Filler

Lane = Literal["wordings", "rewording", "offline", "model"]
AskModel = Callable[[str, str], str]  # request, cards → the reply's text; raises ModelError
BEST = 5  # SOPs that BM25 proposes
LOOKED_AT = 40  # of those that it found are looked at for their parameters
NEAR = 0.5  # of the best one's score is the least that an accepted one must have
HINTS = 3
NEAREST = 10  # of which the hints are taken
HINT_SHARE = 0.6  # of the best one's score
HINT_COVER = 0.2  # of what the request is about
MODEL_COVER = 0.34  # the same, for a call to a model
SHOWN_WORDINGS = 3
MAX_REQUEST_CHARS = 1000
MAX_REPLY_CHARS = 20_000
MAX_REWORDED_CHARS = 400  # quoted texts and paths included
PIECE = pattern(r"\{[^{}]*\}|\[[^\[\]]*\]|what is|[a-z0-9_'-]+|[^\W\da-z_]")


class Match(NamedTuple):
    """The SOP that a request means, its parameters (bound: defaults filled in, paths absolute), and what says so."""

    sop: Sop
    parameters: dict[str, Any]
    wording: str
    lane: Lane = "wordings"


class Candidate(NamedTuple):
    """An SOP that was looked at: the lane that took it, with its parameters, or why it was not taken ("" lane)."""

    name: str
    score: float
    lane: Lane | Literal[""]
    parameters: dict[str, Any]
    why: str


class Choice(NamedTuple):
    """What comes of a request: `match` is to be done by rote; else `hints` are for the model that does the task."""

    decision: Literal["rote", "model", "none"]
    match: Match | None
    candidates: list[Candidate]
    hints: list[Sop]


def route(request: str, sops: Iterable[Sop], cwd: Path, owner_home: Path) -> Match | None:
    """The SOP of which the whole request is one typed wording, or None."""
    runnable = [sop for sop in sops if sop.runs_alone]
    return typed_wordings(request, runnable, Where(cwd, owner_home))


def choose(
    request: str,
    sops: Iterable[Sop],
    cwd: Path,
    owner_home: Path,
    *,
    ask_model: AskModel | None = None,
    offline: Filler | None = None,
) -> Choice:
    """All lanes. `ask_model` gets the request and the cards, and returns the reply.

    A lane may only take an SOP that runs alone; drafts, candidates and suspended ones can be hints, archived and
    quarantined ones nothing.
    """
    known = [sop for sop in sops if sop.status != "archived" and not sop.is_quarantined]
    where = Where(cwd, owner_home)
    by_name = {sop.name: sop for sop in known}
    if match := route(request, known, cwd, owner_home):
        found = Candidate(match.sop.name, 1.0, match.lane, match.parameters, match.wording)
        return Choice("rote", match, [found], [])
    if len(request) > MAX_REQUEST_CHARS:
        return Choice("none", None, [], [])
    if all(sop.is_seed for sop in known):  # nobody has taught it anything: seeds are no hints
        asked = _readable(request)
        refused = {sop.name: _refusal(asked, sop) for sop in known if sop.runs_alone}
        if all(refused.values()):
            return Choice(
                "none",
                None,
                [Candidate(name, 0.0, "", {}, why) for name, why in refused.items()],
                [],
            )
    from learning.index import INDEX
    from learning.spoken_forms import in_active

    ranking = INDEX.of(known)
    ranked = ranking.best(request, len(known))
    able = [(by_name[name], score) for name, score in ranked if by_name[name].runs_alone]
    five = _best(able, request)
    match, candidates = _reworded(request, five, where)
    if match is None and (active := in_active(request)):
        match, seen = _reworded(active, five, where)
        candidates = seen if match else candidates
    for lane, fill in (
        ("offline", offline.fill if offline else None),
        ("model", _answer(ask_model)),
    ):
        if match is not None or fill is None or (lane == "offline" and not request.isascii()):
            continue
        cards = [each for each in five if _is_worth_a_call(each[0], request, ranking)]
        if cards:
            match, candidates = _filled(request, cards, candidates, where, cast("Lane", lane), fill)
    if match is not None:
        return Choice("rote", match, candidates, [])
    floor = ranked[0][1] * HINT_SHARE if ranked else 0.0
    near = [
        by_name[name]
        for name, score in ranked[:NEAREST]
        if score >= floor
        and ranking.share(request, name) >= HINT_COVER
        and not by_name[name].is_seed
    ]
    hints = [sop for sop in near if sop.description][:HINTS]
    return Choice("model" if hints else "none", None, candidates, hints)


def _best(ranked: list[tuple[Sop, float]], request: str) -> list[tuple[Sop, float]]:
    """The five that are most like the request; of the first ones, those come first that its values could be for. The
    ranking leads all the same: it is what `NEAR` is held against."""
    from learning.shape import fits, values_in

    kinds = values_in(request)
    fitting = [
        pair for pair in ranked[:LOOKED_AT] if pair[0].procedure and fits(kinds, pair[0].procedure)
    ]
    rest = [pair for pair in ranked[:BEST] if pair not in fitting]
    return sorted(
        [*ranked[:1], *[each for each in [*fitting, *rest] if each not in ranked[:1]][: BEST - 1]],
        key=lambda pair: -pair[1],
    )


def _is_worth_a_call(sop: Sop, request: str, ranking: Ranking) -> bool:
    """A model, of this machine or not, is asked to choose only among what was learned here, and either is about the same things or takes just such
    values: a request that is about something else must not cost a call more than it did. The seeds stand in every system
    prompt anyway."""
    from learning.shape import fits, values_in

    words = re.sub(r"\S*/\S*", " ", request)  # of a path the words say nothing about the task
    if sop.is_seed or sop.procedure is None:
        return False
    share = ranking.share(words, sop.name)
    return share >= MODEL_COVER or fits(values_in(request), sop.procedure)


def typed_wordings(request: str, sops: Sequence[Sop], where: Where) -> Match | None:
    """The SOP of which the request is a wording; among several, the one that takes up strictly more of its literals, and
    the owner's own before a seed."""
    if len(request) > MAX_REQUEST_CHARS or not (asked := Asked.read(request)):
        return None
    try:
        readings = [reading for sop in sops for reading in _readings(asked, sop, where)]
    except Unclear:
        return None
    most = max((filled for _, filled in readings), default=0)
    best = _own_before_seeds([match for match, filled in readings if filled == most])
    is_clear = all(
        (match.sop.name, match.parameters) == (best[0].sop.name, best[0].parameters)
        for match in best
    )
    return best[0] if best and is_clear else None


def _reworded(
    request: str, five: Sequence[tuple[Sop, float]], where: Where
) -> tuple[Match | None, list[Candidate]]:
    """The one of the five of which the request is a wording in other words, and what became of each."""
    matches, candidates = [], []
    asked = _readable(request)
    for sop, score in five:
        found = _understood(asked, sop, where)
        if isinstance(found, Match):
            matches.append((found, score))
            candidates.append(
                Candidate(sop.name, score, "rewording", found.parameters, found.wording)
            )
        else:
            candidates.append(Candidate(sop.name, score, "", {}, found))
    own = [(match, score) for match, score in matches if not match.sop.is_seed] or matches
    is_clear = len(own) == 1 and own[0][1] >= NEAR * five[0][1]
    return (own[0][0] if is_clear else None), candidates


def _understood(asked: Asked | None, sop: Sop, where: Where) -> Match | str:
    """The request as a wording of the SOP in other words, or why it is none."""
    if why := _refusal(asked, sop):
        return why
    from learning.rewording import Refusal, understand

    assert asked is not None
    assert sop.procedure is not None
    found = understand(asked, sop.procedure, sop.name, where)
    if isinstance(found, Refusal):
        return found.why
    try:
        return Match(sop, sop.procedure.bind(found.values, where.cwd), found.wording, "rewording")
    except ParameterError as error:
        return str(error)


def _refusal(asked: Asked | None, sop: Sop) -> str:
    """Why a quick look is enough to say that the request is no wording of the SOP; empty when it is not enough."""
    from learning.strange_words import strange_word

    if asked is None:
        return "it cannot be read"
    word = strange_word(asked, sop.procedure, sop.name) if sop.procedure else ""
    return f"it says “{word}”" if word else ""


def _readable(request: str) -> Asked | None:
    return Asked.read(request) if len(request) <= MAX_REWORDED_CHARS else None


def _own_before_seeds(matches: list[Match]) -> list[Match]:
    """What the owner taught goes before what came with Sopwith, where a request means both."""
    return [match for match in matches if not match.sop.is_seed] or matches


def _filled(
    request: str,
    five: Sequence[tuple[Sop, float]],
    candidates: list[Candidate],
    where: Where,
    lane: Lane,
    fill: Callable[[str, list[Card]], Filled | None],
) -> tuple[Match | None, list[Candidate]]:
    """What a model chose among the five, if its values pass the guards."""
    answer = fill(request, [card(sop) for sop, _ in five])
    chosen = next((sop for sop, _ in five if answer and sop.name == answer.name), None)
    if answer is None or chosen is None or chosen.procedure is None:
        return None, candidates
    try:
        parameters = chosen.procedure.bind(
            _completed(answer.parameters, chosen.procedure, request), where.cwd
        )
        why = disagrees(request, chosen, parameters, where, is_strict=lane == "offline")
    except (ParameterError, Unclear) as error:
        parameters, why = {}, str(error)
    taken: list[Candidate] = [
        Candidate(
            old.name,
            old.score,
            "" if why else lane,
            {} if why else parameters,
            why or f"chosen by the {lane} lane",
        )
        if old.name == chosen.name
        else old
        for old in candidates
    ]
    return (None if why else Match(chosen, parameters, "", lane)), taken


def _completed(given: Mapping[str, Any], procedure: Procedure, request: str) -> dict[str, Any]:
    """What a model filled in, endings as they are taken, and what can be one thing only and stands in the request."""
    found = dict(given)
    for name, schema in procedure.parameters.items():
        if isinstance(found.get(name), str):
            found[name] = as_ending(found[name], schema)
        elif name not in found and len(schema.get("enum", ())) == 1:
            text = str(schema["enum"][0])
            found |= (
                {name: schema["enum"][0]}
                if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", request)
                else {}
            )
    return found


def disagrees(
    request: str, sop: Sop, parameters: Mapping[str, Any], where: Where, *, is_strict: bool = False
) -> str:
    """Why a model's choice is not to be followed; empty when nothing speaks against it.

    Each value must stand in the request, each literal of the request must be a value, and what the request asks to do,
    compare or measure must be known to the SOP's wordings. Raises Unclear.
    """
    from learning.claims import contradiction

    procedure, asked = sop.procedure, Asked.read(request)
    if procedure is None or asked is None:
        return "the request cannot be read"
    return contradiction(asked, procedure, sop.name, parameters, where, is_strict=is_strict)


def card(sop: Sop) -> Card:
    """What a model is told about an SOP."""
    from models.offline import Card

    procedure = sop.procedure
    wordings = (
        [wording.text for wording in procedure.wordings[:SHOWN_WORDINGS]] if procedure else []
    )
    properties = dict(procedure.parameters) if procedure else {}
    required = list(procedure.required) if procedure else []
    return Card(sop.name, " ".join(sop.description.split()), properties, required, wordings)


def _answer(ask_model: AskModel | None) -> Callable[[str, list[Card]], Filled | None] | None:
    """The configured model as a filler: its reply is read as {"sop": NAME or "none", "parameters": {…}}."""
    if ask_model is None:
        return None

    def fill(request: str, cards: list[Card]) -> Filled | None:
        try:
            reply = ask_model(request, "\n\n".join(map(as_text, cards)))
        except ModelError:  # it cannot be reached: then it is not asked to choose
            return None
        return read_answer(reply)

    return fill


def as_text(card: Card) -> str:
    """A card as a model reads it."""
    lines = [f"{card.name}: {card.description}"]
    for name, schema in card.properties.items():
        kind = (
            "|".join(map(str, schema["enum"]))
            if "enum" in schema
            else schema.get("format", schema["type"])
        )
        need = "required" if name in card.required else "optional"
        lines.append(f"  {name} ({kind}, {need}) {schema.get('description', '')}".rstrip())
    return "\n".join([*lines, *(f"  e.g. {wording}" for wording in card.wordings)])


def read_answer(reply: str) -> Filled | None:
    """A model's choice; None for "none" and for what is not such a JSON object."""
    from models.offline import Filled

    start, end = reply.find("{"), reply.rfind("}")
    try:
        said = json.loads(reply[start : end + 1]) if 0 <= start < end < MAX_REPLY_CHARS else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not isinstance(said.get("sop"), str) or said["sop"] == "none":
        return None
    parameters = said.get("parameters", {})
    return Filled(said["sop"], parameters, 1.0) if isinstance(parameters, dict) else None


def _readings(asked: Asked, sop: Sop, where: Where) -> Iterator[tuple[Match, int]]:
    """Each wording of the SOP that the request is, with the number of slots that it fills."""
    if not sop.may_be_asked(asked.squeezed):
        return
    procedure = sop.procedure
    assert procedure is not None
    for wording in procedure.wordings:
        if (
            _may_be(wording, asked.squeezed)
            and (given := _given(asked, wording, procedure, where)) is not None
        ):
            try:
                yield Match(sop, procedure.bind(given, where.cwd), wording.text), len(given)
            except ParameterError:  # 0 days: the SOP cannot take it, so it is not what is meant
                continue


def _may_be(wording: Wording, squeezed: str) -> bool:
    """A quick look: the request holds a word of each anchor."""
    for words in wording.anchors:
        if words[0] not in squeezed and not any(word in squeezed for word in words[1:]):
            return False
    return True


def _given(
    asked: Asked, wording: Wording, procedure: Procedure, where: Where
) -> dict[str, Any] | None:
    """The values of the slots in the first reading in which all are of their types; None when there is none."""
    for filled in _fillings(_pieces(wording.text), asked.lower, asked.start, asked.end):
        values = {
            slot.name: value_of(
                asked.slot(start, end), procedure.parameters[slot.name], slot.shape, where
            )
            for slot, start, end in filled
        }
        texts = {slot.name: asked.lower[start:end].strip() for slot, start, end in filled}
        if None not in values.values() and not any(
            says_which(text, procedure.parameters[name]) for name, text in texts.items()
        ):
            return values
    return None


@dataclass(frozen=True, slots=True)
class _SlotPiece:
    name: str
    shape: str


_Piece = (
    str | _SlotPiece | tuple[Any, ...]
)  # a word; a slot; a group: its choices, each a tuple of pieces
_Filling = tuple[
    tuple[_SlotPiece, int, int], ...
]  # slots with the places where their texts begin and end


@lru_cache(maxsize=4096)
def _pieces(wording: str) -> tuple[_Piece, ...]:
    """A wording as a sequence of words, groups and slots; "what is" is a group with its short forms."""
    pieces: list[_Piece] = []
    for token in PIECE.findall(wording.translate(PLAIN).lower()):
        if token[0] == "{":
            name, _, shape = token[1:-1].partition(":")
            pieces.append(_SlotPiece(name, shape))
        elif token[0] == "[":
            pieces.append(tuple(_pieces(choice) for choice in token[1:-1].split("|")))
        elif token == "what is":
            pieces.append((("what", "is"), ("what's",), ("whats",)))
        elif token not in ("the", "a", "an", "my"):
            pieces.append(token)
    return tuple(pieces)


def _fillings(pieces: tuple[_Piece, ...], text: str, start: int, end: int) -> Iterator[_Filling]:
    """Each way in which the text from `start` to `end` is this sequence; a group's first choice first, short slots first."""
    while start < end and text[start] in " ,\t\n\r":
        start += 1
    if not pieces:
        if start == end:
            yield ()
        return
    piece, rest = pieces[0], pieces[1:]
    if isinstance(piece, str):
        if text.startswith(piece, start, end) and _is_whole_word(text, start, start + len(piece)):
            yield from _fillings(rest, text, start + len(piece), end)
    elif isinstance(piece, tuple):
        for choice in piece:
            yield from _fillings(choice + rest, text, start, end)
    else:
        for stop in _stops(text, start, end) if rest else [end]:
            for filling in _fillings(rest, text, stop, end):
                yield ((piece, start, stop), *filling)


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    """Where a slot that begins at `start` may end: behind its closing quote, else where a word or a sign ends."""
    if start < end and (close := QUOTES.get(text[start])):
        if (stop := text.find(close, start + 1, end)) > 0:
            yield stop + 1
        return
    for stop in range(start + 1, end + 1):
        if (
            stop == end
            or text[stop] in " ,\t\n\r"
            or not (text[stop].isascii() and text[stop - 1].isascii())
        ):
            yield stop


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """True when no Latin letters, digits or signs of a path touch the word; Chinese words need no space between them."""
    if not text[start].isascii():
        return True
    before, behind = text[start - 1 : start], text[end : end + 1]
    touches_before = before.isascii() and before not in (
        "",
        " ",
        ",",
        "\t",
        "\n",
        "\r",
        '"',
        "'",
        "`",
    )
    return not touches_before and not (
        behind.isascii() and (behind.isalnum() or behind in ("_", "/", "'", "-"))
    )
