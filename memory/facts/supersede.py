"""Decide which older memory a newer one replaces: it says the contrary, names what it gives up, or another value.

Rules alone, in English and Chinese, and only where there can be little doubt: what is not found stays, and a model may find
more. Source: seed 000 "Background tasks" (clean out what is outdated or in conflict).
"""

from __future__ import annotations

import re

from memory.facts.words import replaces, words

_DISLIKES = re.compile(
    r"(?i)\b(?:hate|dislike|detest|despise|loathe|can(?:'t|’t|not) (?:stand|bear)|(?:don't|don’t|do not|no longer|never) (?:really )?"
    r"(?:like|love|enjoy|want|use|eat|drink)|am not a fan of)\b|讨厌|不喜欢|不爱|受不了|反感|厌恶|不再?[吃喝]|不再喜欢|不用"
)
_LIKES = re.compile(
    r"(?i)\b(?:(?:like|love|adore|enjoy|prefer|favou?r|want|use|eat|drink)s?|am a fan of)\b|(?:喜欢|爱)[吃喝用看]?|偏好|偏爱"
)
_IDLE = re.compile(
    r"(?i)\b(?:now|really|actually|at all|any ?more|after all|again|still|much|very|so)\b|现在|其实|了|很|真的|最"
)
_BREAK = re.compile(r"\s*[,;，；。]\s*|\.\s+|\s+but\s+|但是?")
_WHEN = re.compile(
    r"(?i)\b(?:in the |at |on |every )?(?:mornings?|afternoons?|evenings?|nights?|noon|weekends?|always|usually|often|every day)\b"
    r"|(?:每天)?(?:早上|上午|中午|下午|晚上|夜里|周末)|平时|一般|经常|总是|每天"
)
_HEADS = re.compile(
    r"(?i)(?P<head>my (?:favou?rite|preferred) [^,.]{1,60}? (?:is|are)|call me|my name is|i (?:now )?(?:live in|moved to(?= (?-i:[A-Z])))"
    r"|my (?:\w+ ){1,2}(?:now )?(?:lives in|works (?:at|for|in)|is called|(?:number|address|e-?mail|birthday) is)"
    r"|我(?:最喜欢|偏好)的.{1,30}?是|(?:请)?(?:叫|称呼)我|我的?名字(?:叫|是)|我(?:现在)?(?:住在|搬到了?)"
    r"|我的?(?:姐姐|哥哥|弟弟|妹妹|妈妈|爸爸|儿子|女儿|老婆|老公|朋友)(?:现在)?(?:住在|搬到了?|在.{0,4}上班的地方是))\s*(?P<tail>\S.*)"
)
_USES = (
    re.compile(
        r"(?i)\b(?:we|i)(?: now| will| have)? (?:use|chose|picked|went with|decided on|settled on|switched to|moved to|run on) "
        r"(?P<what>[\w.+#-]+(?: (?-i:[A-Z0-9])[\w.+#-]*)*) (?P<rest>(?:for|as|in|on) [^,.;]+)"
    ),
    re.compile(
        r"(?P<rest>[\u4e00-\u9fff]{2,20}?)(?:现在|以后)?(?:改用|换用|采用|使用|用)\s*(?P<what>[A-Za-z][A-Za-z0-9_.+#-]*)"
    ),
)
_NAME = r"(?:(?:the|my|our|an?) )?(?P<what>[\w.+#-]+(?: (?-i:[A-Z0-9])[\w.+#-]*)*)"
_GIVES_UP = (
    re.compile(
        r"(?i)\b(?:instead of|in place of|rather than|no longer(?: (?:us(?:e|ing|ed)|with|on|drink|eat|like|love|want|prefer|take|buy|need|have)s?)?|not(?: (?:use|using)|(?= (?-i:[A-Z])))"
        r"|(?:switch|switching|switched|move|moving|moved) (?:over |away )?from|replac(?:es|ing|ed)|drop(?:s|ped|ping)?"
        r"|stop(?:s|ped)? (?:using|drinking|eating|with)|g[ai]ve up(?: on)?|quit|ditch(?:ed)?|abandon(?:ed)?|got rid of"
        r"|(?:chose|choose|picked|took) [\w.+#-]+ over) "
        + _NAME
    ),
    re.compile(
        rf"(?i)\b{_NAME} (?:is|was|are|were|has been|have been) (?:no longer (?:used|in use)|not used any ?more|replaced|dropped"
        r"|retired|abandoned|gone|cancell?ed)\b"
    ),
    re.compile(r"(?:不再(?:使?用)?|不用|放弃|弃用|停用|淘汰|而不是|取代|代替|替代|停用)\s*(?P<what>[A-Za-z][A-Za-z0-9_.+#-]*|[\u4e00-\u9fff]{2,6}?(?=了|[,，。;；]|$))"),
    re.compile(r"(?P<what>[A-Za-z][A-Za-z0-9_.+#-]*)\s*(?:已经?)?(?:停用|弃用|淘汰|下线|不用|取消)"),
    re.compile(r"从\s*(?P<what>[A-Za-z][A-Za-z0-9_.+#-]*|[\u4e00-\u9fff]{2,6}?)\s*(?:换成|改用|改成|改到|改为|换到|挪到|调到|迁移到|转到)"),
    re.compile(r"把\s*(?P<what>[A-Za-z][A-Za-z0-9_.+#-]*|[\u4e00-\u9fff]{2,6}?)\s*(?:换成|改为|改成|换掉)"),
)  # fmt: skip
_NO_NAME = frozenset(
    (
        "the",
        "my",
        "our",
        "your",
        "this",
        "that",
        "these",
        "those",
        "with",
        "for",
        "use",
        "have",
        "only",
        "to",
        "in",
        "on",
        "at",
    )
)
_TIME = re.compile(
    r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|\d+|(?:周|星期|礼拜)[一二三四五六日天]|.{1,3}月.*"
)
_LANGUAGES = re.compile(
    r"(?i)\b(?:in )?(?:English|Chinese|German|French|Spanish|Italian|Japanese|Korean|Russian|Portuguese)\b"
    r"|(?:用|以)?(?:中文|英文|英语|汉语|德语|法语|日语|韩语|俄语|西班牙语)"
)


def supersedes(new: str, old: str) -> bool:
    """Return True if a newer sentence takes the place of an older one."""
    return (
        (_taste(new) is None and replaces(new, old))  # one may like both room 12 and room 14
        or any(_says_the_contrary(part, old) for part in (new, *_parts(new)))
        or _has_another_value(new, old)
        or _is_in_another_language(new, old)
        or _gives_it_up(new, old)
    )


def _parts(text: str) -> list[str]:
    """Return what a sentence says one after the other: "I drink no coffee any more, only tea"."""
    parts = _BREAK.split(text)
    return parts if len(parts) > 1 else []


def _says_the_contrary(new: str, old: str) -> bool:
    ours, theirs = _taste(new), _taste(old)
    if ours is None or theirs is None or ours[0] == theirs[0] or not ours[1]:
        return False
    if ours[1] == theirs[1]:
        return True
    always = _taste(
        _WHEN.sub(" ", old)
    )  # "I drink no coffee any more" after "I prefer coffee in the morning"
    return not ours[0] and not _WHEN.search(new) and always is not None and ours[1] == always[1]


def _taste(text: str) -> tuple[bool, frozenset[str]] | None:
    """Return True if a sentence likes or not, and the words of what."""
    for is_liked, pattern in ((False, _DISLIKES), (True, _LIKES)):
        if pattern.search(text):
            return is_liked, frozenset(words(_IDLE.sub(" ", pattern.sub(" ", text))))
    return None


def _has_another_value(new: str, old: str) -> bool:
    ours, theirs = _HEADS.search(new), _HEADS.search(old)
    if ours and theirs:
        return _head(ours["head"]) == _head(theirs["head"]) and _tail(ours["tail"]) != _tail(
            theirs["tail"]
        )
    for pattern in _USES:
        ours, theirs = pattern.search(new), pattern.search(old)
        if ours and theirs and _tail(ours["rest"]) == _tail(theirs["rest"]):
            return ours["what"].casefold() != theirs["what"].casefold()
    return False


def _head(said: str) -> str:
    return (
        re.sub(r"now |现在|了$", "", said.casefold())
        .replace("moved to", "live in")
        .replace("搬到", "住在")
    )


def _tail(said: str) -> str:
    return said.casefold().strip().rstrip(".。!！")


def _is_in_another_language(new: str, old: str) -> bool:
    """ "Always answer in English" after "always answer in German"."""
    ours, theirs = _LANGUAGES.findall(new), _LANGUAGES.findall(old)
    if len(ours) != 1 or len(theirs) != 1 or ours[0].casefold() == theirs[0].casefold():
        return False
    rest, before = words(_LANGUAGES.sub(" ", new)), words(_LANGUAGES.sub(" ", old))
    return bool(rest) and rest == before


def _gives_it_up(new: str, old: str) -> bool:
    if any(each.search(old) for each in _GIVES_UP):
        return False
    for pattern in _GIVES_UP:
        for match in pattern.finditer(new):
            what = match["what"].rstrip(".")
            whole = rf"(?<![A-Za-z0-9]){re.escape(what)}(?![A-Za-z0-9])"
            if what.casefold() in _NO_NAME or not re.search(whole, old, re.IGNORECASE):
                continue
            if not _TIME.fullmatch(what) or (words(new) & words(old)) - words(
                what
            ):  # a day says nothing of what is on it
                return True
    return False
