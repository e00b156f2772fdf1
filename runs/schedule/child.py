"""The process of one due time: begins the run of a claimed row, or goes on with it, drives it to its end, settles the row.

A process of its own can be stopped and killed alone (`runs cancel`), and lives on when the scheduler dies: it holds the
claimer's lock too, so nobody else takes the row meanwhile. Started by runs/schedule/scheduler.py as
`python child.py HOME LANG JOB DUE OWNER`.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent.parent)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from config import Config
    from models.base import Event
    from runs.assemble import Options
    from runs.run import Run
    from runs.schedule.jobs import Broken, Job
    from runs.schedule.ledger import Ledger, Row
    from runs.schedule.outcomes import Outcomes


MINUTE = "%Y-%m-%d %H:%M"


def do(
    config: Config, ledger: Ledger, row: Row, hear: Callable[[Event], None] = lambda _: None
) -> None:
    """Does what a claimed row is due for; `hear` gets the events. Whatever stands in the way becomes the row's end."""
    from runs.schedule.folder import JobFolder
    from runs.schedule.jobs import Broken
    from runs.schedule.outcomes import Outcomes

    folder, now = JobFolder(config.home), datetime.now(UTC)
    outcomes, found = Outcomes(config, ledger, folder), folder.one(row.job)
    job = None if isinstance(found, Broken) else found
    if reason := _why_not(row, found):
        outcomes.skip(row, job, reason, now)
    elif job is not None:
        _do(config, ledger, outcomes, row, job, hear)


def _why_not(row: Row, found: Job | Broken | None) -> str:
    """Return why a claimed row is skipped after all; "" where it is done."""
    from runs.schedule.jobs import Broken

    if found is None:
        return "its file is gone"
    if isinstance(found, Broken):
        return "its file is no job any more"
    is_wanted = found.enabled or row.run or row.kind == "hand"
    return "" if is_wanted else "the job was disabled"


def _do(
    config: Config,
    ledger: Ledger,
    outcomes: Outcomes,
    row: Row,
    job: Job,
    hear: Callable[[Event], None],
) -> None:
    from config import SopwithError
    from memory.logs import worker

    now = datetime.now(UTC)
    note = _spent(config, ledger, now)
    if note:
        config = replace(config, models=())  # what is done by rote costs nothing, and goes on
    try:
        run = _run(config, row, job, _occasion(ledger, row, job))
        row = replace(row, run=run.id)
        is_ours = ledger.begin(row, run.id, datetime.now(UTC))
    except SopwithError as error:
        is_at_work = bool(row.run and worker(config.home / "runs" / row.run))
        if not is_at_work and not outcomes.settle(row, job):
            outcomes.fail(row, job, str(error), now)
        return
    if is_ours:  # else it has another owner, and another run
        for event in run.events():
            hear(event)
        outcomes.settle(row, job, note)


def _spent(config: Config, ledger: Ledger, now: datetime) -> str:
    """Return that the money of the day is used up, else ""."""
    spent, most = ledger.spent(now - timedelta(days=1)), config.limits.cost_usd_per_day
    if not config.models or spent < most:
        return ""
    return f"limits.cost_usd_per_day is used up: {spent:.2f} of {most:.2f} USD"


def _occasion(ledger: Ledger, row: Row, job: Job) -> dict[str, str]:
    """Return what the model is told of the job: its name, when it is due, when it last did well."""
    done = [each for each in ledger.rows(job.id, 20, end=row.at) if each.status == "done"]
    success = done[0].at.astimezone(job.zone).strftime(MINUTE) if done else "-"
    due = row.at.astimezone(job.zone).strftime(MINUTE)
    return {"name": job.id, "due": due, "success": success}


def _run(config: Config, row: Row, job: Job, occasion: Mapping[str, str]) -> Run:
    """The run of this row: begun, or resumed where its process died."""
    from memory.logs import summarise
    from runs.assemble import Agent
    from runs.control.owners import owner_by

    agent, owner, options = Agent(config), owner_by(job.approve, is_job=True), _options(config, job)
    options = replace(options, job=occasion)
    if row.run and summarise(config.home, row.run) is not None:
        return agent.resume(row.run, options, owner)
    if job.prompt:
        return agent.start(job.prompt, options, owner)
    return agent.run_sop(job.sop, dict(job.parameters), options, owner)


def _options(config: Config, job: Job) -> Options:
    from runs.assemble import Options

    return Options(
        session=job.session,
        model=job.model if job.model and config.models else None,
        max_turns=job.limits.turns,
        max_cost=job.limits.cost_usd,
        max_minutes=job.limits.minutes,
        approve=job.approve,
        window=False,  # the task stands alone
        cwd=Path(job.cwd).expanduser() if job.cwd else Path.home(),
    )


def main(home: str, lang: str, job: str, due: str, owner: str) -> int:
    """The row that is meant is done when its claimer has not lost it."""
    from config import find_lang, load
    from runs.schedule.ledger import Ledger, moment

    config = load(Path(home), find_lang(lang, {}), os.environ)
    ledger, at = Ledger(config.home), moment(int(due))
    for row in ledger.rows(job, start=at, end=at + timedelta(microseconds=1)):
        if row.due == int(due) and row.owner == owner and row.status in ("claimed", "running"):
            do(config, ledger, row)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
