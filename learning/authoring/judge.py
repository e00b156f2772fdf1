"""Hold a wording that a model proposes against the procedure as it was taught, and against the SOPs that there are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from learning.authoring.sketch import Sketch, slots
from learning.authoring.texts import is_line
from learning.imports import scan
from learning.route import Where, exact_match
from learning.route.filling import words_beside
from learning.route.typed import read
from memory.sops.store import Sop
from replay.parameters import ParameterError
from replay.procedure import SLOT, Procedure, ProcedureError
from text.words import SMALL, cut

MOST_WORDINGS = 24  # of a procedure in all
MAX_WORDING_CHARS = 200
SHORTEST_VALUE = 3  # characters; a shorter one stands in a sentence by chance
_SMALL = re.compile(r"\b(?:the|an?|my|all|please)\b|:quoted|:glob|[\s,.!?，。！？的了]+")
_SAMPLES: Mapping[str, Any] = {
    "path": "/srv/sample_7.txt",
    "date": "2024-05-17",
    "url": "https://example.org/sample",
    "integer": 17,
    "number": 17,
    "boolean": True,
    "array": [],
    "string": "sample",
}


@dataclass(frozen=True, slots=True)
class Judge:
    """Knows the procedure as if it were in use, the values that it was taught with, and the other SOPs. `twins` are seeds
    that do what was taught already: the owner wants this one in their place."""

    sop: Sop
    values: Mapping[str, Any]
    others: tuple[Sop, ...]
    twins: frozenset[str]
    where: Where

    @classmethod
    def of(cls, sketch: Sketch, others: Sequence[Sop], where: Where) -> Judge:
        """Return the judge of a procedure."""
        procedure = sketch.procedure
        sop = Sop(sketch.name, Path(sketch.name), False, status="active", steps=procedure)
        beside = tuple(other for other in others if other.name != sketch.name)
        judge = cls(sop, _values(sketch, where), beside, frozenset(), where)
        requests = [judge.filled(each.text) for each in procedure.wordings]
        led = {judge.leads_to(request) for request in requests}
        twins = frozenset(each.name for each in beside if each.is_seed and each.name in led)
        return replace(judge, twins=twins)

    @property
    def procedure(self) -> Procedure:
        """The procedure that is judged for."""
        assert self.sop.procedure is not None
        return self.sop.procedure

    def wording(self, proposed: Any, known: Sequence[str]) -> tuple[str, str]:
        """Return the wording as it would be kept, and why it is not; "" when it is."""
        if not is_line(proposed, MAX_WORDING_CHARS) or re.search(r"[\[\]]", proposed):
            return "", "form"
        said = slots(self.procedure)
        plain = " ".join(proposed.split()).rstrip(".!?。！？ ")
        text = SLOT.sub(lambda slot: said.get(slot[1], slot[0]), plain)
        if len(known) >= MOST_WORDINGS:
            return text, "many"
        if scan({"SKILL.md": SLOT.sub("it", text).encode()}):
            return text, "address"
        try:
            extended = replace(self.procedure, wordings=()).with_wordings([text])
        except ProcedureError as error:
            return text, "value" if "outside a {slot}" in str(error) else "slots"
        return text, self._fault(text, known, extended)

    def _fault(self, text: str, known: Sequence[str], extended: Procedure) -> str:
        if any(_core(text) == _core(each) for each in known):
            return "known"
        if self.holds_value(text):
            return "value"
        try:
            return self._contrary(self.filled(text), extended)
        except ParameterError:
            return "trip"

    def _contrary(self, request: str, extended: Procedure) -> str:
        """Return what speaks against a wording, tried with the taught values; the weakest reason last."""
        led = self.leads_to(request)
        if led and led not in self.twins:
            return "other"
        if not self._comes_back(request, extended):
            return "trip"
        in_place = self._gives_them_their_places(extended)
        if not in_place and self._has_two_of_a_kind:
            return "places"
        means_it = self._means_it(" ".join(each.text for each in extended.wordings))
        return "" if in_place and means_it else "meaning"

    @property
    def _has_two_of_a_kind(self) -> bool:
        """True if the value of one parameter could be taken for that of another."""
        schemas = self.procedure.parameters.values()
        kinds = [(each.get("type"), each.get("format")) for each in schemas]
        return len(set(kinds)) < len(kinds)

    def _comes_back(self, request: str, extended: Procedure) -> bool:
        alone = replace(self.sop, steps=extended)
        rest = [other for other in self.others if other.runs_alone]
        match = exact_match(request, [alone, *rest], self.where)
        if match is None or match.sop.name != self.sop.name:
            return False
        return match.parameters == dict(self.values)

    def _means_it(self, wording: str) -> bool:
        """True if it says what a taught wording says: no table knows that other words mean the same."""
        return any(_content(wording) == _content(each.text) for each in self.procedure.wordings)

    def _gives_them_their_places(self, extended: Procedure) -> bool:
        """True if each value stands behind a word that it stood behind before."""
        taught, proposed = words_beside(self.procedure), words_beside(extended)
        return all(proposed[name].before <= taught[name].before for name in proposed)

    def leads_to(self, request: str) -> str:
        """Return the SOP that the request leads to without this one; "" for none."""
        match = exact_match(request, [each for each in self.others if each.runs_alone], self.where)
        return match.sop.name if match else ""

    def filled(self, wording: str) -> str:
        """Return the wording as a request with the taught values."""
        schemas = self.procedure.parameters

        def said(slot: re.Match[str]) -> str:
            name, shape = slot[1], slot[2] or ""
            return _as_said(self.values.get(name, ""), schemas.get(name, {}), shape)

        return SLOT.sub(said, wording)

    def holds_value(self, wording: str) -> bool:
        """True if a taught value stands in it, or the name of a file, that the taught wordings do not have."""
        plain = SLOT.sub(" ", wording).casefold()
        said = [SLOT.sub(" ", each.text) for each in self.procedure.wordings]
        taught = " ".join(said).casefold()
        forms = [
            rf"(?<![a-z0-9]){re.escape(part.casefold())}(?![a-z0-9])"
            for value in map(str, self.values.values())
            for part in _parts(value)
            if len(part) >= SHORTEST_VALUE
        ]
        return any(re.search(form, plain) and not re.search(form, taught) for form in forms)


def _values(sketch: Sketch, where: Where) -> dict[str, Any]:
    """Return the taught values, bound; samples where none are known; nothing where no wording can be tried."""
    schemas = sketch.procedure.parameters
    given = sketch.values or {name: _sample(schema) for name, schema in schemas.items()}
    try:
        return sketch.procedure.bind(given, where.cwd)
    except ParameterError:
        return {}


def _sample(schema: Mapping[str, Any]) -> Any:
    for value in (schema.get("default"), *schema.get("enum", [])[:1]):
        if value is not None:
            return value
    return _SAMPLES.get(str(schema.get("format"))) or _SAMPLES.get(str(schema["type"]))


def _parts(value: str) -> set[str]:
    path = Path(value)
    is_path = "/" in value or bool(path.suffix)
    return {value, path.name, path.stem} if is_path else {value}


def _as_said(value: Any, schema: Mapping[str, Any], shape: str) -> str:
    """Return a value as an owner would write it: in quotes where it cannot stand without."""
    text = str(value)
    has_own_form = schema.get("format") in ("date", "url") or "enum" in schema
    if schema.get("type") != "string" or has_own_form:
        return text
    if read(text, schema, shape, Where(Path("/"), Path("/"))) is not None:
        return text
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}"


def _content(wording: str) -> set[str]:
    """Return the words of a wording that say something."""
    return set(cut(SLOT.sub(" ", wording))) - SMALL


def _core(wording: str) -> str:
    """Return what makes two wordings nearly the same: small words and signs left out."""
    return _SMALL.sub("", wording.lower())
