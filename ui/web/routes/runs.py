"""The run log: lists, traces, what a model was sent; the inbox and the doctor. Routes:
docs/web-api.md."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from context import Prompts
from context.tokens import estimate
from memory.inbox import Answer, Inbox, InboxError
from memory.logs import list_runs, read_events, summarise
from memory.usage import Totals
from runs.doctor import checks
from runs.resume import read_progress
from runs.start.undoing import take_back
from safety.changes import Change
from safety.secrets import without
from sandbox.network import read
from sandbox.undo import StageError, UndoStore
from tools.staged import difference, images, listed, net, standing
from ui.event_text import entry_text
from ui.runs.inbox import as_json
from ui.web import shapes
from ui.web.filter import worded
from ui.web.live.work import row
from ui.web.routes.here import Here, Json, routes
from ui.web.routes.talking import files_of
from ui.web.site import Conflict, NotThere, Site, found
from ui.words import in_words

if TYPE_CHECKING:
    from sandbox.undo.store import Kept

to = routes("runs")
MAX_LISTED = 5_000


@to.get("/api/runs")
def runs(site: Here, limit: int = 100, status: str = "", text: str = "") -> Json:
    limit = max(1, min(limit, 1_000))
    known = list_runs(site.home, None if status + text else limit + 1)
    wanted = (run for run in known if status in ("", run.status))
    wanted = (run for run in wanted if text.lower() in run.task.lower())
    kept = list(islice(wanted, limit + 1))
    return {"runs": [row(run) for run in kept[:limit]], "more": len(kept) > limit}


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
    found = [
        as_json(entry, site.config) | {"text": entry_text(entry), "is_expired": entry.is_expired}
        for entry in Inbox(site.home).list()
    ]
    return {"inbox": found}


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


@to.get("/api/runs/{run}/changes")
def changes(site: Here, run: str) -> Json:
    kept, is_undone = _kept(site, run)
    shown = net(kept)
    return {
        "is_undone": is_undone,
        "changes": listed(shown[:MAX_LISTED]),
        "more": max(0, len(shown) - MAX_LISTED),
    }


@to.get("/api/runs/{run}/changes/{number}")
def one(site: Here, run: str, number: int) -> Json:
    """Return the lines that differ in the text file at this place of the list."""
    kept, is_undone = _kept(site, run)
    shown = net(kept)
    change = found(shown[number] if 0 <= number < len(shown) else None, "There is no such change.")
    diff = "" if is_undone else _difference(site.home, change, kept)
    return {"path": str(change.path), "diff": diff}


@to.post("/api/runs/{run}/undo")
async def undo(site: Here, run: str) -> Json:
    """Take back what the run changed; with conflicts nothing is done."""
    run = site.find(run)
    summary = summarise(site.home, run)
    if summary and summary.status == "working":
        raise Conflict("error.ui-web.run-still-working-stop")
    try:
        done = await asyncio.to_thread(take_back, site.config, run, None)
    except StageError as error:
        raise Conflict(in_words(str(error))) from error
    conflicts = [{"path": each.path, "why": in_words(each.why)} for each in done.conflicts]
    if not conflicts:
        undone = {"type": "undone", "run": run, "call": "", "paths": list(done.paths)}
        site.hub.publish(undone)
    return {"undone": list(done.paths), "conflicts": conflicts}


@to.get("/api/runs/{run}/network")
def network(site: Here, run: str) -> Json:
    return {"network": list(read(site.home / "runs" / site.find(run)))}


def _kept(site: Site, name: str) -> tuple[Sequence[Kept], bool]:
    """Return the entries of a run that hold now; where all were taken back, those, and True."""
    store, run = UndoStore.limited(site.home, site.config.undo), site.find(name)
    if holding := standing(store, run):
        return holding, False
    every = store.changes(run)
    return [each for each in every if each.state == "undone" and not each.is_undo], bool(every)


def _difference(home: Path, change: Change, kept: Sequence[Kept]) -> str:
    if change.type != "file":
        return ""
    before: dict[str, Any] = images(home, kept)
    image = "" if change.kind == "new" else before.get(str(change.was or change.path), "")
    after = "" if change.kind == "gone" else str(change.path)
    return difference(image, after, str(change.path)) if image or change.kind == "new" else ""
