"""Read values for an SOP from a request that is none of its wordings: by their types and the words
beside them.

The result is only shown. What the request names and no parameter takes is `unused`, what the SOP
needs and the request does not say is `missing`, a value that the SOP cannot take is the `problem`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from learning.route.exact import Piece, Slot, loosely, pieces
from learning.route.place import Where, words
from learning.route.request import Asked
from learning.route.typed import (
    Schema,
    found_here,
    is_free_text,
    kind_of,
    number,
    path_of,
    with_dot,
)
from memory.sops import Sop
from replay.parameters import ParameterError, bind, said_of
from replay.procedure import Procedure
from text import pattern

if TYPE_CHECKING:
    from models.embeddings import Embedder
    from text.values import Value

_WORD = pattern(r"[A-Za-z][A-Za-z'-]*|[\u4e00-\u9fff]")
_BARE = pattern(r"[^\s\"'`,;:?!<>|&\\()\[\]{}，。；：？！「」『』《》\u4e00-\u9fff]+")
MEANT, FAULT = 2.0, 0.3  # against 1 for the best one's words; bench/routing.py
OWN = 0.5  # for what the owner taught: a seed knows more words
_OF_TEXT = ("text", "glob", "id", "path", "number", "quantity")


@dataclass
class Shown:
    """An SOP with the values that it would get. `score`: of the best one's words, 0 to 1; `meant`:
    the cosine of meanings; `places`: where the request says each value; `told`: the share of the
    request's rare words."""

    sop: Sop
    score: float = 0.0
    meant: float = 0.0
    parameters: dict[str, Any] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    problem: str = ""
    told: float = 1.0

    @property
    def is_whole(self) -> bool:
        """Return True when nothing is missing, left over or refused."""
        return not any((self.missing, self.unused, self.problem))

    @property
    def weight(self) -> float:
        """Return words and meaning, less where the values do not fit. Above 0 for all that share a
        word."""
        faults = len(self.missing) + len(self.unused) + bool(self.problem)
        own = 0.0 if self.sop.is_seed else OWN
        return self.score + own + MEANT * self.meant - FAULT * faults

    @property
    def takes_all(self) -> bool:
        """Return True when the request's values are just those that the SOP needs, and there are
        some."""
        return self.is_whole and bool(self.places)

    def likeness(self, request: str, embedder: Embedder) -> float:
        """Return the cosine of the request and the SOP's nearest text; 1 where there are no
        vectors."""
        from learning.route.meaning import nearness

        return nearness(request, [self.sop], embedder).get(self.sop.name, 1.0)


class Beside(NamedTuple):
    """The words that stand before and behind a slot in the wordings; the unit of its number."""

    before: frozenset[str] = frozenset()
    behind: frozenset[str] = frozenset()
    unit: str = ""


class _Fit(NamedTuple):
    score: int
    name: str
    value: Any
    place: tuple[int, int]


def fill(sop: Sop, asked: Asked, where: Where, score: float = 0.0, meant: float = 0.0) -> Shown:
    """Return the SOP with the values that the request has for it."""
    procedure = sop.procedure
    assert procedure is not None
    shown, beside = Shown(sop, score, meant), words_beside(procedure)
    for name, (value, place) in loosely(asked, procedure, where).items():
        shown.parameters[name], shown.places[name] = value, place
    together = [frozenset(wording.slots) for wording in procedure.wordings]
    fits = [
        *_typed_fits(asked, procedure, beside, where),
        *_choices(asked, procedure),
        *_found_here(asked, procedure, where),
    ]
    for fit in [*_best_first(fits), *_best_first(_bare_words(asked, procedure, beside))]:
        _take(shown, fit, procedure, together)
    shown.unused = [
        value.text for value in asked.values if not _is_taken((value.start, value.end), shown)
    ]
    shown.missing = [name for name in procedure.required if name not in shown.parameters]
    _bind(shown, procedure, where.cwd)
    return shown


def _best_first(fits: Iterable[_Fit]) -> list[_Fit]:
    return sorted(fits, key=lambda each: (-each.score, each.place))


def _take(
    shown: Shown, fit: _Fit, procedure: Procedure, together: Sequence[frozenset[str]]
) -> None:
    """Take a value whose place is free, for a parameter that some wording has beside those that are
    filled."""
    if fit.name in shown.parameters or _is_taken(fit.place, shown):
        return
    names = frozenset().union(*together).intersection([*shown.parameters, fit.name])
    goes_with = fit.name not in names or any(names <= each for each in together)
    if goes_with and _may_be_meant(fit.value, procedure, fit.name):
        shown.parameters[fit.name] = fit.value
        shown.places[fit.name] = fit.place


def _may_be_meant(value: Any, procedure: Procedure, name: str) -> bool:
    """Return False for a text that the parameter's pattern refuses, and for a file where a folder
    is needed: the request does not mean it."""
    if procedure.takes_another_kind({name: value}):
        return False
    return not isinstance(value, str) or re.search(_pattern(procedure, name), value) is not None


def _pattern(procedure: Procedure, name: str) -> str:
    return str(procedure.parameters[name].get("pattern", ""))


def _is_taken(place: tuple[int, int], shown: Shown) -> bool:
    """Return True where another value is said at this place."""
    return any(place[0] < end and start < place[1] for start, end in shown.places.values())


def _bind(shown: Shown, procedure: Procedure, cwd: Path) -> None:
    """Fill in the defaults; say why a value is refused. A text of another form is not meant, if it
    may be left out or no words say what is wrong with it."""
    for name in [*shown.parameters]:
        is_said = name in procedure.required and said_of(_pattern(procedure, name)) != ""
        if not (is_said or _may_be_meant(shown.parameters[name], procedure, name)):
            del shown.parameters[name]
            shown.places.pop(name, None)
            shown.missing += [name] if name in procedure.required else []
    needed = tuple(name for name in procedure.required if name not in shown.missing)
    try:
        shown.parameters = bind(procedure.parameters, needed, shown.parameters, cwd)
    except ParameterError as error:
        shown.problem = str(error)


def _typed_fits(
    asked: Asked, procedure: Procedure, beside: Mapping[str, Beside], where: Where
) -> Iterator[_Fit]:
    for value in asked.values:
        before, behind = _around(asked, value.start, value.end)
        for name, schema in procedure.parameters.items():
            near = beside[name]
            found = _as_typed(value, schema, near.unit or name, where)
            if found is None or _is_only_beside(value, found, name, before, procedure, near):
                continue
            score = 2 * (before in near.before) + (behind in near.behind)
            yield _Fit(score + _preference(value, schema), name, found, (value.start, value.end))


def _is_only_beside(
    value: Value, found: Any, name: str, before: str, procedure: Procedure, near: Beside
) -> bool:
    """Return True for a figure where a text may be left out, and for a folder that is only said to
    hold the file: "extract it in downloads"."""
    if value.kind == "folder":
        is_at = before in words()["places"]["at"] and before not in near.before
        return is_at and name not in procedure.requires.get("folders", ())
    is_figure = value.kind in ("number", "quantity") and isinstance(found, str)
    return is_figure and name not in procedure.required


def _preference(value: Value, schema: Schema) -> int:
    """Return more for a value that only this type of parameter takes."""
    if schema["type"] in ("integer", "number") or "format" in schema:
        return 4
    return 2 if value.is_quoted else 0


def _as_typed(value: Value, schema: Schema, unit: str, where: Where) -> Any:
    """Return a value as one of a parameter; None where it is of another type."""
    kind = kind_of(schema)
    if kind in ("integer", "number"):
        return _as_number(value, schema, unit)
    if kind == "path":
        return path_of(value, where)
    if kind in ("date", "url"):
        return value.value if value.kind == kind else None
    is_text = kind in ("string", "figure") and value.kind in _OF_TEXT
    said = value.text[1:-1] if value.is_quoted else value.text
    return with_dot(said, schema) if is_text else None


def _as_number(value: Value, schema: Schema, unit: str) -> int | float | None:
    """Return a figure in the parameter's unit; a figure of another kind of unit is none."""
    kind = schema["type"]
    if value.kind in ("number", "id"):
        return None if value.is_quoted else number(value.value.lstrip("#"), kind)
    if value.kind != "quantity":
        return None
    figure = number(value.value, kind)
    times = 1 if value.unit == unit else words()["units"].get(unit, {}).get(value.unit)
    return None if figure is None or times is None else figure * times


def _choices(asked: Asked, procedure: Procedure) -> Iterator[_Fit]:
    """Yield what the request says of the values that a parameter may have; English by their
    stems."""
    for name, schema in procedure.parameters.items():
        for choice in schema.get("enum", ()):
            for match in _said(str(choice)).finditer(asked.written, asked.start, asked.end):
                yield _Fit(3 + len(match[0]), name, choice, match.span())


def _found_here(asked: Asked, procedure: Procedure, where: Where) -> Iterator[_Fit]:
    """Yield bare words that name something in the working folder."""
    for name, schema in procedure.parameters.items():
        words_said = _BARE.finditer(asked.written, asked.start, asked.end)
        for match in words_said if schema.get("format") == "path" else ():
            if path := found_here(match[0], where):
                yield _Fit(5, name, path, match.span())


@lru_cache(maxsize=1024)
def _said(choice: str) -> re.Pattern[str]:
    text = re.escape(choice)
    return re.compile(
        rf"(?<![\w./-]){text}s?(?![\w/])" if choice.isascii() else text, re.IGNORECASE
    )


def _bare_words(asked: Asked, procedure: Procedure, beside: Mapping[str, Beside]) -> Iterator[_Fit]:
    """Yield words that may be the value of a text that is needed: behind a word that stands before
    its slot, or with a digit."""
    texts = {name: procedure.parameters[name] for name in procedure.required}
    for name, schema in texts.items():
        words_said = _BARE.finditer(asked.written, asked.start, asked.end)
        for match in words_said if is_free_text(schema) else ():
            is_beside = _around(asked, *match.span())[0] in beside[name].before
            is_code = re.search(r"[\d_]", match[0]) is not None
            if score := is_beside + 2 * is_code:
                yield _Fit(score, name, with_dot(match[0], schema), match.span())


def _around(asked: Asked, start: int, end: int) -> tuple[str, str]:
    """Return the words right before and right behind a place, articles left out."""
    before = _WORD.findall(asked.lower[asked.start : start])
    behind = _WORD.search(asked.lower, end, asked.end)
    return before[-1] if before else "", behind[0] if behind else ""


def words_beside(procedure: Procedure) -> dict[str, Beside]:
    """Return the words that stand beside each slot in the wordings."""
    texts = tuple(wording.text for wording in procedure.wordings if wording.slots)
    found = _beside_slots(texts)
    return {name: found.get(name, Beside()) for name in procedure.parameters}


@lru_cache(maxsize=512)
def _beside_slots(texts: tuple[str, ...]) -> dict[str, Beside]:
    found: dict[str, tuple[set[str], set[str]]] = {}
    for row in map(pieces, texts):
        for at, piece in enumerate(row):
            if isinstance(piece, Slot):
                before, behind = found.setdefault(piece.name, (set(), set()))
                before.update(_edge(row[:at], -1))
                behind.update(_edge(row[at + 1 :], 0))
    return {
        name: Beside(frozenset(before), frozenset(behind), _unit(behind))
        for name, (before, behind) in found.items()
    }


def _unit(behind: set[str]) -> str:
    """Return the unit that the words behind a slot say."""
    from text.values import unit_of

    return unit_of(*sorted(behind))


def _edge(row: tuple[Piece, ...], at: Literal[0, -1]) -> set[str]:
    """Return the words that a sequence may begin with (0) or end with (-1)."""
    piece: Any = row[at] if row else Slot("", "")
    if isinstance(piece, str | Slot):
        return {piece} if isinstance(piece, str) else set()
    rest = row[1:] if at == 0 else row[:-1]
    return set().union(*(_edge(choice or rest, at) for choice in piece))
