"""List, find, name, pin and hide conversations, and show all of one. Routes: docs/web-api.md."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from memory.files import write_atomic
from memory.home import MAIN
from memory.logs import RunSummary, list_runs, read_events, summarise
from memory.sops import SopStore
from runs.assemble import SEEDS
from runs.schedule.folder import JobFolder
from ui.web import shapes
from ui.web.live.work import row
from ui.web.routes import Here, Json, routes
from ui.web.routes.talking import chat
from ui.web.routes.talking.chat import files_of, opening
from ui.web.site import Site
from ui.web.worded import worded
from ui.words import language

LOOKED_AT = 400  # runs, for conversations
FOUND = 8  # of each kind
Noted = dict[str, Json]
to = routes("chat")
routers = (to, chat.to)


@to.get("/api/conversations")
def conversations(site: Here, limit: int = 50, text: str = "") -> Json:
    found = islice(_conversations(site, text.lower()), max(1, min(limit, 200)))
    return {"conversations": sorted(found, key=lambda each: not each["is_pinned"])}


@to.get("/api/conversations/{run}")
async def conversation(site: Here, run: str) -> Json:
    seq, epoch = site.hub.seq, site.hub.epoch  # before the logs: what comes meanwhile is sent too
    said = {child.run: child.said for child in site.work.children.values()}
    found = await asyncio.to_thread(lambda: _conversation(site, site.find(run), said))
    return {**found, "seq": seq, "epoch": epoch}


@to.post("/api/conversations/{run}")
def note(site: Here, run: str, body: shapes.TalkNote) -> Json:
    """Name, pin or hide the conversation that ends with this run; its runs stay in the run log."""
    run, noted = site.find(run), _noted(site)
    runs = [*(opening(site.home, run).get("previous") or ()), run]
    noted[run] = {**_note_of(noted, runs), **body.model_dump(exclude_none=True)}
    (site.home / "web").mkdir(mode=0o700, exist_ok=True)
    write_atomic(site.home / "web" / "conversations.json", json.dumps(noted), mode=0o600)
    return noted[run]


@to.get("/api/find")
def find(site: Here, q: str = "") -> Json:
    """Find runs, SOPs and jobs by words of theirs; what was said is found by the memory."""
    words = q.lower().split()[:20]
    runs = (row(each) for each in list_runs(site.home, None) if _has(words, each.task))
    sops = (
        {"name": each.name, "description": each.summary(language())}
        for each in SopStore(SEEDS, site.home / "sops").all()
        if _has(words, f"{each.name} {each.description} {each.summary(language())}")
    )
    jobs = (
        {"id": id, "task": getattr(job, "task", "")}
        for id, job in JobFolder(site.home).all().items()
        if _has(words, f"{id} {getattr(job, 'task', '')}")
    )
    most = FOUND if words else 0
    return {
        "runs": list(islice(runs, most)),
        "sops": list(islice(sops, most)),
        "jobs": list(islice(jobs, most)),
    }


def _has(words: list[str], text: str) -> bool:
    return all(word in text.lower() for word in words)


def _noted(site: Site) -> Noted:
    """Return what was noted of conversations, each under the run that was its last one then."""
    try:
        found = json.loads((site.home / "web" / "conversations.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _note_of(noted: Noted, runs: list[str]) -> Json:
    """Return the newest note; one that hides holds only until something more is said."""
    found = next((noted[run] for run in reversed(runs) if run in noted), {})
    is_current = runs[-1] in noted
    return {key: value for key, value in found.items() if is_current or key != "is_hidden"}


def _conversations(site: Site, text: str) -> Iterator[Json]:
    """Yield conversations, newest first. The runs of one are those that the newest names, and itself."""
    noted, taken = _noted(site), set[str]()
    for run in list_runs(site.home, None if text else LOOKED_AT):
        first = opening(site.home, run.run)
        if run.run in taken or not _is_said_here(first):
            continue
        runs = [*(first.get("previous") or ()), run.run]
        taken.update(runs)
        if found := _shown(site, runs, _note_of(noted, runs), text):
            yield {**found, "last": row(run), "at": run.started}


def _shown(site: Site, runs: list[str], note: Json, text: str) -> Json | None:
    """Return a conversation as the list shows it; None when it is hidden, or has not the text."""
    tasks = [str(opening(site.home, each).get("task") or "") for each in runs]
    title = str(note.get("title") or tasks[0])
    if note.get("is_hidden") or text not in "\n".join([title, *tasks]).lower():
        return None
    is_pinned = bool(note.get("is_pinned"))
    return {"id": runs[0], "title": title[:300], "is_pinned": is_pinned, "runs": runs}


def _is_said_here(first: Mapping[str, Any]) -> bool:
    """Return True for what the owner said in the main session: no lesson, no helper."""
    is_work = first.get("teaches") or first.get("parent")
    return first.get("session") == MAIN.name and not is_work


def _conversation(site: Site, run: str, said: Mapping[str, str]) -> Json:
    """Return all of the conversation that a run belongs to."""
    runs = [*(opening(site.home, run).get("previous") or ()), run]
    runs += [later.run for later in _later(site, run)]
    shown = [one for each in runs if (one := _run(site, each, said.get(each, "")))]
    note = _note_of(_noted(site), runs)
    return {"id": runs[0], "title": note.get("title") or "", "runs": shown}


def _run(site: Site, run: str, said: str) -> Json | None:
    summary = summarise(site.home, run)
    if summary is None:
        return None
    events = list(read_events(site.home, run))
    files = files_of(site.home, run)
    shown = {"run": run, "status": summary.status, "events": [*map(worded, events)]}
    return {**shown, "files": files, "text": said, "size": len(events)}


def _later(site: Site, run: str) -> list[RunSummary]:
    """Return the runs behind one in its conversation, oldest first: those of the newest that names it."""
    newer = [each for each in list_runs(site.home, LOOKED_AT) if each.run > run]
    for each in newer:
        previous = opening(site.home, each.run).get("previous") or []
        if run in previous:
            names = {*previous[previous.index(run) + 1 :], each.run}
            return sorted((one for one in newer if one.run in names), key=lambda one: one.run)
    return []
