"""Let a model read an episode: how it is shown, what may come back, and what of that is believed.

Each statement must quote the turn that says it, and code looks whether it does and that a person
said it; predicates that are not ours, and moods of the hour, are dropped. A reply that is not clean
JSON is read as far as it can be. Source: seed 003 P5.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from memory.graph.people import ROLES, meant, role_of, speaker
from memory.graph.shapes import PREDICATES, Party, Predicate, Statement, both, role_key
from memory.journal.turns import Turn
from memory.wording import coverage

MAX_SHOWN_CHARS = 12_000
MAX_TURN_CHARS = 1_500
MAX_STATEMENTS = 40
LEAST_QUOTE_CHARS = 4
USUAL = 0.6  # of 1: how sure a model is that says no number
_FROM_MODEL: tuple[Predicate, ...] = tuple(each for each in PREDICATES if each != "MENTIONED")
_TEXTS = ("subject", "object", "label", "line", "quote", "emotion")
_FIELDS: dict[str, dict[str, Any]] = {key: {"type": "string"} for key in _TEXTS} | {
    "predicate": {"type": "string", "enum": list(_FROM_MODEL)},
    "confidence": {"type": "number"},
    "lasting": {"type": "boolean"},
}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    closed = {"required": list(fields), "additionalProperties": False}
    return {"type": "object", "properties": fields, **closed}


SCHEMA = _object({"statements": {"type": "array", "items": _object(_FIELDS)}})


class Said(NamedTuple):
    """One statement of a model. `place`: of the turn in the episode, from 0."""

    subject: str
    predicate: str
    object: str
    label: str
    place: int
    quote: str
    confidence: float
    emotion: str


def shown(turns: Sequence[Turn]) -> str:
    """Return an episode as a model reads it: a line a turn, with its number and who says it."""
    lines = [
        f"L{place} {turn.who}: {' '.join(turn.text[:MAX_TURN_CHARS].split())}"
        for place, turn in enumerate(turns, 1)
    ]
    while len(lines) > 1 and sum(map(len, lines)) > MAX_SHOWN_CHARS:
        lines.pop()
    return "\n".join(lines)


def parsed(reply: str) -> list[Said]:
    """Return the statements of a reply. Raises ValueError where there is no JSON in it."""
    found = _json(reply)
    items = found.get("statements", found) if isinstance(found, dict) else found
    if isinstance(items, dict):
        items = [items]
    if not isinstance(items, list):
        raise ValueError("the reply is no list of statements")
    return [
        said for item in items[:MAX_STATEMENTS] if isinstance(item, dict) and (said := _said(item))
    ]


def _json(reply: str) -> Any:
    begins = [at for at in (reply.find("{"), reply.find("[")) if at >= 0]
    if not begins:
        raise ValueError("the reply holds no JSON")
    text = reply[min(begins) :]
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        from json_repair import repair_json

        try:
            return repair_json(text[:50_000], return_objects=True)
        except RecursionError as error:
            raise ValueError("the reply is nested too deeply") from error


def _said(item: dict[str, Any]) -> Said | None:
    words = {key: " ".join(str(item.get(key) or "").split()) for key in (*_TEXTS, "predicate")}
    predicate = words["predicate"].upper().replace(" ", "_")
    line = re.fullmatch(r"L?(\d{1,4})", words["line"])
    is_mood = str(item.get("lasting")).lower() == "false"
    is_whole = words["subject"] and words["object"] and predicate in _FROM_MODEL
    if is_mood or line is None or not is_whole:
        return None
    return Said(
        words["subject"],
        predicate,
        words["object"],
        words["label"][:40].lower(),
        int(line[1]) - 1,
        words["quote"],
        _confidence(item.get("confidence")),
        words["emotion"][:20].lower(),
    )


def _confidence(given: object) -> float:
    """Return how sure a model says it is; a usual value where it says nothing that can be one."""
    share = float(given) if isinstance(given, int | float) else -1.0
    return share if 0 <= share <= 1 else USUAL


def statements(said: Sequence[Said], turns: Sequence[tuple[int, Turn]]) -> list[Statement]:
    """Return the statements that are believed: the quote stands in the turn, and a person says
    it."""
    found = []
    everything = " ".join(f"{turn.who} {turn.text}" for _, turn in turns)
    for each in said:
        if 0 <= each.place < len(turns) and _is_quoted(each.quote, turns[each.place][1]):
            number, turn = turns[each.place]
            found.append(_statement(each, number, speaker(turn), everything))
    return list(filter(None, found))


def _is_quoted(quote: str, turn: Turn) -> bool:
    """Return True where a person says these words in the turn."""
    words = quote.casefold().strip(" .…\"'“”")
    is_said = words in " ".join(turn.text.split()).casefold()
    return turn.who != "agent" and len(words) >= LEAST_QUOTE_CHARS and is_said


def _statement(said: Said, number: int, who: Party, everything: str) -> Statement | None:
    sides = both(_party(said.subject, who), _party(said.object, who))
    label = role_of(said.label) or said.label
    if sides is None or _says_itself(*sides, who, label):
        return None
    if not all(_stands_in(party, who, everything) for party in sides):
        return None
    predicate: Predicate = next(name for name in PREDICATES if name == said.predicate)
    told = (number, label, said.confidence, said.emotion, "model")
    return Statement(sides[0], predicate, sides[1], *told)


def _says_itself(subject: Party, object: Party, who: Party, label: str) -> bool:
    """Return True for "my sister is my sister"."""
    return label in ROLES and subject == who and object.key == role_key(who, label)


def _stands_in(party: Party, who: Party, text: str) -> bool:
    """Return True if the episode speaks of it at all."""
    is_somebody = party == who or party.kind != "Entity" or party.key.startswith("@")
    return is_somebody or party.name.casefold() in text.casefold() or coverage(party.name, text) > 0


def _party(words: str, who: Party) -> Party | None:
    spoken = meant(words, who)
    return spoken.party if spoken else None
