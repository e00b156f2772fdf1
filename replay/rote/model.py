"""Walk through a procedure: requirements → plan → commit → checks → result.

A replay passes the same handler, gate and run log as any other run. Where the SOP is a script
(replay/rote/scripted.py) the steps are what it asks for. Source: seed 002 §2, §7.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.base import Event, Reply, Request, ToolCall, ToolResult
from models.errors import Diverged
from replay import template
from replay.extract import joined
from replay.parameters import MAX_VALUE_CHARS
from replay.procedure import ITEM, Procedure, Step
from replay.rote import outcomes
from replay.rote.course import Course, cut
from replay.rote.guarding import Doubt, Guards, Spent, Write
from replay.said import Lang

if TYPE_CHECKING:
    from replay.rote.scripted import Scripted
    from safety.changes import ChangeSet

AGREE = "agree"  # the step that asks about a page
PAGE = "@page"  # what is on a page is known when it is open
MayRead = Callable[[str, Mapping[str, Any]], str | None]
_NAMED = re.compile(r"\$\{?([a-z][a-z0-9_]*)|(?<=[\"'])([a-z][a-z0-9_]*)(?=[\"'])")


class RoteModel:
    """A replay of one SOP. Parameters are bound already, or are bound here (ParameterError)."""

    def __init__(
        self,
        procedure: Procedure,
        parameters: Mapping[str, Any],
        *,
        sop: str,
        version: int,
        lang: Lang,
        cwd: Path,
        guards: Guards | None = None,
        may_read: MayRead | None = None,
        today: date | None = None,
        knows: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`may_read` says why a call that a plan asks for does more than read, None when it does
        not; without it the plan of a script may ask for nothing. `today` is the day on which the
        run began, when that was not now. `knows` is asked about tools that no model is offered just
        now."""
        self.name = f"rote:{sop}"
        self.procedure, self.sop, self.version = procedure, sop, version
        self._course = Course(
            procedure, parameters, sop=sop, version=version, lang=lang, cwd=cwd, today=today
        )
        self.parameters = self._course.parameters
        self._guards, self._may_read, self._knows = guards, may_read, knows
        self._is_guarded = False
        self._index = 0  # of the next step
        self._written = ""  # what the script of a plan would have changed
        self._brought: list[ToolResult] = []  # by the items of a list that are done
        self._calls, self._seconds = 0, 0.0  # in which the tools worked
        self._failure: Diverged | None = None  # found while fast-forwarding
        self._answer: str | None = None
        self._recorded: Sequence[ToolCall] = ()
        self._script: Scripted | None = None
        if procedure.script:
            from replay.rote.scripted import Scripted  # most SOPs are lists of steps

            self._script = Scripted(self._course, procedure.script, self._check_reading)

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Yield `rote` events; return the next call, or the result without a call. Raises Diverged,
        Declined."""
        started = time.perf_counter()
        try:
            reply = yield from self._reply(request)
        except BaseException:  # it diverged, or the run is being stopped
            self.close()
            raise
        reply.seconds = time.perf_counter() - started
        return reply

    def close(self) -> None:
        """End the process of the SOP's script, where there is one; it ends, too, when nobody holds
        this object."""
        if self._script:
            self._script.running.close()

    def _reply(self, request: Request) -> Generator[Event, None, Reply]:
        course = self._course
        if self._failure:
            raise self._failure
        if course.pending:
            step_id, brought = course.pending.id, self._hold(course.pending, request.last)
            renamed = {"renamed": course.page.agreed} if step_id == AGREE else {}
            yield course.event(step_id, "matched", brought, **renamed)
        elif not course.done:
            outcomes.check_requirements(course)
            if self._guards:
                self._heed("guards", self._guards.start(self.procedure, self.parameters))
        step = self._next_step()
        if step is None:
            reply = Reply(self._result(), model=self.name, kind="rote")
            yield course.event("result", "finished")
            return reply
        self._check_offered(step, request)
        self._guard(step)
        reply = self._ask(step)
        yield course.event(step.id, "started")
        return reply

    def fast_forward(self, results: Sequence[ToolResult], calls: Sequence[ToolCall] = ()) -> None:
        """Go on where a run stood: `results` are those of its finished calls, in order.

        `calls` are the calls themselves, and the one that was out when the run stopped: a script
        must ask for the same.
        """
        self._recorded = calls
        try:
            for result in results:
                if (step := self._next_step()) is None:
                    return
                self._ask(step)
                self._hold(step, result)
        except Diverged as error:
            self._failure = error

    # the way through the steps

    def _next_step(self) -> Step | None:
        """Return the next step whose conditions hold; None at the end, with the answer set when a
        `done` step says it."""
        if self._script and (asked := self._script.step()):
            return asked
        while self._answer is None and self._index < len(self.procedure.steps):
            step = self.procedure.steps[self._index]
            if not self._is_due(step):
                self._index += 1
                self._course.values |= dict.fromkeys(step.save)
            elif step.stop is not None:
                reason = self._course.text(step, step.stop)
                raise self._course.diverged(step.id, reason, declined=True)
            elif step.done is not None:
                self._answer = self._course.text(step, step.done)
            else:
                return self._consent(step) or step
        return None

    def _consent(self, step: Step) -> Step | None:
        """Return a question about fields of a page that have other labels than they had; None where
        there is none."""
        if "acts" not in step.args:
            return None
        course = self._course
        acts = course.filled(step, step.args["acts"])
        pairs = course.attempt(step, "on_page", lambda: course.page.strange(acts))
        told = "; ".join(f"{was!r} → {now!r}" for was, now in pairs)
        choices = [course.say("yes"), course.say("no")]
        args = {"question": course.say("renamed", told), "candidates": choices}
        return Step(AGREE, "ask_user", args) if pairs else None

    def _is_due(self, step: Step) -> bool:
        if step.when and not self._course.look(step, step.when):
            return False
        return not self._course.look(step, step.unless)

    def _guard(self, step: Step) -> None:
        """Ask the guards where a write begins."""
        if self._guards is None or self._is_guarded or not step.changes_something:
            return
        spent = Spent(len(self._course.done), self._seconds)
        planned = [Write(step.id, step.tool, step.args)] if step.line else list(self._planned())
        self._heed(step.id, self._guards.before(self.procedure, planned, spent))
        self._is_guarded = True

    def _heed(self, step: str, doubt: Doubt | None) -> None:
        if doubt is not None:
            raise self._course.diverged(step, doubt.reason, doubt.kind)

    def _planned(self) -> Iterator[Write]:
        """Yield all writes that are due, from here on. Raises Diverged when one of them cannot be
        filled in."""
        to_come: set[str] = set()  # values that a write will bring
        for step in self.procedure.steps[self._index :]:
            if not step.changes_something:
                return
            conditions = {path.partition(".")[0] for path in (step.when, step.unless) if path}
            if conditions & to_come:
                yield Write(step.id, step.tool, None)
            elif self._is_due(step):
                if not step.tool:  # an end
                    return
                yield from self._planned_of(step, to_come)
            to_come |= {*step.save, *([PAGE] if step.tool == "web_scan" else [])}

    def _planned_of(self, step: Step, to_come: set[str]) -> Iterator[Write]:
        """Yield the writes of one step: one, or one for each item of its list."""
        args = {key: arg for key, arg in step.args.items() if key != "script"}
        uses = {*template.names(args), step.each.partition(".")[0]}
        if uses & to_come or ("acts" in args and PAGE in to_come):
            yield Write(step.id, step.tool, None)
            return
        if not step.each:  # `item` may be a parameter here
            yield Write(step.id, step.tool, self._arguments(step))
            return
        for item in self._items(step):
            self._course.values[ITEM] = item
            yield Write(step.id, step.tool, self._arguments(step))

    # one call

    def _check_offered(self, step: Step, request: Request) -> None:
        """Raise Diverged for a tool that a script asks for and that is not there."""
        offered = {each["function"]["name"] for each in request.tools}
        if step.line and offered and step.tool not in offered and not self._knows(step.tool):
            said = self._course.say("no_tool", step.tool)
            raise self._course.diverged(step.id, self._course.at(step.line, said))

    def _check_reading(self, step: Step, args: Mapping[str, Any]) -> None:
        if self._may_read is None and not step.line:
            return
        why = self._may_read(step.tool, args) if self._may_read else step.tool
        if why is not None:
            said = self._course.say("not_a_read", why)
            raise self._course.diverged(step.id, self._course.at(step.line, said))

    def _ask(self, step: Step) -> Reply:
        course = self._course
        if step.each:
            course.values[ITEM] = self._items(step)[len(self._brought)]
        args = self._arguments(step)
        self._check_filled(step, args)
        is_known = step.line or step.changes_something or step.tool in ("code_run", "ask_user")
        if not is_known:  # code is as it was taught
            self._check_reading(step, args)
        wanted = json.dumps([step.tool, args], sort_keys=True)  # as JSON: 1 is not True, nor 1.0
        for call in self._recorded[self._calls : self._calls + 1]:
            if json.dumps([call.name, call.given], sort_keys=True) != wanted:
                said = course.at(step.line, course.say("other_call"))
                raise course.diverged(step.id, said)
        self._calls += 1
        course.pending = step
        note = course.text(step, step.note) if step.note else step.tool
        return Reply(
            f"{self.sop} · {step.id} · {note}",
            [ToolCall(f"rote{self._calls:05d}", step.tool, args)],
            model=self.name,
            kind="rote",
            only_reads=not step.changes_something,
            repeatable=step.repeatable,
            hold=self._hold_of(step),
        )

    def _items(self, step: Step) -> list[Any]:
        """Return the list that a step goes through. Raises Diverged for one that is empty."""
        items = self._course.look(step, step.each)
        if not isinstance(items, list):
            said = self._course.say("no_list", step.each, cut(template.as_text(items)))
            raise self._course.diverged(step.id, said, "parameter")
        if not items:
            raise self._course.diverged(step.id, self._course.say("empty", step.each), "world")
        return items

    def _arguments(self, step: Step) -> dict[str, Any]:
        if self._script and step.line:
            return self._script.check_text(step, dict(step.args))
        course = self._course
        filled = {key: value for key, value in step.args.items() if key != "script"}
        args: dict[str, Any] = {**step.args, **course.filled(step, filled)}
        if "acts" in args:
            acts = args.pop("acts")
            args["script"] = course.attempt(step, "on_page", lambda: course.page.script(acts))
        if step.tool == "code_run":
            args["env"] = self._environment(step, args) | args.get("env", {})
        return args

    def _environment(self, step: Step, args: Mapping[str, Any]) -> dict[str, str]:
        """Return the values that the script asks for by name: $name, ${name}, or "name" in Python.

        A Python step imports nothing from the folder it works in: a json.py that lies in Downloads
        must not run.
        """
        pairs = _NAMED.findall(str(args.get("script", "")))
        asked = {name for pair in pairs for name in pair}
        env = {"PYTHONPATH": ""} if args.get("type") == "python" else {}
        for name, value in self._course.values.items():
            is_asked = step.is_staged or name in asked
            if value is not None and is_asked:
                env[name] = self._as_variable(step, name, value)
        return env

    def _as_variable(self, step: Step, name: str, value: Any) -> str:
        course = self._course
        items = [template.as_text(item) for item in (value if isinstance(value, list) else [value])]
        if isinstance(value, list) and any("\n" in item for item in items):
            raise course.diverged(step.id, course.say("line_break", name), "parameter")
        text = "\n".join(items)
        if len(text.encode("utf-8", "surrogateescape")) > MAX_VALUE_CHARS:
            raise course.diverged(step.id, course.say("too_long", name), "parameter")
        return text

    def _check_filled(self, step: Step, args: Mapping[str, Any]) -> None:
        """Raise Diverged where a template is left in what a tool would get: it would be taken
        literally."""
        values = self._course.values
        given = template.as_text(list(values.values()))
        for found in template.TEMPLATE.finditer(json.dumps(args, ensure_ascii=False, default=str)):
            is_own = found[1].partition(".")[0] in values
            if is_own and found[0] not in given:
                said = self._course.say("unfilled", found[0])
                raise self._course.diverged(step.id, said, "parameter")

    def _hold_of(self, step: Step) -> Callable[[ToolResult, ChangeSet], str] | None:
        """Return how the changes of a script are judged before they count; None: by the gate
        alone."""
        if step.is_staged:
            return self._differs
        is_asked_to_read = step.line and step.tool == "code_run" and not step.changes_something
        return self._changed if is_asked_to_read else None

    def _changed(self, result: ToolResult, changes: ChangeSet) -> str:
        """Return why the script of a plan must not be committed."""
        if paths := [str(change.path) for change in changes.changes]:
            self._written = self._course.say("not_a_read", f"code_run would change {paths[0]}")
        return self._written or ("" if result.status == "ok" else result.status)

    def _differs(self, result: ToolResult, changes: ChangeSet) -> str:
        """Return why what a staged script did must not be committed; "" when all is as expected."""
        from replay.staged import holding  # only where there is a stage

        course = self._course
        said = holding.difference(course.pending, result, changes, course.values, course.lang)
        return course.say("kept", said) if said else ""

    # its outcome

    def _hold(self, step: Step, result: ToolResult | None) -> str:
        """Take the outcome of a step, or raise. Says in a few words what it brought."""
        course = self._course
        if result is None:
            raise course.diverged(step.id, course.say("no_result"))
        self._seconds += result.seconds
        self._judge(step, result)
        self._is_guarded = self._is_guarded or step.changes_something
        whole = self._joined(step, result) if step.each else result
        if whole is None:
            course.pending = None
            return ""
        brought = outcomes.saved(course, step, whole)
        if step.tool == "web_scan":
            course.page.saw(result.data)
        course.pending = None
        is_listed = not step.line and step.id != AGREE
        self._index += int(is_listed)
        course.done.append(step)
        return brought

    def _judge(self, step: Step, result: ToolResult) -> None:
        """Hold an outcome against what its step expects. Raises Diverged."""
        course = self._course
        if result.status == "refused" and step.expect.get("status") != "refused":
            said = course.say("refused", step.tool, cut(result.reason or result.as_text()))
            raise course.diverged(step.id, said, declined=True)
        if self._written:
            raise course.diverged(step.id, course.at(step.line, self._written))
        if self._script and step.line:
            self._script.outcome = result
        elif step.is_staged:
            outcomes.hold_staged(course, step, result)
        elif step.id == AGREE:
            outcomes.hold_answer(course, step, result)
        elif wrong := outcomes.difference(course, step, result):
            raise course.diverged(step.id, wrong, outcomes.blamed(step, result))

    def _joined(self, step: Step, result: ToolResult) -> ToolResult | None:
        """Return the results by all items of a list as one; None while some are still to come."""
        self._brought.append(result)
        if len(self._brought) < len(self._items(step)):
            return None
        brought, self._brought = self._brought, []
        return ToolResult("ok", joined([each.data for each in brought]))

    def _result(self) -> str:
        course = self._course
        if self._answer is None and self._script:
            self._answer = self._script.answer
        if self._answer is not None:
            return self._answer
        if self.procedure.result:
            return course.text(Step("result"), self.procedure.result)
        from replay.staged import holding

        return holding.answer(self.procedure.steps[-1], course.values, course.lang)
