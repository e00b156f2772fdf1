"""One OpenAI-compatible endpoint: a request body goes out over one kept connection, the bytes of the answer come back.

On the `openai` package, by its lower `post`: `create()` walks the whole history on every request. Statuses, broken
connections and time-outs all become `Failure`, which says how often it is worth another try.
"""

from __future__ import annotations

import email.utils
import gc
import ipaddress
import json
import re
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from config import ModelConfig
from models.arguments import scrub
from models.sse import sample

if TYPE_CHECKING:
    import httpx2
    import openai

OPENAI_URL = "https://api.openai.com/v1"  # what the package's own default is
RETRIES = 4
CONNECT_RETRIES = 2  # a server that is not there should be given up within 3 s
KEEPALIVE_SECONDS = (
    600.0  # the package drops an idle connection after 5 s, and a tool may take longer
)
MAX_WAIT_SECONDS = 60.0
MAX_ERROR_BYTES = 65_536
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "text/event-stream",
    "Accept-Encoding": "identity",
}


class Failure(Exception):
    """One attempt failed: what the endpoint said, how many retries such a failure is worth, what the owner can do,
    how many seconds the endpoint asks to wait, and its status (0 without one) and body."""

    def __init__(
        self,
        reason: str,
        retries: int = RETRIES,
        *,
        hint: str = "",
        after: float | None = None,
        status: int = 0,
        body: bytes = b"",
    ) -> None:
        super().__init__(reason)
        self.reason, self.retries, self.hint = reason, retries, hint
        self.after, self.status, self.body = after, status, body


class _Refused(Exception):
    """A status that is no answer."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status)
        self.status, self.headers, self.body = status, headers, body


def is_local(base_url: str) -> bool:
    """True for this machine and private networks, by the look of the address; no name is resolved."""
    host = urlsplit(base_url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(
            (".local", ".localhost", ".lan", ".internal", ".home.arpa")
        )
    return address.is_private or address.is_loopback or address.is_link_local


class Endpoint:
    """The connection to an endpoint; opened at first use, closed with the object."""

    def __init__(
        self,
        config: ModelConfig,
        connect_seconds: float,
        stall_seconds: float,
        reply_seconds: float,
    ) -> None:
        self.base_url = config.base_url or OPENAI_URL
        self._is_provider = config.base_url is None
        self._key = config.api_key.strip()
        self._connect_seconds, self._stall_seconds, self._reply_seconds = (
            connect_seconds,
            stall_seconds,
            reply_seconds,
        )
        self._headers: dict[str, Any] = dict(HEADERS)
        self._client: openai.OpenAI | None = None
        self._has_served = False

    @property
    def shown_url(self) -> str:
        """The address without a user name, password or query in it."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def redact(self, text: str) -> str:
        """The text without the key, or a shortened echo of it."""
        if not self._key:
            return text
        text = text.replace(self._key, "[key]")
        return (
            re.sub(re.escape(self._key[:8]) + r"\S*", "[key]", text)
            if len(self._key) >= 16
            else text
        )

    def stream(self, body: bytes, deadline: float = inf) -> Generator[bytes]:
        """Sends a request and yields the answer as it comes. Raises Failure, at `deadline` (on the monotonic clock) at
        the latest."""
        with self._failures(), ExitStack() as stack:
            started = time.monotonic()
            end = min(started + self._reply_seconds, deadline)
            if started >= deadline:
                raise Failure("there is no time left to ask", 0)
            response = self._send(body, end - started)
            stack.callback(response.close)
            if response.headers.get("content-type", "").startswith("text/html"):
                raise Failure(
                    "it answered with a web page", 0, hint="base_url usually ends in /v1."
                )
            pieces, is_watched = response.iter_bytes(), False
            while True:
                now = time.monotonic()
                if now >= end:  # a server may send comments for ever
                    raise Failure(f"no end within {end - started:.3g} s")
                if (
                    not is_watched and deadline - now < self._stall_seconds
                ):  # it may be silent for longer than that
                    stack.callback(_shut_down_after(deadline - now, response).cancel)
                    is_watched = True
                piece = next(pieces, None)
                if piece is None:
                    return
                yield piece

    def _send(self, body: bytes, left_seconds: float) -> httpx2.Response:
        """The answer, its body not read yet. A server may drop the kept connection at the moment when it is used again;
        then the request goes out once more, over a new one."""
        import httpx2
        import openai

        self._client = self._client or self._connect()
        try:
            response = self._post(self._client, body, left_seconds)
        except openai.APIConnectionError as error:
            dropped = isinstance(
                error.__cause__, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError
            )
            if not (self._has_served and dropped):
                raise
            response = self._post(self._client, body, left_seconds)
        self._has_served = True
        return response

    def _post(self, client: openai.OpenAI, body: bytes, left_seconds: float) -> httpx2.Response:
        import httpx2

        left = max(left_seconds, 0.001)
        stall, connect = min(self._stall_seconds, left), min(self._connect_seconds, left)

        return client.post(
            "/chat/completions",
            cast_to=httpx2.Response,
            content=body,
            options={"headers": self._headers, "timeout": httpx2.Timeout(stall, connect=connect)},
            stream=True,
            stream_cls=None,
        )

    def _connect(self) -> openai.OpenAI:
        import httpx2
        import openai

        if not (self._key.isascii() and self._key.isprintable()):
            raise Failure(
                "the api_key holds characters that no key has", 0, hint="Copy the key again."
            )
        # A server on this machine is behind no proxy, and without TLS its certificates (60 ms) are not needed.
        is_plain = self.base_url.startswith("http:") and is_local(self.base_url)
        try:
            http = httpx2.Client(
                timeout=httpx2.Timeout(self._stall_seconds, connect=self._connect_seconds),
                limits=httpx2.Limits(keepalive_expiry=KEEPALIVE_SECONDS),
                event_hooks={"response": [_refuse]},
                verify=not is_plain,
                trust_env=not is_plain,
            )
            client = openai.OpenAI(
                api_key=self._key or "none",
                admin_api_key="",
                base_url=self.base_url,
                http_client=http,
                max_retries=0,
                timeout=http.timeout,
            )
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise Failure(f"base_url is no address: {error}", 0) from error
        left_out = (
            [] if self._is_provider else ["OpenAI-Organization", "OpenAI-Project"]
        )  # from the environment
        left_out += [] if self._key else ["Authorization"]
        self._headers.update(
            (header, openai.Omit()) for header in left_out
        )  # the package's way to say so
        weakref.finalize(self, client.close)
        gc.freeze()  # what was imported stays: whoever looks for garbage need not look there
        return client

    @contextmanager
    def _failures(self) -> Iterator[None]:
        import httpx2
        import openai

        try:
            yield
        except _Refused as error:
            raise _of_status(error) from None
        except (openai.APIConnectionError, httpx2.RequestError) as error:
            raise self._of_connection(error) from error

    def _of_connection(self, error: Exception) -> Failure:
        import httpx2

        cause = error.__cause__ if isinstance(error.__cause__, httpx2.RequestError) else error
        chain = list(_chain(cause))
        words = sample(str(chain[-1]) or type(cause).__name__)
        if any(isinstance(link, ssl.SSLError) for link in chain):
            return Failure(
                f"TLS: {words}",
                0,
                hint="Check http:// or https:// in base_url, and the certificate.",
            )
        if isinstance(cause, httpx2.ConnectTimeout):
            return Failure(
                f"no connection within {self._connect_seconds:g} s",
                CONNECT_RETRIES,
                hint="Check base_url.",
            )
        if isinstance(cause, httpx2.TimeoutException):
            return Failure(f"nothing came for {self._stall_seconds:g} s", RETRIES)
        if isinstance(cause, httpx2.ConnectError):
            return Failure(
                f"no connection: {words}",
                CONNECT_RETRIES,
                hint="Start the server, or correct base_url.",
            )
        if isinstance(cause, httpx2.ProxyError | httpx2.UnsupportedProtocol):
            return Failure(words, 0, hint="Check base_url and the proxy settings.")
        return Failure(f"the connection broke: {words}", RETRIES)


def _shut_down_after(seconds: float, response: httpx2.Response) -> threading.Timer:
    """Ends the connection then, which wakes a read that waits: the time-out of a read is set once for an answer."""
    connection = response.extensions["network_stream"].get_extra_info("socket")

    def shut_down() -> None:
        with suppress(OSError):  # it is closed already
            socket.socket.shutdown(
                connection, socket.SHUT_RDWR
            )  # below TLS, whose own state is not ours

    timer = threading.Timer(seconds, shut_down)
    timer.daemon = True
    timer.start()
    return timer


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _refuse(response: httpx2.Response) -> None:
    """Reads the start of an error's body here: the package would read all of it, however long."""
    if response.status_code < 300:
        return
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > MAX_ERROR_BYTES:
            break
    raise _Refused(response.status_code, response.headers, bytes(body))


def _of_status(error: _Refused) -> Failure:
    words = _words_of_body(error.body, error.status) or "no reason given"
    reason = words if words.startswith(str(error.status)) else f"{error.status}: {words}"
    if error.status < 400:
        reason = (
            f"{error.status}: it redirects to {sample(error.headers.get('location', 'nowhere'))}"
        )
        return Failure(
            reason, 0, hint="Set base_url to where the endpoint really is.", status=error.status
        )
    is_passing = error.status in (408, 409, 429) or error.status >= 500
    if is_passing and "insufficient_quota" not in reason:
        hint = "Try again later, or add another model to `models` in config.yaml."
        return Failure(
            reason, RETRIES, hint=hint, after=_retry_after(error.headers), status=error.status
        )
    return Failure(
        reason, 0, hint=_hint(error.status, reason), status=error.status, body=error.body
    )


def _words_of_body(body: bytes, status: int) -> str:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return sample(body)
    if isinstance(said, list) and said:  # one provider wraps it in a list
        said = said[0]
    if not isinstance(said, dict):
        return sample(body)
    return error_words(said.get("error") or said, status)


def error_words(error: object, status: int = 0) -> str:
    """The endpoint's own words from an error object, on one line: its message, then of code and type what neither the
    message nor the status has said."""
    if not isinstance(error, dict):
        return sample(scrub(str(error)))
    message: Any = error.get("message") or error.get("detail") or error
    message = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    names = {
        str(error[key])
        for key in ("code", "type")
        if isinstance(error.get(key), str | int) and error[key]
    }
    new = sorted(name for name in names if name != str(status) and name not in message)
    return sample(scrub(message)) + (f" ({', '.join(new)})" if new else "")


def _hint(status: int, reason: str) -> str:
    if status in (401, 403):
        return "Check api_key of this model in config.yaml, or OPENAI_API_KEY."
    if status == 404:
        return "Check model and base_url (it usually ends in /v1)."
    if "tool" in reason:
        return "If this model has no tool calls, give it `protocol: text` in config.yaml."
    return "Check this model's entry in config.yaml."


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that the endpoint asks to wait, at most MAX_WAIT_SECONDS; None when it does not say."""
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(header, "")) * unit
        except ValueError:
            continue
        if seconds >= 0:  # also leaves out NaN
            return min(seconds, MAX_WAIT_SECONDS)
    try:
        due = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        return min(max(due.timestamp() - time.time(), 0.0), MAX_WAIT_SECONDS)
    except (ValueError, OverflowError, OSError):
        return None
