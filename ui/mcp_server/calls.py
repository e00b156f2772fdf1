"""List what other programs may call, each proven SOP as a typed tool, `recall` and `run_task`; and
do it: each call is a run in a process of its own, which outlives its client and this server.

The calls live in the server's event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from config import Config, SopwithError
from memory.logs import summarise
from memory.sops import Sop, SopStore
from models.base import Event
from runs.assemble import SEEDS
from safety.secrets import without
from ui.web.live import Child, Hub, NotAsked, Work
from ui.words import say

RECALL, RUN_TASK = "recall", "run_task"
ANSWER: dict[str, Any] = {  # of every tool that starts a run
    "type": "object",
    "properties": {
        "run": {"type": "string"},
        "status": {
            "type": "string",
            "enum": ["done", "failed", "waiting", "limit", "no_model", "cancelled"],
        },
        "result": {"type": "string"},
        "changes": {"type": "object"},
        "model_calls": {"type": "integer"},
    },
    "required": ["run", "status", "result"],
}
LOOK_SECONDS = 1.0  # between two looks at a run whose process says nothing
PATIENCE_SECONDS = 600.0  # for an answer of the client; then the inbox has the question
CLOSING_SECONDS = 0.5  # within which a server whose client has gone ends
Progress = Callable[[int, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Offered:
    """One tool. `hints` are MCP's annotations, `about` what only readers of Sopwith understand."""

    name: str
    description: str
    schema: dict[str, Any]
    hints: dict[str, bool]
    about: dict[str, Any] = field(default_factory=dict)


def offered(config: Config) -> list[Offered]:
    """Return all tools, SOPs by name and then our own."""
    sops = SopStore(SEEDS, config.home / "sops").all()
    return [*(_of_sop(sop) for sop in sops if sop.runs_alone), _recall(), _run_task()]


def _of_sop(sop: Sop) -> Offered:
    procedure = sop.procedure
    assert procedure is not None  # it runs alone
    effects = procedure.effects
    said = {"description": sop.description.strip(), "effects": say(f"mcp.effects_{effects}")}
    text = say("mcp.tool", status=sop.status, **said)
    properties = {name: dict(each) for name, each in procedure.parameters.items()}
    schema = _schema(properties, procedure.required)
    about = {"status": sop.status, "effects": effects, "version": sop.version}
    return Offered(sop.name, text, schema, _hints(effects), about)


def _hints(effects: str) -> dict[str, bool]:
    reads = effects == "none"
    return {
        "read_only_hint": reads,
        "destructive_hint": effects == "destructive",
        "idempotent_hint": reads,
        "open_world_hint": effects == "external",
    }


def _schema(properties: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
    fields = {"properties": properties, "required": list(required)}
    return {"type": "object", **fields, "additionalProperties": False}


def _recall() -> Offered:
    limit = {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
    schema = _schema({"query": {"type": "string", "minLength": 1}, "limit": limit}, ["query"])
    return Offered(RECALL, say("mcp.tool_recall"), schema, _hints("none"))


def _run_task() -> Offered:
    cwd = {"type": "string", "description": say("mcp.tool_cwd")}
    schema = _schema({"task": {"type": "string", "minLength": 1}, "cwd": cwd}, ["task"])
    hints = {"read_only_hint": False, "destructive_hint": True, "open_world_hint": True}
    return Offered(RUN_TASK, say("mcp.tool_run_task"), schema, hints)


class BadCall(SopwithError):
    """A call that cannot be meant."""


class Ended(NamedTuple):
    """How a call came out; `data` is its structured content."""

    text: str
    data: dict[str, Any]
    is_error: bool


class Asked(NamedTuple):
    """Hold what the run of a call asks: the call is over when it has been answered."""

    run: str
    asked: dict[str, Any]


class Calls:
    """The calls of one server. `has_owner` says that the client can ask its user."""

    def __init__(self, config: Config, cwd: Path) -> None:
        self._config, self._cwd = config, cwd
        self.work = Work(config, Hub(lambda message: message))
        self.work.heard.append(self._heard)
        self._events: dict[str, asyncio.Queue[Event]] = {}
        self._turns: dict[str, int] = {}

    async def begin(self, name: str, given: dict[str, Any], *, has_owner: bool) -> str:
        """Start the run of a call and return its id. Raises SopwithError."""
        cwd = self._cwd
        order: dict[str, Any] = {"do": "sop", "name": name, "values": given}
        if name == RUN_TASK:
            cwd = _folder(given.get("cwd"), cwd)
            order = {"do": "start", "task": str(given.get("task") or "")}
            if not order["task"].strip():
                raise BadCall("error.mcp.task")
        return await self.work.begin(
            {**order, "alone": not has_owner, "options": {"cwd": str(cwd)}}
        )

    async def follow(self, run: str, progress: Progress) -> Ended | Asked:
        """Wait until a run has ended or asks something."""
        events = self._events.setdefault(run, asyncio.Queue())
        while True:
            try:
                event = await asyncio.wait_for(events.get(), LOOK_SECONDS)
            except TimeoutError:
                if run in self.work.children:
                    continue
                return self._ended(run, {})
            if event["type"] == "asked_now":
                later = (event["asked"]["id"], {"later": True})
                asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._send, *later)
                return Asked(run, event["asked"])
            if event["type"] == "tool_started":
                self._turns[run] = self._turns.get(run, 0) + 1
                await progress(self._turns[run], str(event["tool"]))
            if event["type"] == "run_ended":
                return self._ended(run, event)

    def answer(self, asked: dict[str, Any], action: str, content: dict[str, Any]) -> None:
        """Hand the word of the client's user to the run; without one the inbox has the question."""
        words: dict[str, Any] = {"later": True}
        if asked["kind"] == "question" and action == "accept" and content.get("answer"):
            words = {"answer": str(content["answer"])}
        elif asked["kind"] == "confirmation" and action != "cancel":
            is_yes = action == "accept" and content.get("decision") == "allow"
            reason = str(content.get("reason") or "")
            words = {"decision": "once" if is_yes else "no", "reason": reason}
        self._send(asked["id"], words)

    def asked_by(self, run: str) -> dict[str, Any] | None:
        """Return what a run of this server asks now."""
        child = self.work.children.get(run)
        return next(iter(child.asked.values()), None) if child else None

    def abandoned(self, run: str) -> None:
        """Stop a run whose call was cancelled; where the client has gone with the server, it goes
        on by itself."""
        asyncio.get_running_loop().call_later(CLOSING_SECONDS, self.work.stop, run)

    async def recall(self, given: dict[str, Any]) -> Ended:
        """Return what was said about something, best first."""
        query = str(given.get("query") or "").strip()
        if not query:
            raise BadCall("error.mcp.query")
        limit = given.get("limit") or 10
        found = await asyncio.to_thread(self._recalled, query, int(limit))
        lines = [f"{each['at']} {each['who']}: {each['text']}" for each in found]
        return Ended("\n\n".join(lines) or "-", {"results": found}, False)

    def _recalled(self, query: str, limit: int) -> list[dict[str, Any]]:
        from ui.memory import recalled

        now = datetime.now().astimezone()
        found = recalled(self._config, query, now, max(1, min(limit, 50)))
        return [
            {
                "at": each.turn.at.isoformat(timespec="seconds"),
                "who": each.turn.who,
                "text": without(self._config, each.turn.text),
                "score": round(float(each.score), 4),
            }
            for each in found.shown
        ]

    def _ended(self, run: str, event: Event) -> Ended:
        self._events.pop(run, None)
        self._turns.pop(run, None)
        summary = summarise(self._config.home, run)
        status = str(event.get("status") or (summary.status if summary else "failed"))
        result = without(self._config, str(event.get("result") or ""))
        data = {"run": run, "status": status, "result": result}
        data |= {key: event[key] for key in ("changes", "model_calls", "sop") if event.get(key)}
        lines = [result]
        if data.get("changes"):
            lines.append(f"Undo: sopwith undo {run}")
        if status == "waiting":
            lines.append(f"It waits for its owner: sopwith inbox list (run {run})")
        elif status != "done":
            lines.append(f"Status: {status}. Details: sopwith runs show {run}")
        return Ended("\n".join(lines).strip(), data, status not in ("done", "waiting"))

    def _heard(self, child: Child, event: Event) -> None:
        if event["type"] in ("asked_now", "tool_started", "run_ended"):
            self._events.setdefault(child.run, asyncio.Queue()).put_nowait(event)

    def _send(self, id: str, words: dict[str, Any]) -> None:
        try:
            self.work.answer(id, words)
        except NotAsked:
            return  # it was answered, or its run has ended


def _folder(given: Any, default: Path) -> Path:
    if not given:
        return default
    path = Path(str(given)).expanduser()
    if not path.is_absolute() or not path.is_dir():
        raise BadCall("error.mcp.cwd", given=repr(given))
    return path
