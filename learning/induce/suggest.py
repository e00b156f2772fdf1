"""Suggest which values of a demonstration vary: what the request names, else the paths that were
there before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from learning.induce.letters import Letters
from learning.induce.places import is_whole, places
from replay.procedure import BUILT_IN, UNSAFE_NAME
from shell import words
from text import names

_SAID = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|'([^']+)'(?!\w)|([^\s\"“”「」，。；：？！、,;?!]+)"
)
_PLAIN = re.compile(r"[a-z]+")
# a path, a name with an ending, a number, several words
_FREE = re.compile(r"(?!.{121})(?:.*[^/.].*/.*[^/.].*|.*[^.]\.+[^.].*|\d+|.* .*)")
MOST = 12
Spell = Callable[[str], Sequence[str]]


class Candidate(NamedTuple):
    """A value that may vary: its suggested name, its text, and if it is taken to vary."""

    name: str
    text: str
    varies: bool


def candidates(
    script: str,
    request: str,
    was_there: Iterable[str] = (),
    differing: Iterable[str] = (),
    spell: Spell = lambda text: [text],
) -> list[Candidate]:
    """Return values of a script that may vary, in their order. `request`: the owner's words, ""
    where there are none yet; `was_there`: words of the script that name what was there before;
    `differing`: what differs between runs; `spell`: how a value may be written in the script."""
    letters, known, others = Letters(script), list(was_there), list(differing)
    said = list(_said_in(request, letters, spell))
    spelled = [each for text in said for each in spell(text)]
    said += [text for text in others if not _overlaps(text, said)]
    found = {text: _varies(text, request, others) for text in said}
    for text in _listed(script):
        if text and not _overlaps(text, spelled):
            found.setdefault(text, not request and text in known)
    return list(_named(found, request))[:MOST]


def _varies(text: str, request: str, others: Sequence[str]) -> bool:
    """Return False for the verb of a request, and for what is the same in other runs."""
    if others:
        return any(each in text for each in others)
    return text.lower() not in request.lower().split()[:1]


def _overlaps(text: str, others: Iterable[str]) -> bool:
    return any(text in other or other in text for other in others)


def _said_in(request: str, letters: Letters, spell: Spell) -> Iterator[str]:
    """Yield what the request and the script both name, none within another."""
    taken: list[str] = []
    for text in sorted(_pieces(request), key=len, reverse=True):
        is_there = any(places(letters, each) for each in spell(text))
        if any(text in other for other in taken) or not is_there:
            continue
        if _is_value(text, letters):
            taken.append(text)
    order = {text: request.find(text) for text in taken}
    yield from sorted(taken, key=lambda text: order[text])


def _pieces(request: str) -> set[str]:
    """Return quoted texts, words, and paths and numbers between Chinese letters."""
    found = set()
    for match in _SAID.finditer(request):
        text = next(group for group in match.groups() if group)
        found |= {text, text.rstrip(".,;:!?")}
        found |= set(re.findall(r"~?/[^\s\"'，。；：？！、的里下中]+|[\w.@-]+", text, re.ASCII))
    return {text for text in found if text.strip(".-/_~")}


def _is_value(text: str, letters: Letters) -> bool:
    """Return True for what has digits or signs, and for a free word of the script."""
    if not _PLAIN.fullmatch(text):
        return True
    if len(text) < 2 or text in _SMALL:
        return False
    spots = places(letters, text)
    is_key = all(letters.text[spot.last : spot.last + 1] == "=" for spot in spots)
    is_free = any(is_whole(letters.text, spot.first, spot.last, text) for spot in spots)
    return is_free and not is_key and _is_argument(text, letters.script)


def _is_argument(text: str, script: str) -> bool:
    """Return True for a word of an argument; neither a command nor `in` of a loop is one."""
    found = [word for word in words(script) if text in word.text]
    commands = {word.value for word in found if word.role == "command"}
    return text not in commands and any(word.role != "command" for word in found)


def _listed(script: str) -> Iterator[str]:
    """Yield what looks as if it may vary: paths, numbers, quoted texts, words behind `=`."""
    for word in words(script):
        value = "" if word.has_expansion or word.has_glob else word.value or ""
        if word.role in ("option", "assignment"):
            yield from value.partition("=")[2:]
        elif word.role in ("argument", "target", "value", "item") and _FREE.fullmatch(value):
            yield value


def _named(found: Mapping[str, bool], request: str) -> Iterator[Candidate]:
    taken: set[str] = set()
    for text, varies in found.items():
        name = base = _name(text, request)
        count = 2
        while name in taken:
            name, count = f"{base}{count}", count + 1
        taken.add(name)
        yield Candidate(name, text, varies)


def _name(text: str, request: str) -> str:
    """Return a name: by its kind for a path, else by the word beside it in the request. The first
    word of a request says what to do, so it names no value."""
    before, _, after = request.lower().partition(text.lower())
    said_before: list[str] = re.findall(r"[a-z][a-z0-9_]*", before)
    said_after: list[str] = re.findall(r"[a-z][a-z0-9_]*", after)
    if re.match(r"~?/", text):
        is_file = "." in text.rpartition("/")[2].strip(".")
        return "file" if is_file else "folder"
    kind = next(kind for pattern, kind in _KINDS if re.search(pattern, text))
    beside = said_after[:1] if kind == "number" else []
    beside += said_before[1:][-1:]
    return next(filter(_may_be_name, beside), kind)


_KINDS = (
    (r"^\d{4}-\d\d-\d\d$", "date"),
    (r"^[\d.]+$", "number"),
    (r"\.[a-z]\w*$", "file"),
    ("", "text"),
)


_SMALL = names(
    "a an the in of to for by from with into on at and or as is are it all my than over under"
)


_NO_NAMES = _SMALL | set(BUILT_IN)
_SHORT_NAME = re.compile(r"[a-z][a-z0-9_]{2,18}")


def _may_be_name(word: str) -> bool:
    is_safe = word not in _NO_NAMES and not UNSAFE_NAME.fullmatch(word)
    return is_safe and _SHORT_NAME.fullmatch(word) is not None
