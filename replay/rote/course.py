"""Keep how far a replay has come: its values and the steps that are done; and say why it must not
go on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from models.base import Event, ToolResult
from models.errors import Blame, Diverged
from replay import template
from replay.extract import extract
from replay.pages import OnPage
from replay.procedure import Procedure, Step
from replay.said import Lang, say

PROMPTS = Path(__file__).resolve().parents[2] / "assets" / "prompts"
MAX_SHOWN_CHARS = 300
MAX_SHOWN_STEPS = 30


class Declined(Diverged):
    """The replay must end here and no other model goes on: the gate or the owner said no, or the
    SOP itself stops."""

    declined = True


class Course:
    """One replay on its way. A value that was not given is None."""

    def __init__(
        self,
        procedure: Procedure,
        parameters: Mapping[str, Any],
        *,
        sop: str,
        version: int,
        lang: Lang,
        cwd: Path,
        today: date | None = None,
    ) -> None:
        """Raise ParameterError."""
        self.procedure, self.sop, self.version, self.lang = procedure, sop, version, lang
        self.parameters = procedure.bind(parameters, cwd)
        day = (today or date.today()).isoformat()
        self.values: dict[str, Any] = dict.fromkeys(procedure.parameters)
        self.values |= {"lang": lang, "cwd": str(cwd), "today": day} | self.parameters
        self.done: list[Step] = []
        self.pending: Step | None = None  # its call is out
        self.page = OnPage()

    @property
    def changed(self) -> list[Step]:
        """Return the steps that changed something."""
        return [step for step in self.done if step.changes_something]

    # values

    def filled(self, step: Step, value: Any) -> Any:
        """Return a template with the values in it. Raises Diverged."""
        return self.attempt(step, "fill", lambda: template.fill(value, self.values))

    def text(self, step: Step, texts: Mapping[str, str]) -> str:
        """Return a text of the SOP in the owner's language, filled in. Raises Diverged."""
        return str(self.filled(step, texts.get(self.lang) or texts["en"]))

    def look(self, step: Step, path: str) -> Any:
        """Return what a dotted path names; None where nothing was given or saved. Raises
        Diverged."""
        if self.values.get(path.partition(".")[0]) is None:
            return None
        return self.attempt(step, "fill", lambda: template.find(path, self.values))

    def extracted(self, step: Step, result: ToolResult, extractor: str) -> Any:
        """Return what an extractor takes of a result. Raises Diverged."""
        return self.attempt(
            step, "extract", lambda: extract(result, extractor, self.values), extractor
        )

    def attempt(self, step: Step, said: str, action: Callable[[], Any], *args: Any) -> Any:
        """Return what an action gives. Raises Diverged for what the world or the values are to
        blame for."""
        try:
            return action()
        except (OSError, ValueError, RecursionError) as error:
            raise self.diverged(step.id, self.say(said, *args, cut(str(error)))) from error

    # what is said

    def say(self, what: str, *args: Any) -> str:
        """Return a text of this room in the owner's language."""
        return say(f"rote.{what}", self.lang, *args)

    def at(self, line: int, text: str) -> str:
        """Return a text about a line of the SOP's script."""
        name = self.procedure.script.name if self.procedure.script else ""
        place = f"{name}:{line}" if line else name
        return f"{place}: {text}" if place else text

    def event(self, step: str, state: str, reason: str = "", **more: Any) -> Event:
        """Return a `rote` event."""
        about = {"type": "rote", "sop": self.sop, "version": self.version}
        return about | {"step": step, "state": state, "reason": reason} | more

    def diverged(
        self, step: str, reason: str, kind: Blame | None = None, *, declined: bool = False
    ) -> Diverged:
        """Return the error, with its event and with what the next model has to know."""
        kind = kind or _blamed(step, declined=declined)
        event = self.event(step, "diverged", reason, kind=kind)
        error = Declined if declined else Diverged
        return error(reason, self._handover(step, reason), event, kind)

    def _handover(self, step: str, reason: str) -> str:
        changed = [f"{done.id} {done.tool}" for done in self.changed]
        if self.pending and self.pending.changes_something:
            changed.append(f"{self.pending.id} {self.pending.tool} (?)")
        told = {
            "sop": self.sop,
            "version": self.version,
            "parameters": json.dumps(self.parameters, ensure_ascii=False),
            "step": step,
            "reason": reason,
            "matched": "\n".join(self._evidence()) or self.say("none_yet"),
            "changed": ", ".join(changed) or self.say("nothing"),
            "skill": self.procedure.folder / "SKILL.md",
        }
        text = (PROMPTS / self.lang / "handover.md").read_text(encoding="utf-8").strip()
        return re.sub(r"\{([a-z]+)\}", lambda match: str(told[match[1]]), text)

    def _evidence(self) -> Iterator[str]:
        """Yield a line for each step that is done; of very many, the last."""
        if len(self.done) > MAX_SHOWN_STEPS:
            yield f"- … {len(self.done) - MAX_SHOWN_STEPS}"
        for step in self.done[-MAX_SHOWN_STEPS:]:
            asked = [cut(template.as_text(dict(step.args)))] if step.line else []
            values = {name: cut(template.as_text(self.values.get(name))) for name in step.save}
            saved = [f"{name} = {value}" for name, value in values.items()]
            yield "; ".join([f"- {step.id} {step.tool}", *asked, *saved])


def _blamed(step: str, *, declined: bool) -> Blame:
    if declined or step == "requires":
        return "world"
    return "check" if step.startswith("check") else "step"


def cut(text: str) -> str:
    """Return a text on one line, of a length that can be shown."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
