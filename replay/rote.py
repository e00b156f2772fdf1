"""Replays a learned procedure as a model: each reply is its next step, each outcome is held against what it expects.

Order: requirements → plan → commit → checks → result. A replay passes the same handler, gate and run log as any other
run; it never works around a difference, it raises `Diverged` and says what has happened. Where the SOP is a script
(replay/script.py) the steps are what it asks for, and it is sent each outcome. Source: seed 002 §2, §7.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from models.base import Event, Reply, Request, ToolCall, ToolResult
from models.errors import Blame, Diverged
from replay import template
from replay.extract import extract, field_of, joined, whole_output
from replay.pages import OnPage, page_text
from replay.parameters import MAX_VALUE_CHARS
from replay.procedure import BUILT_IN, ITEM, Procedure, Step
from replay.said import Lang, say

if TYPE_CHECKING:
    from replay.script import Move, RunningScript
    from safety.changes import ChangeSet

PROMPTS = Path(__file__).parent.parent / "assets" / "prompts"
MAX_SHOWN_CHARS = 300
MAX_SHOWN_STEPS = 30
MAX_SCRIPT_CALLS = 2000
AGREE = "agree"  # the step that asks about a page
YES = {"y", "yes", "ok", "1", "是", "对"}


class Declined(Diverged):
    """The replay must end here and no other model goes on: the gate or the owner said no, or the SOP itself stops."""

    declined = True


class Doubt(NamedTuple):
    """Why a replay must not go on, in one line, and what that is to be blamed on."""

    kind: Blame
    reason: str


class Write(NamedTuple):
    """A commit step with its arguments; None where they depend on what an earlier write will bring."""

    step: str
    tool: str
    args: Mapping[str, Any] | None


class Spent(NamedTuple):
    """Hold what a replay took so far: calls, and the seconds in which the tools worked (without those of the owner)."""

    calls: int
    seconds: float


class Guards(Protocol):
    """Looks at a replay from outside (learning/guards.py). None: go on."""

    def start(self, procedure: Procedure, parameters: Mapping[str, Any]) -> Doubt | None:
        """Before the first step."""
        ...

    def before(self, procedure: Procedure, planned: Sequence[Write], spent: Spent) -> Doubt | None:
        """Between plan and commit: nothing has been written. `planned` are all writes that are due; `spent` is what the
        plan took."""
        ...


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
        may_read: Callable[[str, Mapping[str, Any]], str | None] | None = None,
        today: date | None = None,
        knows: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`may_read` says why a call that a plan asks for does more than read, None when it does not; without
        it the plan of a script may ask for nothing. `today` is the day on which the run began, when that was not now. `knows` is
        asked about tools that no model is offered just now."""
        self.name = f"rote:{sop}"
        self._knows = knows
        self._may_read = may_read
        self._guards = guards
        self.procedure, self.sop, self.version, self.lang, self.cwd = (
            procedure,
            sop,
            version,
            lang,
            cwd,
        )
        self.parameters = procedure.bind(parameters, cwd)
        self._written = ""  # what the script of a plan would have changed
        self._values: dict[str, Any] = dict.fromkeys(
            procedure.parameters
        )  # what was not given is None
        self._values |= {
            "lang": lang,
            "cwd": str(cwd),
            "today": (today or date.today()).isoformat(),
        } | self.parameters
        self._index = 0  # of the next step
        self._pending: Step | None = None  # its call is out
        self._is_guarded = False
        self._matched: list[Step] = []
        self._page = OnPage()
        self._brought: list[ToolResult] = []  # by the items of a list that are done
        self._calls = 0
        self._seconds = 0.0  # in which the tools worked
        self._failure: Diverged | None = None  # found while fast-forwarding
        self._answer: str | None = None
        self._script: RunningScript | None = None
        if procedure.script:
            from replay.script import RunningScript  # most SOPs are lists of steps

            self._script = RunningScript(procedure.script)
        self._stage: Literal["", "plan", "commit", "done"] = ""  # of the script
        self._outcome: ToolResult | None = None  # for the script
        self._asked: dict[str, int] = {"plan": 0, "commit": 0}  # calls of each of its halves
        self._said: str | None = None  # the result, as the script returned it
        self._recorded: Sequence[ToolCall] = ()

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Yields `rote` events; returns the next call, or the result without a call. Raises Diverged, Declined."""
        try:
            return (yield from self._reply(request))
        except BaseException:  # it diverged, or the run is being stopped
            self.close()
            raise

    def close(self) -> None:
        """Ends the process of the SOP's script, where there is one; it ends, too, when nobody holds this object."""
        if self._script:
            self._script.close()

    def _reply(self, request: Request) -> Generator[Event, None, Reply]:
        started = time.perf_counter()
        if self._failure:
            raise self._failure
        if self._pending:
            done, brought = self._pending.id, self._hold(self._pending, request.last)
            renamed = {"renamed": self._page.agreed} if done == AGREE else {}
            yield self._event(done, "matched", brought) | renamed
        elif not self._matched:
            self._check_requirements()
            self._heed(
                "guards",
                self._guards.start(self.procedure, self.parameters) if self._guards else None,
            )
        step = self._next_step()
        if step and step.line and request.tools and not self._is_there(step.tool, request):
            raise self._diverged(step.id, self._at(step.line, self._say("no_tool", step.tool)))
        self._guard(step)
        reply = self._finish() if step is None else self._ask(step)
        yield self._event(step.id, "started") if step else self._event("result", "finished")
        reply.seconds = time.perf_counter() - started
        return reply

    def fast_forward(self, results: Sequence[ToolResult], calls: Sequence[ToolCall] = ()) -> None:
        """Goes on where a run stood: `results` are those of its finished calls, in order.

        `calls` are the calls themselves, and the one that was out when the run stopped: a script must ask for the same.
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
        """The next step whose conditions hold; None at the end, with the answer set when a `done` step says it."""
        if self._script and self._stage != "done" and (asked := self._asked_by(self._script)):
            return asked
        while self._answer is None and self._index < len(self.procedure.steps):
            step = self.procedure.steps[self._index]
            if not self._is_due(step):
                self._index += 1
                self._values |= dict.fromkeys(step.save)
            elif step.stop is not None:
                reason = self._filled(step, self._in_language(step.stop))
                raise self._diverged(step.id, str(reason), declined=True)
            elif step.done is not None:
                self._answer = str(self._filled(step, self._in_language(step.done)))
            else:
                return self._consent(step) or step
        return None

    def _consent(self, step: Step) -> Step | None:
        """A question about fields of a page that have other labels than they had; None where there is none."""
        if "acts" not in step.args:
            return None
        acts = self._filled(step, step.args["acts"])
        pairs = self._try(step, "on_page", lambda: self._page.strange(acts))
        if not pairs:
            return None
        told = "; ".join(f"{was!r} → {now!r}" for was, now in pairs)
        args = {
            "question": self._say("renamed", told),
            "candidates": [self._say("yes"), self._say("no")],
        }
        return Step(AGREE, "ask_user", args)

    def _is_due(self, step: Step) -> bool:
        return (not step.when or bool(self._look(step, step.when))) and not (
            step.unless and self._look(step, step.unless)
        )

    def _look(self, step: Step, path: str) -> Any:
        if self._values.get(path.partition(".")[0]) is None:
            return None
        return self._try(step, "fill", lambda: template.find(path, self._values))

    def _guard(self, step: Step | None) -> None:
        """Asks the guards where a write begins, and where the last one is done."""
        if self._guards is None:
            return
        if step and step.changes_something and not self._is_guarded:
            spent = Spent(len(self._matched), self._seconds)
            planned = [Write(step.id, step.tool, step.args)] if step.line else list(self._planned())
            self._heed(step.id, self._guards.before(self.procedure, planned, spent))
            self._is_guarded = True

    def _heed(self, step: str, doubt: Doubt | None) -> None:
        if doubt is not None:
            raise self._diverged(step, doubt.reason, kind=doubt.kind)

    def _planned(self) -> Iterator[Write]:
        """All writes that are due, from here on. Raises Diverged when one of them cannot be filled in."""
        to_come: set[str] = set()  # values that a write will bring
        for step in self.procedure.steps[self._index :]:
            if not step.changes_something:
                return
            conditions = {path.partition(".")[0] for path in (step.when, step.unless) if path}
            if conditions & to_come:
                yield Write(step.id, step.tool, None)
            elif self._is_due(step):
                if step.done is not None or step.stop is not None:
                    return
                yield from self._planned_of(step, to_come)
            to_come |= set(step.save)

    def _planned_of(self, step: Step, to_come: set[str]) -> Iterator[Write]:
        """The writes of one step: one, or one for each item of its list."""
        args = {key: arg for key, arg in step.args.items() if key != "script"}
        uses = {*template.names(args), step.each.partition(".")[0]}
        if uses & to_come:
            yield Write(step.id, step.tool, None)
            return
        for item in self._items(step) if step.each else (None,):
            self._values[ITEM] = item
            yield Write(step.id, step.tool, self._arguments(step))

    # the way through a script

    def _asked_by(self, script: RunningScript) -> Step | None:
        """The call that the script asks for next, as a step; None when it has returned its result."""
        from replay.script import ScriptFault

        given = {name: self._values[name] for name in (*self.procedure.parameters, *BUILT_IN)}
        outcome, self._outcome = self._outcome, None
        try:
            if outcome is not None:
                move = script.go_on(outcome.status, self._whole(outcome))
            else:
                self._stage = "plan"
                move = script.plan(given)
            if not move.tool and self._stage == "plan":
                self._values["plan"] = self._returned(move)
                if script.script.has_commit:
                    self._stage = "commit"
                    move = script.commit(given, move.value)
        except ScriptFault as fault:
            raise self._diverged(self._stage, self._at(fault.line, fault.reason)) from fault
        if move.tool:
            return self._step_of(move)
        self._conclude(self._returned(move))
        return None

    def _is_there(self, tool: str, request: Request) -> bool:
        return tool in {each["function"]["name"] for each in request.tools} or self._knows(tool)

    def _step_of(self, move: Move) -> Step:
        count = self._asked[self._stage] = self._asked[self._stage] + 1
        step = Step(f"{self._stage}.{count}", move.tool, move.args or {}, line=move.line or 1)
        if self._calls >= MAX_SCRIPT_CALLS:
            raise self._diverged(
                step.id, self._at(step.line, self._say("too_many", MAX_SCRIPT_CALLS))
            )
        if not step.changes_something:
            self._check_reading(step, step.args)
        return step

    def _check_reading(self, step: Step, args: Mapping[str, Any]) -> None:
        if self._may_read is None and not step.line:
            return
        why = self._may_read(step.tool, args) if self._may_read else step.tool
        if why is not None:
            said = self._say("not_a_read", why)
            raise self._diverged(step.id, self._at(step.line, said) if step.line else said)

    def _returned(self, move: Move) -> Any:
        """Return what plan or commit returned. Raises when that is {"stop": REASON}: after a write
        it is a defect of the SOP."""
        if not isinstance(move.value, dict) or set(move.value) != {"stop"}:
            return move.value
        reason = template.as_text(move.value["stop"])
        if any(done.changes_something for done in self._matched):
            raise self._diverged(self._stage, self._say("stopped_late", reason))
        raise self._diverged(self._stage, reason, declined=True)

    def _conclude(self, value: Any) -> None:
        if isinstance(value, str):
            self._said = value
        elif not self.procedure.result:
            raise self._diverged(
                self._stage, self._at(0, self._say("no_text", _cut(template.as_text(value))))
            )
        self._stage = "done"
        self.close()

    def _whole(self, result: ToolResult) -> Any:
        """The data of a result as a script gets it: with all of its output, where a model sees head and tail."""
        if not isinstance(result.data, dict) or not result.data.get("file"):
            return result.data
        output = self._try(
            Step(self._stage), "extract", lambda: whole_output(result.data), "output"
        )
        return result.data | {"output": output}

    def _at(self, line: int, text: str) -> str:
        name = self.procedure.script.name if self.procedure.script else ""
        return f"{name}:{line}: {text}" if line else f"{name}: {text}"

    def _arguments(self, step: Step) -> dict[str, Any]:
        if step.line:
            return self._arguments_as_asked(step)
        args = {
            key: value if key == "script" else self._filled(step, value)
            for key, value in step.args.items()
        }
        if "acts" in args:
            acts = args.pop("acts")
            args["script"] = self._try(step, "on_page", lambda: self._page.script(acts))
        if step.tool == "code_run":
            args["env"] = self._environment(step, args) | args.get("env", {})
        return args

    def _arguments_as_asked(self, step: Step) -> dict[str, Any]:
        """The arguments that a script gives. Code among them must be the SOP's own text, so that no value becomes code."""
        args = dict(step.args)
        if step.tool == "code_run":
            if self.procedure.script and args.get("script") not in self.procedure.script.texts:
                raise self._diverged(step.id, self._at(step.line, self._say("not_in_script")))
            if args.get("type") == "python" and isinstance(args.get("env", {}), dict):
                args["env"] = {"PYTHONPATH": ""} | args.get("env", {})
        return args

    def _items(self, step: Step) -> list[Any]:
        """The list that a step goes through. One that is empty stops the replay."""
        items = self._look(step, step.each)
        if not isinstance(items, list):
            shown = _cut(template.as_text(items))
            raise self._diverged(step.id, self._say("no_list", step.each, shown), kind="parameter")
        if not items:
            raise self._diverged(step.id, self._say("empty", step.each), kind="world")
        return items

    def _ask(self, step: Step) -> Reply:
        if step.each:
            self._values[ITEM] = self._items(step)[len(self._brought)]
        args = self._arguments(step)
        self._check_filled(step, args)
        if not (
            step.line or step.changes_something or step.tool in ("code_run", "ask_user")
        ):  # code is as it was taught
            self._check_reading(step, args)
        if self._calls < len(self._recorded) and not _is_same(
            self._recorded[self._calls], step.tool, args
        ):
            raise self._diverged(step.id, self._at(step.line, self._say("other_call")))
        self._calls += 1
        self._pending = step
        call = ToolCall(f"rote{self._calls:05d}", step.tool, args)
        note = self._filled(step, self._in_language(step.note)) if step.note else step.tool
        said = f"{self.sop} · {step.id} · {note}"
        reads = not step.changes_something
        hold = self._hold_of(step)
        return Reply(
            said,
            [call],
            model=self.name,
            kind="rote",
            only_reads=reads,
            repeatable=step.repeatable,
            hold=hold,
        )

    def _check_filled(self, step: Step, args: Mapping[str, Any]) -> None:
        """Raises Diverged where a template is left in what a tool would get: it would be taken literally."""
        given = template.as_text(list(self._values.values()))
        for found in template.TEMPLATE.finditer(json.dumps(args, ensure_ascii=False, default=str)):
            is_own = found[1].partition(".")[0] in self._values
            if is_own and found[0] not in given:
                said = self._say("unfilled", found[0])
                raise self._diverged(step.id, said, kind="parameter")

    def _hold_of(self, step: Step) -> Callable[[ToolResult, ChangeSet], str] | None:
        """Return how the changes of a script are judged before they count; None: by the gate alone."""
        if step.is_staged:
            return self._differs
        is_asked_to_read = step.line and step.tool == "code_run" and not step.changes_something
        return self._changed if is_asked_to_read else None

    def _changed(self, result: ToolResult, changes: ChangeSet) -> str:
        """Return why the script of a plan must not be committed."""
        if paths := [str(change.path) for change in changes.changes]:
            self._written = self._say("not_a_read", f"code_run would change {paths[0]}")
        return self._written or ("" if result.status == "ok" else result.status)

    def _differs(self, result: ToolResult, changes: ChangeSet) -> str:
        """Return why what a staged script did must not be committed; "" when all is as expected."""
        from replay.staged import holding  # only where there is a stage

        said = holding.difference(self._pending, result, changes, self._values, self.lang)
        return self._say("kept", said) if said else ""

    def _finish(self) -> Reply:
        if self._answer is None:
            self._answer = self._said
        if self._answer is None and not self.procedure.result:
            from replay.staged import holding

            self._answer = holding.answer(self._values, self.lang)
        if self._answer is None:
            end = Step("result")
            self._answer = str(self._filled(end, self._in_language(self.procedure.result)))
        return Reply(self._answer, model=self.name, kind="rote")

    def _environment(self, step: Step, args: Mapping[str, Any]) -> dict[str, str]:
        """The values that the script asks for by name: $name, ${name}, or "name" in Python.

        A Python step imports nothing from the folder it works in: a json.py that lies in Downloads must not run.
        """
        script = str(args.get("script", ""))
        asked = set(
            re.findall(r"\$\{?([a-z][a-z0-9_]*)|(?<=[\"'])([a-z][a-z0-9_]*)(?=[\"'])", script)
        )
        names = {name for pair in asked for name in pair if name}
        env = {"PYTHONPATH": ""} if args.get("type") == "python" else {}
        for name, value in self._values.items():
            if value is not None and (name in names or step.is_staged):
                env[name] = self._as_variable(step, name, value)
        return env

    def _as_variable(self, step: Step, name: str, value: Any) -> str:
        items = value if isinstance(value, list) else [value]
        if isinstance(value, list) and any("\n" in template.as_text(item) for item in items):
            raise self._diverged(step.id, self._say("line_break", name), kind="parameter")
        text = "\n".join(template.as_text(item) for item in items)
        if len(text.encode("utf-8", "surrogateescape")) > MAX_VALUE_CHARS:
            raise self._diverged(step.id, self._say("too_long", name), kind="parameter")
        return text

    # holding an outcome against what was recorded

    def _check_requirements(self) -> None:
        needs = self.procedure.requires
        here = "darwin" if sys.platform == "darwin" else "windows" if os.name == "nt" else "linux"
        if needs.get("platform") and here not in needs["platform"]:
            raise self._diverged(
                "requires", self._say("platform", ", ".join(needs["platform"]), here)
            )
        for command in needs.get("commands", ()):
            if not shutil.which(command):
                raise self._diverged("requires", self._say("no_command", command))
        for variable in needs.get("env", ()):
            if not os.environ.get(variable):
                raise self._diverged("requires", self._say("no_env", variable))
        for kind, is_there in (("folder", Path.is_dir), ("file", Path.is_file)):
            for name in needs.get(f"{kind}s", ()):
                path = self.parameters.get(name)
                if path is not None and not _holds(is_there, Path(path)):
                    raise self._diverged("requires", self._say(f"no_{kind}", path), declined=True)

    def _hold(self, step: Step, result: ToolResult | None) -> str:
        """Takes the outcome of a step, or raises. Says in a few words what it brought."""
        if result is None:
            raise self._diverged(step.id, self._say("no_result"))
        self._seconds += result.seconds
        self._judge(step, result)
        if step.changes_something:
            self._is_guarded = True
        whole = self._joined(step, result) if step.each else result
        if whole is None:
            self._pending = None
            return ""
        saved = self._saved(step, whole)
        if wrong := self._wrong_count(step):
            raise self._diverged(step.id, wrong)
        if step.tool == "web_scan":
            self._page.saw(result.data)
        self._pending = None
        self._index += 0 if step.line or step.id == AGREE else 1
        self._matched.append(step)
        if step.line:
            return "" if result.status == "ok" else result.status
        return ", ".join(
            f"{name}: {len(v) if isinstance(v, list | dict | str) else v}"
            for name, v in saved.items()
        )

    def _judge(self, step: Step, result: ToolResult) -> None:
        """Hold an outcome against what its step expects. Raises Diverged."""
        if result.status == "refused" and step.expect.get("status") != "refused":
            said = self._say("refused", step.tool, _cut(result.as_text()))
            raise self._diverged(step.id, said, declined=True)
        if self._written:
            raise self._diverged(step.id, self._at(step.line, self._written))
        if step.line:
            self._outcome = result
        elif step.is_staged:
            self._hold_staged(step, result)
        elif step.id == AGREE:
            self._agreed(step, result)
        elif wrong := self._mismatch(step, result):
            raise self._diverged(step.id, wrong)

    def _saved(self, step: Step, result: ToolResult) -> dict[str, Any]:
        """Keep what a step saves of its result, one after the other."""
        for name, extractor in step.save.items():
            self._values[name] = self._extracted(step, result, extractor)
        return {name: self._values[name] for name in step.save}

    def _joined(self, step: Step, result: ToolResult) -> ToolResult | None:
        """The results by all items of a list as one; None while some are still to come."""
        self._brought.append(result)
        if len(self._brought) < len(self._items(step)):
            return None
        brought, self._brought = self._brought, []
        return ToolResult("ok", joined([each.data for each in brought]))

    def _agreed(self, step: Step, result: ToolResult) -> None:
        """Take the owner's yes to the fields of a page; anything else ends the replay."""
        said = str(result.data.get("answer", "")) if isinstance(result.data, dict) else ""
        if said.strip().casefold() not in YES | {self._say("yes").casefold()}:
            raise self._diverged(step.id, self._say("not_agreed"), declined=True)
        self._page.agree()

    def _hold_staged(self, step: Step, result: ToolResult) -> None:
        """Raises Diverged when a staged script was not committed."""
        if result.status == "ok":
            return
        held = result.data.get("held", "") if isinstance(result.data, dict) else ""
        if held:
            raise self._diverged(step.id, held, kind="expectation")
        raise self._diverged(step.id, self._mismatch(Step(step.id), result), kind="step")

    def _mismatch(self, step: Step, result: ToolResult) -> str:
        expect, shown = step.expect, _cut(result.as_text())
        exit_code = result.data.get("exit_code") if isinstance(result.data, dict) else None
        if "exit_code" in expect and exit_code != expect["exit_code"]:
            return self._say("exit_code", expect["exit_code"], exit_code, shown)
        status = expect.get("status", result.status if "exit_code" in expect else "ok")
        if result.status != status:
            return self._say("status", status, result.status, shown)
        wanted = str(self._filled(step, expect.get("contains", "")))
        if wanted and wanted not in self._said_by(step, result):
            return self._say("contains", wanted, shown)
        if "matches" in expect and not re.search(
            expect["matches"], self._extracted(step, result, "output")
        ):
            return self._say("matches", expect["matches"], shown)
        for path, wanted in self._filled(step, expect.get("fields", {})).items():
            found = self._extracted(step, result, field_of(path))
            texts = [template.as_text(each) for each in (found if path[:4] == "all " else [found])]
            if template.as_text(wanted) not in texts:
                return self._say("field", path, template.as_text(wanted), template.as_text(found))
        return ""

    def _said_by(self, step: Step, result: ToolResult) -> str:
        """Return the output of a call; of a page all that it says."""
        if step.tool in ("web_scan", "web_execute_js"):
            return page_text(result.data)
        return str(self._extracted(step, result, "output"))

    def _wrong_count(self, step: Step) -> str:
        for key, is_wrong in (("min_count", int.__lt__), ("max_count", int.__gt__)):
            for path, limit in step.expect.get(key, {}).items():
                value = self._look(step, path)
                count = len(value) if isinstance(value, list | dict | str) else value or 0
                if is_wrong(int(count), limit):
                    return self._say(key, limit, path, count)
        return ""

    def _extracted(self, step: Step, result: ToolResult, extractor: str) -> Any:
        return self._try(
            step, "extract", lambda: extract(result, extractor, self._values), extractor
        )

    def _filled(self, step: Step, value: Any) -> Any:
        return self._try(step, "fill", lambda: template.fill(value, self._values))

    def _try(self, step: Step, say: str, action: Callable[[], Any], *args: Any) -> Any:
        try:
            return action()
        except (
            template.TemplateError,
            OSError,
            UnicodeDecodeError,
            ValueError,
            RecursionError,
        ) as error:
            raise self._diverged(step.id, self._say(say, *args, _cut(str(error)))) from error

    # what is said

    def _event(self, step: str, state: str, reason: str = "", kind: Blame | None = None) -> Event:
        return {
            "type": "rote",
            "sop": self.sop,
            "version": self.version,
            "step": step,
            "state": state,
            "reason": reason,
            **({"kind": kind} if kind else {}),
        }

    def _say(self, what: str, *args: Any) -> str:
        return say(f"rote.{what}", self.lang, *args)

    def _in_language(self, texts: Mapping[str, str]) -> str:
        return texts.get(self.lang) or texts["en"]

    def _diverged(
        self, step: str, reason: str, declined: bool = False, kind: Blame | None = None
    ) -> Diverged:
        """The error, with its event and with what the next model has to know."""
        if kind is None:
            kind = (
                "world"
                if declined or step == "requires"
                else "check"
                if step.startswith("check")
                else "step"
            )
        error = Declined if declined else Diverged
        return error(
            reason, self._handover(step, reason), self._event(step, "diverged", reason, kind), kind
        )

    def _handover(self, step: str, reason: str) -> str:
        changed = [f"{done.id} {done.tool}" for done in self._matched if done.changes_something]
        if self._pending and self._pending.changes_something:
            changed.append(f"{self._pending.id} {self._pending.tool} (?)")
        told = {
            "sop": self.sop,
            "version": self.version,
            "parameters": json.dumps(self.parameters, ensure_ascii=False),
            "step": step,
            "reason": reason,
            "matched": "\n".join(self._evidence()) or self._say("none_yet"),
            "changed": ", ".join(changed) or self._say("nothing"),
            "skill": self.procedure.folder / "SKILL.md",
        }
        text = (PROMPTS / self.lang / "handover.md").read_text(encoding="utf-8").strip()
        return re.sub(r"\{([a-z]+)\}", lambda match: str(told[match[1]]), text)

    def _evidence(self) -> Iterator[str]:
        """A line for each step that is done; of very many, the last."""
        if len(self._matched) > MAX_SHOWN_STEPS:
            yield f"- … {len(self._matched) - MAX_SHOWN_STEPS}"
        for step in self._matched[-MAX_SHOWN_STEPS:]:
            saved = [
                f"{name} = {_cut(template.as_text(self._values.get(name)))}" for name in step.save
            ]
            asked = [_cut(template.as_text(dict(step.args)))] if step.line else []
            yield "; ".join([f"- {step.id} {step.tool}", *asked, *saved])


def _holds(is_there: Callable[[Path], bool], path: Path) -> bool:
    try:
        return is_there(path)
    except (OSError, ValueError):  # a name that is too long, a folder that may not be entered
        return False


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


def _is_same(recorded: ToolCall, tool: str, args: Mapping[str, Any]) -> bool:
    """Return True if a call is the recorded one. Compared as JSON: 1 is not True, and 1 is not 1.0."""
    said, says = (
        [name, given or {}] for name, given in ((recorded.name, recorded.args), (tool, args))
    )
    return json.dumps(said, sort_keys=True) == json.dumps(says, sort_keys=True)
