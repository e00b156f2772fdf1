"""Induce the draft of an SOP from what one or several runs of the same task did with tools that
cannot be staged.

Reads become the plan, writes the commit; each argument is the same in all runs, stands in the
requests, or is looked up in an earlier answer by what its row says. What nothing explains is said,
and the draft stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from learning.calls import requests
from learning.calls.book import Book, path_of, slot
from learning.calls.checks import Writing, echoes, expect_rows, expect_states
from learning.calls.places import differ
from learning.calls.runs import ACT, SCAN, Call, Group, Run, by_tool
from learning.calls.steps import Steps
from learning.calls.values import Unexplained, Values
from learning.draft import Content, Draft, DraftStep, LearningError, Taught, check_name, write_draft
from learning.folder import fitting_wordings
from learning.route.typed import BETWEEN, is_cautious
from learning.trace import Trace
from replay.wordings import LITERAL

UNSOLVED = "a value was looked up or worked out, and steps cannot say how"
OTHER_STEPS = "The runs do not change the same things, and what decides between them is not known"
FORMATS = {"url": r"https?://", "path": r"~?/"}
COMMAS = ",，、;；"
USES = r"\{\{NAME\}\}|[=~]\s*NAME\b|'each': 'NAME'|'min_count': {[^}]*'NAME'"
FILES = ("file_write", "file_patch", "file_trash", "code_run")


def induce(traces: Sequence[Trace], name: str, *, wanted: Mapping[str, str] | None = None) -> Draft:
    """Return the draft that the runs teach. `wanted`: names that the owner gave to values of the
    first run.

    Raises LearningError where a run holds nothing that can be learned.
    """
    check_name(name)
    runs = [Run.read(trace) for trace in traces]
    for run, trace in zip(runs, traces, strict=True):
        if trace.status != "done":
            key = "error.calls.run-did-end-well"
            raise LearningError(key, run=trace.run, status=trace.status)
        if not (run.plan or run.writes):
            raise LearningError("error.calls.run-did-nothing-could", run=trace.run)
    named = {str(value): key for key, value in (wanted or {}).items()}
    return _Induced(name, runs, Book(runs, named)).draft()


class _Induced:
    """One induction, from runs to a draft."""

    def __init__(self, name: str, runs: Sequence[Run], book: Book) -> None:
        self.name, self.runs, self.book = name, runs, book
        self.steps, self.values = Steps(book), Values(book)
        self.content = Content()
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.late: list[DraftStep] = []  # reads behind the first write

    def draft(self) -> Draft:
        """Return the draft with all that is known."""
        self._plan()
        before = list(self.book.sources)
        self._commit()
        after = self.book.sources[len(before) :]
        writes = [source for source in after if not self._is_late(source.step)]
        self._result()
        for write in writes:
            echoes(self.book, write)
        self.content.checks = Writing(self.book, before, writes).checks()
        expect_states(self.book, before, is_changed=bool(writes))
        expect_rows(self.book, before, writes)
        self._leave_out_unused()
        self._read_again()
        for name, kind in self.book.parameters.items():
            self.content.parameters[name] = _schema(kind, self.book.known[name])
        self.content.wordings = self._wordings()
        self.content.effects = self._effects()
        steps = enumerate([*self.content.plan, *self.content.commit], 1)
        origins = [{"step": n, "tool": step.tool, "arguments": step.args} for n, step in steps]
        values = list(map(self.book.taught, range(len(self.runs))))
        pairs = zip(self.runs, values, strict=True)
        return write_draft(
            self.name,
            self.content,
            [Taught(run.trace, own, origins) for run, own in pairs],
            description=requests.described(self.runs[0].request, values[0]),
            problems=self.problems,
            notes=self.notes,
        )

    def _plan(self) -> None:
        """Add the reads that all runs share; what needs one that is left out will say so."""
        waiting = by_tool([run.plan for run in self.runs])
        known = -1
        while waiting and known != len(self.content.plan):
            known, self.notes = len(self.content.plan), []
            waiting = [group for group in waiting if not self._added(group)]

    def _added(self, group: Group) -> bool:
        try:
            self.content.plan += self.steps.reads(group)
        except Unexplained as why:
            self.notes.append(f"{group[0][0].tool} was left out: {why}")
            return False
        return True

    def _commit(self) -> None:
        """Add the writes, and the reads behind the first one where the runs have the same."""
        groups = _in_order([run.acts for run in self.runs])
        groups = groups or _in_order([run.writes for run in self.runs])
        if groups is None:
            told = [", ".join(call.tool for call in run.writes) or "nothing" for run in self.runs]
            raise LearningError(f"{OTHER_STEPS}: {' / '.join(told)}.")
        for group in groups:
            is_late = group[0][0] not in self.runs[0].writes
            add = self._read_late if is_late else self._write
            try:
                add(group)
            except Unexplained as why:
                (self.notes if is_late else self.problems).append(f"{UNSOLVED}: {why}")

    def _write(self, group: Group) -> None:
        self.content.commit += self.steps.writes(group)

    def _read_late(self, group: Group) -> None:
        steps = self.steps.reads(group)
        self.late += steps
        self.content.commit += steps

    def _result(self) -> None:
        answers = [run.trace.answer.strip() for run in self.runs]
        is_question = not any(run.writes for run in self.runs)
        try:
            self.content.result = self.values.answer(answers, is_question=is_question)
        except Unexplained as why:
            self.content.result = {"en": "Done.", "zh": "完成。"}
            if is_question:
                self.problems.append(f"{UNSOLVED}: {why}")

    def _leave_out_unused(self) -> None:
        """Take out what is saved and never used, and late reads that nothing needs."""
        for source in reversed(self.book.sources):
            step, texts = source.step, repr(self.content.as_yaml())
            step.save = {name: text for name, text in step.save.items() if _uses(texts, name)}
            if self._is_late(step) and not step.save and "fields" not in step.expect:
                self.content.commit = [each for each in self.content.commit if each is not step]

    def _is_late(self, step: DraftStep) -> bool:
        return any(each is step for each in self.late)

    def _read_again(self) -> None:
        """Read once more what holds a list that several fields pick: they must agree on it."""
        for source, name, doubles in self.book.again:
            if name in source.step.save:
                fields = {f"all {path_of(each)}": slot(name) for each in doubles}
                at = next(n for n, each in enumerate(self.content.plan) if each is source.step)
                step = DraftStep(source.step.tool, source.step.args, {"fields": fields})
                self.content.plan.insert(at + 1, step)

    def _wordings(self) -> list[str]:
        names = self.book.parameters
        shapes = {name: ":words" for name in names if self._may_be_longer(name)}
        asked = [
            requests.slotted(run.request, self._spans(n), shapes) for n, run in enumerate(self.runs)
        ]
        slots = [f"{name} {{{name}{shapes.get(name, '')}}}" for name in names]
        plain = " ".join([self.name.replace("-", " "), *slots])
        schema = self.content.schema
        return fitting_wordings(asked, schema) or fitting_wordings([plain], schema)

    def _may_be_longer(self, name: str) -> bool:
        """Return True for several words, and for a name that a read must find, or it stops."""
        values = self.book.known[name]
        if any(isinstance(value, list) or " " in str(value) for value in values):
            return True
        if all(self._is_set_off(n, name) for n in range(len(self.runs))):
            return True
        if not all(isinstance(value, str) and value.isalpha() for value in values):
            return False
        return _uses(repr([step.as_yaml() for step in self.content.plan]), name)

    def _is_set_off(self, n: int, name: str) -> bool:
        """Return True for a plain word between commas, or between one and the end."""
        if name not in (spans := self._spans(n)) or not str(self.book.known[name][n]).isalpha():
            return False
        text, (start, end) = self.runs[n].request, spans[name]
        signs = text[:start].rstrip()[-1:] + text[end:].strip(" .!?")[:1]
        return signs != "" and set(signs) <= set(COMMAS)

    def _spans(self, n: int) -> dict[str, tuple[int, int]]:
        """Return where each value stands in a request; a list only where it is one."""
        own, text = self.book.spans[n].items(), self.runs[n].request
        return {name: (spans[0][0], spans[-1][1]) for name, spans in own if _is_one(text, spans)}

    def _effects(self) -> str:
        """Return how far it reaches: to look at a server or the web leaves this machine, too."""
        tools = {call.tool for run in self.runs for call in (*run.plan, *run.writes)}
        if not tools <= {*FILES, "file_read"}:
            return "external"
        return "local" if any(run.writes for run in self.runs) else "none"


def _is_one(text: str, spans: Sequence[requests.Span]) -> bool:
    gaps = [text[one[1] : two[0]] for one, two in pairwise(spans)]
    return all(BETWEEN.fullmatch(gap) for gap in gaps)


def _schema(kind: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return the schema of a parameter that had these values."""
    if kind == "array":
        return {"type": kind, "items": {"type": "string"}}
    return {"type": kind} | (_form(values) if kind == "string" else {})


def _form(values: Sequence[str]) -> dict[str, Any]:
    """Return what else a schema says of texts."""
    for sort, start in FORMATS.items():
        if all(re.match(start, value) for value in values):
            return {"format": sort}
    form: dict[str, Any] = {"minLength": 1}
    if len(values) > len(set(values)) == 1 and LITERAL.search(values[0]):
        form["enum"] = [values[0]]  # no run was asked with another one
    cautious = [text for text in values if " " in text and is_cautious(text)]
    return {**form, "examples": cautious} if cautious else form


def _uses(texts: str, name: str) -> bool:
    """Return True where a template, a row, a loop or a count has a name."""
    return re.search(USES.replace("NAME", name), texts) is not None


def _in_order(runs: Sequence[Sequence[Call]]) -> list[Group] | None:
    """Return the writes of all runs step by step, calls of one tool that follow each other
    together; None where they differ."""
    folded = [list(_folded(run)) for run in runs]
    is_same = not differ([[calls[0].tool for calls in run] for run in folded])
    return list(zip(*folded, strict=True)) if is_same else None


def _folded(calls: Sequence[Call]) -> Iterator[tuple[Call, ...]]:
    for tool, same in groupby(calls, key=lambda call: call.tool):
        if tool in (SCAN, ACT):
            yield from ((call,) for call in same)
        else:
            yield tuple(same)
