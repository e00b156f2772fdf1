"""A quick look, before learning/rewording.py reads a request: a word that no wording of an SOP can explain settles it.

Most tasks are about something that no SOP does. To find that out the careful way, all wordings are taken apart (50 ms for
the seeds); here each word of the request is looked for in their text. It only says no where the careful reading is sure
to say no: what may be a value, a name or part of a longer expression is passed over.
"""

from __future__ import annotations

import re
from functools import cache

from learning.concepts import (
    ASKING,
    FREE_CHINESE,
    FREE_ENGLISH,
    LABELS,
    PLACES,
    SEEING,
    chinese_cut,
    meaning,
    meanings,
)
from learning.request import PLAIN, Asked
from learning.slots import PLACE_WORDS, TENS, UNITS
from replay.procedure import Procedure
from text import pattern

QUOTED = pattern(r"[\"'`].*[\"'`]", re.DOTALL)
VALUES = pattern(r"[\"'`「『《].*[\"'`」』》]|[~./\w-]*[/~][^\s]*", re.DOTALL | re.ASCII)
CHINESE = pattern(r"[\u3400-\u9fff]+")
SHOW = "v:show"  # a procedure that only reads is asked for with any such word


def strange_word(asked: Asked, procedure: Procedure, name: str) -> str:
    """A word of a request that says something which no wording of this SOP says; empty when there is none for sure.

    `name` is the SOP's name.
    """
    text = asked.written[asked.start : asked.end]
    known = _text(procedure, name)
    if not text.isascii():
        return _strange_chinese(asked.plain[asked.start : asked.end], known)
    takes_words = any(
        schema["type"] == "string" and "format" not in schema and "enum" not in schema
        for schema in procedure.parameters.values()
    )
    for position, written in enumerate(QUOTED.sub(" x.y ", text).split()):
        word = written.rstrip(",.!?:")
        word = word.lower() if position == 0 else word  # a capital further on may be a name
        if not re.fullmatch("[a-z]+", word) or word in _may_be_more():
            continue
        is_unknown = all(thing.startswith("w:") for thing in meaning(word))
        may_be_value = takes_words and is_unknown and position > 0
        if not may_be_value and not any(form in known for form in _forms(word)):
            return word
    return ""


def _strange_chinese(text: str, known: str) -> str:
    """A Chinese verb of which nothing stands in an SOP's words: neither what means the same nor one of its characters, by
    which the careful reading might take the sentence apart otherwise."""
    for run in CHINESE.findall(VALUES.sub(" ", text)):
        for word in chinese_cut(run):
            if len(word) < 2 or set(word) & set(known) or not _is_only_done(word):
                continue
            if not any(form in known for form in _forms(word)):
                return word
    return ""


@cache
def _is_only_done(word: str) -> bool:
    things = meaning(word) - {f"w:{word}"}
    is_small = word in FREE_CHINESE or word in PLACES or word in PLACE_WORDS
    return (
        bool(things)
        and not is_small
        and SHOW not in things
        and all(thing.startswith("v:") for thing in things)
    )


@cache
def _may_be_more() -> frozenset[str]:
    """Words that say nothing alone, are part of a longer expression, or stand for a place or a number."""
    several = {
        part
        for expression in (*meanings(), *PLACE_WORDS)
        if " " in expression
        for part in expression.split()
    }
    shows = {word for word, things in meanings().items() if SHOW in things}
    single = (FREE_ENGLISH, ASKING, LABELS, PLACES, SEEING, PLACE_WORDS, UNITS, TENS, ("hundred",))
    return frozenset(several | shows).union(*single)


@cache
def _forms(word: str) -> frozenset[str]:
    """The beginnings of all words that may mean the same as this one."""
    things = meaning(word)
    bases = {thing[2:] for thing in things if thing.startswith("w:")}
    bases |= {other.split()[0] for other, said in meanings().items() if said & things}
    return frozenset(base.removesuffix("y") for base in bases)  # "entries" is a form of "entry"


def _text(procedure: Procedure, name: str) -> str:
    """All that an SOP's own words are taken from."""
    choices = [
        str(choice) for schema in procedure.parameters.values() for choice in schema.get("enum", ())
    ]
    wordings = [wording.text for wording in procedure.wordings]
    return " ".join([name, *procedure.parameters, *choices, *wordings]).translate(PLAIN).lower()
