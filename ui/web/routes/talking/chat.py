"""Say something to the agent: begin a run, speak to it, answer it, attach files. Routes: docs/web-api.md."""

from __future__ import annotations

import asyncio
import mimetypes
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.responses import Response

from memory.logs import read_events, summarise, worker
from models.images import IMAGES
from runs.control.remote import say_to
from runs.control.remote import stop as stop_it
from ui.web import shapes
from ui.web.guard import MAX_UPLOAD
from ui.web.routes import Here, Json, routes
from ui.web.site import Conflict, NotThere, Site, TooLarge

_OPENINGS: dict[str, Mapping[str, Any]] = {}  # the first event of a run never changes
_MOST_OPENINGS = 5_000


to = routes("chat")


@to.post("/api/chat", status_code=202)
async def chat(site: Here, body: shapes.Chat) -> Json:
    if not body.text.strip() and not body.files:
        raise Conflict("error.ui-web.nothing-do-message-empty")
    previous: list[str] = []
    if body.after:
        after = site.find(body.after)
        found = summarise(site.home, after)
        if (
            found and found.status == "working"
        ):  # one that has said its last may still put things away
            raise Conflict("error.ui-web.run-work-2")
        previous = [*(opening(site.home, after).get("previous") or ()), after]
    order = {
        "do": "start",
        "task": body.text,
        "previous": previous,
        "after": body.after,
        "files": [str(uploaded(site, id)) for id in body.files],
        "options": {
            "model": body.model,
            "persona": body.persona,
            "rote": body.rote,
            "cwd": str(site.cwd),
        },
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
async def stop(site: Here, run: str, body: shapes.Nothing | None = None) -> None:
    run = site.find(run)
    if site.work.stop(run):
        return
    if worker(site.home / "runs" / run) == os.getpid():  # the daily upkeep, in this very process
        raise Conflict("error.ui-web.run-server-own")
    if not await asyncio.to_thread(stop_it, site.config, run):
        raise Conflict("error.ui-web.run-ended")


@to.post("/api/runs/{run}/resume", status_code=202)
async def resume(site: Here, run: str, body: shapes.Resumed | None = None) -> Json:
    order = {"do": "resume", "run": site.find(run), "say": body.text if body else None}
    return {"run": await site.work.begin(order)}


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
    file, size = folder / safe_name(name), 0
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


_INTERNAL = {"log.jsonl", "lock", "steer", "steer.taken", "page.json", "web"}
MAX_FILES = 200


def files_of(home: Path, run: str) -> list[dict[str, Any]]:
    """The files that lie beside the log of a run."""
    folder, found = home / "runs" / run, []
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if (
            file.is_symlink()
            or not file.is_file()
            or name in _INTERNAL
            or file.name.startswith(".")
        ):
            continue
        is_image = file.suffix.lower() in IMAGES
        found.append(
            {
                "path": name,
                "name": file.name,
                "size": file.stat().st_size,
                "type": kind_of(file),
                "is_image": is_image,
            }
        )
        if len(found) == MAX_FILES:
            break
    return found


def kind_of(file: Path) -> str:
    """The media type that a name speaks of."""
    return mimetypes.guess_type(file.name)[0] or "application/octet-stream"


def safe_name(name: str) -> str:
    """A file's name without anything that leads elsewhere or hides."""
    kept = re.sub(r"[\x00-\x1f\x7f/\\:]", "_", name).lstrip(".").strip()
    encoded = kept.encode("utf-8", "replace")[-180:]
    return encoded.decode("utf-8", "ignore") or "file"


def opening(home: Path, run: str) -> Mapping[str, Any]:
    """The first event of a run."""
    if run not in _OPENINGS:
        if len(_OPENINGS) > _MOST_OPENINGS:
            _OPENINGS.clear()
        first = next(read_events(home, run), None)
        if first is None:
            return {}
        _OPENINGS[run] = {
            key: first.get(key)
            for key in ("task", "session", "previous", "teaches", "parent", "at")
        }
    return _OPENINGS[run]


def uploaded(site: Site, id: str) -> Path:
    folder = site.home / "web" / "uploads" / id
    found = list(folder.iterdir()) if re.fullmatch(r"[0-9a-f]{16}", id) and folder.is_dir() else []
    if not found:
        raise NotThere("error.ui-web.file-any-more")
    return found[0]
