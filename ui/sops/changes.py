"""Let an owner work on SOPs: `sops verify|history|rollback|enable|disable|export`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from config import Config
from learning.prove import Ground
from learning.verify import PROVEN, CaseResult, Verdict, verify
from memory.history import RepositoryError
from memory.sops import Sop, Status
from memory.sops.changing import SopChanges, Version
from memory.sops.curve import Counts, SopRun, SopStats, count
from runs.assemble import SEEDS, Agent
from runs.learning.lesson_files import stored
from ui import event_text as describe
from ui.command import JSON, Argument, command, whole
from ui.lists import columns, print_json, print_list, print_table, worded
from ui.sanitise import one_line
from ui.sops.sops import MARKS, NO, SopUsage, as_word, find, parameters, roots
from ui.words import say, says

MAX_REASON_CHARS = 300
MAX_PATHS = 8  # of what a case did
SIGNS = {"new": "+", "gone": "-"}
SHOWN_RUNS = 20  # of the table: the first one and the newest; --json has all


def changes(config: Config) -> SopChanges:
    """Return the write side of this home folder's SOPs."""
    return SopChanges(config.home, SEEDS)


@command("sops verify", Argument("sop"), Argument("values", "*"), JSON)
def verify_(args: Namespace, config: Config) -> int:
    """`sops verify NAME [k=v …]`: 0 when it passed, 1 when not."""
    agent = Agent(config)
    sop = agent.released(args.sop)
    values = parameters(args.values) or None
    verdict = verify(sop, values, attempt=agent.attempt, store=changes(config))
    if args.json:
        print_json(_as_json(verdict))
    else:
        for line in verdict_lines(verdict):
            print(line)
        if verdict.passed and not sop.is_seed and sys.stdin.isatty():
            _offer_the_new_form(sop, config)
    return 0 if verdict.passed else 1


def _offer_the_new_form(sop: Sop, config: Config) -> None:
    """Ask if steps that are only shell become one script, whose changes are held before they
    count."""
    from runs.learning.turning import turned
    from ui.sops.teaching.lesson_shown import show_output, show_paths
    from ui.terminal import read_next

    lesson = turned(sop, Ground.of(roots(config), config.home, Path.cwd()))
    if lesson is None:
        return
    print(say("sops.turn", name=sop.name))
    for case in lesson.cases:
        print(" ".join(f"{name}={as_word(value)}" for name, value in case.values.items()))
        show_paths(case.seen)
        show_output(case.seen)
    if read_next(say("sops.turn_prompt")).strip().lower() in NO:
        return
    status = lesson.status() if sop.status in PROVEN else sop.status
    new, _ = stored(Agent(config), lesson, status, say("sops.turned"))
    print(say("teach.stored", name=new.name, version=new.version, status=new.status))


def verdict_lines(verdict: Verdict) -> list[str]:
    """Return a line for each case, then what it comes to."""
    lines = [line for result in verdict.cases for line in _case_lines(result)]
    moved = verdict.status_before != verdict.status_after
    status = f"{verdict.status_before} → {verdict.status_after}" if moved else verdict.status_after
    return [*lines, f"{verdict.name} · {status} · {one_line(verdict.reason, MAX_REASON_CHARS)}"]


def _case_lines(result: CaseResult) -> list[str]:
    given = " ".join(f"{name}={as_word(value)}" for name, value in result.case.parameters.items())
    line = f"{MARKS[result.passed]} {result.case.name} {one_line(given, 160)}".rstrip()
    if result.reason:
        return [f"{line} · {one_line(result.reason, MAX_REASON_CHARS)}"]
    done = result.outcome.produced if result.outcome else {}
    found = [f"    {SIGNS.get(kind, '~')} {one_line(as_word(path))}" for path, kind in done.items()]
    return [line, *found[:MAX_PATHS]]


def _as_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "sop": verdict.name,
        "passed": verdict.passed,
        "status_before": verdict.status_before,
        "status": verdict.status_after,
        "reason": verdict.reason,
        "cases": [
            {
                "case": each.case.name,
                "parameters": dict(each.case.parameters),
                "passed": each.passed,
                "reason": each.reason,
            }
            for each in verdict.cases
        ],
    }


@command("sops history", Argument("sop"), JSON)
def history(args: Namespace, config: Config) -> int:
    """`sops history NAME`: newest first."""
    sop = find(config, args.sop)
    versions = changes(config).history(sop.name)
    found = {"sop": sop.name, "history": [asdict(version) for version in versions]}
    heads, rows = "version> status at:dim run:cyan reason*", []
    for each in versions:
        at, why = each.at[:16].replace("T", " "), one_line(each.reason, MAX_REASON_CHARS)
        rows.append([str(each.version), each.status, at, each.run or "–", why])
    return print_list(args, found, heads, rows, say("sops.as_shipped", name=sop.name))


@command("sops rollback", Argument("sop"), Argument("version", "?", kind=whole))
def rollback(args: Namespace, config: Config) -> int:
    """`sops rollback NAME [VERSION]`."""
    store, name = changes(config), find_name(config, args.sop)
    sop = store.rollback(name, args.version, say("sops.rollback_reason"))
    back_to = next((entry.restores for entry in store.history(name) if entry.restores), sop.version)
    print(say("sops.rolled_back", name=name, to=back_to, version=sop.version, status=sop.status))
    return 0


def find_name(config: Config, name: str) -> str:
    """Return the name of an SOP that is there, or was: one that was removed can be brought back.
    Raises SopUsage."""
    try:
        return find(config, name).name
    except SopUsage:
        try:
            if changes(config).history(name):
                return name
        except RepositoryError:
            pass
        raise


@command("sops disable", Argument("sop"))
def disable(args: Namespace, config: Config) -> int:
    """`sops disable NAME`: neither by rote nor as text, until it is enabled."""
    sop = find(config, args.sop)
    if sop.status == "archived":
        print(say("sops.is_disabled", name=sop.name))
        return 0
    changes(config).set_status(sop.name, "archived", say("sops.disable_reason"))
    print(say("sops.disabled", name=sop.name))
    return 0


@command("sops enable", Argument("sop"))
def enable(args: Namespace, config: Config) -> int:
    """`sops enable NAME`: what was disabled has the status again that it had; what failed has to
    prove itself anew."""
    sop, store = find(config, args.sop), changes(config)
    if sop.is_quarantined:
        from ui.sops.imports import let_in

        return let_in(sop, config)
    if sop.status not in ("archived", "suspended"):
        print(say("sops.is_enabled", name=sop.name, status=sop.status))
        return 0
    status = status_before(sop, store)
    store.set_status(sop.name, status, say("sops.enable_reason"))
    key = f"sops.enabled_{status}"
    print(say(key if says(key) else "sops.enabled", name=sop.name, status=status))
    return 0


def status_before(sop: Sop, store: SopChanges) -> Status:
    """Return the status that an SOP had before it was disabled; after failures at most a candidate,
    and without steps a draft."""
    if sop.procedure is None:
        return "draft"
    if sop.status == "suspended":
        return "candidate"
    try:
        earlier: Sequence[Version] = store.history(sop.name)
    except RepositoryError:
        return "draft"
    known = next((entry.status for entry in earlier if entry.status != "archived"), "draft")
    statuses: dict[str, Status] = {"suspended": "candidate", "candidate": "candidate"}
    statuses |= {"probation": "probation", "active": "active"}
    return statuses.get(known, "draft")


@command("sops export", Argument("sop"), Argument("path"))
def export(args: Namespace, config: Config) -> int:
    """`sops export NAME PATH`."""
    sop = find(config, args.sop)
    made = changes(config).export(sop.name, Path(args.path).expanduser().absolute())
    print(say("sops.exported", name=sop.name, path=made))
    return 0


@command("sops stats", Argument("sop"), JSON)
def stats(args: Namespace, config: Config) -> int:
    """`sops stats NAME`: per run its lane and what it took, then what was saved. `args`: sop,
    json."""
    sop = find(config, args.sop)
    runs, counts = learning_curve(config, sop)
    if args.json:
        return print_json(curve_as_json(sop, runs, counts))
    print(f"{sop.name} {sop.version} · {sop.status}")
    if not runs:
        print(say("stats_none", name=sop.name))
        return 0
    lanes = "run:cyan stats_lane turns> stats_calls> stats_tokens> stats_time> stats_outcome task*"
    outcomes = worded("status.") | worded("stats_outcome_")
    heads = columns(lanes, stats_lane=worded("stats_lane_"), stats_outcome=outcomes)
    shown = runs if len(runs) <= SHOWN_RUNS else [runs[0], *runs[1 - SHOWN_RUNS :]]
    print_table(heads, [_run_row(run) for run in shown], "")
    if len(runs) > SHOWN_RUNS:
        print(say("stats_more", n=len(runs) - SHOWN_RUNS))
    print()
    print("\n".join(_totals(counts)))
    return 0


def learning_curve(config: Config, sop: Sop) -> tuple[list[SopRun], Counts]:
    """Return the runs of an SOP and what they come to since the last rollback."""
    try:
        versions = changes(config).history(sop.name)
    except RepositoryError:
        versions = []
    runs = SopStats(config.home).runs(sop.name)
    return runs, count(runs, next((each.version for each in versions if each.restores), 0))


def curve_as_json(sop: Sop, runs: Sequence[SopRun], counts: Counts) -> dict[str, Any]:
    """Return the learning curve for machines."""
    rows = [{**asdict(run), "tokens": run.tokens} for run in runs]
    about = {"sop": sop.name, "status": sop.status, "version": sop.version}
    return {**about, "runs": rows, "totals": asdict(counts)}


def _run_row(run: SopRun) -> list[str]:
    numbers = [f"{number:,}" for number in (run.turns, run.model_calls, run.tokens)]
    said = one_line(f"{run.task} [{run.stopped}]" if run.stopped else run.task, 200)
    took, lane = describe.seconds(run.seconds), say(f"stats_lane_{run.lane}")
    keys = (f"stats_outcome_{run.outcome}", f"status.{run.outcome}")
    outcome = next(
        (say(key) for key in keys if says(key)), run.outcome
    )  # a later version knows more
    return [run.run, lane, *numbers, took, outcome, said]


def _totals(counts: Counts) -> list[str]:
    lines = []
    if counts.rote_rate is not None:
        share = f"{int(counts.rote_rate * 100)}%"
        lines.append(say("stats_runs", n=counts.runs, successes=counts.successes, share=share))
    if counts.failures:
        kinds = [f"{n} {say(f'stats_kind_{kind}')}" for kind, n in counts.failures.items()]
        lines.append(say("stats_kinds", kinds=" · ".join(kinds)))
    if counts.failures_in_row:
        lines.append(say("stats_failures", n=counts.failures_in_row))
    if counts.saved is not None:
        saved = counts.saved
        took = f"{'−' if saved.seconds < 0 else ''}{describe.seconds(abs(saved.seconds))}"
        parts = [say("stats_saved_tokens", tokens=f"{saved.tokens:,}"), took]
        parts += [describe.money(saved.cost)] if saved.cost > 0 else []
        lines.append(say("stats_saved", run=counts.first, saved=" · ".join(parts)))
    return lines
