"""Whom the words mean: "I" and 我 are who speaks, "my sister" and 我妹妹 are one, and she may be Anna.

Source: seed 003 P5.3 (entity normalisation).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from memory.graph.shapes import AGENT, OWNER, Party, entity, role_key
from memory.home import MAIN
from memory.journal.turns import Turn
from text import pattern

FORMS_FILE = Path(__file__).parents[2] / "assets" / "graph" / "plain.toml"


@cache
def forms_file() -> dict[str, Any]:
    """Return the tables of what is said of people, read once."""
    return tomllib.loads(FORMS_FILE.read_text("utf-8"))


FORMS: dict[str, tuple[str, ...]] = {
    role: tuple(re.findall(r"[^\s|]+", words)) for role, words in forms_file()["roles"].items()
}
ROLES = frozenset(FORMS)
_ROLES = {form: role for role, forms in FORMS.items() for form in forms}
ENGLISH, CHINESE = (
    "|".join(
        re.escape(form)
        for form in sorted(_ROLES, key=len, reverse=True)
        if (form < "\u3000") == is_english
    )
    for is_english in (True, False)
)
_OWN = {
    **dict.fromkeys(
        ["i", "me", "my", "myself", "owner", "user", "我", "本人", "主人", "用户", "俺"], OWNER
    ),
    **dict.fromkeys(
        ["you", "your", "agent", "assistant", "sopwith", "ai", "你", "您", "助手", "智能体"], AGENT
    ),
}
_ROLE_OF = pattern(
    rf"(?i)^(?:(?P<me>my|our)|(?P<of>[\w.-]+(?: [\w.-]+)?)['’]s) (?:[\w-]+ )?(?P<role>{ENGLISH})s?$"
    rf"|^(?:(?P<zh_me>我们?家?|我)|(?P<zh_of>[\w·]{{1,12}}?))的?(?P<zh_role>{CHINESE})$"
)
_IN_TEXT = pattern(
    rf"(?i)\b(?:my|our|[\w.-]{{1,40}}['’]s) (?:[\w-]{{1,20}} )?(?:{ENGLISH})\b|我们?家?的?(?:{CHINESE})|[\w·]{{1,6}}?的(?:{CHINESE})"
)


class Spoken(NamedTuple):
    """Someone who is meant. `role`: when they are called by what they are to `of`."""

    party: Party
    of: Party | None = None
    role: str = ""


def speaker(turn: Turn) -> Party:
    """Return who says a turn. Whoever speaks in a group is not the owner for that."""
    if turn.who == "agent":
        return AGENT
    if turn.who in ("owner", turn.session):
        return (
            OWNER
            if turn.session == MAIN.name
            else Party("Entity", turn.session, f"@{turn.session}")
        )
    return entity(turn.who) or Party("Entity", "?", "?")


def meant(words: str, who: Party = OWNER) -> Spoken | None:
    """Return whom words mean when `who` says them; None when nobody. Names are taken as they
    stand."""
    plain = " ".join(words.split())
    own = _OWN.get(plain.casefold())
    if own is not None:
        return Spoken(who if own is OWNER else own)
    party = entity(plain)
    return _called(plain, who) or (Spoken(party) if party else None)


def _called(words: str, who: Party) -> Spoken | None:
    """Return who is called by what they are to somebody; None for all other words."""
    found = _ROLE_OF.match(words)
    if found is None:
        return None
    role = role_of(found["role"] or found["zh_role"])
    name = found["of"] or found["zh_of"]
    of = entity(name) if name else who
    if of is None or not role:
        return None
    shown = words if of == OWNER else f"{of.name}'s {role}"
    return Spoken(Party("Entity", shown, role_key(of, role)), of, role)


def role_of(word: str) -> str:
    """Return what "Mom" and 妈妈 are: mother; "" for what is no role."""
    return _ROLES.get(word.casefold()) or _ROLES.get(word.casefold().removesuffix("s"), "")


def roles_in(text: str) -> Iterator[str]:
    """Yield the words of a text that call someone by what they are to someone: "my sister", 我妹妹,
    "Bob's boss"."""
    for found in _IN_TEXT.finditer(text):
        yield found[0]
