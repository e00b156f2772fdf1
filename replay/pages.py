"""Do what an SOP does on a page: each field is found by its label, role and place; what is typed
stays data until it is sent.

    acts:
      - {type: {label: Full name, role: textbox, place: 1, of: 3}, text: "{{full_name}}"}
      - {select: {label: Room, role: select, place: 1, of: 1}, option: "{{room}}"}
      - {click: {label: Save, role: button, place: 1, of: 1}}

`place` counts the things of one role down the page, `of` is how many there were. Of a choice whose
label is a value (`{click: {label: "{{plan}}", role: radio}}`) there is only the label.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from text import pattern

VERBS = {"click": "", "type": "text", "select": "option", "upload": "path"}
_ELEMENT = pattern(r"\[([^\[\]]*)\]\((e\d+)([^()]*)\)")


class Element(NamedTuple):
    """A thing on a page that can be pressed or filled in."""

    ref: str
    label: str
    role: str
    place: int
    of: int


class NotOnPage(ValueError):
    """A field is not on the page, or which one is meant is not sure."""


class Login(NotOnPage):
    """The page asks who it is."""


def elements(text: str) -> list[Element]:
    """Return what can be pressed or filled in on a page, as web_scan shows it."""
    found = [
        (ref, re.split(r" = | \{", f"{label} ")[0].strip(), (kind.split() or ["link"])[0])
        for label, ref, kind in _ELEMENT.findall(text)
    ]
    roles = [role for _, _, role in found]
    return [
        Element(ref, label, role, roles[: n + 1].count(role), roles.count(role))
        for n, (ref, label, role) in enumerate(found)
    ]


def field_of(element: Element) -> dict[str, Any]:
    """Return how an SOP names a thing on a page."""
    return {"label": element.label, "role": element.role, "place": element.place, "of": element.of}


def fields(acts: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the fields of acts."""
    for act in acts:
        for verb in VERBS:
            if verb in act:
                yield act[verb]


def located(acts: Sequence[Mapping[str, Any]], page: str) -> dict[str, Element]:
    """Return the thing that each label of the acts means on this page. One with another label is
    that at its place, where all others of its role are as they were. Raises NotOnPage."""
    there, wanted = elements(page), list(fields(acts))
    own = {str(field["label"]) for field in wanted}
    found = {}
    for field in wanted:
        same = _labelled(field, there) or _at_its_place(field, there, own)
        if len(same) != 1:
            raise _missing(field, there, len(same))
        found[str(field["label"])] = same[0]
    return found


def _labelled(field: Mapping[str, Any], there: Sequence[Element]) -> list[Element]:
    """Return the things with a label; of several, where as many are there as were, the one at its
    place."""
    same = [e for e in there if (e.label, e.role) == (field["label"], field["role"])]
    if len(same) < 2 or field.get("of") != same[0].of:
        return same
    return [each for each in same if each.place == field["place"]] or same


def _at_its_place(
    field: Mapping[str, Any], there: Sequence[Element], own: set[str]
) -> list[Element]:
    alike = [each for each in there if each.role == field["role"]]
    strange = [each for each in alike if each.label not in own]
    is_same_form = len(alike) == field.get("of") and field["role"] != "password"
    return [each for each in strange if each.place == field["place"]] if is_same_form else []


def _missing(field: Mapping[str, Any], there: Sequence[Element], count: int) -> NotOnPage:
    if any(each.role == "password" for each in there):
        return Login("the page asks to log in")
    said = f"{field['label']!r} ({field['role']})"
    return NotOnPage(
        f"there are {count} of {said} on the page" if count else f"there is no {said} on the page"
    )


def renamed(found: Mapping[str, Element]) -> list[tuple[str, str]]:
    """Return the fields that have another label now: the old and the new one."""
    return [(label, each.label) for label, each in found.items() if each.label != label]


def _line(act: Mapping[str, Any], found: Mapping[str, Element]) -> str:
    """Return the line of a script that does an act; values are literals in it, never code."""
    for verb, key in VERBS.items():
        if verb in act:
            ref = found[str(act[verb]["label"])].ref
            given = [ref, *([str(act[key])] if key else [])]
            options = [act["with"]] if "with" in act else []
            said = ", ".join(json.dumps(each, ensure_ascii=True) for each in [*given, *options])
            return f"await {verb}({said});"
    verb = "press" if "press" in act else "wait"
    return f"await {verb}({json.dumps(act[verb], ensure_ascii=True)});"


def page_text(data: Any) -> str:
    """Return all texts of what a page's tool answered, and what a page shows where that is."""
    texts = data.values() if isinstance(data, Mapping) else [data]
    return "\n".join(each for each in texts if isinstance(each, str))


class OnPage:
    """The page that a replay is on, and what its owner said of fields that have other labels
    now."""

    def __init__(self) -> None:
        self._text = ""
        self._agreed: set[tuple[str, str]] = set()
        self._asked: list[tuple[str, str]] = []

    def saw(self, data: Any) -> None:
        """Take what web_scan showed; of a long page the whole."""
        text = str(data.get("output", "")) if isinstance(data, Mapping) else ""
        if isinstance(data, Mapping) and data.get("whole"):
            text = Path(str(data["whole"])).read_text("utf-8")
        self._text = text

    def strange(self, acts: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
        """Return the fields of acts with other labels that nobody agreed to yet. Raises
        NotOnPage."""
        self._asked = [
            pair for pair in renamed(located(acts, self._text)) if pair not in self._agreed
        ]
        return self._asked

    def agree(self) -> None:
        """Take the fields that were asked about for the same."""
        self._agreed |= set(self._asked)

    @property
    def agreed(self) -> dict[str, str]:
        """Return the labels that are others now, as the owner agreed: old → new."""
        return dict(sorted(self._agreed))

    def script(self, acts: Sequence[Mapping[str, Any]]) -> str:
        """Return the script that does the acts here. Raises NotOnPage."""
        found = located(acts, self._text)
        return "\n".join(_line(act, found) for act in acts)
