"""Ask the configured model, and write down what that cost.

The call is a run of its own in the run log ("author NAME", left out of lists like a trial).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from learning.judged import source_in
from memory.runlog import RunLog
from memory.usage import Totals, own_opening
from models.base import Event, Reply, Request, last
from models.errors import ModelError
from runs.run import now
from runs.workshop import Workshop

Asker = Callable[..., str]  # prompt and JSON Schema → text. Raises ModelError, RunLogError


def asker(agent: Workshop, name: str) -> Asker | None:
    """Return the configured model as a function from prompt to reply, each call written down as
    above; None when none is configured, or limits.cost_usd leaves no room."""
    if not _may_ask(agent, 0.0):
        return None
    return lambda prompt, schema=None: (
        _Call(agent, name, Path.cwd()).ask(agent.parts.redactor()(prompt), schema).text
    )


def asked(agent: Workshop, name: str, cwd: Path, prompt: str) -> Reply:
    """Return what the configured model says to a prompt, written down as above. Raises ModelError,
    ConfigError, RunLogError."""
    return _Call(agent, name, cwd).ask(agent.parts.redactor()(prompt))


def script_writer(
    agent: Workshop, name: str, cwd: Path, *, spent_usd: float | None = None
) -> ScriptWriter | None:
    """Return what asks the configured model for the script of an SOP; None as above. `spent_usd`:
    what was spent on the run already, when nobody asked for the call: then limits.cost_usd must
    leave room."""
    return ScriptWriter(agent, name, cwd, spent_usd) if _may_ask(agent, spent_usd) else None


class ScriptWriter:
    """Writes scripts/run.py (learning/judged/writing.py), each call a run of its own."""

    def __init__(self, agent: Workshop, name: str, cwd: Path, spent_usd: float | None) -> None:
        self._agent, self._name, self._cwd, self._spent = agent, name, cwd, spent_usd
        self.cost = 0.0  # in USD

    def __call__(self, brief: str, wrong: Sequence[str]) -> str | None:
        """Return the source; None when no model may be asked, or none answers."""
        if not _may_ask(self._agent, None if self._spent is None else self._spent + self.cost):
            return None
        faults = "\n".join(f"- {each}" for each in wrong[:8])
        prompt = self._agent.prompts.text("write_script", brief=brief, faults=faults or "-")
        try:
            reply = asked(self._agent, self._name, self._cwd, prompt)
        except ModelError:
            return None
        self.cost += reply.usage.cost
        return source_in(reply.text)


def _may_ask(agent: Workshop, spent_usd: float | None) -> bool:
    """Return True if there is a model, and the limit leaves room where nobody asked for the
    call."""
    limit = agent.config.limits.cost_usd
    return bool(agent.config.models) and (spent_usd is None or limit is None or spent_usd < limit)


class _Call:
    """One call of the first configured model, and the run that tells of it."""

    def __init__(self, agent: Workshop, name: str, cwd: Path) -> None:
        self._agent, self._name, self._cwd = agent, name, cwd
        self._model = agent.parts.first_model()
        self.model, self.run = self._model.name, ""

    def ask(self, prompt: str, schema: Mapping[str, Any] | None = None) -> Reply:
        """Return the reply. Raises ModelError, RunLogError."""
        started, totals = time.monotonic(), Totals()
        log = RunLog.create(self._agent.config.home)
        self.run = log.run

        def write(event: Event) -> None:
            totals.add(event)
            log.append({"type": event["type"], "run": log.run, "at": now(), **event})

        write(self._opening(prompt))
        status, result = "failed", ""
        try:
            reply = self._reply(prompt, schema)
            redact = self._agent.parts.redactor().redact
            write(redact(reply.event(1)))
            status, result = "done", redact(reply.text)[:2_000]
            return reply
        except ModelError as error:
            status, result = "no_model", str(error)
            raise
        finally:
            write(totals.ended(status, result=result, seconds=time.monotonic() - started))
            log.close()

    def _reply(self, prompt: str, schema: Mapping[str, Any] | None) -> Reply:
        request = Request(1, [{"role": "user", "content": prompt}], schema=schema)
        return last(self._model.reply(request))

    def _opening(self, prompt: str) -> Event:
        config = self._agent.config
        opening = own_opening(f"author {self._name}", config.home, config.lang, self._cwd)
        opening |= {"models": [self.model], "messages": [{"role": "user", "content": prompt}]}
        return opening | {"verifies": self._name}  # no run of the owner's: lists pass it over
