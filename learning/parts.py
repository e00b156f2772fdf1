"""What a request and a wording are made of: words with what they may mean, values, slots, and what stands around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from learning.concepts import (
    ABOVE,
    BEHIND,
    BELOW,
    EMPTIES,
    FREE_CHINESE,
    FREE_ENGLISH,
    LABELS,
    MAKES,
    PLACES,
    SEEING,
    SIZES,
    chinese_cut,
    meaning,
    phrases,
    sure,
)
from learning.slots import Slot
from text import pattern

SOFT = (
    "o:",
    "w:",
)  # what another wording of the SOP may explain: things, never what is done, compared or measured
SHOW = "v:show"
FILE_OR_FOLDER = frozenset({"o:file", "o:folder"})
CJK = r"\u3400-\u9fff"
WORD = pattern(rf"[A-Za-z]+(?:['’-][A-Za-z]+)*|[{CJK}]+|%|[^\s]")
MEASURES = ("号", "个", "条", "份", "张", "名", "行", "件")
PLAIN_ROLE = frozenset({""})


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a request or a wording, what it may mean, and the words like "to" that it may stand behind: "convert
    json to csv" says the same words as "convert csv to json". `also`: what it surely means where it stands:
    the photo a.png is the image a.png, over 5 MB is larger than 5 MB."""

    text: str
    things: frozenset[str]
    roles: frozenset[str] = PLAIN_ROLE
    also: frozenset[str] = frozenset()

    @property
    def sure(self) -> frozenset[str]:
        """What it means in every procedure."""
        return sure(self.base) | self.also

    @property
    def base(self) -> str:
        """The word without the ending of a possessive."""
        return self.text if self.text in SEEING else self.text.removesuffix("'s")

    @property
    def said(self) -> frozenset[tuple[str, str]]:
        """Each meaning that is sure, in each role."""
        return _said(self.base, self.also, self.roles)

    @property
    def is_free(self) -> bool:
        """True for small words that change nothing."""
        return self.text in FREE_ENGLISH or self.text in FREE_CHINESE

    @property
    def place(self) -> str:
        """What it says about the value behind it, when it is a word like "to"."""
        return PLACES.get(self.text, "")


@lru_cache(maxsize=4096)
def _said(base: str, also: frozenset[str], roles: frozenset[str]) -> frozenset[tuple[str, str]]:
    return frozenset((thing, role) for thing in sure(base) | also for role in roles)


@dataclass(frozen=True, slots=True)
class Literal:
    """A value in a request: what kind it looks like, and its text."""

    kind: str
    slot: Slot
    start: int  # where it stands in the request
    end: int
    exact_context: bool = (
        False  # a bare word: only where a wording has its slot between the same two words
    )


@dataclass(frozen=True, slots=True)
class Gap:
    """A slot of a wording."""

    name: str
    shape: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A group of a wording: one of these may be said; an empty one: none need be."""

    options: tuple[tuple[Word, ...], ...]


Part = Word | Literal
Piece = Word | Gap | Choice


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around a value: `place` is in, to, from …, "thing" for any other word, or "start"; `before` and
    `behind` are the words themselves, `unit` what a number counts, `labels` the words file, folder … beside it."""

    place: str
    before: str
    behind: str
    unit: frozenset[str]
    labels: frozenset[str]
    preposition: str = ""  # the English word that says the place
    is_put: bool = False  # behind 把


def in_place(pieces: Sequence[Any], paths: frozenset[str]) -> list[Any]:
    """The same, each word with what it surely means between its neighbours."""
    return [
        replace(piece, also=_also(piece, pieces[:at], pieces[at + 1 :], paths))
        if isinstance(piece, Word)
        else piece
        for at, piece in enumerate(pieces)
    ]


def _also(
    word: Word, before: Sequence[Any], behind: Sequence[Any], paths: frozenset[str]
) -> frozenset[str]:
    found = frozenset[str]()
    if behind and _is_path(behind[0], paths):
        found = frozenset(thing for thing in word.things if thing.startswith("o:"))
    text = word.text.replace(" ", "_")
    if (
        text in EMPTIES
        and not is_object(behind)
        and not (before and not behind and not isinstance(before[-1], Word))
    ):
        found |= {"v:delete"}
    rest = [each for each in behind[:3] if not (isinstance(each, Word) and each.text == "than")]
    is_size = (
        len(rest) > 1
        and not isinstance(rest[0], Word)
        and isinstance(rest[1], Word)
        and rest[1].things & SIZES
    )
    if is_size and text in ABOVE:
        found |= {"t:larger"}
    return found | {"t:smaller"} if is_size and text in BELOW else found


def _is_path(piece: Any, paths: frozenset[str]) -> bool:
    return (isinstance(piece, Literal) and piece.kind in ("path", "file")) or (
        isinstance(piece, Gap) and piece.name in paths
    )


def particles_of(pieces: Sequence[Any]) -> tuple[str, ...]:
    """The words like "on" that belong to the verb: "turn on lamp 3", "turn lamp 3 on"; and in Chinese what stands in another
    word instead of a value."""
    found = []
    for at, piece in enumerate(pieces):
        if not isinstance(piece, Word):
            continue
        rest = pieces[at + 1 :]
        behind = next(
            (
                each
                for each in rest
                if not (isinstance(each, Word) and (each.is_free or is_label(each)))
            ),
            None,
        )
        if piece.place and piece.text.isascii():
            is_noun = (
                at == 1
                and isinstance(pieces[0], Word)
                and all(t.startswith("o:") for t in pieces[0].things)
            )
            is_after_verb = at == 1 and isinstance(behind, Word) and not is_noun
            if behind is None or is_after_verb or (isinstance(behind, Word) and behind.place):
                found.append(piece.text)
        elif (
            piece.text in BEHIND
            and at
            and isinstance(pieces[at - 1], Word)
            and not pieces[at - 1].is_free
        ):
            found += [piece.text] if any(not isinstance(each, Word) for each in rest) else []
    return tuple(sorted(found))


def cut(text: str) -> Iterator[Word]:
    """The words of a text without values."""
    found = [word for word in WORD.findall(text) if word not in ',.:!?…"#']
    at = 0
    while at < len(found):
        if not found[at].isascii():
            yield from (Word(part, meaning(part)) for part in chinese_cut(found[at]))
            at += 1
            continue
        several = next(
            (p for p in phrases().get(found[at], ()) if tuple(found[at : at + len(p)]) == p),
            (found[at],),
        )
        yield word_of(" ".join(several))
        at += len(several)


def word_of(text: str) -> Word:
    plain = text.replace("’", "'")
    return Word(plain, meaning(plain.removesuffix("'s") if plain not in SEEING else plain))


def with_roles(
    pieces: Sequence[Any], roles: frozenset[str]
) -> tuple[tuple[Any, ...], frozenset[str]]:
    """The same pieces, their words with roles; and the roles of a word that would follow."""
    found: list[Any] = []
    for piece in pieces:
        if isinstance(piece, Choice):
            options = [with_roles(option, roles) for option in piece.options]
            found.append(Choice(tuple(option for option, _ in options)))
            roles = frozenset[str]().union(*(after for _, after in options))
        elif isinstance(piece, Word):
            found.append(replace(piece, roles=roles))
            if piece.place:
                roles = frozenset({"" if piece.place == "in" else piece.place})
            elif not piece.text.isascii() and piece.text.endswith(MAKES):
                roles = frozenset({"to"})
            elif not piece.is_free:
                roles = PLAIN_ROLE
        else:
            found.append(piece)
            roles = PLAIN_ROLE
    return tuple(found), roles


def context_of(before: Sequence[Word], behind: Sequence[Word]) -> Context:
    """`before` is given nearest first."""
    labels = frozenset(
        t
        for w in (*before[:1], *behind[:1])
        if w.text in LABELS or w.things & FILE_OR_FOLDER
        for t in w.things
    )
    left = next((word for word in before if not word.is_free and not is_label(word)), None)
    right = behind[0] if behind else None
    unit = frozenset(thing for thing in (right.things if right else ()) if thing.startswith("u:"))
    place = (left.place or _made(left) or "thing") if left else "start"
    if right and right.text in BEHIND and place in ("thing", "start"):
        return Context("in", before[0].text if before else "", right.text, unit, labels)
    is_put = any(word.text in ("把", "将") for word in before)
    preposition = left.text if left and left.place and left.text.isascii() else ""
    place = "thing" if is_put and place == "start" else place
    return Context(
        place,
        before[0].text if before else "",
        right.text if right else "",
        unit,
        labels,
        preposition,
        is_put,
    )


def _made(word: Word) -> str:
    """ "to" for a Chinese verb that says what comes of it: 替换为."""
    makes = len(word.text) > 1 and word.text.endswith(MAKES) and not word.things & {SHOW, "v:find"}
    return "to" if makes and not word.text.isascii() else ""


def is_label(word: Word) -> bool:
    return word.text in LABELS or bool(word.things & FILE_OR_FOLDER)


def ending_of(literal: Literal) -> str:
    """The ending of a file's name: it says "csv" when nobody does."""
    return literal.slot.plain.strip("\"'`").rpartition(".")[2].lower()


def is_object(behind: Sequence[Any]) -> bool:
    """True for a value that follows directly: in "answer https://…" the first word is a verb."""
    rest = [
        part
        for part in behind
        if not (isinstance(part, Word) and part.text.isascii() and part.is_free)
    ]
    rest = rest[1:] if rest and isinstance(rest[0], Word) and is_label(rest[0]) else rest
    is_place = len(rest) > 1 and isinstance(rest[1], Word) and rest[1].text in BEHIND
    return bool(rest) and isinstance(rest[0], Literal | Gap) and not is_place


def surroundings(parts: Sequence[Part], at: int) -> Context:
    before = _until_literal(reversed(parts[:at]), 3)
    behind = _until_literal(parts[at + 1 :], 2)
    found = context_of(before, behind)
    follows_value = at > 0 and isinstance(parts[at - 1], Literal)
    return found if not follows_value or found.place == "in" else replace(found, place="value")


def _until_literal(parts: Any, count: int) -> list[Word]:
    words: list[Word] = []
    for part in parts:
        if isinstance(part, Literal) or len(words) == count:
            break
        words.append(part)
    return words
