"""Show and change the settings: models, MCP servers, approvals, limits, notifications. Routes: docs/web-api.md."""

from __future__ import annotations

import json
import os
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from config import load
from ui.system import settings_of
from ui.web import shapes
from ui.web.routes.here import Here
from ui.web.site import Conflict, NotThere
from ui.words import language

SHOWN = ("models", "limits", "safety", "mcp", "notify", "channels", "undo")
MAY_BE_SET = ("models.", "limits.", "safety.", "mcp.servers.", "notify.", "undo.")
TESTED = ("models", "mcp", "notify")
to = APIRouter(tags=["settings"])


@to.get("/api/settings")
def settings(site: Here) -> JSONResponse:
    held = settings_of(site.config)
    kept = {name: held[name] for name in SHOWN}
    kept["notify"] |= {"urls": len(site.config.notify.urls)}  # they hold passwords
    return JSONResponse(site.clean({**kept, "file": str(site.home / "config.yaml")}))


@to.post("/api/settings")
async def put(site: Here, request: Request, body: shapes.Setting) -> JSONResponse:
    if request.state.holder.kind != "browser":
        raise Conflict("error.ui-web.settings-changed-browser-terminal")
    if not body.key.startswith(MAY_BE_SET):
        raise NotThere("error.ui-web.setting-changed-here")
    value = "" if body.value is None else json.dumps(body.value, ensure_ascii=False)
    said = await site.errands.said_by(["config", "set", body.key, "-"], value)
    site.config = load(site.home, site.config.lang, os.environ)
    return JSONResponse(site.clean({"said": said.strip()}))


@to.get("/api/mcp")
async def servers(site: Here) -> JSONResponse:
    """Ask each server what it offers."""
    found: dict[str, Any] = {"servers": []}
    if site.config.mcp.servers:
        found = json.loads(await site.errands.said_by(["mcp", "list", "--json"], is_partial=True))
    by_owner = {name: dict(each.effects) for name, each in site.config.mcp.servers.items()}
    return JSONResponse(site.clean({**found, "effects": by_owner}))


@to.post("/api/test/{what}", status_code=202)
async def test(site: Here, what: str, body: shapes.Tested) -> JSONResponse:
    """Try out a model, a server or the notifications."""
    if what not in TESTED:
        raise NotThere("error.ui-web.nothing-here")
    words = [what, "test", *([body.name] if body.name else [])]
    errand = site.errands.begin("test", body.name or what, words, language())
    return JSONResponse({"errand": errand}, status_code=202)
