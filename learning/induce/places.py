"""Find where a value stands in a script, however it is quoted there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from learning.induce.letters import Letters, Quoting
from text import pattern

_OPTION = pattern(
    r"(?:^|[\s\0])-[A-Za-z](?:[\d,.A-Za-z]*[\d,A-Za-z])?$"
)  # what may stand in a word before a number
_JOINED = pattern(r"[A-Za-z0-9]{2}")
_SED_COMMAND = pattern(r"[pdqQ](?=[\s\0;}]|$)")
_NAME = pattern(r"/[\w-]*[A-Za-z_]$")  # before a digit that ends it
_NAME_BEFORE_MORE = pattern(r"(?:^|[\s\0/])[\w-]*[A-Za-z_]$")  # before more than that
_WRITTEN = pattern(r">\s*[^\s;|&]*$")  # before the name of a file that is written
FREE = " \t\n\0|;&)"  # what stands beside a word


class Place(NamedTuple):
    """A value in a script: bounds among letters and in the text, the quoting at both ends."""

    first: int
    last: int
    start: int
    end: int
    opens: Quoting
    closes: Quoting


class Spot(NamedTuple):
    """One of several places of a number in a script's text. `is_word`: nothing is joined to it, as
    in `-n 2` beside `+2`; or it stands in the name of a file."""

    start: int
    end: int
    is_word: bool


def places(letters: Letters, text: str) -> list[Place]:
    """Return where a text stands as a whole, where a number ends letters in the name of a file,
    `19` of `week19.log`; a digit so only where the file is written, or it stands nowhere else.
    Where there are none, return where a longer text stands at all."""
    found = list(_all(letters, text))
    whole = [place for place in found if is_whole(letters.text, place.first, place.last, text)]
    named = [place for place in found if _is_in_name(letters.text, place)]
    if whole and len(text) == 1:
        named = [place for place in named if _WRITTEN.search(letters.script, 0, place.start)]
    return sorted([*whole, *named]) or [place for place in found if len(text) > 2]


def _is_in_name(text: str, place: Place) -> bool:
    """Return True for a number behind the letters of a name; `3` of `.mp3` and `python3` is none."""
    behind = text[place.last : place.last + 1]
    if not text[place.first : place.last].isdigit() or behind not in f"{FREE}._/-":
        return False
    is_digit_at_end = behind in FREE and place.last - place.first == 1
    before = _NAME if is_digit_at_end else _NAME_BEFORE_MORE
    return before.search(text, 0, place.first) is not None


def _all(letters: Letters, text: str) -> Iterator[Place]:
    if not text:
        return
    at = letters.text.find(text)
    while at >= 0:
        last = at + len(text)
        first_letter, last_letter = letters.found[at], letters.found[last - 1]
        yield Place(
            at, last, first_letter.start, last_letter.end, first_letter.quoting, last_letter.quoting
        )
        at = letters.text.find(text, last)


def several(script: str, text: str) -> list[Spot]:
    """Return the places of a short number that stands more than once; [] of all else, which means
    one thing everywhere."""
    if not re.fullmatch(r"\d{1,3}", text):
        return []
    letters = Letters(script)
    around, found = f" {letters.text} ", places(letters, text)
    free = {
        each for each in found if not (around[each.first] + around[each.last + 1]).strip(FREE)
    } or set(found)
    written = {each for each in found if _WRITTEN.search(script, 0, each.start)}
    usual = {each for each in found if _is_in_name(letters.text, each)} | free | written
    spots = [Spot(each.start, each.end, each in usual) for each in found]
    return spots if len(spots) > 1 else []


def is_path(text: str, place: Place) -> bool:
    """Return True where a path may begin and end: `jan.csv` is no part of `sorted-jan.csv`, and
    `~/mails-2024.tar` is another one than `~/mails`."""
    is_begun = place.first == 0 or re.match(r"[\w./~+%-]", text[place.first - 1]) is None
    return is_begun and text[place.last : place.last + 1] not in ("-", "_")


def is_whole(text: str, first: int, last: int, value: str) -> bool:
    """Return True if no letter or digit goes on at its ends; of a number no point either."""
    before, behind = text[max(0, first - 2) : first], text[last : last + 2]
    if value.isdigit():
        joins_before, joins_behind = _joins_number(text, first, last)
        return not (joins_before.search(before) or joins_behind.match(behind))
    return not (_JOINED.match(before[-1:] + value[:1]) or _JOINED.match(value[-1:] + behind[:1]))


def _joins_number(text: str, first: int, last: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what goes on before and behind a number that is no whole one. The letters beside it
    may be commands of sed, `5,8p`, or options themselves, `-n5`, `-k2,2nr`."""
    if "sed" in text and _SED_COMMAND.match(text, last):
        return pattern(r"[A-Za-z0-9._]$"), pattern(r"(?!)")
    if _OPTION.search(text, 0, first):
        return pattern(r"[\d._]$"), pattern(r"[\d._]")
    return pattern(r"[A-Za-z0-9]$|\d\.$"), pattern(r"[A-Za-z0-9]|\.\d")


def apart(found: Iterable[tuple[str, Place]]) -> list[tuple[str, Place]]:
    """Return the places that do not overlap, longer ones first served, in their order."""
    kept: list[tuple[str, Place]] = []
    for name, place in sorted(found, key=lambda each: each[1].first - each[1].last):
        if all(place.last <= other.first or place.first >= other.last for _, other in kept):
            kept.append((name, place))
    return sorted(kept, key=lambda each: each[1].start)
