"""Prove an SOP: try it in a stage with its own cases and with new values, and give it the status
that it has earned.

    draft → candidate   its own parameters pass
          → probation   a second set passes that differs in every value, and in what comes of it
          → active      three clean runs (learning/repair.py)

An SOP that commits something without checking it stays a candidate. One whose effects leave the
machine, or cannot be undone, is not tried: it earns its status in runs that the owner sees
(learning/repair.py). Source: docs/sop-format.md.

    SopError
    └── NotTried   this SOP, or these values, cannot be tried today: the text says why
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from learning.cases import Case, free_name, masked, read_cases
from learning.guards import evidence
from learning.prove import inputs_of
from memory.history import contents_of
from memory.sops import Sop, SopError, Status, read_sop
from memory.sops.changing import SopChanges, SopConflict
from models.errors import Blame
from replay.parameters import ParameterError
from replay.procedure import Procedure

UNDOABLE = {"file_trash", "file_write", "file_patch"}
MAX_RESULT_CHARS = 2_000
ATTEMPTS = 3  # when somebody else changes the SOP meanwhile
PROVEN: tuple[Status, ...] = ("probation", "active")


class NotTried(SopError):
    """It cannot be tried today."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold what one try, or one run, did. `produced` maps each path that it touched to the kind of
    change, `more` is what else tells two outcomes apart; `reason` and `kind` say why it failed;
    `calls` and `seconds` are its budget."""

    status: str
    result: str
    produced: Mapping[str, str] = field(default_factory=dict)
    more: tuple[Any, ...] = ()
    run: str = ""
    calls: int = 1
    seconds: float = 0.0
    reason: str = ""
    kind: Blame = "step"

    @property
    def passed(self) -> bool:
        """Return True if it ended well."""
        return self.status == "done" and not self.reason


Attempt = Callable[[Sop, Mapping[str, Any], Path], Outcome]  # with bound values; may raise NotTried


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case. `passed` None: it could not be tried today, which is nobody's fault."""

    case: Case
    passed: bool | None
    reason: str = ""
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hold what verifying found. `files` are those to add to the SOP: new cases, evidence."""

    name: str
    status_before: Status
    status_after: Status
    passed: bool
    cases: list[CaseResult]
    reason: str
    files: Mapping[str, str] = field(default_factory=dict)


def verify(
    sop: Sop, values: Mapping[str, Any] | None, *, attempt: Attempt, store: SopChanges
) -> Verdict:
    """Prove an SOP of the store and write down what that gave: status, case, evidence, in one
    change.

    `values`: a set of parameters to prove it on, beside its cases. Seeds and archived SOPs are
    tried and not changed. Raises SopError, SopNotWritten.
    """
    for tries in range(1, ATTEMPTS + 1):
        verdict = prove(sop, values, attempt=attempt)
        if not _is_new(sop, verdict):
            return verdict
        try:
            _store(store, sop, verdict)
        except SopConflict:
            if tries == ATTEMPTS:
                raise
            sop = read_sop(sop.folder, False)
        else:
            return verdict
    raise AssertionError("unreachable")


def _is_new(sop: Sop, verdict: Verdict) -> bool:
    if sop.is_seed or sop.status == "archived":
        return False
    is_moved = verdict.status_after != sop.status
    is_edited = verdict.passed and sop.is_edited
    return is_moved or is_edited or bool(verdict.files)


def prove(
    sop: Sop, values: Mapping[str, Any] | None, *, attempt: Attempt, cwd: Path | None = None
) -> Verdict:
    """Return the same without writing: also for a draft, whose folder may lie anywhere."""
    procedure, here = sop.procedure, cwd or Path.cwd()
    if procedure is None:
        why = f"it has no recorded steps{': ' + sop.problem if sop.problem else ''}"
        return Verdict(sop.name, sop.status, sop.status, False, [], why)
    cases = read_cases(sop.folder)
    if why := not_tried(procedure):
        skipped = [CaseResult(case, None, why) for case in cases]
        return Verdict(sop.name, sop.status, sop.status, False, skipped, why)
    if values is not None:
        cases.append(Case(free_name(cases), procedure.bind(values, here), cwd=str(here)))
    tried = [_try(sop, procedure, case, attempt) for case in cases]
    return _verdict(sop, procedure, tried, has_new=values is not None)


def is_staged(procedure: Procedure) -> bool:
    """Return True for one script that runs in a stage."""
    return bool(procedure.steps) and procedure.steps[0].is_staged


def not_tried(procedure: Procedure) -> str:
    """Return why an SOP cannot be tried in a stage; "" when it can."""
    if is_staged(procedure):
        return ""
    if procedure.effects == "external":
        return "its effects leave this machine: it earns its status in runs that you confirm"
    changing = {step.tool for step in procedure.steps if step.changes_something and step.tool}
    is_undoable = procedure.script is None and changing <= UNDOABLE
    if procedure.effects == "destructive" and not is_undoable:
        return "what it does cannot be undone: it earns its status in runs that you confirm"
    return ""


def difference(procedure: Procedure, taught: CaseResult, second: CaseResult) -> str:
    """Return why a second set of values proves nothing beside the first; "" when it does prove
    something.

    Every value that the request gave must differ, and something must come out differently that is
    not just a value said again: else an SOP that ignores its parameters would pass too.
    """
    if same := list(_same_values(procedure, taught.case.parameters, second.case.parameters)):
        return f"{', '.join(same)} is the same as in the first set: a second set must differ in every value"
    if taught.outcome is None or second.outcome is None:
        return "one of the two could not be tried"
    is_same = procedure.parameters and _came_of(procedure, taught) == _came_of(procedure, second)
    said = "both sets lead to the same outcome, so the second proves nothing: choose values that give another result"
    return said if is_same else ""


def _same_values(
    procedure: Procedure, first: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the names of values that are the same, and might be others."""
    for name, value in first.items():
        is_same = name in other and _plain(value) == _plain(other[name])
        if is_same and _may_differ(procedure, name, value):
            yield name


def _may_differ(procedure: Procedure, name: str, value: Any) -> bool:
    """Return False for a value that may be nothing else, and for a default that nobody named."""
    schema = procedure.parameters[name]
    is_default = value == schema.get("default") and name not in procedure.required
    return len(schema.get("enum", ())) != 1 and not is_default


def has_unchecked_commit(procedure: Procedure) -> bool:
    """Return True when nothing checks its changes, no field of an answer either."""
    if any(step.changes_something and step.expect.get("fields") for step in procedure.steps):
        return False
    phases = {step.id.partition(".")[0] for step in procedure.steps if step.tool}
    script = procedure.script
    commits = "commit" in phases or (script is not None and script.has_commit)
    return commits and "check" not in phases


# one try


def _try(sop: Sop, procedure: Procedure, case: Case, attempt: Attempt) -> CaseResult:
    """Try a case. What it names must be there: files come and go, and that is nobody's fault."""
    for name in case.expect.get("inputs", ()):
        path = str(case.parameters[name])
        if not Path(path).exists():
            return CaseResult(case, None, f"{path} is not there any more")
    cwd = Path(case.cwd) if case.cwd else Path.cwd()
    try:
        bound = procedure.bind(case.parameters, cwd)
        outcome = attempt(sop, bound, cwd)
    except (ParameterError, NotTried) as error:
        return CaseResult(case, None, str(error))
    if not outcome.passed:
        is_blamed = outcome.kind not in ("world", "parameter")
        return CaseResult(case, False if is_blamed else None, outcome.reason, outcome)
    if wrong := _mismatch(case, outcome):
        return CaseResult(case, False, wrong, outcome)
    return CaseResult(_kept(case, outcome, procedure, bound), True, "", outcome)


def _kept(case: Case, outcome: Outcome, procedure: Procedure, bound: Mapping[str, Any]) -> Case:
    """Return the case with what came of it, where nothing is known yet."""
    result = outcome.result[:MAX_RESULT_CHARS]
    seen = {"status": outcome.status, "result": result, "produced": dict(outcome.produced)}
    inputs = inputs_of(bound, procedure.parameters)
    expect = {**seen, **case.expect, **({"inputs": inputs} if inputs else {})}
    return replace(case, expect=expect, run=case.run or outcome.run)


def _mismatch(case: Case, outcome: Outcome) -> str:
    """Return how a case written by hand does not hold; what was seen may differ by day."""
    for key in ("status", "result"):
        found, wanted = getattr(outcome, key), case.expect.get(key)
        is_written = wanted is not None and not case.run and "produced" not in case.expect
        if is_written and masked(found) != masked(wanted):
            return f"{key}: expected {_shown(wanted)}, got {_shown(found)}"
    return ""


def _came_of(procedure: Procedure, result: CaseResult) -> str:
    """Return what came of a case; of scripts with the paths of the files that they made."""
    assert result.outcome is not None
    changing = [step for step in procedure.steps if step.changes_something and step.tool]
    is_scripts = bool(changing) and all(step.tool == "code_run" for step in changing)
    produced = dict(result.outcome.produced) if is_scripts else {}
    return _essence(result) + json.dumps(masked(produced))


def _essence(result: CaseResult) -> str:
    """Return what came of a case, with the values of its parameters taken out."""
    outcome = result.outcome
    assert outcome is not None
    seen = masked([outcome.result, dict(outcome.produced), list(outcome.more)])
    text = json.dumps(seen, ensure_ascii=False, sort_keys=True)
    values = {name: str(value) for name, value in result.case.parameters.items()}
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        is_telling = len(value) > 2 or not value.isalnum()
        if value and is_telling:
            text = text.replace(json.dumps(value, ensure_ascii=False)[1:-1], f"<{name}>")
    return text


# what it comes to


def _verdict(
    sop: Sop, procedure: Procedure, tried: Sequence[CaseResult], *, has_new: bool
) -> Verdict:
    if failed := next(_failures(sop, tried, has_new=has_new), None):
        return Verdict(sop.name, sop.status, failed[0], False, list(tried), failed[1])
    passed = [result for result in tried if result.passed]
    status, why, keep = _promotion(sop, procedure, passed, has_new=has_new)
    kept = tried if keep or not has_new else tried[:-1]
    files = _files(sop, kept, status)
    return Verdict(sop.name, sop.status, status, True, list(tried), why, files)


def _failures(
    sop: Sop, tried: Sequence[CaseResult], *, has_new: bool
) -> Iterator[tuple[Status, str]]:
    """Yield the status that is left, and why these results prove nothing."""
    for result in tried[:-1] if has_new else tried:
        if result.passed is False:
            status = _after_failure(sop.was or sop.status)
            yield status, f"case {result.case.name}: {result.reason}"
    if has_new and not tried[-1].passed:
        yield sop.status, tried[-1].reason
    if not any(result.passed for result in tried):
        none = "it has no case yet: give it values to prove it on"
        yield sop.status, tried[0].reason if tried else none


def _promotion(
    sop: Sop, procedure: Procedure, passed: Sequence[CaseResult], *, has_new: bool
) -> tuple[Status, str, bool]:
    """Return the status, why it is that, and whether the new case is worth keeping."""
    reasons = [difference(procedure, passed[0], other) for other in passed[1:]]
    if sop.status in PROVEN:
        why = reasons[-1] if has_new and reasons else ""
        return sop.status, why or "all cases pass", not why
    if "" in reasons and has_unchecked_commit(procedure):
        why = "it changes something and no check looks at it: it stays a candidate"
        return "candidate", why, True
    if "" in reasons:
        return "probation", "a second, different set of values passed", True
    own = "its own values pass; a second, different set must pass before it runs alone"
    return "candidate", reasons[-1] if reasons else own, not reasons


def _after_failure(status: Status) -> Status:
    """Return the status one step down, out of the lane without a model."""
    if status == "candidate":
        return "draft"
    return "suspended" if status in PROVEN else status


def _files(sop: Sop, kept: Sequence[CaseResult], status: Status) -> dict[str, str]:
    """Return new or changed case files, and the evidence: a run's measure, and proofs."""
    found = evidence(sop.folder)
    passed = [(each.case, each.outcome) for each in kept if each.passed and each.outcome]
    files, proofs = _proofs(sop.folder, passed, found, status)
    first = passed[0][1]
    budget = {"calls": first.calls, "seconds": round(first.seconds, 3)}
    now = {**found, "budget": found.get("budget") or budget, "proofs": proofs}
    if now != found:
        files["evidence.json"] = json.dumps(now, ensure_ascii=False, indent=1) + "\n"
    return files


def _proofs(
    folder: Path,
    passed: Sequence[tuple[Case, Outcome]],
    found: Mapping[str, Any],
    status: Status,
) -> tuple[dict[str, str], list[Any]]:
    """Return files of cases that are not stored yet, and the proofs with those that these give."""
    files: dict[str, str] = {}
    proofs = list(found.get("proofs", []))
    proven = {str(each.get("case")) for each in proofs}
    for case, outcome in passed:
        texts = case.files().items()
        new = {path: text for path, text in texts if not _is_stored(folder / path, text)}
        has_proof = "runs" in found or case.name in proven  # else a text has no other proof
        if new or not has_proof:
            run = {"run": outcome.run} if outcome.run else {}
            proofs.append({**run, "case": case.name, "status": status})
        files |= new
    return files, proofs


def _is_stored(path: Path, text: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == text
    except OSError:
        return False


def _store(store: SopChanges, sop: Sop, verdict: Verdict) -> None:
    run = next((each.outcome.run for each in reversed(verdict.cases) if each.outcome), None) or None
    reason, status = f"{verdict.status_after}: {verdict.reason}", verdict.status_after
    if not (verdict.files or sop.is_edited):  # an edited one is a new version when it is proven
        store.set_status(sop.name, status, reason, run, expects_version=sop.version)
        return
    files = {path: content.data for path, content in contents_of(sop.folder).items()}
    files |= {path: text.encode() for path, text in verdict.files.items()}
    store.write(sop.name, files, reason=reason, run=run, status=status, expects_version=sop.version)


def _plain(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}…"
