"""List what other programs may call: each proven SOP as a typed tool, and `recall` and `run_task`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from config import Config
from memory.sops import Sop, SopStore
from runs.assemble import SEEDS
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
    text = say(
        "mcp.tool",
        description=sop.description.strip(),
        status=sop.status,
        effects=say(f"mcp.effects_{effects}"),
    )
    schema = {
        "type": "object",
        "properties": {name: dict(each) for name, each in procedure.parameters.items()},
        "required": list(procedure.required),
        "additionalProperties": False,
    }
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


def _recall() -> Offered:
    limit = {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
    schema = {
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1}, "limit": limit},
        "required": ["query"],
        "additionalProperties": False,
    }
    return Offered(RECALL, say("mcp.tool_recall"), schema, _hints("none"))


def _run_task() -> Offered:
    schema = {
        "type": "object",
        "properties": {
            "task": {"type": "string", "minLength": 1},
            "cwd": {"type": "string", "description": say("mcp.tool_cwd")},
        },
        "required": ["task"],
        "additionalProperties": False,
    }
    hints = {"read_only_hint": False, "destructive_hint": True, "open_world_hint": True}
    return Offered(RUN_TASK, say("mcp.tool_run_task"), schema, hints)
