"""A model behind any OpenAI-compatible endpoint, hosted or local, with native tool calls or the text protocol.

One reply is a body (wire.py), sent and streamed back (endpoint.py, sse.py), put together (answer.py, arguments.py),
and retried as a whole when it breaks: a call is dispatched only from an answer that came to its end.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from typing import Any

from config import ModelConfig, Price
from models.answer import Answer
from models.base import (
    ContextTooLong,
    Event,
    ModelUnavailable,
    Reply,
    Request,
    ToolCall,
    Usage,
)
from models.endpoint import RETRIES, Endpoint, Failure, error_words, is_local
from models.sse import NotAnAnswer, chunks
from models.text_protocol import TextProtocol, parse
from models.wire import Wire
from text import pattern

# A hosted model without a configured price is counted as an expensive one: the owner's cost limit is on by default, and
# it should stop a run too early rather than too late. A model on this machine or a private network costs nothing,
# unless a limit was named for this very run (`counts_local`): then whoever named it wants one that holds.
UNKNOWN_PRICE = Price(input=5.0, cached=0.5, output=25.0)
FREE = Price(input=0.0, cached=0.0, output=0.0)
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0
FATAL_ERRORS = pattern(
    r"\b(400|401|403|404)\b|invalid|context_length|insufficient_quota|not_found|authentication"
)
_ROLES = pattern(
    r"\broles?\b|\balternat", re.IGNORECASE
)  # how servers and chat templates refuse their order
_TOO_LONG = pattern(  # how servers say that a request does not fit into the context
    r"context[ _-]?(length|window|size|limit)|maximum (context|prompt|input)|max_(model|seq)_len"
    r"|(prompt|input|request|messages?)( is| are)? too (long|large)|too many( input| prompt)? tokens"
    r"|token (limit|count).{0,40}exceed|exceed.{0,60}(context|token)|上下文|超[出过].{0,12}(长度|限制|token)",
    re.IGNORECASE,
)
_NO_IMAGES = pattern(
    r"image|vision|multi-?modal|mmproj|content.{0,60}(string|str\b|list|array|part)", re.IGNORECASE
)
_OTHER_REASONS = (401, 403, 404, 429)  # statuses that never mean it, whatever the words
LONG_HINT = "Set limits.context_tokens in config.yaml to what this model can read, or start anew."
_NAME = pattern(r"[^a-zA-Z0-9_-]")
_ID = pattern(r"[\x21-\x7e]{1,64}")


class OpenAICompatModel:
    """Fills in `Model`. Yields `text`, `text_reset` (what was shown starts over) and `model_retry {turn, model, reason,
    seconds}`. Raises ModelUnavailable after its retries, ContextTooLong at once.

    `connect_seconds`, `stall_seconds` (between two pieces of an answer) and `reply_seconds` (all of it) limit the
    waiting; `wait` sleeps between attempts.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        lang: str = "en",
        connect_seconds: float = 10.0,
        stall_seconds: float = 120.0,
        reply_seconds: float = 1800.0,
        max_retries: int = RETRIES,
        counts_local: bool = False,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = config.name
        self._config = config
        self._max_retries = max_retries
        self._endpoint = Endpoint(config, connect_seconds, stall_seconds, reply_seconds)
        self.price = config.price or (
            FREE if is_local(self._endpoint.base_url) and not counts_local else UNKNOWN_PRICE
        )
        self._text = TextProtocol(lang) if config.protocol == "text" else None
        self._wire = Wire()
        self._wait = wait
        # What not every server takes; one that a server refuses by name is not sent again.
        self._extras: dict[str, Any] = {
            "stream_options": {"include_usage": True},
            "parallel_tool_calls": False,
        }
        self._takes_schema = True
        self._reads_to_end = True  # so that the connection can be used again

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        started, failures, wasted = time.monotonic(), 0, 0.0
        while True:
            body, answer = self._body(request), Answer()
            try:
                yield from self._ask(body, answer, request.deadline)
                break
            except Failure as failure:
                if answer.is_shown:
                    yield {"type": "text_reset"}
                if (
                    self._leaves_out(failure)
                    or self._joins_roles(failure)
                    or self._drops_images(failure)
                ):
                    continue
                if failure.status not in _OTHER_REASONS and _TOO_LONG.search(failure.reason):
                    failure.hint = LONG_HINT
                    raise ContextTooLong(self._report(failure, failures + 1)) from failure
                failures += 1
                wasted += (
                    self._usage(body, answer).cost if answer.is_started else 0.0
                )  # it is paid for all the same
                now, seconds = time.monotonic(), _pause(failure, failures)
                is_late = (
                    now >= request.deadline or now + seconds > started + request.patience_seconds
                )
                if is_late or failures > min(failure.retries, self._max_retries):
                    raise ModelUnavailable(self._report(failure, failures)) from failure
                seconds = min(seconds, request.deadline - now)
                reason = self._endpoint.redact(failure.reason)
                yield {
                    "type": "model_retry",
                    "turn": request.turn,
                    "model": self.name,
                    "reason": reason,
                    "seconds": round(seconds, 3),
                }
                self._wait(seconds)
        text, calls = self._said(answer, request)
        rest = "" if calls else answer.rest()
        if rest:
            yield {"type": "text", "delta": rest}
        usage = self._usage(body, answer)
        usage.cost += wasted
        return Reply(
            text, calls, answer.finish, self.name, "openai", usage, time.monotonic() - started
        )

    def _body(self, request: Request) -> bytes:
        fields: dict[str, Any] = {"model": self._config.model, "stream": True, **self._extras}
        if self._text or not request.tools:
            fields.pop("parallel_tool_calls", None)
        else:
            fields["tools"] = request.tools
        if request.schema is not None and self._takes_schema:
            shape = {"name": "reply", "schema": request.schema, "strict": True}
            fields["response_format"] = {"type": "json_schema", "json_schema": shape}
        if self._text:
            return self._wire.body(fields, *self._text.messages(request))
        return self._wire.body(fields, *request.parts())

    def _ask(self, body: bytes, answer: Answer, deadline: float) -> Generator[Event, None, None]:
        """One attempt. Raises Failure unless the answer came to its end; what breaks behind the end does not matter."""
        try:
            with closing(self._endpoint.stream(body, deadline)) as data:
                for chunk in chunks(data):
                    shown = answer.add(_without_error(chunk))
                    if shown:
                        yield {"type": "text", "delta": shown}
                    if answer.is_cut_off or (answer.is_whole and not self._reads_to_end):
                        return
        except NotAnAnswer as error:
            if not answer.is_whole:
                raise Failure(f"not a chat completion: {error}", hint="Check base_url.") from error
        except Failure:
            if not answer.is_whole:
                raise
            self._reads_to_end = False
        if not answer.is_whole:
            raise Failure("the answer ended in the middle")

    def _leaves_out(self, failure: Failure) -> bool:
        """True when the server refused a field by name that can be left out: it is, from now on."""
        if failure.status not in (400, 422):
            return False
        refused = [key for key in self._extras if key.encode() in failure.body]
        for key in refused:
            del self._extras[key]
        if self._takes_schema and (
            b"response_format" in failure.body or b"json_schema" in failure.body
        ):
            self._takes_schema = False
            return True
        return bool(refused)

    def _joins_roles(self, failure: Failure) -> bool:
        """True when the server refused the order of roles, the first time: from now on no user message stands right
        behind another, or behind a tool's."""
        is_new = (
            not self._wire.joins
            and failure.status in (400, 422, 500)
            and bool(_ROLES.search(failure.reason))
        )
        self._wire.joins |= is_new
        return is_new

    def _drops_images(self, failure: Failure) -> bool:
        """True when the model takes no images, the first time: from now on it reads their names."""
        refuses = failure.status in (400, 404, 415, 422, 500, 501) and bool(
            _NO_IMAGES.search(failure.reason)
        )
        if not (self._wire.has_images and refuses):
            return False
        self._wire.leave_out_images()
        return True

    def _said(self, answer: Answer, request: Request) -> tuple[str, list[ToolCall]]:
        """Text and calls. Calls in the text count in the text protocol; in a native reply, where a server did not
        read what its model wrote, only when the text is nothing else."""
        text, calls = answer.text, answer.calls()
        if not calls:
            prose, written = parse(text, is_cut_off=answer.finish == "length")
            if written and (self._text or not prose):
                text, calls = prose, written
        offered = {tool["function"]["name"] for tool in request.tools}
        used = {message.get("tool_call_id", "") for message in request.messages}
        settled = []
        for number, call in enumerate(calls, start=1):
            name = (
                call.name if call.name in offered else _NAME.sub("_", call.name)[:64] or "unknown"
            )
            id_ = (
                call.id
                if _ID.fullmatch(call.id) and call.id not in used
                else f"call_{request.turn}_{number}"
            )
            while id_ in used:
                id_ += "_"
            used.add(id_)
            settled.append(replace(call, id=id_, name=name))
        return text, settled

    def _usage(self, body: bytes, answer: Answer) -> Usage:
        sent, cached, received = answer.tokens(len(body))
        price = self.price
        cost = (sent - cached) * price.input + cached * price.cached + received * price.output
        return Usage(sent, cached, received, cost / 1e6)

    def _report(self, failure: Failure, attempts: int) -> str:
        tried = f"model {self._config.model} at {self._endpoint.shown_url}"
        tried += f", tried {attempts} times" if attempts > 1 else ""
        return self._endpoint.redact(
            f"{self.name}: {failure.reason} [{tried}]\n{failure.hint}".rstrip()
        )


def _without_error(chunk: dict[str, Any] | None) -> dict[str, Any] | None:
    """The chunk, unless it is an error that came inside the stream."""
    if chunk is None:
        return None
    error = chunk.get("error") or (chunk if chunk.get("object") == "error" else None)
    if not error:
        return chunk
    kind = (
        " ".join(str(error.get(key, "")) for key in ("code", "type", "status"))
        if isinstance(error, dict)
        else ""
    )
    raise Failure(error_words(error), 0 if FATAL_ERRORS.search(kind) else RETRIES)


def _pause(failure: Failure, failures: int) -> float:
    """Seconds until the next attempt: what the endpoint asks for, else doubling; with jitter, so that many do not come
    back at once."""
    if failure.after is not None:
        return failure.after * random.uniform(1.0, 1.1)
    first = FIRST_WAIT_SECONDS if failure.retries >= RETRIES else FIRST_WAIT_SECONDS / 2
    return min(first * 2.0 ** (failures - 1), LONGEST_WAIT_SECONDS) * random.uniform(0.75, 1.25)
