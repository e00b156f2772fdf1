"""The run log: lists, traces, what a model was sent; the inbox and the doctor. Routes: docs/web-api.md."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from itertools import islice, takewhile
from typing import Any

from context import Prompts
from context.tokens import estimate
from memory.inbox import Answer, Entry, Inbox, InboxError
from memory.logs import RunSummary, list_runs, read_events, summarise
from memory.usage import Totals
from runs.doctor import checks
from runs.resume import read_progress
from safety.secrets import without
from ui.event_text import entry_text
from ui.web import shapes
from ui.web.filter import worded
from ui.web.live.work import row
from ui.web.routes.here import Here, Json, routes
from ui.web.routes.talking import files_of
from ui.web.site import NotThere, Site, found
from ui.words import in_words

to = routes("runs")


@to.get("/api/runs")
def runs(site: Here, limit: int = 100, before: str = "", status: str = "", text: str = "") -> Json:
    limit = max(1, min(limit, 1_000))
    wanted = (before, status, text.lower())
    known = list_runs(site.home, None if any(wanted) else limit + 1)
    kept = list(islice((run for run in known if _is_wanted(run, *wanted)), limit + 1))
    return {"runs": [row(run) for run in kept[:limit]], "more": len(kept) > limit}


def _is_wanted(run: RunSummary, before: str, status: str, text: str) -> bool:
    if before and run.run >= before:
        return False
    return status in ("", run.status) and text in run.task.lower()


@to.get("/api/runs/{run}")
async def trace(site: Here, run: str, after: int = 0) -> Json:
    seq, epoch, run = site.hub.seq, site.hub.epoch, site.find(run)
    child = site.work.children.get(run)
    text = child.said if child else ""
    said = await asyncio.to_thread(lambda: {**_trace(site, run, max(0, after)), "text": text})
    return {**said, "seq": seq, "epoch": epoch}


@to.get("/api/runs/{run}/sent")
def sent(site: Here, run: str, turn: int = 1) -> Json:
    run = site.find(run)
    before = takewhile(
        lambda event: event["type"] != "model_called" or event["turn"] < turn,
        read_events(site.home, run),
    )
    upto = found(list(before), "There is no such turn.")
    progress = read_progress(upto, Prompts(upto[0].get("lang", "en")), site.home / "runs" / run)
    tokens = sum(estimate(str(message.get("content") or "")) for message in progress.messages)
    return {"turn": turn, "messages": progress.messages, "tokens": tokens}


@to.get("/api/inbox")
def inbox(site: Here) -> Json:
    return {"inbox": [_entry(site, entry) for entry in Inbox(site.home).list()]}


def _entry(site: Site, entry: Entry) -> Json:
    summary = summarise(site.home, entry.run) if entry.run else None
    more = {"text": entry_text(entry), "is_expired": entry.is_expired}
    return asdict(entry) | more | {"task": summary.task if summary else ""}


@to.post("/api/inbox/{id}", status_code=202)
async def settle(site: Here, id: str, body: shapes.Settled) -> Json:
    box = Inbox(site.home)
    try:
        entry = await asyncio.to_thread(box.get, id)
    except InboxError as error:
        raise NotThere("error.ui-web.nobody-asks-any-more") from error
    if entry.kind == "notice" or (entry.kind == "proposal" and body.decision == "deny"):
        box.remove(entry.id)
        return {"run": None}
    said = without(site.config, body.text)
    await asyncio.to_thread(box.answer, entry, Answer(body.decision, said))
    order = {"do": "resume", "run": entry.run}
    return {"run": await site.work.begin(order)}


@to.get("/api/doctor")
def doctor(site: Here) -> Json:
    rows = [asdict(check) for check in checks(site.spoken())]
    return {"checks": [{**each, "detail": in_words(each["detail"])} for each in rows]}


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
