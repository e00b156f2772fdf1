"""Find what follows from a value: `sorted-jan.csv` and `jan` from `~/sales/jan.csv`,
`~/mails-2024.tar` from `~/mails`, `first-snow.md` from `First Snow`, `2024-05` from a date."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from learning.induce.letters import Letters
from learning.induce.places import Place, places

LEAST_CHARS = 2


class Derived(NamedTuple):
    """A text that seems to follow from the value of a parameter: all of it, its last part, or that
    without the ending. `shown` is the word in which it stands."""

    text: str
    parameter: str
    part: str  # path, name, stem, slug, month, year
    shown: str

    @property
    def variable(self) -> str:
        """Return the variable that holds it."""
        return self.parameter if self.part == "path" else f"{self.parameter}_{self.part}"

    @property
    def lines(self) -> list[str]:
        """Return the lines of the script that make it."""
        mine = self.parameter
        name = f"{mine}_name=${{{mine}##*/}}"
        return {
            "path": [],
            "name": [name],
            "stem": [name, f"{mine}_stem=${{{mine}_name%.*}}"],
            "slug": [f"{mine}_slug=${{{mine},,}}", f"{mine}_slug=${{{mine}_slug// /-}}"],
            "month": [f"{mine}_month=${{{mine}:0:7}}"],
            "year": [f"{mine}_year=${{{mine}:0:4}}"],
        }[self.part]


def derived(script: str, values: Mapping[str, str]) -> list[Derived]:
    """Return what stands in a script, beside the values themselves, and seems to follow from one of
    them.

    `script` has its parameters already, `values` are those that they had.
    """
    letters = Letters(script)
    found: dict[str, Derived] = {}
    taken: list[Place] = []
    for each in _possible(values):
        if each.text in found:
            continue
        free = [spot for spot in places(letters, each.text) if _is_free(letters, spot, taken)]
        shown = _word_around(letters, free[0]) if free else ""
        if shown and (_is_name_of_a_file(shown) or _is_telling(each.text, values)):
            taken += free
            found[each.text] = each._replace(shown=shown)
    return list(found.values())


def _is_free(letters: Letters, spot: Place, taken: Sequence[Place]) -> bool:
    """Return True outside of what is taken; not between letters of one word, as `one` of
    `--strip-components`, nor for the ending of a file's name: these follow from no file."""
    if any(other.first <= spot.first and spot.last <= other.last for other in taken):
        return False
    around = letters.text[max(spot.first - 2, 0) : spot.first] + "|" + letters.text[spot.last :][:1]
    is_ending = re.match(r"[^\s/]\.\|\W?$", around) and letters.text[spot.first].isalpha()
    return not (is_ending or re.search(r"[A-Za-z]\|[A-Za-z]", around))


def _is_name_of_a_file(shown: str) -> bool:
    return "/" in shown or "." in shown.strip(".")


def _is_telling(text: str, values: Mapping[str, str]) -> bool:
    """Return True for a text that means the file of a path anywhere, as `jan` of `~/jan.csv`."""
    return len(text) >= LEAST_CHARS and any(
        "/" in each and text in each for each in values.values()
    )


def _possible(values: Mapping[str, str]) -> Iterator[Derived]:
    paths = {name: PurePath(value.rstrip("/")) for name, value in values.items()}
    for name, path in paths.items():
        if values[name].startswith(("~/", "/")) and path.name:
            yield Derived(str(path), name, "path", path.name)
    for name, path in paths.items():
        parts = {"name": path.name if "/" in values[name] else "", "stem": path.stem}
        parts |= dict(_rewritten(values[name]))
        for part, text in parts.items():
            if text and text not in values.values():
                yield Derived(text, name, part, text)


def _rewritten(value: str) -> Iterator[tuple[str, str]]:
    """Yield other ways to write a value that is no path: as a name of files, a date shortened."""
    if "/" not in value and value.lower().replace(" ", "-") != value:
        yield "slug", value.lower().replace(" ", "-")
    if re.fullmatch(r"\d{4}-\d\d(-\d\d)?", value):
        yield from (("month", value[:7]), ("year", value[:4]))


def _word_around(letters: Letters, spot: Place) -> str:
    """Return the word of the script in which some of its letters stand, without its quotes."""
    before = re.search(r"[^ \t\n<>|;&]*$", letters.text[: spot.first])
    behind = re.compile(r"[^ \t\n<>|;&]*").match(letters.text, spot.last)
    first, last = before.start() if before else 0, behind.end() if behind else spot.last
    return letters.script[letters.found[first].start : letters.found[last - 1].end].replace('"', "")
