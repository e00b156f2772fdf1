"""Induce the draft of an SOP from what one or several runs of the same task did with tools that
cannot be staged.

Reads become the plan, writes the commit; each argument is the same in all runs, stands in the
requests, or is looked up in an earlier answer by what its row says. What nothing explains is said,
and the draft stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from learning.calls import requests
from learning.calls.book import Book
from learning.calls.checks import Writing, echoes, expect_rows, expect_states
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
USES = r"\{\{NAME\}\}|[=~]\s*NAME\b|'each': 'NAME'|'min_count': {[^}]*'NAME'"
FILES = ("file_write", "file_patch", "file_trash", "code_run")


def induce(traces: Sequence[Trace], name: str, *, wanted: Mapping[str, str] | None = None) -> Draft:
    """Return the draft that the runs teach. `wanted`: names that the owner gave to values of the
    first run.

    Raises LearningError where a run holds nothing that can be learned.
    """
    check_name(name)
    runs = [Run.read(trace) for trace in traces]
    for run in runs:
        _check(run)
    named = {str(value): key for key, value in (wanted or {}).items()}
    return _Induced(name, runs, Book(runs, named)).draft()


def _check(run: Run) -> None:
    if run.trace.status != "done":
        raise LearningError(
            "error.calls.run-did-end-well", run=run.trace.run, status=run.trace.status
        )
    if not run.plan and not run.writes:
        raise LearningError("error.calls.run-did-nothing-could", run=run.trace.run)


class _Induced:
    """One induction, from runs to a draft."""

    def __init__(self, name: str, runs: Sequence[Run], book: Book) -> None:
        self.name, self.runs, self.book = name, runs, book
        self.steps, self.values = Steps(book), Values(book)
        self.content = Content()
        self.problems: list[str] = []
        self.notes: list[str] = []

    def draft(self) -> Draft:
        """Return the draft with all that is known."""
        self._plan()
        before = list(self.book.sources)
        self._commit()
        writes = self.book.sources[len(before) :]
        self._result()
        for write in writes:
            echoes(self.book, write)
        self.content.checks = Writing(self.book, before, writes).checks()
        expect_states(self.book, before, is_changed=bool(writes))
        expect_rows(self.book, before, writes)
        self._leave_out_unused()
        self._read_again()
        self._parameters()
        self.content.effects = self._effects()
        taught = [
            Taught(run.trace, self.book.taught(n), self._origins())
            for n, run in enumerate(self.runs)
        ]
        return write_draft(
            self.name,
            self.content,
            taught,
            description=requests.described(self.runs[0].request, self.book.taught(0)),
            problems=self.problems,
            notes=self.notes,
        )

    def _plan(self) -> None:
        """Add the reads that all runs share. One that nothing explains is left out: what needs it
        will say so."""
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
        groups = _in_order([run.writes for run in self.runs])
        if groups is None:
            told = [", ".join(call.tool for call in run.writes) or "nothing" for run in self.runs]
            raise LearningError(f"{OTHER_STEPS}: {' / '.join(told)}.")
        for group in groups:
            try:
                self.content.commit += self.steps.writes(group)
            except Unexplained as why:
                self.problems.append(f"{UNSOLVED}: {why}")

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
        """Take out what is saved and never used."""
        texts = repr(self.content.as_yaml())
        for source in self.book.sources:
            used = {name: text for name, text in source.step.save.items() if _uses(texts, name)}
            source.step.save = used

    def _read_again(self) -> None:
        """Read once more what holds a list that several fields pick: they must agree on it."""
        for source, name, doubles in self.book.again:
            if name in source.step.save:
                fields = {
                    f"all {each.partition('json')[2].removeprefix('.')}": f"{{{{{name}}}}}"
                    for each in doubles
                }
                at = next(n for n, each in enumerate(self.content.plan) if each is source.step)
                step = DraftStep(source.step.tool, source.step.args, {"fields": fields})
                self.content.plan.insert(at + 1, step)

    def _parameters(self) -> None:
        for name, kind in self.book.parameters.items():
            self.content.parameters[name] = _schema(kind, self.book.known[name])
        self.content.wordings = self._wordings()

    def _wordings(self) -> list[str]:
        schema = self.content.schema
        shapes = {
            name: ":words"
            for name, kind in self.book.parameters.items()
            if any(" " in str(value) or isinstance(value, list) for value in self.book.known[name])
            or (kind == "string" and self._is_looked_up(name))
        }
        asked = [
            requests.slotted(run.request, self._spans(n), shapes) for n, run in enumerate(self.runs)
        ]
        plain = " ".join(
            [
                self.name.replace("-", " "),
                *(f"{n} {{{n}{shapes.get(n, '')}}}" for n in self.content.parameters),
            ]
        )
        return fitting_wordings(asked, schema) or fitting_wordings([plain], schema)

    def _is_looked_up(self, name: str) -> bool:
        """Return True for a name or a title that a read must find: in more words than here it is
        found, or it stops."""
        is_plain = all(str(value).isalpha() for value in self.book.known[name])
        texts = repr([step.as_yaml() for step in self.content.plan])
        return is_plain and _uses(texts, name)

    def _spans(self, n: int) -> dict[str, tuple[int, int]]:
        """Return where each value stands in a request; a list from its first item to its last,
        where only commas are between."""
        own, text = self.book.spans[n].items(), self.runs[n].request
        return {name: (spans[0][0], spans[-1][1]) for name, spans in own if _is_one(text, spans)}

    def _effects(self) -> str:
        """Return how far it reaches: who asks a server or the web only looks, and yet leaves this
        machine."""
        tools = {call.tool for run in self.runs for call in (*run.plan, *run.writes)}
        if not tools <= {*FILES, "file_read"}:
            return "external"
        return "local" if any(run.writes for run in self.runs) else "none"

    def _origins(self) -> list[dict[str, Any]]:
        steps = [*self.content.plan, *self.content.commit]
        return [
            {"step": n, "tool": step.tool, "arguments": step.args}
            for n, step in enumerate(steps, 1)
        ]


def _is_one(text: str, spans: Sequence[requests.Span]) -> bool:
    gaps = [text[one[1] : two[0]] for one, two in pairwise(spans)]
    return all(BETWEEN.fullmatch(gap) for gap in gaps)


def _schema(kind: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return the schema of a parameter that had these values."""
    if kind == "array":
        return {"type": kind, "items": {"type": "string"}}
    return {"type": kind} if kind != "string" else _text_schema(values)


def _text_schema(values: Sequence[str]) -> dict[str, Any]:
    for sort, start in FORMATS.items():
        if all(re.match(start, value) for value in values):
            return {"type": "string", "format": sort}
    schema: dict[str, Any] = {"type": "string", "minLength": 1}
    is_one = len(values) > 1 and len(set(values)) == 1
    if is_one and LITERAL.search(values[0]):
        schema["enum"] = [values[0]]  # no run was asked with another one
    cautious = [text for text in values if " " in text and is_cautious(text)]
    return {**schema, "examples": cautious} if cautious else schema


def _uses(texts: str, name: str) -> bool:
    """Return True where a template, a row, a loop or a count has a name."""
    return re.search(USES.replace("NAME", name), texts) is not None


def _in_order(runs: Sequence[Sequence[Call]]) -> list[Group] | None:
    """Return the writes of all runs step by step, calls of one tool that follow each other
    together; None where they differ."""
    folded = [list(_folded(run)) for run in runs]
    tools = [[calls[0].tool for calls in run] for run in folded]
    if any(other != tools[0] for other in tools):
        return None
    return list(zip(*folded, strict=True))


def _folded(calls: Sequence[Call]) -> Iterator[tuple[Call, ...]]:
    from itertools import groupby

    for tool, same in groupby(calls, key=lambda call: call.tool):
        if tool in (SCAN, ACT):
            yield from ((call,) for call in same)
        else:
            yield tuple(same)
