"""Which older memory a newer one takes the place of: it says the contrary, names what it gives up, or another value.

Rules alone, in English and Chinese, and only where there can be little doubt: what is not found stays, and a model may find
more. Source: seed 000 "Background tasks" (clean out what is outdated or in conflict).
"""

from __future__ import annotations

import re

from memory.fact_words import replaces, words

_DISLIKES = re.compile(
    r"(?i)\b(?:hate|dislike|detest|despise|loathe|can(?:'t|’t|not) (?:stand|bear)|(?:don't|don’t|do not|no longer|never) (?:really )?"
    r"(?:like|love|enjoy|want|use|eat|drink)|am not a fan of)\b|讨厌|不喜欢|不爱|受不了|反感|厌恶|不吃|不喝|不再喜欢|不用"
)
_LIKES = re.compile(
    r"(?i)\b(?:like|love|adore|enjoy|prefer|favou?r|want|use|eat|drink|am a fan of)\b|喜欢|爱[吃喝用看]?|偏好|偏爱"
)
_IDLE = re.compile(
    r"(?i)\b(?:now|really|actually|any ?more|after all|again|still|much|very|so)\b|现在|其实|了|很|真的|最"
)
_HEADS = re.compile(
    r"(?i)(?P<head>my (?:favou?rite|preferred) [^,.]{1,60}? (?:is|are)|call me|my name is|i (?:now )?live in|我(?:最喜欢|偏好)的.{1,30}?是"
    r"|(?:请)?(?:叫|称呼)我|我的?名字(?:叫|是)|我(?:现在)?住在)\s*(?P<tail>\S.*)"
)
_GIVES_UP = (
    re.compile(r"(?i)\b(?:instead of|rather than|no longer (?:use|using|with)|(?:switch|switching|switched|move|moving|moved) (?:over )?from|replac(?:es|ing|ed)|drop(?:s|ped|ping)?|not (?:use|using)) (?P<what>[\w.+#-]+(?: [A-Z0-9][\w.+#-]*)*)"),
    re.compile(r"(?:不再(?:使?用)?|放弃|弃用|而不是|取代|代替|替代|停用)\s*(?P<what>[A-Za-z][\w.+#-]*|[\u4e00-\u9fff]{2,6})"),
    re.compile(r"从\s*(?P<what>[A-Za-z][\w.+#-]*|[\u4e00-\u9fff]{2,6}?)\s*(?:换成|改用|改成|换到|迁移到|转到)"),
    re.compile(r"把\s*(?P<what>[A-Za-z][\w.+#-]*|[\u4e00-\u9fff]{2,6}?)\s*(?:换成|改为|改成)"),
)  # fmt: skip
_LANGUAGES = re.compile(
    r"(?i)\b(?:in )?(?:English|Chinese|German|French|Spanish|Italian|Japanese|Korean|Russian|Portuguese)\b"
    r"|(?:用|以)?(?:中文|英文|英语|汉语|德语|法语|日语|韩语|俄语|西班牙语)"
)


def supersedes(new: str, old: str) -> bool:
    """Whether a newer sentence takes the place of an older one."""
    return (
        (_taste(new) is None and replaces(new, old))  # one may like both room 12 and room 14
        or _says_the_contrary(new, old)
        or _has_another_value(new, old)
        or _is_in_another_language(new, old)
        or _gives_it_up(new, old)
    )


def _says_the_contrary(new: str, old: str) -> bool:
    ours, theirs = _taste(new), _taste(old)
    if ours is None or theirs is None or ours[0] == theirs[0] or not ours[1]:
        return False
    return ours[1] == theirs[1]


def _taste(text: str) -> tuple[bool, frozenset[str]] | None:
    """Whether a sentence likes or not, and the words of what."""
    for is_liked, pattern in ((False, _DISLIKES), (True, _LIKES)):
        if pattern.search(text):
            return is_liked, frozenset(words(_IDLE.sub(" ", pattern.sub(" ", text))))
    return None


def _has_another_value(new: str, old: str) -> bool:
    ours, theirs = _HEADS.search(new), _HEADS.search(old)
    return bool(
        ours
        and theirs
        and ours["head"].casefold().replace("now ", "") == theirs["head"].casefold().replace("now ", "")
        and ours["tail"].casefold().rstrip(".。!！") != theirs["tail"].casefold().rstrip(".。!！")
    )


def _is_in_another_language(new: str, old: str) -> bool:
    """ "Always answer in English" after "always answer in German"."""
    ours, theirs = _LANGUAGES.findall(new), _LANGUAGES.findall(old)
    if len(ours) != 1 or len(theirs) != 1 or ours[0].casefold() == theirs[0].casefold():
        return False
    rest, before = words(_LANGUAGES.sub(" ", new)), words(_LANGUAGES.sub(" ", old))
    return bool(rest) and rest == before


def _gives_it_up(new: str, old: str) -> bool:
    for pattern in _GIVES_UP:
        for match in pattern.finditer(new):
            what = match["what"]
            whole = rf"(?<![A-Za-z0-9]){re.escape(what)}(?![A-Za-z0-9])"
            if re.search(whole, old, re.IGNORECASE) and not any(each.search(old) for each in _GIVES_UP):
                return True
    return False
