"""Match a whole request against a wording: to the letter, or its words in their order and its slots
filled by texts of their types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from learning.route.place import Where, words
from learning.route.request import PLAIN, Asked, bare, without_articles
from learning.route.typed import FREE, is_cautious, is_free_text, read
from memory.sops import Sop
from replay.kept_procedure import KeptProcedure
from replay.procedure import Procedure
from replay.wordings import SLOT, Wording
from text import pattern

_PIECE = pattern(r"\{[^{}]*\}|\[[^\[\]]*\]|[a-z0-9_'-]+|[^\W\da-z_]")
_ONE = r"[^\s,;\"“”「」]+?"  # of one word, to the letter
_SOME = r"[^\n,;!?\"“”「」]{1,80}?"
_END = r"[\s.!?。！？]*"
_BREAKS = " ,\t\n\r"
_BEFORE = " ,\t\n\r\"'`"  # may stand right before a word
_GOES_ON = pattern(r"[A-Za-z0-9_/'-]")
_QUOTES = {'"': '"', "'": "'", "`": "`", "「": "」", "『": "』", "《": "》"}
_SET_OFF = pattern(
    r":words\}\s*[,;，、；]\s*\{|\}\s*[,;，、；]\s*\{[^{}]*:words\}"
)  # signs tell the texts
_SHORTENED = ("what", "who", "where", "how")  # what's, whats


class Slot(NamedTuple):
    """A place of a wording that a value fills."""

    name: str
    shape: str


Piece = str | Slot | tuple[Any, ...]  # a word; a slot; a group of choices, each a tuple of pieces
Filling = tuple[tuple[Slot, int, int], ...]  # slots with the places of their texts


def readings(
    asked: Asked, procedure: Procedure, where: Where, *, is_bare: bool = False
) -> Iterator[tuple[Wording, dict[str, Any]]]:
    """Yield each wording that the request is, with the values of its slots. `is_bare`: without its
    words that only ask to be shown something."""
    for wording in procedure.wordings:
        if is_bare or _may_be(wording, asked):
            text = bare(wording.text) if is_bare else wording.text
            values = _values(asked, text, procedure, where)
            if values is not None:
                yield wording, values


def loosely(
    asked: Asked, procedure: Procedure, where: Where
) -> dict[str, tuple[Any, tuple[int, int]]]:
    """Return the values and their places where the request is a wording but for texts of several
    words."""
    said = (each.text for each in procedure.wordings if _may_be(each, asked))
    for text in said:
        for filling in _fillings_of(text, asked):
            free = tuple(
                (Slot(s.name, s.shape or "words"), start, end) for s, start, end in filling
            )
            if (found := _filled(asked, free, procedure, where)) is not None:
                return {slot.name: (found[slot.name], (start, end)) for slot, start, end in free}
    return {}


def is_vague(wording: Wording) -> bool:
    """Return True for a wording whose own words may ask about anything: what it asks for is shown,
    never done."""
    said = [word for group in wording.anchors for word in group]
    return bool(said) and ":glob}" not in wording.text and set(said) <= set(words()["vague"])


def may_be_said(sop: Sop, asked: Asked) -> bool:
    """Take a quick look: the request holds the words of one of the wordings."""
    if isinstance(sop.steps, KeptProcedure) and not sop.steps.may_be_asked(asked.squeezed):
        return False
    procedure = sop.procedure
    return procedure is not None and any(_may_be(each, asked) for each in procedure.wordings)


def _may_be(wording: Wording, asked: Asked) -> bool:
    """Return True if the request holds a word of each anchor."""
    holds = asked.squeezed.__contains__
    for forms in _ways(wording.anchors):  # noqa: SIM110 - for each wording of each SOP
        if not any(map(holds, forms)):
            return False
    return True


@lru_cache(maxsize=4096)
def _ways(anchors: tuple[tuple[str, ...], ...]) -> list[dict[str, None]]:
    """Return the ways to write any word of each anchor."""
    return [dict.fromkeys(form for word in group for form in _forms(word)) for group in anchors]


def _values(asked: Asked, text: str, procedure: Procedure, where: Where) -> dict[str, Any] | None:
    """Return the values of a request that is this wording: to the letter, or where each slot has
    one of its type."""
    if letter := _to_the_letter(asked.written, text, procedure, where):
        return letter
    if _SET_OFF.search(text):
        return None
    read = (_filled(asked, each, procedure, where) for each in _fillings_of(text, asked))
    return next((found for found in read if found is not None), None)


def _to_the_letter(
    request: str, wording: str, procedure: Procedure, where: Where
) -> dict[str, Any] | None:
    """Return the values of a request that is this wording; None where it is not. Case and spaces do
    not count."""
    pattern, names = _letters(wording)
    found = re.fullmatch(pattern, " ".join(request.split()), re.IGNORECASE) if names else None
    if found is None:
        return None
    values = {
        name: _spelled(found[n], procedure.parameters[name], shape, where)
        for n, (name, shape) in enumerate(names, 1)
    }
    return None if None in values.values() else values


@lru_cache(maxsize=4096)
def _letters(wording: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the pattern of a wording and its slots; none for one with choices, which only looks
    for words."""
    if "[" in wording:
        return "", ()
    pieces = SLOT.split(" ".join(wording.split()))
    text, names = re.escape(pieces[0]), []
    for name, shape, behind in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        own = _SOME if shape else _ONE
        text += rf"(\"[^\"]+\"|“[^”]+”|「[^」]+」|{own}){re.escape(behind)}"
        names.append((name, shape or ""))
    return text + _END, tuple(names)


def _spelled(text: str, schema: Any, shape: str, where: Where) -> Any:
    if text[0] in '"“「':
        return text[1:-1]
    if not is_free_text(schema):
        return read(text, schema, shape, where)
    if text in schema.get("examples", ()):
        return text
    is_more = is_cautious(text) if shape else text.lower() in words()["everyone"]
    return None if is_more else text


def _filled(
    asked: Asked, filling: Filling, procedure: Procedure, where: Where
) -> dict[str, Any] | None:
    """Return the values of one filling; what is quickly read first, since most fail."""
    found: dict[str, Any] = {}
    schemas = procedure.parameters
    for slot, start, end in sorted(filling, key=lambda each: "enum" not in schemas[each[0].name]):
        found[slot.name] = _read(asked, slot, start, end, procedure, where)
        if found[slot.name] is None:
            return None
    return found


def _read(
    asked: Asked, slot: Slot, start: int, end: int, procedure: Procedure, where: Where
) -> Any:
    schema = procedure.parameters[slot.name]
    if slot.shape not in FREE:
        return read(asked.said(start, end), schema, slot.shape, where)
    first = len(asked.lower[:start].rstrip())  # articles belong to a free text
    said = asked.written[first:end].removeprefix("的")
    begins_word = first < start or said.startswith((":", "："))
    is_said = slot.shape == "words" or begins_word
    return read(said.strip(), schema, slot.shape, where) if is_said else None


@lru_cache(maxsize=4096)
def pieces(wording: str) -> tuple[Piece, ...]:
    """Return a wording as words, groups and slots."""
    return _pieces(without_articles(wording.translate(PLAIN).lower()))


def _pieces(lower: str) -> tuple[Piece, ...]:
    found: list[Piece] = []
    for token in _PIECE.findall(lower):
        if token[0] == "{":
            name, _, shape = token[1:-1].partition(":")
            found.append(Slot(name, shape))
        elif token[0] == "[":
            found.append(tuple(_pieces(choice) for choice in token[1:-1].split("|")))
        elif token not in words()["articles"]:
            found.append(token)
    return tuple(found)


def _fillings_of(wording: str, asked: Asked) -> Iterator[Filling]:
    """Yield each way in which a request is a wording. Most are told apart by their own words, which
    stand in the request in their order."""
    at = asked.start
    for forms in _own_words(wording):
        ends = [found + len(each) for each in forms if (found := asked.lower.find(each, at)) >= 0]
        if not ends:
            return
        at = min(ends)
    yield from _fillings(pieces(wording), asked.lower, asked.start, asked.end)


@lru_cache(maxsize=4096)
def _own_words(wording: str) -> list[tuple[str, ...]]:
    """Return the ways to write each word of a wording but for its choices, and for an "is" that may
    be a part of the word before."""
    said = [each for each in pieces(wording) if isinstance(each, str)]
    is_shortened = not set(_SHORTENED).isdisjoint(said)
    return [_forms(word) for word in said if not (is_shortened and word == "is")]


def _fillings(rest: tuple[Piece, ...], text: str, start: int, end: int) -> Iterator[Filling]:
    """Yield each way in which the text is this sequence; the first choice first, short slots
    first."""
    start = _past_breaks(text, start, end)
    if not rest:
        yield from ((),) if start == end else ()
    elif isinstance(rest[0], str):
        for form, behind in _said_as(rest):
            if text.startswith(form, start, end) and _stands(form, text, start):
                yield from _fillings(behind, text, start + len(form), end)
    elif isinstance(rest[0], Slot):
        yield from _with_slot(rest[0], rest[1:], text, start, end)
    else:
        for choice in rest[0]:
            yield from _fillings(choice + rest[1:], text, start, end)


@lru_cache(maxsize=4096)
def _said_as(rest: tuple[Piece, ...]) -> list[tuple[str, tuple[Piece, ...]]]:
    """Return the ways to say the first word, each with the pieces behind it: "what is" may be
    "what's"."""
    word = rest[0]
    assert isinstance(word, str)
    plain = [(form, rest[1:]) for form in _forms(word)]
    shortened = _behind_is(rest[1:]) if word in _SHORTENED else ()
    return plain + [(f"{word}{end}", behind) for behind in shortened for end in ("'s", "s")]


def _behind_is(rest: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
    """Yield what follows an "is" that a sequence may begin with."""
    if rest[:1] == ("is",):
        yield rest[1:]
    elif rest and isinstance(rest[0], tuple) and not isinstance(rest[0], Slot):
        for choice in rest[0]:
            yield from _behind_is(choice + rest[1:])


def _with_slot(
    slot: Slot, behind: tuple[Piece, ...], text: str, start: int, end: int
) -> Iterator[Filling]:
    for begun in _past_nouns(text, start, end):
        first = _past_breaks(text, begun, end)
        for stop in _stops(text, first, end):
            for past in _past_nouns(text, stop, end):
                for filling in _fillings(behind, text, past, end):
                    yield ((slot, first, stop), *filling)


def _past_breaks(text: str, start: int, end: int) -> int:
    while start < end and text[start] in _BREAKS:
        start += 1
    return start


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[str, ...]:
    """Return the ways to write a word of a wording: singular, plural, and those that stand for each
    other."""
    same = next((group for group in words()["same"] if word in group), ())
    plural: tuple[str, ...] = ()
    if word.isascii() and len(word) > 2:
        plural = (word[:-1],) if word.endswith("s") else (f"{word}s",)
    return (word, *plural, *(each for each in same if each != word))


def _past_nouns(text: str, start: int, end: int) -> Iterator[int]:
    """Yield a place, then those behind a word there that only says a type."""
    yield start
    first = _past_breaks(text, start, end)
    for noun in words()["nouns"]:
        if text.startswith(noun, first, end) and _stands(noun, text, first):
            yield first + len(noun)


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where a slot may end: behind its closing quote, else where a word or a sign ends."""
    closing = _QUOTES.get(text[start : start + 1])
    if closing:
        stop = text.find(closing, start + 1, end)
        yield from (stop + 1,) if stop > 0 else ()
        return
    for stop in range(start + 1, end + 1):
        if stop == end or text[stop] in _BREAKS or not text[stop - 1 : stop + 1].isascii():
            yield stop


def _stands(word: str, text: str, start: int) -> bool:
    """Return True where no letters, digits or signs of a path touch the word that begins here;
    Chinese needs no space."""
    if not word[0].isascii():
        return True
    before = text[max(start - 1, 0) : start]
    if before.isascii() and before not in _BEFORE:
        return False
    return _GOES_ON.match(text, start + len(word)) is None
