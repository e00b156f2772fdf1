"""What the wordings of an SOP say together: their words, and for each slot the places where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from learning.concepts import meaning, sure
from learning.parts import (
    CJK,
    FILE_OR_FOLDER,
    PLAIN_ROLE,
    SOFT,
    Choice,
    Context,
    Gap,
    Piece,
    Word,
    context_of,
    cut,
    in_place,
    particles_of,
    with_roles,
)
from learning.request import PLAIN
from replay.procedure import Procedure


@dataclass(frozen=True, slots=True)
class Sentence:
    """One wording: its pieces, its slots with what stands around them, and everything that its words may mean."""

    text: str
    pieces: tuple[Piece, ...]
    gaps: tuple[str, ...]
    explains: frozenset[tuple[str, str]]
    head: frozenset[str]  # what its first word may mean; empty when it begins with a slot
    is_chinese: bool
    particles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All wordings of an SOP, what its words mean together, and for each slot the contexts in which it stands."""

    sentences: tuple[Sentence, ...]
    soft: frozenset[tuple[str, str]]
    contexts: Mapping[str, tuple[Context, ...]]
    shapes: Mapping[str, str]
    chinese: frozenset[str]
    only_reads: bool
    things: frozenset[str]  # all that its words may mean
    texts: frozenset[str]  # its words as they are written


def knowledge(procedure: Procedure, name: str, lang: str = "") -> Knowledge:
    """What the wordings of a procedure say; worked out once for the same wordings. With a language only those that are in
    it, if any are: 行 is a row and a line, so an English request is held against the English wordings."""
    wordings = tuple(wording.text for wording in procedure.wordings if not wording.is_exact)
    own = tuple(text for text in wordings if not lang or is_chinese(text) == (lang == "zh"))
    paths = frozenset(
        name for name, schema in procedure.parameters.items() if schema.get("format") == "path"
    )
    return _knowledge(
        own or wordings, name, tuple(procedure.parameters), paths, procedure.effects == "none"
    )


def is_chinese(text: str) -> bool:
    """True for a wording with Chinese words outside of its slots."""
    return re.search(f"[{CJK}]", text) is not None


@lru_cache(maxsize=1024)
def _knowledge(
    wordings: tuple[str, ...],
    name: str,
    parameters: tuple[str, ...],
    paths: frozenset[str],
    only_reads: bool,
) -> Knowledge:
    sentences = tuple(_sentence(text, paths) for text in wordings)
    said = {word for sentence in sentences for word in words_of(_without_labels(sentence.pieces))}
    soft = {pair for word in said for pair in word.said if pair[0].startswith(SOFT)}
    names = [part for name in (name, *parameters) for part in re.split("[-_]", name)]
    soft |= {
        (thing, "")
        for part in names
        for thing in sure(part) - FILE_OR_FOLDER
        if thing.startswith(SOFT)
    }
    contexts: dict[str, list[Context]] = {}
    shapes: dict[str, str] = {}
    for sentence in sentences:
        for gap, found in _gap_contexts(sentence.pieces):
            contexts.setdefault(gap.name, []).extend(found)
            shapes[gap.name] = gap.shape or shapes.get(gap.name, "")
    chinese = frozenset(word.text for word in said if not word.text.isascii())
    packed = {key: tuple(dict.fromkeys(several)) for key, several in contexts.items()}
    things = {thing for thing, _ in soft}.union(*(word.things for word in said))
    things |= {
        thing
        for part in names
        for thing in meaning(part) - FILE_OR_FOLDER
        if thing.startswith(SOFT)
    }
    texts = frozenset(word.text for word in said)
    return Knowledge(
        sentences, frozenset(soft), packed, shapes, chinese, only_reads, frozenset(things), texts
    )


def _sentence(text: str, paths: frozenset[str]) -> Sentence:
    pieces, _ = with_roles(in_place(list(_pieces(text)), paths), PLAIN_ROLE)
    words = list(words_of(_without_labels(pieces)))
    first = pieces[0] if pieces else None
    heads = (
        [first]
        if isinstance(first, Word)
        else [option[0] for option in first.options if option]
        if isinstance(first, Choice)
        else []
    )
    return Sentence(
        text,
        pieces,
        tuple(piece.name for piece in pieces if isinstance(piece, Gap)),
        frozenset(pair for word in words for pair in word.said),
        frozenset(thing for word in heads for thing in word.sure),
        not text.isascii(),
        particles_of(pieces),
    )


def _pieces(text: str) -> Iterator[Piece]:
    for token in re.findall(r"\{[^{}]*\}|\[[^\[\]]*\]|[^{}\[\]]+", text.translate(PLAIN).lower()):
        if token[0] == "{":
            name, _, shape = token[1:-1].partition(":")
            yield Gap(name, shape)
        elif token[0] == "[":
            yield Choice(tuple(tuple(cut(choice)) for choice in token[1:-1].split("|")))
        else:
            yield from cut(token)


def _without_labels(pieces: Sequence[Piece]) -> list[Piece]:
    """Without "file" and "folder" beside a slot: they are about its value, and explain nothing else."""
    return [
        piece
        for at, piece in enumerate(pieces)
        if not (
            isinstance(piece, Word)
            and piece.things & FILE_OR_FOLDER
            and any(
                isinstance(near, Gap)
                for near in (*pieces[max(0, at - 1) : at], *pieces[at + 1 : at + 2])
            )
        )
    ]


def words_of(pieces: Sequence[Piece]) -> Iterator[Word]:
    for piece in pieces:
        if isinstance(piece, Word):
            yield piece
        elif isinstance(piece, Choice):
            yield from (word for option in piece.options for word in option)


def _gap_contexts(pieces: Sequence[Piece]) -> Iterator[tuple[Gap, list[Context]]]:
    """For each slot every context that the choices around it allow."""
    for at, piece in enumerate(pieces):
        if not isinstance(piece, Gap):
            continue
        befores = list(_sides(pieces[:at], -1, 3))
        behinds = list(_sides(pieces[at + 1 :], 1, 2))
        yield piece, [context_of(before, behind) for before in befores for behind in behinds]


def _sides(pieces: Sequence[Piece], step: int, count: int) -> Iterator[tuple[Word, ...]]:
    """The up to `count` words beside a place, nearest first, in each way that the groups can be said."""
    if not pieces or not count:
        yield ()
        return
    nearest, rest = (pieces[0], pieces[1:]) if step > 0 else (pieces[-1], pieces[:-1])
    if isinstance(nearest, Gap):
        yield ()
    elif isinstance(nearest, Word):
        yield from ((nearest, *more) for more in _sides(rest, step, count - 1))
    else:
        for option in nearest.options:
            words = option[::step]
            for more in _sides(rest, step, max(0, count - len(words))):
                yield (*words, *more)
