"""Hold a draft against the runs that taught it: replayed on what their calls answered, it must ask
for the same changes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from learning.calls import ACT, Call, Run, calls_in
from models.base import Request, ToolCall, ToolResult, last
from models.errors import Diverged
from replay.procedure import Procedure
from replay.rote import RoteModel

UNREAD = ToolResult("ok", {"output": "{}"})  # an item of a list that the run did not look at


def retrace(procedure: Procedure, run: Run, values: Mapping[str, Any]) -> str:
    """Return what a replay with a run's values does otherwise than the run did; "" for the same."""
    model = RoteModel(
        procedure,
        values,
        sop="draft",
        version=0,
        lang="en",
        cwd=run.trace.cwd,
        may_read=lambda _tool, _args: None,
    )
    try:
        return _difference(_asked(model, run), run.writes)
    except Diverged as error:
        return str(error)
    finally:
        model.close()


def _asked(model: RoteModel, run: Run) -> list[ToolCall]:
    """Return the changes that a replay asks for. Raises Diverged."""
    late = [_plain(call.tool, call.result.args) for call in run.acts if call not in run.writes]
    asked: list[ToolCall] = []
    used: list[Call] = []
    goes_on = bool(run.after) or not run.writes
    request = Request(turn=1, messages=[])
    while goes_on or len(asked) < len(run.writes):
        reply = last(model.reply(request))
        if not reply.calls:
            break
        call = reply.calls[0]
        if not reply.only_reads and _plain(call.name, call.args) not in late:
            asked.append(call)
        found = _answer(run, call, used, is_later=bool(asked))
        is_own_check = reply.only_reads and asked
        if found is None and is_own_check:
            break
        request = Request(turn=1, messages=[], last=found or UNREAD)
    return asked


def _answer(run: Run, call: ToolCall, used: list[Call], *, is_later: bool) -> ToolResult | None:
    """Return what the run was answered to a call that is made for the first time, then again."""
    wanted = _plain(call.name, call.args)
    calls = [*run.writes, *run.after] if is_later else run.plan
    found = [each for each in calls if _plain(each.tool, each.result.args) == wanted]
    left = [each for each in found if each not in used]
    used += left[:1]
    return ToolResult("ok", (left or found[-1:])[0].result.data) if found else None


def _difference(asked: Sequence[ToolCall], writes: Sequence[Call]) -> str:
    said = [_plain(call.name, call.args) for call in asked]
    done = [_plain(call.tool, call.result.args) for call in writes]
    for mine, its in zip(said, done, strict=False):
        if mine != its:
            return f"it asks for {_shown(mine)}, and the run did {_shown(its)}"
    return (
        "" if len(said) == len(done) else f"it changes {len(said)} things, and the run {len(done)}"
    )


def _plain(tool: str, args: Mapping[str, Any] | None) -> Any:
    """Return a call as it can be compared: of what was done on a page the acts."""
    given = dict(args or {})
    if tool == ACT and (acts := calls_in(str(given.get("script", "")))):
        kept = [[verb, *told] for verb, told in acts if verb != "wait"]
        return _absolute(json.loads(json.dumps([tool, kept])))
    return _absolute(json.loads(json.dumps([tool, given])))


def _absolute(value: Any) -> Any:
    """Return a call with paths below the home folder spelled out."""
    if isinstance(value, list):
        return [_absolute(each) for each in value]
    if isinstance(value, dict):
        return {key: _absolute(each) for key, each in value.items()}
    is_short = isinstance(value, str) and value.startswith("~/")
    return str(Path(value).expanduser()) if is_short else value


def _shown(call: Sequence[Any]) -> str:
    text = json.dumps(call, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}…"
