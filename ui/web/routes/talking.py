"""Conversations: say something to the agent, speak to a run, answer it, attach files; list, find,
name, pin and hide what was said. Routes: docs/web-api.md."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.responses import Response

from memory.files import write_atomic
from memory.home import MAIN
from memory.logs import RunSummary, list_runs, read_events, summarise, worker
from memory.sops import SopStore
from models.images import IMAGES
from runs.assemble import SEEDS
from runs.control.remote import say_to
from runs.control.remote import stop as stop_it
from runs.schedule.folder import JobFolder
from ui.web import shapes
from ui.web.filter import worded
from ui.web.guard import MAX_UPLOAD
from ui.web.live.work import row
from ui.web.routes.here import Here, Json, routes
from ui.web.site import Conflict, NotThere, Site, TooLarge
from ui.words import language

to = routes("chat")
_INTERNAL = {"log.jsonl", "lock", "steer", "steer.taken", "page.json", "web"}
MAX_FILES = 200
LOOKED_AT = 400  # runs, for conversations
FOUND = 8  # of each kind
Noted = dict[str, Json]


@to.post("/api/chat", status_code=202)
async def chat(site: Here, body: shapes.Chat) -> Json:
    if not body.text.strip() and not body.files:
        raise Conflict("error.ui-web.nothing-do-message-empty")
    previous: list[str] = []
    if body.after:
        after = site.find(body.after)
        found = summarise(site.home, after)
        # one that has said its last may still put things away
        if found and found.status == "working":
            raise Conflict("error.ui-web.run-work-2")
        previous = [*earlier(opening(site.home, after)), after]
    order = {
        "do": "start",
        "task": body.text,
        "previous": previous,
        "after": body.after,
        "files": [str(uploaded(site, id)) for id in body.files],
        "options": body.model_dump(include={"model", "persona", "rote"}) | {"cwd": str(site.cwd)},
    }
    return {"run": await site.work.begin(order)}


@to.post("/api/runs/{run}/steer", status_code=204)
async def steer(site: Here, run: str, body: shapes.Said) -> None:
    run = site.find(run)
    if site.work.say(run, body.text):
        return
    if not await asyncio.to_thread(say_to, site.config, run, body.text):
        raise Conflict("error.ui-web.run-work")


@to.post("/api/runs/{run}/stop", status_code=204)
async def stop(site: Here, run: str) -> None:
    run = site.find(run)
    if site.work.stop(run):
        return
    if worker(site.home / "runs" / run) == os.getpid():  # the daily upkeep, in this very process
        raise Conflict("error.ui-web.run-server-own")
    if not await asyncio.to_thread(stop_it, site.config, run):
        raise Conflict("error.ui-web.run-ended")


@to.post("/api/runs/{run}/resume", status_code=202)
async def resume(site: Here, run: str) -> Json:
    return {"run": await site.work.begin({"do": "resume", "run": site.find(run)})}


@to.post("/api/asked/{id}", status_code=204)
async def answer(site: Here, id: str, body: shapes.Word) -> None:
    given = body.model_dump(exclude_none=True)
    asked = next((each for each in site.work.waiting() if each["id"] == id), None)
    wanted = "decision" if asked and asked["kind"] == "confirmation" else "answer"
    if asked and not body.later and wanted not in given:
        raise Conflict("error.ui-web.wants", wanted=wanted)
    site.work.answer(id, {"later": True} if body.later else given)


@to.post(
    "/api/uploads",
    max_body_size=MAX_UPLOAD,
    openapi_extra={
        "requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}
    },
)
async def upload(site: Here, request: Request, name: str = "file") -> Json:
    folder = site.home / "web" / "uploads" / secrets.token_hex(8)
    folder.mkdir(parents=True, mode=0o700)
    kept = re.sub(r"[\x00-\x1f\x7f/\\:]", "_", name).lstrip(".").strip()  # leads nowhere else
    safe = kept.encode("utf-8", "replace")[-180:].decode("utf-8", "ignore") or "file"
    file, size = folder / safe, 0
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > MAX_UPLOAD:
                raise TooLarge("error.ui-web.more-than-mb", size=MAX_UPLOAD // 1000000)
            os.write(descriptor, piece)
        os.fsync(descriptor)
    except BaseException:  # what has not come whole is not kept
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        os.close(descriptor)
    return {"id": folder.name, "name": file.name, "size": size, "type": kind_of(file)}


@to.get("/api/runs/{run}/files/{path:path}")
def run_file(site: Here, run: str, path: str) -> Response:
    folder = (site.home / "runs" / site.find(run)).resolve()
    try:
        file = (folder / path).resolve()
        if not file.is_relative_to(folder) or file.name in _INTERNAL or not file.is_file():
            raise NotThere("error.ui-web.such-file")
        data = file.read_bytes()
    except (OSError, ValueError):
        raise NotThere("error.ui-web.such-file") from None
    kind = IMAGES.get(file.suffix.lower())
    if kind is None:
        try:
            data, kind = str(site.clean(data.decode("utf-8"))).encode(), "text/plain; charset=utf-8"
        except UnicodeDecodeError:
            kind = "application/octet-stream"
    headers = {"content-security-policy": "default-src 'none'; sandbox"}
    if kind == "application/octet-stream":
        headers["content-disposition"] = "attachment"
    return Response(data, media_type=kind, headers=headers)


def files_of(home: Path, run: str) -> list[dict[str, Any]]:
    """Return the files that lie beside the log of a run."""
    folder, found = home / "runs" / run, []
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        is_hidden = name in _INTERNAL or file.name.startswith(".")
        if is_hidden or file.is_symlink() or not file.is_file():
            continue
        about = {"path": name, "name": file.name, "size": file.stat().st_size}
        is_image = file.suffix.lower() in IMAGES
        found.append({**about, "type": kind_of(file), "is_image": is_image})
    return found[:MAX_FILES]


def kind_of(file: Path) -> str:
    """Return the media type that a name speaks of."""
    return mimetypes.guess_type(file.name)[0] or "application/octet-stream"


def opening(home: Path, run: str) -> Mapping[str, Any]:
    """Return the first event of a run; {} while there is none."""
    with suppress(StopIteration):
        return _opening(home, run)
    return {}


@lru_cache(5_000)  # it never changes
def _opening(home: Path, run: str) -> Mapping[str, Any]:
    first = next(read_events(home, run))
    names = ("task", "session", "previous", "teaches", "parent", "job", "at")
    return {name: first.get(name) for name in names}


def uploaded(site: Site, id: str) -> Path:
    folder = site.home / "web" / "uploads" / id
    found = list(folder.iterdir()) if re.fullmatch(r"[0-9a-f]{16}", id) and folder.is_dir() else []
    if not found:
        raise NotThere("error.ui-web.file-any-more")
    return found[0]


@to.get("/api/conversations")
def conversations(site: Here, limit: int = 50, text: str = "") -> Json:
    limit = max(1, min(limit, 1_000))
    found = list(islice(_conversations(site, text.lower(), limit), limit + 1))
    shown = sorted(found[:limit], key=lambda each: not each["is_pinned"])
    return {"conversations": shown, "more": len(found) > limit}


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
    runs = [*earlier(opening(site.home, run)), run]
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


def _conversations(site: Site, text: str, limit: int) -> Iterator[Json]:
    """Yield conversations, the pinned ones first, then the newest. The runs of one are those that
    the newest names, and itself."""
    noted, taken = _noted(site), set[str]()
    newest = list_runs(site.home, None if text else LOOKED_AT + limit)
    for run in chain(_pinned(site, noted), newest):
        first = opening(site.home, run.run)
        is_work = any(first.get(key) for key in ("teaches", "parent", "job"))
        if run.run in taken or is_work or first.get("session") != MAIN.name:
            continue
        runs = [*earlier(first), run.run]
        taken.update(runs)
        if found := _shown(site, runs, _note_of(noted, runs), text):
            yield {**found, "last": row(run), "at": run.started}


def _pinned(site: Site, noted: Noted) -> Iterator[RunSummary]:
    """Yield the last run of each conversation that is pinned, however old it is."""
    for run in sorted((run for run in noted if noted[run].get("is_pinned")), reverse=True):
        later = _later(site, run)
        last = later[-1] if later else summarise(site.home, run)
        if last and _note_of(noted, [run, *(each.run for each in later)]).get("is_pinned"):
            yield last


def _shown(site: Site, runs: list[str], note: Json, text: str) -> Json | None:
    """Return a conversation as the list shows it; None when it is hidden, or has not the text."""
    tasks = [str(opening(site.home, each).get("task") or "") for each in runs]
    title = str(note.get("title") or tasks[0])
    if note.get("is_hidden") or text not in "\n".join([title, *tasks]).lower():
        return None
    is_pinned = bool(note.get("is_pinned"))
    return {"id": runs[0], "title": title[:300], "is_pinned": is_pinned, "runs": runs}


def _conversation(site: Site, run: str, said: Mapping[str, str]) -> Json:
    """Return all of the conversation that a run belongs to."""
    runs = [*earlier(opening(site.home, run)), run]
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


def earlier(first: Mapping[str, Any]) -> list[str]:
    """Return the runs of a conversation before the one that began so, the oldest first."""
    return list(first.get("previous") or ())


def _later(site: Site, run: str) -> list[RunSummary]:
    """Return the runs behind one in its conversation, oldest first: those of the newest that names
    it."""
    newer = [each for each in list_runs(site.home, LOOKED_AT) if each.run > run]
    for each in newer:
        previous = earlier(opening(site.home, each.run))
        if run in previous:
            names = {*previous[previous.index(run) + 1 :], each.run}
            return sorted((one for one in newer if one.run in names), key=lambda one: one.run)
    return []
