"""The agent as a model for other programs: OpenAI's chat completions. Each request is a run; nobody
answers questions there."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from config import Message
from models.base import Event
from ui.web import shapes
from ui.web.live.work import Child
from ui.web.routes.here import Here
from ui.web.site import NotThere, OnlyReads, Site, Unsupported, found
from ui.words import say

MAX_EARLIER = 40_000  # characters of what was said before
IGNORED = {  # the configured model has its own settings, and nothing is stored elsewhere
    *("temperature", "top_p", "max_tokens", "max_completion_tokens", "max_output_tokens", "seed"),
    *("presence_penalty", "frequency_penalty", "user", "metadata", "store", "service_tier"),
    *("reasoning", "reasoning_effort", "verbosity", "safety_identifier", "prompt_cache_key"),
    *("parallel_tool_calls", "truncation", "include", "prompt_cache_retention"),
}
PLAIN: Mapping[str, Any] = {  # values that ask for nothing
    "n": 1,
    "logprobs": False,
    "background": False,
    "response_format": {"type": "text"},
    "text": {"format": {"type": "text"}},
    "modalities": ["text"],
    "tool_choice": "none",
}
TEXTS = ("text", "input_text", "output_text")
MODEL = "sopwith"
LONGEST_SECONDS = 3_600.0
Answering = AsyncIterator[tuple[str, Any]]


class AskedFor(NamedTuple):
    """The last message, and those before it as a text."""

    task: str
    earlier: str


def check(given: Mapping[str, Any] | None) -> None:
    """Raise Unsupported for the first field that would change the answer and cannot be met."""
    for name, value in (given or {}).items():
        if name not in IGNORED and value not in (None, [], {}, PLAIN.get(name)):
            raise Unsupported("error.v1.unsupported", name=name)


def read(messages: Sequence[Mapping[str, Any]], instructions: str | None = None) -> AskedFor:
    """Return the task and what was said before. Raises Unsupported."""
    said = [(str(each.get("role") or "user"), _text(each)) for each in messages]
    *before, (role, task) = said
    if role != "user":  # a text of a model is no task of the owner
        raise Unsupported("error.v1.unsupported", name=f"a last message with role: {role}")
    if instructions:
        before.insert(0, ("system", instructions))
    lines = "\n".join(f"{role}: {text}" for role, text in before if text.strip())[-MAX_EARLIER:]
    return AskedFor(task, f"---\n{say('web.earlier')}\n{lines}" if lines else "")


def _text(message: Mapping[str, Any]) -> str:
    kind = "role: tool" if message.get("role") == "tool" else message.get("type", "message")
    if kind != "message":
        raise Unsupported("error.v1.unsupported", name=kind)
    if message.get("tool_calls"):
        raise Unsupported("error.v1.unsupported", name="tool_calls")
    content = message.get("content") or ""
    if not isinstance(content, list):
        return str(content)
    return "\n".join(_part(part) for part in content)


def _part(part: Any) -> str:
    if not isinstance(part, Mapping) or part.get("type", "text") not in TEXTS:
        kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
        raise Unsupported("error.v1.unsupported", name=kind)
    return str(part.get("text") or "")


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
    return JSONResponse(
        found(rows(site).get(name), Message("error.web.no-model", name=f"{name!r}"))
    )


@to.post("/v1/chat/completions")
async def completions(site: Here, request: Request, body: shapes.Completion) -> Response:
    asked = checked(site, request, body, body.messages)
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
) -> AskedFor:
    """Return what is asked for. Raises Unsupported, OnlyReads, NotThere."""
    check(body.model_extra)
    asked = read(messages, instructions)
    if not request.state.holder.may_change:
        raise OnlyReads("error.v1.only-reads")
    if body.model not in (known := rows(site)):
        raise NotThere("error.v1.no-model", name=repr(body.model), known=", ".join(known))
    if not asked.task.strip():
        raise Unsupported("error.v1.empty")
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
    """Return the whole answer, and how it ended."""
    said = [each async for each in answering]
    last: dict[str, Any] = said[-1][1]
    return last["content"] or "".join(piece for kind, piece in said if kind == "text"), last


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
    """Return the same where each text comes in pieces: a replay says it at its end alone."""
    said = ""
    async for kind, piece in answering:
        if kind == "end" and piece["content"].strip() not in said:
            yield "text", ("\n\n" if said.strip() else "") + piece["content"]
        said += piece if kind == "text" else ""
        yield kind, piece


async def _events(
    answering: Answering, head: dict[str, Any], with_usage: bool
) -> AsyncIterator[str]:
    """Yield the same as server-sent events."""

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
