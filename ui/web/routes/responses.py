"""The agent as a model for other programs: OpenAI's responses. A response is a run;
`previous_response_id` continues it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ui.web import shapes
from ui.web.routes.here import Here
from ui.web.routes.openai import Answering, begun, checked, pieces, whole
from ui.web.routes.openai import to as to
from ui.web.routes.talking import earlier, opening

PREFIX = "resp_"


@to.post("/v1/responses")
async def responses(site: Here, request: Request, body: shapes.AskedResponse) -> Response:
    messages = [{"content": body.input}] if isinstance(body.input, str) else body.input
    asked = checked(site, request, body, messages, body.instructions)
    more: dict[str, Any] = {}
    if body.previous_response_id:
        after = site.find(body.previous_response_id.removeprefix(PREFIX))
        first = await asyncio.to_thread(opening, site.home, after)
        more = {"after": after, "previous": [*earlier(first), after]}
    run, answering = await begun(site, asked, body.model, more)
    head = {"id": f"{PREFIX}{run}", "object": "response", "created_at": int(time.time())}
    head |= {"model": body.model, "parallel_tool_calls": False, "tool_choice": "none", "tools": []}
    if body.stream:
        events = _events(answering, head, f"msg_{run}")
        return StreamingResponse(events, media_type="text/event-stream")
    text, last = await whole(answering)
    return JSONResponse(site.clean(_whole(head, _message(f"msg_{run}", text), last)))


def _whole(head: dict[str, Any], message: dict[str, Any], last: dict[str, Any]) -> dict[str, Any]:
    """Return a response as it ends."""
    is_cut, tokens = last["finish_reason"] == "length", last["usage"]
    usage = {
        "input_tokens": tokens["prompt_tokens"],
        "input_tokens_details": tokens["prompt_tokens_details"],
        "output_tokens": tokens["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens["total_tokens"],
    }
    why = {"incomplete_details": {"reason": "max_output_tokens"}} if is_cut else {}
    status = "incomplete" if is_cut else "completed"
    return {**head, **why, "status": status, "output": [message], "usage": usage}


def _message(item: str, text: str) -> dict[str, Any]:
    """Return the one item of the output of a response."""
    head = {"type": "message", "id": item, "role": "assistant", "status": "completed"}
    return {**head, "content": [_part(text)]}


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


async def _events(answering: Answering, head: dict[str, Any], item: str) -> AsyncIterator[str]:
    """Yield the same as server-sent events; each has its number."""
    number, said = 0, ""
    place = {"item_id": item, "output_index": 0, "content_index": 0}

    def sent(kind: str, **fields: Any) -> str:
        nonlocal number
        event = {"type": kind, **fields, "sequence_number": number}
        number += 1
        return f"event: {kind}\ndata: {json.dumps(event)}\n\n"

    empty = {**_message(item, ""), "status": "in_progress", "content": []}
    yield sent("response.created", response={**head, "status": "in_progress", "output": []})
    yield sent("response.output_item.added", output_index=0, item=empty)
    yield sent("response.content_part.added", **place, part=_part(""))
    async for kind, piece in pieces(answering):
        if kind == "text":
            said += piece
            yield sent("response.output_text.delta", **place, delta=piece, logprobs=[])
            continue
        message = _message(item, said)
        yield sent("response.output_text.done", **place, text=said, logprobs=[])
        yield sent("response.content_part.done", **place, part=_part(said))
        yield sent("response.output_item.done", output_index=0, item=message)
        yield sent("response.completed", response=_whole(head, message, piece))
