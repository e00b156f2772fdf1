"""Show and change the settings: models, MCP servers, approvals, limits, notifications. Routes: docs/web-api.md."""

from __future__ import annotations

import json
import os
from typing import Any

from fastapi import Request

from config import load
from ui.system import settings_of
from ui.web import shapes
from ui.web.routes.here import Here, Json, routes
from ui.web.site import Conflict, NotThere

SHOWN = ("models", "limits", "safety", "mcp", "notify", "channels", "undo")
MAY_BE_SET = ("models.", "limits.", "safety.", "mcp.servers.", "notify.", "undo.")
TESTED = ("models", "mcp", "notify")
to = routes("settings")


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
