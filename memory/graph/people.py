"""Whom the words mean: "I" and 我 are who speaks, "my sister" and 我妹妹 are one, and she may be Anna.

Source: seed 003 P5.3 (entity normalisation).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memory.graph.shapes import AGENT, OWNER, Party, entity, role_key
from memory.home import MAIN
from memory.journal.turns import Turn
from text import pattern

_TABLE = """
sister | sister sis | 姐姐 妹妹 大姐 小妹 老妹 姐 妹
brother | brother bro | 哥哥 弟弟 大哥 小弟 老弟 哥 弟
mother | mother mom mum mama mommy | 妈妈 母亲 老妈 妈
father | father dad papa daddy | 爸爸 父亲 老爸 爸
wife | wife | 老婆 妻子 太太 媳妇
husband | husband | 老公 丈夫 先生
partner | partner girlfriend boyfriend fiancee fiancé fiance fiancée | 女朋友 男朋友 女友 男友 对象 未婚妻 未婚夫
son | son | 儿子
daughter | daughter | 女儿 闺女
child | kid child baby | 孩子 宝宝
parents | parents folks | 父母 爸妈
grandmother | grandmother grandma granny nana | 奶奶 外婆 姥姥 祖母
grandfather | grandfather grandpa granddad | 爷爷 外公 姥爷 祖父
aunt | aunt auntie | 阿姨 姑姑 姨妈 舅妈
uncle | uncle | 叔叔 舅舅 伯伯 姑父
cousin | cousin | 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹
niece | niece | 侄女 外甥女
nephew | nephew | 侄子 外甥
boss | boss manager supervisor | 老板 上司 领导 经理
colleague | colleague coworker co-worker teammate | 同事 队友
friend | friend buddy | 朋友 闺蜜 好友 哥们
roommate | roommate flatmate housemate | 室友
neighbour | neighbour neighbor | 邻居
landlord | landlord landlady | 房东
doctor | doctor therapist dentist | 医生 牙医
teacher | teacher coach mentor tutor professor | 老师 教练 导师
student | student | 学生
client | client customer | 客户
dog | dog puppy pup | 狗狗 小狗 狗
cat | cat kitten kitty | 猫咪 小猫 猫
"""
_FORMS = [tuple(part.split() for part in line.split("|")) for line in _TABLE.strip().splitlines()]
_ROLES = {form: row[0][0] for row in _FORMS for form in (*row[1], *row[2])}
ROLES = frozenset(row[0][0] for row in _FORMS)
FORMS = {row[0][0]: (*row[1], *row[2]) for row in _FORMS}  # role → the words for it
ENGLISH = "|".join(
    sorted((re.escape(form) for row in _FORMS for form in row[1]), key=len, reverse=True)
)
CHINESE = "|".join(sorted((form for row in _FORMS for form in row[2]), key=len, reverse=True))
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
    """Whom words mean when `who` says them; None when nobody. Names are taken as they stand."""
    plain = " ".join(words.split())
    own = _OWN.get(plain.casefold())
    if own is not None:
        return Spoken(who if own is OWNER else own)
    found = _ROLE_OF.match(plain)
    if found is not None:
        role = role_of(found["role"] or found["zh_role"])
        name = found["of"] or found["zh_of"]
        other = entity(name) if name else who
        if role and other:
            shown = plain if other == OWNER else f"{other.name}'s {role}"
            return Spoken(Party("Entity", shown, role_key(other, role)), other, role)
    party = entity(plain)
    return Spoken(party) if party else None


def role_of(word: str) -> str:
    """Return what "Mom" and 妈妈 are: mother; "" for what is no role."""
    return _ROLES.get(word.casefold()) or _ROLES.get(word.casefold().removesuffix("s"), "")


def roles_in(text: str) -> Iterator[str]:
    """The words of a text that call someone by what they are to someone: "my sister", 我妹妹, "Bob's boss"."""
    for found in _IN_TEXT.finditer(text):
        yield found[0]
