"""`teach NAME --record` and `teach NAME`: a demonstration, one question for each thing that is open, and its proof shown."""

from __future__ import annotations

import os
import signal
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from config import Config
from learning.lines import typed_lines
from learning.prove import Case, Ground, Seen
from learning.prove.seen import seen_in
from learning.record import RecordError, check_terminal, record
from learning.staged_shell import StagedShell
from learning.trace import read_trace
from memory.home.folder import open_home
from memory.runlog.log import read_events
from memory.sops.changes import SopChanges
from memory.sops.store import Sop
from replay.expectation import KINDS, Touched
from replay.parameters import ParameterError
from runs.assemble import SEEDS, Agent
from runs.learning.lesson import Lesson
from safety.secrets import held_values
from sandbox.stage import StageError
from ui.sanitise import one_line
from ui.sops.lesson_questions import LessonQuestions
from ui.sops.record import banner
from ui.words import language, say

MAX_LINES = 8


def record_lesson(name: str, config: Config, cwd: Path) -> Lesson:
    """Open the recorded shell in a stage; return what was done there. Raises RecordError, StageError."""
    check_terminal(name, os.environ)
    open_home(config.home)
    ground = Ground.of(_roots(config), config.home, cwd)
    print(banner(name, os.environ.get("SHELL", "")))
    shells: list[StagedShell] = []

    def enter(run: str) -> list[str]:
        try:
            shells.append(StagedShell(ground.roots, config.home, run))
        except StageError as error:
            print(say("lesson.no_stage", why=one_line(str(error), 200)))
        return shells[0].words(cwd) if shells else []

    try:
        run = record(
            name,
            home=config.home,
            lang=config.lang,
            cwd=cwd,
            hidden=held_values(config, os.environ),
            environ=os.environ,
            label=say("record_label"),
            enter=enter,
        )
    except BaseException:
        for shell in shells:
            shell.ended().commit()
        raise
    typed = typed_lines(read_events(config.home, run))
    if not shells:
        return Lesson.recorded(name, ground, run, typed, None, "")
    stage = shells[0].ended()
    seen = seen_in(stage, "", 0)
    return Lesson.recorded(name, ground, run, typed, seen, stage.wait())


class LessonFlow:
    """The way from a lesson to the store."""

    def __init__(self, agent: Agent, lesson: Lesson, questions: LessonQuestions) -> None:
        self.agent, self.lesson, self.questions = agent, lesson, questions

    def to_its_end(self) -> int:
        """Ask, prove, store; return the exit code. What the demonstration did is made real in any case, and what is open
        stays open in a draft."""
        code = 0
        try:
            with stopped_by_signals():
                self._to_a_proof()
        except (KeyboardInterrupt, EOFError):
            print(f"\n{say('lesson.stopped')}")
            code = 130
        finally:
            self._make_real()
        show_stored(self._store(), self.lesson)
        return code

    def _to_a_proof(self) -> None:
        lesson = self.lesson
        try:
            if not lesson.cases:
                self._settle()
                self._ask_what_varies()
                if disagreeing := lesson.disagreeing():
                    lesson.notes.append(say("lesson.disagree", line=disagreeing))
                    print(f"✗ {say('lesson.disagree', line=one_line(disagreeing, 120))}")
                    return
                self._prove_own()
            self._make_real()
            self._prove_others()
        except StageError as error:
            lesson.notes.append(str(error))
            print(f"✗ {say('lesson.no_stage', why=one_line(str(error), 200))}")

    def _make_real(self) -> None:
        if problem := self.lesson.make_real():
            print(say("lesson.not_real", problem=one_line(problem, 300)))

    def _settle(self) -> None:
        lesson = self.lesson
        if not lesson.lines:
            raise RecordError(say("lesson.nothing", name=lesson.name))
        if lesson.before is not None:
            print(f"\n{say('lesson.did', changes=changed(lesson.before))}")
            show_paths(lesson.before)
        for note in lesson.notes:
            print("  " + say("lesson.left_out", line=one_line(note, 120)))
        if not lesson.settle() and not lesson.is_done_before:
            lesson.notes.append(say("lesson.not_again"))
            print(say("lesson.not_again"))
        print(f"\n{say('lesson.script')}")
        for line in lesson.typed.splitlines():
            print(f"  {one_line(self.agent.parts.redactor()(line), 150)}")

    def _ask_what_varies(self) -> None:
        lesson = self.lesson
        lesson.request = lesson.request or self.questions.request(lesson.name)
        while True:
            lesson.values = dict(self.questions.vary(lesson.candidates()))
            refused = lesson.refused
            if not refused:
                break
            for name, why in refused.items():
                value = one_line(lesson.values.pop(name), 60)
                print(
                    "  "
                    + say("lesson.cannot_vary", value=value, why=why or say("lesson.not_there"))
                )
            if not self.questions.is_attended:
                break
        missing = self.questions.unsaid(lesson.request, lesson.values)
        if missing and (again := self.questions.request_again(missing)):
            lesson.request = again
        for each in lesson.doubts():
            value = Path(lesson.values[each.parameter]).name
            if self.questions.yes(
                say("lesson.follows", text=one_line(each.shown, 60), value=value)
            ):
                lesson.follows.append(each)

    def _prove_own(self) -> None:
        lesson = self.lesson
        print(f"\n{say('lesson.trying')}")
        why = lesson.prove_own()
        if why and lesson.is_done_before:
            print(say("lesson.done_before"))
            return
        if why:
            lesson.notes.append(say("lesson.own_differs", why=why))
            print(f"✗ {say('lesson.own_differs', why=one_line(why, 300))}")
            return
        seen = lesson.cases[0].seen
        print(f"✓ {say('lesson.own_same', changes=changed(seen))}")
        show_output(seen)

    def _prove_others(self) -> None:
        lesson = self.lesson
        wanted = 2 + lesson.has_branches
        is_ready = bool(lesson.cases) or lesson.is_done_before
        while lesson.values and is_ready and lesson.sets_known < wanted:
            if lesson.sets_known == wanted - 1 == 2:
                print(f"\n{say('lesson.branches')}")
            given = self.questions.another_set(lesson.values)
            if given is None:
                return
            try:
                case = lesson.try_values({**lesson.values, **given})
            except (ParameterError, StageError) as error:
                print(f"✗ {one_line(str(error), 300)}")
                continue
            if self._is_right(case, given):
                lesson.cases.append(case)

    def _is_right(self, case: Case, given: Mapping[str, str]) -> bool:
        shown = ", ".join(one_line(each, 60) for each in given.values())
        if case.seen.code != 0:
            last = case.seen.output.strip().rpartition("\n")[2]
            print(
                f"✗ {shown} → {say('lesson.fails', code=case.seen.code, why=one_line(last, 200))}"
            )
            return False
        print(f"{shown} → {say('lesson.would', changes=changed(case.seen))}")
        show_paths(case.seen)
        show_output(case.seen)
        return self.questions.yes(say("lesson.right"))

    def _store(self) -> Sop:
        agent, lesson = self.agent, self.lesson
        status = lesson.status()
        existing = agent.sops.get(lesson.name)
        version = existing.version if existing and existing.description else 0
        redact = agent.parts.redactor()
        files: dict[str, str | bytes] = {
            path: redact(text) for path, text in lesson.files().items()
        }
        if files["sop.yaml"] != lesson.files()["sop.yaml"]:
            print(say("lesson.secret"))
            status = "draft"
        changes = SopChanges(agent.config.home, SEEDS)
        sop = changes.write(
            lesson.name,
            files,
            reason=say("teach.reason_record"),
            run=lesson.run or None,
            status=status,
            expects_version=version,
        )
        agent.sops.reload()
        return sop


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """A closed terminal and a request to end stop the lesson as Ctrl-C does, so that nothing of it is lost."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGHUP, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def teach_lesson(
    args: Namespace, config: Config, *, is_attended: bool, lesson: Lesson | None = None
) -> int:
    """Learn from a lesson, from a demonstration that is recorded now, or go on with the draft of this name; return the exit
    code."""
    agent, questions = Agent(config), questions_of(args, is_attended)
    existing = agent.sops.get(args.sop)
    if lesson is None and not args.record:
        ground = Ground.of(_roots(config), config.home, Path.cwd())
        kept = Lesson.kept(args.sop, existing.folder, ground) if existing else None
        if kept is None:
            raise RecordError(say("lesson.no_draft", name=one_line(args.sop, 64)))
        return LessonFlow(agent, kept, questions).to_its_end()
    if existing is not None and not questions.may_replace(existing):
        raise RecordError(say("teach.taken", name=existing.name, version=existing.version))
    lesson = lesson or record_lesson(args.sop, config, Path.cwd())
    return LessonFlow(agent, lesson, questions).to_its_end()


def lesson_of_runs(args: Namespace, config: Config) -> Lesson | None:
    """Return the lesson that runs hold; None where they need another form than a script."""
    traces = [read_trace(config.home, name) for name in args.from_run]
    ground = Ground.of(_roots(config), config.home, traces[0].cwd)
    if traces[0].taught is None:
        return Lesson.of_runs(args.sop, ground, traces)
    typed = typed_lines(read_events(config.home, traces[0].run))
    return Lesson.recorded(args.sop, ground, traces[0].run, typed, None, "")


def _roots(config: Config) -> list[Path]:
    return [Path(root).expanduser() for root in config.safety.roots]


def changed(seen: Seen | None) -> str:
    """Return how many paths were touched, in words."""
    kinds: dict[str, int] = {}
    for each in _real(seen):
        kinds[each.kind] = kinds.get(each.kind, 0) + 1
    parts = [say(f"lesson.{kind}", n=count) for kind, count in kinds.items()]
    return ", ".join(parts) or say("lesson.no_changes")


def show_paths(seen: Seen | None) -> None:
    """Print what was touched, a path a line."""
    found = _real(seen)
    for each in found[:MAX_LINES]:
        mark = {"new": "+", "gone": "-"}.get(each.kind, "~")
        print(f"    {mark} {one_line(_short(each.path), 140)}")
    if len(found) > MAX_LINES:
        print(f"    … {len(found) - MAX_LINES}")


def _real(seen: Seen | None) -> list[Touched]:
    """Return what is not as it was before."""
    return [each for each in seen.touched if each.kind in KINDS] if seen else []


def show_output(seen: Seen) -> None:
    """Print the first lines of an output."""
    lines = [line for line in seen.output.splitlines() if line.strip()]
    for line in lines[:MAX_LINES]:
        print(f"    {one_line(line, 140)}")


def _short(path: str) -> str:
    home = str(Path.home())
    return "~" + path[len(home) :] if path.startswith(f"{home}/") else path


def show_stored(sop: Sop, lesson: Lesson) -> None:
    """Print what is stored now, and what the owner may do with it."""
    print(f"\n{say('teach.stored', name=sop.name, version=sop.version, status=sop.status)}")
    values = " ".join(f"{name}=…" for name in lesson.values)
    asked: dict[str, Any] = {
        "name": sop.name,
        "asked": lesson.request or sop.name,
        "values": values,
    }
    key = f"lesson.next_{sop.status}"
    print("  " + say(key, **asked).rstrip())


def questions_of(args: Namespace, is_attended: bool) -> LessonQuestions:
    """Return whoever answers."""
    from ui.sops.lesson_questions import Absent, AtTerminal

    return AtTerminal() if is_attended else Absent(args)


__all__ = ["LessonFlow", "language", "questions_of", "record_lesson"]
