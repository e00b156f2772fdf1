"""The process of one due time: begins the run of a claimed row, or goes on with it, drives it to
its end, settles the row.

A process of its own can be stopped and killed alone (`runs cancel`), and lives on when the
scheduler dies: it holds the claimer's lock too, so nobody else takes the row meanwhile. Started by
runs/schedule/scheduler.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from config import Config, Message, SopwithError, find_lang, load
from memory.logs import summarise
from models.base import Event
from runs.assemble import Agent, Options
from runs.control.bounds import owner_by
from runs.run import Run
from runs.schedule.folder import JobFolder
from runs.schedule.jobs import Broken, Job
from runs.schedule.ledger import Ledger, Row, moment
from runs.schedule.outcomes import Outcomes, is_worked_on

MINUTE = "%Y-%m-%d %H:%M"


def do(
    config: Config, ledger: Ledger, row: Row, hear: Callable[[Event], None] = lambda _: None
) -> None:
    """Do what a claimed row is due for; `hear` gets the events. Whatever stands in the way becomes
    the row's end."""
    folder, now = JobFolder(config.home), datetime.now(UTC)
    outcomes, found = Outcomes(config, ledger, folder), folder.one(row.job)
    job = found if isinstance(found, Job) else None
    if reason := _why_not(row, found):
        outcomes.skip(row, job, reason, now)
        return
    assert job is not None
    note = _spent(config, ledger, now)
    if note:
        config = config.but(models=())  # what is done by rote costs nothing, and goes on
    try:
        run = _run(config, row, job, _occasion(ledger, row, job))
        row = replace(row, run=run.id)
        is_ours = ledger.begin(row, run.id, datetime.now(UTC))
    except SopwithError as error:
        if not (is_worked_on(config.home, row) or outcomes.settle(row, job)):
            outcomes.fail(row, job, error.message, now)
        return
    if is_ours:  # else it has another owner, and another run
        for event in run.events():
            hear(event)
        outcomes.settle(row, job, note)


def _why_not(row: Row, found: Job | Broken | None) -> str:
    """Return why a claimed row is skipped after all; "" where it is done."""
    if found is None:
        return Message("error.due.gone")
    if isinstance(found, Broken):
        return Message("error.due.no-job")
    is_wanted = found.enabled or row.run or row.kind == "hand"
    return "" if is_wanted else Message("error.due.disabled")


def _spent(config: Config, ledger: Ledger, now: datetime) -> str:
    """Return that the money of the day is used up, else ""."""
    spent, most = ledger.spent(now - timedelta(days=1)), config.limits.cost_usd_per_day
    if not config.models or spent < most:
        return ""
    return Message("error.due.spent", spent=f"{spent:.2f}", most=f"{most:.2f}")


def _occasion(ledger: Ledger, row: Row, job: Job) -> dict[str, str]:
    """Return what the model is told of the job: its name, when it is due, when it last did well."""
    done = (each for each in ledger.rows(job.id, 20, end=row.at) if each.status == "done")
    last, due = next(done, None), row.at.astimezone(job.zone).strftime(MINUTE)
    success = last.at.astimezone(job.zone).strftime(MINUTE) if last else "-"
    return {"name": job.id, "due": due, "success": success}


def _run(config: Config, row: Row, job: Job, occasion: Mapping[str, str]) -> Run:
    """Return the run of this row: begun, or resumed where its process died."""
    agent, owner = Agent(config), owner_by(job.approve, is_job=True)
    options = Options(
        session=job.session,
        model=job.model or None if config.models else None,
        max_turns=job.limits.get("turns"),
        max_cost=job.limits.get("cost_usd"),
        max_minutes=job.limits.get("minutes"),
        approve=job.approve,
        window=False,  # the task stands alone
        cwd=Path(job.cwd).expanduser() if job.cwd else Path.home(),
        job=occasion,
    )
    if row.run and summarise(config.home, row.run) is not None:
        return agent.resume(row.run, options, owner)
    if job.prompt:
        return agent.start(job.prompt, options, owner)
    return agent.run_sop(job.sop, dict(job.parameters), options, owner)


def main(home: str, lang: str, job: str, due: str, owner: str) -> None:
    """Do the row that the arguments name, unless its claimer has lost it."""
    config = load(Path(home), find_lang(lang, {}), os.environ)
    ledger, at = Ledger(config.home), moment(int(due))
    for row in ledger.rows(job, start=at, end=at + timedelta(microseconds=1)):
        if row.due == int(due) and row.owner == owner and row.status in ("claimed", "running"):
            do(config, ledger, row)
