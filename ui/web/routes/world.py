"""The first page, the schedule and the mind graph. Routes: docs/web-api.md."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Query

from memory.graph import Wanted, opened
from memory.graph import correct as correct_name
from memory.inbox import Inbox
from memory.journal.api import local_timezone, work_off
from memory.logs import RunSummary, list_runs
from memory.sops.curve import Counts, SopStats
from memory.spent import FAILED, by_day, by_model, by_sop, since
from runs.schedule.due import Due, coming, due_between
from runs.schedule.folder import JobFolder
from runs.schedule.jobs import job_of
from runs.schedule.ledger import Ledger
from runs.schedule.when import read_when
from ui.memory import iso, turn_as_json
from ui.runs.schedule import listed, rows_of
from ui.runs.schedule import when as when_said
from ui.web import shapes
from ui.web.live.tail import MAX_EDGES
from ui.web.live.work import row
from ui.web.routes.here import Here, Json, routes
from ui.web.routes.learned import pairs
from ui.web.site import Conflict, NotThere, Site, found
from ui.words import in_words

MONTH = timedelta(days=31)
SETTLE_SECONDS = 10.0  # for the episodes of a corrected name
MAX_DUE = 50_000  # of one job: a month of every minute
PER_DAY = 4  # due times of one job on one day that are shown one by one
STATES = {"planned": "coming", "claimed": "working", "running": "working"}
VERBS = ("enable", "disable", "remove", "run-now")
to = routes("graph-schedule-inbox")
MAX_DAYS = 366
SHOWN = 5  # of a list
RECENT = timedelta(days=7)
AHEAD = timedelta(days=1)
SHOWN_ROWS = 500  # of a job's history
NEXT_DUE = 300  # of one job: every five minutes


@to.get("/api/schedule")
def jobs(site: Here) -> Json:
    found = listed(site.spoken())
    return {**found, "is_on": found["running"]}


@to.get("/api/schedule/calendar")
def calendar(
    site: Here,
    since: Annotated[str, Query(alias="from")] = "",
    until: Annotated[str, Query(alias="to")] = "",
) -> Json:
    now = datetime.now(UTC)
    start, end = moment(since) or now - MONTH / 2, moment(until) or now + MONTH
    if not timedelta(0) <= end - start <= 13 * MONTH:
        raise Conflict("error.ui-web.too-long-time-calendar")
    found = due_between(JobFolder(site.home), Ledger(site.home), now, start, end, MAX_DUE)
    return {"due": folded(found), "is_cut": len(found) >= MAX_DUE}


def folded(found: list[Due]) -> list[Json]:
    """Return the due times as rows; of one job, day and outcome at most PER_DAY, and then one row
    that counts the rest."""
    rows: list[Json] = []
    days: dict[tuple[str, date, str], list[Json]] = {}
    for due in found:
        day = days.setdefault((due.job, due.at.astimezone().date(), due.status), [])
        row = entry(due.job, due.at, due.status, due.run, due.reason)
        if len(day) > PER_DAY:
            day[-1]["more"] = day[-1].get("more", 0) + 1
            day[-1]["last"] = row["at"]
            continue
        day.append(row)
        rows.append(row)
    return rows


@to.get("/api/schedule/{id}/history")
def history(site: Here, id: str) -> Json:
    rows = rows_of(site.config, id, SHOWN_ROWS)
    return {"rows": [entry(row.job, row.at, row.status, row.run, row.reason) for row in rows]}


@to.post("/api/schedule/preview")
def preview(site: Here, body: shapes.When) -> Json:
    now, zone = datetime.now(UTC).replace(microsecond=0), local_timezone()
    fields = {"timezone": zone, **read_when(body.when, now, zone), "prompt": "preview"}
    job = job_of("preview", fields)
    times = [iso(at) for at in coming(job, now, now)]
    return {"said": when_said(job), "next": times, "timezone": job.timezone}


@to.post("/api/schedule")
async def add(site: Here, body: shapes.NewJob) -> Json:
    what = ["--sop", body.sop] if body.sop else []
    task = pairs(body.values) if body.sop else [body.task]
    words = ["schedule", "add", "--json", *what, "--cwd", str(site.cwd), "--", body.when, *task]
    job = json.loads(await site.said_by(words))["job"]
    return {"id": job["id"], "said": job["when"], "next": job["next"]}


@to.post("/api/schedule/{id}/{verb}")
async def change(site: Here, id: str, verb: str) -> Json:
    if verb not in VERBS:
        raise NotThere("error.ui-web.nothing-here")
    if verb == "run-now":  # it ends when the run does
        found(JobFolder(site.home).all().get(id), "There is no such job.")
        return {"id": id, **site.errand("schedule", id, ["schedule", "run-now", "--", id])}
    return {"id": id, "said": await site.said_by(["schedule", verb, "--", id])}


def entry(job: str, at: datetime, status: str, run: str | None, why: str) -> Json:
    """Return a due time as a calendar shows it."""
    state = STATES.get(status, status)
    return {"job": job, "at": iso(at), "state": state, "run": run or None, "why": in_words(why)}


def wanted_of(predicates: str = "", since: str = "", until: str = "") -> Wanted:
    """Return which edges are asked for."""
    named = [each for each in predicates.split(",") if each] or None
    return Wanted(None, named, moment(since), moment(until))


Asked = Annotated[Wanted, Depends(wanted_of)]


@to.get("/api/graph")
def snapshot(site: Here, wanted: Asked, limit: int = 500) -> Json:
    with opened(site.home) as graph:
        return graph.snapshot(wanted, max(1, min(limit, MAX_EDGES)))


@to.get("/api/graph/neighbours")
def neighbours(site: Here, name: str, wanted: Asked, limit: int = 100) -> Json:
    with opened(site.home) as graph:
        return graph.neighbours(name[:400], wanted, max(1, min(limit, MAX_EDGES)))


@to.post("/api/graph/names", status_code=204)
def correct(site: Here, body: shapes.GraphName) -> None:
    """Rename a name, merge it with another one, or leave it out; the journal itself stays as it
    is."""
    correct_name(site.home, body.name, body.meant)
    work_off(site.home, lambda: None, SETTLE_SECONDS, site.config.graph)


@to.get("/api/graph/evidence/{id}")
def evidence(site: Here, id: str) -> Json:
    with opened(site.home) as graph:
        shown = found(graph.evidence(id), "There is no such edge.")
    turns = [turn_as_json(turn) for turn in shown["turns"]]
    return {"episode": shown["episode"], "turns": turns}


def moment(text: str) -> datetime | None:
    """Return a time of the query, aware; None when it is not given. Raises Conflict."""
    if not text:
        return None
    try:
        given = datetime.fromisoformat(text.replace(" ", "+"))
        return given if given.tzinfo else given.astimezone()
    except (ValueError, OverflowError):
        raise Conflict("error.ui-web.time-time-looks-like") from None


@to.get("/api/overview")
def overview(site: Here, days: int = 30) -> Json:
    today = datetime.now().astimezone().date()
    first = today - timedelta(days=max(1, min(days, MAX_DAYS)) - 1)
    runs = list_runs(site.home)
    used = since(runs, first)
    within = [run for _, run in used]
    failed = [run for _, run in since(runs, today - RECENT) if run.status in FAILED]
    counts = SopStats(site.home).of_all()
    saved = {name: asdict(each.saved) for name, each in counts.items() if each.saved}
    return {
        "waiting": len(Inbox(site.home).list()),
        "failed": {"n": len(failed), "runs": [row(run) for run in failed[:SHOWN]]},
        "due": _due(site),
        "days": list(by_day(used, first, today)),
        "models": by_model(within),
        "sops": [each | {"saved": saved.get(each["sop"])} for each in by_sop(within)],
        "saved": _together(counts.values()),
        "budget": _budget(site, [run for day, run in used if day == today]),
    }


def _due(site: Site) -> dict[str, Any]:
    """Return the jobs that are due, each with its next time and how often it comes."""
    now = datetime.now(UTC)
    folder = JobFolder(site.home)
    found = due_between(folder, Ledger(site.home), now, now, now + AHEAD, NEXT_DUE)
    planned: dict[str, list[Due]] = {}
    for due in found:
        if due.status == "planned":
            planned.setdefault(due.job, []).append(due)
    tasks = {id: getattr(job, "prompt", "") for id, job in folder.all().items()}
    rows = [
        {
            **entry(id, dues[0].at, "planned", None, ""),
            "task": tasks.get(id, ""),
            "times": len(dues),
        }
        for id, dues in list(planned.items())[:SHOWN]
    ]
    return {"n": len(planned), "rows": rows}


def _together(counts: Iterable[Counts]) -> dict[str, Any]:
    """Return what rote has saved since the beginning, of all SOPs, and in how many runs."""
    found = [(each, each.saved) for each in counts if each.saved]
    return {
        "sops": len(found),
        "runs": sum(each.by_rote for each, _ in found),
        "tokens": sum(saved.tokens for _, saved in found),
        "seconds": round(sum(saved.seconds for _, saved in found), 3),
        "cost": round(sum(saved.cost for _, saved in found), 6),
    }


def _budget(site: Site, today: list[RunSummary]) -> dict[str, Any]:
    limits, day_ago = site.config.limits, datetime.now(UTC) - timedelta(days=1)
    return {
        "today": round(sum(run.cost for run in today), 6),
        "scheduled": round(Ledger(site.home).spent(day_ago), 6),
        "scheduled_most": limits.cost_usd_per_day,
        "run_most": limits.cost_usd,
    }
