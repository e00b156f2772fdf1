"""One endpoint: a request body goes out over one kept connection, the bytes of the answer come
back.

On the packages `openai` and `anthropic`, by their lower `post`: `create()` walks the whole history
on every request. Statuses, broken connections and time-outs all become `Failure`, which says how
often it is worth another try.
"""

from __future__ import annotations

import gc
import re
import socket
import ssl
import sys
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from config import Message, ModelConfig
from models.endpoint.failure import Failure, of_status, parsed
from models.endpoint.packages import package
from models.endpoint.presets import base_url, is_local
from models.streams import sample

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS, STALL_SECONDS, REPLY_SECONDS = 10.0, 120.0, 1800.0  # between two pieces; for all
CONNECT_RETRIES = 2  # a server that is not there should be given up within 3 s
SHORTEST_KEY = 6
BESIDE_SECONDS = 0.02  # until a request is on its way, which nothing should hold up
KEEPALIVE_SECONDS = (
    600.0  # the package drops an idle connection after 5 s, and a tool may take longer
)
MAX_ERROR_BYTES = 65_536
MAX_LISTING_BYTES = 4_000_000
MESSAGES = "/messages"
ANTHROPIC_VERSION = "2023-06-01"
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "text/event-stream",
    "Accept-Encoding": "identity",
}


class _Refused(Exception):
    """A status that is no answer."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status)
        self.status, self.headers, self.body = status, headers, body


class Endpoint:
    """The connection to an endpoint; opened at first use, closed with the object."""

    def __init__(self, config: ModelConfig) -> None:
        self.base_url, _, self._query = base_url(config).partition("?")
        self._is_provider = config.base_url is None
        self._key = config.api_key.strip()
        self._stall_seconds = config.timeout_seconds or STALL_SECONDS
        self._headers: dict[str, Any] = {**HEADERS, **config.headers}
        self._clients: dict[str, Any] = {}  # by the package that each is from
        self._http: httpx2.Client | None = None

    def close(self) -> None:
        """Close the connection now; it is opened again where it is needed."""
        http, self._http = self._http, None
        self._clients.clear()
        if http is not None:
            http.close()

    @property
    def shown_url(self) -> str:
        """Return the address without a user name, password or query in it."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def redact(self, text: str) -> str:
        """Return the text without the key, or a shortened echo of it. A key of a few letters, such
        as "none", is no secret and may be a part of any word."""
        if len(self._key) < SHORTEST_KEY:
            return text
        if isinstance(text, Message) and text.key:
            return text.each(self.redact)
        text = re.sub(rf"(?<!\w){re.escape(self._key)}(?!\w)", "[key]", text)
        return (
            re.sub(re.escape(self._key[:8]) + r"\S*", "[key]", text)
            if len(self._key) >= 16
            else text
        )

    def stream(
        self,
        path: str,
        body: bytes,
        deadline: float = inf,
        beside: Callable[[], object] | None = None,
    ) -> Generator[bytes]:
        """Send a request and yield the answer as it comes; `beside` is done meanwhile. Raises
        Failure, at `deadline` (on the monotonic clock) at the latest."""
        with self._failures(), ExitStack() as stack:
            started = time.monotonic()
            end = min(started + REPLY_SECONDS, deadline)
            if started >= deadline:
                raise Failure("error.models.no-time", 0)
            if beside:
                timer = threading.Timer(BESIDE_SECONDS, beside)
                timer.start()
                stack.callback(timer.join)
                stack.callback(timer.cancel)
            response = self._send(path, body, end - started)
            stack.callback(response.close)
            if response.headers.get("content-type", "").startswith("text/html"):
                raise Failure("error.models.web-page", 0, hint="v1")
            pieces, is_watched = response.iter_bytes(), False
            while True:
                now = time.monotonic()
                if now >= end:  # a server may send comments for ever
                    raise Failure("error.models.no-end", seconds=f"{end - started:.3g}")
                if (
                    not is_watched and deadline - now < self._stall_seconds
                ):  # it may be silent for longer than that
                    stack.callback(_shut_down_after(deadline - now, response).cancel)
                    is_watched = True
                piece = next(pieces, None)
                if piece is None:
                    return
                yield piece

    def get(self, url: str, seconds: float) -> tuple[int, Any]:
        """Return what stands at an address of this server: the status, and the JSON, None where it
        is none. Raises Failure."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        if self._key and "anthropic.com" in self.base_url:
            headers = {"X-Api-Key": self._key, "anthropic-version": ANTHROPIC_VERSION}
        self._http = self._http or self._connected()
        found, end = bytearray(), time.monotonic() + seconds
        with (
            self._failures(),
            self._http.stream("GET", url, headers=headers, timeout=seconds) as answer,
        ):
            for piece in answer.iter_bytes():
                found += piece
                if len(found) > MAX_LISTING_BYTES or time.monotonic() > end:
                    return answer.status_code, None
        return answer.status_code, parsed(bytes(found))

    def _send(self, path: str, body: bytes, left_seconds: float) -> httpx2.Response:
        """Return the answer, its body not read yet."""
        import httpx2

        provider = _package(path)
        if provider.__name__ not in self._clients:
            self._clients[provider.__name__] = self._connect(provider)
        left = max(left_seconds, 0.001)
        stall, connect = min(self._stall_seconds, left), min(CONNECT_SECONDS, left)
        timeout = httpx2.Timeout(stall, connect=connect)
        found: httpx2.Response = self._clients[provider.__name__].post(
            self._path(path),
            cast_to=httpx2.Response,
            content=body,
            options={"headers": self._signed(path), "timeout": timeout},
            stream=True,
            stream_cls=None,
        )
        return found

    def _path(self, path: str) -> str:
        """Return the path behind the base URL, which for Anthropic's protocol stands without the
        version, as its package has it. A query of the base URL (Azure: api-version) stands behind
        the path."""
        is_versioned = self.base_url.rstrip("/").endswith("/v1")
        version = "/v1" if path == MESSAGES and not is_versioned else ""
        query = f"?{self._query}" if self._query else ""
        return f"{version}{path}{query}"

    def _signed(self, path: str) -> dict[str, Any]:
        """Return the headers, with the key where this protocol has it."""
        left_out = (
            [] if self._is_provider else ["OpenAI-Organization", "OpenAI-Project"]
        )  # from the environment
        left_out += [] if self._key else ["Authorization", "X-Api-Key"]
        left_out += (
            ["Authorization"] if path == MESSAGES and "anthropic.com" in self.base_url else []
        )
        omitted = _package(path).Omit()  # the packages' way to say so
        headers: dict[str, Any] = {**dict.fromkeys(left_out, omitted), **self._headers}
        if path == MESSAGES:
            headers.setdefault("anthropic-version", ANTHROPIC_VERSION)
            if self._key:
                headers.setdefault("X-Api-Key", self._key)
        return headers

    def _connect(self, provider: Any) -> Any:
        import httpx2

        if not (self._key.isascii() and self._key.isprintable()):
            raise Failure("error.models.key-letters", 0, hint="copy-key")
        try:
            self._http = http = self._http or self._connected()
            settings = {
                "api_key": self._key or "none",
                "base_url": self.base_url,
                "http_client": http,
                "max_retries": 0,
                "timeout": http.timeout,
            }
            if provider.__name__ == "openai":
                client = provider.OpenAI(admin_api_key="", **settings)
            else:
                client = provider.Anthropic(**settings)
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise Failure("error.models.no-address", 0, error=error) from error
        gc.freeze()  # what was imported stays: whoever looks for garbage need not look there
        return client

    def _connected(self) -> httpx2.Client:
        import httpx2

        # A server on this machine is behind no proxy, and without TLS its certificates (60 ms) are
        # not needed.
        is_plain = self.base_url.startswith("http:") and is_local(self.base_url)
        http = httpx2.Client(
            timeout=httpx2.Timeout(self._stall_seconds, connect=CONNECT_SECONDS),
            limits=httpx2.Limits(keepalive_expiry=KEEPALIVE_SECONDS),
            event_hooks={"response": [_refuse]},
            verify=not is_plain,
            trust_env=not is_plain,
        )
        weakref.finalize(self, http.close)
        return http

    @contextmanager
    def _failures(self) -> Iterator[None]:
        import httpx2

        try:
            yield
        except _Refused as error:
            raise of_status(error.status, error.headers, error.body) from None
        except httpx2.RequestError as error:
            raise self._of_connection(error) from error
        except _connection_errors() as error:
            refused = error.__cause__
            if isinstance(refused, _Refused):  # one of the packages wraps it
                raise of_status(refused.status, refused.headers, refused.body) from None
            raise self._of_connection(error) from error

    def _of_connection(self, error: Exception) -> Failure:
        import httpx2

        cause = error.__cause__ if isinstance(error.__cause__, httpx2.RequestError) else error
        chain = list(_chain(cause))
        words = sample(str(chain[-1]) or type(cause).__name__)
        if any(isinstance(link, ssl.SSLError) for link in chain):
            return Failure(f"TLS: {words}", 0, hint="tls")
        if isinstance(cause, httpx2.ConnectTimeout):
            return Failure(
                "error.models.no-connection-within",
                CONNECT_RETRIES,
                hint="base-url",
                seconds=f"{CONNECT_SECONDS:g}",
            )
        if isinstance(cause, httpx2.TimeoutException):
            return Failure("error.models.nothing-came", seconds=f"{self._stall_seconds:g}")
        if isinstance(cause, httpx2.ConnectError):
            return Failure(
                "error.models.no-connection", CONNECT_RETRIES, hint="start", words=chain[-1]
            )
        if isinstance(cause, httpx2.ProxyError | httpx2.UnsupportedProtocol):
            return Failure(words, 0, hint="proxy")
        return Failure("error.models.connection-broke", words=words)


def _package(path: str) -> Any:
    """Return the provider's own package: `anthropic` for its protocol where it is installed, else
    `openai`, which posts as well."""
    has_own = path == MESSAGES and find_spec("anthropic") is not None
    return package("anthropic" if has_own else "openai")


def _connection_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the packages that are in use."""
    loaded = [sys.modules[name] for name in ("openai", "anthropic") if name in sys.modules]
    return tuple(each.APIConnectionError for each in loaded)


def _shut_down_after(seconds: float, response: httpx2.Response) -> threading.Timer:
    """End the connection at the deadline, which wakes a waiting read: the time-out of a read is set
    once for an answer."""
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
    """Read the start of an error's body here: the package would read all of it, however long."""
    if response.status_code < 300:
        return
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > MAX_ERROR_BYTES:
            break
    raise _Refused(response.status_code, response.headers, bytes(body))
