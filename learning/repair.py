"""Say what becomes of an SOP after a run of it: promoted, repaired, rolled back, suspended. Never
deleted.

`after_run` is the one entry, called when a run has ended. Failures are sorted by what the replay's
event says: `world` (not ready, or it refuses the input) and `parameter` (the request was not for
this SOP) are not held against it; `expectation`, `check` and `budget` are. A failed `step` is where
the same values went well before. What a model then did in the same world the SOP should have done.
Only SOPs that were learned are changed; those of the owner, and seeds, get a proposal. Source: seed
002 §2, §3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from learning.cases import Case, free_name, read_cases
from learning.draft import LearningError
from learning.folder import in_folder
from learning.guards import evidence, over_budget
from learning.patches import Crystallise, diff, patch, with_new_labels
from learning.trace import end_of
from learning.verify import (
    PROVEN,
    Attempt,
    CaseResult,
    Outcome,
    Verdict,
    difference,
    has_unchecked_commit,
    prove,
)
from memory.history import Repository, contents_of
from memory.logs import read_events
from memory.sops import Sop, SopError, SopStore, Status, contract_of
from memory.sops.changing import SopChanges, SopConflict, Version
from memory.sops.curve import SopRun, SopStats
from models.base import Event
from models.errors import Blame
from replay.procedure import Procedure, ProcedureError

IMPORTED = "sopwith-source"  # what came from elsewhere and was enabled by the owner
CLEAN_RUNS = 3  # from probation to active
IN_A_ROW, OF_LAST, LAST = 2, 3, 10  # failures that retire a version
HELD_AGAINST = ("expectation", "check", "budget")
MOST_READ = 50  # runs that are looked through for the same values
NOT_SUPERVISED = "--approve all"  # nobody looked
KNOWN_FAILURES = "## Known failures"


@dataclass(frozen=True, slots=True)
class Use:
    """How one run went for its SOP. `kind` is what it failed on, empty for a clean run."""

    run: str
    at: str
    kind: Blame | Literal[""]
    step: str = ""
    reason: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    was_finished_by_model: bool = False
    is_over: bool = True  # False: it waits or was cancelled, which says nothing

    @property
    def is_clean(self) -> bool:
        """Return True if nothing went wrong."""
        return self.is_over and not self.kind


def after_run(
    events: Sequence[Event],
    *,
    sops: SopStore,
    store: SopChanges,
    stats: SopStats,
    attempt: Attempt,
    crystallise: Crystallise,
) -> list[Event]:
    """Take a run that has ended into account and return `learned` events for what changed: {what:
    sop, name, status, reason}.

    `events` are those of its log. Status "proposed" means: the owner's own SOP, or a seed, would
    need this. Raises SopError, RepositoryError, RunLogError; the run itself is over and its log
    closed.
    """
    opening = events[0]
    sops.reload()
    sop = sops.get(opening.get("sop") or "")
    if sop is None or sop.procedure is None or sop.status == "archived":
        return []
    if sop.version != opening["sop_version"]:
        return []
    after = _After(list(events), sop, store, stats, attempt, crystallise)
    try:
        return after.changes()
    except SopConflict:  # somebody else changed it meanwhile; the next run is judged anew
        return []
    finally:
        sops.reload()


def judge(events: Sequence[Event], sop: Sop) -> Use:
    """Sort a run: clean, or what it failed on."""
    opening, end = events[0], end_of(events)
    use = Use(opening["run"], opening["at"], "", values=opening.get("parameters", {}))
    if end is None or end["status"] in ("waiting", "cancelled"):
        return replace(use, is_over=False)
    is_done = end["status"] == "done"
    stops = (each for each in events if (each["type"], each.get("state")) == ("rote", "diverged"))
    if first := next(stops, None):
        kind, by_model = first.get("kind", "step"), is_done and not end["rote"]
        about = {"step": first["step"], "reason": first["reason"]}
        return replace(use, kind=kind, was_finished_by_model=by_model, **about)
    if not is_done:
        return replace(use, kind="step", reason=str(end["result"]))
    seen, budget = observed(events), evidence(sop.folder).get("budget") or {}
    over = over_budget(budget, seen.calls, seen.seconds)
    return replace(use, kind="budget", step="result", reason=over) if over else use


def is_learned(sop: Sop) -> bool:
    """Return True when the agent made it from runs: only then may the agent change it unasked."""
    author = str(sop.metadata.get("sopwith-author", sop.metadata.get("author", "")))
    is_own = sop.is_seed or author.casefold() == "owner"
    return not is_own and bool(evidence(sop.folder).get("runs"))


def with_known_failure(text: str, line: str) -> str:
    """Return the text of a SKILL.md with one more line under "Known failures"."""
    entry = f"- {' '.join(line.split())[:400]}"
    head, found, rest = text.partition(f"{KNOWN_FAILURES}\n")
    if not found:
        return f"{text.rstrip()}\n\n{KNOWN_FAILURES}\n\n{entry}\n"
    rest = rest.lstrip("\n").removeprefix("- None yet.").lstrip("\n")
    return f"{head}{KNOWN_FAILURES}\n\n{entry}\n{rest}"


@dataclass(slots=True)
class _After:
    """One run and what follows from it."""

    events: list[Event]
    sop: Sop
    store: SopChanges
    stats: SopStats
    attempt: Attempt
    crystallise: Crystallise
    went_well: list[Mapping[str, Any]] = field(
        default_factory=list
    )  # values, as far as they are read

    @property
    def run(self) -> str:
        return str(self.events[0]["run"])

    @property
    def home(self) -> Path:
        return self.store.home

    @property
    def procedure(self) -> Procedure:
        assert self.sop.procedure is not None
        return self.sop.procedure

    def changes(self) -> list[Event]:
        use = judge(self.events, self.sop)
        if use.is_clean:
            return self._relabelled() or self._promoted()
        if not self._counts_against(use):
            return []
        refused: list[Event] = []
        if use.was_finished_by_model:
            found, why = self._repaired(use)
            if found:
                return found
            refused = self._learned("refused", f"not repaired: {why}")
        return refused + self._retired(use)

    def _learned(self, status: str, reason: str, **more: str) -> list[Event]:
        event: Event = {"type": "learned", "what": "sop", "name": self.sop.name}
        return [event | {"status": status, "reason": reason} | more]

    # a clean run

    def _relabelled(self) -> list[Event]:
        """Keep the labels of a page's fields that the owner said yes to."""
        if not is_learned(self.sop):
            return []
        text = (self.sop.folder / "sop.yaml").read_text("utf-8")
        new = with_new_labels(text, self.events)
        reason = "fields of the page have other labels, as the owner confirmed"
        return self._write({"sop.yaml": new}, self.sop.status, reason) if new else []

    def _promoted(self) -> list[Event]:
        if not is_learned(self.sop) and IMPORTED not in self.sop.metadata:
            return []
        if self.sop.status == "probation":
            clean = list(islice(self._uses_since_probation(), CLEAN_RUNS))
            is_enough = len(clean) == CLEAN_RUNS and all(use.is_clean for use in clean)
            return self._set("active", f"{CLEAN_RUNS} clean runs") if is_enough else []
        is_new = self.sop.status in ("draft", "candidate")
        return self._earned_in_sight() if is_new and self._was_supervised() else []

    def _was_supervised(self) -> bool:
        """Return True if the owner said yes to all that was asked; or was there, nothing had to be
        asked, and checks proved what was done.

        An SOP that is not proven yet runs only when the owner asks for it by its name, and its
        result is shown.
        """
        said = [event for event in self.events if event["type"] == "confirmed"]
        if not said:
            return bool(self.events[0].get("attended")) and not has_unchecked_commit(self.procedure)
        return all(e["decision"] != "no" and e["reason"] != NOT_SUPERVISED for e in said)

    def _earned_in_sight(self) -> list[Event]:
        """Give for a confirmed run of what cannot be tried the status that a try gives."""
        cases, opening, outcome = read_cases(self.sop.folder), self.events[0], observed(self.events)
        expect = {"status": outcome.status, "result": outcome.result}
        about = (opening["task"], self.run, opening["cwd"])
        mine = Case(free_name(cases), opening["parameters"], expect, *about)
        tried = CaseResult(mine, True, "", outcome)
        seen = [case for case in cases if "result" in case.expect and case.run]
        reasons = [self._difference(case, tried) for case in seen]
        if reasons and "" not in reasons:
            return []
        is_proven = "" in reasons and not has_unchecked_commit(self.procedure)
        status: Status = "probation" if is_proven else "candidate"
        if status == self.sop.status:
            return []
        return self._write(mine.files(), status, f"{status}: a run that the owner confirmed")

    def _difference(self, seen: Case, mine: CaseResult) -> str:
        before = observed(list(read_events(self.home, seen.run)))
        return difference(self.procedure, CaseResult(seen, True, "", before), mine)

    # a failure that a model mended

    def _repaired(self, use: Use) -> tuple[list[Event], str]:
        """Return what came of repairing it, or why it is not repaired."""
        try:
            files = patch(self.events, self.sop, self.crystallise)
        except (LearningError, ProcedureError, SopError) as error:
            return [], str(error)
        said = f"{use.step}: {use.reason}"
        if not is_learned(self.sop):
            old = contents_of(self.sop.folder)
            changed = diff({path: content.data for path, content in old.items()}, files)
            return self._learned("proposed", said, diff=changed), ""
        verdict = self._proven(files, None, "candidate")
        failed = [result.reason for result in verdict.cases if result.passed is not True]
        if failed or not verdict.passed:
            reason = [*failed, verdict.reason][0]
            return [], f"the new version does not do what it should: {reason}"
        added = {path: text.encode() for path, text in verdict.files.items()}
        status: Status = "probation" if verdict.status_after == "probation" else "candidate"
        return self._stored({**files, **added}, status, f"repaired: {said}"), ""

    # failures that retire a version

    def _retired(self, use: Use) -> list[Event]:
        why = self._why_retire()
        if self.sop.status not in PROVEN or not why:
            return []
        said = f"{why}; last: {use.step}: {use.reason}"
        if not is_learned(self.sop):
            return self._learned("proposed", f"suspend it: {said}")
        for version, files in self._older():
            today = self._proven(files, self.events[0]["parameters"], "active").cases
            if today and today[-1].passed is True:
                reason = f"rolled back: {said}"
                sop = self.store.rollback(self.sop.name, version.version, reason, self.run)
                told = f"rolled back to version {version.version}: {said}"
                return self._learned(sop.status, told)
        skill = (self.sop.folder / "SKILL.md").read_text(encoding="utf-8")
        note = f"{datetime.now(UTC):%Y-%m-%d}, version {self.sop.version} was suspended: {said}"
        noted = {"SKILL.md": with_known_failure(skill, note)}
        return self._write(noted, "suspended", f"suspended: {said}")

    def _why_retire(self) -> str:
        last = ((use, self._counts_against(use)) for use in islice(self._uses(), LAST))
        failed = [is_failed for use, is_failed in last if is_failed or use.is_clean]
        if failed == [True] and next(self._older(), None):
            return "a new version failed its first use"
        if len(failed) >= IN_A_ROW and all(failed[:IN_A_ROW]):
            return f"{IN_A_ROW} failures in a row"
        said = f"{sum(failed)} failures in the last {len(failed)} runs"
        return said if sum(failed) >= OF_LAST else ""

    def _counts_against(self, use: Use) -> bool:
        """Return True if the SOP is to blame: a step may fail, and a read bring something else,
        because values that are new do not fit the world."""
        if not use.is_over or use.step == "requires":
            return False
        is_before_a_write = use.kind == "expectation" and use.step.startswith("plan.")
        if use.kind == "step" or is_before_a_write:
            self.went_well = self.went_well or list(self._went_well())
            return use.was_finished_by_model or use.values in self.went_well
        return use.kind in HELD_AGAINST or (use.kind == "world" and use.was_finished_by_model)

    def _went_well(self) -> Iterator[Mapping[str, Any]]:
        """Yield the values of the cases, and of the last runs of any version that were clean."""
        for case in read_cases(self.sop.folder):
            yield case.parameters
        for use in map(self._use, islice(self._rows(), MOST_READ)):
            if use.is_clean:
                yield use.values

    def _rows(self) -> Iterator[SopRun]:
        """Yield the runs of any version but those that taught, newest first."""
        return (row for row in reversed(self.stats.runs(self.sop.name)) if row.lane != "teach")

    def _uses(self) -> Iterator[Use]:
        """Yield the runs of these very steps, newest first."""
        first = self._first_version()
        for row in self._rows():
            if row.version is not None and row.version >= first:
                yield self._use(row)

    def _uses_since_probation(self) -> Iterator[Use]:
        since = datetime.min.replace(tzinfo=UTC).isoformat()
        for entry in self._history():
            if entry.status != "probation":
                break
            since = entry.at
        for use in self._uses():
            if _time(use.at) >= _time(since):
                yield use

    def _use(self, row: SopRun) -> Use:
        is_this = row.run == self.run
        return judge(self.events if is_this else list(read_events(self.home, row.run)), self.sop)

    def _history(self) -> list[Version]:
        return [] if Repository(self.home).problem else self.store.history(self.sop.name)

    def _first_version(self) -> int:
        """Return the oldest version, without a gap, whose steps are those of now."""
        now, first = contract_of(self.sop.folder), self.sop.version
        for entry, files in self._kept():
            if _contract(files) != now:
                break
            first = entry.version
        return first

    def _kept(self) -> Iterator[tuple[Version, dict[str, bytes]]]:
        """Yield each version of the history with its files, newest first."""
        repository, seen = Repository(self.home), set[int]()
        for entry in self._history():
            if entry.version not in seen:
                seen.add(entry.version)
                files = repository.files(entry.commit, f"sops/{self.sop.name}")
                yield entry, {path: content.data for path, content in files.items()}

    def _older(self) -> Iterator[tuple[Version, dict[str, bytes]]]:
        """Yield versions with other steps that once were trusted, newest first, each once."""
        tried = {contract_of(self.sop.folder)}
        for entry, files in self._kept():
            contract = _contract(files)
            if contract and contract not in tried and entry.status in PROVEN:
                tried.add(contract)
                yield entry, files

    def _proven(
        self, files: Mapping[str, bytes], values: Mapping[str, Any] | None, status: Status
    ) -> Verdict:
        with in_folder(self.sop.name, files) as sop:
            tried, cwd = replace(sop, status=status), Path(self.events[0]["cwd"])
            return prove(tried, values, attempt=self.attempt, cwd=cwd)

    # storing

    def _set(self, status: Status, reason: str) -> list[Event]:
        version = self.sop.version
        self.store.set_status(self.sop.name, status, reason, self.run, expects_version=version)
        return self._learned(status, reason)

    def _write(self, changed: Mapping[str, str], status: Status, reason: str) -> list[Event]:
        known = {path: each.data for path, each in contents_of(self.sop.folder).items()}
        new = {path: text.encode() for path, text in changed.items()}
        return self._stored({**known, **new}, status, reason)

    def _stored(self, files: Mapping[str, bytes], status: Status, reason: str) -> list[Event]:
        about: dict[str, Any] = {"run": self.run, "expects_version": self.sop.version}
        self.store.write(self.sop.name, dict(files), status=status, reason=reason, **about)
        return self._learned(status, reason)


def observed(events: Sequence[Event]) -> Outcome:
    """Return what came of a run that was real."""
    ended = [event for event in events if event["type"] == "tool_ended"]
    brought = tuple(event["data"] for event in ended)
    end = end_of(events) or {}
    about = (events[0]["run"], len(ended), _seconds(events))
    return Outcome(end["status"], end["result"], {}, brought, *about)


def _seconds(events: Sequence[Event]) -> float:
    """Return how long the tools worked: without the time in which the owner was asked."""
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


def _contract(files: Mapping[str, bytes]) -> str | None:
    with in_folder("sop", files) as sop:
        return contract_of(sop.folder)
