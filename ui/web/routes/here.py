"""Define how a route comes by its server, and how its result becomes an answer. Imported inside
functions only."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response

from ui.web.site import Site

Json = dict[str, Any]


async def site_of(connection: HTTPConnection) -> Site:
    """Return the server that this request has come to."""
    site: Site = connection.app.state.site
    return site


Here = Annotated[Site, Depends(site_of)]


def routes(tag: str) -> APIRouter:
    """Return a router whose routes return plain data, which leaves without secrets and the owner's
    places."""
    return APIRouter(tags=[tag], route_class=_Answering)


class _Answering(APIRoute):
    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        answering = _answering(endpoint, more.get("status_code") or 200)
        super().__init__(path, answering, **{**more, "response_model": None})


def _answering(endpoint: Callable[..., Any], status: int) -> Callable[..., Any]:
    is_async = iscoroutinefunction(endpoint)

    def answer(site: Site, found: Any) -> Response:
        if isinstance(found, Response):
            return found
        return JSONResponse(site.clean(found), status) if status != 204 else Response(None, status)

    @wraps(endpoint)
    async def answering(**given: Any) -> Response:
        found = await (endpoint(**given) if is_async else run_in_threadpool(endpoint, **given))
        return await run_in_threadpool(answer, given["site"], found)

    return answering
