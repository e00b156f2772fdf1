"""Learn from a run when it has ended: nobody is asked, and nothing becomes more than a candidate.

An SOP that was used is promoted, repaired, rolled back or suspended (learning/repair.py). A run
that called `start_long_term_update` and is done becomes a draft, or a candidate when its own values
pass on a copy; what else it takes to be done by rote is the owner's to say. Source: seed 002 §2,
§3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from config import SopwithError
from learning.calls import induce
from learning.draft import Draft, LearningError
from learning.guards import evidence
from learning.long_term import after_run as after_marked
from learning.long_term import says_only_facts
from learning.repair import after_run, is_learned
from learning.trace import Trace, read_trace
from learning.verify import is_staged, verify
from memory.inbox import Entry, Inbox
from memory.logs import read_events
from memory.sops import Sop, SopStore, Status
from memory.sops.changing import SopChanges
from memory.sops.curve import SopStats
from memory.usage import opening_of
from models.base import Event
from runs.learning import teach
from runs.learning.alone import (
    ground_of,
    learned_alone,
    repaired,
    same_script,
    values_of,
)
from runs.learning.lesson import Lesson
from runs.learning.lesson_files import files_of, stored
from runs.parts import SEEDS
from runs.workshop import Workshop
from text import names
from text.sentences import say

MAX_NAME_WORDS = 5
SMALL_WORDS = names("the an my in of to for and please from on with all is are")


def learn(agent: Workshop, run: str) -> Iterator[Event]:
    """Take a run that has ended into account. Yields `learned` events: {what: sop, name, status,
    reason}.

    Status "refused": nothing was stored, and the reason says why. What goes wrong here is said and
    never harms the run.
    """
    events = list(read_events(agent.config.home, run))
    events[0] = opening_of(events)
    for event in _taken_in(agent, run, events):
        _propose(agent, run, event, is_attended=bool(events[0].get("attended")))
        yield event


def _taken_in(agent: Workshop, run: str, events: Sequence[Event]) -> Iterator[Event]:
    name = events[0].get("sop") or ""
    try:
        if name:
            yield from _used(agent, run, events)
        if _is_marked(events):
            name = ""
            trace, spent = read_trace(agent.config.home, run), _spent(events)
            facts = after_marked(trace, events, agent.config.home, agent.parts.redactor())
            yield from facts
            if not says_only_facts(events, facts):
                yield from _marked(agent, run, spent)
        elif (sop := _followed(agent, events)) is not None:
            name = sop.name
            yield from _again(agent, sop, read_trace(agent.config.home, run), _spent(events))
    except SopwithError as error:
        yield _learned(name, "refused", str(error))


def _propose(agent: Workshop, run: str, learned: Event, *, is_attended: bool) -> None:
    """Leave in the inbox what only the owner can do: a repair of an own SOP; other values for one
    that nobody saw."""
    name, status = learned["name"], learned["status"]
    if learned["what"] != "sop" or not name:
        return
    entry = Entry(f"sop-{name}", run, "proposal", f"{name}: {learned['reason']}")
    if status == "proposed":
        entry.command = f"sopwith sops disable {name}"
        if "diff" in learned:
            entry.args = {"diff": learned["diff"]}
            entry.command = f"sopwith teach {name} --from-run {run} --new-version"
    elif status == "candidate" and not is_attended:
        entry.command = _to_verify(agent, name)
        entry.text = say(agent.config.lang, "learn.other_values", name=name)
    else:
        return
    Inbox(agent.config.home).propose(entry, name)


def _to_verify(agent: Workshop, name: str) -> str:
    """Return the command that proves the SOP, with its values left open."""
    agent.sops.reload()
    sop = agent.sops.get(name)
    parameters = sop.procedure.parameters if sop and sop.procedure else ()
    return " ".join(["sopwith sops verify", name, *(f"{each}=…" for each in parameters)])


def _is_marked(events: Sequence[Event]) -> bool:
    is_done = any(event["type"] == "run_ended" and event["status"] == "done" for event in events)
    marks = [
        event for event in events if event["type"] == "tool_ended" and event["tool"] == teach.MARK
    ]
    return is_done and any(event["status"] == "ok" for event in marks)


def _followed(agent: Workshop, events: Sequence[Event]) -> Sop | None:
    """Return the candidate that a model had before it in a run that ended well: the nearest hint,
    or one that it read."""
    if events[-1].get("status") != "done":
        return None
    named = {*events[0].get("hints", ())[:1], *_named(events)}
    candidates = (sop for sop in agent.sops.all() if sop.status == "candidate")
    return next(
        (sop for sop in candidates if {sop.name, str(sop.folder / "SKILL.md")} & named), None
    )


def _named(events: Sequence[Event]) -> Iterator[str]:
    """Yield the files that a run read and the SOPs that its checkpoints name."""
    for event in events:
        if event["type"] == "tool_started":
            yield str(event["args"].get("path", ""))
            yield str(event["args"].get("related_sop", ""))


def _spent(events: Sequence[Event]) -> float:
    """Return what the run has cost, USD."""
    return float(sum(event["cost"] for event in events if event["type"] == "model_called"))


def _again(agent: Workshop, sop: Sop, trace: Trace, spent_usd: float) -> Iterator[Event]:
    """Take a run that a model did with the SOP before it as one more case of it."""
    ground = ground_of(agent.config, trace.cwd)
    if sop.procedure is not None and is_staged(sop.procedure):
        yield from _one_more_case(agent, sop, values_of(sop, trace, ground))
        return
    yield from _taught_again(agent, sop, trace.run, spent_usd)


def _taught_again(agent: Workshop, sop: Sop, run: str, spent_usd: float) -> Iterator[Event]:
    """Teach a procedure of steps from its runs and one more: what the runs share is known better
    then."""
    if not is_learned(sop) or sop.status not in ("draft", "candidate"):
        return
    known = [str(each["run"]) for each in evidence(sop.folder).get("runs", [])]
    lesson = teach.lesson_from_run(agent, sop.name, *[each for each in known if each != run], run)
    lesson.existing = sop
    draft = teach.draft_of(agent, lesson, spent_usd=spent_usd)
    status, why = teach.earned(draft)
    if status == "probation" and not teach.refusals(agent, draft.files, is_draft=False):
        teach.store(agent, lesson, draft.files, status, "taught by one more run")
    yield _learned(sop.name, status if status == "probation" else sop.status, why)


def _used(agent: Workshop, run: str, events: Sequence[Event]) -> Iterator[Event]:
    home, sops = agent.config.home, SopStore(SEEDS, agent.config.home / "sops")
    ground = ground_of(agent.config, Path(events[0]["cwd"]))

    def again(trace: Trace, name: str, values: Mapping[str, Any]) -> Draft:
        sop = sops.get(name)
        if sop and sop.procedure and is_staged(sop.procedure):
            found = repaired(trace, sop, values, ground)
            if found is None:
                raise LearningError("error.learning.model-used-other-tools")
            return found
        return induce([trace], name, wanted={key: str(each) for key, each in values.items()})

    yield from after_run(
        events,
        sops=sops,
        store=SopChanges(home, SEEDS),
        stats=SopStats(home),
        attempt=agent.attempt,
        crystallise=again,
    )


def _marked_scripts(agent: Workshop, trace: Trace) -> Iterator[Event] | None:
    """Learn from a run of scripts that marked itself; None for a run that used other tools too."""
    trace = replace(trace, calls=tuple(call for call in trace.calls if call.tool != teach.MARK))
    found = learned_alone(agent, trace, _free_name(agent, trace.request))
    return None if found is None else _stored_alone(agent, *found, trace)


def _stored_alone(agent: Workshop, lesson: Lesson, why: str, trace: Trace) -> Iterator[Event]:
    if twin := same_script(lesson, agent.sops.all()):
        yield from _one_more_case(agent, twin, lesson.values)
        return
    status: Status = "candidate" if lesson.cases else "draft"
    cwd = str(trace.cwd)  # where it was done may be a place that goes away
    judged = {path: text.replace(cwd, "~") for path, text in files_of(lesson).items()}
    if refused := teach.refusals(agent, judged, is_draft=status == "draft"):
        yield _learned(lesson.name, "refused", str(refused[0].said(agent.config.lang)))
        return
    sop, _ = stored(agent, lesson, status, "learned from a run")
    why = why or "its own values pass; a second, different set must pass before it runs alone"
    yield _learned(sop.name, sop.status, why)


def _marked(agent: Workshop, run: str, spent_usd: float) -> Iterator[Event]:
    scripts = _marked_scripts(agent, read_trace(agent.config.home, run))
    if scripts is not None:
        yield from scripts
        return
    lesson = teach.lesson_from_run(agent, "draft", run)
    assert lesson.trace is not None
    lesson.name = _free_name(agent, lesson.trace.request)
    draft = teach.draft_of(agent, lesson, spent_usd=spent_usd)
    if twin := teach.twin_of(agent, draft):
        yield from _taught_again(agent, twin, run, spent_usd)
        return
    if refused := teach.refusals(agent, draft.files, is_draft=True):
        yield _learned(lesson.name, "refused", str(refused[0].said(agent.config.lang)))
        return
    status, why = teach.earned(draft)
    sop = teach.store(agent, lesson, draft.files, status, "learned from a run")
    yield _learned(sop.name, sop.status, why)


def _one_more_case(agent: Workshop, twin: Sop, values: Mapping[str, Any] | None) -> Iterator[Event]:
    """Add what an SOP that exists did again to its cases; it is no other SOP."""
    if not is_learned(twin) or twin.procedure is None:
        return
    if values is None or set(values) != set(twin.procedure.parameters):
        return
    store = SopChanges(agent.config.home, SEEDS)
    verdict = verify(twin, values, attempt=agent.attempt, store=store)
    yield _learned(twin.name, verdict.status_after, verdict.reason)


def _free_name(agent: Workshop, request: str) -> str:
    """Return a name from the words of a request, without its values."""
    words = re.findall(r"(?<![\w./~-])[a-z]{2,}(?![\w./-])", request.lower())
    telling = [word for word in words if word not in SMALL_WORDS]
    base = "-".join(telling[:MAX_NAME_WORDS])[:56].strip("-") or "learned"
    taken = {sop.name for sop in agent.sops.all()}
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return next(name for name in chain([base], numbered) if name not in taken)


def _learned(name: str, status: str, reason: str) -> Event:
    return {"type": "learned", "what": "sop", "name": name, "status": status, "reason": reason}
