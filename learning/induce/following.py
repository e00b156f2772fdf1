"""Find what follows from a value: `sorted-jan.csv` and `jan` from `~/sales/jan.csv`,
`~/mails-2024.tar` from `~/mails`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    part: str  # path, name, stem
    shown: str

    @property
    def variable(self) -> str:
        """Return the variable that holds it."""
        return self.parameter if self.part == "path" else f"{self.parameter}_{self.part}"

    @property
    def lines(self) -> list[str]:
        """Return the lines of the script that make it."""
        name = f"{self.parameter}_name=${{{self.parameter}##*/}}"
        stem = f"{self.parameter}_stem=${{{self.parameter}_name%.*}}"
        return {"path": [], "name": [name], "stem": [name, stem]}[self.part]


def derived(script: str, values: Mapping[str, str]) -> list[Derived]:
    """Return what stands in a script, beside the values themselves, and seems to follow from one of
    them.

    `script` has its parameters already, `values` are those that they had.
    """
    letters = Letters(script)
    found: dict[str, Derived] = {}
    taken: list[Place] = []
    for each in _possible(values):
        is_value = each.part != "path" and each.text in values.values()
        is_known = is_value or each.text in found
        spots = [] if is_known else places(letters, each.text)
        spots = [spot for spot in spots if not any(_is_in(spot, other) for other in taken)]
        spots = [spot for spot in spots if not _is_inside(letters.text, spot)]
        if spots:
            shown = _word_around(letters, spots[0].first, spots[0].last)
            is_name_of_a_file = "/" in shown or "." in shown.strip(".")
            if is_name_of_a_file or _is_telling(each.text, values):
                taken += spots
                found[each.text] = each._replace(shown=shown)
    return list(found.values())


def _is_inside(text: str, spot: Place) -> bool:
    """Return True between letters of one word: `one` of `--strip-components` follows from no
    file."""
    edges = text[max(spot.first - 1, 0) : spot.first] + text[spot.last : spot.last + 1]
    return len(edges) == 2 and edges.isascii() and edges.isalpha()


def _is_telling(text: str, values: Mapping[str, str]) -> bool:
    """Return True if a text is long enough to mean the file of a path wherever it stands: `jan` of
    `~/sales/jan.csv`."""
    return len(text) >= LEAST_CHARS and any(
        "/" in each and text in each for each in values.values()
    )


def _is_in(spot: Place, other: Place) -> bool:
    return other.first <= spot.first and spot.last <= other.last


def _possible(values: Mapping[str, str]) -> Iterator[Derived]:
    paths = {name: PurePath(value.rstrip("/")) for name, value in values.items()}
    for name, path in paths.items():
        if values[name].startswith(("~/", "/")) and path.name:
            yield Derived(str(path), name, "path", path.name)
    for name, path in paths.items():
        value = values[name]
        if "/" in value and path.name:
            yield Derived(path.name, name, "name", path.name)
        if path.stem != path.name:
            yield Derived(path.stem, name, "stem", path.stem)


def _word_around(letters: Letters, first: int, last: int) -> str:
    """Return the word of the script in which some of its letters stand, without its quotes."""
    stops = " \t\n<>|;&"
    while first > 0 and letters.text[first - 1] not in stops:
        first -= 1
    while last < len(letters.text) and letters.text[last] not in stops:
        last += 1
    return letters.script[letters.found[first].start : letters.found[last - 1].end].replace('"', "")
