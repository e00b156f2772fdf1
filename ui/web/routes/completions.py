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
from ui.web.routes.here import Here
from ui.web.site import Site
from ui.words import say

MODEL = "sopwith"
MAX_EARLIER = 40_000  # characters of what was said before
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
    return JSONResponse(found) if found else _error(404, f"There is no model {name!r}", "not_found")


@to.post("/v1/chat/completions")
async def completions(site: Here, request: Request, body: shapes.Completion) -> Response:
    if request.state.holder is None or not request.state.holder.may_change:
        return _error(403, "This token may only read.", "permission_error")
    names = [model.name for model in site.config.models]
    if body.model not in (MODEL, *names):
        return _error(
            404,
            f"There is no model {body.model!r}; there are: {', '.join([MODEL, *names])}",
            "not_found",
        )
    task = task_of(body.messages)
    if not task.strip():
        return _error(400, "The last message says nothing.", "invalid_request_error")
    site.touched()
    listening = Listening()
    order = {
        "do": "start",
        "task": task,
        "alone": True,
        "options": {"model": body.model if body.model in names else None, "cwd": str(site.cwd)},
    }
    site.work.heard.append(listening.heard)
    try:
        run = await site.work.begin(order)
    except BaseException:
        site.work.heard.remove(listening.heard)
        raise
    listening.run = run
    answering = _answering(site, listening, body.model)
    if body.stream:
        usage = bool((body.stream_options or {}).get("include_usage"))
        return StreamingResponse(
            _events(answering, head_of(run, body.model), usage), media_type="text/event-stream"
        )
    text, last = "", {}
    async for kind, piece in answering:
        if kind == "text":
            text += piece
        else:
            last = piece
    message = {"role": "assistant", "content": last.pop("content") or text}
    choice = {"index": 0, "message": message, "finish_reason": last.pop("finish_reason")}
    return JSONResponse(site.clean({**last, "object": "chat.completion", "choices": [choice]}))


class Listening:
    """Gathers the events of one run; those that come before its id is known are kept apart by run."""

    def __init__(self) -> None:
        self.run = ""
        self.events: asyncio.Queue[tuple[str, Event]] = asyncio.Queue()

    def heard(self, child: Child, event: Event) -> None:
        """An event of any run."""
        if not self.run or child.run == self.run:
            self.events.put_nowait((child.run, event))


async def _answering(
    site: Site, listening: Listening, model: str
) -> AsyncIterator[tuple[str, Any]]:
    """("text", piece) …, then ("end", the fields of the answer). Who hangs up stops the run."""
    run, is_over = listening.run, False
    base = head_of(run, model)
    try:
        while True:
            of, event = await asyncio.wait_for(listening.events.get(), LONGEST_SECONDS)
            if of != run:
                continue
            if event["type"] == "text":
                yield "text", str(site.clean(event["delta"]))
            elif event["type"] == "model_called" and (event.get("reply") or {}).get("calls"):
                yield "text", "\n\n"
            elif event["type"] == "run_ended":
                is_over = True
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
                yield "end", {**base, "content": text, "finish_reason": reason, "usage": usage}
                return
    finally:
        site.work.heard.remove(listening.heard)
        if not is_over:
            site.work.stop(run)


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


def task_of(messages: list[dict[str, Any]]) -> str:
    """The last message as the task, with what was said before it. What a `system` message says stands before all."""
    said = [
        (str(message.get("role") or "user"), _text(message.get("content"))) for message in messages
    ]
    *before, (_, task) = said
    earlier = "\n".join(f"{role}: {text}" for role, text in before if text.strip())[-MAX_EARLIER:]
    return f"{task}\n\n---\n{say('web.earlier')}\n{earlier}" if earlier else task


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def _error(status: int, text: str, kind: str) -> JSONResponse:
    return JSONResponse(
        {"error": {"message": text, "type": kind, "code": None, "param": None}}, status_code=status
    )
