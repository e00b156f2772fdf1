"""The first page: what waits, failed and is due; what was used, and what rote has saved. Routes: docs/web-api.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.inbox import Inbox
from memory.logs import RunSummary, list_runs
from memory.sops.curve import Counts, SopStats
from memory.spent import FAILED, by_day, by_model, by_sop, since
from runs.schedule.due import Due, due_between
from runs.schedule.folder import JobFolder
from runs.schedule.ledger import Ledger
from ui.web.live.work import row
from ui.web.routes.here import Here, Json, routes
from ui.web.routes.world import entry
from ui.web.site import Site

MAX_DAYS = 366
SHOWN = 5  # of a list
RECENT = timedelta(days=7)
AHEAD = timedelta(days=1)
MAX_DUE = 300  # of one job: every five minutes
to = routes("overview")


@to.get("/api/overview")
def overview(site: Here, days: int = 30) -> Json:
    today = datetime.now().astimezone().date()
    first = today - timedelta(days=max(1, min(days, MAX_DAYS)) - 1)
    runs = list_runs(site.home)
    recent = [run for _, run in since(runs, today - RECENT)]
    used = since(runs, first)
    within = [run for _, run in used]
    failed = [run for run in recent if run.status in FAILED]
    counts = SopStats(site.home).of_all()
    return {
        "waiting": len(Inbox(site.home).list()),
        "failed": _listed(site, failed),
        "due": _due(site),
        "days": list(by_day(used, first, today)),
        "models": by_model(within),
        "sops": [each | _saved(counts.get(each["sop"])) for each in by_sop(within)],
        "saved": _together(counts.values()),
        "budget": _budget(site, [run for day, run in used if day == today]),
    }


def _listed(site: Site, runs: list[RunSummary]) -> dict[str, Any]:
    return {"n": len(runs), "runs": [row(run) for run in runs[:SHOWN]]}


def _due(site: Site) -> dict[str, Any]:
    """Return the jobs that are due, each with its next time and how often it comes."""
    now = datetime.now(UTC)
    folder = JobFolder(site.home)
    found = due_between(folder, Ledger(site.home), now, now, now + AHEAD, MAX_DUE)
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


def _saved(counts: Counts | None) -> dict[str, Any]:
    return {"saved": asdict(counts.saved) if counts and counts.saved else None}


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
