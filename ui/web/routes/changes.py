"""Show what a run changed and what went over the network; take its changes back. Routes: docs/web-api.md."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory.logs import summarise
from safety.changes import Change
from sandbox.network import read
from sandbox.stage import StageError, UndoStore
from tools.staged import difference, images, listed, net, standing
from ui.runs import take_back
from ui.web import shapes
from ui.web.routes.here import Here, Json, routes
from ui.web.site import Conflict, Site, found
from ui.words import in_words

if TYPE_CHECKING:
    from sandbox.undo.store import Kept

MAX_LISTED = 5_000
to = routes("runs")


@to.get("/api/runs/{run}/changes")
def changes(site: Here, run: str, call: str = "") -> Json:
    store, run = _store(site), site.find(run)
    kept, is_undone = _kept(store, run, call or None)
    shown = net(kept)
    return {
        "run": run,
        "is_undone": is_undone,
        "changes": listed(shown[:MAX_LISTED]),
        "more": max(0, len(shown) - MAX_LISTED),
        "calls": [
            {"call": each.call, "at": each.at, "n": len(each.changes.changes)}
            for each in store.changes(run)
            if each.state == "done" and not each.is_undo
        ],
    }


@to.get("/api/runs/{run}/changes/{number}")
def one(site: Here, run: str, number: int, call: str = "") -> Json:
    """The lines that differ in the text file at this place of the list."""
    kept, is_undone = _kept(_store(site), site.find(run), call or None)
    shown = net(kept)
    change = found(shown[number] if 0 <= number < len(shown) else None, "There is no such change.")
    diff = "" if is_undone else _difference(site.home, change, kept)
    return {"path": str(change.path), "diff": diff}


@to.post("/api/runs/{run}/undo")
async def undo(site: Here, run: str, body: shapes.Undo) -> Json:
    """Take back what the run, or one call of it, changed; with conflicts nothing is done."""
    run = site.find(run)
    summary = summarise(site.home, run)
    if summary and summary.status == "working":
        raise Conflict("error.ui-web.run-still-working-stop")
    try:
        done = await asyncio.to_thread(take_back, site.config, run, body.call)
    except StageError as error:
        raise Conflict(in_words(str(error))) from error
    conflicts = [{"path": each.path, "why": in_words(each.why)} for each in done.conflicts]
    if not conflicts:
        undone = {"type": "undone", "run": run, "call": body.call or "", "paths": list(done.paths)}
        site.hub.publish(undone)
    return {"undone": list(done.paths), "conflicts": conflicts}


@to.get("/api/runs/{run}/network")
def network(site: Here, run: str) -> Json:
    return {"network": list(read(site.home / "runs" / site.find(run)))}


def _store(site: Site) -> UndoStore:
    return UndoStore.limited(site.home, site.config.undo)


def _kept(store: UndoStore, run: str, call: str | None) -> tuple[Sequence[Kept], bool]:
    """Return the entries that hold now; where all were taken back, those, and True."""
    if holding := standing(store, run, call):
        return holding, False
    every = store.changes(run, call)
    return [each for each in every if each.state == "undone" and not each.is_undo], bool(every)


def _difference(home: Path, change: Change, kept: Sequence[Kept]) -> str:
    if change.type != "file":
        return ""
    before: dict[str, Any] = images(home, kept)
    image = "" if change.kind == "new" else before.get(str(change.was or change.path), "")
    after = "" if change.kind == "gone" else str(change.path)
    return difference(image, after, str(change.path)) if image or change.kind == "new" else ""
