"""Say what becomes of an SOP after a run of it: promoted, repaired, rolled back, suspended. Never deleted.

`after_run` is the one entry, called when a run has ended. Failures are sorted by what the replay's event says: `world`
(not ready) and `parameter` (the request was not for this SOP) are not held against it; `step`, `check` and `budget` are.
Only SOPs that were learned are changed; those of the owner, and seeds, get a proposal. Source: seed 002 §2, §3.
"""

from __future__ import annotations

import ast
import fcntl
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol

from learning.cases import Case, free_name, masked, read_cases
from learning.draft import Draft, LearningError, to_yaml
from learning.guards import evidence, over_budget
from learning.prove import Ground
from learning.scratch import scratch_folder
from learning.trace import Trace, trace_of
from learning.verify import (
    PROVEN,
    CaseResult,
    Outcome,
    Replay,
    Verdict,
    difference,
    has_unchecked_commit,
    not_replayable,
    prove,
)
from memory.files import write_atomic
from memory.history import Repository, contents_of
from memory.logs import read_events
from memory.sops import Sop, SopError, SopStore, Status, contract_of, read_sop
from memory.sops.changing import SopChanges, SopConflict, Version
from memory.sops.curve import SopRun, SopStats
from models.base import Event
from replay.procedure import Procedure, ProcedureError

IMPORTED = "sopwith-source"  # what came from elsewhere and was enabled by the owner
CLEAN_RUNS = 3  # from probation to active
IN_A_ROW, OF_LAST, LAST = 2, 3, 10  # failures that retire a version
TRIES_A_FAILURE, REPAIRS_A_DAY = 2, 5
MIN_STEPS_KEPT = 0.7
HELD_AGAINST = ("step", "expectation", "check", "budget")
NOT_SUPERVISED = "--approve all"  # nobody looked
KNOWN_FAILURES = "## Known failures"
Blame = Literal["", "world", "parameter", "step", "expectation", "check", "budget"]


class Crystallise(Protocol):
    """Makes a draft of a run (learning/crystallise.py). Raises LearningError."""

    def __call__(
        self, trace: Trace, name: str, /, *, values: Mapping[str, Any] | None
    ) -> Draft: ...


@dataclass(frozen=True, slots=True)
class Use:
    """How one run of an SOP went for the SOP. `kind` is what it failed on, empty for a clean run."""

    run: str
    at: str
    kind: Blame
    step: str = ""
    reason: str = ""
    was_finished_by_model: bool = False
    is_over: bool = True  # False: it waits or was cancelled, which says nothing

    @property
    def is_clean(self) -> bool:
        return self.is_over and not self.kind

    @property
    def counts_against(self) -> bool:
        return self.is_over and self.kind in HELD_AGAINST


def after_run(
    run: str,
    events: Sequence[Event],
    *,
    home: Path,
    sops: SopStore,
    store: SopChanges,
    stats: SopStats,
    replay: Replay,
    crystallise: Crystallise | None = None,
    scratch: Path | None = None,
    ground: Ground | None = None,
) -> list[Event]:
    """Takes a run that has ended into account and returns `learned` events for what changed: {what: sop, name, status,
    reason}. `events` are those of its log. Status "proposed" means: the owner's own SOP, or a seed, would need this.

    Raises SopError, RepositoryError, RunLogError; the run itself is over and its log closed.
    """
    opening = events[0]
    name = opening.get("sop")
    if not name:
        return []
    sops.reload()
    sop = sops.get(name)
    if (
        sop is None
        or sop.procedure is None
        or sop.version != opening["sop_version"]
        or sop.status == "archived"
    ):
        return []
    after = _After(run, list(events), home, sop, store, stats, replay, crystallise, scratch, ground)
    try:
        return after.changes()
    except SopConflict:  # somebody else changed it meanwhile; the next run is judged anew
        return []
    finally:
        sops.reload()


def judge(events: Sequence[Event], sop: Sop) -> Use:
    """Sorts a run: clean, or what it failed on."""
    run, at = events[0]["run"], events[0]["at"]
    end = next((event for event in reversed(events) if event["type"] == "run_ended"), None)
    steps = [event for event in events if event["type"] == "rote"]
    if end is None or end["status"] in ("waiting", "cancelled"):
        return Use(run, at, "", is_over=False)
    stopped = next((event for event in steps if event["state"] == "diverged"), None)
    if stopped is not None:
        kind: Blame = stopped.get("kind", "step")
        by_model = end["status"] == "done" and not end["rote"]
        return Use(run, at, kind, stopped["step"], stopped["reason"], by_model)
    if end["status"] != "done":
        return Use(run, at, "step", "", str(end["result"]))
    calls = sum(event["type"] == "tool_ended" for event in events)
    if over := over_budget(evidence(sop.folder).get("budget") or {}, calls, _seconds(events)):
        return Use(run, at, "budget", "result", over)
    return Use(run, at, "")


def is_learned(sop: Sop) -> bool:
    """True when the agent made it from runs: only then may the agent change it unasked."""
    author = str(sop.metadata.get("sopwith-author", sop.metadata.get("author", "")))
    return (
        not sop.is_seed and author.casefold() != "owner" and bool(evidence(sop.folder).get("runs"))
    )


def propose(
    run: str, events: Sequence[Event], sop: Sop, use: Use, *, home: Path, crystallise: Crystallise
) -> tuple[dict[str, bytes] | None, list[str]]:
    """The files of a repaired version, from a run that a model finished; and what is wrong with the patch.

    None when there may be no further try, nothing can be learned from the run, or the patch breaks a rule. What it
    returns is not proven and not stored.
    """
    if not may_try(
        home, sop.name, f"{contract_of(sop.folder)}:{use.step}:{use.kind}:{masked(use.reason)}"
    ):
        return None, ["the tries for this failure, or for today, are used up"]
    opening = events[0]
    trace, values = trace_of(run, list(events)), dict(opening["parameters"])
    try:
        draft = crystallise(
            trace, sop.name, values={name: str(value) for name, value in values.items()}
        )
        files = _merged(sop, draft, trace, values)
        problems = [*draft.problems, *patch_problems(sop, _in_folder(sop.name, files), values)]
    except (LearningError, ProcedureError, SopError) as error:
        return None, [str(error)]
    return (None, problems) if problems else (files, [])


def patch_problems(old: Sop, new: Sop, values: Mapping[str, Any]) -> list[str]:
    """Return which rules a new version of an SOP breaks: it may mend a step, not become another SOP, and holds no run's data."""
    before, after = old.procedure, new.procedure
    if before is None or after is None:
        return [new.problem or "it has no steps"]
    found = [
        f"the parameter {name} is gone"
        for name in before.parameters
        if name not in after.parameters
    ]
    found += [
        f"the parameter {name} has another type"
        for name, schema in before.parameters.items()
        if name in after.parameters and _type(after.parameters[name]) != _type(schema)
    ]
    found += [f"{name} is required now" for name in after.required if name not in before.required]
    found += [
        f"{key} and its value are hard-coded: {value}"
        for key, value in _hard_coded(old, new, values)
    ]
    calls, calls_now = _calls(before), _calls(after)
    if len(calls_now) < MIN_STEPS_KEPT * len(calls):
        found.append(f"it shrinks from {len(calls)} steps to {len(calls_now)}")
    found += [
        f"the branch {branch} is gone"
        for branch in _branches(before)
        if branch not in _branches(after)
    ]
    if _ways(before) > _ways(after) and after.script is not None:
        found.append(
            f"its script parts its way {_ways(after)} times, and did {_ways(before)} times"
        )
    if bool(before.script) != bool(after.script):
        found.append("it is written in another form: a script, or steps")
    elif (
        before.script
        and after.script
        and len(after.script.source) < MIN_STEPS_KEPT * len(before.script.source)
    ):
        found.append("its script shrinks")
    if _checks(before) > _checks(after):
        found.append("a check is gone")
    if EFFECTS.index(after.effects) > EFFECTS.index(before.effects):
        found.append(f"its effects grow from {before.effects} to {after.effects}")
    return found


EFFECTS = ("none", "local", "external", "destructive")


def _diff(folder: Path, files: Mapping[str, bytes]) -> str:
    """Return what a new version would change, as people read it: steps, scripts and instructions, not the evidence."""
    old = {path: content.data for path, content in contents_of(folder).items()}
    lines: list[str] = []
    for path in sorted({*old, *files}):
        if path.startswith(("sop.yaml", "scripts/", "SKILL")) and old.get(path) != files.get(path):
            before, after = (
                each.get(path, b"").decode("utf-8", "replace").splitlines()
                for each in (old, dict(files))
            )
            lines += unified_diff(before, after, path, path, lineterm="", n=1)
    return "\n".join(lines)


def may_try(home: Path, name: str, failure: str, now: datetime | None = None) -> bool:
    """Counts one more try at repairing a failure; False when it was tried often enough, or the SOP today."""
    now = now or datetime.now(UTC)
    day_ago = (now - timedelta(days=1)).isoformat()
    with _ledger(home) as tries:
        mine = [
            entry
            for entry in tries.get(name, [])
            if entry["at"] > day_ago or entry["failure"] == failure
        ]
        same = sum(entry["failure"] == failure for entry in mine)
        today = sum(entry["at"] > day_ago for entry in mine)
        if same >= TRIES_A_FAILURE or today >= REPAIRS_A_DAY:
            return False
        tries[name] = [*mine, {"at": now.isoformat(), "failure": failure}]
        return True


def with_known_failure(text: str, line: str) -> str:
    """The text of a SKILL.md with one more line under "Known failures"."""
    entry = f"- {' '.join(line.split())[:400]}"
    head, found, rest = text.partition(f"{KNOWN_FAILURES}\n")
    if not found:
        return f"{text.rstrip()}\n\n{KNOWN_FAILURES}\n\n{entry}\n"
    rest = rest.lstrip("\n").removeprefix("- None yet.").lstrip("\n")
    return f"{head}{KNOWN_FAILURES}\n\n{entry}\n{rest}"


@dataclass(slots=True)
class _After:
    """One run and what follows from it."""

    run: str
    events: list[Event]
    home: Path
    sop: Sop
    store: SopChanges
    stats: SopStats
    replay: Replay
    crystallise: Crystallise | None
    scratch: Path | None
    ground: Ground | None

    def changes(self) -> list[Event]:
        use = judge(self.events, self.sop)
        if not use.is_over:
            return []
        if use.is_clean:
            return self._promoted()
        if not use.counts_against:
            return []
        refused: list[Event] = []
        if use.was_finished_by_model:
            found, why = self._repaired(use)
            if found:
                return found
            refused = self._learned("refused", f"not repaired: {why}")
        return refused + self._retired(use)

    @property
    def procedure(self) -> Procedure:
        assert self.sop.procedure is not None
        return self.sop.procedure

    def _learned(self, status: str, reason: str) -> list[Event]:
        return [
            {
                "type": "learned",
                "what": "sop",
                "name": self.sop.name,
                "status": status,
                "reason": reason,
            }
        ]

    # a clean run

    def _promoted(self) -> list[Event]:
        if not is_learned(self.sop) and IMPORTED not in self.sop.metadata:
            return []
        if self.sop.status == "probation":
            clean = list(self._uses_since_probation())[:CLEAN_RUNS]
            if len(clean) == CLEAN_RUNS and all(use.is_clean for use in clean):
                return self._set("active", f"{CLEAN_RUNS} clean runs")
        elif (
            self.sop.status in ("draft", "candidate")
            and not_replayable(self.procedure)
            and self._was_supervised()
        ):
            return self._earned_in_sight()
        return []

    def _was_supervised(self) -> bool:
        """The owner said yes to all that was asked; or was there, nothing had to be asked, and checks proved what was done.

        What is not proven yet runs only when the owner asks for it by its name, and gets its result shown."""
        said = [event for event in self.events if event["type"] == "confirmed"]
        if said:
            return all(
                event["decision"] != "no" and event["reason"] != NOT_SUPERVISED for event in said
            )
        return bool(self.events[0].get("attended")) and not has_unchecked_commit(self.procedure)

    def _earned_in_sight(self) -> list[Event]:
        """Give to what cannot be replayed, for a run that the owner confirmed, what a replay in a copy gives to others."""
        cases = read_cases(self.sop.folder)
        seen = [case for case in cases if "result" in case.expect]
        opening = self.events[0]
        outcome = observed(self.events)
        expect = {"status": outcome.status, "steps": list(outcome.steps), "result": outcome.result}
        mine = Case(
            free_name(cases),
            opening["parameters"],
            expect,
            opening["task"],
            self.run,
            opening["cwd"],
        )
        reasons = [self._difference(case, CaseResult(mine, True, "", outcome)) for case in seen]
        if reasons and "" not in reasons:
            return []
        status: Status = (
            "probation" if reasons and not has_unchecked_commit(self.procedure) else "candidate"
        )
        if status == self.sop.status:
            return []
        return self._write(mine.files(), status, f"{status}: a run that the owner confirmed")

    def _difference(self, seen: Case, mine: CaseResult) -> str:
        before = observed(list(read_events(self.home, seen.run)))
        return difference(self.procedure, CaseResult(seen, True, "", before), mine)

    # a failure that a model mended

    def _repaired(self, use: Use) -> tuple[list[Event], str]:
        """Return what came of repairing it, or why it is not repaired."""
        if self.crystallise is None:
            return [], "nothing can be learned here"
        files, problems = propose(
            self.run, self.events, self.sop, use, home=self.home, crystallise=self.crystallise
        )
        if files is None:
            return [], "; ".join(problems[:3])
        if not is_learned(self.sop):
            [event] = self._learned("proposed", f"{use.step}: {use.reason}")
            return [event | {"diff": _diff(self.sop.folder, files)}], ""
        verdict = self._proven(files, None, "candidate")
        failed = [result for result in verdict.cases if result.passed is not True]
        if failed or not verdict.passed:
            reason = failed[0].reason if failed else verdict.reason
            return [], f"the new version does not do what it should: {reason}"
        added = {path: text.encode() for path, text in verdict.files.items()}
        status: Status = "probation" if verdict.status_after == "probation" else "candidate"
        reason = f"repaired: {use.step}: {use.reason}"
        self.store.write(
            self.sop.name,
            {**files, **added},
            reason=reason,
            run=self.run,
            status=status,
            expects_version=self.sop.version,
        )
        return self._learned(status, reason), ""

    # failures that retire a version

    def _retired(self, use: Use) -> list[Event]:
        why = self._why_retire()
        if self.sop.status not in PROVEN or not why:
            return []
        said = f"{why}; last: {use.step}: {use.reason}"
        if not is_learned(self.sop):
            return self._learned("proposed", f"suspend it: {said}")
        for version, folder in self._older():
            if self._passes_today(folder):
                sop = self.store.rollback(
                    self.sop.name, version.version, f"rolled back: {said}", self.run
                )
                return self._learned(
                    sop.status, f"rolled back to version {version.version}: {said}"
                )
        skill = (self.sop.folder / "SKILL.md").read_text(encoding="utf-8")
        note = f"{datetime.now(UTC):%Y-%m-%d}, version {self.sop.version} was suspended: {said}"
        return self._write(
            {"SKILL.md": with_known_failure(skill, note)}, "suspended", f"suspended: {said}"
        )

    def _why_retire(self) -> str:
        uses = [use for use in islice(self._uses(), LAST) if use.is_clean or use.counts_against]
        failed = [use.counts_against for use in uses]
        if len(uses) == 1 and failed[0] and next(self._older(), None):
            return "a new version failed its first use"
        if len(failed) >= IN_A_ROW and all(failed[:IN_A_ROW]):
            return f"{IN_A_ROW} failures in a row"
        return (
            f"{sum(failed)} failures in the last {len(failed)} runs"
            if sum(failed) >= OF_LAST
            else ""
        )

    def _uses(self) -> Iterator[Use]:
        """The runs of these very steps, newest first."""
        first = self._first_version()
        for row in reversed(self.stats.runs(self.sop.name)):
            if row.lane != "teach" and row.version is not None and row.version >= first:
                yield self._use(row)

    def _uses_since_probation(self) -> Iterator[Use]:
        since = ""
        for entry in self._history():
            if entry.status != "probation":
                break
            since = entry.at
        for use in self._uses():
            if _time(use.at) >= _time(since) if since else True:
                yield use

    def _use(self, row: SopRun) -> Use:
        is_this = row.run == self.run
        return judge(self.events if is_this else list(read_events(self.home, row.run)), self.sop)

    def _history(self) -> list[Version]:
        return [] if Repository(self.home).problem else self.store.history(self.sop.name)

    def _first_version(self) -> int:
        """The oldest version, without a gap, whose steps are those of now: cases and notes make versions too."""
        now, first = contract_of(self.sop.folder), self.sop.version
        for entry, files in self._stored():
            if _contract_said(files) != now:
                break
            first = entry.version
        return first

    def _stored(self) -> Iterator[tuple[Version, dict[str, bytes]]]:
        """Each version of the history with its files, newest first."""
        repository, seen = Repository(self.home), set[int]()
        for entry in self._history():
            if entry.version not in seen:
                seen.add(entry.version)
                files = repository.files(entry.commit, f"sops/{self.sop.name}")
                yield entry, {path: content.data for path, content in files.items()}

    def _older(self) -> Iterator[tuple[Version, dict[str, bytes]]]:
        """Versions with other steps than now, that once were trusted, newest first; each kind of steps once."""
        tried = {contract_of(self.sop.folder)}
        for entry, files in self._stored():
            contract = _contract_said(files)
            if contract and contract not in tried and entry.status in PROVEN:
                tried.add(contract)
                yield entry, files

    def _passes_today(self, files: Mapping[str, bytes]) -> bool:
        verdict = self._proven(files, self.events[0]["parameters"], "active")
        return bool(verdict.cases) and verdict.cases[-1].passed is True

    def _proven(
        self, files: Mapping[str, bytes], values: Mapping[str, Any] | None, status: Status
    ) -> Verdict:
        with scratch_folder() as place:
            sop = replace(_written(place / self.sop.name, files), status=status)
            cwd = Path(self.events[0]["cwd"])
            return prove(
                sop,
                values,
                replay=self.replay,
                scratch=self.scratch,
                cwd=cwd,
                ground=self.ground,
            )

    # what is written

    def _set(self, status: Status, reason: str) -> list[Event]:
        self.store.set_status(
            self.sop.name, status, reason, self.run, expects_version=self.sop.version
        )
        return self._learned(status, reason)

    def _write(self, changed: Mapping[str, str], status: Status, reason: str) -> list[Event]:
        files: dict[str, str | bytes] = {
            path: c.data for path, c in contents_of(self.sop.folder).items()
        }
        self.store.write(
            self.sop.name,
            {**files, **changed},
            reason=reason,
            run=self.run,
            status=status,
            expects_version=self.sop.version,
        )
        return self._learned(status, reason)


def observed(events: Sequence[Event]) -> Outcome:
    """Return what came of a run that was not made on a copy."""
    ended = [event for event in events if event["type"] == "tool_ended"]
    end = events[-1]
    return Outcome(
        status=end["status"],
        result=end["result"],
        steps=tuple(event["status"] for event in ended),
        produced={},
        brought=tuple(event["data"] for event in ended),
        run=end["run"],
        seconds=_seconds(events),
    )


def _seconds(events: Sequence[Event]) -> float:
    """How long the tools worked: without the time in which the owner was asked."""
    started: dict[str, datetime] = {}
    total = 0.0
    for event in events:
        if event["type"] == "tool_started":
            started[event["call"]] = _time(event["at"])
        elif event["type"] == "tool_ended" and event["call"] in started:
            total += (_time(event["at"]) - started.pop(event["call"])).total_seconds()
    return total


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _merged(sop: Sop, draft: Draft, trace: Trace, values: Mapping[str, Any]) -> dict[str, bytes]:
    """The SOP's files with the draft's steps: its texts, wordings, cases and evidence stay, the run is added to them."""
    import yaml

    files = {path: content.data for path, content in contents_of(sop.folder).items()}
    old, new = yaml.safe_load(files["sop.yaml"]), yaml.safe_load(draft.files["sop.yaml"])
    new["parameters"] = (
        old.get("parameters") or new.get("parameters") or {"type": "object", "properties": {}}
    )
    new["wordings"] = list(
        dict.fromkeys([*(old.get("wordings") or []), *(new.get("wordings") or [])])
    )
    new.setdefault("requires", old.get("requires") or {})
    files = {path: data for path, data in files.items() if not path.startswith("scripts/")}
    files |= {
        path: text.encode()
        for path, text in draft.files.items()
        if path.startswith(("scripts/", "references/"))
    }
    files["sop.yaml"] = to_yaml(new).encode()
    found, taught = evidence(sop.folder), json.loads(draft.files.get("evidence.json", "{}"))
    found["runs"] = [*found.get("runs", []), *taught.get("runs", [{"run": trace.run}])]
    found = {
        key: value for key, value in found.items() if key not in ("tools", "budget")
    }  # measured anew
    found |= (
        {"tools": taught["tools"]} if "tools" in taught else {}
    )  # of what is not replayed, as they are now
    files["evidence.json"] = (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode()
    case = Case(
        free_name(read_cases(sop.folder)), values, {}, trace.request, trace.run, str(trace.cwd)
    )
    return files | {path: text.encode() for path, text in case.files().items()}


def _in_folder(name: str, files: Mapping[str, bytes]) -> Sop:
    """The files as an SOP that was read once; its folder is gone again."""
    with scratch_folder() as place:
        return _written(place / name, files)


def _written(folder: Path, files: Mapping[str, bytes]) -> Sop:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return read_sop(folder, False)


def _contract_said(files: Mapping[str, bytes]) -> str | None:
    with scratch_folder() as place:
        _written(place / "sop", files)
        return contract_of(place / "sop")


def _type(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    return schema.get("type"), schema.get("format"), tuple(map(str, schema.get("enum", ())))


def _calls(procedure: Procedure) -> list[str]:
    return [step.tool for step in procedure.steps if step.tool and not step.id.startswith("check")]


def _checks(procedure: Procedure) -> int:
    return sum(step.id.startswith("check") for step in procedure.steps)


def _branches(procedure: Procedure) -> list[tuple[str, str, str]]:
    """Where the steps part: conditions, and ends before the last step."""
    return [
        ("done" if step.done else "stop" if step.stop else "step", step.when, step.unless)
        for step in procedure.steps
        if step.when or step.unless or step.done or step.stop
    ]


def _hard_coded(old: Sop, new: Sop, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Values of this run that stand in the new steps and stood not in the old ones; short ones say nothing."""
    assert old.procedure is not None and new.procedure is not None
    before, after = _text(old.procedure), _text(new.procedure)
    for name, value in values.items():
        for text in map(str, value if isinstance(value, list) else [value]):
            pattern = rf"(?<![\w.]){re.escape(text)}(?![\w.])"
            if len(text) >= 3 and re.search(pattern, after) and not re.search(pattern, before):
                yield name, text


def _text(procedure: Procedure) -> str:
    steps = "\n".join(
        json.dumps(dict(step.args), ensure_ascii=False, default=str) for step in procedure.steps
    )
    return f"{steps}\n{procedure.script.source if procedure.script else ''}"


def _ways(procedure: Procedure) -> int:
    """How often the script of a procedure parts its way."""
    if procedure.script is None:
        return 0
    return sum(
        isinstance(node, ast.If | ast.IfExp | ast.Try)
        for node in ast.walk(ast.parse(procedure.script.source))
    )


@contextmanager
def _ledger(home: Path) -> Iterator[dict[str, list[dict[str, str]]]]:
    """The tries so far, by SOP; written back at the end. One process at a time."""
    path = home / "sops" / ".repairs.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            tries: dict[str, list[dict[str, str]]] = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            tries = {}
        yield tries
        write_atomic(path, json.dumps(tries, ensure_ascii=False, indent=1))
