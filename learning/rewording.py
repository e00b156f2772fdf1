"""Whether a request is one of an SOP's wordings said in other words, and with which values: rules alone, no model.

The words of the request and of the wording must say the same: each word of the wording is said, by itself or by what
means the same (learning/concepts.py), and each word of the request is explained by the wording. Only small words, the
order of the parts, and words that the SOP's other wordings use freely may differ. Every literal goes into exactly one
parameter, by its type and by what stands before it (from, to, in), and a number keeps its unit. A negation, an
instruction too many, another unit, two ways to fill the parameters: declined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from learning.concepts import ASKING, BEHIND, KINDS_BY_ENDING, PAST, SEEING, is_verb
from learning.parts import (
    MEASURES,
    SHOW,
    Choice,
    Context,
    Gap,
    Literal,
    Part,
    Piece,
    Word,
    ending_of,
    is_label,
    is_object,
    particles_of,
    surroundings,
)
from learning.placing import fitting
from learning.reading import asks_in_chinese, never, read
from learning.request import Asked
from learning.sentences import Knowledge, Sentence, knowledge
from learning.slots import Unclear, Where
from replay.procedure import Procedure

ENDED = ("file", "path", "quoted")  # kinds of values that may end in .csv


@dataclass(frozen=True, slots=True)
class Understood:
    """The values of an SOP's parameters that a request gives, and the wording that it says in other words."""

    values: dict[str, Any]
    wording: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not one of an SOP's wordings."""

    why: str


def understand(asked: Asked, procedure: Procedure, name: str, where: Where) -> Understood | Refusal:
    """Reads a request as one of the wordings of a procedure; `name` is the SOP's name."""
    known = knowledge(procedure, name, "zh" if asks_in_chinese(asked) else "en")
    try:
        parts = read(asked, procedure, known, where)
        if why := never(parts) or other_question(parts, known):
            return Refusal(why)
        particles = particles_of(parts)
        outcomes = [
            Refusal(f"it says “{' '.join(particles or sentence.particles)}” otherwise")
            if particles != sentence.particles
            else _as_wording(parts, sentence, known, procedure, where)
            for sentence in known.sentences
        ]
    except Unclear as unclear:
        return Refusal(f"{unclear} may mean two things")
    readings = [outcome for outcome in outcomes if isinstance(outcome, Understood)]
    if not readings:
        return _nearest([outcome for outcome in outcomes if isinstance(outcome, Refusal)])
    if any(reading.values != readings[0].values for reading in readings):
        return Refusal("the values fit in two ways")
    return readings[0]


def _nearest(whys: Sequence[Refusal]) -> Refusal:
    """The reason that says most: of the wording that came furthest."""
    return next(
        (why for why in whys if why.why.startswith("it says")),
        whys[0] if whys else Refusal("no wordings"),
    )


def _as_wording(
    parts: Sequence[Part], sentence: Sentence, known: Knowledge, procedure: Procedure, where: Where
) -> Understood | Refusal:
    words = [part for part in parts if isinstance(part, Word)]
    if (
        why := _unsaid(words, parts, sentence, known)
        or _unexplained(parts, sentence, known)
        or _other_head(parts, sentence, known)
    ):
        return Refusal(why)
    literals = [
        (part, surroundings(parts, at))
        for at, part in enumerate(parts)
        if isinstance(part, Literal)
    ]
    if len(literals) != len(sentence.gaps):
        return Refusal(f"it holds {len(literals)} values where {len(sentence.gaps)} are needed")
    return _filled(literals, sentence, known, procedure, where)


def _filled(
    literals: Sequence[tuple[Literal, Context]],
    sentence: Sentence,
    known: Knowledge,
    procedure: Procedure,
    where: Where,
) -> Understood | Refusal:
    """The one way to put each value into a parameter of its type and place."""
    fits = {
        (at, name): value
        for at, (literal, around) in enumerate(literals)
        for name in sentence.gaps
        if (value := fitting(literal, around, name, known, procedure, where)) is not None
    }
    ways = []
    for names in permutations(sentence.gaps):
        if all((at, name) in fits for at, name in enumerate(names)):
            ways.append({name: fits[at, name] for at, name in enumerate(names)})
    if not ways:
        return Refusal("its values do not fit the parameters")
    if any(way != ways[0] for way in ways):
        return Refusal("its values fit the parameters in two ways")
    return Understood(ways[0], sentence.text)


def other_question(parts: Sequence[Part], known: Knowledge) -> str:
    """Who did something is another question than what was done; what was running is not what runs."""
    words = [part for part in parts if isinstance(part, Word) and part.text not in known.texts]
    asks = (
        part.text
        for part in words
        if ("t:who" in part.things and "t:who" not in known.things) or part.text in PAST
    )
    return next((f"it asks “{text}”" for text in asks), "")


def _unsaid(
    words: Sequence[Word], parts: Sequence[Part], sentence: Sentence, known: Knowledge
) -> str:
    """What of the wording the request does not say."""
    said = frozenset(pair for word in words for pair in word.said)
    endings = {
        f"w:{ending_of(part)}" for part in parts if isinstance(part, Literal) and part.kind in ENDED
    }
    for at, piece in enumerate(sentence.pieces):
        if isinstance(piece, Word):
            if not is_said(piece, said, known) and not _goes_without_saying(
                sentence.pieces, at, endings
            ):
                return f"it does not say “{piece.text}”"
        elif isinstance(piece, Choice) and not any(
            all(is_said(word, said, known) for word in option) for option in piece.options
        ):
            return f"it does not say “{piece.options[0][0].text}”"
    is_about = any(
        word.said & sentence.explains and not word.is_free and not word.place for word in words
    )
    return "" if is_about else "it says none of the wording's words"


def is_said(word: Word, said: frozenset[tuple[str, str]], known: Knowledge) -> bool:
    if word.is_free or word.place or word.text in BEHIND or word.text in SEEING:
        return True
    return bool(word.said & said) or (known.only_reads and SHOW in word.things)


def _goes_without_saying(pieces: Sequence[Piece], at: int, endings: set[str]) -> bool:
    """True for "file" or "folder" beside its slot, and for "csv" before it when the value ends with .csv."""
    word = pieces[at]
    if not isinstance(word, Word):
        return False
    if word.things & endings:
        behind = next(
            (
                piece
                for piece in pieces[at + 1 :]
                if not (isinstance(piece, Word) and is_label(piece))
            ),
            None,
        )
        return isinstance(behind, Gap)
    beside = (*pieces[max(0, at - 1) : at], *pieces[at + 1 : at + 2])
    kind = (
        pieces[at - 1] if at > 1 and "o:file" in word.things else None
    )  # "log files" are logs, "old files" are not old
    is_compound = (
        isinstance(kind, Word)
        and not kind.is_free
        and not kind.place
        and not any(t[:2] in ("t:", "u:") for t in kind.things)
    )
    return is_compound or (is_label(word) and any(isinstance(piece, Gap) for piece in beside))


def _unexplained(parts: Sequence[Part], sentence: Sentence, known: Knowledge) -> str:
    """What of the request neither the wording nor, for things, the SOP's other wordings explain."""
    for at, part in enumerate(parts):
        if isinstance(part, Word) and not is_explained(part, at, parts, sentence, known):
            return f"it says “{part.text}”"
    return ""


def is_explained(
    word: Word, at: int, parts: Sequence[Part], sentence: Sentence, known: Knowledge
) -> bool:
    if word.is_free or word.said & sentence.explains or word.place == "in" or word.text in BEHIND:
        return True
    before = parts[at - 1] if at else None
    behind = next(
        (part for part in parts[at + 1 :] if not (isinstance(part, Word) and part.is_free)), None
    )
    if word.place:  # what it means for what is behind it is looked at there
        return behind is not None and not (isinstance(behind, Word) and behind.place)
    if known.only_reads and (SHOW in word.things or word.text in SEEING or word.text in ASKING):
        return True
    if isinstance(before, Literal) and (is_label(word) or word.text in MEASURES):
        return True
    if isinstance(behind, Literal) and (is_label(word) or _tells_ending(word, behind)):
        return True
    return bool(word.said & known.soft) and not (is_verb(word.things) and at == 0)


def _tells_ending(word: Word, value: Literal) -> bool:
    """True for the image a.png."""
    return any(ending_of(value) in KINDS_BY_ENDING.get(thing, ()) for thing in word.things)


def _other_head(parts: Sequence[Part], sentence: Sentence, known: Knowledge) -> str:
    """What is to be done stands first in English, and is what the wording begins with; in Chinese it may stand anywhere."""
    first = _first(parts)
    said = {thing for thing, _ in sentence.explains}
    verbs = {thing for thing in said if thing.startswith("v:")}
    if not isinstance(first, Word) or not first.text.isascii():
        has_verb = any(isinstance(part, Word) and part.sure & verbs for part in parts)
        return "" if known.only_reads or has_verb else "it does not say what to do"
    if sentence.is_chinese and any(
        isinstance(part, Word) and not part.text.isascii() for part in parts
    ):
        return ""
    if first.sure & sentence.head or (
        known.only_reads and (SHOW in first.things or first.text in SEEING)
    ):
        return ""
    if sentence.is_chinese and first.sure & verbs:
        return ""
    has_object = any(part is first and is_object(parts[at + 1 :]) for at, part in enumerate(parts))
    is_plain = (
        known.only_reads and not is_verb(first.things) and first.sure & said and not has_object
    )
    return "" if is_plain else f"it begins with “{first.text}”"


def _first(parts: Sequence[Part]) -> Part | None:
    """The word that says what to do in English: the first one that counts, behind "in FOLDER" or "from A to B"."""
    rest = [part for part in parts if isinstance(part, Literal) or not part.is_free]
    while (
        len(rest) > 2 and isinstance(rest[0], Word) and rest[0].text.isascii() and _leads(rest[0])
    ):
        value = 2 if isinstance(rest[1], Word) and not is_verb(rest[1].things) else 1
        if not isinstance(rest[value], Literal):
            break
        has_unit = (
            len(rest) > value + 2 and isinstance(unit := rest[value + 1], Word) and _is_unit(unit)
        )
        rest = rest[value + 2 :] if has_unit else rest[value + 1 :]
    return rest[0] if rest else None


def _leads(word: Word) -> bool:
    return bool(word.place) or bool(word.things & {"t:before", "t:after", "t:since"})


def _is_unit(word: Word) -> bool:
    return any(thing.startswith("u:") for thing in word.things)
