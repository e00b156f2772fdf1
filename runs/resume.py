"""Read from a run log what has happened: the state that a resumed run goes on from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from context import Compaction, Extent, Prompts, TurnTexts
from handler import DEMANDS
from memory.usage import Totals, choice_of
from memory.working import TurnState, WorkingMemory
from models.base import Event, Message, Reply, ToolCall, ToolResult


@dataclass(slots=True)
class Progress:
    """A run as its log tells it. `pending` is the reply whose call has no end; `next_turn` is the
    turn to enter with."""

    opening: Event
    messages: list[Message]
    is_opened: bool = False  # the history begins with what the context builder wrote
    # of the workspace files that the model has read; None: of none yet
    versions: dict[str, str] | None = None
    is_noted: bool = False  # what the request says for good is written down
    # of tools, beside the core: those that the model is offered
    families: list[str] = field(default_factory=list)
    extent: Extent = field(default_factory=Extent)  # how far the history is compacted
    next_turn: int = 1
    pending: Reply | None = None
    # it held a secret, which no log keeps: the model must be asked again
    is_pending_redacted: bool = False
    letter: int = 0  # the last one that was heard (runs/control/steering.py)
    status: str = ""  # of the last `run_ended`, "" when there is none
    handed_over: bool = False  # the replay has given up: a model is in charge
    # results of the replay's finished calls
    replayed: list[ToolResult] = field(default_factory=list)
    asked: list[ToolCall] = field(default_factory=list)  # those calls, and the one that was out
    working: WorkingMemory = field(default_factory=WorkingMemory)
    state: TurnState = field(default_factory=TurnState)
    totals: Totals = field(default_factory=Totals)

    @property
    def has_reply(self) -> bool:
        """Return True when the reply that has no result yet is carried out as the log has it. One
        that held a secret is asked for again, unless it gave tasks to helpers: they are told what
        the log says, and may be at it already."""
        if self.pending is None or self.pending.kind == "rote":
            return False
        calls = self.pending.calls
        return not self.is_pending_redacted or bool(calls and calls[0].name == "delegate")


def read_progress(events: Iterable[Event], prompts: Prompts, folder: Path) -> Progress:
    """Rebuild the state of a run from its events; `folder` is the run's. The history comes out as
    it was sent, byte for byte. Logs of older versions hold the first messages in their first event.
    """
    stream = iter(events)
    opening = next(stream)
    first = opening.get("messages") or []
    progress = Progress(
        opening, list(first), is_opened=bool(first), families=list(opening.get("families", ()))
    )
    reader = _Reader(progress, prompts, folder)
    for event in stream:
        reader.take(event)
    state, has_begun = progress.state, progress.next_turn > 1 or progress.pending is not None
    state.has_resumed = has_begun
    state.was_interrupted = has_begun and progress.status not in ("waiting", "limit")
    return progress


class _Reader:
    """Takes the events one by one; each type that changes the state has a method of its name."""

    def __init__(self, progress: Progress, prompts: Prompts, folder: Path) -> None:
        self.progress, self.prompts, self.folder = progress, prompts, folder
        self.texts = TurnTexts(prompts=prompts, working=progress.working, last_turn=0)

    def take(self, event: Event) -> None:
        self.progress.totals.add(event)
        change = getattr(self, f"_on_{event['type']}", None)
        if change is not None:
            change(event)

    def _on_steered(self, event: Event) -> None:
        self.progress.letter = event.get("letter", self.progress.letter)
        prompt = (
            "steered" if self.progress.opening.get("session", "main") == "main" else "steered_group"
        )
        text = self.prompts.text(prompt, text=event["text"])
        self.progress.messages.append({"role": "user", "content": text})

    def _on_context(self, event: Event) -> None:
        self.progress.messages[:0] = event["messages"]
        self.progress.is_opened = True
        self.progress.versions = {name: file["version"] for name, file in event["files"].items()}

    def _on_offered(self, event: Event) -> None:
        self.progress.families.append(event["family"])

    def _on_noted(self, event: Event) -> None:
        self.progress.is_noted |= "problem" not in event

    def _on_reloaded(self, event: Event) -> None:
        self.progress.messages.append({"role": "user", "content": event["text"]})
        self.progress.versions = {**(self.progress.versions or {}), **event["files"]}

    def _on_compacted(self, event: Event) -> None:
        progress = self.progress
        extent = Extent(event["up_to"], event["folded"], event["room"])
        is_kept = Compaction.reads_back(progress.opening)
        compaction = Compaction(
            self.folder, self.prompts, progress.working.summaries, is_kept=is_kept
        )
        progress.messages[:] = compaction.apply(progress.messages, progress.extent, extent)
        progress.extent = extent

    def _on_handover(self, event: Event) -> None:
        self.progress.messages.append({"role": "user", "content": event["text"]})
        self.progress.handed_over = True

    def _on_model_called(self, event: Event) -> None:
        if event["turn"] == 0:  # it chose an SOP: that is no part of the conversation
            return
        self.progress.pending, self.progress.next_turn = Reply.from_event(event), event["turn"]
        self.progress.is_pending_redacted = event.get("redacted", False)
        if event["kind"] == "rote":
            # it was out before, and is asked for again
            del self.progress.asked[len(self.progress.replayed) :]
            self.progress.asked += self.progress.pending.calls

    def _on_tool_started(self, event: Event) -> None:
        self.progress.state.interrupted = "" if event["only_reads"] else event["hash"]

    def _on_asked(self, _: Event) -> None:
        self.progress.state.interrupted = ""  # a question may be put again

    def _on_chosen(self, event: Event) -> None:
        self.progress.opening |= choice_of(event)

    def _on_confirmed(self, event: Event) -> None:
        self.progress.state.confirmed.add(event["id"])
        if event["decision"] == "run":
            self.progress.state.allowed_for_run.add(event["kind"])

    def _on_reminder(self, event: Event) -> None:
        state = self.progress.state
        state.demanded = DEMANDS.get(event["kind"], state.demanded)
        if event["kind"] == "no_retry":
            self.progress.working.has_failed = False
        if "prompt" in event and self.progress.pending:
            self.progress.working.note(self.progress.pending, None)
            said = {"role": "user", "content": event["prompt"]}
            self._finish_turn(event["turn"], self.progress.pending, [said])

    def _on_tool_ended(self, event: Event) -> None:
        progress, reply = self.progress, self.progress.pending
        # stopped in the middle: it may have happened
        if reply is None or event["status"] == "cancelled":
            return
        result = ToolResult(
            event["status"],
            event["data"],
            event.get("origin", ""),
            event["seconds"],
            images=event.get("images", []),
        )
        progress.state.origins.update([result.origin] if result.origin else [])
        progress.state.interrupted = ""
        progress.working.note(reply, result)
        if (
            event["tool"] == "update_working_checkpoint"
            and result.status == "ok"
            and reply.calls[0].args
        ):
            args = reply.calls[0].args
            progress.working.checkpoint(args["key_info"], args.get("related_sop"))
        if result.status == "ok" and event["tool"] == progress.state.demanded:
            progress.state.demanded = ""
        if reply.kind == "rote":
            progress.replayed.append(result)
        self._finish_turn(event["turn"], reply, self.texts.after(reply, result))

    def _on_run_ended(self, event: Event) -> None:
        self.progress.status = event["status"]

    def _on_run_resumed(self, _: Event) -> None:
        self.progress.status = ""

    def _finish_turn(self, turn: int, reply: Reply, next_prompt: list[Message]) -> None:
        self.progress.messages += [reply.message(), *next_prompt]
        self.progress.pending, self.progress.next_turn = None, turn + 1
