"""Read what a run did on a page as data: which field got which value, by label, role and place."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from replay.pages import VERBS, Element, field_of

_TEXT = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\$])*`"
_ARG = rf"(?:{_TEXT}|\d+|\{{[^{{}}]*\}})"
_CALL = re.compile(
    rf"\s*(?:await\s+)?(click|type|select|upload|press|wait)\(\s*({_ARG}(?:\s*,\s*{_ARG})*)\s*\)\s*[;,]?"
)
Act = dict[str, Any]


def calls_in(script: str) -> list[tuple[str, list[Any]]] | None:
    """Return what a script does by verb and arguments; None where it does more than that."""
    found, at = [], 0
    while match := _CALL.match(script, at):
        found.append((match[1], [_value(each) for each in re.findall(_ARG, match[2])]))
        at = match.end()
    return found if _only_looks(script[at:]) else None


def _only_looks(rest: str) -> bool:
    """Return True where the rest of a script presses and types nothing."""
    from safety.calls.page_scripts import read

    if not rest.strip():
        return True
    seen = read(rest)
    return not any([seen.presses, seen.typed, seen.uploads, seen.sends, seen.blind, seen.urls])


def _value(text: str) -> Any:
    if text[0] == "{":
        pairs = re.findall(r"(\w+)\s*:\s*(true|false)", text)
        return {key: value == "true" for key, value in pairs}
    if text[0] == "`":
        return text[1:-1]
    return ast.literal_eval(text)


def refs_in(script: str) -> set[str]:
    """Return the things of a page that a script presses or fills in."""
    return {str(given[0]) for verb, given in calls_in(script) or () if verb in VERBS}


def acts_of(script: str, known: Mapping[str, Element]) -> list[Act] | None:
    """Return the acts of a script; None where they are none, or on what was not shown."""
    calls = calls_in(script)
    if calls is None:
        return None
    acts = [_act(verb, given, known) for verb, given in calls]
    return None if None in acts else [act for act in acts if act]


def _act(verb: str, given: list[Any], known: Mapping[str, Element]) -> Act | None:
    if verb not in VERBS:
        return {verb: given[0]} if verb == "press" else {}
    if given[0] not in known:
        return None
    act: Act = {verb: field_of(known[given[0]])}
    if VERBS[verb]:
        act[VERBS[verb]] = given[1]
    if isinstance(given[-1], dict):
        act["with"] = given[-1]
    return act
