"""Carry out one call: one reply in, one `Outcome` out.

`AgentHandler.prepare` makes the request of a turn; `dispatch` carries out the first call of the
reply: checks it, asks the gate, asks the owner where the gate says so, runs the tool. A mistake of
the model goes back to the model as an outcome; a mistake of ours is raised. `Texts`
(context/turns.py) writes what the model reads, `Consent` (runs/control/consent.py) reaches the
owner. Source: seed 002 §1, §4, §5.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from agent_loop import Outcome
from memory.inbox import call_hash
from memory.working import LoopWatch, TurnState, WorkingMemory, left_open, without_summary
from models.base import Event, Message, Reply, Request, ToolCall, ToolResult
from safety.gate import Ask, Decision, Gate, Question
from safety.taint import Origin, of_messages, of_result
from text.sentences import Said
from tools.base import LOOKS, Tool, ToolContext, ToolError
from tools.toolbox import Toolbox

ONCE = (
    "SOPWITH_ONCE"  # the idempotency key of an effect: a resumed run that repeats it sends the same
)
ASK_AGAIN = 3  # replies without a call or an answer in a row
_DONE = Decision("allow", "none")  # a call that was done, and whose changes wait
DEMANDS = {"must_ask": "ask_user", "must_save": "update_working_checkpoint"}  # reminder → its call


class Confirmation(NamedTuple):
    """Ask the owner to allow exactly this call; `preview` shows its effect."""

    id: str
    tool: str
    args: dict[str, Any]
    reason: str
    risk: str
    preview: str
    changes: tuple[Mapping[str, Any], ...] = ()  # what it would change, where that is known
    said: Sequence[Any] = ()  # the reason by keys of assets/words


class Approval(NamedTuple):
    """Answer a confirmation: once, for the rest of this run, or no with a reason for the model."""

    decision: Literal["once", "run", "no"]
    reason: str = ""


class Owner(Protocol):
    """The owner, or somebody who answers for the owner. None means: not here, the run waits on
    disk."""

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Put a question and return the answer."""
        ...

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Ask for leave."""
        ...

    def secret(self, question: str) -> str | None:
        """Ask for a password without showing it. It goes to a tool, into no log, to no model."""
        ...


class Consent(Protocol):
    """Reach the owner, or the inbox when the owner is away (runs/control/consent.py)."""

    def allow(
        self, turn: int, call: ToolCall, verdict: Decision
    ) -> Generator[Event, None, ToolResult | Outcome | None]:
        """Return None when the owner allows the call; else its refusal, or the outcome that
        waits."""
        ...

    def commit(
        self, turn: int, call: ToolCall, question: Question
    ) -> Generator[Event, None, ToolResult | Outcome | None]:
        """Return None when the owner allows what a call has changed; else as `allow`."""
        ...

    def ask(self, turn: int, call: ToolCall) -> Generator[Event, None, ToolResult | Outcome]:
        """Put the model's question and return the answer, or the outcome that waits."""
        ...


class Texts(Protocol):
    """Write what the model reads in a turn (context/turns.py)."""

    def say(self, name: str, /, **values: object) -> str:
        """Return the prompt called `name` with its blanks filled."""
        ...

    def due(self, turn: int) -> list[str]:
        """Return the kinds of reminders that are due at this turn."""
        ...

    def tail(self, turn: int, due: Sequence[str], notes: Sequence[str], *, whole: bool) -> str:
        """Return anchor, reminders and notes; `whole` shows the turns so far."""
        ...

    def after(self, reply: Reply, result: ToolResult) -> list[Message]:
        """Return the messages that follow a reply once its call has a result."""
        ...


@dataclass(kw_only=True)
class AgentHandler:
    """Handle one run. Nothing in it outlives the run but what the events say."""

    run: str
    session: str
    request: str  # the owner's own words, by which the gate goes
    tools: Toolbox
    check_args: Callable[[dict[str, Any], dict[str, Any]], str | None]
    context: ToolContext
    gate: Gate
    redact: Callable[[Any], Any]
    consent: Consent
    texts: Texts
    working: WorkingMemory
    state: TurnState
    last_turn: int
    steering: Callable[[], list[dict[str, Any]]]  # takes what the owner says while it works
    remember: Callable[[int, str], Iterable[Event]]  # writes a note of it
    changes: Callable[[], tuple[Mapping[str, str], str] | None]  # of the owner's files
    attended: bool = True
    prewarm: Callable[[], object] | None = None  # loads what the first call will need
    history: list[Message] = field(default_factory=list)
    loops: LoopWatch = field(default_factory=LoopWatch)
    notes: list[str] = field(default_factory=list)  # for the tail of the next request
    resend_tools: bool = True
    no_call_in_a_row: int = 0
    has_doubted: bool = False
    by_rote: bool = True  # until a model has spoken

    def prepare(self, turn: int, messages: list[Message]) -> Generator[Event, None, Request]:
        """Make the request of this turn: the history, what reached the run since, the tail."""
        self.history = messages
        yield from self._hear(turn, messages)
        due = [] if self.by_rote else self.texts.due(turn)
        for kind in due:
            yield {"type": "reminder", "turn": turn, "kind": kind}
            self.state.demanded = DEMANDS.get(kind, self.state.demanded)
        if "no_retry" in due:
            self.working.has_failed = False
        describe = self.resend_tools or "tools" in due
        whole = any(("tools" in due, self.state.has_resumed, self.by_rote))
        notes = [self.texts.say("resumed")] if self.state.was_interrupted else []
        text = self.texts.tail(turn, due, notes + self.notes, whole=whole)
        self.notes, self.resend_tools = [], False
        self.state.has_resumed = self.state.was_interrupted = False
        beside, self.prewarm = self.prewarm, None
        return Request(turn, messages, self.tools.schemas, text, describe, beside=beside)

    def _hear(self, turn: int, messages: list[Message]) -> Iterator[Event]:
        """Put what the owner has said and changed since the last turn behind the history."""
        prompt = "steered" if self.session == "main" else "steered_group"
        for said in self.steering():
            yield {"type": "steered", "turn": turn, **said}
            text = self.texts.say(prompt, text=said["text"])
            messages.append({"role": "user", "content": text})
            yield from self.remember(turn, said["text"])
        reloaded = self.changes()
        if reloaded is not None:
            files, text = reloaded
            yield {"type": "reloaded", "turn": turn, "files": dict(files), "text": text}
            messages.append({"role": "user", "content": text})

    def dispatch(self, turn: int, reply: Reply) -> Generator[Event, None, Outcome]:
        """Carry out the reply: its first call, or its answer."""
        self.by_rote = reply.kind == "rote"
        if not reply.calls:
            return (yield from self._no_call(turn, reply))
        call = self.tools.meant(reply.calls[0])
        started = time.monotonic()
        result = self._unfit(call) or (yield from self._gated(turn, call, reply))
        if isinstance(result, Outcome):
            return result
        result.said = result.listed
        result.data, result.reason = self.redact(result.data), self.redact(result.reason)
        yield self._ended(turn, call, result, time.monotonic() - started)
        self._note(reply, call, result)
        yield from self._offered(turn, call, result)
        if not self.by_rote and (yield from self._is_stuck(turn, call, result)):
            return Outcome(self.texts.say("loop_failed"), should_exit=True, ending="failed")
        said = self.texts.after(reply, result)
        return Outcome(
            result.data, said, status=result.status, seconds=result.seconds, reason=result.reason
        )

    def _ended(self, turn: int, call: ToolCall, result: ToolResult, seconds: float) -> Event:
        """Return the event of a call that has ended."""
        extra = {"origin": result.origin, "images": result.images, "reason": result.reason}
        extra |= {"said": self.redact(result.said)}
        return {
            "type": "tool_ended",
            "turn": turn,
            "call": call.id,
            "tool": call.name,
            "status": result.status,
            "seconds": round(seconds, 3),
            **{name: value for name, value in extra.items() if value},
            "data": result.data,
        }

    def _note(self, reply: Reply, call: ToolCall, result: ToolResult) -> None:
        """Take a finished turn into account."""
        self.state.origins |= {result.origin} - {""}
        self.no_call_in_a_row = 0
        self.working.note(reply, result)
        if result.status == "ok" and call.name == self.state.demanded:
            self.state.demanded = ""

    def _no_call(self, turn: int, reply: Reply) -> Generator[Event, None, Outcome]:
        """End the run with its answer; ask again, a few times, for what is no answer."""
        answer = without_summary(reply.text)
        if reply.finish == "filter":
            text = self.texts.say("filtered", said=self.redact(answer) or "…")
            return Outcome(text, should_exit=True, ending="failed", status="error")
        from models.claims import no_answer

        problem = no_answer(reply, answer) or self._doubted(reply, answer)
        has_asked_enough = self.no_call_in_a_row >= ASK_AGAIN
        if has_asked_enough and problem == "code_only_reply":
            problem = ""
        if not problem:
            return (yield from self._answered(turn, reply, self.redact(answer)))
        if has_asked_enough:
            text = self.texts.say("no_tool_three_times", count=ASK_AGAIN)
            return Outcome(text, should_exit=True, ending="failed", status="error")
        self.no_call_in_a_row += 1
        said = yield from self._told(turn, reply, problem)
        return Outcome(None, said, status="error")

    def _answered(self, turn: int, reply: Reply, answer: str) -> Generator[Event, None, Outcome]:
        """End the run as done; at the last turn, where the model says what is left, at its
        limit."""
        if turn < self.last_turn or not left_open(reply.text):
            return Outcome(answer)
        said = yield from self._told(turn, reply, "summed_up")
        return Outcome(answer, said, ending="summed_up")

    def _told(self, turn: int, reply: Reply, kind: str) -> Generator[Event, None, list[Message]]:
        """Answer a reply without a call by a text; it is in the log, so that a resumed run has
        it."""
        self.working.note(reply, None)
        prompt = self.texts.say(kind)
        yield {"type": "reminder", "turn": turn, "kind": kind, "prompt": prompt}
        return [{"role": "user", "content": prompt}]

    def _doubted(self, reply: Reply, answer: str) -> str:
        """Return the prompt for an answer that ends the run too early; once in a run, not at its
        last turn."""
        from models.claims import doubt

        if self.has_doubted or left_open(reply.text):
            return ""
        problem = doubt(reply, answer, self.request, self._is_there)
        self.has_doubted = bool(problem)
        return problem

    def _is_there(self, path: str) -> bool:
        try:
            return self.context.path(path).exists()
        except (ToolError, OSError, RuntimeError):
            return True

    def _unfit(self, call: ToolCall) -> ToolResult | None:
        """Return what is wrong with a call before it means anything: its turn, name, JSON,
        arguments."""
        if not self.by_rote and self.state.demanded not in ("", call.name):
            return ToolResult("refused", self.texts.say("only", tool=self.state.demanded))
        if call.name not in self.tools:
            return self._unknown(call)
        if call.args is None:
            return ToolResult("error", self.texts.say("broken_call", problem=call.error))
        if missing := self.tools.problem(call.name):
            return ToolResult("error", missing)
        problem = self.check_args(self.tools.schema(call.name), call.args)
        return self._bad_args(call, problem) if problem else None

    def _unknown(self, call: ToolCall) -> ToolResult:
        from difflib import get_close_matches

        self.resend_tools = True
        near = get_close_matches(call.name, self.tools, 3, 0.4) or sorted(self.tools)
        text = self.texts.say("unknown_tool", name=call.name[:80], nearest=", ".join(near))
        return ToolResult("error", text)

    def _bad_args(self, call: ToolCall, problem: str) -> ToolResult:
        return ToolResult("error", self.texts.say("bad_args", tool=call.name, problem=problem))

    def _gated(
        self, turn: int, call: ToolCall, reply: Reply
    ) -> Generator[Event, None, ToolResult | Outcome]:
        """Ask the gate, and the owner when the gate says so; then run the tool."""
        tool, args = self.tools[call.name], call.given
        only_reads = tool.only_reads or reply.only_reads
        self.context.hash, self.context.hold = call_hash(call.name, args), reply.hold
        is_aside = bool(self.context.staging and self.context.staging.is_aside(self.context.hash))
        is_safe = any((only_reads, reply.repeatable, is_aside))
        if self._was_interrupted(call) and not is_safe:
            event: Event = {"type": "uncertain", "turn": turn, "call": call.id}
            yield event | {"tool": call.name, "args": args}
            return ToolResult("error", self.texts.say("may_have_happened", tool=call.name))
        self.context.judged.clear()
        try:
            paths = tool.touches(self.context, args)
        except ToolError as error:
            return self._bad_args(call, str(error))
        verdict = _DONE if is_aside else self._verdict(tool, call, paths)
        refusal = yield from self._allowed(turn, call, verdict)
        if refusal is not None:
            return refusal
        result = yield from self._run(turn, call, tool, only_reads)
        if isinstance(result, ToolResult) and not result.origin:
            result.origin = of_result(tool.effects, args, paths, self.gate.places)
        return result

    def _allowed(
        self, turn: int, call: ToolCall, verdict: Decision
    ) -> Generator[Event, None, ToolResult | Outcome | None]:
        """Return None for a call that gate and owner allow; else its refusal, or the outcome that
        waits."""
        if verdict.decision == "refuse":
            reason = verdict.reason
            text = self.texts.say("refused", reason=reason)
            return ToolResult("refused", text, reason=reason, said=verdict.listed)
        if verdict.decision == "confirm":
            return (yield from self.consent.allow(turn, call, verdict))
        return None

    def _reaches_out(self, tool: Tool, call: ToolCall, verdict: Decision) -> bool:
        """Return True for a call whose effects would be real in a dry run: no stage holds them."""
        if tool.name in LOOKS:
            return verdict.decision != "allow" or tool.name == "web_scan"
        is_foreign = "." in call.name
        return is_foreign or bool(self.tools.family_of(call.name))

    def _was_interrupted(self, call: ToolCall) -> bool:
        """Return True, once, for the call that was at work when the run stopped."""
        if self.state.interrupted != call_hash(call.name, call.given):
            return False
        self.state.interrupted = ""
        return True

    def _verdict(self, tool: Tool, call: ToolCall, paths: tuple[Path, ...]) -> Decision:
        args = call.given
        asked = (call.name, args, tool.effects, paths, self.session, self.request)
        hints = tool.about(self.context, args)
        is_staged = bool(hints.get("staged", self.context.stages(call.name, args)))
        ask = Ask(*asked, self.origins(), self.attended, hints, self._results, is_staged)
        verdict = self.gate.decide(ask)
        if self.context.is_dry and self._reaches_out(tool, call, verdict):
            return Decision("refuse", "outside", (Said("gate.dry_run", {}),))
        return verdict

    def _results(self) -> list[str]:
        """Return what tools have answered, as the model has it."""
        return [str(each["content"]) for each in self.history if each.get("role") == "tool"]

    def origins(self) -> tuple[str, ...]:
        """Return whose words, the owner's apart, the model has read. A replay has no model to obey
        them."""
        if self.session != "main":
            return (Origin.SHARED,)
        if self.by_rote:
            return ()
        notes = of_messages(self.history[:2])
        return tuple(sorted(self.state.origins | ({notes} if notes else set())))

    def _run(
        self, turn: int, call: ToolCall, tool: Tool, only_reads: bool
    ) -> Generator[Event, None, ToolResult | Outcome]:
        """Run the tool. The driver writes `tool_started` when it is yielded, so the intent is on
        disk first."""
        args = call.given
        started: Event = {"type": "tool_started", "turn": turn, "call": call.id, "tool": call.name}
        hashed = {"hash": call_hash(call.name, args), "only_reads": only_reads}
        yield started | {"args": self.redact(args)} | hashed
        if call.name == "ask_user":
            return (yield from self.consent.ask(turn, call))
        self.context.call = call.id
        self.context.env[ONCE] = f"{self.run}.{turn}"
        began = time.monotonic()
        try:
            result = yield from self._progress(turn, call, tool.run(self.context, **args))
        except (ToolError, OSError, ValueError) as error:  # the model's mistake, or the world's
            return _failed(error)
        except KeyboardInterrupt:
            yield self._ended(turn, call, ToolResult("cancelled"), time.monotonic() - began)
            raise
        if isinstance(result, Outcome):
            return result
        result.seconds = time.monotonic() - began
        for told in self.context.recording.told() if self.context.recording else ():
            yield {"turn": turn} | told
        if call.name == "update_working_checkpoint":
            self.working.checkpoint(args["key_info"], args.get("related_sop"))
        return result

    def _progress(
        self, turn: int, call: ToolCall, running: Generator[Any, Any, ToolResult] | ToolResult
    ) -> Generator[Event, None, ToolResult | Outcome]:
        """Pass on what the tool says and asks while it works; a stop between two pieces ends the
        tool."""
        if isinstance(running, ToolResult):
            return running
        answer = None
        try:
            while True:
                try:
                    said = running.send(answer)
                except StopIteration as stop:
                    result: ToolResult = stop.value
                    return result
                answer = None
                if isinstance(said, Question):
                    answer = yield from self.consent.commit(turn, call, said)
                    if isinstance(answer, Outcome):
                        return answer
                    continue
                if isinstance(said, str):
                    said = {"type": "tool_output", "call": call.id, "delta": said}
                yield {"turn": turn} | self.redact(said)
        finally:
            running.close()

    def _offered(self, turn: int, call: ToolCall, result: ToolResult) -> Iterator[Event]:
        """Offer a family of tools once the model has asked for it, or has called one of its
        tools."""
        if result.status == "refused":
            return
        family = self.tools.family_of(call.name)
        if call.name == "more_tools" and result.status == "ok":
            family = str(call.given["family"])
        if family and self.tools.offer(family):
            yield {"type": "offered", "turn": turn, "family": family}

    def _is_stuck(
        self, turn: int, call: ToolCall, result: ToolResult
    ) -> Generator[Event, None, bool]:
        """Tell a model that goes round in circles; return True when telling has not helped."""
        verdict = self.loops.see(call, result)
        if verdict:
            yield {"type": "reminder", "turn": turn, "kind": f"loop_{verdict}"}
        if verdict == "told":
            self.notes.append(self.texts.say("loop_told"))
        return verdict == "failed"


def _failed(error: Exception) -> ToolResult:
    """Return the result of a call that raised: text for the model, and for people where the tool
    has one."""
    return ToolResult("error", str(error) or type(error).__name__)
