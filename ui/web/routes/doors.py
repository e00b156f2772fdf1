"""Signing in and out, the state of the server, turning changes on, tokens for programs. Routes:
docs/web-api.md."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from fastapi import Request
from starlette.responses import JSONResponse, Response

from config import load
from context.workspace import personas
from memory.logs import list_runs
from ui.system import settings_of
from ui.web import shapes
from ui.web.live.work import row
from ui.web.routes.here import Here, Json, routes
from ui.web.site import Conflict, NotThere
from ui.words import language

to = routes("sign-in")
SHOWN = ("models", "limits", "safety", "mcp", "notify", "channels", "undo")
MAY_BE_SET = ("models.", "limits.", "safety.", "mcp.servers.", "notify.", "undo.")
TESTED = ("models", "mcp", "notify")


@to.post("/api/sign-in", status_code=204)
def sign_in(site: Here, body: shapes.SignIn) -> Response:
    cookie = site.access.sign_in(body.token)
    answer = Response(status_code=204)
    answer.set_cookie(
        site.place.cookie,
        cookie,
        max_age=60 * 86_400,
        httponly=True,
        samesite="strict",
    )
    return answer


@to.post("/api/sign-out", status_code=204)
async def sign_out(site: Here, request: Request) -> Response:
    if request.state.holder is not None:
        site.access.remove(request.state.holder.id)
        site.hub.close(request.state.holder.id)
    answer = Response(status_code=204)
    answer.delete_cookie(site.place.cookie, httponly=True, samesite="strict")
    return answer


@to.get("/api/state")
async def state(site: Here, request: Request) -> Json:
    runs = await asyncio.to_thread(list_runs, site.home, 100)
    said: dict[str, Any] = {
        "version": site.version,
        "lang": language(),
        "changes": request.state.holder.may_change,
        "epoch": site.hub.epoch,
        "seq": site.hub.seq,
        "cwd": str(site.cwd),
        "models": [model.name for model in site.config.models],
        "personas": [each.name for each in await asyncio.to_thread(personas, site.home)],
        "working": [row(run) for run in runs if run.status == "working"],
        "waiting": site.work.waiting(),
    }
    return said


@to.post("/api/changes")
async def changes(site: Here, request: Request, body: shapes.Changes) -> Json:
    site.access.set_changes(request.state.holder, body.on)
    for tab in site.hub.of(request.state.holder.id):
        site.hub.tell(tab, {"type": "changes", "on": body.on})
    return {"changes": body.on}


@to.get("/api/tokens")
def tokens(site: Here) -> Json:
    found = [
        {"id": each.id, "name": each.name, "made": each.made, "changes": each.may_change}
        for each in site.access.programs()
    ]
    return {"tokens": found}


@to.post("/api/tokens")
def new_token(site: Here, body: shapes.NewToken) -> Response:
    id, token = site.access.add_program(body.name, may_change=body.changes)
    return JSONResponse({"id": id, "token": token})


@to.delete("/api/tokens/{id}", status_code=204)
async def remove_token(site: Here, id: str) -> None:
    if id not in {each.id for each in site.access.programs()}:
        raise NotThere("error.ui-web.such-token")
    site.access.remove(id)
    site.hub.close(id)


@to.get("/api/settings")
def settings(site: Here) -> Json:
    held = settings_of(site.config)
    kept = {name: held[name] for name in SHOWN}
    kept["notify"] |= {"urls": len(site.config.notify.urls)}  # they hold passwords
    return {**kept, "file": str(site.home / "config.yaml")}


@to.post("/api/settings")
async def put(site: Here, request: Request, body: shapes.Setting) -> Json:
    if request.state.holder.kind != "browser":
        raise Conflict("error.ui-web.settings-changed-browser-terminal")
    if not body.key.startswith(MAY_BE_SET):
        raise NotThere("error.ui-web.setting-changed-here")
    value = "" if body.value is None else json.dumps(body.value, ensure_ascii=False)
    said = await site.said_by(["config", "set", body.key, "-"], value)
    site.config = load(site.home, site.config.lang, os.environ)
    return {"said": said}


@to.get("/api/mcp")
async def servers(site: Here) -> Json:
    """Ask each server what it offers."""
    found: dict[str, Any] = {"servers": []}
    if site.config.mcp.servers:
        found = json.loads(await site.said_by(["mcp", "list", "--json"], is_partial=True))
    by_owner = {name: dict(each.effects) for name, each in site.config.mcp.servers.items()}
    return {**found, "effects": by_owner}


@to.post("/api/test/{what}", status_code=202)
async def test(site: Here, what: str, body: shapes.Tested) -> Json:
    """Try out a model, a server or the notifications."""
    if what not in TESTED:
        raise NotThere("error.ui-web.nothing-here")
    words = [what, "test", *([body.name] if body.name else [])]
    return site.errand("test", body.name or what, words)
