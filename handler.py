"""One call in, one `Outcome` out: the gate, the tool, the turn policy and the working-memory anchor.

`AgentHandler.prepare` says what the model is asked this turn; `dispatch` carries out the first call of its reply. What
the model did wrong comes back to it as an outcome; what we did wrong is raised. Source: seed 002 §1, §4, §5.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from agent_loop import Outcome
from memory.runlog.inbox import Answer, Entry, Inbox, call_hash
from memory.runlog.repetition import LoopWatch
from memory.runlog.working import WorkingMemory, without_summary
from models.base import Event, Message, Reply, Request, ToolCall, ToolResult
from safety import origins
from safety.gate import Ask, Decision, Gate
from tools.base import Hold, Tool, ToolContext, ToolError
from tools.toolbox import Toolbox

MAX_RESULT_CHARS = 24_000  # of one result, in the history; tools keep what is longer in a file
ONCE = "SOPWITH_ONCE"  # the idempotency key of an effect: the same when a resumed run does the same call again
ASK_AGAIN = 3  # replies without a call or an answer in a row


class Reminder(NamedTuple):
    """When the model is reminded of something. `every` counts turns; `once` names the only turn."""

    kind: str
    every: int = 0
    once: int = 0

    def is_due(self, turn: int) -> bool:
        """True on the turns that the table names."""
        return turn == self.once or (self.every > 0 and turn % self.every == 0)


REMINDERS = (  # seed 002 §1 and §5
    Reminder("no_retry", every=7),
    Reminder("tools", every=10),
    Reminder("must_ask", once=30),
)


class Confirmation(NamedTuple):
    """What the owner is asked to allow: exactly this call. `preview` is its effect, readable."""

    id: str
    tool: str
    args: dict[str, Any]
    reason: str
    risk: str
    preview: str


class Approval(NamedTuple):
    """The owner's word on a confirmation: once, for the rest of this run, or no with a reason the model reads."""

    decision: Literal["once", "run", "no"]
    reason: str = ""


class Owner(Protocol):
    """The owner, or somebody who answers in the owner's place. None means: not here, the run waits on disk."""

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Puts a question; returns the answer."""
        ...

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Asks for leave."""
        ...

    def secret(self, question: str) -> str | None:
        """Asks for a password or the like, without showing it. It goes to a tool, into no log, to no model."""
        ...


class Prompts(Protocol):
    """The texts that the model reads, in the language of the run (context/prompts.py)."""

    def text(self, name: str, /, **values: object) -> str:
        """The text called `name`, with its blanks filled."""
        ...


class Reloaded(Protocol):
    """Workspace files that changed since the model read them (context/changes.py)."""

    @property
    def files(self) -> Mapping[str, str]:
        """The version that each has now."""
        ...

    @property
    def text(self) -> str:
        """What the model reads about it."""
        ...


@dataclass(slots=True)
class TurnState:
    """What the turn policy carries from turn to turn; a resumed run finds it in its log (runs/resume.py)."""

    must_ask: bool = False
    allowed_for_run: set[str] = field(default_factory=set)  # scopes (safety/gate.py)
    confirmed: set[str] = field(
        default_factory=set
    )  # ids of confirmations whose answer has been taken
    origins: set[str] = field(
        default_factory=set
    )  # whose words, beside the owner's, the model has read
    interrupted: str = ""  # hash of the call that had started, and not ended, when the run stopped
    has_resumed: bool = False


class AgentHandler:
    """The handler of a run. One object a run; nothing in it outlives the run but what the events say."""

    def __init__(
        self,
        *,
        run: str,
        session: str,
        request: str,
        tools: Toolbox,
        check_args: Callable[[dict[str, Any], dict[str, Any]], str | None],
        context: ToolContext,
        gate: Gate,
        redact: Callable[[Any], Any],
        owner: Owner,
        inbox: Inbox,
        prompts: Prompts,
        working: WorkingMemory,
        state: TurnState,
        l2_index: Callable[[], str] = str,
        attended: bool = True,
        steering: Callable[[], list[dict[str, Any]]] = list,
        remember: Callable[[int, str], Iterable[Event]] = lambda turn, said: (),
        context_changes: Callable[[], Reloaded | None] = lambda: None,
    ) -> None:
        """`l2_index` reads the index of the facts when a reminder is due; `remember` writes down what the owner says for
        good, while the run works; `context_changes` looks whether the owner has changed a file that the model has read."""
        self.run, self.session, self.request = run, session, request
        self.tools, self.check_args = tools, check_args
        self.context, self.gate, self.redact = context, gate, redact
        self.owner, self.inbox, self.prompts = owner, inbox, prompts
        self.working, self.state, self.l2_index, self.steering = working, state, l2_index, steering
        self.remember, self.context_changes, self.attended = remember, context_changes, attended
        self.history: list[Message] = []
        self.loops = LoopWatch()
        self.notes: list[str] = []  # for the tail of the next request
        self.resend_tools = True
        self.no_call_in_a_row = 0
        self.by_rote = True  # until a model has spoken

    def prepare(self, turn: int, messages: list[Message]) -> Generator[Event, None, Request]:
        """The request of this turn: history, then anchor and reminders at the tail. Steering and changed files join the
        history."""
        self.history = messages
        yield from self._heard(turn, messages)
        due = [] if self.by_rote else [r.kind for r in REMINDERS if r.is_due(turn)]
        for kind in due:
            yield {"type": "reminder", "turn": turn, "kind": kind}
        self.state.must_ask |= "must_ask" in due
        describe = self.resend_tools or "tools" in due
        whole = "tools" in due or self.state.has_resumed or self.by_rote
        parts = (
            [self.working.anchor(turn, whole=whole)] if self.working.summaries or turn > 1 else []
        )
        if "tools" in due and (index := self.l2_index()):
            parts.append(index)
        if self.state.has_resumed:
            parts.append(self.prompts.text("resumed"))
        parts += [
            self.prompts.text(f"reminder_{kind}", turn=turn) for kind in due if kind != "tools"
        ]
        parts += self.notes
        self.notes, self.resend_tools, self.state.has_resumed = [], False, False
        return Request(turn, messages, self.tools.schemas, "\n\n".join(parts), describe)

    def _heard(self, turn: int, messages: list[Message]) -> Iterator[Event]:
        """What the owner has said and changed since the last turn; it is put behind the history."""
        for said in self.steering():
            yield {"type": "steered", "turn": turn, **said}
            prompt = "steered" if self.session == "main" else "steered_group"
            messages.append(
                {"role": "user", "content": self.prompts.text(prompt, text=said["text"])}
            )
            yield from self.remember(turn, said["text"])
        reloaded = self.context_changes()
        if reloaded is not None:
            yield {
                "type": "reloaded",
                "turn": turn,
                "files": dict(reloaded.files),
                "text": reloaded.text,
            }
            messages.append({"role": "user", "content": reloaded.text})

    def dispatch(self, turn: int, reply: Reply) -> Generator[Event, None, Outcome]:
        """Carries out the reply: its first call, or its answer."""
        self.by_rote = reply.kind == "rote"
        if not reply.calls:
            return (yield from self._no_call(turn, reply))
        call = self.tools.meant(reply.calls[0])
        started = time.monotonic()
        result = (
            self._refusal(call) or self._unfit(call) or (yield from self._gated(turn, call, reply))
        )
        if isinstance(result, Outcome):
            return result
        result.data = self.redact(result.data)
        yield {
            "type": "tool_ended",
            "turn": turn,
            "call": call.id,
            "tool": call.name,
            "status": result.status,
            "seconds": round(time.monotonic() - started, 3),
            **({"origin": result.origin} if result.origin else {}),
            **({"images": result.images} if result.images else {}),
            **({"reason": self.redact(result.reason)} if result.reason else {}),
            "data": result.data,
        }
        self.state.origins.update([result.origin] if result.origin else [])
        self.no_call_in_a_row = 0
        self.working.note(turn, reply, result)
        yield from self._offered(turn, call, result)
        if call.name == "ask_user" and result.status == "ok":
            self.state.must_ask = False
        if not self.by_rote and (yield from self._is_stuck(turn, call, result)):
            return Outcome(self.prompts.text("loop_failed"), should_exit=True, ending="failed")
        return Outcome(
            result.data,
            prompt_after(reply, result, self.prompts),
            status=result.status,
            seconds=result.seconds,
        )

    def _no_call(self, turn: int, reply: Reply) -> Generator[Event, None, Outcome]:
        """An answer ends the run; what is no answer is asked again, a few times."""
        answer = without_summary(reply.text)
        problem = no_answer(reply, answer)
        if not problem or (problem == "code_only_reply" and self.no_call_in_a_row >= ASK_AGAIN):
            return Outcome(self.redact(answer))
        if self.no_call_in_a_row >= ASK_AGAIN:
            text = self.prompts.text("no_tool_three_times", count=ASK_AGAIN)
            return Outcome(text, should_exit=True, ending="failed", status="error")
        self.no_call_in_a_row += 1
        self.working.note(turn, reply, None)
        prompt = self.prompts.text(problem)
        yield {"type": "reminder", "turn": turn, "kind": problem, "prompt": prompt}
        return Outcome(None, [{"role": "user", "content": prompt}], status="error")

    def _refusal(self, call: ToolCall) -> ToolResult | None:
        """At turn 30 only a question is accepted, until it has been put (seed 002 §5)."""
        if self.state.must_ask and not self.by_rote and call.name != "ask_user":
            return ToolResult("refused", self.prompts.text("only_ask_user"))
        return None

    def _unfit(self, call: ToolCall) -> ToolResult | None:
        """What is wrong with a call before it means anything: its name, its JSON, its arguments."""
        if call.name not in self.tools:
            from difflib import get_close_matches

            self.resend_tools = True
            near = get_close_matches(call.name, self.tools, n=3, cutoff=0.4) or sorted(self.tools)
            text = self.prompts.text("unknown_tool", name=call.name[:80], nearest=", ".join(near))
            return ToolResult("error", text)
        if call.args is None:
            return ToolResult("error", self.prompts.text("broken_call", problem=call.error))
        if missing := self.tools.problem(call.name):
            return ToolResult("error", missing)
        problem = self.check_args(self.tools.schema(call.name), call.args)
        if problem:
            return ToolResult(
                "error", self.prompts.text("bad_args", tool=call.name, problem=problem)
            )
        return None

    def _gated(
        self, turn: int, call: ToolCall, reply: Reply
    ) -> Generator[Event, None, ToolResult | Outcome]:
        """Asks the gate, and the owner when the gate says so; then runs the tool."""
        tool, args = self.tools[call.name], call.args or {}
        if self.state.interrupted == call_hash(call.name, args):
            self.state.interrupted = ""
            if not (tool.only_reads or reply.only_reads or reply.repeatable):
                yield {
                    "type": "uncertain",
                    "turn": turn,
                    "call": call.id,
                    "tool": call.name,
                    "args": args,
                }
                return ToolResult("error", self.prompts.text("may_have_happened", tool=call.name))
        try:
            paths = tool.touches(self.context, args)
        except ToolError as error:
            return ToolResult(
                "error", self.prompts.text("bad_args", tool=call.name, problem=str(error))
            )
        verdict = self.gate.decide(
            Ask(
                tool=call.name,
                args=args,
                effects=tool.effects,
                paths=paths,
                session=self.session,
                request=self.request,
                origin=self._origins(),
                attended=self.attended,
                hints=tool.about(self.context, args),
                read=self._results,
            )
        )
        if verdict.decision == "refuse":
            return ToolResult(
                "refused",
                self.prompts.text("refused", reason=verdict.reason),
                reason=verdict.reason,
            )
        if verdict.decision == "confirm":
            refusal = yield from self._confirmed(turn, call, verdict)
            if refusal is not None:
                return refusal
        only_reads = tool.only_reads or reply.only_reads
        result = yield from self._run(turn, call, tool, only_reads, reply.hold)
        if isinstance(result, ToolResult):
            result.origin = result.origin or origins.of_result(
                tool.effects, args, paths, self.gate.places
            )
        return result

    def _results(self) -> list[str]:
        """What tools have answered, as the model has it."""
        return [
            str(message["content"]) for message in self.history if message.get("role") == "tool"
        ]

    def _origins(self) -> tuple[str, ...]:
        """Whose words, beside the owner's, the model has read. A replay has no model that could obey them."""
        if self.session != "main":
            return (origins.SHARED,)
        if self.by_rote:
            return ()
        notes = origins.of_messages(self.history[:2])
        return tuple(sorted(self.state.origins | ({notes} if notes else set())))

    def _preview(self, tool: str, args: dict[str, Any]) -> str:
        """The call; of a change to a file its lines, `-` what goes and `+` what comes."""
        if tool not in ("file_patch", "file_write") or not isinstance(args.get("path"), str):
            return preview(args)
        from tools.files import diff  # only where somebody is asked

        changed = diff(tool, args, self.context.path(args["path"]))
        rest = {
            name: value for name, value in args.items() if name not in ("old", "new", "content")
        }
        return preview(rest | {"changes": changed}) if changed else preview(args)

    def _confirmed(
        self, turn: int, call: ToolCall, verdict: Decision
    ) -> Generator[Event, None, ToolResult | Outcome | None]:
        """None when the owner allows this call; else its refusal, or the outcome that waits for the owner."""
        args, reason, risk = call.args or {}, verdict.reason, verdict.risk
        if verdict.scope in self.state.allowed_for_run:
            return None
        id, name = f"{self.run}.{turn}", call_hash(call.name, args)
        found = self.inbox.answer_for(self.run, name)
        if (
            found and found[0] in self.state.confirmed
        ):  # a crash came behind it: an answer holds once
            self.inbox.remove(found[0])
            found = None
        if found:
            id, answer = found
            approval: Approval | None = Approval(
                "no" if answer.decision == "deny" else "once", answer.text
            )
        elif expired := self.inbox.expired(self.run, name):
            id, found = expired, (expired, Answer("deny"))
            approval = Approval(
                "no", self.prompts.text("expired", hours=f"{self.gate.settings.confirm_hours:g}")
            )
        else:
            yield {
                "type": "confirm",
                "id": id,
                "turn": turn,
                "tool": call.name,
                "reason": reason,
                "risk": risk,
            }
            approval = self.owner.confirm(
                Confirmation(id, call.name, args, reason, risk, self._preview(call.name, args))
            )
        if approval is None:
            text = self.redact(f"{call.name}: {reason}")
            hours = self.gate.settings.confirm_hours
            shown = self.redact(args)
            self.inbox.add(
                Entry(
                    id,
                    self.run,
                    "confirmation",
                    text,
                    [],
                    call.name,
                    shown,
                    risk,
                    name,
                    self.session,
                    hours=hours,
                )
            )
            return Outcome(text, should_exit=True, ending="waiting")
        self.state.confirmed.add(id)
        yield {
            "type": "confirmed",
            "id": id,
            "turn": turn,
            "decision": approval.decision,
            "reason": approval.reason,
            "kind": verdict.scope,
        }
        if found:
            self.inbox.remove(id)
        if approval.decision == "no":
            return ToolResult(
                "refused", self.prompts.text("denied", reason=approval.reason or "").rstrip()
            )
        if approval.decision == "run":
            self.state.allowed_for_run.add(verdict.scope)
        return None

    def _run(
        self, turn: int, call: ToolCall, tool: Tool, only_reads: bool, hold: Hold | None = None
    ) -> Generator[Event, None, ToolResult | Outcome]:
        """Runs the tool. The intent is on disk before it starts: the driver writes `tool_started` when it is yielded."""
        args = call.args or {}
        yield {
            "type": "tool_started",
            "turn": turn,
            "call": call.id,
            "tool": call.name,
            "args": self.redact(args),
            "hash": call_hash(call.name, args),
            "only_reads": only_reads,
        }
        if call.name == "ask_user":
            return (yield from self._asked(turn, call))
        self.context.call, self.context.hold = call.id, hold
        self.context.env[ONCE] = f"{self.run}.{turn}"
        started = time.monotonic()
        try:
            running = tool.run(self.context, **args)
            result = (
                running
                if isinstance(running, ToolResult)
                else (yield from self._progress(call, running))
            )
        except (ToolError, OSError, ValueError) as error:  # the model's mistake, or the world's
            return ToolResult("error", str(error) or type(error).__name__)
        except KeyboardInterrupt:
            yield {
                "type": "tool_ended",
                "turn": turn,
                "call": call.id,
                "tool": call.name,
                "status": "cancelled",
                "seconds": round(time.monotonic() - started, 3),
                "data": None,
            }
            raise
        result.seconds = time.monotonic() - started
        if call.name == "update_working_checkpoint":
            self.working.checkpoint(args["key_info"], args.get("related_sop"))
        return result

    def _progress(
        self, call: ToolCall, running: Generator[str | Event, None, ToolResult]
    ) -> Generator[Event, None, ToolResult]:
        try:
            while True:
                try:
                    delta = next(running)
                except StopIteration as stop:
                    result: ToolResult = stop.value
                    return result
                if isinstance(delta, str):
                    yield {"type": "tool_output", "call": call.id, "delta": self.redact(delta)}
                else:  # what stands in the log before the tool goes on
                    yield self.redact(delta)
        finally:
            running.close()  # a tool that is stopped between two pieces of its output ends here

    def _asked(self, turn: int, call: ToolCall) -> Generator[Event, None, ToolResult | Outcome]:
        """Puts the model's question to the owner, or leaves it in the inbox and waits."""
        args = call.args or {}
        question, candidates = str(args["question"]), [str(c) for c in args.get("candidates") or []]
        name = call_hash(call.name, args)
        found = self.inbox.answer_for(self.run, name)
        id = found[0] if found else f"{self.run}.{turn}"
        if found:
            answer: str | None = found[1].text
        else:
            yield {
                "type": "asked",
                "id": id,
                "turn": turn,
                "question": question,
                "candidates": candidates,
            }
            answer = self.owner.ask(id, question, candidates)
        if answer is None:
            shown = self.redact(question)
            self.inbox.add(
                Entry(
                    id,
                    self.run,
                    "question",
                    shown,
                    self.redact(candidates),
                    call=name,
                    session=self.session,
                )
            )
            return Outcome(shown, should_exit=True, ending="waiting")
        yield {"type": "answered", "id": id, "turn": turn, "text": answer}
        if found:
            self.inbox.remove(id)
        return ToolResult("ok", {"answer": answer})

    def _offered(self, turn: int, call: ToolCall, result: ToolResult) -> Iterator[Event]:
        """A family of tools joins the offer when the model has asked for it, or has called one of its tools."""
        if result.status == "refused":
            return
        asked = (
            (call.args or {}).get("family")
            if call.name == "more_tools" and result.status == "ok"
            else None
        )
        family = asked or self.tools.family_of(call.name)
        if family and self.tools.offer(str(family)):
            yield {"type": "offered", "turn": turn, "family": family}

    def _is_stuck(
        self, turn: int, call: ToolCall, result: ToolResult
    ) -> Generator[Event, None, bool]:
        """Tells a model that goes round in circles; True when telling has not helped."""
        verdict = self.loops.see(call, result)
        if verdict:
            yield {"type": "reminder", "turn": turn, "kind": f"loop_{verdict}"}
        if verdict == "told":
            self.notes.append(self.prompts.text("loop_told"))
        return verdict == "failed"


def no_answer(reply: Reply, answer: str) -> str:
    """Why a reply without a call is not an answer: the name of the prompt that says so, or "" when it is one."""
    if reply.finish == "length":
        return "cut_off_reply"
    if not answer:
        return "empty_reply"
    if (
        reply.kind != "rote"
        and re.fullmatch(r"```[^\n]*\n.*?```", answer, re.DOTALL)
        and answer.count("```") == 2
    ):
        return "code_only_reply"
    return ""


def prompt_after(reply: Reply, result: ToolResult, prompts: Prompts) -> list[Message]:
    """What the history says after a call: its result, and that further calls of the reply were not executed."""
    text = result.as_text()
    if len(text) > MAX_RESULT_CHARS:
        half = MAX_RESULT_CHARS // 2
        text = f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"
    if result.status in ("error", "timeout") and isinstance(result.data, dict):
        text = f"[{result.status}] {text}"
    if result.origin:
        text = prompts.text("foreign", origin=result.origin, text=text)
    messages: list[Message] = [{"role": "tool", "tool_call_id": reply.calls[0].id, "content": text}]
    extra = prompts.text("one_tool_a_turn") if len(reply.calls) > 1 else ""
    messages += [
        {"role": "tool", "tool_call_id": call.id, "content": extra} for call in reply.calls[1:]
    ]
    if result.images:  # no endpoint takes them in a tool's own message
        named = "\n".join(result.images)
        messages.append(
            {
                "role": "user",
                "content": prompts.text("images", paths=named),
                "images": result.images,
            }
        )
    return messages


def preview(args: dict[str, Any]) -> str:
    """The effect of a call as an owner reads it: every argument, long ones on lines of their own."""
    lines: list[str] = []
    for name, value in args.items():
        text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
        lines.append(
            f"{name}: {text}" if "\n" not in text else f"{name}:\n  " + text.replace("\n", "\n  ")
        )
    return "\n".join(lines)


__all__ = [
    "AgentHandler",
    "Answer",
    "Approval",
    "Confirmation",
    "Owner",
    "TurnState",
    "no_answer",
    "prompt_after",
]
