"""The schedule and the mind graph. Routes: docs/web-api.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse

from ui.journal import as_json
from ui.web import shapes
from ui.web.routes.here import Here
from ui.web.site import Conflict, NotThere, Site, found

VERBS = ("enable", "disable", "remove", "run-now")
to = APIRouter(tags=["world"])


async def said(site: Site, *words: str) -> Any:
    """What `sopwith schedule WORDS… --json` says: what a job is, and what its times mean, is decided there."""
    return json.loads(await site.jobs.said_by(["schedule", words[0], "--json", *words[1:]]))


@to.get("/api/schedule")
async def jobs(site: Here) -> JSONResponse:
    return JSONResponse(site.clean({**await said(site, "list"), "is_on": site.scheduler_is_on}))


@to.get("/api/schedule/calendar")
def calendar(
    site: Here, since: Annotated[str, Query(alias="from")] = "", until: Annotated[str, Query(alias="to")] = ""
) -> JSONResponse:
    return JSONResponse(site.clean({"due": site.calendar(moment(since), moment(until))}))


@to.get("/api/schedule/{id}/history")
async def history(site: Here, id: str) -> JSONResponse:
    return JSONResponse(site.clean(await said(site, "history", "--", id)))


@to.post("/api/schedule/preview")
async def preview(site: Here, body: shapes.When) -> JSONResponse:
    return JSONResponse(site.clean(await said(site, "add", "--preview", "--", body.when, "-")))


@to.post("/api/schedule")
async def add(site: Here, body: shapes.NewJob) -> JSONResponse:
    return JSONResponse(site.clean(await said(site, "add", "--", body.when, body.task)))


@to.post("/api/schedule/{id}/{verb}")
async def change(site: Here, id: str, verb: str, body: shapes.Nothing | None = None) -> JSONResponse:
    if verb not in VERBS:
        raise NotThere("There is nothing here.")
    words = (await site.jobs.said_by(["schedule", verb, "--", id])).strip()
    return JSONResponse(site.clean({"id": id, "said": words}))


@contextmanager
def graph_of(site: Site) -> Iterator[Any]:
    """The graph, for one look."""
    from memory.graph import opened

    graph = opened(site.home, config=site.config.graph)
    try:
        yield graph
    finally:
        graph.close()


@to.get("/api/graph")
def snapshot(site: Here, predicates: str = "", since: str = "", until: str = "", limit: int = 500) -> JSONResponse:
    with graph_of(site) as graph:
        shown = graph.snapshot(
            predicates=[each for each in predicates.split(",") if each] or None,
            since=moment(since),
            until=moment(until),
            limit=max(1, min(limit, 5_000)),
        )
    return JSONResponse(site.clean(shown))


@to.get("/api/graph/neighbours")
def neighbours(site: Here, name: str, limit: int = 100, depth: int = 1) -> JSONResponse:
    with graph_of(site) as graph:
        shown = graph.neighbours(name[:400], limit=max(1, min(limit, 1_000)), depth=max(1, min(depth, 3)))
    return JSONResponse(site.clean(shown))


@to.get("/api/graph/evidence/{id}")
def evidence(site: Here, id: str) -> JSONResponse:
    with graph_of(site) as graph:
        shown = found(graph.evidence(id), "There is no such edge.")
    turns = [as_json(turn) for turn in shown["turns"]]
    return JSONResponse(site.clean({"episode": shown["episode"], "turns": turns}))


def moment(text: str) -> datetime | None:
    """A time of the query, aware; None when it is not given. Raises Conflict."""
    if not text:
        return None
    try:
        given = datetime.fromisoformat(text.replace(" ", "+"))
        return given if given.tzinfo else given.astimezone()
    except (ValueError, OverflowError):
        raise Conflict("That is no time; a time looks like 2026-11-22T08:00:00Z.") from None
