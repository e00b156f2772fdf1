"""The agent as a model for other programs: OpenAI's chat completions. Each request is a run; nobody answers questions there."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from models.base import Event
from ui.web import shapes
from ui.web.live.work import Child
from ui.web.routes import Here
from ui.web.routes.openai.asked_for import AskedFor, Unsupported, check, read
from ui.web.site import Site
from ui.words import say

MODEL = "sopwith"
LONGEST_SECONDS = 3_600.0


to = APIRouter(tags=["openai"])


def rows(site: Site) -> dict[str, dict[str, Any]]:
    names = [MODEL, *(model.name for model in site.config.models)]
    return {
        name: {"id": name, "object": "model", "created": 0, "owned_by": "sopwith"} for name in names
    }


@to.get("/v1/models")
def models(site: Here) -> JSONResponse:
    return JSONResponse({"object": "list", "data": list(rows(site).values())})


@to.get("/v1/models/{name}")
def model(site: Here, name: str) -> Response:
    found = rows(site).get(name)
    return (
        JSONResponse(found) if found else error_of(404, f"There is no model {name!r}", "not_found")
    )


@to.post("/v1/chat/completions")
async def completions(site: Here, request: Request, body: shapes.Completion) -> Response:
    asked = _checked(site, request, body)
    if isinstance(asked, Response):
        return asked
    run, answering = await begun(site, asked, body.model, {})
    if body.stream:
        usage = bool((body.stream_options or {}).get("include_usage"))
        return StreamingResponse(
            _events(answering, head_of(run, body.model), usage), media_type="text/event-stream"
        )
    text, last = await whole(answering)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": last["finish_reason"]}
    answer = {**head_of(run, body.model), "usage": last["usage"], "choices": [choice]}
    return JSONResponse(site.clean({**answer, "object": "chat.completion"}))


def _checked(site: Site, request: Request, body: shapes.Completion) -> AskedFor | Response:
    """Return what is asked for, or why it is not to be had."""
    try:
        check(body.model_extra)
        asked = read(body.messages)
    except Unsupported as error:
        return error_of(400, str(error), "invalid_request_error")
    return refused(site, request, body.model, asked.task) or asked


def refused(site: Site, request: Request, model: str, task: str) -> Response | None:
    """Why a request is not begun; None when it may be."""
    if request.state.holder is None or not request.state.holder.may_change:
        return error_of(403, "This token may only read.", "permission_error")
    names = [MODEL, *(each.name for each in site.config.models)]
    if model not in names:
        text = f"There is no model {model!r}; there are: {', '.join(names)}"
        return error_of(404, text, "not_found")
    if not task.strip():
        return error_of(400, "The last message says nothing.", "invalid_request_error")
    return None


async def begun(
    site: Site, asked: AskedFor, model: str, more: dict[str, Any]
) -> tuple[str, AsyncIterator[tuple[str, Any]]]:
    """Begin the run of a request; its id, and what it says."""
    listening = Listening()
    options = {"model": None if model == MODEL else model, "cwd": str(site.cwd)}
    order = {"do": "start", "task": asked.task, "earlier": asked.earlier, "alone": True}
    site.work.heard.append(listening.heard)
    try:
        run = await site.work.begin({**order, **more, "options": options})
    except BaseException:
        site.work.heard.remove(listening.heard)
        raise
    listening.run = run
    return run, _answering(site, listening)


async def whole(answering: AsyncIterator[tuple[str, Any]]) -> tuple[str, dict[str, Any]]:
    """The whole answer, and how it ended."""
    text, last = "", dict[str, Any]()
    async for kind, piece in answering:
        if kind == "text":
            text += piece
        else:
            last = piece
    return last["content"] or text, last


class Listening:
    """Gathers the events of one run; those that come before its id is known are kept apart by run."""

    def __init__(self) -> None:
        self.run = ""
        self.events: asyncio.Queue[tuple[str, Event]] = asyncio.Queue()

    def heard(self, child: Child, event: Event) -> None:
        """An event of any run."""
        if self.run in ("", child.run):
            self.events.put_nowait((child.run, event))


async def _answering(site: Site, listening: Listening) -> AsyncIterator[tuple[str, Any]]:
    """("text", piece) …, then ("end", the fields of the answer). Who hangs up stops the run."""
    run, is_over = listening.run, False
    try:
        while not is_over:
            of, event = await asyncio.wait_for(listening.events.get(), LONGEST_SECONDS)
            if of != run:
                continue
            if event["type"] == "text":
                yield "text", str(site.clean(event["delta"]))
            elif event["type"] == "model_called" and (event.get("reply") or {}).get("calls"):
                yield "text", "\n\n"
            elif event["type"] == "run_ended":
                is_over = True
                yield "end", _ended(site, event)
    finally:
        site.work.heard.remove(listening.heard)
        if not is_over:
            site.work.stop(run)


def _ended(site: Site, event: Event) -> dict[str, Any]:
    tokens = event["tokens"]
    usage = {
        "prompt_tokens": tokens["input"],
        "completion_tokens": tokens["output"],
        "total_tokens": tokens["input"] + tokens["output"],
        "prompt_tokens_details": {"cached_tokens": tokens["cached"]},
    }
    text = str(site.clean(str(event.get("result") or "")))
    if event["status"] == "waiting":
        text = say("web.waits", text=text)
    reason = "length" if event["status"] == "limit" else "stop"
    return {"content": text, "finish_reason": reason, "usage": usage}


def head_of(run: str, model: str) -> dict[str, Any]:
    """Return what every answer begins with."""
    return {"id": f"chatcmpl-{run}", "created": int(time.time()), "model": model}


async def _events(
    answering: AsyncIterator[tuple[str, Any]], head: dict[str, Any], with_usage: bool
) -> AsyncIterator[str]:
    """The same as server-sent events."""
    said = ""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return f"data: {json.dumps({**head, 'object': 'chat.completion.chunk', 'choices': choices, **more})}\n\n"

    yield chunk({"role": "assistant", "content": ""})
    async for kind, piece in answering:
        if kind == "text":
            said += piece
            yield chunk({"content": piece})
            continue
        if piece["content"].strip() not in said:  # a replay says it at its end alone
            yield chunk({"content": ("\n\n" if said.strip() else "") + piece["content"]})
        yield chunk({}, piece["finish_reason"])
        if with_usage:
            data = {
                **head,
                "object": "chat.completion.chunk",
                "choices": [],
                "usage": piece["usage"],
            }
            yield f"data: {json.dumps(data)}\n\n"
    yield "data: [DONE]\n\n"


def error_of(status: int, text: str, kind: str) -> JSONResponse:
    return JSONResponse(
        {"error": {"message": text, "type": kind, "code": None, "param": None}}, status_code=status
    )
