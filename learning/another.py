"""Whether a request is for another task than what an SOP does, although their words are much alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from learning.concepts import alike, families, meaning, stem
from learning.likeness import reads
from learning.parts import FILE_OR_FOLDER, Literal, Part, Word, particles_of
from learning.rewording import other_question
from learning.sentences import Knowledge, Sentence

# before a value: it is there for something else
TURNING = ("every", "each", "about", "via", "through", "每", "每隔", "关于")
# what is asked for stands behind
WHICH = ("which", "many", "how many", "most", "fewest", "least", "哪个", "哪些", "几个", "多少")
EACH = ("every", "each", "每")  # each "river" is what is there, every 5 minutes is when
READING = frozenset(
    {
        "v:show",
        "v:find",
        "v:count",
        "v:check",
        "v:print",
        "v:read",
        "v:sum up",
        "v:calculate",
        "v:average",
    }
)
ASKED = frozenset(
    {"吗", "什么时候", "何时", "谁", "哪", "哪个", "哪些", "多少", "几", "是否", "有没有"}
)  # a question
# with a verb they make another
DIRECTIONS = frozenset({"up", "down", "out", "off", "over", "away", "back", "向上", "向下"})


def another(parts: Sequence[Part], known: Knowledge) -> str:
    """What makes a request another task than this SOP does; empty when nothing does."""
    if why := other_question(_plainly(parts), known):
        return why
    if _is_of_other_verb(parts, known):
        return "it says that something else is to be done"
    if _is_turned(parts, known):
        return "its small words say something else"
    words = () if reads(known) else (part.text for part in parts if isinstance(part, Word))
    return next((f"it asks “{text}”" for text in words if text in ASKED), "")


def tells_where_else(parts: Sequence[Part], known: Knowledge) -> str:
    """Where something begins or ends with a value is another question than whether it holds it."""
    words = (part.text for part in parts if isinstance(part, Word) and tells_where(part))
    return next((f"it says “{text}”" for text in words if text not in known.texts), "")


def does_otherwise(parts: Sequence[Part], known: Knowledge) -> str:
    """A verb, or a thing that is asked for, that no wording begins with: for who is not shown what would be done. Where
    something is changed, a verb that may be said of the same task stands in the family that the wordings' verb heads."""
    words = [part for part in parts if isinstance(part, Word)]
    verbs = [word for word in words if _is_to_be_done(word, known)]
    heads = frozenset(thing for sentence in known.sentences for thing in _head(sentence))
    own = heads | alike(heads)
    if verbs and heads and not reads(known) and not any(word.things & own for word in words):
        return f"it says “{verbs[0].text}”"
    for at, word in enumerate(parts[:-1]):
        if (
            not isinstance(word, Word)
            or word.text not in WHICH
            or not isinstance(thing := parts[at + 1], Word)
        ):
            continue
        meant = [
            each for sentence in known.sentences for each in _asked_for(sentence.pieces, word.text)
        ]
        is_other = meant and not any(_things(thing) & each for each in meant)
        is_mere_label = (
            not meant and thing.things & FILE_OR_FOLDER and thing.text not in known.texts
        )
        if _things(thing) and (is_other or is_mere_label):
            return f"it asks for {thing.text}"
    return ""


def _head(sentence: Sentence) -> frozenset[str]:
    """What a wording says is to be done: its first word; where that is no verb, as in Chinese, all verbs of it."""
    return _verbs(sentence.pieces[:1]) or _verbs(sentence.pieces)


def _asked_for(pieces: Sequence[Any], word: str) -> list[frozenset[str]]:
    """The things that stand behind "which" or "how many" in a wording."""
    return [
        _things(behind)
        for piece, behind in pairwise(pieces)
        if isinstance(piece, Word)
        and isinstance(behind, Word)
        and piece.text == word
        and _things(behind)
    ]


def _plainly(parts: Sequence[Part]) -> list[Part]:
    """Without the "been" of "that have been merged": they are."""
    texts = [part.text if isinstance(part, Word) else "" for part in parts]
    return [
        part
        for at, part in enumerate(parts)
        if texts[at] != "been" or texts[at - 1] not in ("have", "has")
    ]


def _is_of_other_verb(parts: Sequence[Part], known: Knowledge) -> bool:
    """Whether a request says first that something else is to be done than what the SOP does, or undone."""
    words = [part for part in parts if isinstance(part, Word)]
    for at, word in enumerate(words):
        undone = (
            re.findall(r"^(?:un|re|dis)(\w{3,})", word.text) if word.text not in known.texts else []
        )
        verbs = frozenset(
            thing for base in undone for thing in meaning(base) if thing.startswith("v:")
        )
        if verbs & known.things or (verbs and at == 0 and not word.things & known.things):
            return True
    heads = frozenset(
        thing for sentence in known.sentences for thing in _verbs(sentence.pieces[:1])
    )
    if (
        words
        and not words[0].things & heads
        and _verbs(words[:1])
        and _is_only_told(words[0], known)
    ):
        return True  # "duplicate the files", where duplicates are looked for
    own = heads | frozenset(
        thing for sentence in known.sentences for thing in _verbs(sentence.pieces)
    )
    own |= READING if reads(known) else frozenset()
    said = [_verbs([word]) for word in words if _is_to_be_done(word, known)]
    if not said or not own:
        return False
    if not reads(known) and said[0] <= READING and not any(verbs & heads for verbs in said):
        return True
    return not (
        said[0] & own or families(said[0]) & families(own) or any(verbs & heads for verbs in said)
    )


def _is_to_be_done(word: Word, known: Knowledge) -> bool:
    """True for a verb that is not a thing of the SOP's as well: "order" where orders are cancelled."""
    return (
        bool(_verbs([word]))
        and not tells_where(word)
        and not word.things & known.things & _things(word)
    )


def _verbs(pieces: Sequence[Any]) -> frozenset[str]:
    """What these words may be as things to do; "merged" tells which branches, and is not to be done."""
    words = [
        piece
        for piece in pieces
        if isinstance(piece, Word) and not piece.text.endswith(("ed", "ing"))
    ]
    return frozenset(thing for word in words for thing in word.things if thing.startswith("v:"))


def _things(word: Word) -> frozenset[str]:
    return frozenset(thing for thing in word.things if thing.startswith("o:"))


def _is_only_told(word: Word, known: Knowledge) -> bool:
    """Whether the wordings have a word too, and as something else than what is to be done."""
    return any(
        stem(text).removesuffix("d") in (word.text, f"{word.text}e") or stem(text) == word.text
        for text in known.texts
    )


def tells_where(word: Word) -> bool:
    """True for words that are seldom what is to be done: files that start with a, the end of the name."""
    return word.text in ("start", "starts", "end", "ends", "begin", "begins", "open", "开头")


def _is_turned(parts: Sequence[Part], known: Knowledge) -> bool:
    """Whether the small words of a request turn it into another: off for on, from json for to json, every 5 minutes."""
    ends = [part.text for part in parts[-2:] if isinstance(part, Word)]
    particles, said = _particles(parts[:-2] if ends == ["in", "it"] else parts), _directions(parts)
    if not any(
        particles == _particles(each.pieces) and _of_verb(each) <= said <= _directions(each.pieces)
        for each in known.sentences
    ):
        return True
    pairs = frozenset(pair for sentence in known.sentences for pair in sentence.explains)
    for at, part in enumerate(parts):
        if not isinstance(part, Word) or part.is_free or part.place:
            continue
        placed = {thing for thing, role in pairs if role in ("from", "to")}
        if part.roles & {"from", "to"} and part.things & placed and not part.said & pairs:
            return True
        if (
            part.text in TURNING
            and isinstance(value := next(iter(parts[at + 1 : at + 2]), None), Literal)
            and (value.kind != "quoted" or part.text not in EACH)
            and part.text not in known.texts
        ):
            return True
    return False


def _particles(parts: Sequence[Any]) -> frozenset[str]:
    """Of the words that belong to no value those that make another verb of one: turn on, check in."""
    plain = [part.text if isinstance(part, Word) else "" for part in parts]
    is_in = "in" in (*plain[1:2], *plain[-1:])
    return frozenset(particles_of(parts)) & (DIRECTIONS | {"on", *(["in"] if is_in else [])})


def _directions(parts: Sequence[Any]) -> frozenset[str]:
    """The words like "up" in a request, or in a wording."""
    texts = [part.text if isinstance(part, Word) else "" for part in parts]
    return DIRECTIONS & {
        text for text, behind in zip(texts, [*texts[1:], ""], strict=True) if behind != "of"
    }


def _of_verb(sentence: Sentence) -> frozenset[str]:
    """Those that belong to what is to be done for sure: right behind it, or at the end."""
    return _directions([*sentence.pieces[:2], *sentence.pieces[-1:]])
