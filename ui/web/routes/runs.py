"""The run log: lists, traces, what a model was sent; the inbox and the doctor. Routes: docs/web-api.md."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from itertools import takewhile
from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse

from context import Prompts
from context.tokens import estimate
from memory.inbox import Answer, Inbox
from memory.logs import RunSummary, list_runs, read_events, summarise
from memory.usage import Totals
from runs.doctor import checks
from runs.resume import read_progress
from safety.secrets import without
from ui.event_text import entry_text
from ui.web import shapes
from ui.web.live.work import row
from ui.web.routes.here import Here
from ui.web.routes.talking import files_of
from ui.web.site import Site, found
from ui.web.worded import worded
from ui.words import in_words, language

to = APIRouter(tags=["runs"])


@to.get("/api/runs")
def runs(
    site: Here, limit: int = 100, before: str = "", status: str = "", text: str = ""
) -> JSONResponse:
    limit = max(1, min(limit, 1_000))
    kept: list[RunSummary] = []
    wanted = text.lower()
    for run in list_runs(site.home, None if before or status or text else limit + 1):
        is_wanted = (
            not (before and run.run >= before)
            and status in ("", run.status)
            and wanted in run.task.lower()
        )
        if not is_wanted:
            continue
        kept.append(run)
        if len(kept) > limit:
            break
    rows = [row(run) for run in kept[:limit]]
    return JSONResponse({"runs": site.clean(rows), "more": len(kept) > limit})


@to.get("/api/runs/{run}")
async def trace(site: Here, run: str, after: int = 0) -> JSONResponse:
    seq, epoch, run = site.hub.seq, site.hub.epoch, site.find(run)
    child = site.work.children.get(run)
    text = child.said if child else ""
    said = await asyncio.to_thread(
        lambda: site.clean({**_trace(site, run, max(0, after)), "text": text})
    )
    return JSONResponse({**said, "seq": seq, "epoch": epoch})


@to.get("/api/runs/{run}/sent")
def sent(site: Here, run: str, turn: int = 1) -> JSONResponse:
    run = site.find(run)
    events = list(read_events(site.home, run))
    before = takewhile(
        lambda event: not (event["type"] == "model_called" and event["turn"] >= turn), events
    )
    upto = list(before)
    found(upto or None, "There is no such turn.")
    progress = read_progress(upto, Prompts(upto[0].get("lang", "en")), site.home / "runs" / run)
    tokens = sum(estimate(str(message.get("content") or "")) for message in progress.messages)
    return JSONResponse({"turn": turn, "messages": site.clean(progress.messages), "tokens": tokens})


@to.get("/api/inbox")
def inbox(site: Here) -> JSONResponse:
    entries = [
        {
            **asdict(entry),
            "text": entry_text(entry),
            "is_expired": entry.is_expired,
            "task": (summary.task if (summary := summarise(site.home, entry.run)) else "")
            if entry.run
            else "",
        }
        for entry in Inbox(site.home).list()
    ]
    return JSONResponse({"inbox": site.clean(entries)})


@to.post("/api/inbox/{id}", status_code=202)
async def settle(site: Here, id: str, body: shapes.Settled) -> JSONResponse:
    site.touched()
    box = Inbox(site.home)
    entry = await asyncio.to_thread(box.get, id)
    if entry.kind == "notice" or (entry.kind == "proposal" and body.decision == "deny"):
        box.remove(entry.id)
        return JSONResponse({"run": None}, status_code=202)
    said = without(site.config, body.text)
    await asyncio.to_thread(box.answer, entry, Answer(body.decision, said))
    order = {"do": "resume", "run": entry.run}
    return JSONResponse({"run": await site.work.begin(order)}, status_code=202)


@to.get("/api/doctor")
def doctor(site: Here) -> JSONResponse:
    rows = [
        asdict(check)
        for check in checks(replace(site.config, lang="zh" if language() == "zh" else "en"))
    ]
    return JSONResponse(
        {"checks": site.clean([{**each, "detail": in_words(each["detail"])} for each in rows])}
    )


def _trace(site: Site, run: str, after: int) -> dict[str, Any]:
    events = list(read_events(site.home, run))
    totals = Totals(events)
    summary = found(summarise(site.home, run), "There is no such run.")
    return {
        "run": row(summary),
        "events": [*map(worded, events[after:])],
        "files": files_of(site.home, run),
        "totals": {**totals.as_fields(), "seconds": totals.seconds},
        "size": len(events),
    }
