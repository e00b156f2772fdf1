"""Makes an SOP of something that was done once: a run, a recording, or written instructions; without a screen.

The path: lesson → which values vary → draft → evidence gate → replay in a scratch copy → a second set of values → one
write to the store. Until that write nothing in the store has changed, so whoever stops on the way leaves it as it was.
Source: seed 002 §2, §3; docs/sop-format.md.

    SopwithError
    └── TeachingError    nothing can be learned, or not under this name; says why
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from config import SopwithError
from learning.cases import free_name, read_cases
from learning.crystallise import crystallise, guesses, recorded, same_procedure
from learning.demonstration import Command, commands_that_count
from learning.draft import Draft, check_name, skill_text, to_yaml
from learning.from_text import from_text
from learning.guards import evidence, signatures
from learning.mentions import Mention, given, mentions_in, merged
from learning.scratch import scratch_folder
from learning.trace import Trace, read_trace
from learning.verify import Verdict, prove
from learning.wordings import keep_endings, wordings_of
from memory.facts.policy import Keeping, Refusal, check_sop
from memory.home.repository import contents_of
from memory.runlog.log import RunLogError, find_run, read_events
from memory.sops.changes import SopChanges
from memory.sops.front_matter import with_metadata
from memory.sops.store import Sop, Status, read_sop
from replay.parameters import ParameterError
from replay.procedure import SLOT, Procedure, ProcedureError
from runs.learning.authoring import ScriptWriter, script_writer
from runs.parts import SEEDS
from runs.workshop import Workshop as Agent

NO_CHECK = (
    "nothing proves that it worked"  # how the problem begins that a check of the owner's settles
)
NO_VALUES = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr")
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
    """Hold what is to become an SOP: the `trace` of a run, or a `written` file. `commands` are
    those of a recording, kept or left out; `request` is how the owner will ask for it, empty
    when nobody has said; `existing` is the SOP that has the name now."""

    name: str
    trace: Trace | None = None
    written: Path | None = None
    commands: list[Command] = field(default_factory=list)
    request: str = ""
    existing: Sop | None = None

    @property
    def is_recording(self) -> bool:
        """True when the owner did it by hand."""
        return self.trace is not None and self.trace.taught is not None

    @property
    def run(self) -> str:
        """The run that holds it; empty for a text."""
        return self.trace.run if self.trace is not None else ""

    @property
    def cwd(self) -> Path:
        """Where relative paths start."""
        return self.trace.cwd if self.trace is not None else Path.cwd()


def lesson_from_run(agent: Agent, name: str, run: str) -> Lesson:
    """The lesson that a finished run holds; `last` is the newest one that is no trial. Raises SopwithError."""
    check_name(name)
    home = agent.config.home
    run = find_run(home, run)
    trace = read_trace(home, run)
    trace = replace(trace, calls=tuple(call for call in trace.calls if call.tool != MARK))
    commands = commands_that_count(read_events(home, run)) if trace.taught is not None else []
    return Lesson(name, trace, commands=commands)


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


def values_that_vary(agent: Agent, lesson: Lesson) -> dict[str, str]:
    """Name → value of what may vary: guessed from the commands of a recording, read from the request of a run."""
    trace = _what_happened(lesson)
    if trace is None:
        return {}
    if lesson.is_recording:
        found = guesses(_without_looks(agent, lesson, trace), Path.home())
        return {slot.name: slot.text for slot in found if slot.text not in NO_VALUES}
    draft = _crystallised(agent, lesson, trace, None)
    return {
        name: str(value) for name, value in (draft.taught[0].values if draft.taught else {}).items()
    }


def _without_looks(agent: Agent, lesson: Lesson, trace: Trace) -> Trace:
    """The trace with the calls alone that become steps."""
    content = _crystallised(agent, lesson, trace, {}).content
    kept = {number for step in (*content.plan, *content.commit) for number in step.calls}
    return replace(
        trace, calls=tuple(call for number, call in enumerate(trace.calls) if number in kept)
    )


def draft_of(
    agent: Agent,
    lesson: Lesson,
    values: Mapping[str, str] | None = None,
    *,
    spent_usd: float | None = None,
) -> Draft:
    """The draft of a lesson. `values`: name → the value that it had; None: what the request says. Raises SopwithError.

    What was looked up or worked out in a run may become a script, which a configured model is asked for; `spent_usd`: as
    in runs/learning/authoring.py.
    """
    trace = _what_happened(lesson)
    if trace is None:
        draft = _read(agent, lesson)
    else:
        writer = script_writer(agent, lesson.name, lesson.cwd, spent_usd=spent_usd)
        draft = _crystallised(agent, lesson, trace, values, writer)
        draft = writer.noted(draft) if writer else draft
    if lesson.request and (lesson.is_recording or trace is None):
        _ask_in_words(draft, lesson, values or {})
    return draft


def _what_happened(lesson: Lesson) -> Trace | None:
    """The trace with the calls that count, and the request in the owner's words."""
    if lesson.trace is None:
        return None
    trace = recorded(lesson.trace, lesson.commands) if lesson.is_recording else lesson.trace
    return replace(trace, request=lesson.request) if lesson.request else trace


def _crystallised(
    agent: Agent,
    lesson: Lesson,
    trace: Trace,
    values: Mapping[str, str] | None,
    writer: ScriptWriter | None = None,
) -> Draft:
    home, lang = agent.config.home, agent.config.lang
    places = {"owner_home": Path.home(), "agent_home": home}
    earlier = list(_earlier(agent, lesson.name, trace.run)) if writer else []
    return crystallise(
        trace, lesson.name, values=values, lang=lang, write_script=writer, earlier=earlier, **places
    )


def _earlier(agent: Agent, name: str, run: str) -> Iterator[tuple[Trace, Mapping[str, Any]]]:
    """The runs that the SOP of this name was taught from, with their values, as far as their logs are there."""
    sop = agent.sops.get(name)
    for known in evidence(sop.folder).get("runs", []) if sop and not sop.is_seed else []:
        if known.get("run") not in (None, run):
            with suppress(RunLogError):
                yield read_trace(agent.config.home, known["run"]), known.get("values") or {}


def _read(agent: Agent, lesson: Lesson) -> Draft:
    assert lesson.written is not None
    try:
        text = lesson.written.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TeachingError(f"{lesson.written} cannot be read: {error}") from error
    return from_text(text, lesson.name, file=lesson.written.name, lang=agent.config.lang)


def _ask_in_words(draft: Draft, lesson: Lesson, values: Mapping[str, str]) -> None:
    """Puts what the owner will say first among the wordings. A text has no values: there {names} stand for them."""
    mentions = _mentions(lesson, values)
    names = {
        id(mention): mention.name
        for mention in mentions
        if mention.name in draft.content.parameters
    }
    found: list[str] = []
    said = (
        wordings_of(lesson.request, mentions, names, draft.content.parameters)
        if values
        else [lesson.request]
    )
    for wording in said:
        try:
            _with_steps(draft, wordings=[wording]).procedure()
        except ProcedureError:  # it leaves a parameter out, or holds a number that is none
            continue
        found.append(wording)
    if not found:
        draft.notes.append(UNUSABLE)
    else:
        draft.content.wordings = [
            *found,
            *(each for each in draft.content.wordings if each not in found),
        ]
        draft.files |= _with_steps(draft, wordings=draft.content.wordings).files
        if keep_endings(
            found[0], {mention.name: mention for mention in mentions}, draft.content.parameters
        ):
            draft.files |= _with_steps(
                draft, parameters=draft.content.as_yaml()["parameters"]
            ).files
        described = f"{found[0][:1].upper()}{found[0][1:]}."
        draft.files["SKILL.md"] = skill_text(
            draft.name, described, draft.content, draft.slots, draft.problems
        )


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


def _mentions(lesson: Lesson, values: Mapping[str, str]) -> list[Mention]:
    offered = given(values, lesson.cwd, Path.home())
    return merged(mentions_in(lesson.request, lesson.cwd, Path.home()), offered, lesson.request)


def unsaid(lesson: Lesson, request: str, values: Mapping[str, str]) -> list[str]:
    """The values that a request does not name, by name: such a request could not be done by rote."""
    mentions = _mentions(replace(lesson, request=request), values)
    return [
        name
        for name in values
        if not any(each.name == name and each.start >= 0 for each in mentions)
    ]


def twin_of(agent: Agent, draft: Draft) -> Sop | None:
    """The SOP of another name that does the same already: a second one would only make requests ambiguous."""
    for sop in agent.sops.all():
        is_used = sop.procedure is not None and sop.status not in ("archived", "suspended")
        if (
            is_used
            and sop.name != draft.name
            and sop.procedure
            and same_procedure(draft, sop.procedure) == "same"
        ):
            return sop
    return None


def keeping_of(agent: Agent) -> Keeping:
    """Return what the evidence gate must know of this agent: the owner's folders, and what is secret."""
    return Keeping(agent.config.safety.roots, agent.parts.redactor())


def refusals(agent: Agent, files: Mapping[str, str | bytes], *, is_draft: bool) -> list[Refusal]:
    """Return what the evidence gate has against storing these files."""
    texts = {
        path: text if isinstance(text, str) else text.decode("utf-8", "replace")
        for path, text in files.items()
    }
    keeping = keeping_of(agent)
    return check_sop(texts, agent.config.home, keeping, is_draft=is_draft)


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
