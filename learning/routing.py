"""Finds the SOP that a request means, and its parameters; the lanes are tried in order and the first that is sure wins.

The lane that stands here is *typed wordings*: no model, a few milliseconds. The whole request must be one wording of an
SOP with its slots filled by texts of their types; anything left over, or two readings, and it declines. Lanes to come
(keywords, a small model) are functions of the same shape in `LANES`. Source: seed 002 §7; seed 001 §2.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from learning.slots import QUOTES, Slot, Unclear, Where, value_of
from memory.sops import Sop
from models.parameters import ParameterError
from models.procedure import Procedure, Wording

MAX_REQUEST_CHARS = 1000
PLAIN = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {
    ord(wide): plain for wide, plain in zip("　。、“”„‘’…", ' .,"""\'\'.', strict=True)
}
PIECE = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|what is|[a-z0-9_'-]+|[^\W\da-z_]")
DETERMINERS = re.compile(r"(?<!\S)(?:the|an?|my)(?!\S)")
END = re.compile(r"(?:(?<=[^\s./])[.?!]+|[?!]+)\s*$|\s+$")
BEFORE = (  # what may stand before a request without changing it; the longest first
    *("i would like you to", "i would like to", "i'd like you to", "i'd like to", "i want you to", "i need you to"),
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


@dataclass(frozen=True, slots=True)
class Match:
    """The SOP that a request means, its parameters (bound: defaults filled in, paths absolute), and what says so."""

    sop: Sop
    parameters: dict[str, Any]
    wording: str
    lane: str = "wordings"


def route(request: str, sops: Iterable[Sop], cwd: Path, owner_home: Path) -> Match | None:
    """The SOP that does this request by rote, or None when no lane is sure."""
    runnable = [sop for sop in sops if sop.runs_alone]
    return next((match for lane in LANES if (match := lane(request, runnable, Where(cwd, owner_home)))), None)


def typed_wordings(request: str, sops: Sequence[Sop], where: Where) -> Match | None:
    """The SOP of which the request is a wording; among several, the one that takes up strictly more of its literals."""
    if len(request) > MAX_REQUEST_CHARS or not (asked := _Asked.read(request)):
        return None
    try:
        readings = [reading for sop in sops for reading in _readings(asked, sop, where)]
    except Unclear:
        return None
    most = max((filled for _, filled in readings), default=0)
    best = [match for match, filled in readings if filled == most]
    is_clear = all((match.sop.name, match.parameters) == (best[0].sop.name, best[0].parameters) for match in best)
    return best[0] if best and is_clear else None


Lane = Callable[[str, Sequence[Sop], Where], Match | None]
LANES: tuple[Lane, ...] = (typed_wordings,)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request without its politeness: the part from `start` to `end` of three equally long texts, as `written`, in
    `plain` characters, and `lower` case without determiners. `squeezed` is the last without spaces."""

    written: str
    plain: str
    lower: str
    start: int
    end: int
    squeezed: str

    @classmethod
    def read(cls, request: str) -> _Asked | None:
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
        return Slot(self.written[start:end], self.plain[start:end], behind[0] if behind else "")


def _without_politeness(lower: str) -> tuple[int, int]:
    start, end = 0, len(lower)
    may_i = False
    while True:
        start = end - len(lower[start:end].lstrip(" \t\n,!"))
        phrase = next(
            (p for p in BEFORE if lower.startswith(p, start, end) and _ends_word(p, lower[start + len(p) : end])), None
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


def _readings(asked: _Asked, sop: Sop, where: Where) -> Iterator[tuple[Match, int]]:
    """Each wording of the SOP that the request is, with the number of slots that it fills."""
    procedure = sop.procedure
    assert procedure is not None
    for wording in procedure.wordings:
        if _may_be(wording, asked.squeezed) and (given := _given(asked, wording, procedure, where)) is not None:
            try:
                yield Match(sop, procedure.bind(given, where.cwd), wording.text), len(given)
            except ParameterError:  # 0 days: the SOP cannot take it, so it is not what is meant
                continue


def _may_be(wording: Wording, squeezed: str) -> bool:
    """A quick look: the request holds a word of each anchor."""
    for words in wording.anchors:
        if words[0] not in squeezed and not any(word in squeezed for word in words[1:]):
            return False
    return True


def _given(asked: _Asked, wording: Wording, procedure: Procedure, where: Where) -> dict[str, Any] | None:
    """The values of the slots in the first reading in which all are of their types; None when there is none."""
    for filled in _fillings(_pieces(wording.text), asked.lower, asked.start, asked.end):
        values = {
            slot.name: value_of(asked.slot(start, end), procedure.parameters[slot.name], slot.shape, where)
            for slot, start, end in filled
        }
        if None not in values.values():
            return values
    return None


@dataclass(frozen=True, slots=True)
class _SlotPiece:
    name: str
    shape: str


_Piece = str | _SlotPiece | tuple[Any, ...]  # a word; a slot; a group: its choices, each a tuple of pieces
_Filling = tuple[tuple[_SlotPiece, int, int], ...]  # slots with the places where their texts begin and end


@lru_cache(maxsize=4096)
def _pieces(wording: str) -> tuple[_Piece, ...]:
    """A wording as a sequence of words, groups and slots; "what is" is a group with its short forms."""
    pieces: list[_Piece] = []
    for token in PIECE.findall(wording.translate(PLAIN).lower()):
        if token[0] == "{":
            name, _, shape = token[1:-1].partition(":")
            pieces.append(_SlotPiece(name, shape))
        elif token[0] == "[":
            pieces.append(tuple(_pieces(choice) for choice in token[1:-1].split("|")))
        elif token == "what is":
            pieces.append((("what", "is"), ("what's",), ("whats",)))
        elif token not in ("the", "a", "an", "my"):
            pieces.append(token)
    return tuple(pieces)


def _fillings(pieces: tuple[_Piece, ...], text: str, start: int, end: int) -> Iterator[_Filling]:
    """Each way in which the text from `start` to `end` is this sequence; a group's first choice first, short slots first."""
    while start < end and text[start] in " ,\t\n\r":
        start += 1
    if not pieces:
        if start == end:
            yield ()
        return
    piece, rest = pieces[0], pieces[1:]
    if isinstance(piece, str):
        if text.startswith(piece, start, end) and _is_whole_word(text, start, start + len(piece)):
            yield from _fillings(rest, text, start + len(piece), end)
    elif isinstance(piece, tuple):
        for choice in piece:
            yield from _fillings(choice + rest, text, start, end)
    else:
        for stop in _stops(text, start, end) if rest else [end]:
            for filling in _fillings(rest, text, stop, end):
                yield ((piece, start, stop), *filling)


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    """Where a slot that begins at `start` may end: behind its closing quote, else where a word or a sign ends."""
    if start < end and (close := QUOTES.get(text[start])):
        if (stop := text.find(close, start + 1, end)) > 0:
            yield stop + 1
        return
    for stop in range(start + 1, end + 1):
        if stop == end or text[stop] in " ,\t\n\r" or not (text[stop].isascii() and text[stop - 1].isascii()):
            yield stop


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """True when no Latin letters, digits or signs of a path touch the word; Chinese words need no space between them."""
    if not text[start].isascii():
        return True
    before, behind = text[start - 1 : start], text[end : end + 1]
    touches_before = before.isascii() and before not in ("", " ", ",", "\t", "\n", "\r", '"', "'", "`")
    return not touches_before and not (behind.isascii() and (behind.isalnum() or behind in ("_", "/", "'", "-")))
