"""A model behind an endpoint, hosted or local: one `Model` over three protocols, with native tool calls or the text protocol.

One reply is a body (wires), sent and streamed back (transport.py), put together (wires), and retried as a whole when it
breaks: a call is dispatched only from an answer that came to its end. What a server refuses is learned (lessons.py).
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from typing import Any

from config import ModelConfig
from models.base import Event, Reply, Request, ToolCall
from models.base.reply import Kind, Usage
from models.dialects import TextProtocol, marks, offer_of, parse
from models.endpoint import presets
from models.endpoint.failure import RETRIES, Failure, in_stream
from models.endpoint.lessons import learn
from models.endpoint.transport import Endpoint
from models.errors import ContextTooLong, ModelUnavailable
from models.eyes import Eyes
from models.streams import NotAnAnswer, chunks
from models.wires import WIRES, Answer, Asked, Wire
from models.wires.written import Setting
from text import pattern

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0
STORED_FACTOR = (
    1.25  # what writing to the cache costs, of the price of input (Anthropic: prompt caching)
)
ASKS_FOR_WINDOW_BYTES = (
    12_000  # of a request; the smallest window of a server's own is 4,096 tokens
)
OLLAMA_TOKENS = 32_768  # the window that is asked for where nothing is set
MAX_LESSONS = 12  # of one request
_NAME = pattern(r"[^a-zA-Z0-9_-]")
_ID = pattern(r"[\x21-\x7e]{1,64}")
_TOLD_WINDOW = pattern(
    r"(?:maximum context length (?:is|of)|context (?:size|length|window)[^\d]{0,30}|n_ctx\D{1,10}|tokens > )\s*(\d{3,8})",
    re.I,
)


class EndpointModel:
    """Fills in `Model`. Yields `text`, `text_reset` (what was shown starts over), `model_adapted {turn, model, reason}` and
    `model_retry {turn, model, reason, seconds}`. Raises ModelUnavailable after its retries, ContextTooLong at once.

    `eyes` describe images where the model takes none. `connect_seconds`, `stall_seconds` (between two pieces of an answer) and `reply_seconds` (all of it) limit the
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
        eyes: Eyes | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = config.name
        self._config, self._lang, self._max_retries, self._wait = config, lang, max_retries, wait
        self._eyes = eyes
        stall = config.timeout_seconds or stall_seconds
        self.endpoint = Endpoint(config, connect_seconds, stall, reply_seconds)
        known = presets.preset(config)
        self.price = presets.price(config, known, counts_local=counts_local)
        self.manners = presets.manners(config, known)
        self.window = config.context_tokens or 0  # 0: not known
        self._is_window_known = bool(config.context_tokens)
        self._others = presets.wires(config, known)[1:]  # protocols that may still be tried
        self._text: TextProtocol | None = None
        self._wires: dict[str, Wire] = {}
        self._bytes_per_token = 4.0
        self._sent: dict[str, Any] = {}  # the fields of the last request
        self._reads_to_end = True  # so that the connection can be used again

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """See Model."""
        started, failures, wasted, lessons = time.monotonic(), 0, 0.0, 0
        while True:
            wire = self._wire()
            read = yield from self._readable(request)
            body, answer = self._body(wire, read), wire.answer()
            self._check_window(body)
            try:
                yield from self._ask(wire, body, answer, request.deadline)
                break
            except Failure as failure:
                if answer.shown:
                    yield {"type": "text_reset"}
                lesson = None
                if lessons < MAX_LESSONS:
                    lesson = learn(failure, self.manners, wire, self._others, self._sent)
                if lesson is not None:
                    lessons += 1
                    yield from self._adapted(wire, request.turn, lesson.say)
                    continue
                if (ended := self._ended(failure, wire, request)) is not None:
                    return ended
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
                yield {
                    "type": "model_retry",
                    "turn": request.turn,
                    "model": self.name,
                    "reason": self.endpoint.redact(failure.reason),
                    "seconds": round(seconds, 3),
                }
                self._wait(seconds)
        text, calls, is_native = self._said(answer, request)
        yield from _completed_text(answer, text, calls, is_native)
        usage = self._usage(body, answer)
        usage.cost += wasted + self._looked()
        self._bytes_per_token = min(max(len(body) / max(usage.input, 1), 2.0), 5.0)
        items = answer.items(text, calls, is_native=is_native)
        native = {"by": wire.by, "items": items} if items else None
        seconds = time.monotonic() - started
        return Reply(
            text, calls, answer.finish, self.name, self._kind, usage, seconds, native=native
        )

    @property
    def _kind(self) -> Kind:
        return "anthropic" if self.manners.wire == "messages" else "openai"

    def _wire(self) -> Wire:
        name = self.manners.wire
        if name not in self._wires:
            host = re.sub(r"^\w+://|:\d+", "", self.endpoint.shown_url).partition("/")[0]
            self._wires[name] = WIRES[name](self.manners, f"{name} {host} {self._config.model}")
        return self._wires[name]

    def _body(self, wire: Wire, request: Request) -> bytes:
        config = self._config
        setting = Setting(
            config.model,
            config.max_tokens,
            config.temperature,
            presets.reasoning(config.reasoning, self.manners),
            {**self._window_field(), **config.extra},
        )
        self._sent = wire.fields(setting)
        if self.manners.is_text:
            self._text = self._text or TextProtocol(self._lang)
            history, tail = self._text.messages(request)
            return wire.body(Asked(self._sent, history, tail, schema=request.schema))
        self._sent |= (
            {"parallel_tool_calls": False} if request.tools and wire.name != "messages" else {}
        )
        return wire.body(Asked(self._sent, *request.parts(), request.tools, request.schema))

    def _readable(self, request: Request) -> Generator[Event, None, Request]:
        """Return the request as this model can read it: with images, or with words in their place."""
        if self.manners.takes_images or self._eyes is None:
            return request
        return (yield from self._eyes.describe(request))

    def _looked(self) -> float:
        """Return what the eyes have cost since the last reply, in USD."""
        cost = self._eyes.cost_usd if self._eyes else 0.0
        if self._eyes:
            self._eyes.cost_usd = 0.0
        return cost

    def _window_field(self) -> dict[str, Any]:
        """Ollama's setting for the window; servers that do not know it pass over it."""
        address = self.endpoint.base_url
        is_ollama = ":11434" in address or "ollama" in f"{address} {self._config.api_key}".lower()
        if not is_ollama or self.manners.wire != "chat":
            return {}
        return {"options": {"num_ctx": self._config.context_tokens or OLLAMA_TOKENS}}

    def _check_window(self, body: bytes) -> None:
        """Refuse a request that the server would cut without a word. A local server is asked once how much it reads."""
        is_asked = len(body) > ASKS_FOR_WINDOW_BYTES and not self._is_window_known
        if is_asked and presets.is_local(self.endpoint.base_url):
            from models.endpoint.listing import window

            self.window, self._is_window_known = window(self.endpoint, self._config.model), True
        tokens = round(len(body) / self._bytes_per_token)
        if not 0 < self.window < tokens:
            return
        raise ContextTooLong(
            f"{self.name}: the request has about {tokens} tokens, and the server reads {self.window}.\n"
            "Give it more (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: -c, vLLM: --max-model-len) and set context_tokens.",
            self.window,
        )

    def _ask(
        self, wire: Wire, body: bytes, answer: Answer, deadline: float
    ) -> Generator[Event, None, None]:
        """One attempt. Raises Failure unless the answer came to its end; a connection that breaks behind the end does not
        matter, an error that the server tells does."""
        try:
            with closing(self.endpoint.stream(wire.path, body, deadline)) as data:
                for chunk in chunks(data):
                    if shown := _taken(chunk, answer):
                        yield {"type": "text", "delta": shown}
                    if answer.is_cut_off or (answer.is_whole and not self._reads_to_end):
                        return
        except _Told as told:
            raise told.failure from None
        except NotAnAnswer as error:
            if not answer.is_whole:
                raise Failure(f"not a chat completion: {error}", hint="Check base_url.") from error
        except Failure:
            if not answer.is_whole:
                raise
            self._reads_to_end = False
        if not answer.is_whole:
            raise Failure("the answer ended in the middle")

    def _adapted(self, wire: Wire, turn: int, say: str) -> Generator[Event, None, None]:
        """Everything is written anew in the manners that were learned; what the owner should know is said once."""
        wire.forget()
        if say:
            yield {"type": "model_adapted", "turn": turn, "model": self.name, "reason": say}

    def _ended(self, failure: Failure, wire: Wire, request: Request) -> Reply | None:
        """The reply that a failure is: the model's own mistake, or the provider's filter. Raises ContextTooLong."""
        if failure.cause == "context":
            found = _TOLD_WINDOW.search(failure.words)
            raise ContextTooLong(self._report(failure, 1), int(found[1]) if found else 0)
        if failure.cause == "filter":
            said = self.endpoint.redact(failure.reason)
            return Reply(said, [], "filter", self.name, self._kind)
        if failure.cause != "generation":
            return None
        written = str(failure.error.get("failed_generation") or "")
        answer = wire.answer()
        answer.say(written)
        text, calls, _ = self._said(answer, request)
        if not calls and (not written.strip() or marks().opens.search(written) or "{" in written):
            calls = [ToolCall(f"call_{request.turn}_1", "unknown", None, written, failure.reason)]
            text = ""
        return Reply(text, calls, "stop", self.name, self._kind)

    def _said(self, answer: Answer, request: Request) -> tuple[str, list[ToolCall], bool]:
        """Text and calls, and whether they came as calls: a server may not have read what its model wrote."""
        text, calls = answer.text, answer.calls()
        is_native = True
        if not calls and request.tools:
            prose, written = parse(
                text, offer_of(request.tools), is_cut_off=answer.finish == "length"
            )
            if written or prose != text:
                text, calls, is_native = prose, written, False
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
        return text, settled, is_native

    def _usage(self, body: bytes, answer: Answer) -> Usage:
        tokens, price = answer.tokens(len(body)), self.price
        fresh = max(tokens.input - tokens.cached - tokens.stored, 0) + tokens.stored * STORED_FACTOR
        cost = fresh * price.input + tokens.cached * price.cached + tokens.output * price.output
        return Usage(tokens.input, tokens.cached, tokens.output, cost / 1e6)

    def _report(self, failure: Failure, attempts: int) -> str:
        tried = f"model {self._config.model} at {self.endpoint.shown_url}"
        tried += f", tried {attempts} times" if attempts > 1 else ""
        variable = "ANTHROPIC_API_KEY" if self.manners.wire == "messages" else "OPENAI_API_KEY"
        hint = failure.hint.replace("{variable}", variable)
        if failure.cause == "model":
            from models.endpoint.listing import nearest

            names = ", ".join(nearest(self.endpoint, self._config.model))
            hint = f"{hint} It lists: {names}." if names else hint
        return self.endpoint.redact(f"{self.name}: {failure.reason} [{tried}]\n{hint}".rstrip())


def _taken(chunk: dict[str, Any] | None, answer: Answer) -> str:
    """The text to show of one object of the stream, or of its end."""
    if chunk is None:
        answer.end()
        return ""
    if failure := in_stream(chunk):
        raise _Told(failure)
    return answer.add(chunk)


class _Told(Exception):
    """An error that the server told inside its stream; it counts behind the end too."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def _completed_text(
    answer: Answer, text: str, calls: list[ToolCall], is_native: bool
) -> Generator[Event, None, None]:
    """Brings the screens to the text of the reply: what was held back is no call after all, or a call was shown."""
    if is_native:
        rest = answer.rest()
        if rest and not calls:
            yield {"type": "text", "delta": rest}
        return
    if "".join(answer.shown).strip() == text.strip():
        return
    if answer.shown:
        yield {"type": "text_reset"}
    if text:
        yield {"type": "text", "delta": text}


def _pause(failure: Failure, failures: int) -> float:
    """Seconds until the next attempt: what the endpoint asks for, else doubling; with jitter, so that many do not come
    back at once."""
    if failure.after is not None:
        return failure.after * random.uniform(1.0, 1.1)
    first = FIRST_WAIT_SECONDS if failure.retries >= RETRIES else FIRST_WAIT_SECONDS / 2
    return min(first * 2.0 ** (failures - 1), LONGEST_WAIT_SECONDS) * random.uniform(0.75, 1.25)
