"""Suggest which values of a demonstration vary: what the request names, else the paths that were
there before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from learning.induce.letters import Letters
from learning.induce.places import is_whole, places
from replay.procedure import BUILT_IN, NAME, UNSAFE_NAME
from shell import words
from text import names

_SAID = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|'([^']+)'(?!\w)|([^\s\"“”「」，。；：？！、,;?!]+)"
)
_PLAIN = re.compile(r"[a-z]+")
MOST = 12
Spell = Callable[[str], Sequence[str]]


class Candidate(NamedTuple):
    """A value that may vary: the name suggested for it, the text, and whether it is taken to
    vary."""

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
    said = list(_said_in(request, Letters(script), spell)) if request else []
    spelled = [each for text in said for each in spell(text)]
    known, others = list(was_there), list(differing)
    said += [text for text in others if not _overlaps(text, said)]
    verb = request.split(maxsplit=1)[0].lower() if request else ""  # says what to do, as a rule
    found: dict[str, bool] = {
        text: any(each in text for each in others) if others else text.lower() != verb
        for text in said
    }
    for text in _listed(script):
        if not _overlaps(text, spelled):
            found.setdefault(text, not request and text in known)
    return list(_named(found, request))[:MOST]


def _overlaps(text: str, others: Iterable[str]) -> bool:
    return any(text in other or other in text for other in others)


def _said_in(request: str, letters: Letters, spell: Spell) -> Iterator[str]:
    """Yield what the request and the script both name, as values: longest first, none within
    another."""
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
    """Return quoted texts, words, and paths and numbers between other letters such as Chinese
    ones."""
    found = set()
    for match in _SAID.finditer(request):
        text = next(group for group in match.groups() if group)
        found |= {text, text.rstrip(".,;:!?")}
        found |= set(re.findall(r"~?/[^\s\"'，。；：？！、的里下中]+|[\w.@-]+", text, re.ASCII))
    return {text for text in found if text.strip(".-/_~")}


def _is_value(text: str, letters: Letters) -> bool:
    """Return True for what has digits or signs, and for a word of the script that stands free, not
    one before `=`."""
    if not _PLAIN.fullmatch(text):
        return True
    spots = places(letters, text)
    is_key = all(letters.text[spot.last : spot.last + 1] == "=" for spot in spots)
    is_free = any(is_whole(letters.text, spot.first, spot.last, text) for spot in spots)
    if not is_free or is_key or len(text) < 2 or text in _SMALL:
        return False
    found = list(words(letters.script))
    is_command = any(word.role == "command" and word.value == text for word in found)
    is_argument = any(word.role != "command" and text in word.text for word in found)
    return is_argument and not is_command  # `in` of a loop is neither


def _listed(script: str) -> Iterator[str]:
    """Yield values that look as if they may vary: paths, numbers, texts in quotes, words behind
    `=`."""
    for word in words(script):
        value = word.value
        if not value or word.has_expansion or word.has_glob or word.role == "command":
            continue
        if word.role in ("argument", "target", "value", "item") and _looks_free(value):
            yield value
        elif word.role in ("option", "assignment") and "=" in value:
            yield value.partition("=")[2]


def _looks_free(value: str) -> bool:
    if len(value) > 120 or "\n" in value:
        return False
    return "/" in value.strip("/.") or "." in value.strip(".") or value.isdigit() or " " in value


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


def _may_be_name(word: str) -> bool:
    is_name = bool(NAME.fullmatch(word)) and not UNSAFE_NAME.fullmatch(word)
    return is_name and word not in BUILT_IN and word not in _SMALL and 2 < len(word) < 20
