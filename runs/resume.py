"""What a run log says has happened: the state that a resumed run goes on from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from handler import Prompts, TurnState, prompt_after
from memory.runlog import Totals
from memory.working import WorkingMemory
from models.base import Event, Message, Reply, ToolResult


@dataclass(slots=True)
class Progress:
    """A run as its log tells it. `pending` is the reply whose call has no end; `next_turn` is the turn to enter with."""

    opening: Event
    messages: list[Message]
    next_turn: int = 1
    pending: Reply | None = None
    status: str = ""  # of the last `run_ended`, "" when there is none
    handed_over: bool = False  # the replay has given up: a model is in charge
    replayed: list[ToolResult] = field(default_factory=list)  # results of the replay's finished calls
    working: WorkingMemory = field(default_factory=WorkingMemory)
    state: TurnState = field(default_factory=TurnState)
    totals: Totals = field(default_factory=Totals)


def read_progress(events: Iterable[Event], prompts: Prompts) -> Progress:
    """Rebuilds the state of a run from its events. The history comes out as it was sent, byte for byte."""
    stream = iter(events)
    opening = next(stream)
    progress = Progress(opening, list(opening["messages"]))
    for event in stream:
        progress.totals.add(event)
        _take(progress, event, prompts)
    progress.state.has_resumed = True
    return progress


def _take(progress: Progress, event: Event, prompts: Prompts) -> None:
    state, kind = progress.state, event["type"]
    if kind == "steered":
        progress.messages.append({"role": "user", "content": prompts.text("steered", text=event["text"])})
    elif kind == "handover":
        progress.messages.append({"role": "user", "content": event["text"]})
        progress.handed_over = True
    elif kind == "model_called":
        progress.pending, progress.next_turn = Reply.from_event(event), event["turn"]
    elif kind == "tool_started":
        state.interrupted = "" if event["only_reads"] else event["hash"]
    elif kind == "asked" or (kind == "tool_ended" and event["status"] != "cancelled"):
        state.interrupted = ""
        if kind == "tool_ended":
            _finish(progress, event, prompts)
    elif kind == "reminder":
        state.must_ask |= event["kind"] == "must_ask"
        if "prompt" in event and progress.pending:
            progress.working.note(event["turn"], progress.pending, None)
            progress.messages += [progress.pending.message(), {"role": "user", "content": event["prompt"]}]
            progress.pending, progress.next_turn = None, event["turn"] + 1
    elif kind == "confirmed" and event["decision"] == "run":
        state.allowed_for_run.add(event["kind"])
    elif kind == "run_ended":
        progress.status = event["status"]
    elif kind == "run_resumed":
        progress.status = ""


def _finish(progress: Progress, event: Event, prompts: Prompts) -> None:
    reply, result = progress.pending, ToolResult(event["status"], event["data"])
    if reply is None:
        return
    progress.working.note(event["turn"], reply, result)
    if event["tool"] == "update_working_checkpoint" and result.status == "ok" and reply.calls[0].args:
        args = reply.calls[0].args
        progress.working.checkpoint(args["key_info"], args.get("related_sop"))
    if event["tool"] == "ask_user" and result.status == "ok":
        progress.state.must_ask = False
    if reply.kind == "rote":
        progress.replayed.append(result)
    progress.messages += [reply.message(), *prompt_after(reply, result, prompts)]
    progress.pending, progress.next_turn = None, event["turn"] + 1
