"""Makes an SOP of a run with structured tools, or of a whole sop.yaml; without a screen.

The path: lesson → which values vary → draft → evidence gate → replay in a scratch copy → a second set of values → one
write to the store. Until that write nothing in the store has changed, so whoever stops on the way leaves it as it was.
Source: seed 002 §2, §3; docs/sop-format.md.

    SopwithError
    └── TeachingError    nothing can be learned, or not under this name; says why
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from config import SopwithError
from learning.authoring import Sketch, with_words
from learning.calls import Run, induce, spans
from learning.cases import free_name, read_cases
from learning.draft import Draft, check_name, skill_text, to_yaml
from learning.folder import fitting_wordings
from learning.guards import evidence, signatures
from learning.judged import is_same, retrace, with_script
from learning.scratch import scratch_folder
from learning.trace import Trace, read_trace
from learning.verify import Verdict, prove
from learning.whole import whole
from memory.facts import Refusal, check_sop
from memory.history import contents_of
from memory.logs import find_run
from memory.sops import Sop, Status, read_sop
from memory.sops.changing import SopChanges, with_metadata
from replay.parameters import ParameterError
from replay.procedure import SLOT, Procedure, ProcedureError
from runs.learning.authoring import author, script_writer, with_cost
from runs.parts import SEEDS
from runs.workshop import Workshop as Agent

NO_CHECK = (
    "nothing proves that it worked"  # how the problem begins that a check of the owner's settles
)
UNUSABLE = (
    "the request cannot be a wording"  # it names a value that no parameter takes, or leaves one out
)
MARK = "start_long_term_update"  # a call that is about the run, and no step of it


class TeachingError(SopwithError):
    """Nothing can be learned, or not under this name."""


class NoInstructions(TeachingError):
    """There is no such file."""

    exit_code = 2


@dataclass(slots=True)
class Lesson:
    """A procedure to be made of the `trace` of a run, or a `written` sop.yaml. `request` is how the owner will ask for it,
    empty when nobody has said; `existing` is the SOP that has the name now."""

    name: str
    traces: tuple[Trace, ...] = ()
    written: Path | None = None
    request: str = ""
    existing: Sop | None = None

    @property
    def trace(self) -> Trace | None:
        """The first of the runs."""
        return self.traces[0] if self.traces else None

    @property
    def run(self) -> str:
        """The run that holds it; empty for a text."""
        return self.trace.run if self.trace is not None else ""

    @property
    def cwd(self) -> Path:
        """Where relative paths start."""
        return self.trace.cwd if self.trace is not None else Path.cwd()


def lesson_from_run(agent: Agent, name: str, *runs: str) -> Lesson:
    """The lesson that finished runs hold; `last` is the newest one that is no trial. Raises SopwithError."""
    check_name(name)
    home = agent.config.home
    return Lesson(name, tuple(read_trace(home, find_run(home, run)) for run in runs))


def lesson_from_file(name: str, path: Path) -> Lesson:
    """The lesson that written instructions hold. Raises SopwithError."""
    check_name(name)
    if not path.is_file():
        raise NoInstructions(f"there is no file {path}.")
    return Lesson(name, written=path)


def known(agent: Agent, name: str) -> Sop | None:
    """The SOP that has this name now."""
    agent.sops.reload()
    return agent.sops.get(name)


def values_that_vary(lesson: Lesson) -> dict[str, str]:
    """Name → value of what varies, in the first of the runs."""
    taught = induce(lesson.traces, lesson.name).taught
    return {name: str(value) for name, value in taught[0].values.items()}


def draft_of(
    agent: Agent,
    lesson: Lesson,
    values: Mapping[str, str] | None = None,
    *,
    spent_usd: float | None = None,
) -> Draft:
    """The draft of a lesson. `values`: names for values of the first run. Raises SopwithError.

    What was looked up or worked out in a run may become a script, which a configured model is asked for; `spent_usd`: as
    in runs/learning/authoring.py.
    """
    if not lesson.traces:
        draft = _read(lesson)
        return _asked_in(draft, lesson.request) if lesson.request else draft
    draft = induce(lesson.traces, lesson.name, wanted=values)
    writer = script_writer(agent, lesson.name, lesson.cwd, spent_usd=spent_usd)
    if draft.problems and writer is not None:
        draft = writer.noted(with_script(draft, lesson.traces, writer))
    return draft


def earned(draft: Draft) -> tuple[Status, str]:
    """The status that the runs of a draft have proven, and why it is no more: replayed on what their calls answered, it
    does what they did, and two of them had different values."""
    if not draft.is_settled or not draft.taught:
        return "draft", "; ".join(draft.problems)
    procedure = draft.procedure()
    for taught in draft.taught:
        if why := retrace(procedure, Run.read(taught.trace), taught.values):
            return "draft", why
    sets = [taught.values for taught in draft.taught]
    names = [name for name in sets[0] if not _is_constant(name, sets)]
    if len(sets) > 1 and (names or not sets[0]):
        return "probation", "its runs had different values, and it does what each of them did"
    return (
        "candidate",
        "its own values pass; a second, different run must teach it before it runs alone",
    )


def _is_constant(name: str, sets: list[dict[str, Any]]) -> bool:
    return all(each.get(name) == sets[0][name] for each in sets)


def _read(lesson: Lesson) -> Draft:
    assert lesson.written is not None
    return whole(text_of(lesson.written), lesson.name, lesson.written.name)


def text_of(path: Path) -> str:
    """Return what a file of instructions says. Raises TeachingError."""
    if not path.is_file():
        raise NoInstructions(f"there is no file {path}.")
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TeachingError(f"{path} cannot be read: {error}") from error


def _asked_in(draft: Draft, request: str) -> Draft:
    """The draft with what the owner will say first among its wordings; {names} stand for values."""
    schema = draft.content.as_yaml().get("parameters", {})
    if not fitting_wordings([request], schema):
        return replace(draft, notes=[*draft.notes, UNUSABLE])
    others = [each for each in draft.content.wordings if each != request]
    draft.content.wordings = [request, *others]
    asked = _with_steps(draft, wordings=draft.content.wordings)
    described = f"{request[:1].upper()}{request[1:]}."
    asked.files["SKILL.md"] = skill_text(
        draft.name, described, draft.content, draft.slots, draft.problems
    )
    return asked


def _with_steps(draft: Draft, **changed: Any) -> Draft:
    """The draft with other values of some keys of sop.yaml; what its author wrote stays."""
    import yaml

    known = yaml.safe_load(draft.files["sop.yaml"])
    return replace(draft, files={**draft.files, "sop.yaml": to_yaml({**known, **changed})})


def has_no_check(draft: Draft) -> bool:
    """True when nothing stands between the draft and a trial but that no check proves what it changed."""
    return not draft.slots and len(draft.problems) == 1 and draft.problems[0].startswith(NO_CHECK)


def with_check(draft: Draft, command: str) -> Draft:
    """The draft with a check of the owner's. Raises ProcedureError when it cannot be one."""
    draft.content.checks = [{"command": command}]
    checked = replace(_with_steps(draft, checks=draft.content.checks), problems=[])
    checked.procedure()
    description = (
        SLOT.sub(lambda slot: f"{{{slot[1]}}}", " ".join(draft.content.wordings[:1])) or draft.name
    )
    checked.files["SKILL.md"] = skill_text(draft.name, description, draft.content)
    return checked


def in_words(
    agent: Agent, draft: Draft, cwd: Path, *, spent_usd: float | None = None
) -> tuple[Draft, str]:
    """Return the draft in a configured model's words, and a line on what came of it; "" when none was asked."""
    try:
        procedure = draft.procedure()
    except ProcedureError:  # there is nothing to describe yet
        return draft, ""
    taught = draft.taught[0] if draft.taught else None
    steps = [
        f"{kind}: {step.tool} {step.args.get('script') or json.dumps(step.args, ensure_ascii=False)}"
        for kind in ("plan", "commit")
        for step in getattr(draft.content, kind)
    ]
    trace = taught.trace if taught else None
    sketch = Sketch(
        draft.name,
        trace.request if trace else "",
        procedure,
        taught.values if taught else {},
        steps,
        trace.answer if trace else "",
    )
    made = author(agent, sketch, cwd, spent_usd=spent_usd)
    if made is None:
        return draft, ""
    if made.run:
        draft = with_cost(draft, made.run)
    if not made.words.is_empty:
        draft = replace(draft, files=with_words(draft.files, made.words))
    return draft, made.line(agent.config.lang)


def unsaid(lesson: Lesson, request: str, values: Mapping[str, str]) -> list[str]:
    """The values that a request does not name, by name: such a request could not be done by rote."""
    return [name for name, value in values.items() if not spans(request, value, True)]


def twin_of(agent: Agent, draft: Draft) -> Sop | None:
    """The SOP of another name that does the same already: a second one would only make requests ambiguous."""
    for sop in agent.sops.all():
        is_used = sop.procedure is not None and sop.status not in ("archived", "suspended")
        if is_used and sop.name != draft.name and sop.procedure and is_same(draft, sop.procedure):
            return sop
    return None


def refusals(agent: Agent, files: Mapping[str, str | bytes], *, is_draft: bool) -> list[Refusal]:
    """Return what the evidence gate has against storing these files."""
    texts = {
        path: text if isinstance(text, str) else text.decode("utf-8", "replace")
        for path, text in files.items()
    }
    return check_sop(texts, agent.config.home, agent.parts.redactor(), is_draft=is_draft)


# proving


@dataclass(slots=True)
class Trial:
    """A draft on its way: its files in a folder of their own, tried there, and its status so far."""

    agent: Agent
    folder: Path
    cwd: Path
    sop: Sop

    def prove(self, values: Mapping[str, Any] | None = None) -> Verdict:
        """Replays its cases, and `values` beside them, in scratch copies. What that gives is kept in the folder.

        Raises ParameterError for values that it cannot take, SopError.
        """
        verdict = prove(self.sop, values, replay=self.agent.replay, cwd=self.cwd)
        if verdict.passed:
            _write(self.folder, verdict.files)
        if verdict.status_after != self.sop.status:
            skill = self.folder / "SKILL.md"
            text = with_metadata(skill.read_text("utf-8"), {"sopwith-status": verdict.status_after})
            skill.write_text(text, "utf-8")
        self.sop = read_sop(self.folder, False)
        return verdict

    @property
    def has_cases(self) -> bool:
        """True when there is something to try already."""
        return any((self.folder / "cases").glob("*.yaml"))

    def forget(self, verdict: Verdict, own: Mapping[str, str]) -> None:
        """Takes out the draft's own cases that did not pass: what a demonstration changed cannot be done once more.

        Raises TeachingError when a case of the version before fails: then the new one may not take its place.
        """
        for result in verdict.cases:
            if result.passed:
                continue
            if f"cases/{result.case.name}.yaml" not in own:
                raise TeachingError(
                    f"{self.sop.name} does not do any more what it did: {result.case.name}: {result.reason}.\n"
                    "Nothing was stored. Teach it under another name, or disable the old one first."
                )
            (self.folder / f"cases/{result.case.name}.yaml").unlink()

    def files(self) -> dict[str, bytes]:
        """Return what the folder holds now."""
        return {path: content.data for path, content in contents_of(self.folder).items()}


@contextmanager
def trial(agent: Agent, files: Mapping[str, str | bytes], name: str, cwd: Path) -> Iterator[Trial]:
    """A place to try a draft in; it goes away. Raises TeachingError when the draft cannot be read back."""
    with scratch_folder() as place:
        folder = place / name
        _write(folder, files)
        sop = read_sop(folder, False)
        if sop.problem:
            raise TeachingError(f"{name}: {sop.problem.replace(f'{folder}/', '')}")
        if sop.procedure is not None:
            _write(folder, tools_as_they_are(agent, sop.procedure, evidence(sop.folder)))
        yield Trial(agent, folder, cwd, sop)


def tools_as_they_are(
    agent: Agent, procedure: Procedure, found: Mapping[str, Any]
) -> dict[str, str]:
    """evidence.json with the signatures of the tools that the SOP calls: one that is not tried on a copy has them, too.
    `found` is what it holds; nothing comes of one that names no run or has them already."""
    if "runs" not in found or "tools" in found:
        return {}
    source = procedure.script.source if procedure.script else ""
    called = {result["tool"] for run in found["runs"] for result in run.get("results", ())}
    used = {
        *(step.tool for step in procedure.steps if step.tool),
        *(tool for tool in called if f'"{tool}"' in source),
    }
    tools = signatures(procedure, agent.parts.schemas(used), used)
    return (
        {
            "evidence.json": json.dumps({**found, "tools": tools}, ensure_ascii=False, indent=1)
            + "\n"
        }
        if tools
        else {}
    )


def _write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)


def with_old_cases(draft: Draft, existing: Sop | None) -> tuple[dict[str, str | bytes], list[str]]:
    """The draft's files with the cases and wordings of the SOP that it follows, and the cases that do not fit it."""
    files: dict[str, str | bytes] = dict(draft.files)
    if existing is None or existing.is_seed or existing.procedure is None:
        return files, []
    old = {path: content.data for path, content in contents_of(existing.folder).items()}
    procedure, unfit = draft.procedure(), []
    with scratch_folder() as place:
        folder = place / draft.name
        _write(
            folder, {path: text for path, text in draft.files.items() if path.startswith("cases/")}
        )
        for case in read_cases(existing.folder):
            try:
                procedure.bind(case.parameters, Path(case.cwd or "/"))
            except ParameterError:
                unfit.append(case.name)
                continue
            due = {
                key: value for key, value in case.expect.items() if key != "steps" or not case.run
            }
            kept = replace(
                case, name=free_name(read_cases(folder)), expect=due
            )  # it may take other steps to the same
            _write(folder, kept.files())
        files |= {path: content.data for path, content in contents_of(folder).items()}
    files |= {
        path: data
        for path, data in old.items()
        if path.startswith("references/") and path not in files
    }
    return files, unfit


# storing


def store(
    agent: Agent, lesson: Lesson, files: Mapping[str, str | bytes], status: Status, reason: str
) -> Sop:
    """Writes the SOP, unless somebody changed the name's SOP since the lesson began. Raises SopConflict, SopError."""
    changes = SopChanges(agent.config.home, SEEDS)
    version = (
        lesson.existing.version
        if lesson.existing is not None and lesson.existing.description
        else 0
    )
    sop = changes.write(
        lesson.name,
        files,
        reason=reason,
        run=lesson.run or None,
        status=status,
        expects_version=version,
    )
    agent.sops.reload()
    return sop
