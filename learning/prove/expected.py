"""Say what to expect of a procedure from what it was seen to do with one or more sets of values.

A path is told by the values in it. A name that neither the values nor the script say was found in
the data: another time it is another one, so only its folder and ending are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from learning.prove.seen import EMPTY, Seen
from replay.staged import expectation as held
from replay.staged.output_kinds import observed

LEVELS = 3  # ways to tell a path, the one with most of the values in it first
HOME = "{{~}}"  # stands for the owner's home while values are put into a path
_TEMPLATE = re.compile(r"(\{\{.*?\}\})")


class Case(NamedTuple):
    """Values of the parameters, as they were bound, and what was seen with them. `inputs`: of those
    that name what was there before, "file" or "folder"."""

    values: Mapping[str, Any]
    seen: Seen
    inputs: Mapping[str, str] = {}


class Told(NamedTuple):
    """A path that was touched. `ways` to tell it: the one with most of the values in it first;
    `is_empty`: it was left so."""

    kind: str
    ways: tuple[str, ...]
    is_empty: bool


def expectation(
    cases: Sequence[Case],
    script: str,
    before: Sequence[Case] = (),
    *,
    counts: bool = False,
    branches: bool = False,
) -> dict[str, Any]:
    """Return `expect` of sop.yaml: kinds of paths by parameter, and the kind of the output.
    `before`: what runs changed, of which no output is known. `counts`: a number says how many there
    are, so it may be zero. `branches`: the script may say why it changes nothing."""
    every = [*before, *cases]
    changes = _changes([each for each in every if not each.seen.is_as_before] or every, script)
    output = observed([case.seen.output for case in cases], [case.values for case in cases])
    if "zero" in output:
        output["zero"] |= counts
    if changes and branches:
        output["instead"] = True
    return {"changes": changes, "output": output}


def _changes(cases: Sequence[Case], script: str) -> dict[str, list[Any]]:
    told = [list(_told(case, script)) for case in cases]
    changes: dict[str, list[Any]] = {}
    for kinds in held.GROUPS:
        found = [[each for each in paths if each.kind in kinds] for paths in told]
        for path, least in _least(found).items():
            own = [each for each in chain(*found) if path in each.ways]
            kind = min((each.kind for each in own), key=kinds.index)
            changes.setdefault(kind, []).append(_entry(path, least, own))
    return changes


def _entry(path: str, least: int, own: Sequence[Told]) -> Any:
    """Return a kind of path as sop.yaml has it: a text, or a mapping where more is to be said."""
    more: dict[str, Any] = {} if least else {"min": 0}
    more |= {"empty": True} if all(each.is_empty for each in own) else {}
    return {"path": path, **more} if more else path


def _told(case: Case, script: str) -> Iterator[Told]:
    """Yield each path as it may be meant: relative to values, with values in it, as it is."""
    for kind, path in case.seen.touched:
        told = (
            path_kind(path, case.values),
            path_kind(path, case.values, with_parents=False),
            path,
        )
        ways = tuple(without_found_names(each, script) for each in told)
        is_empty = kind == "changed" and case.seen.digests.get(path) == EMPTY
        yield Told(kind, ways, is_empty)


def path_kind(path: str, values: Mapping[str, Any], *, with_parents: bool = True) -> str:
    """Return a path with templates in the places of values: the longest first, then their last
    parts and stems. The owner's home is no place of a value: its name may be one by chance."""
    home = str(Path.home())
    pieces = [*_pieces(values), (home, HOME)]
    for text, said in sorted(pieces, key=lambda pair: -len(pair[0])):
        if with_parents or "| parent" not in said:
            path = _put(path, text, said)
    return path.replace(HOME, home)


def _pieces(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in [*values.items(), ("today", date.today().isoformat())]:
        text = str(value)
        if text.startswith("/"):
            path = PurePath(text)
            yield text.rstrip("/"), f"{{{{{name}}}}}"
            yield str(path.parent), f"{{{{{name} | parent}}}}"
            yield path.name, f"{{{{{name} | name}}}}"
            if path.stem != path.name:
                yield path.stem, f"{{{{{name} | stem}}}}"
        elif text:
            yield text, f"{{{{{name}}}}}"


def _put(path: str, text: str, said: str) -> str:
    """Replace a text in a path where it stands as a whole, outside of templates."""
    if len(text) < 2 and not text.isdigit():
        return path
    edge = r"(?![A-Za-z0-9])" if re.match(r"[A-Za-z0-9]", text[-1:]) else ""
    start = r"(?<![A-Za-z0-9])" if re.match(r"[A-Za-z0-9]", text) else ""
    start = r"(?<!\d)" if text.isdigit() else start  # `19` of `week19`
    found = re.compile(f"{start}{re.escape(text)}{edge}")
    return "".join(
        part if part.startswith("{{") else found.sub(lambda _: said, part)
        for part in _TEMPLATE.split(path)
    )


def without_found_names(path: str, script: str) -> str:
    """Return a path with `*` for what neither a value nor the script says; `**` where that is a
    folder."""
    head, behind = _fixed_start(path)
    parts = behind.split("/")
    told = [_told_part(part, script) for part in parts]
    unknown = next((at for at, part in enumerate(told[:-1]) if "*" in part), None)
    if unknown is None:
        return head + "/".join(told)
    return head + "/".join([*told[:unknown], f"**{_ending(parts[-1])}"])


def _fixed_start(path: str) -> tuple[str, str]:
    """Split a path behind its first value that is a path; of one without, before its last name."""
    found = re.match(r"\{\{\w+(?: \| parent)?\}\}/", path)
    if found:
        return found[0], path[found.end() :]
    folder, slash, name = path.rpartition("/")
    return folder + slash, name


def _told_part(part: str, script: str) -> str:
    """Return a name with `*` for the pieces that the script does not say; a value in such a name
    may be there by chance."""
    if part in ("**", "") or part in held.REPOSITORIES:
        return part
    pieces = _TEMPLATE.split(part)
    if all(piece.startswith("{{") or piece in script for piece in pieces):
        return part
    ending = _ending(pieces[-1])
    ending = ending if ending in script else ""
    kept = [piece if piece in script else _starts_said(piece, script) for piece in pieces]
    return re.sub(r"\*+", "*", "".join(kept).removesuffix(ending) + ending)


def _starts_said(piece: str, script: str) -> str:
    """Return what of the start of a piece the script says, with `*` behind it."""
    length = next((n for n in range(len(piece), 1, -1) if piece[:n] in script), 0)
    return f"{piece[:length]}*" if length > 2 else "*"


def _ending(name: str) -> str:
    found = re.search(r"\.[A-Za-z0-9]{1,6}$", name)
    return found[0] if found else ""


def _least(found: Sequence[Sequence[Told]]) -> dict[str, int]:
    """Return the kinds of paths that cover what was seen in each case, with how many there must be;
    what only some cases have may be absent."""
    left = [[each.ways for each in paths] for paths in found]
    least: dict[str, int] = {}
    for level in range(LEVELS):
        shared = _shared([[ways[level] for ways in paths] for paths in left])
        least |= dict.fromkeys(shared, 1)
        left = [[ways for ways in paths if ways[level] not in shared] for paths in left]
    some = dict.fromkeys((ways[0] for ways in chain(*left)), 0)
    return _widest({**least, **some, **least})


def _shared(cases: Sequence[Sequence[str]]) -> list[str]:
    """Return what stands in each of them, in the order of the first."""
    return [each for each in dict.fromkeys(cases[0]) if all(each in other for other in cases)]


def _widest(least: Mapping[str, int]) -> dict[str, int]:
    """Leave out the kinds of paths that a wider one covers."""
    wide = [path for path in least if "**" in path]
    within = {path for path in least for each in wide if path != each and held.matches(each, path)}
    return {path: count for path, count in least.items() if path not in within}
