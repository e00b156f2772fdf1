"""Let a model pick among the nearest SOPs, and hold its pick against the request.

Each value must stand in the request or be a default, and each value that the request names must be
used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from learning.route.filling import Shown, fill
from learning.route.place import Where
from learning.route.request import Asked
from memory.sops import Sop
from models.errors import ModelError
from replay.parameters import ParameterError

AskModel = Callable[[str, str], str]  # request, cards → the reply; raises ModelError
MAX_REPLY_CHARS = 20_000
CARD_WORDINGS = 3


def picked(asked: Asked, cards: Sequence[Shown], ask_model: AskModel, where: Where) -> Shown | None:
    """Return what the model picks, with its values; None for none, and for one that does not hold."""
    try:
        reply = ask_model(asked.written, "\n\n".join(card(each.sop) for each in cards))
    except ModelError:  # it cannot be reached: then it is not asked to choose
        return None
    name, values = read_answer(reply)
    found = next((each for each in cards if each.sop.name == name), None)
    return _checked(found, values, asked, where) if found else None


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
    for name, value in parameters.items():
        default = procedure.parameters[name].get("default")
        known = [read.parameters.get(name), default]
        known += [str(where.cwd / default)] if isinstance(default, str) else []
        if value not in known and not _is_said(value, asked.plain):
            return None
    used = list(map(str, parameters.values()))
    if not all(_is_used(text, used) for text in read.unused):
        return None
    return Shown(picked.sop, picked.score, picked.meant, parameters, read.places)


def _is_used(text: str, used: Sequence[str]) -> bool:
    bare = text.strip("\"'`“”「」『』《》")
    return any(bare in value for value in used)


def _is_said(value: Any, request: str) -> bool:
    if isinstance(value, str):
        return value.lower() in request.lower()
    return re.search(rf"(?<!\d){re.escape(str(value))}(?!\d)", request) is not None


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
