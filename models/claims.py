"""Replies that end a run too early: one that only announces, one that claims an output which is not
there."""

from __future__ import annotations

from collections.abc import Callable

from models.base import Reply
from models.dialects import only_announces
from text import pattern

_OUTPUT = pattern(  # a file that a request wants made
    r"(?:\b(?:write|save|create|make|generate|produce|export|put|store|output)\b|写|保存|存|创建|生成|导出)[^\n]{0,120}?"
    r"(?:\b(?:to|into|in|as|file|named|called)\b|到|为|成|入|文件)\s*[`\"'“]?(?P<path>[\w./~-]*\w\.[A-Za-z]\w{0,7})\b",
    2,  # re.IGNORECASE
)

_CODE_ALONE = pattern(r"```[^\n]*\n(?:(?!```).)*?```", 16)  # re.DOTALL


def doubt(reply: Reply, answer: str, request: str, is_there: Callable[[str], bool]) -> str:
    """Return the name of the prompt that asks once more, or "" where the answer may stand.
    `is_there` looks for a file."""
    if reply.kind == "rote":
        return ""
    if only_announces(answer):
        return "announced_only"
    named = [match["path"] for match in _OUTPUT.finditer(request)]
    is_made = all(is_there(path) for path in named)
    is_question = answer.rstrip().endswith(("?", "？"))
    return "" if is_made or is_question else "output_missing"


def no_answer(reply: Reply, answer: str) -> str:
    """Return the prompt that says why a reply without a call is no answer, or "" when it is one."""
    if reply.finish == "length":
        return "cut_off_reply"
    if not answer:
        return "empty_reply"
    if reply.kind == "rote":
        return ""
    return "code_only_reply" if _CODE_ALONE.fullmatch(answer) else ""
