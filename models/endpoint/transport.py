"""One endpoint: a request body goes out over one kept connection, the bytes of the answer come back.

On httpx2, as the providers' own packages are: these take half a second to import, and their `create()` walks the whole history on
every request. Statuses, broken connections and time-outs all become `Failure`, which says how often it is worth another try.
"""

from __future__ import annotations

import gc
import os
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
from models.endpoint.failure import RETRIES, Failure, of_status, parsed
from models.endpoint.presets import base_url, is_local
from models.streams import sample

if TYPE_CHECKING:
    import httpx2

CONNECT_RETRIES = 2  # a server that is not there should be given up within 3 s
SHORTEST_KEY = 6
KEEPALIVE_SECONDS = 600.0  # httpx2 drops an idle connection after 5 s; a tool may take longer
MAX_ERROR_BYTES = 65_536
MAX_LISTING_BYTES = 4_000_000
MESSAGES = "/messages"
ANTHROPIC_VERSION = "2023-06-01"
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "text/event-stream, application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "Sopwith",
}
ORGANIZATION = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}


class _Refused(Exception):
    """A status that is no answer."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status)
        self.status, self.headers, self.body = status, headers, body


class Endpoint:
    """The connection to an endpoint; opened at first use, closed with the object."""

    def __init__(
        self,
        config: ModelConfig,
        connect_seconds: float,
        stall_seconds: float,
        reply_seconds: float,
    ) -> None:
        self.base_url = base_url(config)
        self._is_provider = config.base_url is None
        self._key = config.api_key.strip()
        self._own_headers = config.headers
        self._connect_seconds, self._stall_seconds = connect_seconds, stall_seconds
        self._reply_seconds = reply_seconds
        self._http: httpx2.Client | None = None
        self._has_served = False

    @property
    def shown_url(self) -> str:
        """The address without a user name, password or query in it."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def redact(self, text: str) -> str:
        """The text without the key, or a shortened echo of it. A key of a few letters, such as "none", is no secret and
        may be a part of any word."""
        if len(self._key) < SHORTEST_KEY:
            return text
        text = re.sub(rf"(?<!\w){re.escape(self._key)}(?!\w)", "[key]", text)
        return (
            re.sub(re.escape(self._key[:8]) + r"\S*", "[key]", text)
            if len(self._key) >= 16
            else text
        )

    def stream(self, path: str, body: bytes, deadline: float = inf) -> Generator[bytes]:
        """Sends a request and yields the answer as it comes. Raises Failure, at `deadline` (on the monotonic clock) at
        the latest."""
        with self._failures(), ExitStack() as stack:
            started = time.monotonic()
            end = min(started + self._reply_seconds, deadline)
            if started >= deadline:
                raise Failure("there is no time left to ask", 0)
            response = self._send(path, body, end - started)
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

    def get(self, url: str, seconds: float) -> tuple[int, Any]:
        """Return what stands at an address of this server: the status, and the JSON, None where it is none. Raises Failure."""
        found, end = bytearray(), time.monotonic() + seconds
        is_anthropic = "anthropic.com" in self.base_url
        headers = self._signed(MESSAGES if is_anthropic else "")
        with (
            self._failures(),
            self._client().stream("GET", url, headers=headers, timeout=seconds) as answer,
        ):
            for piece in answer.iter_bytes():
                found += piece
                if len(found) > MAX_LISTING_BYTES or time.monotonic() > end:
                    return answer.status_code, None
        return answer.status_code, parsed(bytes(found))

    def _send(self, path: str, body: bytes, left_seconds: float) -> httpx2.Response:
        """The answer, its body not read yet. A server may drop the kept connection at the moment when it is used again;
        then the request goes out once more, over a new one."""
        import httpx2

        left = max(left_seconds, 0.001)
        connect = min(self._connect_seconds, left)
        timeout = httpx2.Timeout(min(self._stall_seconds, left), connect=connect)
        client, headers = self._client(), self._signed(path)
        request = client.build_request(
            "POST", self._address(path), content=body, headers=headers, timeout=timeout
        )
        try:
            response = client.send(request, stream=True)
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            if not self._has_served:
                raise
            response = client.send(request, stream=True)
        self._has_served = True
        return response

    def _address(self, path: str) -> str:
        """The base URL with a path behind its own; for Anthropic's protocol it stands without the version too."""
        base = urlsplit(self.base_url)
        start = base.path.rstrip("/")
        if path == MESSAGES and not start.endswith("/v1"):
            start += "/v1"
        return base._replace(path=start + path).geturl()

    def _signed(self, path: str) -> httpx2.Headers:
        """The headers, with the key where this protocol has it; the owner's own win."""
        import httpx2

        if not (self._key.isascii() and self._key.isprintable()):
            raise Failure(
                "the api_key holds characters that no key has", 0, hint="Copy the key again."
            )
        headers = httpx2.Headers(HEADERS)
        if path == MESSAGES:
            headers["anthropic-version"] = ANTHROPIC_VERSION
        elif self._is_provider:
            headers.update(_organization())
        if self._key and path == MESSAGES:
            headers["X-Api-Key"] = self._key
        if self._key and not (path == MESSAGES and "anthropic.com" in self.base_url):
            headers["Authorization"] = f"Bearer {self._key}"
        headers.update(self._own_headers)
        return headers

    def _client(self) -> httpx2.Client:
        """The client with its kept connection, made at first use."""
        if self._http is None:
            self._http = self._connected()
            weakref.finalize(self, self._http.close)
            gc.freeze()  # what was imported stays: whoever looks for garbage need not look there
        return self._http

    def _connected(self) -> httpx2.Client:
        import httpx2

        # A server on this machine is behind no proxy, and without TLS its certificates (60 ms) are not needed.
        is_plain = self.base_url.startswith("http:") and is_local(self.base_url)
        return httpx2.Client(
            timeout=httpx2.Timeout(self._stall_seconds, connect=self._connect_seconds),
            limits=httpx2.Limits(keepalive_expiry=KEEPALIVE_SECONDS),
            event_hooks={"response": [_refuse]},
            verify=not is_plain,
            trust_env=not is_plain,
        )

    @contextmanager
    def _failures(self) -> Iterator[None]:
        import httpx2

        try:
            yield
        except _Refused as error:
            raise of_status(error.status, error.headers, error.body) from None
        except httpx2.RequestError as error:
            raise self._of_connection(error) from error
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise Failure(f"base_url is no address: {error}", 0) from error

    def _of_connection(self, cause: httpx2.RequestError) -> Failure:
        import httpx2

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


def _organization() -> dict[str, str]:
    """The headers of OpenAI's own variables, for its own address."""
    found = {name: os.environ.get(variable, "") for name, variable in ORGANIZATION.items()}
    return {name: value for name, value in found.items() if value}


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
    """Reads the start of an error's body here: reading all of it might never end."""
    if response.status_code < 300:
        return
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > MAX_ERROR_BYTES:
            break
    raise _Refused(response.status_code, response.headers, bytes(body))
