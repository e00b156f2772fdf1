"""Make steps of the calls that an SOP's script asks for (replay/script.py): it is sent each
outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from models.base import ToolResult
from replay import template
from replay.extract import whole_output
from replay.procedure import BUILT_IN, Step
from replay.rote.course import Course, cut
from replay.script import RunningScript, Script, ScriptFault

if TYPE_CHECKING:
    from replay.script import Move

MAX_SCRIPT_CALLS = 2000


class Scripted:
    """A script at work. `check_reading` refuses a call of its plan that does more than read."""

    def __init__(
        self,
        course: Course,
        script: Script,
        check_reading: Callable[[Step, Mapping[str, Any]], None],
    ) -> None:
        self.running = RunningScript(script)
        self.outcome: ToolResult | None = None  # of the call that it asked for last
        self.answer: str | None = None  # the result, as the script returned it
        self._course, self._check_reading = course, check_reading
        self._stage: Literal["plan", "commit", "done"] = "plan"
        self._asked = {"plan": 0, "commit": 0}  # calls of each of its halves

    def step(self) -> Step | None:
        """Return the call that the script asks for next; None when it has returned its result.
        Raises Diverged."""
        if self._stage == "done":
            return None
        try:
            move = self._move()
        except ScriptFault as fault:
            said = self._course.at(fault.line, fault.reason)
            raise self._course.diverged(self._stage, said) from fault
        if move.tool:
            return self._step_of(move)
        self._conclude(self._returned(move))
        return None

    def _move(self) -> Move:
        course, script = self._course, self.running
        given = {name: course.values[name] for name in (*course.procedure.parameters, *BUILT_IN)}
        outcome, self.outcome = self.outcome, None
        if outcome is None:
            move = script.move({"plan": given})
        else:
            said = {"status": outcome.status, "data": self._whole(outcome)}
            move = script.move({"result": said})
        if self._stage == "plan" and not move.tool:
            course.values["plan"] = self._returned(move)
            if script.script.has_commit:
                self._stage = "commit"
                return script.move({"commit": [given, move.value]})
        return move

    def _step_of(self, move: Move) -> Step:
        self._asked[self._stage] += 1
        name = f"{self._stage}.{self._asked[self._stage]}"
        step = Step(name, move.tool, move.args or {}, line=move.line or 1)
        if sum(self._asked.values()) > MAX_SCRIPT_CALLS:
            said = self._course.say("too_many", MAX_SCRIPT_CALLS)
            raise self._course.diverged(step.id, self._course.at(step.line, said))
        if not step.changes_something:
            self._check_reading(step, step.args)
        return step

    def _returned(self, move: Move) -> Any:
        """Return what plan or commit returned. Raises Diverged when that is {"stop": REASON}: after
        a write it is a defect of the SOP."""
        if not isinstance(move.value, dict) or set(move.value) != {"stop"}:
            return move.value
        course, reason = self._course, template.as_text(move.value["stop"])
        if course.changed:
            raise course.diverged(self._stage, course.say("stopped_late", reason))
        raise course.diverged(self._stage, reason, declined=True)

    def _conclude(self, value: Any) -> None:
        course = self._course
        if isinstance(value, str):
            self.answer = value
        elif not course.procedure.result:
            said = course.say("no_text", cut(template.as_text(value)))
            raise course.diverged(self._stage, course.at(0, said))
        self._stage = "done"
        self.running.close()

    def _whole(self, result: ToolResult) -> Any:
        """Return the data of a result as a script gets it: with all of its output, where a model
        sees head and tail."""
        if not isinstance(result.data, dict) or not result.data.get("file"):
            return result.data
        step = Step(self._stage)
        output = self._course.attempt(step, "extract", lambda: whole_output(result.data), "output")
        return result.data | {"output": output}

    def check_text(self, step: Step, args: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments that a script gives. Code among them must be the SOP's own text, so
        that no value becomes code. Raises Diverged."""
        if step.tool != "code_run":
            return args
        if args.get("script") not in self.running.script.texts:
            said = self._course.say("not_in_script")
            raise self._course.diverged(step.id, self._course.at(step.line, said))
        env = args.get("env", {})
        if args.get("type") == "python" and isinstance(env, dict):
            return args | {"env": {"PYTHONPATH": ""} | env}
        return args
