"""Writes what the model reads when a run begins: the system prompt, and the message that holds the task.

Stable text comes first and changing text last, so that an endpoint's prompt cache holds from one task to the next:
rules, facts index and SOP headers are the system prompt; earlier tasks, environment and task are the user message.
Source: seed 002 §2, seed 004 §2, §4.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from context.prompts import Prompts
from models.base import Message

MAX_HEADER_BYTES = 66  # of a description; bytes go with tokens in English and in Chinese
MAX_EARLIER_TASKS = 20
MAX_HINT_CHARS = 6000
MAX_LEARNED = 40  # SOPs; the lanes of learning/routing.py find the others
MAX_REQUEST_CHARS = 400
MAX_RESULT_CHARS = 400
MAX_LAST_RESULT_CHARS = 4000  # the next request often points into it: "delete the second one"
_CLAUSE_END = re.compile(r"[,;:.](?=\s|$)|[，；：。]|(?<=[^.。])$")


@dataclass(frozen=True, slots=True)
class FoldedTask:
    """An earlier task of the conversation: what was asked, what came of it, in how many turns."""

    request: str
    result: str
    turns: int


def build(
    task: str,
    *,
    prompts: Prompts,
    sop_headers: list[str],
    l2_index: str,
    cwd: Path,
    session: str,
    now: datetime,
    previous: Sequence[FoldedTask] = (),
    sop_folder: str = "sops",
    learned_headers: Sequence[str] = (),
    learned_folder: str = "",
    hint: str = "",
) -> list[Message]:
    """The first two messages of a run, [system, user].

    `sop_headers` are lines "name: description", of which the first clauses are shown; `sop_folder` is where the model
    finds the SOPs, said once; likewise for what was learned here. A session other than "main" is read by others, so the
    facts index and the learned SOPs, which are about the owner, stay out. `hint` is the text of an SOP that may fit. `previous` is oldest first and gets cut;
    `task` never is.
    """
    blocks = [prompts.text("system")]
    if session == "main" and l2_index.strip():
        blocks.append(f"{prompts.text('facts')}\n{l2_index.strip()}")
    if sop_headers:
        blocks.append("\n".join([prompts.text("sops", folder=sop_folder), *map(_header, sop_headers)]))
    if session == "main" and learned_headers:
        shown = learned_headers[:MAX_LEARNED]
        blocks.append("\n".join([prompts.text("learned_sops", folder=learned_folder), *map(_header, shown)]))
    asked = [_earlier(previous, prompts)] if previous else []
    if hint:
        asked.append(prompts.text("hint", text=_cut(hint, MAX_HINT_CHARS)))
    asked.append(prompts.text("environment", cwd=cwd, platform=_platform(), date=now.strftime("%Y-%m-%d %a")))
    asked.append(prompts.text("task", task=task))
    return [
        {"role": "system", "content": "\n\n".join(blocks)},
        {"role": "user", "content": "\n\n".join(asked)},
    ]


def _header(line: str) -> str:
    """A line of the SOP list: the name, and as many clauses of the description as have room."""
    name, _, description = line.partition(": ")
    ends = [found.start() for found in _CLAUSE_END.finditer(description)]
    fitting = [end for end in ends if len(description[:end].encode()) <= MAX_HEADER_BYTES]
    if fitting:
        return f"- {name}: {description[: fitting[-1]]}"
    return f"- {name}: {description.encode()[:MAX_HEADER_BYTES].decode(errors='ignore')}…"


def _earlier(previous: Sequence[FoldedTask], prompts: Prompts) -> str:
    """The conversation so far, one item a task. The last result is kept longer than the others."""
    shown = previous[-MAX_EARLIER_TASKS:]
    lines = [prompts.text("earlier")]
    if left_out := len(previous) - len(shown):
        lines.append(prompts.text("earlier_left_out", count=left_out))
    for folded in shown:
        limit = MAX_LAST_RESULT_CHARS if folded is shown[-1] else MAX_RESULT_CHARS
        request, result = _cut(folded.request, MAX_REQUEST_CHARS), _cut(folded.result, limit)
        lines.append(prompts.text("earlier_task", request=request, result=result, turns=folded.turns))
    return "\n".join(lines)


def _cut(text: str, limit: int) -> str:
    """Head and tail of a text that is too long, so that neither its beginning nor its conclusion is lost."""
    text = text.strip()
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 3]} … {text[len(text) - tail :]}"


def _platform() -> str:
    return f"{platform.system()} {platform.machine()}"
