"""Say what to expect of a procedure from what it was seen to do with one or more sets of values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import PurePath
from typing import Any, NamedTuple

from learning.prove.seen import Seen
from replay import expectation as held
from replay.output_kinds import observed


class Case(NamedTuple):
    """Values of the parameters, as they were bound, and what was seen with them."""

    values: Mapping[str, Any]
    seen: Seen


def expectation(cases: Sequence[Case]) -> dict[str, Any]:
    """Return `expect` of sop.yaml: kinds of paths by parameter, and the kind of the output."""
    changes = {}
    for kind in held.KINDS:
        if entries := _entries([_of_kind(case, kind) for case in cases]):
            changes[kind] = entries
    outputs = [case.seen.output for case in cases]
    return {"changes": changes, "output": observed(outputs, [case.values for case in cases])}


def _of_kind(case: Case, kind: str) -> list[tuple[str, ...]]:
    """Return each path of a kind as it may be meant: relative to values, with values in it, as it is."""
    paths = [each.path for each in case.seen.touched if each.kind == kind]
    return [
        (path_kind(path, case.values), path_kind(path, case.values, with_parents=False), path)
        for path in paths
    ]


def path_kind(path: str, values: Mapping[str, Any], *, with_parents: bool = True) -> str:
    """Return a path with templates in the places of values: the longest first, then their last parts and stems."""
    for text, said in sorted(_pieces(values), key=lambda pair: -len(pair[0])):
        if with_parents or "| parent" not in said:
            path = _put(path, text, said)
    return path


def _pieces(values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
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
    parts = re.split(r"(\{\{.*?\}\})", path)
    edge = r"(?![A-Za-z0-9])" if re.match(r"[A-Za-z0-9]", text[-1:]) else ""
    start = r"(?<![A-Za-z0-9])" if re.match(r"[A-Za-z0-9]", text) else ""
    found = re.compile(f"{start}{re.escape(text)}{edge}")
    return "".join(
        part if part.startswith("{{") else found.sub(lambda _: said, part) for part in parts
    )


def _entries(found: Sequence[Sequence[tuple[str, ...]]]) -> list[Any]:
    """Return the entries that cover what was seen in each case: single paths where all have them, else their kinds."""
    left = [list(paths) for paths in found]
    common: list[str] = []
    for level in range(3):
        counts = [{path[level] for path in paths} for paths in left]
        shared = [path[level] for path in left[0] if all(path[level] in each for each in counts)]
        common += dict.fromkeys(shared)
        left = [[path for path in paths if path[level] not in shared] for paths in left]
    rest = [[path[0] for path in paths] for paths in left]
    listed = rest
    groups: dict[str, list[int]] = {}
    for number, paths in enumerate(rest):
        for path in paths:
            groups.setdefault(grouped(path), [0] * len(listed))[number] += 1
    entries: list[Any] = list(common)
    for path, numbers in groups.items():
        if len(listed) == 1 and max(numbers) == 1:
            entries.append(next(each for each in rest[0] if grouped(each) == path))
        else:
            entries.append(path if min(numbers) else {"path": path, "min": 0})
    return _widened(entries)


def _widened(entries: list[Any]) -> list[Any]:
    """Several single files of one folder and ending are one kind: another time there are more or fewer."""
    kinds = Counter(grouped(each) for each in entries if isinstance(each, str) and not _is_fixed(each))
    found: dict[str, Any] = {}
    for each in entries:
        many = isinstance(each, str) and kinds[grouped(each)] > 1 and not _is_fixed(each)
        entry = grouped(each) if many else each
        found[str(entry)] = entry
    return list(found.values())


def _is_fixed(path: str) -> bool:
    return "*" in path


def grouped(path: str) -> str:
    """Return the kind of a path: its folder, `*`, its ending."""
    if path.endswith("**"):
        return path
    folder, _, name = path.rpartition("/")
    ending = re.search(r"\.[A-Za-z0-9]{1,6}$", name)
    return f"{folder}/*{ending[0] if ending else ''}"
