"""`teach NAME --record` and `teach NAME`: a demonstration, one question for each thing that is
open, and its proof shown."""

from __future__ import annotations

import os
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from config import Config, SopwithError
from learning.prove import Case, Ground
from learning.recording import RecordError, typed_lines
from learning.trace import read_trace
from learning.wording import slotted
from learning.written import read_text
from memory.logs import read_events
from replay.parameters import ParameterError
from runs.assemble import Agent
from runs.learning.alone import same_script
from runs.learning.lesson import Lesson
from runs.learning.lesson_files import content_of, kept_lesson, stored
from runs.learning.teach import TeachingError, text_of
from sandbox.undo import StageError
from ui.sanitise import one_line
from ui.sops import roots
from ui.sops.teaching.lesson_shown import changed, show_output, show_paths, show_stored
from ui.sops.teaching.questions import Listed, Questions, questions_of, unsaid
from ui.sops.teaching.record import record_lesson
from ui.words import say

SHOWN_AROUND = 30  # characters beside a value


class NoDraft(SopwithError):
    """There is nothing to go on with, and nothing to learn from was named."""

    exit_code = 2


class LessonFlow:
    """The way from a lesson to the store."""

    def __init__(self, agent: Agent, lesson: Lesson, questions: Questions) -> None:
        self.agent, self.lesson, self.questions = agent, lesson, questions

    def to_its_end(self) -> int:
        """Ask, prove, store; return the exit code. What the demonstration did is made real in any
        case, and what is open stays open in a draft."""
        code = 0
        try:
            with stopped_by_signals():
                self._to_a_proof()
        except TeachingError as error:
            if not self.questions.is_attended:
                raise
            print(f"✗ {error}")
        except (KeyboardInterrupt, EOFError):
            leave_gone_terminal()
            print(f"\n{say('lesson.stopped')}")
            self.lesson.leave()
            code = 130
        finally:
            if problem := self.lesson.make_real():
                name = self.lesson.name
                print(say("lesson.not_real", problem=one_line(problem, 300), name=name))
        self._store()
        return code

    def _store(self) -> None:
        lesson, key = self.lesson, "teach.reason_file"
        if lesson.traces:
            key = "teach.reason_run" if lesson.is_done_before else "teach.reason_record"
        sop, has_secret = stored(self.agent, lesson, lesson.status(), say(key))
        if has_secret:
            print(say("lesson.secret"))
        wordings = content_of(lesson).get("wordings") or [sop.name]
        is_usable = slotted(lesson.request, lesson.values)[0] in ("", *wordings)
        usual = say("teach.unusable", wording=wordings[0])
        why = "" if is_usable or sop.status == "draft" else usual
        show_stored(sop, wordings[0], lesson.values, f"lesson.next_{sop.status}", why)

    def _to_a_proof(self) -> None:
        lesson = self.lesson
        try:
            if not (lesson.cases or self._is_induced()):
                return
            lesson.make_real()  # what cannot be made real is said in the end
            self._prove_others()
        except StageError as error:
            lesson.notes.append(str(error))
            print(f"✗ {say('lesson.no_stage', why=one_line(str(error), 200))}")

    def _is_induced(self) -> bool:
        """Ask what is open, and try it with its own values; False where runs disagree."""
        lesson = self.lesson
        if lesson.declared:
            self._show_text()
            return True
        self._settle()
        self._ask_what_varies()
        if disagreeing := lesson.disagreeing():
            lesson.notes.append(say("lesson.disagree", line=disagreeing))
            print(f"✗ {say('lesson.disagree', line=one_line(disagreeing, 120))}")
            return False
        if not lesson.is_settled:
            return False
        twin = same_script(lesson, self.agent.sops.all())
        if twin and not self.questions.may("teach.second", name=twin.name, status=twin.status):
            raise TeachingError(say("teach.twin", name=twin.name, status=twin.status))
        self._prove_own()
        return True

    def _settle(self) -> None:
        lesson = self.lesson
        if lesson.has_done_nothing:
            raise RecordError(say("lesson.nothing", name=lesson.name))
        if lesson.is_cut:
            raise EOFError
        if lesson.before is not None:
            print(f"\n{say('lesson.did', changes=changed(lesson.before))}")
            show_paths(lesson.before)
        for note in lesson.notes:
            print("  " + say("lesson.left_out", line=one_line(note, 120)))
        if not lesson.settle() and not lesson.is_done_before:
            lesson.notes.append(say("lesson.not_again"))
            print(say("lesson.not_again"))
        self._show_lines(lesson.typed)

    def _show_lines(self, script: str) -> None:
        print(f"\n{say('lesson.script')}")
        redact = self.agent.parts.redactor()
        for line in script.splitlines():
            print(f"  {' ' * (len(line) - len(line.lstrip()))}{one_line(redact(line), 150)}")
        for problem in self.lesson.problems:
            print("  " + say("teach.problem", text=one_line(redact(problem), 160)))

    def _show_text(self) -> None:
        """Show what a text does, and ask how it will be asked for: its parameters have names
        already."""
        lesson = self.lesson
        self._show_lines(lesson.script)
        name = lesson.suggested or lesson.name
        if unknown := [name for name in self.questions.named if name not in lesson.parameters]:
            known = ", ".join(lesson.parameters)
            raise TeachingError(say("lesson.no_parameter", name=unknown[0], known=known))
        slots = {key: f"{{{key}}}" for key in lesson.required if f"{{{key}}}" not in name}
        lesson.request = lesson.request or self.questions.request(name, slots) or lesson.suggested

    def _ask_what_varies(self) -> None:
        lesson = self.lesson
        lesson.request = lesson.request or self._asked()
        listed = [list(each) for each in lesson.candidates()]
        while not self._has_values(listed):
            pass  # the owner is asked again
        self._ask_where()
        missing = unsaid(lesson.request, lesson.values)
        if missing and (again := self.questions.request_again(missing)):
            lesson.request = again
        for each in lesson.doubts():
            value = Path(lesson.values[each.parameter]).name
            if self.questions.yes(
                say("lesson.follows", text=one_line(each.shown, 60), value=value)
            ):
                lesson.follows.append(each)

    def _asked(self) -> str:
        """Ask how it will be asked for; a value of the lines alone is no sentence, so the name
        comes before it."""
        said = self.questions.request(self.lesson.name, {})
        is_value = bool(said) and " " not in said and said in self.lesson.typed
        return f"{self.lesson.name.replace('-', ' ')} {said}" if is_value else said

    def _has_values(self, listed: Listed) -> bool:
        """Ask which values vary; False where one cannot, and somebody is there to say it again."""
        lesson = self.lesson
        chosen = self.questions.vary(listed)
        refused = lesson.take(chosen)
        for name, why in refused.items():
            value = one_line(chosen[name], 60)
            because = why or say("lesson.not_there")
            print("  " + say("lesson.cannot_vary", value=value, why=because))
        for row in listed:
            row[2] = row[2] and row[0] not in refused
        return not (refused and self.questions.is_attended)

    def _ask_where(self) -> None:
        """Ask in which places a short number varies; runs that differ have said so."""
        lesson = self.lesson
        for name, found in lesson.several().items() if not lesson.others else ():
            shown = [_around(lesson.typed, start, end) for start, end, _ in found]
            chosen = self.questions.places(lesson.values[name], shown, lesson.places[name])
            lesson.places[name] = chosen

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
        key = "lesson.own_changes_same"
        if lesson.is_done_before:
            key = "lesson.own_again"
        elif lesson.prints_what_was_seen:
            key = "lesson.own_same"
        print(f"✓ {say(key, changes=changed(seen))}")
        show_output(seen)

    def _prove_others(self) -> None:
        """Ask for other values until it is proven on two sets, on three where it has branches."""
        lesson = self.lesson
        if not lesson.is_ready:
            return
        at_hand = lesson.at_hand() if lesson.sets_known == 1 else {}
        while lesson.sets_known < 2 + lesson.has_branches:
            if lesson.sets_known == 2:
                print(f"\n{say('lesson.branches')}")
            given = self._other_values(at_hand)
            if given is None:
                return
            at_hand = {}
            self._try(given)

    def _other_values(self, at_hand: Mapping[str, str]) -> dict[str, str] | None:
        was = self.lesson.values or dict.fromkeys(self.lesson.required, "")
        key = "lesson.another_set_or" if at_hand else "lesson.another_set"
        asked = say(key, values=", ".join(one_line(each, 60) for each in at_hand.values()))
        return self.questions.another_set(was, asked, at_hand)

    def _try(self, given: Mapping[str, str]) -> None:
        """Try one set of values, and keep it as a case when it is right."""
        lesson = self.lesson
        try:
            case = lesson.try_values({**lesson.values, **given})
        except (ParameterError, StageError) as error:
            print(f"✗ {one_line(str(error), 300)}")
            return
        if self._is_right(case, given):
            lesson.accept(case)
            lesson.values = lesson.values or dict(given)

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


def _around(script: str, start: int, end: int) -> str:
    """Return a value in brackets, with the words of its line around it."""
    before = script[:start].rpartition("\n")[2][-SHOWN_AROUND:]
    behind = script[end:].partition("\n")[0][:SHOWN_AROUND]
    return f"{before}[{script[start:end]}]{behind}"


def leave_gone_terminal() -> None:
    """Say the rest to nobody where the terminal was closed: to write there is an error."""
    if not os.isatty(sys.stdout.fileno()):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.dup2(nothing, sys.stderr.fileno())


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Stop the lesson as Ctrl-C does when the terminal closes or a request to end comes, so that
    nothing is lost."""

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
    """Learn from a lesson, from a demonstration that is recorded now, or go on with the draft of
    this name; return the exit code."""
    agent, questions = Agent(config), questions_of(args, is_attended=is_attended)
    existing = agent.sops.get(args.sop)
    if lesson is None and not args.record:
        ground = Ground.of(roots(config), config.home, Path.cwd())
        kept = kept_lesson(args.sop, existing.folder, ground) if existing else None
        if kept is None:
            raise NoDraft(say("lesson.no_draft", name=one_line(args.sop, 64)))
        return LessonFlow(agent, kept, questions).to_its_end()
    if existing is not None and not questions.may_replace(existing):
        raise RecordError(say("teach.taken", name=existing.name, version=existing.version))
    lesson = lesson or record_lesson(args.sop, config, Path.cwd())
    return LessonFlow(agent, lesson, questions).to_its_end()


def lesson_of(args: Namespace, config: Config) -> Lesson | None:
    """Return the lesson of the runs or of the text that is named; None where they need another form
    than a script."""
    if args.from_run:
        return _of_runs(args, config)
    return _of_text(args, config) if args.from_file else None


def _of_runs(args: Namespace, config: Config) -> Lesson | None:
    """Return the lesson that runs hold; None where they need another form than a script."""
    traces = [read_trace(config.home, name) for name in args.from_run]
    ground = Ground.of(roots(config), config.home, traces[0].cwd)
    if traces[0].taught is None:
        return Lesson.of_runs(args.sop, ground, traces)
    typed = typed_lines(read_events(config.home, traces[0].run))
    return Lesson.recorded(args.sop, ground, traces[0], typed)


def _of_text(args: Namespace, config: Config) -> Lesson | None:
    """Return the lesson that a file holds; None for a whole sop.yaml. Raises TeachingError,
    LearningError."""
    path = Path(args.from_file).expanduser().absolute()
    found = read_text(text_of(path), path.name)
    if isinstance(found, str):
        return None
    ground = Ground.of(roots(config), config.home, Path.cwd())
    return Lesson.of_text(args.sop, ground, found)
