"""`teach NAME`: from a demonstration, a run or a text to a stored SOP, one question at a time; in a
pipe without questions."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from config import Config, SopwithError
from learning.draft import Draft
from learning.folder import check_text
from learning.verify import PROVEN, Verdict, has_unchecked_commit, not_tried
from memory.sops import NAME, Sop, Status
from replay.parameters import ParameterError
from replay.procedure import Procedure
from runs.assemble import Agent
from runs.learning import teach
from ui.command import Argument, Option, command, is_at_terminal
from ui.sanitise import one_line
from ui.sops import as_word, parameters
from ui.sops.changes import verdict_lines
from ui.sops.teaching.lesson_shown import show_stored
from ui.sops.teaching.questions import Questions, questions_of
from ui.words import say

MAX_LINE_CHARS = 160


class TeachUsage(SopwithError):
    """The command line of `teach` cannot be meant."""

    exit_code = 2


@command(
    "teach",
    Argument("sop"),
    Option("--record"),
    Option("--from-run", "RUN", nargs="+"),
    Option("--from-file", "FILE"),
    Option("--values", "k=v", nargs="*"),
    Option("--request", "TEXT"),
    Option("--prove", "k=v", nargs="+"),
    Option("--new-version"),
    Option("--look"),
)
def teach_(args: Namespace, config: Config) -> int:
    """`teach NAME --record|--from-run RUN|--from-file FILE`: 0 when an SOP was stored, 1 when
    nothing can be learned."""
    _check_usage(args)
    is_named = bool(args.from_run or args.from_file)
    if args.look and is_named:
        from ui.sops.teaching.lesson_look import look

        return look(args, config)
    is_attended = is_at_terminal()
    from ui.sops.teaching.lesson import lesson_of, teach_lesson

    lesson = lesson_of(args, config)
    if lesson or not is_named:  # a recording, or the draft of one
        return teach_lesson(args, config, is_attended=is_attended, lesson=lesson)
    flow = _Teaching(Agent(config), args, questions_of(args, is_attended=is_attended))
    try:
        return flow.to_its_end()
    except (KeyboardInterrupt, EOFError):
        print(f"\n{say('teach.stopped')}", file=sys.stderr)
        return 130


def _check_usage(args: Namespace) -> None:
    """Raise TeachUsage for two sources, and for a name that an SOP cannot have."""
    if len([each for each in (args.record, args.from_run, args.from_file) if each]) > 1:
        raise TeachUsage(say("teach.one_source", name=one_line(args.sop, 64)))
    if not NAME.fullmatch(args.sop):
        name, words = one_line(args.sop, 80), re.sub(r"[^a-z0-9]+", "-", args.sop.lower())
        near = words.strip("-")[:64].strip("-") or "old-files"  # Old Files! → old-files
        raise TeachUsage(say("teach.bad_name", name=name, near=near))


class _Teaching:
    """The way from a lesson to the store."""

    def __init__(self, agent: Agent, args: Namespace, questions: Questions) -> None:
        self.agent, self.args, self.questions = agent, args, questions
        self.proven_on: Mapping[str, object] = {}  # the last set of values that passed
        self.is_tried = False  # whether it came to other values

    def to_its_end(self) -> int:
        """Teach; return the exit code."""
        name = self.args.sop
        existing = teach.known(self.agent, name)
        if self.args.from_run:
            lesson = teach.lesson_from_run(self.agent, name, *self.args.from_run)
        else:
            path = Path(self.args.from_file).expanduser().absolute()
            lesson = teach.lesson_from_file(name, path)
        if existing and not self.questions.may_replace(existing):
            raise teach.TeachingError(say("teach.taken", name=name, version=existing.version))
        lesson.existing = existing  # the one that the owner was asked about
        draft = self._draft(lesson)
        files, unfit = teach.with_old_cases(draft, existing)
        if unfit and not self.questions.may("teach.leave_out", cases=", ".join(unfit)):
            raise teach.TeachingError(say("teach.unfit", name=name, cases=", ".join(unfit)))
        self._pass_the_gate(files, is_draft=True)
        with teach.trial(self.agent, files, name, lesson.cwd) as trial:
            status, why = self._earned(draft, lesson, trial)
            proven = trial.files()
        is_own_text = not lesson.traces  # its proof is what was seen
        self._pass_the_gate(proven, is_draft=is_own_text or status == "draft")
        self._replace(existing, status, why)
        reason = say("teach.reason_file" if lesson.trace is None else "teach.reason_run")
        sop = teach.store(self.agent, lesson, proven, status, reason)
        if self.args.prove and not self.is_tried:
            why = say("teach.untried", why=why)
        self._show_stored(sop, draft, why)
        return 0

    def _show_stored(self, sop: Sop, draft: Draft, why: str) -> None:
        wording = draft.content.wordings[0] if draft.content.wordings else sop.name
        values = {
            name: self.proven_on.get(name, f"{{{name}}}") for name in draft.content.parameters
        }
        is_proven = sop.status in PROVEN
        is_shown = not is_proven and sop.procedure is not None and not_tried(sop.procedure)
        key = "teach.next_supervised" if is_shown else f"teach.next_{sop.status}"
        show_stored(sop, wording, values, key, "" if is_proven else why)

    def _earned(self, draft: Draft, lesson: teach.Lesson, trial: teach.Trial) -> tuple[Status, str]:
        """Return the status that a draft earns, and why it is no more."""
        status, why = teach.earned(draft)
        self.proven_on = draft.taught[-1].values if draft.taught else {}
        is_open = status == "candidate" and not not_tried(draft.procedure())
        if is_open or not lesson.traces:
            why = self._prove(draft, trial)
            status = trial.sop.status
        return status, why

    def _replace(self, existing: Sop | None, status: str, why: str) -> None:
        """Ask before one that is not proven takes the place of one that is. Raises
        TeachingError."""
        if existing is None or not existing.runs_alone or status in PROVEN:
            return
        name, was = existing.name, existing.status
        if not self.questions.may("teach.replace_proven", name=name, was=was, status=status):
            raise teach.TeachingError(say("teach.less", name=name, status=status, was=was, why=why))

    def _request(self, name: str, slots: Mapping[str, str]) -> str:
        """Ask how it will be asked for, until every parameter is named."""
        request = self.questions.request(name, slots)
        while missing := [slot for slot in slots.values() if request and slot not in request]:
            request = self.questions.request_again(missing)
        return request

    def _values(self, lesson: teach.Lesson) -> dict[str, str] | None:
        """Ask which values of the runs vary; None for a text."""
        if not lesson.traces:
            return None
        found = teach.values_that_vary(lesson)
        return self.questions.vary([[name, text, True] for name, text in found.items()])

    def _draft(self, lesson: teach.Lesson) -> Draft:
        draft = teach.draft_of(self.agent, lesson, self._values(lesson))
        if lesson.trace is None:
            slots = {name: f"{{{name}}}" for name in draft.content.parameters}
            lesson.request = self._request(lesson.name, slots)
            draft = teach.draft_of(self.agent, lesson, self._said_of(draft))
        if teach.UNUSABLE in draft.notes:
            print(say("teach.unusable", wording=(draft.content.wordings or [draft.name])[0]))
        twin = teach.twin_of(self.agent, draft)
        if twin and not self.questions.may("teach.second", name=twin.name, status=twin.status):
            raise teach.TeachingError(say("teach.twin", name=twin.name, status=twin.status))
        show_draft(draft, self.agent.parts.redactor())
        return draft

    def _said_of(self, draft: Draft) -> dict[str, str] | None:
        """Return what --values says of the parameters of a text. Raises TeachingError for a name
        that is none of them."""
        values = parameters(self.args.values or [])
        known = draft.content.parameters
        if unknown := next(
            (name for name in (*values, *parameters(self.args.prove or [])) if name not in known),
            "",
        ):
            raise teach.TeachingError(
                "error.ui-sops.parameter-here", name=repr(unknown), known=", ".join(known) or "none"
            )
        return values or None

    def _pass_the_gate(self, files: Mapping[str, str | bytes], *, is_draft: bool) -> None:
        """Raise TeachingError with what the evidence gate has against these files."""
        if refused := teach.refusals(self.agent, files, is_draft=is_draft):
            lines = [one_line(each.said(self.agent.config.lang), 300) for each in refused[:6]]
            raise teach.TeachingError("\n".join([say("teach.refused", name=self.args.sop), *lines]))

    def _prove(self, draft: Draft, trial: teach.Trial) -> str:
        """Give the trial the status that it earns. Return why it is no more than that."""
        if not draft.is_settled:
            return say("teach.unsettled")
        procedure = draft.procedure()
        if why := not_tried(procedure):
            return why
        print(say("teach.trying"))
        why = ""
        if trial.has_cases:
            verdict = trial.prove()
            show_verdict(verdict)
            why = verdict.reason
            self.proven_on = draft.taught[0].values if draft.taught else {}
            if not verdict.passed:
                trial.forget(verdict, own=draft.files)
                print(say("teach.not_repeatable"))
        if has_unchecked_commit(procedure):
            return say("teach.unchecked")
        while not procedure.parameters and trial.sop.status not in PROVEN:
            verdict = trial.prove({})
            show_verdict(verdict)
            if not verdict.passed:
                return verdict.reason
        return self._prove_on_others(draft, trial, why)

    def _prove_on_others(self, draft: Draft, trial: teach.Trial, why: str) -> str:
        """Try other values, until they prove it or there are none."""
        procedure, was = draft.procedure(), draft.taught[0].values if draft.taught else {}
        while trial.sop.status not in PROVEN:
            known = was or self.proven_on
            key = "teach.another_set" if known else "teach.first_set"
            given = self.questions.another_set(_as_words(procedure, known), say(key))
            if given is None:
                return why
            self.is_tried = True
            try:
                verdict = trial.prove(given)
            except ParameterError as error:
                why = str(error)
                print(f"✗ {one_line(why, MAX_LINE_CHARS)}")
            else:
                why = verdict.reason
                show_verdict(verdict)
                if verdict.passed:
                    self.proven_on = verdict.cases[-1].case.parameters
        return ""


def _as_words(procedure: Procedure, was: Mapping[str, object]) -> dict[str, str]:
    """Return each parameter with the value that it had, or its default, else ""."""
    return {
        name: as_word(was[name]) if name in was else str(schema.get("default", ""))
        for name, schema in procedure.parameters.items()
    }


def show_draft(draft: Draft, hide: Callable[[str], str]) -> None:
    """Print the steps, reads apart from effects, what was left out, and what is not settled. `hide`
    takes secrets away."""
    print(f"\n{say('teach.steps')}")
    rows = [("reads", step) for step in draft.content.plan] + [
        ("changes", step) for step in draft.content.commit
    ]
    lines = [(say(f"teach.{kind}"), _step(step.tool, step.args)) for kind, step in rows]
    lines += [(say("teach.checks"), check_text(check)) for check in draft.content.checks]
    width = max((len(head) for head, _ in lines), default=0)
    for head, text in lines:
        print(f"  {head}{' ' * (width - len(head))}  {one_line(hide(text), MAX_LINE_CHARS)}")
    for text in draft.problems:
        print(f"  {say('teach.problem', text=one_line(hide(text), MAX_LINE_CHARS))}")
    print()


def _step(tool: str, args: Mapping[str, object]) -> str:
    script = args.get("script")
    if tool == "code_run" and isinstance(script, str):
        return script
    shown = ", ".join(str(value) for value in args.values())
    return f"{tool} {shown}"


def show_verdict(verdict: Verdict) -> None:
    """Print a line for each case, and the result of the last one."""
    *lines, last = verdict_lines(verdict)
    for line in lines:
        print(line)
    tried = verdict.cases[-1] if verdict.cases else None
    if tried and tried.passed and tried.outcome:
        for line in tried.outcome.result.splitlines()[:6]:
            print(f"    {one_line(line, MAX_LINE_CHARS)}")
    if verdict.status_after not in PROVEN:
        print(f"  {one_line(last, 300)}")
