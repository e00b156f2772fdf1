"""What the window tells recall: turns that are fresh count more, "it" and "my sister" get the names that were spoken of.

It only helps to find; what is remembered lies elsewhere. Source: seed 003 P2.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.turns import Turn


@dataclass(frozen=True, slots=True)
class Assist:
    """`boosts`: turn id → 0 to 1, how fresh a turn of the window is. `hints`: words to look up beside those of a question."""

    boosts: dict[str, float]
    hints: tuple[str, ...]


HALF_LIFE_SECONDS = 3600.0
MAX_HINTS = 6
_REFERS = re.compile(
    r"(?i)\b(?:it|its|that|this|those|these|they|them|their|he|him|his|she|her|hers|there|then|the same|the one)\b"
    r"|[它他她]们?|那[个里次件家天位]|这[个里次件家天位]|上述|刚才"
)
_ROLE = (
    r"(?:sister|brother|mother|mom|father|dad|wife|husband|partner|son|daughter|boss|manager|colleague|friend|dog|cat"
    r"|neighbou?r|landlord|doctor|dentist|teacher)"
)
_ROLES = (
    "姐姐|妹妹|哥哥|弟弟|妈妈|母亲|爸爸|父亲|老婆|妻子|老公|丈夫|儿子|女儿|老板|同事|朋友|狗|猫|邻居|房东|医生|老师"
)
_ALIASES = (
    re.compile(
        rf"(?P<role>\b[Mm]y (?:\w+ )?{_ROLE})(?:'s name is|,? (?:is called|is named|called|named|is)|,|) (?P<name>[A-Z][\w'-]+)"
    ),
    re.compile(rf"(?P<name>\b[A-Z][\w'-]+)(?:,| is) (?P<role>my (?:\w+ )?{_ROLE})\b"),
    re.compile(rf"(?P<role>我的?(?:{_ROLES}))(?:的名字)?(?:叫|名叫|是)(?P<name>[\w]{{2,4}}?)(?=[，。,.！!\s]|$)"),
)


def assist(question: str, turns: Sequence[Turn], now: datetime) -> Assist:
    """What the last turns (the newest last) add to a question: fresh turns count more; "it" and "she" get the names that
    were spoken of; "my sister" and her name stand for each other. `now` is aware."""
    boosts = {turn.id: 0.5 ** (max(0.0, (now - turn.at).total_seconds()) / HALF_LIFE_SECONDS) for turn in turns}
    hints: dict[str, None] = {}
    for turn in reversed(turns):
        for one, other in _aliases(turn.text):
            if one.casefold() in question.casefold():
                hints.setdefault(other)
            elif other.casefold() in question.casefold():
                hints.setdefault(one)
    if _REFERS.search(question):
        for turn in reversed(turns):
            for name in _names(turn.text):
                hints.setdefault(name)
    new = [hint for hint in hints if hint.casefold() not in question.casefold()]
    return Assist(boosts, tuple(new[:MAX_HINTS]))


def _aliases(text: str) -> Iterator[tuple[str, str]]:
    for pattern in _ALIASES:
        for match in pattern.finditer(text):
            role = re.sub(r"(?i)^my |^我的?", "", match["role"])
            yield role, match["name"]


def _names(text: str) -> Iterator[str]:
    from memory.fact_words import values

    for value in values(text):
        is_name = value.kind in ("name", "quoted", "path") or (value.kind == "word" and value.text[:1].isupper())
        if is_name and len(value.text) > 1:
            yield value.text
