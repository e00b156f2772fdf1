"""Whole runs in this process, for tests: real handler, gate, tools and run log; the model is a
script."""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import config
from handler import Approval, Confirmation, Owner
from models.base import Event
from runs.assemble import Agent, Options
from runs.control.bounds import AbsentOwner
from runs.run import Run


def call(tool: str, text: str = "", /, **args: Any) -> dict[str, Any]:
    """Return a scripted reply with one call."""
    return {"text": text, "calls": [{"name": tool, "args": args}]}


def bash(script: str, text: str = "") -> dict[str, Any]:
    """Return a scripted reply that runs a command."""
    return call("code_run", text, type="bash", script=script)


def put_sop(home: Path, name: str, steps: str, status: str = "active", **scripts: str) -> Path:
    """Lay an SOP of the owner's with these steps; `run="…"` becomes its `scripts/run.py`."""
    folder = home / "sops" / name
    folder.mkdir(parents=True, exist_ok=True)
    front = f"name: {name}\ndescription: Does {name}.\nmetadata: {{sopwith-status: {status}}}"
    (folder / "SKILL.md").write_text(f"---\n{front}\n---\nDo it.\n", "utf-8")
    (folder / "sop.yaml").write_text(steps, "utf-8")
    for script, text in scripts.items():
        (folder / "scripts").mkdir(exist_ok=True)
        (folder / "scripts" / f"{script}.py").write_text(text, "utf-8")
    return folder


@dataclass
class SpokenOwner:
    """An owner who is there and says what the test says."""

    answers: list[str] = field(default_factory=list)
    approvals: list[Approval] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    shown: list[Confirmation] = field(default_factory=list)

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0)

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        self.shown.append(confirmation)
        return self.approvals.pop(0)

    def secret(self, question: str) -> str | None:
        self.asked.append(question)
        return self.secrets.pop(0) if self.secrets else None


def agent(home: Path, replies: Sequence[Any] | None, settings: str = "", lang: str = "en") -> Agent:
    """Return an agent in `home` whose model replays `replies`; None leaves it without a model."""
    home.mkdir(parents=True, exist_ok=True)
    lines = [settings]
    if replies is not None:
        script = home.parent / "replies.json"
        script.write_text(json.dumps(replies), "utf-8")
        lines.append(f"models: [{{name: script, kind: scripted, model: {script}}}]")
    (home / "config.yaml").write_text("\n".join(lines), "utf-8")
    return Agent(config.load(home, "zh" if lang == "zh" else "en", dict(os.environ)))


@contextlib.contextmanager
def servers_up(home: Path, settings: str) -> Iterator[None]:
    """Keep the MCP servers of these settings up for all runs and commands within this process."""
    from tools.mcp.servers import Lease

    mcp = agent(home, None, settings).config.mcp
    assert mcp
    with contextlib.closing(Lease(mcp.servers)):
        yield


def drive(run: Run) -> list[Event]:
    """All events of a run, to its end."""
    return list(run.events())


def run(
    home: Path,
    replies: Sequence[Any],
    owner: Owner | None = None,
    task: str = "task",
    learns: bool = True,
    **options: Any,
) -> list[Event]:
    """One run from request to end, never by rote unless `rote=True`. `learns`: what it taught is
    taken in at its end."""
    chosen = Options(**{"rote": False, **options})
    started = agent(home, replies).start(task, chosen, owner or AbsentOwner())
    if not learns:
        started.learn = None
    return drive(started)


def without_tail(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages of a request as the history keeps them: without the anchor at the end."""
    *kept, last = map(dict, messages)
    content = last["content"] or ""
    return [*kept, last | {"content": content.partition("\n\n[Sopwith")[0]}]


def of(events: list[Event], kind: str) -> list[Event]:
    """Return the events of one type."""
    return [event for event in events if event["type"] == kind]
