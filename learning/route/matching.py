"""Find the SOP of which a request is a wording, as it is written or said in another way.

"rename a.txt to b.txt on my desktop" is "rename a.txt to b.txt" in that folder; "list the photos
here" is "photos here". Two SOPs that could be meant are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from learning.route.exact import is_vague, may_be_said, readings
from learning.route.place import Where, words
from learning.route.request import MAX_CHARS, Asked, bare
from learning.route.typed import is_cautious, path_said
from memory.sops import Sop
from replay.parameters import ParameterError
from replay.procedure import EFFECTS, Procedure
from replay.wordings import SLOT, Wording
from text.values import folder_names


class Match(NamedTuple):
    """The SOP that is done, with its bound parameters, and how it was found."""

    sop: Sop
    parameters: dict[str, Any]
    wording: str = ""
    lane: str = "wordings"

    @property
    def slots(self) -> list[tuple[str, str]]:
        """Return the names and shapes of the wording's slots."""
        return SLOT.findall(self.wording)


class _Found(NamedTuple):
    """A match, with how much its wording says itself: the slots that take typed values, and the
    characters that free texts take."""

    match: Match
    filled: int
    free: int


class Way(NamedTuple):
    """A way to say a request. `folder`: it was said apart, and a value must lie in it; `effects`:
    of what may be meant; `is_bare`: wordings are said without the words that ask to be shown
    something, too."""

    asked: Asked
    where: Where
    folder: str = ""
    effects: Sequence[str] = EFFECTS
    is_bare: bool = False

    def takes_folder(self, parameters: Mapping[str, Any]) -> bool:
        """Return True where a value lies in the folder that was said apart."""
        values = (each for value in parameters.values() for each in _each(value))
        return not self.folder or any(Path(each).is_relative_to(self.folder) for each in values)

    def is_said_of(self, sops: Iterable[Sop], *, vague: bool = False) -> Match | None:
        """Return the match of the one SOP that has this as a wording."""
        found = _owners_first(list(chain(*(_found(sop, self, vague=vague) for sop in sops))))
        most = max((each.filled for each in found), default=0)
        best = [each for each in found if each.filled == most]
        return _only_one(_own(best) or best)


def exact_match(
    request: str, sops: Iterable[Sop], where: Where, *, vague: bool = False
) -> Match | None:
    """Return the SOP of which the whole request is a wording; None where two SOPs could be meant.
    `vague`: by a seed's wordings that may ask about anything, such as "where is {name}"."""
    asked = Asked.read(request)
    if len(request) > MAX_CHARS or not asked.squeezed.strip():
        return None
    sops = [sop for sop in sops if may_be_said(sop, asked)]
    said = (way.is_said_of(sops, vague=vague) for way in ways(asked, where))
    return next(filter(None, said), None)


def barely_said(asked: Asked, sops: Iterable[Sop], where: Where) -> Match | None:
    """Return what only reads and has the request as a wording, both without the words that ask to
    be shown something."""
    sops = [sop for sop in sops if only_reads(sop, asked)]
    said = (way._replace(is_bare=True).is_said_of(sops) for way in ways(asked, where))
    return next(filter(None, said), None)


def only_reads(sop: Sop, asked: Asked) -> bool:
    """Return True for an SOP that changes nothing, asked for without a word that changes what is
    asked."""
    procedure = sop.procedure
    if procedure is None or procedure.effects != "none":
        return False
    return not is_cautious(asked.words, " ".join(each.text for each in procedure.wordings))


def _own(found: Iterable[_Found]) -> list[_Found]:
    """Return what the owner taught."""
    return [each for each in found if not each.match.sop.is_seed]


def _owners_first(found: list[_Found]) -> list[_Found]:
    """Leave out the seeds where a wording of the owner's leaves no more to free texts."""
    least = min((each.free for each in found if each.match.sop.is_seed), default=inf)
    return _own(each for each in found if each.free <= least) or found


def _only_one(best: Sequence[_Found]) -> Match | None:
    """Return the match of the one SOP that is meant, by the wording that says most itself."""
    least = min((each.free for each in best), default=0)
    matches = [each.match for each in best if each.free == least]
    is_clear = all(each.parameters == matches[0].parameters for each in matches)
    is_one = len({each.match.sop.name for each in best}) == 1
    return matches[0] if is_one and is_clear else None


def _found(sop: Sop, way: Way, *, vague: bool) -> Iterator[_Found]:
    """Yield the wordings of an SOP that a request is, with values that it can take."""
    procedure = sop.procedure
    if procedure is None or procedure.effects not in way.effects:
        return
    for wording, values in readings(way.asked, procedure, way.where, is_bare=way.is_bare):
        parameters = _bound(procedure, values, way)
        if parameters is None or _says_other(sop, way.asked, wording, values, vague=vague):
            continue
        filled = len(values) - wording.text.count(":words}")
        free = sum(len(str(value)) for value in values.values())
        yield _Found(Match(sop, parameters, wording.text), filled, free)


def _bound(procedure: Procedure, values: Mapping[str, Any], way: Way) -> dict[str, Any] | None:
    """Return the values as the SOP takes them; None where it cannot: it is shown with the
    reason."""
    try:
        bound = procedure.bind(values, way.where.cwd)
    except ParameterError:
        return None
    is_meant = way.takes_folder(bound) and not procedure.takes_another_kind(bound)
    return bound if is_meant else None


def _says_other(
    sop: Sop, asked: Asked, wording: Wording, values: Mapping[str, Any], *, vague: bool
) -> bool:
    """Return True for a seed's wording that is vague where none is looked for, or the reverse, and
    where a text of several words may be more than a value of the owner's SOP: `boots unless it is
    empty`. In quotes it is not."""
    if sop.is_seed:
        return is_vague(wording) != vague
    schemas = sop.procedure.parameters if sop.procedure else {}
    free = [name for name, shape in SLOT.findall(wording.text) if shape == "words"]
    texts = [str(values[name]) for name in free if "examples" not in schemas[name]]
    return any(is_cautious(text) and f'"{text}"' not in asked.plain for text in texts)


def _each(value: Any) -> list[str]:
    """Return a value, or those of a list, as texts."""
    return list(map(str, value)) if isinstance(value, list) else [str(value)]


def ways(asked: Asked, where: Where) -> Iterator[Way]:
    """Yield a request as it is, then in other ways."""
    for way in [Way(asked, where), *_apart(asked, where)]:
        yield way
        rest = bare(way.asked.task)
        if rest != way.asked.task:
            yield way._replace(asked=Asked.read(rest), effects=("none",))


def _apart(asked: Asked, where: Where) -> Iterator[Way]:
    """Yield the request without a folder that it names, to be done in that folder."""
    for match in _places().finditer(asked.plain, asked.start, asked.end):
        folder = path_said(match[str(match.lastgroup)], where)
        if folder is None or Path(folder).is_file():
            continue
        front = asked.written[asked.start : match.start()]
        behind = asked.written[match.end() : asked.end]
        if not front:
            yield Way(Asked.read(f"{behind} {match[0]}"), where)
        is_away = not {match["at"], match["from"]}.isdisjoint(words()["places"]["away"])
        new = where.cwd if is_away or all((front, behind)) else None
        there = where._replace(cwd=Path(folder), new=new)
        yield Way(Asked.read(f"{front} {behind}"), there, folder)


@cache
def _places() -> re.Pattern[str]:
    """Match a folder with the words that say that something is in it."""
    table = words()["places"]
    at, before, behind = ("|".join(table[each]) for each in ("at", "before", "behind"))
    articles = "|".join(each for each in words()["articles"] if each.isascii())
    called = "|".join(each for each in folder_names() if not each.isascii())
    named = rf"(?:{called}|[~./]*[A-Za-z0-9_][A-Za-z0-9_./-]*)"
    return re.compile(
        rf"(?<!\S)(?P<at>{at})\s+(?:(?:{articles})\s+)?(?P<en>[^\s,?!]+)(?:\s+(?:folder|directory))?(?![^\s,?!])"
        rf"|(?:(?P<from>{before})\s*|(?={named}\s*(?:文件夹|目录)?\s*(?:{behind})))(?P<zh>{named})"
        rf"\s*(?:文件夹|目录)?\s*(?:{behind})*",
        re.IGNORECASE,
    )
