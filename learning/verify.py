"""Proves an SOP: replays it in a scratch copy on its own cases and on new values, and gives it the status it has earned.

    draft → candidate   its own parameters pass a replay
          → probation   a second set passes that differs in every value of the request, and in what comes of it
          → active      three clean runs (learning/repair.py)

An SOP that commits something without checking it stays a candidate. One whose effects leave the machine, or cannot be
undone, is not replayed: it earns its status in runs that the owner sees (learning/repair.py). Source: docs/sop-format.md.

    SopError
    └── NotReplayable   this SOP, or these values, cannot be tried on a copy: the text says why
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from learning.cases import Case, capture, free_name, masked, read_cases, restore
from learning.guards import evidence, signatures
from learning.prove import Ground, inputs_of
from learning.prove import tried as staged_trial
from learning.scratch import Scratch, ScratchError, scratch_copy
from memory.history import contents_of
from memory.sops import Sop, SopError, Status, read_sop
from memory.sops.changing import SopChanges, SopConflict
from models.base import Event
from replay.parameters import ParameterError
from replay.procedure import Procedure
from replay.template import TemplateError, names
from sandbox.stage import StageError

UNDOABLE = {"file_trash", "file_write", "file_patch"}  # what they do to a copy stays in it
MAX_RESULT_CHARS = 2_000
ATTEMPTS = 3  # when somebody else changes the SOP meanwhile
PROVEN: tuple[Status, ...] = ("probation", "active")


class NotReplayable(SopError):
    """It cannot be tried on a copy."""


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """One replay: its events, how the run ended, the answer, and the schemas of the tools that it used."""

    events: list[Event]
    status: str
    result: str
    schemas: Sequence[Mapping[str, Any]] = ()


class Replay(Protocol):
    """Runs an SOP once, through loop, handler, gate and run log; nothing outside `root` may be changed, nobody is asked."""

    def __call__(
        self, sop: Sop, parameters: Mapping[str, Any], cwd: Path, root: Path, /
    ) -> ReplayResult: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold what came of a replay, in real paths. `brought` are the results of its calls; `produced`: learning/scratch.py."""

    status: str
    result: str
    steps: tuple[str, ...]
    produced: Mapping[str, str]
    brought: tuple[Any, ...]
    run: str
    seconds: float
    tools: Mapping[str, Any] = field(default_factory=dict)  # signatures of those that were called
    kind: str = ""  # of the failure
    reason: str = ""
    touched: tuple[str, ...] = ()  # what changed outside of the copy meanwhile

    @property
    def passed(self) -> bool:
        return self.status == "done" and not self.reason


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case. `passed` None: it could not be tried today, which is nobody's fault."""

    case: Case
    passed: bool | None
    reason: str = ""
    outcome: Outcome | None = None
    is_idle: bool = False  # its checks hold also when nothing is changed


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hold what verifying found. `files` are those to add to the SOP: new cases, fixtures, evidence."""

    name: str
    status_before: Status
    status_after: Status
    passed: bool
    cases: list[CaseResult]
    reason: str
    files: Mapping[str, str] = field(default_factory=dict)


def verify(
    sop: Sop,
    values: Mapping[str, Any] | None,
    *,
    replay: Replay,
    store: SopChanges,
    scratch: Path | None = None,
    ground: Ground | None = None,
) -> Verdict:
    """Proves an SOP of the store and writes down what that gave: status, case, evidence, in one change.

    `values`: a set of parameters to prove it on, beside its cases. `scratch`: where copies are made, by default the
    folder for temporary files. Seeds and archived SOPs are tried and not changed. Raises SopError, SopNotWritten.
    """
    for attempt in range(1, ATTEMPTS + 1):
        verdict = prove(sop, values, replay=replay, scratch=scratch, ground=ground)
        is_new = (
            verdict.status_after != sop.status
            or verdict.files
            or (verdict.passed and sop.is_edited)
        )
        if sop.is_seed or sop.status == "archived" or not is_new:
            return verdict
        try:
            _store(store, sop, verdict)
        except SopConflict:
            if attempt == ATTEMPTS:
                raise
            sop = read_sop(sop.folder, False)
        else:
            return verdict
    raise AssertionError("unreachable")


def prove(
    sop: Sop,
    values: Mapping[str, Any] | None,
    *,
    replay: Replay,
    scratch: Path | None = None,
    cwd: Path | None = None,
    ground: Ground | None = None,
) -> Verdict:
    """The same, without writing: also for a draft that is not stored yet (its folder may lie anywhere)."""
    procedure = sop.procedure
    if procedure is None:
        why = f"it has no recorded steps{': ' + sop.problem if sop.problem else ''}"
        return Verdict(sop.name, sop.status, sop.status, False, [], why)
    cases = read_cases(sop.folder)
    if why := not_replayable(procedure):
        return Verdict(
            sop.name,
            sop.status,
            sop.status,
            False,
            [CaseResult(case, None, why) for case in cases],
            why,
        )
    if values is not None:
        bound = procedure.bind(values, cwd or Path.cwd())
        cases.append(Case(free_name(cases), bound, cwd=str(cwd or Path.cwd())))
    if is_staged(procedure):
        there = ground or Ground.of((), sop.folder.parent.parent, cwd or Path.cwd())
        tried = [_try_staged(procedure, case, there) for case in cases]
    else:
        tried = [_try(sop, procedure, case, replay, scratch) for case in cases]
    return _verdict(sop, procedure, tried, has_new=values is not None)


def is_staged(procedure: Procedure) -> bool:
    """True for a script that runs in a stage: there it is tried, on the files as they are."""
    return bool(procedure.steps) and procedure.steps[0].is_staged


def not_replayable(procedure: Procedure) -> str:
    """Why an SOP cannot be tried on a copy; empty when it can."""
    if is_staged(procedure):
        return ""
    if procedure.effects == "external":
        return "its effects leave this machine: it earns its status in runs that you confirm"
    changing = {step.tool for step in procedure.steps if step.changes_something and step.tool}
    if procedure.effects == "destructive" and (procedure.script or not changing <= UNDOABLE):
        return "what it does cannot be undone: it earns its status in runs that you confirm"
    return ""


def difference(procedure: Procedure, taught: CaseResult, second: CaseResult) -> str:
    """Why a second set of values proves nothing beside the first; empty when it does prove something.

    Every value that the request gave must differ, and something must come out differently that is not just a value
    said again: else an SOP that ignores its parameters would pass too.
    """
    first, other = taught.case.parameters, second.case.parameters
    same = [name for name in first if name in other and _plain(first[name]) == _plain(other[name])]
    same = [
        name for name in same if len(procedure.parameters[name].get("enum", ())) != 1
    ]  # it may be nothing else
    same = [
        name
        for name in same
        if first[name] != procedure.parameters[name].get("default") or name in procedure.required
    ]
    if same:
        return f"{', '.join(same)} is the same as in the first set: a second set must differ in every value"
    if taught.outcome is None or second.outcome is None:
        return "one of the two could not be replayed"
    if procedure.parameters and _essence(taught) == _essence(second):
        return "both sets lead to the same outcome, so the second proves nothing: choose values that give another result"
    return ""


def has_unchecked_commit(procedure: Procedure) -> bool:
    """True when it changes something and nothing checks it. What another program answers about the change is a check."""
    ids = {step.id.partition(".")[0] for step in procedure.steps if step.tool}
    if any(step.changes_something and step.expect.get("fields") for step in procedure.steps):
        return False
    commits = "commit" in ids or (procedure.script is not None and procedure.script.has_commit)
    return commits and "check" not in ids


# one replay


def run_case(
    sop: Sop, case: Case, replay: Replay, scratch: Path | None = None
) -> tuple[Outcome, Case]:
    """Replays a case in a scratch copy: of its fixture, else of what is there today. Returns what came of it, and the
    case with the inputs as they were when they are small enough to keep. Raises NotReplayable."""
    procedure = sop.procedure
    assert procedure is not None
    cwd = Path(case.cwd) if case.cwd else Path.cwd()
    try:
        bound = procedure.bind(case.parameters, cwd)
    except ParameterError as error:
        raise NotReplayable(str(error)) from error
    with_cwd = _works_in_cwd(procedure)
    fixture = case.fixture
    if fixture is None:
        fixture = capture(bound, procedure.parameters, [cwd] if with_cwd else [])
        if with_cwd and fixture is None:
            with_cwd = _names_cwd(procedure)
    first: Outcome | None = None
    try:
        while True:
            with scratch_copy(
                bound,
                procedure.parameters,
                cwd,
                scratch,
                with_cwd=with_cwd,
                fill=_filler(case.fixture),
            ) as copy:
                outcome = _outcome(
                    procedure, replay(sop, copy.parameters, copy.cwd, copy.folder), copy
                )
            if outcome.kind != "outside" or first is not None:
                return _blamed(first, outcome), replace(case, fixture=fixture)
            first = outcome  # another program may have done it: once more
    except ScratchError as error:
        raise NotReplayable(str(error)) from error


def _blamed(first: Outcome | None, outcome: Outcome) -> Outcome:
    """Blame the replay for a change outside of the copy that came twice. One that came once may be another program's: then
    nothing is proven, and nothing held against the SOP."""
    if first is None or set(first.touched) & set(outcome.touched):
        return outcome
    changed = outcome.touched or first.touched
    reason = (
        f"the world changed during the replay: {', '.join(changed[:3])}; try again when it is quiet"
    )
    return replace(outcome, kind="world", reason=reason)


def _filler(fixture: Mapping[str, Any] | None) -> Callable[[Path], None] | None:
    return None if fixture is None else lambda folder: restore(dict(fixture), folder)


def _outcome(procedure: Procedure, done: ReplayResult, copy: Scratch) -> Outcome:
    ended = [event for event in done.events if event["type"] == "tool_ended"]
    stopped = next(
        (e for e in done.events if e["type"] == "rote" and e["state"] == "diverged"), None
    )
    reason, kind = (
        (copy.back(stopped["reason"]), stopped.get("kind", "step")) if stopped else ("", "")
    )
    if done.status != "done" and not reason:
        reason, kind = copy.back(done.result) or done.status, "step"
    touched = copy.touched()
    if touched:
        reason, kind = (
            f"something outside the copy changed during the replay: {', '.join(touched[:3])}",
            "outside",
        )
    return Outcome(
        status=done.status,
        result=copy.back(done.result),
        steps=tuple(event["status"] for event in ended),
        produced=copy.produced(),
        brought=tuple(copy.back(_essential(event["data"])) for event in ended),
        run=done.events[0]["run"],
        seconds=sum(event["seconds"] for event in ended),
        tools=signatures(procedure, done.schemas, (event["tool"] for event in ended)),
        kind=kind,
        reason=reason,
        touched=tuple(touched),
    )


def _try(
    sop: Sop, procedure: Procedure, case: Case, replay: Replay, scratch: Path | None
) -> CaseResult:
    """Tries a case. One that expects nothing yet, or comes from elsewhere without its inputs, is replayed twice, and expects
    what came out both times; what somebody wrote into it by hand must hold."""
    try:
        outcome, kept = run_case(sop, case, replay, scratch)
        if outcome.kind == "world":
            return CaseResult(case, None, outcome.reason, outcome)
        if not outcome.passed:
            return CaseResult(case, False, outcome.reason, outcome)
        if case.fixture is not None:
            wrong = _mismatch(case, outcome)
            return CaseResult(case, not wrong, wrong, outcome, _is_idle(sop, case, replay, scratch))
        if not case.run and (wrong := _mismatch(case, outcome)):  # written by hand
            return CaseResult(case, False, wrong, outcome)
        if (
            kept.fixture is None and case.expect
        ):  # too large to keep: what comes out may differ from day to day
            return CaseResult(case, True, "", outcome, _is_idle(sop, kept, replay, scratch))
        again = outcome
        if kept.fixture is not None:
            again, _ = run_case(sop, kept, replay, scratch)
            if not again.passed:
                return CaseResult(
                    case, False, f"the second time it did not pass: {again.reason}", again
                )
    except NotReplayable as error:
        return CaseResult(case, None, str(error))
    expect = {**case.expect, **_expected(outcome, again)}
    tried = replace(kept, expect=expect, run=case.run or outcome.run)
    return CaseResult(tried, True, "", outcome, _is_idle(sop, kept, replay, scratch))


def _try_staged(procedure: Procedure, case: Case, ground: Ground) -> CaseResult:
    """Try a case in a stage. What it names must be there: files come and go, and that is nobody's fault."""
    for name in case.expect.get("inputs", ()):
        path = str(case.parameters[name])
        if not Path(path).exists():
            return CaseResult(case, None, f"{path} is not there any more")
    started = time.monotonic()
    try:
        bound = procedure.bind(case.parameters, Path(case.cwd or ground.cwd))
        seen, why = staged_trial(procedure, bound, ground)
    except (ParameterError, StageError, TemplateError) as error:
        return CaseResult(case, None, str(error))
    produced = {each.path: each.kind for each in seen.touched}
    outcome = Outcome(
        status="failed" if why else "done",
        result=seen.output[:MAX_RESULT_CHARS],
        steps=("error" if why else "ok",),
        produced=produced,
        brought=(seen.output,),
        run=case.run,
        seconds=round(time.monotonic() - started, 3),
        reason=why,
    )
    expect = case.expect or {"status": "done", "result": outcome.result, "produced": produced}
    inputs = inputs_of(bound, procedure.parameters)
    kept = replace(case, expect={**expect, "inputs": inputs} if inputs else expect)
    return CaseResult(kept if not why else case, not why, why, outcome)


def _is_idle(sop: Sop, case: Case, replay: Replay, scratch: Path | None) -> bool:
    """Replays a case of an SOP that is not proven yet without what it changes: do its checks hold all the same?"""
    procedure = sop.procedure
    assert procedure is not None
    if (
        sop.status in PROVEN
        or procedure.script
        or not any(step.changes_something for step in procedure.steps)
    ):
        return False
    steps = tuple(step for step in procedure.steps if not step.changes_something)
    if not any(step.id.startswith("check") for step in steps):
        return False
    plain = dict.fromkeys(procedure.result, "-")
    idle = replace(sop, steps=replace(procedure, steps=steps, result=plain))
    try:
        return run_case(idle, case, replay, scratch)[0].passed
    except NotReplayable:
        return False


def _expected(outcome: Outcome, again: Outcome) -> dict[str, Any]:
    """Return what both replays of the same inputs brought."""
    expect: dict[str, Any] = {"status": outcome.status, "steps": list(outcome.steps)}
    if masked(outcome.result) == masked(again.result):
        expect["result"] = outcome.result
    if masked(outcome.produced) == masked(again.produced):
        expect["produced"] = dict(outcome.produced)
    return expect


def _mismatch(case: Case, outcome: Outcome) -> str:
    found = {
        "status": outcome.status,
        "steps": list(outcome.steps),
        "result": outcome.result,
        "produced": dict(outcome.produced),
    }
    for key, value in case.expect.items():
        if key in found and masked(found[key]) != masked(value):
            return f"{key}: expected {_shown(value)}, got {_shown(found[key])}"
    return ""


def _essential(data: Any) -> Any:
    """A result without what differs each time: where it was kept, an id of the trash."""
    if isinstance(data, Mapping):
        return {
            key: value
            for key, value in data.items()
            if key not in ("file", "trash", "stopped", "seconds")
        }
    return data


def _essence(result: CaseResult) -> str:
    """Return what came of a case, with the values of its parameters taken out."""
    outcome = result.outcome
    assert outcome is not None
    text = json.dumps(
        masked([outcome.result, dict(outcome.produced), list(outcome.brought)]),
        ensure_ascii=False,
        sort_keys=True,
    )
    values = {name: str(value) for name, value in result.case.parameters.items() if str(value)}
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        if len(value) > 2 or not value.isalnum():
            text = text.replace(json.dumps(value, ensure_ascii=False)[1:-1], f"<{name}>")
    return text


def _works_in_cwd(procedure: Procedure) -> bool:
    """Return True if what it does depends on the working folder: it is named, or a script works and no parameter is a path."""
    has_path = any(schema.get("format") == "path" for schema in procedure.parameters.values())
    return _names_cwd(procedure) or (not has_path and procedure.effects != "none")


def _names_cwd(procedure: Procedure) -> bool:
    used = {
        name
        for step in procedure.steps
        for name in names({k: v for k, v in step.args.items() if k != "script"})
    }
    return "cwd" in used or any("$cwd" in text or "${cwd" in text for text in _scripts(procedure))


def _scripts(procedure: Procedure) -> Iterator[str]:
    for step in procedure.steps:
        yield str(step.args.get("script", ""))
    if procedure.script:
        yield procedure.script.source


# what it comes to


def _verdict(
    sop: Sop, procedure: Procedure, tried: Sequence[CaseResult], *, has_new: bool
) -> Verdict:
    def verdict(status: Status, passed: bool, reason: str, *, keep: bool = True) -> Verdict:
        kept = tried if keep else tried[:-1] if has_new else tried
        files = _files(sop, kept, status) if passed else {}
        return Verdict(sop.name, sop.status, status, passed, list(tried), reason, files)

    known = tried[:-1] if has_new else tried
    failed = [result for result in known if result.passed is False]
    if failed:
        return verdict(
            _after_failure(sop.was or sop.status),
            False,
            f"case {failed[0].case.name}: {failed[0].reason}",
        )
    if has_new and not tried[-1].passed:
        return verdict(sop.status, False, tried[-1].reason)
    passed = [result for result in tried if result.passed]
    if not passed:
        why = tried[0].reason if tried else "it has no case yet: give it values to prove it on"
        return verdict(sop.status, False, why)
    return _promotion(sop, procedure, passed, verdict, has_new=has_new)


def _promotion(
    sop: Sop,
    procedure: Procedure,
    passed: Sequence[CaseResult],
    verdict: Callable[..., Verdict],
    *,
    has_new: bool,
) -> Verdict:
    if sop.status in PROVEN:
        why = difference(procedure, passed[0], passed[-1]) if has_new and len(passed) > 1 else ""
        return verdict(sop.status, True, why or "all cases pass", keep=not why)
    reasons = [difference(procedure, passed[0], other) for other in passed[1:]]
    proven = "" in reasons
    if proven and all(result.is_idle for result in passed):
        return verdict(
            "candidate", True, "its checks hold before it changes anything: they prove nothing"
        )
    if proven and has_unchecked_commit(procedure):
        return verdict(
            "candidate", True, "it changes something and no check looks at it: it stays a candidate"
        )
    if proven:
        return verdict("probation", True, "a second, different set of values passed")
    if reasons:
        return verdict("candidate", True, reasons[-1], keep=False)
    return verdict(
        "candidate",
        True,
        "its own values pass; a second, different set must pass before it runs alone",
    )


def _after_failure(status: Status) -> Status:
    """One step down, and out of the lane without a model."""
    if status == "candidate":
        return "draft"
    return "suspended" if status in PROVEN else status


def _files(sop: Sop, kept: Sequence[CaseResult], status: Status) -> dict[str, str]:
    """New or changed case files, and the evidence: the tools as they are now, the measure of one run, what proved it."""
    files: dict[str, str] = {}
    found = evidence(sop.folder)
    proofs, named = [], {str(each.get("case")) for each in found.get("proofs", [])}
    for result in kept:
        if result.passed and result.outcome is not None:
            texts = result.case.files()
            is_new = any(not _is_stored(sop.folder / path, text) for path, text in texts.items())
            files |= texts if is_new else {}
            if is_new or (
                "runs" not in found and result.case.name not in named
            ):  # a text has no other proof
                proofs.append(
                    {"run": result.outcome.run, "case": result.case.name, "status": status}
                )
    first = next(result.outcome for result in kept if result.outcome)
    wanted = {
        "tools": found.get("tools") or dict(first.tools),
        "budget": found.get("budget")
        or {"calls": len(first.steps), "seconds": round(first.seconds, 3)},
        "proofs": [*found.get("proofs", []), *proofs],
    }
    if any(found.get(key) != value for key, value in wanted.items()):
        files["evidence.json"] = json.dumps(found | wanted, ensure_ascii=False, indent=1) + "\n"
    return files


def _is_stored(path: Path, text: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == text
    except OSError:
        return False


def _store(store: SopChanges, sop: Sop, verdict: Verdict) -> None:
    run = next((result.outcome.run for result in reversed(verdict.cases) if result.outcome), None)
    reason = f"{verdict.status_after}: {verdict.reason}"
    if (
        not verdict.files and not sop.is_edited
    ):  # what was edited is proven as it is now: a new version
        store.set_status(sop.name, verdict.status_after, reason, run, expects_version=sop.version)
        return
    files = {path: content.data for path, content in contents_of(sop.folder).items()}
    store.write(
        sop.name,
        {**files, **verdict.files},
        reason=reason,
        run=run,
        status=verdict.status_after,
        expects_version=sop.version,
    )


def _plain(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}…"
