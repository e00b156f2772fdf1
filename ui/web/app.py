"""The page's server as one ASGI application: routes, files, errors, guard. Imported inside
functions only."""

from __future__ import annotations

import hashlib
import logging
import mimetypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from config import SopwithError
from ui.web.guard import MAX_BODY, Guard, error_of
from ui.web.live.sockets import owner_socket
from ui.web.routes import (
    doors,
    learned,
    memory,
    responses,
    runs,
    talking,
    world,
)
from ui.web.site import Site, status_of
from ui.words import say, words_of

PAGE = Path(__file__).resolve().parent.parent.parent / "assets" / "web"
_ROUTES = (doors, runs, memory, world, responses, talking, learned)
OF_HTTP = {  # status → kind and words
    400: ("bad_request", "web.unreadable"),
    404: ("not_found", "web.nothing_here"),
    405: ("bad_request", "web.nothing_here"),
    413: ("too_large", "web.too_large"),
}
UNWATCHED: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "auto_configure": False,
}


def make_app(site: Site, version: str) -> Guard:
    """Return the application."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await site.open()
        try:
            yield
        finally:
            await site.close()

    app = FastAPI(
        title="Sopwith",
        version=version,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        max_body_size=MAX_BODY,
        telemetry=UNWATCHED,
    )
    app.state.site = site
    for each in _ROUTES:
        app.include_router(each.to)

    @app.websocket("/ws")
    async def socket(socket: WebSocket) -> None:
        await owner_socket(site, socket)

    mimetypes.add_type("text/javascript", ".js")  # not left to the machine: browsers do not guess
    version_of_page = _version_of(PAGE)
    app.mount(f"/assets/{version_of_page}", _Kept(directory=PAGE))
    app.mount("/assets", StaticFiles(directory=PAGE))
    shell = _shell(f"/assets/{version_of_page}")

    @app.get("/{path:path}", include_in_schema=False)
    def page(path: str) -> Response:
        """Return the page itself, which knows what its paths mean."""
        if path.startswith(("api/", "v1/", "ws")) or "." in path.rpartition("/")[2]:
            raise HTTPException(404)
        return HTMLResponse(shell)

    _errors(app, site)
    return Guard(app, site.access, site.place)


class _Kept(StaticFiles):
    """Files whose address names their version: a browser asks for each of them once."""

    def file_response(self, *args: Any, **more: Any) -> Response:
        response = super().file_response(*args, **more)
        response.headers["cache-control"] = "private, max-age=31536000, immutable"
        return response


def _version_of(folder: Path) -> str:
    """Return what differs once a file of the page is another one."""
    files = sorted(each for each in folder.rglob("*") if each.is_file())
    stamps = [(each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in files]
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:12]


def _shell(assets: str) -> str:
    """Return the page with the addresses of its files. All modules are asked for at once: each
    import waits for none."""
    text = (PAGE / "index.html").read_text("utf-8").replace('"/assets/', f'"{assets}/')
    modules = sorted(each.relative_to(PAGE).as_posix() for each in PAGE.glob("[lp]*/*.js"))
    links = "".join(f'<link rel="modulepreload" href="{assets}/{each}">' for each in modules)
    return text.replace("</head>", f"{links}</head>")


def _errors(app: FastAPI, site: Site) -> None:
    """Answer every error with a line or two for people, and never how it came about."""

    def answer(request: Request, status: int, kind: str, text: str) -> JSONResponse:
        return JSONResponse(error_of(request.url.path, kind, site.clean(text)), status_code=status)

    @app.exception_handler(SopwithError)
    async def ours(request: Request, error: SopwithError) -> JSONResponse:
        return answer(request, *status_of(error), words_of(error))

    @app.exception_handler(OSError)
    async def of_disk(request: Request, error: OSError) -> JSONResponse:
        why = error.strerror or type(error).__name__
        return answer(request, 500, "failed", say("web.disk", why=why))

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> JSONResponse:
        first: dict[str, Any] = dict(next(iter(error.errors()), {}))
        where = ".".join(str(each) for each in first.get("loc", ())[1:]) or "body"
        is_long = first.get("type") == "string_too_long"
        kind = (413, "too_large") if is_long else (422, "bad_request")
        text = say("web.unfit", where=where[:80], what=str(first.get("msg", ""))[:200])
        return answer(request, *kind, text)

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse:
        kind, key = OF_HTTP.get(error.status_code, ("failed", "web.unreadable"))
        return answer(request, error.status_code, kind, say(key))

    @app.exception_handler(Exception)
    async def defect(request: Request, error: Exception) -> JSONResponse:
        logging.getLogger("sopwith.web").error(
            "%s: %s", type(error).__name__, site.clean(str(error))[:500]
        )
        return answer(request, 500, "failed", say("web.defect"))
