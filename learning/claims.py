"""Whether a model's choice of an SOP is to be followed: what in the request speaks against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from learning.concepts import is_verb
from learning.parts import Choice, Literal, Part, Piece, Word, surroundings
from learning.placing import fitting, kind_of, literal_is
from learning.reading import read
from learning.request import Asked
from learning.rewording import is_explained, is_said
from learning.sentences import Knowledge, knowledge
from learning.slots import ENDINGS, Where
from replay.procedure import Procedure


def contradiction(
    asked: Asked,
    procedure: Procedure,
    name: str,
    parameters: Mapping[str, Any],
    where: Where,
    *,
    is_strict: bool = False,
) -> str:
    """What in a request speaks against doing this SOP with these values; empty when nothing does. Raises Unclear.

    Strict, for a model that is easily wrong: no word may be left that the SOP does not know, but for an unknown first
    one when the SOP only reads. Else only what is done, compared, measured or dealt with must be known to it.
    """
    known = knowledge(procedure, name)
    parts = read(asked, procedure, known, where)
    from learning.another import another, does_otherwise, tells_where_else
    from learning.likeness import contrary, swapped

    if why := (
        contrary(parts, known, parameters.values(), is_careful=True)
        or another(parts, known)
        or tells_where_else(parts, known)
        or does_otherwise(parts, known)
        or (_strange(parts, known) if is_strict else "")
    ):
        return why
    around = [surroundings(parts, at) for at, part in enumerate(parts) if isinstance(part, Literal)]
    literals = [part for part in parts if isinstance(part, Literal)]
    taken: set[int] = set()
    stands: list[tuple[int, str]] = []
    for key, value in parameters.items():
        schema = procedure.parameters[key]
        places = [
            at
            for at, literal in enumerate(literals)
            if literal_is(literal, value, schema, where)
            and not (
                is_strict and fitting(literal, around[at], key, known, procedure, where) is None
            )
        ]
        taken.update(places)
        stands += [(at, key) for at in places[:1]]
        is_filled_in = value == schema.get("default") or _is_default(key, value, procedure, where)
        if (
            not places
            and not is_filled_in
            and not (kind_of(schema) in ("text", "enum") and _stands(str(value), asked))
        ):
            return f"it does not say {key}"
    kinds = {key: kind_of(procedure.parameters[key]) for key in parameters}
    if name := swapped([(key, around[at].place) for at, key in sorted(stands)], kinds, known):
        return f"{name} stands where another value belongs"
    left = next(
        (
            literal
            for at, literal in enumerate(literals)
            if at not in taken and literal.kind not in ("name", "bare")
        ),
        None,
    )
    return f"nothing takes up “{left.slot.written}”" if left else ""


def _is_listed(word: Word) -> bool:
    return not all(thing.startswith("w:") for thing in word.things)


def _subjects(
    pieces: Sequence[Piece], said: frozenset[tuple[str, str]], known: Knowledge
) -> Iterator[tuple[Word, ...]]:
    """The words of a wording, other than what is to be done, that are not said in any way."""
    for at, piece in enumerate(pieces):
        options = (
            piece.options
            if isinstance(piece, Choice)
            else ((piece,),)
            if isinstance(piece, Word)
            else ()
        )
        kept = [
            tuple(word for word in option if not _only_does(word, at == 0)) for option in options
        ]
        if kept and all(
            option and not all(is_said(word, said, known) for word in option) for option in kept
        ):
            yield kept[0]


def _only_does(word: Word, is_first: bool) -> bool:
    """True for a verb: in English the first word, in Chinese any that is no thing as well."""
    is_thing = any(thing.startswith("o:") for thing in word.things)
    return is_verb(word.things) and not is_thing and (is_first or not word.text.isascii())


def _strange(parts: Sequence[Part], known: Knowledge) -> str:
    """A word that no wording explains, or a wording's subject that is not said in any."""
    whys = []
    said = frozenset(pair for part in parts if isinstance(part, Word) for pair in part.said)
    for sentence in known.sentences:
        left = [
            part
            for at, part in enumerate(parts)
            if isinstance(part, Word) and not is_explained(part, at, parts, sentence, known)
        ]
        if left and left[0] is parts[0] and known.only_reads and not _is_listed(left[0]):
            left = left[1:]
        unsaid = [words[0] for words in _subjects(sentence.pieces, said, known)]
        if not left and not unsaid:
            return ""
        whys.append(f"it says “{left[0].text}”" if left else f"it does not say “{unsaid[0].text}”")
    return whys[0] if whys else "no wordings"


def _is_default(key: str, value: Any, procedure: Procedure, where: Where) -> bool:
    """True for a value that binding fills in by itself."""
    from replay.parameters import bind

    return bool(bind({key: procedure.parameters[key]}, (), {}, where.cwd).get(key) == value)


def _stands(value: str, asked: Asked) -> bool:
    """True when the request holds the text as words of its own; .rtf also as rtf."""
    texts = [value, *([value[1:]] if value[:1] == "." and value[1:].lower() in ENDINGS else [])]
    found = (
        re.search(rf"(?<![\w]){re.escape(text)}(?![\w])", asked.written, re.IGNORECASE)
        for text in texts
        if text
    )
    return any(found)
