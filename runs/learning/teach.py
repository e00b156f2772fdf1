"""Makes an SOP of a run with structured tools, or of a whole sop.yaml; without a screen.

The path: lesson → which values vary → draft → evidence gate → a try in a stage → a second set of
values → one write to the store. Until that write nothing in the store has changed, so whoever stops
on the way leaves it as it was. Source: seed 002 §2, §3; docs/sop-format.md.

    SopwithError
    └── TeachingError    nothing can be learned, or not under this name; says why
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from config import SopwithError
from learning.calls import Run, induce
from learning.cases import read_cases
from learning.draft import Draft, check_name, raw, whole
from learning.folder import fitting_wordings, in_folder, skill_text, to_yaml, written
from learning.judged import retrace, with_script
from learning.trace import Trace, read_trace
from learning.verify import Verdict, prove
from memory.facts import Refusal, check_sop
from memory.history import contents_of
from memory.logs import find_run
from memory.sops import Sop, Status, read_sop
from memory.sops.changing import SopChanges, with_metadata
from replay.parameters import ParameterError
from replay.procedure import Procedure
from runs.learning.asking import script_writer
from runs.parts import SEEDS
from runs.workshop import Workshop

UNUSABLE = (
    "the request cannot be a wording"  # it names a value that no parameter takes, or leaves one out
)
NO_SECOND = "its own values pass; a second, different run must teach it before it runs alone"
MARK = "start_long_term_update"  # a call that is about the run, and no step of it


class TeachingError(SopwithError):
    """Nothing can be learned, or not under this name."""


class NoInstructions(TeachingError):
    """There is no such file."""

    exit_code = 2


@dataclass(slots=True)
class Lesson:
    """A procedure to be made of the `trace` of a run, or a `written` sop.yaml. `request` is how the
    owner will ask for it, empty when nobody has said; `existing` is the SOP that has the name
    now."""

    name: str
    traces: tuple[Trace, ...] = ()
    written: Path | None = None
    request: str = ""
    existing: Sop | None = None

    @property
    def trace(self) -> Trace | None:
        """Return the first of the runs."""
        return self.traces[0] if self.traces else None

    @property
    def run(self) -> str:
        """Return the run that holds it; empty for a text."""
        return self.trace.run if self.trace is not None else ""

    @property
    def cwd(self) -> Path:
        """Return where relative paths start."""
        return self.trace.cwd if self.trace is not None else Path.cwd()


def lesson_from_run(agent: Workshop, name: str, *runs: str) -> Lesson:
    """Return the lesson that finished runs hold; `last` is the newest one that is no trial. Raises
    SopwithError."""
    check_name(name)
    home = agent.config.home
    return Lesson(name, tuple(read_trace(home, find_run(home, run)) for run in runs))


def lesson_from_file(name: str, path: Path) -> Lesson:
    """Return the lesson that written instructions hold. Raises SopwithError."""
    check_name(name)
    return Lesson(name, written=path)


def known(agent: Workshop, name: str) -> Sop | None:
    """Return the SOP that has this name now."""
    agent.sops.reload()
    return agent.sops.get(name)


def values_that_vary(lesson: Lesson) -> dict[str, str]:
    """Name → value of what varies, in the first of the runs."""
    taught = induce(lesson.traces, lesson.name).taught
    return {name: str(value) for name, value in taught[0].values.items()}


def draft_of(
    agent: Workshop,
    lesson: Lesson,
    values: Mapping[str, str] | None = None,
    *,
    spent_usd: float | None = None,
) -> Draft:
    """Return the draft of a lesson. `values`: names for values of the first run. Raises
    SopwithError.

    What was looked up or worked out in a run may become a script, which a configured model is asked
    for; `spent_usd`: as in runs/learning/asking.py.
    """
    if not lesson.traces:
        draft = _read(lesson)
        return _asked_in(draft, lesson.request) if lesson.request else draft
    draft = induce(lesson.traces, lesson.name, wanted=values)
    writer = script_writer(agent, lesson.name, lesson.cwd, spent_usd=spent_usd)
    if draft.problems and writer is not None:
        draft = with_script(draft, lesson.traces, writer)
    return draft


def earned(draft: Draft) -> tuple[Status, str]:
    """Return the status that the runs of a draft have proven, and why it is no more: replayed on
    what their calls answered, it does what they did, and two of them had different values."""
    if not draft.is_settled or not draft.taught:
        return "draft", "; ".join(draft.problems)
    procedure = draft.procedure()
    again = (retrace(procedure, Run.read(each.trace), each.values) for each in draft.taught)
    if why := next(filter(None, again), ""):
        return "draft", why
    first, *others = (taught.values for taught in draft.taught)
    another = [each for each in others if not first or not first.items() <= each.items()]
    if another:
        return "probation", "its runs had different values, and it does what each of them did"
    return "candidate", NO_SECOND


def _read(lesson: Lesson) -> Draft:
    assert lesson.written is not None
    return whole(text_of(lesson.written), lesson.name, lesson.written.name)


def text_of(path: Path) -> str:
    """Return what a file of instructions says. Raises TeachingError."""
    if not path.is_file():
        raise NoInstructions("error.learning.file", path=path)
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TeachingError("error.learning.cannot-read", file=path, error=error) from error


def _asked_in(draft: Draft, request: str) -> Draft:
    """Return the draft with what the owner will say first among its wordings; {names} stand for
    values."""
    if not fitting_wordings([request], draft.content.schema):
        return replace(draft, notes=[*draft.notes, UNUSABLE])
    others = [each for each in draft.content.wordings if each != request]
    draft.content.wordings = [request, *others]
    said = raw(draft.files["sop.yaml"]) | {"wordings": draft.content.wordings}
    skill = skill_text(draft.name, said, draft.problems, f"{request}.")
    return replace(draft, files={**draft.files, "sop.yaml": to_yaml(said), "SKILL.md": skill})


def twin_of(agent: Workshop, draft: Draft) -> Sop | None:
    """Return the SOP of another name that does the same already: a second one would only make
    requests ambiguous."""
    for sop in agent.sops.all():
        is_used = sop.procedure is not None and sop.status not in ("archived", "suspended")
        if is_used and sop.name != draft.name and sop.procedure and _is_same(draft, sop.procedure):
            return sop
    return None


def _is_same(draft: Draft, existing: Procedure) -> bool:
    """Return True where both would do the same with the same values."""
    if draft.content.script or existing.script:
        source = existing.script.source if existing.script else ""
        return bool(source) and draft.files.get(draft.content.script) == source
    steps = [*draft.content.plan, *draft.content.commit]
    ours = [(step.tool, step.args, step.save, step.each) for step in steps]
    theirs = [
        (step.tool, dict(step.args), dict(step.save), step.each)
        for step in existing.steps
        if step.tool and step.id.startswith(("plan", "commit"))
    ]
    return bool(ours) and _shape(ours) == _shape(theirs)


def _shape(steps: Sequence[Any]) -> str:
    """Return steps as text, each name as the number of its first place."""
    text = json.dumps(steps, sort_keys=True, ensure_ascii=False, default=str)
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return f"#{names.setdefault(found[0], len(names))}"

    return re.sub(r"(?<=\{\{)\s*[a-z]\w*|(?<=[=~])[a-z]\w*|(?<=\$)\{?[a-z]\w*\}?", number, text)


def refusals(agent: Workshop, files: Mapping[str, str | bytes], *, is_draft: bool) -> list[Refusal]:
    """Return what the evidence gate has against storing these files."""
    texts = {
        path: text if isinstance(text, str) else text.decode("utf-8", "replace")
        for path, text in files.items()
    }
    return check_sop(texts, agent.config.home, agent.parts.redactor(), is_draft=is_draft)


# proving


@dataclass(slots=True)
class Trial:
    """A draft on its way: its files in a folder of their own, tried there, and its status so
    far."""

    agent: Workshop
    cwd: Path
    sop: Sop

    def prove(self, values: Mapping[str, Any] | None = None) -> Verdict:
        """Try its cases, and `values` beside them, in a stage. What that gives is kept in the
        folder.

        Raises ParameterError for values that it cannot take, SopError.
        """
        verdict = prove(self.sop, values, attempt=self.agent.attempt, cwd=self.cwd)
        files = dict(verdict.files) if verdict.passed else {}
        if verdict.status_after != self.sop.status:
            text = (self.sop.folder / "SKILL.md").read_text("utf-8")
            status = {"sopwith-status": verdict.status_after}
            files["SKILL.md"] = with_metadata(text, status)
        written(self.sop.folder, files)
        self.sop = read_sop(self.sop.folder, False)
        return verdict

    @property
    def has_cases(self) -> bool:
        """Return True when there is something to try already."""
        return any((self.sop.folder / "cases").glob("*.yaml"))

    def forget(self, verdict: Verdict, own: Mapping[str, str]) -> None:
        """Take out the draft's own cases that did not pass: what a demonstration changed cannot be
        done once more.

        Raises TeachingError when a case of the version before fails: then the new one may not take
        its place.
        """
        for result in (each for each in verdict.cases if not each.passed):
            path = f"cases/{result.case.name}.yaml"
            if path not in own:
                raise TeachingError(
                    "error.learning.does-do-any-more",
                    sop=self.sop.name,
                    case=result.case.name,
                    reason=result.reason,
                )
            (self.sop.folder / path).unlink()

    def files(self) -> dict[str, bytes]:
        """Return what the folder holds now."""
        return {path: content.data for path, content in contents_of(self.sop.folder).items()}


@contextmanager
def trial(
    agent: Workshop, files: Mapping[str, str | bytes], name: str, cwd: Path
) -> Iterator[Trial]:
    """Yield a place to try a draft in; it goes away. Raises TeachingError when the draft cannot be
    read back."""
    with in_folder(name, files) as sop:
        if sop.problem:
            raise TeachingError(f"{name}: {sop.problem.replace(f'{sop.folder}/', '')}")
        yield Trial(agent, cwd, sop)


def with_old_cases(draft: Draft, existing: Sop | None) -> tuple[dict[str, str | bytes], list[str]]:
    """Return the draft's files with the cases of the SOP that it follows, and the names of those
    that do not fit it."""
    files: dict[str, str | bytes] = dict(draft.files)
    if existing is None or existing.is_seed or existing.procedure is None:
        return files, []
    procedure, unfit = draft.procedure(), []
    number = sum(path.startswith("cases/") for path in files)
    for case in read_cases(existing.folder):
        try:
            procedure.bind(case.parameters, Path(case.cwd or "/"))
        except ParameterError:
            unfit.append(case.name)
            continue
        number += 1
        files |= replace(case, name=f"case-{number}").files()
    for path, content in contents_of(existing.folder).items():
        if path.startswith("references/"):
            files.setdefault(path, content.data)
    return files, unfit


# storing


def store(
    agent: Workshop, lesson: Lesson, files: Mapping[str, str | bytes], status: Status, reason: str
) -> Sop:
    """Write the SOP, unless somebody changed the name's SOP since the lesson began. Raises
    SopConflict, SopError."""
    existing = lesson.existing
    version = existing.version if existing is not None and existing.description else 0
    about: dict[str, Any] = {
        "reason": reason,
        "run": lesson.run or None,
        "expects_version": version,
    }
    sop = SopChanges(agent.config.home, SEEDS).write(lesson.name, files, status=status, **about)
    agent.sops.reload()
    return sop
