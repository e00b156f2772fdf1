"""Screens without a terminal: plain text (the answer on stdout, progress on stderr) and JSON
events, one a line."""

from __future__ import annotations

import sys
from collections.abc import Callable

from models.base import Event
from ui import event_text as describe
from ui.lists import as_json
from ui.sanitise import clean, one_line
from ui.words import reasons, say, says


class Screen:
    """Whatever shows a run. It only listens; events of a type that it does not know are passed
    over."""

    def show(self, event: Event) -> None:
        """Show one event."""
        raise NotImplementedError

    def pause(self) -> None:
        """Hold still while somebody else uses the terminal; the next event goes on."""

    def close(self) -> None:
        """Leave the terminal as it was; may be called twice."""


class EventsScreen(Screen):
    """Every event as one line of JSON on stdout, and nothing else there."""

    def show(self, event: Event) -> None:
        """Write the event at once."""
        print(as_json(event), flush=True)


class PlainScreen(Screen):
    """The answer on stdout when the run is done; short progress, questions and failures on stderr.
    `attended`: who sits there is asked, and the question is not shown here."""

    def __init__(self, *, attended: bool = False) -> None:
        self._attended, self._by_rote = attended, False
        self._held = ""

    def show(self, event: Event) -> None:
        """Show the event if it says something that stays."""
        held, self._held = self._held, ""
        if held and event["type"] != "run_ended":
            self._note(held)
        if self._attended and event["type"] in ("asked", "confirm"):
            return
        if event["type"] == "run_ended":
            self._ended(event)
        elif is_setback(event):
            self._held = progress(event)
        elif line := self._line(event):
            self._note(line)

    def _line(self, event: Event) -> str:
        """Return the line of an event; the start of a replay is said once."""
        if event["type"] != "rote" or event["state"] != "started" or self._by_rote:
            return progress(event)
        self._by_rote = True
        return describe.rote(event)

    def close(self) -> None:
        """Begin anew."""
        self._by_rote = False

    def _ended(self, event: Event) -> None:
        result = clean(str(event.get("result") or "")).strip()
        if event["status"] == "done":
            print(result, flush=True)
        elif event["status"] != "waiting" and result:
            self._note(f"sopwith: {clean(describe.ended(event)).strip()}")
        # where nothing was begun, the reason says it all
        if event.get("turns") or event["status"] == "done":
            self._note(describe.closing(event))
        for line in what_next(event):
            self._note(line)

    def _note(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


def is_setback(event: Event) -> bool:
    """Return True when a model or a replay gives up. Screens hold such a line back: where nobody
    goes on, the end says it."""
    kind = event["type"]
    return kind == "model_failed" or bool(kind == "rote" and event["state"] == "diverged")


def progress(event: Event) -> str:
    """Return one line for an event that is worth one, else nothing."""
    kind = event["type"]
    if kind == "tool_ended" and event["tool"] not in describe.QUIET_TOOLS:
        return tool_line(event)
    note = _NOTES.get(kind)
    return note(event) if note else ""


def tool_line(event: Event) -> str:
    """✓ code_run 0.3 s, or why it did not go well."""
    mark = describe.MARKS.get(event["status"], "?")
    line = f"{mark} {one_line(event['tool'], 60)} {describe.seconds(event.get('seconds', 0.0))}"
    reason = "" if event["status"] == "ok" else describe.problem(event)
    return f"{line} · {reason}" if reason else line


def _reminder(event: Event) -> str:
    key = f"reminder.{event.get('kind')}"
    return say(key, turn=event.get("turn")) if says(key) else ""


def _question(event: Event) -> str:
    lines = [say("ask.title", question=clean(str(event["question"])))]
    lines += [
        f"  {number}. {one_line(str(each))}"
        for number, each in enumerate(event.get("candidates") or [], 1)
    ]
    return "\n".join(lines)


def _confirm(event: Event) -> str:
    reason = one_line(reasons(event.get("said"), str(event.get("reason", ""))), 500)
    return describe.leave_asked(one_line(event["tool"], 60), reason)


def _model(event: Event) -> str:
    key = event["type"].replace("_", ".")
    reason = one_line(reasons(event.get("said"), str(event.get("reason", ""))), 400)
    return say(key, model=one_line(str(event.get("model", "")), 60), reason=reason)


def _rote(event: Event) -> str:
    if event["state"] != "diverged":
        return ""
    return say("rote.diverged", reason=one_line(str(event["reason"]), 300))


def _delegated(event: Event) -> str:
    child, task = one_line(str(event["child"]), 40), one_line(str(event.get("task", "")), 200)
    if event["state"] == "started":
        return say("helper.started", child=child, task=task)
    return say("helper.ended", child=child, status=one_line(str(event.get("status", "")), 20))


def _learned(event: Event) -> str:
    status = one_line(str(event.get("status", "")), 20)
    key = f"run.learned_{status}" if says(f"run.learned_{status}") else "run.learned"
    reason = one_line(reasons(event.get("said"), str(event.get("reason", ""))), 300)
    name = one_line(str(event.get("name", "")), 200)
    return say(key, name=name, status=status, reason=reason, run=event.get("run", ""))


def _context(event: Event) -> str:
    """Files of the owner's that could not be read as they are."""
    files = [file for file in (event.get("files") or {}).values() if file.get("error")]
    problems = [reasons(file.get("said"), str(file["error"])) for file in files]
    return "\n".join(one_line(problem, 300) for problem in problems)


def _noted(event: Event) -> str:
    text = one_line(event["text"], 300)
    if problem := one_line(reasons(event.get("said"), str(event.get("problem", ""))), 300):
        return say("run.not_noted", text=text, problem=problem)
    return "" if event.get("answers") else say("run.noted", text=text)


_NOTES: dict[str, Callable[[Event], str]] = {
    "rote": _rote,
    "reminder": _reminder,
    "asked": _question,
    "confirm": _confirm,
    "model_failed": _model,
    "model_retry": _model,
    "model_adapted": _model,
    "handover": lambda event: say("model.handover"),
    "recovered": lambda event: one_line(reasons(event.get("said"), event["text"]), 300),
    "run_resumed": lambda event: say("run.resumed"),
    "undone": lambda event: say("undone", n=len(event["paths"])),
    "uncertain": lambda event: say("tool.uncertain", tool=one_line(event["tool"], 60)),
    "context": _context,
    "steered": lambda event: say("run.steered", text=one_line(event["text"], 300)),
    "noted": _noted,
    "reloaded": lambda event: say("run.reloaded", files=one_line(", ".join(event["files"]), 300)),
    "compacted": lambda event: say(
        "run.compacted", before=event["tokens_before"], after=event["tokens_after"]
    ),
    "delegated": _delegated,
    "learned": _learned,
    "journal_failed": lambda event: say(
        "run.journal_failed", reason=one_line(reasons(event.get("said"), str(event["reason"])), 300)
    ),
}


def what_next(event: Event) -> list[str]:
    """Return what the run has changed, and the command that goes on after a run that is not
    done."""
    status, run = event["status"], event["run"]
    lines = [describe.changed(event)] if event.get("changes") else []
    if status == "waiting":
        lines.append(say("end.waiting", run=run))
    elif status in ("cancelled", "limit"):
        lines.append(say("end.resume", run=run))
    return lines
