"""A model behind an endpoint, hosted or local: one `Model` over three protocols, with native tool
calls or the text protocol.

One reply is a body (wires), sent and streamed back (transport.py), put together (wires), and
retried as a whole when it breaks: a call is dispatched only from an answer that came to its end.
What a server refuses is learned (lessons.py).
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from config import Message, ModelConfig
from models.base import Event, Kind, Reply, Request, ToolCall, Usage
from models.dialects import TextProtocol, marks
from models.endpoint import presets
from models.endpoint.failure import RETRIES, Failure, in_stream
from models.endpoint.lessons import learn
from models.endpoint.said import Said
from models.endpoint.transport import Endpoint
from models.errors import ContextTooLong, ModelUnavailable
from models.eyes import Eyes
from models.streams import NotAnAnswer, chunks
from models.wires import WIRES, Answer, Asked, Wire
from text import pattern

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0
STORED_FACTOR = 1.25  # of the price of input, for what the cache stores (Anthropic: prompt caching)
OLLAMA_TOKENS = 32_768  # the window that is asked for where nothing is set
SMALL_BYTES = 12_000  # of a request that fits anywhere: no server reads less than 4,096 tokens
MAX_LESSONS = 12  # of one request
_TOLD_WINDOW = pattern(
    r"(?:maximum context length (?:is|of)|context (?:size|length|window)[^\d]{0,30}|n_ctx\D{1,10}|tokens > )\s*(\d{3,8})",
    re.I,
)


@dataclass(slots=True)
class _Tries:
    """Count what a reply has taken so far. `wasted` is what broken answers have cost, in USD."""

    started: float = field(default_factory=time.monotonic)
    failures: int = 0
    attempts: int = 0
    wasted: float = 0.0


class EndpointModel:
    """Fills in `Model`. Yields `text`, `text_reset` (what was shown starts over), `model_adapted
    {turn, model, reason}` and `model_retry {turn, model, reason, seconds}`. Raises ModelUnavailable
    after its retries, ContextTooLong at once.

    `eyes` describe images where the model takes none. `protocol` is the one that this server asked
    for in an earlier process; `tell_protocol` hears of another one. `wait` sleeps between attempts.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        lang: str = "en",
        max_retries: int = RETRIES,
        counts_local: bool = False,
        eyes: Eyes | None = None,
        protocol: str = "",
        tell_protocol: Callable[[str], None] = lambda protocol: None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = config.name
        self._config, self._lang, self._max_retries, self._wait = config, lang, max_retries, wait
        self._eyes, self._tell_protocol = eyes, tell_protocol
        self.endpoint = Endpoint(config)
        known = presets.preset(config)
        self.price = presets.price(config, known, counts_local=counts_local)
        self.manners = presets.manners(config, known)
        self._others = presets.wires(config, known)  # protocols that may still be tried
        if protocol in self._others:
            self.manners.wire = protocol
        self._others.remove(self.manners.wire)
        self._told_protocol = self.manners.wire
        self._known_window = known.window
        self._told_window: int | None = config.context_tokens  # None: not asked yet
        self._text: TextProtocol | None = None
        self._wires: dict[str, Wire] = {}
        self._bytes_per_token = 4.0
        self._sent: dict[str, Any] = {}  # the fields of the last request
        self._reads_to_end = True  # so that the connection can be used again

    @property
    def window(self) -> int:
        """Return how many tokens it reads: as set, as its server tells, by its name; 0: not
        known."""
        return self._window() or self._known_window

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """See Model."""
        tries = _Tries()
        while True:
            wire = self._wire()
            read = yield from self._readable(request)
            body, answer = self._body(wire, read), wire.answer()
            self._check_window(wire, body)
            try:
                yield from self._ask(wire, body, answer, request)
                break
            except Failure as failure:
                if answer.shown:
                    yield {"type": "text_reset"}
                tries.attempts += 1
                lesson = None
                if tries.attempts <= MAX_LESSONS:
                    lesson = learn(failure, self.manners, wire, self._others, self._sent)
                if lesson:
                    wire.forget()  # everything is written anew
                    if lesson.say:
                        yield self._news(request, "model_adapted", Message(lesson.say))
                    continue
                if ended := self._ended(failure, wire, request):
                    return ended
                if answer.is_started:  # it is paid for all the same
                    tries.wasted += self._usage(body, answer).cost
                yield from self._retry(failure, tries, request)
        return (yield from self._replied(wire, body, answer, request, tries))

    def _replied(
        self, wire: Wire, body: bytes, answer: Answer, request: Request, tries: _Tries
    ) -> Generator[Event, None, Reply]:
        """Make the reply of a whole answer."""
        said = Said.of(answer, request)
        yield from said.shown(answer)
        usage = self._usage(body, answer)
        usage.cost += tries.wasted + (self._eyes.take_cost() if self._eyes else 0.0)
        self._bytes_per_token = min(max(len(body) / max(usage.input, 1), 2.0), 5.0)
        if self._told_protocol != wire.name:
            self._tell_protocol(wire.name)
            self._told_protocol = wire.name
        items = answer.items(said.text, said.calls, is_native=said.is_native)
        return Reply(
            said.text,
            said.calls,
            answer.finish,
            self.name,
            self._kind,
            usage,
            time.monotonic() - tries.started,
            native={"by": wire.by, "items": items} if items else None,
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
        reasoning = presets.reasoning(config.reasoning, self.manners)
        self._sent = {**wire.fields(config), **reasoning, **self._window_field(), **config.extra}
        if self.manners.is_text:
            self._text = self._text or TextProtocol(self._lang)
            history, tail = self._text.messages(request)
            return wire.body(Asked(self._sent, history, tail, schema=request.schema))
        if request.tools:
            self._sent = {**wire.one_call, **self._sent}
        return wire.body(Asked(self._sent, *request.parts(), request.tools, request.schema))

    def _readable(self, request: Request) -> Generator[Event, None, Request]:
        """Return the request as this model can read it: with images, or with words in their
        place."""
        if self.manners.takes_images or self._eyes is None:
            return request
        return (yield from self._eyes.describe(request))

    def _window_field(self) -> dict[str, Any]:
        """Ollama's setting for the window; servers that do not know it pass over it."""
        named = f"{self.endpoint.base_url} {self._config.api_key}".lower()
        is_ollama = ":11434" in named or "ollama" in named
        if not is_ollama or self.manners.wire != "chat":
            return {}
        return {"options": {"num_ctx": self._config.context_tokens or OLLAMA_TOKENS}}

    def _window(self) -> int:
        """Return what is set, or what a local server tells when it is asked, once; 0: nothing."""
        if self._told_window is None and presets.is_local(self.endpoint.base_url):
            from models.endpoint.listing import window

            self._told_window = window(self.endpoint, self._config.model)
        return self._told_window or 0

    def _check_window(self, wire: Wire, body: bytes) -> None:
        """Refuse a request that the server would cut without a word; bytes of images say nothing of
        tokens."""
        if wire.has_images or (self._told_window is None and len(body) < SMALL_BYTES):
            return
        tokens, window = round(len(body) / self._bytes_per_token), self._window()
        if not 0 < window < tokens:
            return
        raise ContextTooLong(
            "error.models.too-long", window, name=self.name, tokens=tokens, reads=window
        )

    def _ask(
        self, wire: Wire, body: bytes, answer: Answer, request: Request
    ) -> Generator[Event, None, None]:
        """Make one attempt. Raises Failure unless the answer came to its end; a connection that
        breaks behind the end does not matter, an error that the server tells does."""
        try:
            stream = self.endpoint.stream(wire.path, body, request.deadline, request.beside)
            with closing(stream) as data:
                for chunk in chunks(data):
                    if shown := _taken(chunk, answer):
                        yield {"type": "text", "delta": shown}
                    has_all = answer.is_whole and not self._reads_to_end
                    if answer.is_cut_off or has_all:
                        return
        except _Told as told:
            raise told.failure from None
        except (NotAnAnswer, Failure) as error:
            if not answer.is_whole:
                raise _as_failure(error) from error
            self._reads_to_end = isinstance(error, NotAnAnswer)
        if not answer.is_whole:
            raise Failure("error.models.cut-off")

    def _news(self, request: Request, kind: str, reason: str) -> Event:
        """Return an event that tells the owner of a change or a wait."""
        return {"type": kind, "turn": request.turn, "model": self.name, "reason": reason}

    def _retry(
        self, failure: Failure, tries: _Tries, request: Request
    ) -> Generator[Event, None, None]:
        """Wait before the next attempt. Raises ModelUnavailable when there is to be none."""
        tries.failures += 1
        now, seconds = time.monotonic(), _pause(failure, tries.failures)
        is_late = (
            now >= request.deadline or now + seconds > tries.started + request.patience_seconds
        )
        if is_late or tries.failures > min(failure.retries, self._max_retries):
            raise ModelUnavailable(self._report(failure, tries.failures)) from failure
        seconds = min(seconds, request.deadline - now)
        told = self._news(request, "model_retry", self.endpoint.redact(failure.reason))
        yield told | {"seconds": round(seconds, 3)}
        self._wait(seconds)

    def _ended(self, failure: Failure, wire: Wire, request: Request) -> Reply | None:
        """Return the reply that a failure is: the model's own mistake, or the provider's filter.
        Raises ContextTooLong."""
        if failure.cause == "context":
            found = _TOLD_WINDOW.search(failure.words)
            raise ContextTooLong(self._report(failure, 1), int(found[1]) if found else 0)
        if failure.cause == "filter":
            said = self.endpoint.redact(failure.reason)
            return Reply(said, [], "filter", self.name, self._kind)
        if failure.cause != "generation":
            return None
        return self._mistaken(failure, wire, request)

    def _mistaken(self, failure: Failure, wire: Wire, request: Request) -> Reply:
        """Return the reply that a server could not read as a call: the model's words, or a call
        with an error."""
        written = str(failure.error.get("failed_generation") or "")
        answer = wire.answer()
        answer.say(written)
        said = Said.of(answer, request)
        is_broken = not written.strip() or "{" in written or marks().opens.search(written)
        if is_broken and not said.calls:
            call = ToolCall(f"call_{request.turn}_1", "unknown", None, written, failure.reason)
            return Reply("", [call], "stop", self.name, self._kind)
        return Reply(said.text, said.calls, "stop", self.name, self._kind)

    def _usage(self, body: bytes, answer: Answer) -> Usage:
        tokens, price = answer.tokens(len(body)), self.price
        fresh = max(tokens.input - tokens.cached - tokens.stored, 0) + tokens.stored * STORED_FACTOR
        cost = fresh * price.input + tokens.cached * price.cached + tokens.output * price.output
        return Usage(tokens.input, tokens.cached, tokens.output, cost / 1e6)

    def _report(self, failure: Failure, attempts: int) -> str:
        key = "error.models.failed-often" if attempts > 1 else "error.models.failed"
        variable = "ANTHROPIC_API_KEY" if self.manners.wire == "messages" else "OPENAI_API_KEY"
        report = Message(
            key,
            name=self.name,
            reason=failure.reason,
            model=self._config.model,
            url=self.endpoint.shown_url,
            n=attempts,
        )
        if failure.hint:
            hint = Message(f"error.models.hint.{failure.hint}", variable=variable)
            report = Message("error.lines", one=report, other=hint)
        if failure.cause == "model":
            from models.endpoint.listing import nearest

            names = ", ".join(nearest(self.endpoint, self._config.model))
            report = Message("error.models.lists", report=report, names=names) if names else report
        return self.endpoint.redact(report)


class _Told(Exception):
    """An error that the server told inside its stream; it counts behind the end too."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def _taken(chunk: dict[str, Any] | None, answer: Answer) -> str:
    """Return the text to show of one object of the stream, or of its end."""
    if chunk is None:
        answer.end()
        return ""
    if failure := in_stream(chunk):
        raise _Told(failure)
    return answer.add(chunk)


def _as_failure(error: NotAnAnswer | Failure) -> Failure:
    if isinstance(error, Failure):
        return error
    return Failure("error.models.no-completion", hint="base-url", words=error)


def _pause(failure: Failure, failures: int) -> float:
    """Return the seconds until the next attempt: what the endpoint asks for, else doubling; with
    jitter, so that many do not come back at once."""
    if failure.after is not None:
        return failure.after * random.uniform(1.0, 1.1)
    first = FIRST_WAIT_SECONDS if failure.retries >= RETRIES else FIRST_WAIT_SECONDS / 2
    return min(first * 2.0 ** (failures - 1), LONGEST_WAIT_SECONDS) * random.uniform(0.75, 1.25)
