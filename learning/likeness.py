"""Whether a sentence asks for what an SOP does, where somebody else says that it does: a model that put a draft into words,
or one that chose among cards.

learning/rewording.py takes a request for an SOP by itself, so each word has to be accounted for. Here there is a claim, and
what is looked for is what speaks against it: another thing to do, another unit or comparison, a negation, a condition too
many, something that the SOP deals with left unsaid, a value in another value's place. Source: seed 002 §7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from learning.concepts import (
    ASKING,
    BEHIND,
    GENERIC_THINGS,
    IDLE,
    LIGHT,
    NAMED_THINGS,
    NEED,
    NEGATIONS,
    NEUTRAL_TURNS,
    NUMBERS,
    QUESTIONS,
    READING_TURNS,
    SAME_DIRECTION,
    SEEING,
    families,
    is_verb,
    meaning,
)
from learning.parts import FILE_OR_FOLDER, MEASURES, SHOW, Choice, Gap, Literal, Part, Piece, Word
from learning.reading import never
from learning.sentences import Knowledge, Sentence

ONCE = frozenset({"t:unique", "v:deduplicate"})  # what says that of what is there twice one goes
TWICE = frozenset({"t:duplicate", "o:duplicate", "v:delete"})
AMOUNTS = frozenset(
    {
        "多少",
        "几",
        "how much",
        "much",
        "counts",
        "numbers",
        "total",
        "stock",
        "inventory",
        "quantity",
        "库存",
        "数量",
    }
)
COUNTED = frozenset({"u:time", "u:piece"})
OPPOSITE: Mapping[str, set[str]] = {"from": {"to"}, "to": {"from"}}
PLAIN_PLACES = frozenset({"thing", "start", "value", "in"})


def contrary(
    parts: Sequence[Part],
    known: Knowledge,
    values: Iterable[Any],
    *,
    is_careful: bool,
    is_shown: bool = False,
) -> str:
    """What in a sentence speaks against it being one more way to ask for an SOP with these values; empty when nothing does.

    Careful, for a request: a word that is in no table and in no wording says something that nobody knows. Else, for a
    wording that is to be kept: such a word may stand for one of the wordings' own that is in no table either. Where the
    owner is shown the whole sentence first (`is_shown`), a thing that it names may be left unsaid, when no other is said
    in its place, and one word that is in no table.
    """
    if why := never(
        [part for part in parts if not (isinstance(part, Word) and part.text in known.texts)]
    ):
        return why
    first = parts[0] if parts else None
    if isinstance(first, Word) and first.text in QUESTIONS and not reads(known):
        return f"it asks “{first.text} …”"
    given = {word for value in values for word in re.findall(r"\w+|\.", str(value).lower())}
    unknown = []
    for word in left_over(parts, known, given):
        is_listed = not all(thing.startswith("w:") for thing in things_of(word))
        if is_careful or is_listed:
            if not is_listed or not _goes_along(word, known, is_careful=is_careful):
                return f"it says “{word.text}”"
        else:
            unknown.append(word)
    said = said_in(parts, given if is_shown else set())
    others = any(
        thing.startswith("o:") for word in left_over(parts, known, given) for thing in word.things
    )
    missing = []
    for sentence in known.sentences:
        left = unsaid(sentence, said, known)
        if is_shown:
            left = [word for word in left if others or not _is_mere_thing(word)]
        spare = 1 if is_shown else len(unknown)
        strange = [word for word in left if all(thing.startswith("w:") for thing in word.things)]
        strange = [word for word in strange if word.text not in NEGATIONS]
        missing.append(next((word.text for word in left if word not in strange[:spare]), ""))
    if missing and all(missing):
        return f"it does not say “{missing[0]}”"
    is_other_verb = unknown and not any(
        isinstance(part, Word) and is_verb(part.things) for part in parts
    )
    if known.things & NUMBERS and not _says_number(parts, known):
        return "it does not ask for a number"
    return (
        ""
        if reads(known) or is_other_verb or _has_the_verb(parts, known)
        else "it does not say what to do"
    )


def left_over(parts: Sequence[Part], known: Knowledge, given: set[str]) -> Iterator[Word]:
    """The words that say something and stand in no wording and in no value."""
    for at, part in enumerate(parts):
        if not isinstance(part, Word) or part.text in given or _is_idle(part, known):
            continue
        if not _is_beside(parts, at) and not things_of(part) & known.things:
            yield part


def _is_idle(word: Word, known: Knowledge) -> bool:
    """True for words that change nothing, or nothing for an SOP that only reads."""
    is_small = word.is_free or word.place or word.text in BEHIND
    is_idle = word.text in IDLE and not any(thing.startswith(("t:", "u:")) for thing in word.things)
    if is_small or is_idle or (reads(known) and word.text in LIGHT) or word.things & COUNTED:
        return True
    if word.things & NEUTRAL_TURNS or (
        "t:new" in word.things and known.things & {"v:add", "v:create"}
    ):
        return True
    if (
        SHOW in word.things or "v:find" in word.things or word.text in SEEING
    ):  # to change something takes one verb more
        return True
    is_amount = word.text in AMOUNTS and bool(known.things & NUMBERS)
    return reads(known) and (word.text in ASKING or is_amount or bool(word.things & READING_TURNS))


def reads(known: Knowledge) -> bool:
    """True for an SOP that only reads, or that is asked for as if it did."""
    asks = any(sentence.head & NUMBERS for sentence in known.sentences)
    return known.only_reads or asks or bool(known.texts & SEEING) or SHOW in known.things


def _is_beside(parts: Sequence[Part], at: int) -> bool:
    """True for "file", "number" or 个 beside a value."""
    word = parts[at]
    near = (*parts[max(0, at - 1) : at], *parts[at + 1 : at + 2])
    is_label = isinstance(word, Word) and (
        bool(word.things & NAMED_THINGS) or word.text in MEASURES
    )
    return is_label and any(isinstance(each, Literal) for each in near)


def _goes_along(word: Word, known: Knowledge, *, is_careful: bool) -> bool:
    """Whether a word of the tables that no wording has may be said for this SOP all the same."""
    said = things_of(word)
    if _directed(said) & _directed(known.things) or (
        said & ONCE and known.things >= {"t:duplicate", "v:delete"}
    ):
        return True
    tells_which = any(thing.startswith(("t:", "u:")) for thing in said)
    verbs = frozenset(thing for thing in said if thing.startswith("v:"))
    if is_careful and verbs == {
        "v:add"
    }:  # to what is there already; what creates something knows nothing of it
        return False
    if verbs and not tells_which and families(verbs) & families(known.things):
        return True
    things = frozenset(thing for thing in word.things if thing.startswith("o:"))
    return bool(things) and not tells_which and (
        not is_careful or bool(things & GENERIC_THINGS)
    )  # fmt: skip


def things_of(word: Word) -> frozenset[str]:
    """What a word may mean, "sorted" and "sorting" too; a verb nothing but that, so that a parameter called "count" knows
    nothing of counting."""
    found = word.things
    if word.text.isascii() and word.text.endswith(("ed", "ing")):
        base = word.text.removesuffix("ing").removesuffix("ed")
        bases = {base, f"{base}e", base[:-1] if base[-2:-1] == base[-1:] else base, f"{base[:-1]}y"}
        found |= {thing for each in bases for thing in meaning(each) if thing.startswith("v:")}
    return (
        frozenset(thing for thing in found if not thing.startswith("w:"))
        if is_verb(found)
        else found
    )


def _directed(things: frozenset[str] | set[str]) -> frozenset[str]:
    """The things, and for a comparison the direction that it has: the largest is the highest."""
    return frozenset(things) | {
        SAME_DIRECTION[thing] for thing in things if thing in SAME_DIRECTION
    }


def said_in(parts: Sequence[Part], given: set[str]) -> frozenset[str]:
    """What the words of a request may mean, those that are values left out."""
    words = [part for part in parts if isinstance(part, Word) and part.text not in given]
    said = _directed({thing for word in words for thing in things_of(word)})
    return said | TWICE if said & ONCE else said


def unsaid(sentence: Sentence, said: frozenset[str], known: Knowledge) -> list[Word]:
    """The words of a wording, one of each choice, that say which task it is, and are not said."""
    found = []
    for at, piece in enumerate(sentence.pieces):
        words = [
            word for word in _words(piece) if not _goes_unsaid(word, at, sentence, said, known)
        ]
        if not all(_directed(_telling(word, at)) & said for word in words):
            found.append(words[0])
    return found


def _telling(word: Word, at: int) -> frozenset[str]:
    """What of a word's meanings has to be said: of one that says which, where it is not what is to be done, that alone."""
    which = frozenset(thing for thing in word.things if thing.startswith("t:"))
    return which if which and at else word.things


def _is_mere_thing(word: Word) -> bool:
    return bool(word.things) and all(thing.startswith("o:") for thing in word.things)


def _words(piece: Piece) -> tuple[Word, ...]:
    """The words of a piece; of a choice the first, unless it may be left out."""
    if isinstance(piece, Choice):
        return piece.options[0] if all(piece.options) else ()
    return (piece,) if isinstance(piece, Word) else ()


def _goes_unsaid(
    word: Word, at: int, sentence: Sentence, said: frozenset[str], known: Knowledge
) -> bool:
    """Whether a word of a wording says nothing about which task is meant, or is only what is to be done."""
    if _is_idle(word, known) or word.text in LIGHT:
        return True
    if word.things & NAMED_THINGS:
        near = (*sentence.pieces[max(0, at - 1) : at], *sentence.pieces[at + 1 : at + 2])
        return any(isinstance(each, Gap) for each in near) or (
            "o:file" in word.things and not said & FILE_OR_FOLDER
        )
    if word.things & GENERIC_THINGS:
        return True
    if "t:first" in word.things:  # "largest first" is said by "descending"
        return any(
            _directed(each.things) & {"t:up", "t:down"}
            for piece in sentence.pieces
            for each in _words(piece)
        )
    is_thing = any(thing.startswith(("o:", "t:")) for thing in word.things)
    return is_verb(word.things) and not is_thing and (at == 0 or bool(families(word.things)))


def _says_number(parts: Sequence[Part], known: Knowledge) -> bool:
    """Whether a request for an SOP whose result is a number asks for one: who lists the rows does not count them."""
    own = families(known.things & NUMBERS)
    return any(
        isinstance(part, Word)
        and (
            things_of(part) & NUMBERS
            or families(things_of(part)) & own
            or part.text in AMOUNTS
            or part.text.endswith("数")
        )
        for part in parts
    )


def _has_the_verb(parts: Sequence[Part], known: Knowledge) -> bool:
    wanted = frozenset(thing for thing in known.things if thing.startswith("v:"))
    if not wanted:
        return True
    texts = {part.text for part in parts if isinstance(part, Word)}
    if texts & NEED and families(wanted) & families(frozenset({"v:create", "v:write"})):
        return True
    said = [
        things_of(part)
        for at, part in enumerate(parts)
        if isinstance(part, Word)
        and (at == 0 or not any(thing.startswith("t:") for thing in part.things))
    ]  # "empty" is to be done where it stands first, and else tells which
    return any(things & wanted or families(things) & families(wanted) for things in said)


def swapped(stands: Sequence[tuple[str, str]], kinds: Mapping[str, Any], known: Knowledge) -> str:
    """A parameter whose value stands where a wording has that of another of its kind: "from" is not "to". `stands`: each
    value's parameter and place, in their order. Empty when there is none."""
    own = {
        name: {plain(each.place) for each in several} for name, several in known.contexts.items()
    }
    for name, place in stands:
        if place in OPPOSITE and own.get(name) == OPPOSITE[place]:
            return name
    orders = {
        (a, b)
        for each in known.sentences
        for at, a in enumerate(each.gaps)
        for b in each.gaps[at + 1 :]
    }
    for at, (name, place) in enumerate(stands):
        for behind, (other, _) in enumerate(stands):
            if (
                other == name
                or kinds.get(other) != kinds.get(name)
                or plain(place) in own.get(name, set())
            ):
                continue
            if place == "for" and at > behind:  # "swap a for b" says either
                return name
            pair = (name, other) if at < behind else (other, name)
            if plain(place) in own.get(other, set()) and (plain(place) or pair not in orders):
                return name
    return ""


def plain(place: str) -> str:
    """The place, with those in one that say nothing about a value."""
    return "" if place in PLAIN_PLACES else place
