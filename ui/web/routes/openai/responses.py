"""The agent as a model for other programs: OpenAI's responses. A response is a run; `previous_response_id` continues it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from fastapi import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ui.web import shapes
from ui.web.routes import Here
from ui.web.routes.openai.asked_for import Unsupported, check, read
from ui.web.routes.openai.completions import begun, error_of, refused, whole
from ui.web.routes.openai.completions import to as to
from ui.web.routes.talking import opening

PREFIX = "resp_"


@to.post("/v1/responses")
async def responses(site: Here, request: Request, body: shapes.AskedResponse) -> Response:
    messages = [{"content": body.input}] if isinstance(body.input, str) else body.input
    try:
        check(body.model_extra)
        asked = read(messages, body.instructions)
    except Unsupported as error:
        return error_of(400, str(error), "invalid_request_error")
    if (answer := refused(site, request, body.model, asked.task)) is not None:
        return answer
    more: dict[str, Any] = {}
    if body.previous_response_id:
        after = site.find(body.previous_response_id.removeprefix(PREFIX))
        first = await asyncio.to_thread(opening, site.home, after)
        more = {"after": after, "previous": [*(first.get("previous") or ()), after]}
    run, answering = await begun(site, asked, body.model, more)
    if body.stream:
        events = _events(answering, Shape(run, body.model))
        return StreamingResponse(events, media_type="text/event-stream")
    text, last = await whole(answering)
    return JSONResponse(site.clean(Shape(run, body.model).whole(text, last)))


class Shape:
    """How one response looks."""

    def __init__(self, run: str, model: str) -> None:
        self._head = {
            "id": f"{PREFIX}{run}",
            "object": "response",
            "created_at": int(time.time()),
            "model": model,
            "parallel_tool_calls": False,
            "tool_choice": "none",
            "tools": [],
        }
        self.item = f"msg_{run}"

    def empty(self) -> dict[str, Any]:
        """As it begins."""
        return {**self._head, "status": "in_progress", "output": []}

    def whole(self, text: str, last: dict[str, Any]) -> dict[str, Any]:
        """As it ends."""
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
        output = [self.message(text, "completed")]
        return {**self._head, **why, "status": status, "output": output, "usage": usage}

    def message(self, text: str, status: str) -> dict[str, Any]:
        """The one item of its output."""
        part = {"type": "output_text", "text": text, "annotations": []}
        content = [part] if status == "completed" else []
        head = {"type": "message", "id": self.item, "role": "assistant"}
        return {**head, "status": status, "content": content}


class Numbered:
    """Server-sent events of one response; each has its number."""

    def __init__(self, shape: Shape) -> None:
        self._shape, self._number, self.said = shape, 0, ""
        self._place = {"item_id": shape.item, "output_index": 0, "content_index": 0}
        self._part = {"type": "output_text", "text": "", "annotations": []}

    def first(self) -> Iterator[str]:
        """Yield what comes before the text."""
        item = self._shape.message("", "in_progress")
        yield self._sent("response.created", response=self._shape.empty())
        yield self._sent("response.output_item.added", output_index=0, item=item)
        yield self._sent("response.content_part.added", **self._place, part=self._part)

    def delta(self, piece: str) -> str:
        """A piece of the text."""
        self.said += piece
        return self._sent("response.output_text.delta", **self._place, delta=piece, logprobs=[])

    def last(self, end: dict[str, Any]) -> Iterator[str]:
        """Yield what comes behind the text."""
        if end["content"].strip() not in self.said:  # a replay says it at its end alone
            yield self.delta(("\n\n" if self.said.strip() else "") + end["content"])
        text, part = self.said, {**self._part, "text": self.said}
        item = self._shape.message(text, "completed")
        yield self._sent("response.output_text.done", **self._place, text=text, logprobs=[])
        yield self._sent("response.content_part.done", **self._place, part=part)
        yield self._sent("response.output_item.done", output_index=0, item=item)
        yield self._sent("response.completed", response=self._shape.whole(text, end))

    def _sent(self, kind: str, **fields: Any) -> str:
        event = {"type": kind, **fields, "sequence_number": self._number}
        self._number += 1
        return f"event: {kind}\ndata: {json.dumps(event)}\n\n"


async def _events(answering: AsyncIterator[tuple[str, Any]], shape: Shape) -> AsyncIterator[str]:
    """The same as server-sent events."""
    numbered = Numbered(shape)
    for line in numbered.first():
        yield line
    async for kind, piece in answering:
        for line in [numbered.delta(piece)] if kind == "text" else numbered.last(piece):
            yield line
