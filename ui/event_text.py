"""Say calls, costs and ends as plain sentences: the same words on a terminal, in a pipe, in a
trace."""

from __future__ import annotations

import json
import re
from typing import Any

from memory.inbox import Entry
from models.base import TOLD, Event
from ui.sanitise import clean, last_line, one_line
from ui.words import reasons, say

MARKS = {"ok": "✓", "error": "✗", "refused": "⊘", "timeout": "⏱", "cancelled": "■"}
_DOCSTRING = re.compile(r'\s*"""(.+?)(?:\n|""")')
# arguments that say the most
_TELLING = ("script", "code", "path", "paths", "question", "key_info", "sop", "keyword")
QUIET_TOOLS = ("ask_user",)  # their events are shown by what they ask


def arguments(args: Any) -> str:
    """Return the arguments of a call on one line, the most telling ones first."""
    if not isinstance(args, dict):
        return ""
    for name in _TELLING:
        if value := args.get(name):
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            said = _DOCSTRING.match(text)  # a script that says what it is for
            return one_line(said[1] if said else text, 400)
    return one_line(", ".join(f"{name}={_short(value)}" for name, value in args.items()), 400)


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def seconds(value: float) -> str:
    """Return 0.3 s, 12 s, 3 min 20 s."""
    if value < 9.95:
        return say("time.seconds", n=f"{value:.1f}")
    if value < 120:
        return say("time.seconds", n=f"{value:.0f}")
    return say("time.minutes", minutes=int(value // 60), seconds=int(value % 60))


def sentence(event: Event) -> str:
    """Return what we say of a call that did not go well, in English as it is logged: the gate's
    reason, or the tool's own words. "" where only what a program printed tells it."""
    data = event.get("data")
    if reason := event.get("reason"):
        return str(reason)
    if isinstance(data, str):
        return data
    told = [data.get(name) for name in TOLD] if isinstance(data, dict) else []
    return "; ".join(each for each in told if isinstance(each, str) and each)


def ended(event: Event) -> str:
    """Return what a run ended with: its result, or why it waits or failed."""
    result = str(event.get("result") or "")
    if event["status"] == "done":
        return result
    return reasons(event.get("said"), result)


def entry_text(entry: Entry) -> str:
    """Return what an entry of the inbox says: a confirmation why it is asked for."""
    if entry.said:
        return leave_asked(entry.tool, reasons(entry.said, "")).lstrip("!！ ")
    return entry.text


def leave_asked(tool: str, reason: str) -> str:
    """Return what a confirmation is about: the tool, and why it asks, which may begin with the
    tool's name."""
    return say("confirm.title", tool=tool, reason=reason.removeprefix(f"{tool} "))


def problem(event: Event) -> str:
    """Return why a call did not go well, in one line: of a `tool_ended` that is not ok."""
    data = event.get("data")
    own = event.get("reason")
    said = reasons(event.get("said"), sentence(event))
    if own or not isinstance(data, dict):
        return one_line(said, 300)
    parts = [
        last_line(str(data.get("output") or "")),
        last_line(said) if data.get("error") else said,
    ]
    code = data.get("exit_code")
    shown = [
        say("tool.exit_code", code=code) if code else "",
        *(one_line(part, 300) for part in parts),
    ]
    return " · ".join(filter(None, shown))


def diff(event: Event) -> list[str]:
    """Return the lines of the change that a call made, or none."""
    data = event.get("data")
    text = data.get("diff") if isinstance(data, dict) else None
    return clean(text).splitlines() if isinstance(text, str) else []


def rote(event: Event) -> str:
    """Return what a replay goes by: by rote: largest-files 1."""
    return say(
        "rote.name", sop=one_line(str(event.get("sop", "")), 80), version=event.get("version", "")
    )


def step_note(event: Event) -> str:
    """Return what the step of a replay is there for, of its `model_called`; nothing when the SOP
    does not say."""
    reply = event.get("reply") if event.get("kind") == "rote" else None
    calls = reply.get("calls") if isinstance(reply, dict) else None
    if not reply or not calls:
        return ""
    _, _, note = str(reply["text"]).partition(" · ")[2].partition(" · ")  # SOP · step · note
    return "" if note == calls[0]["name"] else one_line(note, 400)


def closing(event: Event) -> str:
    """Return the last line of a run: turns, calls, tokens fresh and cached, cost, seconds; or that
    it went by rote."""
    calls, turns, status = (event.get(key) for key in ("model_calls", "turns", "status"))
    parts = [] if status == "done" else [say(f"status.{status or 'failed'}")]
    if turns:
        parts.append(say("end.turns", n=turns))
    if calls:
        parts += [say("end.calls", n=calls), tokens(event), money(event.get("cost", 0.0))]
    elif event.get("rote"):
        parts[-1:] = [say("end.rote")]
    parts.append(seconds(event.get("seconds", 0.0)))
    return " · ".join(filter(None, parts))


def tokens(event: Event) -> str:
    """Return the tokens of a call or a run: fresh, cached, written."""
    used = event.get("tokens") or {}
    cached, output = used.get("cached", 0), used.get("output", 0)
    fresh = max(0, used.get("input", 0) - cached)
    return say("end.tokens", fresh=f"{fresh:,}", cached=f"{cached:,}", output=f"{output:,}")


def changed(event: Event) -> str:
    """Return the line on what a run has changed, and how that is taken back; "" where it changed
    nothing."""
    counts: dict[str, int] = event.get("changes") or {}
    kinds = [kind for kind in ("new", "changed", "moved", "gone") if counts.get(kind)]
    told = ", ".join(say(f"end.{kind}", n=counts[kind]) for kind in kinds)
    return f"{told} · {say('end.undo')}" if told else ""


def money(cost: float) -> str:
    """Return $0.0123; nothing when no price is known."""
    if cost <= 0:
        return ""
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"
