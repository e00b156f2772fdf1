"""A request as it is read: without its politeness, full-width characters made plain, each character in its place."""

from __future__ import annotations

import re
from typing import NamedTuple

from learning.slots import Slot
from text import pattern

PLAIN = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {
    ord(wide): plain for wide, plain in zip("　。、“”„‘’…", ' .,"""\'\'.', strict=True)
}
DETERMINERS = pattern(r"(?<!\S)(?:the|an?|my)(?!\S)")
END = pattern(r"(?:(?<=[^\s./])[.?!]+|[?!]+)\s*$|\s+$")
BEFORE = (  # what may stand before a request without changing it; the longest first
    *(
        "i would like you to",
        "i would like to",
        "i'd like you to",
        "i'd like to",
        "i want you to",
        "i need you to",
    ),
    *(
        "i want to",
        "i need to",
        "can you",
        "could you",
        "would you",
        "will you",
        "please",
        "kindly",
        "quickly",
        "hello",
    ),
    *("sopwith", "okay", "hey", "pls", "just", "hi", "ok"),
    *(
        "可不可以",
        "能不能",
        "麻烦你",
        "我想要",
        "请问",
        "请你",
        "帮我",
        "帮忙",
        "麻烦",
        "劳驾",
        "你好",
        "您好",
        "给我",
        "替我",
    ),
    *("我要", "我想", "可以", "能否", "请", "能", "你", "您"),
)
MAY_I = (
    "可不可以",
    "能不能",
    "可以",
    "能",
)  # with these before it, 吗 behind it is polite; else it asks something else
AFTER = (
    "right now",
    "thank you",
    "for me",
    "please",
    "thanks",
    "pls",
    "now",
    "好吗",
    "可以吗",
    "行吗",
    "谢谢",
    "一下",
    "吧",
    "呢",
    "啊",
)


class Asked(NamedTuple):
    """A request without its politeness: the part from `start` to `end` of three equally long texts, as `written`, in
    `plain` characters, and `lower` case without determiners. `squeezed` is the last without spaces."""

    written: str
    plain: str
    lower: str
    start: int
    end: int
    squeezed: str

    @classmethod
    def read(cls, request: str) -> Asked | None:
        plain = request.translate(PLAIN)
        lower = plain.lower()
        if len(lower) != len(request):  # a letter whose lower case is two
            return None
        start, end = _without_politeness(lower)
        lower = DETERMINERS.sub(lambda match: " " * len(match[0]), lower)
        return cls(request, plain, lower, start, end, "".join(lower[start:end].split()))

    def slot(self, start: int, end: int) -> Slot:
        """The text between two places, without the spaces around it."""
        start += len(self.lower[start:end]) - len(self.lower[start:end].lstrip())
        end = start + len(self.lower[start:end].rstrip())
        behind = re.match(r"\S*", self.plain[end:])
        before = self.written[len(self.lower[:start].rstrip()) : start]
        return Slot(
            self.written[start:end], self.plain[start:end], behind[0] if behind else "", before
        )


def _without_politeness(lower: str) -> tuple[int, int]:
    start, end = 0, len(lower)
    may_i = False
    while True:
        start = end - len(lower[start:end].lstrip(" \t\n,!"))
        phrase = next(
            (
                p
                for p in BEFORE
                if lower.startswith(p, start, end) and _ends_word(p, lower[start + len(p) : end])
            ),
            None,
        )
        if phrase is None:
            break
        may_i = may_i or phrase in MAY_I
        start += len(phrase)
    while True:
        end = start + len(END.sub("", lower[start:end]).rstrip(" \t\n,"))
        phrase = next(
            (
                p
                for p in (*AFTER, *(("吗",) if may_i else ()))
                if lower.endswith(p, start, end) and _starts_word(p, lower[start : end - len(p)])
            ),
            None,
        )
        if phrase is None:
            return start, end
        end -= len(phrase)


def _ends_word(phrase: str, behind: str) -> bool:
    return not phrase.isascii() or not behind or behind[0] in " ,!.\n\t" or not behind[0].isascii()


def _starts_word(phrase: str, before: str) -> bool:
    return not phrase.isascii() or before[-1:] in ("", " ", ",", "\t", "\n")
