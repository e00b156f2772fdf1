"""Find what follows from a value: `sorted-jan.csv` and `jan` from the file `~/sales/jan.csv`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import NamedTuple

from learning.induce.letters import Letters
from learning.induce.places import Place, places

LEAST_CHARS = 2


class Derived(NamedTuple):
    """A text that seems to follow from the value of a parameter: its last part, or that without the ending. `shown` is the
    word in which it stands."""

    text: str
    parameter: str
    part: str  # name, stem
    shown: str

    @property
    def variable(self) -> str:
        """The variable that holds it."""
        return f"{self.parameter}_{self.part}"

    @property
    def lines(self) -> list[str]:
        """Lines of the script that make it."""
        name = f"{self.parameter}_name=${{{self.parameter}##*/}}"
        stem = f"{self.parameter}_stem=${{{self.parameter}_name%.*}}"
        return [name] if self.part == "name" else [name, stem]


def derived(script: str, values: Mapping[str, str]) -> list[Derived]:
    """Return what stands in a script, beside the values themselves, and seems to follow from one of them.

    `script` has its parameters already, `values` are those that they had.
    """
    letters = Letters(script)
    found: dict[str, Derived] = {}
    taken: list[Place] = []
    for each in _possible(values):
        is_known = each.text in found or each.text in values.values()
        spots = [] if is_known else places(letters, each.text)
        spots = [spot for spot in spots if not any(_is_in(spot, other) for other in taken)]
        if spots:
            shown = _word_around(letters.text, spots[0].first, spots[0].last)
            if not _is_name_of_a_file(shown) and not _is_telling(each.text, values):
                continue
            taken += spots
            found[each.text] = each._replace(shown=shown)
    return list(found.values())


def _is_name_of_a_file(word: str) -> bool:
    return "/" in word or "." in word.strip(".")


def _is_telling(text: str, values: Mapping[str, str]) -> bool:
    """True if a text is long enough to mean the file of a path wherever it stands: `jan` of `~/sales/jan.csv`."""
    return len(text) >= LEAST_CHARS and any(
        "/" in each and text in each for each in values.values()
    )


def _is_in(spot: Place, other: Place) -> bool:
    return other.first <= spot.first and spot.last <= other.last


def _possible(values: Mapping[str, str]) -> Iterator[Derived]:
    for name, value in values.items():
        path = PurePath(value.rstrip("/"))
        if "/" in value and path.name:
            yield Derived(path.name, name, "name", path.name)
        if path.stem != path.name:
            yield Derived(path.stem, name, "stem", path.stem)


def _word_around(text: str, first: int, last: int) -> str:
    stops = " \t\n\0<>|;&"
    while first > 0 and text[first - 1] not in stops:
        first -= 1
    while last < len(text) and text[last] not in stops:
        last += 1
    return text[first:last]
