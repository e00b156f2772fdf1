"""Read what a question asks for: its words, the people it names, and how the answer to it would
begin.

What was said stands in the first person ("I went to …"), a question names the speaker ("When did
Ann go to …?"). Asked as it stands, an embedding finds other questions; as a statement in the first
person it finds answers. Source: seed 003 P4.3; figures "Recall".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from memory.journal.turns import Turn
from text.words import SMALL, asked, cut, words_of

MAX_STATED_CHARS = 600
LEAST_PARTS = 4  # sentences of a talk; fewer are one question
MAX_PARTS = 12  # of a talk, the last
LESS_EACH = 0.8  # how much a sentence counts beside the one behind it
MAX_QUESTION_CHARS = 200
USUAL = 5  # the importance of what nobody wants kept
_STOP_CHARACTERS = frozenset(
    "的了吗呢吧啊我你您他她它们是在有和与什么时候哪里儿个谁怎样为几多少那这都也就过说想要"
)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9]{2}[.!?])\s+|(?<=[。！？])|\n")
_START = re.compile(
    r"^\s*(what|when|where|who|which|why|how)\b(\s+(kind|type|sort)s? of|\s+(many|much|long|often|old))?",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"^\s*(did|does|do|is|are|was|were|has|have|had|would|will|can)\b", re.IGNORECASE
)
_ASKING_ZH = re.compile(
    "什么时候|什么时间|什么地方|哪一?[天年月日里儿个些位家次款种]|为什么|怎么样|怎么|什么|多少|多久|几[点号时月年天个次]|是谁|谁|有没有|是不是|吗|呢|[？?]"
)

_ASKS = re.compile(
    r"(?i)^\W*(?:what|when|where|who|whom|whose|which|how (?:many|much|old|long)|do you (?:know|remember))\b"
    r"|什么|哪(?!怕)|谁|几[点号个]|多少|何时|[吗呢][？?]?\s*$"
)
_ABOUT_ASKING = re.compile(r"(?i)\bask(?:ed)?\b|问")


class Question(NamedTuple):
    """`terms`: what it is looked up by, each with how much it counts. `named`: the speakers that it
    names, as they are written in `Turn.who`. `stated`: it as a statement; `parts`: it in the first
    person, a talk by its sentences, for each of them may call for something."""

    text: str
    terms: Mapping[str, float]
    named: frozenset[str]
    stated: str
    parts: tuple[str, ...]
    also: Mapping[str, tuple[str, ...]] = {}


def understood(
    text: str, speakers: Iterable[str], also: Mapping[str, tuple[str, ...]] | None = None
) -> Question:
    """Return what `text` asks for, where `speakers` are those who said something that may answer
    it. `also`: terms that stand for the same as one of its own."""
    named = frozenset(who for who in speakers if who and _names(text, who))
    people = {token for who in named for token in asked(who)}
    parts = _parts(text)
    terms = _terms(text, parts, people)
    said = tuple(_as_first(part, named)[:MAX_STATED_CHARS] for part in parts[-MAX_PARTS:])
    return Question(text, terms, named, stated(text, named), said, also or {})


def _terms(text: str, parts: Sequence[str], people: Set[str]) -> dict[str, float]:
    """Return how much each word of a talk weighs but for names: the less, the earlier it was
    said."""
    counted: dict[str, float] = {}
    for age, part in enumerate(reversed(parts)):
        for token in asked(part):
            counted[token] = counted.get(token, 0.0) + LESS_EACH**age
    return {
        token: counted.get(token, 1.0)
        for token in asked(text)
        if not is_small(token) and token not in people
    }


def _parts(text: str) -> list[str]:
    """Return the sentences of a talk; any other text as it is."""
    found = [part for part in _SENTENCE_END.split(text) if cut(part)]
    return found if len(found) >= LEAST_PARTS else [text]


def stated(text: str, named: Iterable[str]) -> str:
    """Return the question as the beginning of its answer: "When did Ann go to Rome?" → "I go to
    Rome"."""
    said = _as_first(text[:MAX_STATED_CHARS], named).rstrip("?？ ")
    said = _AUXILIARY.sub("", _START.sub("", said).strip()).strip()
    return _ASKING_ZH.sub("", said).strip() or text[:MAX_STATED_CHARS]


def _as_first(text: str, named: Iterable[str]) -> str:
    for who in sorted(named):
        name = re.escape(who)
        if who.isascii():
            text = re.sub(rf"\b{name}['’]s\b", "my", text, flags=re.IGNORECASE)
            text = re.sub(rf"\b{name}\b", "I", text, flags=re.IGNORECASE)
        else:
            text = re.sub(name, "我", text)
    return text


def _names(text: str, who: str) -> bool:
    if who.isascii():
        return re.search(rf"\b{re.escape(who)}\b", text, re.IGNORECASE) is not None
    return who in text


def is_small(token: str) -> bool:
    """Return True for a token that says nothing about what is asked for."""
    return token in SMALL or _STOP_CHARACTERS.issuperset(token)


def is_joint(token: str) -> bool:
    """Return True for a pair of characters that may be the end of one word and the beginning of
    another."""
    return not token.isascii() and not _STOP_CHARACTERS.isdisjoint(token)


def asked_words(question: Question) -> tuple[str, ...]:
    """Return the words of a question that a turn may have others for."""
    named = {who.lower() for who in question.named}
    return tuple(word for word in words_of(question.text) if word not in named)


def is_question(text: str) -> bool:
    """Tell whether a text asks for something that a memory could hold."""
    return len(text) <= MAX_QUESTION_CHARS and _ASKS.search(text) is not None


def without_asking(question: str) -> str:
    """Return a question without the words that only ask."""
    return _ASKS.sub(" ", question)


def is_echo(turn: Turn, query: str) -> bool:
    """Tell whether a turn is a request of the owner that only asks, or says the same as `query`: it
    tells nothing."""
    is_request = turn.who == "owner" and turn.run and turn.importance <= USUAL
    if not is_request or _ABOUT_ASKING.search(query):
        return False
    return only_asks(turn.text) or turn.text.strip() == query.strip()


def only_asks(text: str) -> bool:
    """Tell whether a text is a question of any kind."""
    return is_question(text) or text.rstrip().endswith(("?", "？"))
