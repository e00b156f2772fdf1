"""One run on its way to a draft: its calls in a plain form, those that the result depends on, and why others are not.

A call stays when it changed something, when its output is in the answer, or when a later call uses what it brought.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from learning import shell_words
from learning.draft import Content, DraftStep, LearningError, Slot
from learning.provenance import Provenance, Source, provenance
from learning.reach import Reach, reach_of
from learning.trace import Trace
from learning.units import Surroundings, Unit, absolute
from memory.runlog.evidence import Result
from shell.bash import NotUnderstood


@dataclass(slots=True)
class Work:
    """One trace on its way to a draft."""

    trace: Trace
    around: Surroundings
    found: Provenance
    reaches: list[Reach]
    agreed: set[tuple[Any, ...]] = field(default_factory=set)  # units that another run has the same
    names: dict[int, str] = field(default_factory=dict)  # id of a mention → parameter
    content: Content = field(default_factory=Content)
    slots: list[Slot] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    saved: dict[tuple[int, str], str] = field(
        default_factory=dict
    )  # (call, extractor) → saved value
    step_of: dict[int, DraftStep] = field(default_factory=dict)
    answers: list[int] = field(default_factory=list)  # calls whose output is in the answer
    told: dict[int, Source] = field(
        default_factory=dict
    )  # call → the part of its output that is in the answer

    def problem(self, text: str) -> None:
        if text not in self.problems:
            self.problems.append(text)


def refuse(trace: Trace) -> None:
    """Raises LearningError when nothing may be learned from a run."""
    if not any(call.tool not in ("ask_user", "update_working_checkpoint") for call in trace.calls):
        raise LearningError(
            f"run {trace.run} made no calls: there is nothing in it that could be done by rote."
        )
    if trace.status != "done":
        raise LearningError(
            f"run {trace.run} ended as {trace.status}: only a run that is done can teach."
        )
    if trace.by_rote:
        raise LearningError(
            f"run {trace.run} was done by rote: it teaches nothing that {trace.sop} does not know."
        )


def begin(
    trace: Trace, values: Mapping[str, str] | None, owner_home: Path, agent_home: Path
) -> Work:
    refuse(trace)
    today = datetime.fromisoformat(trace.at.replace("Z", "+00:00")).astimezone().date().isoformat()
    around = Surroundings(
        trace.cwd, owner_home, today, os.environ.get("USER", ""), os.uname().nodename
    )
    trace = replace(trace, calls=tuple(_normal(call, trace, owner_home) for call in trace.calls))
    found = provenance(trace, around, values)
    reaches = [
        reach_of(call, trace.cwd, owner_home, agent_home, trace.request) for call in trace.calls
    ]
    work = Work(trace, around, found, reaches)
    _keep(work)
    return work


def _normal(call: Result, trace: Trace, owner_home: Path) -> Result:
    """`cd X && …` becomes the call's folder; a folder that is the run's own is none."""
    args = dict(call.args)
    script = args.get("script")
    if call.tool == "code_run" and args.get("type") == "bash" and isinstance(script, str):
        start = re.match(r"\s*cd\s+(?!-)", script)
        if start and (moved := _without_cd(script)):
            folder, args["script"] = moved
            args["cwd"] = (
                folder if not args.get("cwd") or folder[0] in "/~" else f"{args['cwd']}/{folder}"
            )
    if args.get("cwd") and absolute(str(args["cwd"]), trace.cwd, owner_home) == trace.cwd:
        del args["cwd"]
    return replace(call, args=args)


def _without_cd(script: str) -> tuple[str, str] | None:
    try:
        words = shell_words.scan(script).words
    except NotUnderstood:
        return None
    if len(words) < 3 or words[0].text != "cd" or words[2].command == words[1].command:
        return None
    target, rest = words[1], script[words[1].end :].lstrip(" \t")
    separator = re.match(r"(&&|;|\n)\s*", rest)
    if (
        not separator
        or not target.is_known
        or target.has_glob
        or any(word.text in ("cd", "pushd") for word in words[2:])
    ):
        return None
    text = (
        target.text
        if (target.pieces and target.pieces[0].kind == "home") or not target.text.startswith("~")
        else "./" + target.text
    )
    return (text, rest[separator.end() :]) if text else None


def _keep(work: Work) -> None:
    """Decides which calls stay, from the last to the first; says why the others do not."""
    calls = work.trace.calls
    ok = [n for n, call in enumerate(calls) if _succeeded(call)]
    changes = [n for n in ok if work.reaches[n] != "reads"]
    work.answers = _answering(work, ok)
    wanted = set(changes) | set(work.answers)
    if not wanted and ok:
        wanted = {ok[-1]}
    for n in range(len(calls) - 1, -1, -1):
        if n in wanted:
            wanted |= _sources(work, n)
    work.kept = [
        n
        for n in sorted(wanted)
        if n in ok and calls[n].tool not in ("ask_user", "update_working_checkpoint")
    ]
    for n, call in enumerate(calls):
        if n not in work.kept:
            _note_dropped(work, n, call, ok)
    if not work.kept:
        raise LearningError(
            f"run {work.trace.run}: none of its calls succeeded, so there is nothing to learn."
        )


def _sources(work: Work, number: int) -> set[int]:
    found = {each.source.call for each in work.found.of("earlier") if each.unit.call == number}
    return found | {source.call for units, source in work.found.lists if units[0].call == number}


def _succeeded(call: Result) -> bool:
    return call.status == "ok"


def _answering(work: Work, ok: list[int]) -> list[int]:
    """The calls whose whole output stands in the answer: the last of them."""
    answer = work.trace.answer
    if work.trace.taught is not None or not answer:
        return []
    found = []
    for n in ok:
        text = output_of(work.trace.calls[n])
        if (
            text
            and len(text) <= 4_000
            and all(stands_in(line, answer) for line in text.splitlines())
        ):
            found.append(n)
    return found[-1:]


def stands_in(text: str, answer: str) -> bool:
    """True when an answer holds the text as a word of its own."""
    text = text.strip()
    return not text or re.search(rf"(?<![\w.]){re.escape(text)}(?![\w]|[.,]\d)", answer) is not None


def output_of(call: Result) -> str:
    if isinstance(call.data, dict):
        return "" if call.data.get("file") else str(call.data.get("output", "")).strip("\n")
    return call.data if isinstance(call.data, str) else ""


def _note_dropped(work: Work, number: int, call: Result, ok: list[int]) -> None:
    what = f"call {number + 1} ({call.tool}{': ' + short(call) if short(call) else ''})"
    if number in ok:
        work.notes.append(f"{what} left out: it only looked, and no later step uses what it showed")
    elif work.reaches[number] == "reads":
        work.notes.append(f"{what} left out: it failed")
    elif any(_redid(call, work.trace.calls[later]) for later in ok if later > number):
        work.notes.append(f"{what} left out: it failed and was done again")
    else:
        work.notes.append(f"{what} left out: it failed")
        work.problem(
            f"{what} failed and was not done again; it may have changed something that the rest relies on"
        )


def _redid(failed: Result, later: Result) -> bool:
    if failed.tool != later.tool:
        return False
    return verbs_of(failed.tool, failed.args)[:2] == verbs_of(later.tool, later.args)[:2]


def verbs_of(tool: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    script = args.get("script")
    if tool != "code_run" or not isinstance(script, str) or args.get("type") == "python":
        return (tool, str(args.get("type", "")))
    try:
        words = shell_words.scan(script).words
    except NotUnderstood:
        return (tool, script)
    return (
        tool,
        *(
            word.text
            for word in words
            if word.is_first or (word.place == "fixed" and not word.text.startswith("-"))
        ),
    )


def short(call: Result) -> str:
    text = str(call.args.get("script") or call.args.get("path") or "")
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}…"


def where(work: Work, unit: Unit) -> str:
    call = work.trace.calls[unit.call]
    return f"call {unit.call + 1}, {call.tool}: {short(call) or '.'.join(map(str, unit.argument))}"


def scan_or_none(script: str) -> shell_words.Script | None:
    try:
        return shell_words.scan(script)
    except NotUnderstood:
        return None
