"""Ask the owner: for leave to do what the gate does not simply allow, and what the model wants to
know.

An owner who is away finds the question in the inbox, and the run waits on disk. An answer that is
there already, from the inbox, holds once and for exactly the call that was shown.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from agent_loop import Outcome
from context import Prompts
from handler import Approval, Confirmation, Owner
from memory.inbox import Entry, Inbox, call_hash
from memory.working import TurnState
from models.base import Event, ToolCall, ToolResult
from safety.gate import Decision, Question
from tools.base import ToolContext
from tools.staged import lines, listed

LINES = ("old", "new", "content")
DIFFED = ("file_patch", "file_write")  # a confirmation shows the lines that they change


class Consent(NamedTuple):
    """Reach the owner of one run. `hours` is how long a confirmation waits in the inbox."""

    run: str
    session: str
    owner: Owner
    inbox: Inbox
    prompts: Prompts
    state: TurnState
    context: ToolContext
    redact: Callable[[Any], Any]
    hours: float

    def allow(
        self, turn: int, call: ToolCall, verdict: Decision
    ) -> Generator[Event, None, ToolResult | Outcome | None]:
        """Return None when the owner allows this call; else its refusal, or the outcome that
        waits."""
        args = call.given
        shown = self._preview(call.name, args)
        asked = (f"{self.run}.{turn}", call.name, args, verdict.reason, verdict.risk, shown)
        confirmation = Confirmation(*asked, said=verdict.listed)
        return (yield from self._asked(turn, call, verdict, confirmation))

    def commit(
        self, turn: int, call: ToolCall, question: Question
    ) -> Generator[Event, None, ToolResult | Outcome | None]:
        """Return None when the owner allows what a call has changed; else as `allow`."""
        verdict = question.decision._replace(scope=f"changes|{'|'.join(question.decision.risks)}")
        shown = "\n".join([*lines(question.changes.changes), question.differences]).strip()
        script = {name: value for name, value in call.given.items() if name != "env"}
        confirmation = Confirmation(
            f"{self.run}.{turn}.{question.number}",
            call.name,
            call.given,
            verdict.reason,
            verdict.risk,
            f"{shown}\n\n{preview(script)}",
            tuple(listed(question.changes.changes)),
            verdict.listed,
        )
        return (yield from self._asked(turn, call, verdict, confirmation))

    def _asked(
        self, turn: int, call: ToolCall, verdict: Decision, confirmation: Confirmation
    ) -> Generator[Event, None, ToolResult | Outcome | None]:
        if verdict.scope in self.state.allowed_for_run:
            return None
        id = confirmation.id
        pin = {"pinned": verdict.pinned} if verdict.pinned else {}
        name = call_hash(call.name, call.given | pin)
        found = self._found(name)  # of changes too: the very call was allowed before it was staged
        if confirmation.changes and found is None:  # an approval holds for these changes
            name = call_hash(id, call.args)
            found = self._found(name)
        if found is None:
            changes = {"changes": list(confirmation.changes)} if confirmation.changes else {}
            yield self._event("confirm", id, turn) | {
                "tool": call.name,
                "reason": verdict.reason,
                "said": verdict.listed,
                "risk": verdict.risk,
                **changes,
            }
            approval = self.owner.confirm(confirmation)
        else:
            id, approval = found
        if approval is None:
            return self._wait_for_leave(id, name, call, verdict, confirmation)
        self.state.confirmed.add(id)
        yield self._event("confirmed", id, turn) | {
            "decision": approval.decision,
            "reason": approval.reason,
            "kind": verdict.scope,
        }
        if found is not None:
            self.inbox.remove(id)
        return self._taken(approval, verdict)

    def ask(self, turn: int, call: ToolCall) -> Generator[Event, None, ToolResult | Outcome]:
        """Put the model's question to the owner, or leave it in the inbox and wait."""
        args = call.given
        question, candidates = str(args["question"]), [str(c) for c in args.get("candidates") or []]
        name = call_hash(call.name, args)
        found = self.inbox.answer_for(self.run, name)
        id = found[0] if found else f"{self.run}.{turn}"
        if found:
            answer: str | None = found[1].text
        else:
            said = {"question": question, "candidates": candidates}
            yield self._event("asked", id, turn) | said
            answer = self.owner.ask(id, question, candidates)
        if answer is None:
            return self._wait_for_answer(id, name, question, candidates)
        yield self._event("answered", id, turn) | {"text": answer}
        if found:
            self.inbox.remove(id)
        return ToolResult("ok", {"answer": answer})

    def _event(self, kind: str, id: str, turn: int) -> Event:
        return {"type": kind, "id": id, "turn": turn}

    def _found(self, name: str) -> tuple[str, Approval] | None:
        """Return the answer that the inbox holds for this call, with its id."""
        found = self.inbox.answer_for(self.run, name)
        if found and found[0] in self.state.confirmed:  # a crash came behind it: it holds once
            self.inbox.remove(found[0])
            found = None
        if found:
            answer = found[1]
            return found[0], Approval("no" if answer.decision == "deny" else "once", answer.text)
        if expired := self.inbox.expired(self.run, name):
            return expired, Approval("no", self.prompts.text("expired", hours=f"{self.hours:g}"))
        return None

    def _taken(self, approval: Approval, verdict: Decision) -> ToolResult | None:
        if approval.decision == "no":
            text = self.prompts.text("denied", reason=approval.reason).rstrip()
            return ToolResult("refused", text)
        if approval.decision == "run":
            self.state.allowed_for_run.add(verdict.scope)
        return None

    def _wait_for_leave(
        self, id: str, name: str, call: ToolCall, verdict: Decision, confirmation: Confirmation
    ) -> Outcome:
        entry = Entry(id, self.run, "confirmation", self.redact(f"{call.name}: {verdict.reason}"))
        entry.tool, entry.args = call.name, self.redact(call.given)
        entry.said = self.redact(verdict.listed)
        entry.risk, entry.call, entry.session = verdict.risk, name, self.session
        entry.hours, entry.changes = self.hours, self.redact(list(confirmation.changes))
        if entry.changes:
            entry.shown = self.redact(confirmation.preview)
        return self._wait(entry)

    def _wait_for_answer(self, id: str, name: str, question: str, candidates: list[str]) -> Outcome:
        entry = Entry(id, self.run, "question", self.redact(question), self.redact(candidates))
        entry.call, entry.session = name, self.session
        return self._wait(entry)

    def _wait(self, entry: Entry) -> Outcome:
        self.inbox.add(entry)
        return Outcome(entry.text, should_exit=True, ending="waiting")

    def _preview(self, tool: str, args: dict[str, Any]) -> str:
        """Return the call; of a change to a file its lines, `-` what goes and `+` what comes."""
        if tool not in DIFFED or not isinstance(args.get("path"), str):
            return preview(args)
        from tools.files import diff  # only where somebody is asked

        changed = diff(tool, args, self.context.path(args["path"]))
        if not changed:
            return preview(args)
        rest = {name: value for name, value in args.items() if name not in LINES}
        return preview(rest | {"changes": changed})


def preview(args: dict[str, Any]) -> str:
    """Return the effect of a call as an owner reads it: long arguments on lines of their own."""
    lines: list[str] = []
    for name, value in args.items():
        text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
        if "\n" in text:
            text = "\n  " + text.replace("\n", "\n  ")
            lines.append(f"{name}:{text}")
        else:
            lines.append(f"{name}: {text}")
    return "\n".join(lines)
