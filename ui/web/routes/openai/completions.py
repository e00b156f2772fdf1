"""The agent as a model for other programs: OpenAI's chat completions. Each request is a run; nobody answers questions there."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
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
Answering = AsyncIterator[tuple[str, Any]]
to = APIRouter(tags=["openai"])


def rows(site: Site) -> dict[str, dict[str, Any]]:
    """Return the models that a program may ask for."""
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
    if found:
        return JSONResponse(found)
    return error_of(404, f"There is no model {name!r}", "not_found")


@to.post("/v1/chat/completions")
async def completions(site: Here, request: Request, body: shapes.Completion) -> Response:
    asked = checked(site, request, body, body.messages)
    if isinstance(asked, Response):
        return asked
    run, answering = await begun(site, asked, body.model, {})
    head = {"id": f"chatcmpl-{run}", "created": int(time.time()), "model": body.model}
    if body.stream:
        usage = bool((body.stream_options or {}).get("include_usage"))
        return StreamingResponse(_events(answering, head, usage), media_type="text/event-stream")
    text, last = await whole(answering)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": last["finish_reason"]}
    answer = {**head, "object": "chat.completion", "usage": last["usage"], "choices": [choice]}
    return JSONResponse(site.clean(answer))


def checked(
    site: Site,
    request: Request,
    body: shapes.Completion | shapes.AskedResponse,
    messages: Sequence[Mapping[str, Any]],
    instructions: str | None = None,
) -> AskedFor | Response:
    """Return what is asked for, or why it is not to be had."""
    try:
        check(body.model_extra)
        asked = read(messages, instructions)
    except Unsupported as error:
        return error_of(400, str(error), "invalid_request_error")
    if request.state.holder is None or not request.state.holder.may_change:
        return error_of(403, "This token may only read.", "permission_error")
    if body.model not in (known := rows(site)):
        text = f"There is no model {body.model!r}; there are: {', '.join(known)}"
        return error_of(404, text, "not_found")
    if not asked.task.strip():
        return error_of(400, "The last message says nothing.", "invalid_request_error")
    return asked


async def begun(
    site: Site, asked: AskedFor, model: str, more: dict[str, Any]
) -> tuple[str, Answering]:
    """Begin the run of a request; its id, and what it says."""
    heard: asyncio.Queue[tuple[str, Event]] = asyncio.Queue()

    def hear(child: Child, event: Event) -> None:
        heard.put_nowait((child.run, event))

    options = {"model": None if model == MODEL else model, "cwd": str(site.cwd)}
    order = {"do": "start", "task": asked.task, "earlier": asked.earlier, "alone": True}
    site.work.heard.append(hear)
    try:
        run = await site.work.begin({**order, **more, "options": options})
    except BaseException:
        site.work.heard.remove(hear)
        raise

    async def answering() -> Answering:
        is_over = False
        try:
            while not is_over:
                of, event = await asyncio.wait_for(heard.get(), LONGEST_SECONDS)
                is_over = of == run and event["type"] == "run_ended"
                for each in _said(site, event) if of == run else ():
                    yield each
        finally:
            site.work.heard.remove(hear)
            if not is_over:  # who hangs up stops the run
                site.work.stop(run)

    return run, answering()


async def whole(answering: Answering) -> tuple[str, dict[str, Any]]:
    """The whole answer, and how it ended."""
    found = [each async for each in answering]
    last: dict[str, Any] = found[-1][1]
    return last["content"] or "".join(piece for kind, piece in found if kind == "text"), last


def _said(site: Site, event: Event) -> Sequence[tuple[str, Any]]:
    """Return what an event says: ("text", piece), or ("end", the fields of the answer)."""
    if event["type"] == "text":
        return [("text", str(site.clean(event["delta"])))]
    if event["type"] == "model_called" and (event.get("reply") or {}).get("calls"):
        return [("text", "\n\n")]
    return [("end", _ended(site, event))] if event["type"] == "run_ended" else []


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


async def pieces(answering: Answering) -> Answering:
    """The same where each text comes as pieces: a replay says it at its end alone."""
    said = ""
    async for kind, piece in answering:
        if kind == "end" and piece["content"].strip() not in said:
            yield "text", ("\n\n" if said.strip() else "") + piece["content"]
        said += piece if kind == "text" else ""
        yield kind, piece


async def _events(
    answering: Answering, head: dict[str, Any], with_usage: bool
) -> AsyncIterator[str]:
    """The same as server-sent events."""

    def chunk(*choices: dict[str, Any], **more: Any) -> str:
        said = {**head, "object": "chat.completion.chunk", "choices": choices, **more}
        return f"data: {json.dumps(said)}\n\n"

    def choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {"index": 0, "delta": delta, "finish_reason": finish}

    yield chunk(choice({"role": "assistant", "content": ""}))
    async for kind, piece in pieces(answering):
        if kind == "text":
            yield chunk(choice({"content": piece}))
            continue
        yield chunk(choice({}, piece["finish_reason"]))
        if with_usage:
            yield chunk(usage=piece["usage"])
    yield "data: [DONE]\n\n"


def error_of(status: int, text: str, kind: str) -> JSONResponse:
    """Return an error as OpenAI's clients read it."""
    said = {"message": text, "type": kind, "code": None, "param": None}
    return JSONResponse({"error": said}, status_code=status)
