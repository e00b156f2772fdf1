"""The calls that stand in a text, and the prose around them. Text that only shows a call is no
call.

A block counts where a model would stop after it: at the end of the reply, not quoted, not behind
words that introduce an example. In a fence it counts when nothing else is said, or the model
announces that it acts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from models.base import ToolCall
from models.dialects import forms
from models.dialects.forms import Offer
from models.dialects.marks import Mark, Marks, marks
from models.dialects.protocol import properties_of
from text import pattern

_OWN_FENCES = {"", "json", "xml", "tool_use", "tool_call", "tool_code", "text"}
_FENCE = pattern(r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)[^\n`]*$", re.M)
_INSIDE = pattern(r"\s*(?:`{3}\w*[ \t]*\n)?\s*")
_BEGINS = pattern(r"[\[{<]|(?<!\w)\w{1,64}\s*<arg_key>")
_EMPTY_FENCE = pattern(r"^[ \t]*`{3}\w*[ \t]*\n?\s*^[ \t]*`{3}[ \t]*$|^[ \t]*`{3}[ \t]*\Z", re.M)
_FENCED = pattern(r"(?:^|\n)(`{3}(?:json|python|tool_code)?[ \t]*\n)(.*?)\n?`{3}\Z", re.S)
_STARTS = pattern(r"^[ \t]*(?=[\[{]|[A-Za-z_][\w.]{0,63}\()", re.M)
_MAX_BARE_CHARS = 200_000
_MAX_STARTS = 50
_MAX_ANNOUNCEMENT_CHARS = 400
_SAID = pattern(r"\w")
_STRAY = pattern(
    r"(?:\s|</[\w:|｜]+>|<[|｜][\w▁/]+[|｜]>|\[\|\w+\|\])+\Z"
)  # tokens behind the last call


@dataclass(slots=True)
class _Block:
    """Calls that were found at a place of the text."""

    start: int
    end: int
    calls: list[ToolCall]
    is_own: bool = False
    is_fence: bool = False  # it begins with a fence that says nothing of calls


def offer_of(tools: list[dict[str, Any]]) -> Offer:
    """Return the parameters of each tool on offer, by its name."""
    functions = [tool["function"] for tool in tools]
    return {each["name"]: properties_of(each) for each in functions}


def parse(
    text: str, offer: Offer | None = None, *, is_cut_off: bool = False
) -> tuple[str, list[ToolCall]]:
    """Return the text around the calls, and the calls; one that cannot be read has an error. Ids
    are left empty."""
    table, offer = marks(), offer or {}
    clean = table.silent.sub("", text)
    blocks = list(_blocks(clean, table, offer, is_cut_off)) or list(_bare(clean, offer))
    if blocks and _STRAY.match(clean, blocks[-1].end):
        clean = clean[: blocks[-1].end]
    if not blocks or _only_shown(clean, blocks, table):
        return (text if clean == text else clean.strip()), []
    prose = _EMPTY_FENCE.sub("", _without(clean, blocks)).strip()
    return prose, [call for block in blocks for call in block.calls]


def _without(text: str, blocks: list[_Block]) -> str:
    """Return the text without the blocks in it."""
    prose, at = [], 0
    for block in blocks:
        prose.append(text[at : block.start])
        at = block.end
    return "".join([*prose, text[at:]])


def announces(text: str) -> bool:
    """Return True when the last line of a text says that something is about to be done."""
    last = text.strip().rsplit("\n", 1)[-1]
    return len(last) <= _MAX_ANNOUNCEMENT_CHARS and marks().announces.search(last) is not None


def only_announces(text: str) -> bool:
    """Return True when a whole answer is no more than the announcement of something, and offers
    nothing to the reader."""
    is_short = len(text) <= _MAX_ANNOUNCEMENT_CHARS
    return is_short and announces(text) and marks().offers.search(text) is None


def _blocks(text: str, table: Marks, offer: Offer, is_cut_off: bool) -> Iterator[_Block]:
    fences = list(_foreign_fences(text))
    at = 0
    while match := table.opens.search(text, at):
        at = max(match.end(), at + 1)
        fence_end = next((end for start, end in fences if start <= match.start() < end), None)
        if fence_end is not None:
            at = fence_end
        elif found := _block(_Opened(text, match, table.row(match)), offer, is_cut_off):
            at = found.end
            yield found


def _foreign_fences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where code of another language stands, which only shows what is in it."""
    at = 0
    while match := _FENCE.search(text, at):
        at = match.end()
        if match["language"].lower() not in _OWN_FENCES:
            mark = re.escape(match["fence"])
            closing = pattern(rf"^[ \t]*{mark}[ \t]*$", re.M).search(text, at)
            at = closing.end() if closing else len(text)
            yield match.start(), at


class _Opened:
    """A place where a mark opens calls: what stands behind it, up to where it is closed."""

    def __init__(self, text: str, match: re.Match[str], row: Mark) -> None:
        self.text, self.match, self.row = text, match, row
        inside = _INSIDE.match(text, match.end())
        self.start = inside.end() if inside else match.end()
        self.json, self.json_end = forms.all_decoded(text, self.start)
        closing = row.close.search(text, self.json_end)
        is_end = closing is not None and closing.end() == closing.start() == len(text)
        self.closing = None if is_end else closing  # the end of the text stands for the mark

    @property
    def body(self) -> str:
        """Return what stands between the marks."""
        end = self.closing.start() if self.closing else self._open_end()
        return self.text[self.start : end]

    @property
    def end(self) -> int:
        """Return where it is closed."""
        return self.closing.end() if self.closing else self.start + len(self.body)

    @property
    def json_calls(self) -> list[ToolCall]:
        """Return the calls of JSON values with nothing but signs behind them."""
        gap = self.text[self.json_end : self.closing.start()] if self.closing else ""
        if gap.strip("`; \r\n\t"):
            return []
        return [call for value in self.json for call in forms.of_json(value)]

    @property
    def is_named_only(self) -> bool:
        """Return True for a mark that is only spoken about: quoted, in a sentence, or with nothing
        like a call behind it."""
        if self.closing is None:
            return not self.row.is_open and not _BEGINS.match(self.body)
        line = self.text[self.text.rfind("\n", 0, self.match.start()) + 1 : self.match.start()]
        return bool(line.strip()) and not pattern(r"[{\[=(]|<arg_key>").search(self.body)

    def _open_end(self) -> int:
        """Return where a body without its closing mark ends: before the next call; behind its last
        bracket, where the mark is optional."""
        if self.row.is_open:
            return max(self.start, *(self.text.rfind(sign) + 1 for sign in ("}", "]", ")", ">")))
        following = pattern(r"<tool_(?:use|call)>").search(self.text, self.start)
        return following.start() if following else len(self.text)


def _block(opened: _Opened, offer: Offer, is_cut_off: bool) -> _Block | None:
    """Return the calls behind a mark; None when it is only named."""
    text, match, row = opened.text, opened.match, opened.row
    if text[: match.start()].endswith("`"):
        return None
    calls, end = opened.json_calls, opened.end
    if calls and opened.closing is None:
        end = opened.json_end
    if not calls:
        if opened.is_named_only:
            return None
        is_whole = opened.closing is not None or row.is_open
        calls = forms.read(opened.body, offer, is_whole=is_whole, is_cut_off=is_cut_off)
    if row.needs_offer and not _are_offered(calls, offer):
        return None
    return _Block(match.start(), end, calls, row.is_own)


def _are_offered(calls: list[ToolCall], offer: Offer) -> bool:
    return all(call.name in offer for call in calls)


def _bare(text: str, offer: Offer) -> Iterator[_Block]:
    """Yield a call without any mark at the end of the text: its tool is on offer, and it has
    arguments."""
    body = text.rstrip()
    if not body.endswith(("}", "]", ")", "```")) or len(body) > _MAX_BARE_CHARS:
        return
    is_fence = body.endswith("```") and _FENCED.search(body) is not None
    for start, inside in _bare_starts(body):
        has_arguments = "(" in inside or any(f'"{key}"' in inside for key in forms.ARGUMENT_KEYS)
        may_call = has_arguments and any(name in inside for name in offer)
        calls = forms.read(inside, offer, is_whole=True) if may_call else []
        is_whole = all(call.args is not None for call in calls)
        if calls and is_whole and _are_offered(calls, offer):
            yield _Block(start, len(body), calls, is_fence=is_fence)
            return


def _bare_starts(body: str) -> list[tuple[int, str]]:
    """Return where a bare call may begin, each with what stands there."""
    fence = _FENCED.search(body) if body.endswith("```") else None
    if fence:
        return [(fence.start(1), fence[2])]
    matches = list(_STARTS.finditer(body))[-_MAX_STARTS:]
    return [(match.start(), body[match.end() :]) for match in matches]


def _only_shown(text: str, blocks: list[_Block], table: Marks) -> bool:
    """Return True when the text speaks about calls instead of making them."""
    last = blocks[-1]
    prose, is_fenced = _before(text, blocks[0])
    after = text[last.end :]
    is_meant = any((last.is_own, announces(prose), announces(after)))
    may_follow = is_meant and not is_fenced
    if _SAID.search(after) and not may_follow:
        return True
    if any(_goes_on(text, block) for block in blocks):
        return True
    if is_fenced and prose:
        return not announces(prose)
    return table.shows.search(prose.rsplit("\n", 1)[-1]) is not None


def _before(text: str, first: _Block) -> tuple[str, bool]:
    """Return the prose before the first block, and whether the block stands in a fence."""
    before = text[: first.start]
    opened = list(_FENCE.finditer(before))
    if len(opened) % 2 == 1:
        return before[: opened[-1].start()].rstrip(), True
    return before.rstrip(), first.is_fence


def _goes_on(text: str, block: _Block) -> bool:
    """Return True when the sentence goes on behind a block."""
    line = text[block.end :].split("\n", 1)[0]
    is_alone = not text[text.rfind("\n", 0, block.start) + 1 : block.start].strip()
    return not is_alone and pattern(r"\s*[\w,.;)|]").match(line) is not None
