"""The MCP servers of the config: started when first asked, started again when they have died, asked
from one thread.

The SDK is asynchronous: its loop runs in a thread of its own, and the methods here wait for it. A
server that hangs costs the time of its own call, and is ended then; so is one whose call is broken
off.

    ToolError
    └── ServerFailure   the server cannot be started, has died, or answers with an error; `is_timeout`: with nothing
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation, Tool

from config import McpServer, Message
from tools.base import ToolError
from tools.mcp.mended import mended
from tools.mcp.pipe import MAX_MESSAGE_BYTES, TooLong, pipe

Answer = TypeVar("Answer")
START_SECONDS = 30.0  # npx may have to fetch the server first
LEAVE_SECONDS = 4.0
MAX_PAGES, MAX_TOOLS = 50, 2_000  # of a list that may never end
MAX_NAMED = 10  # of the tools that are left out
# Errors of the SDK, its transports and the system; a group of them holds one.
_FAILURES = (
    MCPError,
    OSError,
    ValueError,
    RuntimeError,
    TooLong,
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    ExceptionGroup,
)


class ServerFailure(ToolError):
    """A server that cannot be used just now. One line."""

    def __init__(self, text: str, *, is_timeout: bool = False) -> None:
        super().__init__(text)
        self.is_timeout = is_timeout


@dataclass(slots=True)
class _Connection:
    """A server that is up, or is being started. It lives in one task, since what is entered there
    must be left there."""

    ready: asyncio.Future[Client]
    leave: asyncio.Event
    task: asyncio.Task[None] | None = None
    # a task's own cancel() would cut its clearing up
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    said: bytearray = field(default_factory=bytearray)  # the end of its stderr
    why: str = ""  # it has ended
    tools: list[Tool] | None = None
    left_out: dict[str, None] = field(default_factory=dict)  # names of tools that nobody could call

    @property
    def was_up(self) -> bool:
        """Return True once it has answered."""
        return self.ready.done() and not self.ready.cancelled() and self.ready.exception() is None

    @property
    def is_over(self) -> bool:
        """Return True when it has ended, or is about to."""
        return self.leave.is_set() or self.task is None or self.task.done()

    @property
    def has_ended(self) -> bool:
        """Return True when it is over, or has said why it is about to be."""
        return self.is_over or bool(self.why)

    def end_of(self, text: str) -> str:
        """Return why it has ended, where `text` is the error, with the last line that it said."""
        last = self.said.decode("utf-8", "replace").strip().splitlines()
        why = self.why or (Message("error.mcp.ended") if self.was_up else text)
        if last:
            why = Message("error.mcp.said-last", reason=why, text=last[-1].strip()[:300])
        return why if self.was_up else Message("error.mcp.not-started", reason=why)

    def forget(self) -> None:
        """Forget its tools, which are others now: who asks next asks the server."""
        self.tools = None
        self.left_out.clear()

    def end(self) -> None:
        """Let it go; one that is still being started is broken off."""
        self.leave.set()
        if not self.ready.done():
            self.scope.cancel()


class McpServers:
    """The servers by name. Any thread may ask; `close` ends them all. Nothing is started before it
    is asked for."""

    def __init__(self, servers: Mapping[str, McpServer]) -> None:
        self.servers = servers
        self.leases: set[Lease] = set()  # the runs that use them
        self._up: dict[str, _Connection] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        # what they complain of comes back as an error; the screen is not theirs
        for name in ("mcp", "httpx2", "httpcore2"):
            logging.getLogger(name).addHandler(logging.NullHandler())
            logging.getLogger(name).propagate = False

    def tools(self, name: str, seconds: float = START_SECONDS) -> list[Tool]:
        """Return what a server offers; asked once, and again after it was started anew. Raises
        ServerFailure."""
        found = self._up.get(name)
        if found and found.tools is not None and not found.is_over:
            return found.tools
        return self._wait(name, self._listed(name), seconds)

    def left_out(self, name: str) -> str:
        """Return a line on the tools of a server that nobody could call, or ""; known when it has
        listed its tools."""
        names = list(self._up[name].left_out) if name in self._up else []
        if not names:
            return ""
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        return Message(
            "error.mcp.left-out", name=name, names=", ".join(names[:MAX_NAMED]), more=more
        )

    def call(
        self, name: str, tool: str, args: dict[str, Any], seconds: float, once: str = ""
    ) -> CallToolResult:
        """Call a tool once; a call that a dying server took along is not repeated. `once`: the
        idempotency key, which goes along in `_meta`. Raises ServerFailure."""
        self.tools(name, seconds)
        return self._wait(name, self._called(name, tool, args, once), seconds)

    def close(self) -> None:
        """End the servers and the thread. May be called again; who asks afterwards starts them
        anew."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
            if loop is None or thread is None:
                return
            asyncio.run_coroutine_threadsafe(self._leave(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _wait(self, name: str, work: Coroutine[Any, Any, Answer], seconds: float) -> Answer:
        """Return what a coroutine of the loop comes to, in the words of this module."""
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return future.result(seconds)
        except TimeoutError as error:
            why = Message("error.mcp.late", name=name, seconds=f"{seconds:.0f}")
            raise ServerFailure(why, is_timeout=True) from error
        except _FAILURES as error:
            raise ServerFailure(
                Message("error.tools.at", name=name, error=self._said_by(name, error))
            ) from error
        finally:
            # it did not answer, or nobody waits for its answer (Ctrl-C); errors are answers
            if future.cancel() and name in self._up:
                self._running().call_soon_threadsafe(self._up[name].end)

    def _said_by(self, name: str, error: BaseException) -> str:
        """Return the error in a line; of a server that has died, what it said last."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        connection = self._up.get(name)
        text = " ".join(str(error).split())[:500] or type(error).__name__
        if "validation error" in text:  # pydantic's own words are for programmers
            text = Message("error.mcp.no-answer")
        if isinstance(error, FileNotFoundError) and not (connection and connection.said):
            program = error.filename or self.servers[name].command[0]
            return Message("error.mcp.no-program", name=program)
        return connection.end_of(text) if connection and connection.has_ended else text

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="mcp", daemon=True
                )
                self._thread.start()
            return self._loop

    # in the loop

    async def _listed(self, name: str) -> list[Tool]:
        client, connection = await self._client(name)
        found: list[Tool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if not cursor or len(found) >= MAX_TOOLS:
                break
        connection.tools = found[:MAX_TOOLS]
        return connection.tools

    async def _called(
        self, name: str, tool: str, args: dict[str, Any], once: str
    ) -> CallToolResult:
        client, _ = await self._client(name)
        meta: Any = {"sopwith/once": once} if once else None
        return await client.call_tool(tool, args, meta=meta)

    async def _client(self, name: str) -> tuple[Client, _Connection]:
        connection = self._up.get(name)
        if connection is None or connection.is_over:
            if connection and connection.task:
                await asyncio.wait([connection.task])
            connection = self._up.get(name)
            if connection is None or connection.is_over:  # nobody else has started it meanwhile
                connection = self._up[name] = _Connection(
                    asyncio.get_running_loop().create_future(), asyncio.Event()
                )
                connection.task = asyncio.create_task(self._live(name, connection))
                connection.task.add_done_callback(lambda task: _tell(connection, task))
        return await asyncio.shield(connection.ready), connection

    async def _live(self, name: str, connection: _Connection) -> None:
        """Serve a server from its start to its end."""
        who = Implementation(name="sopwith", version="0.1")
        with connection.scope:
            async with (
                self._transport(name, connection) as pipes,
                Client(pipes, client_info=who, cache=None) as up,
            ):
                connection.ready.set_result(up)
                await connection.leave.wait()

    @asynccontextmanager
    async def _transport(self, name: str, connection: _Connection) -> AsyncIterator[Any]:
        server = self.servers[name]

        def ended(why: str) -> None:
            connection.why = why
            connection.leave.set()

        if server.url is None:
            said = pipe(server.command, server.env, connection.said, ended)
            yield mended(said, connection.left_out, connection.forget)
            return
        headers = {"Accept-Encoding": "identity", **server.headers}
        async with httpx2.AsyncClient(
            headers=headers,
            timeout=httpx2.Timeout(START_SECONDS, read=None),
            event_hooks={"response": [partial(_bounded, connection.said)]},
        ) as http:
            client = streamable_http_client(
                server.url, http_client=http, max_sse_event_size=MAX_MESSAGE_BYTES
            )
            yield mended(client, connection.left_out, connection.forget)

    async def _leave(self) -> None:
        tasks = [each.task for each in self._up.values() if each.task]
        for connection in self._up.values():
            connection.end()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=LEAVE_SECONDS)
            for connection in self._up.values():
                connection.scope.cancel()
            if late:
                await asyncio.wait(late, timeout=LEAVE_SECONDS)
        self._up.clear()


def _tell(connection: _Connection, task: asyncio.Task[None]) -> None:
    """Tell everybody who waits for a server that could not be started why."""
    failure = None if task.cancelled() else task.exception()
    connection.leave.set()
    if not connection.ready.done():
        connection.ready.set_exception(failure or RuntimeError("it ended at once"))
        connection.ready.exception()  # seen, also when nobody waits any more


async def _bounded(said: bytearray, response: httpx2.Response) -> None:
    if response.status_code >= 400 and response.request.method == "POST":  # the SDK does not tell
        said[:] = f"HTTP {response.status_code} {response.reason_phrase}".encode()
    response.stream = _Counted(response.stream)


class _Counted(httpx2.AsyncByteStream):
    """The body of an answer, as long as anybody should keep it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > MAX_MESSAGE_BYTES:
                raise httpx2.ReadError(f"it sent more than {MAX_MESSAGE_BYTES:,} bytes at once")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


_shared: dict[tuple[object, ...], McpServers] = {}
_shared_lock = threading.Lock()


def _key(servers: Mapping[str, McpServer]) -> tuple[object, ...]:
    return tuple(
        (n, s.command, tuple(s.env.items()), s.url, tuple(s.headers.items()))
        for n, s in servers.items()
    )


def of_process(servers: Mapping[str, McpServer]) -> McpServers:
    """Return the servers of this config in this process: a replay's guards and its run speak to the
    same ones."""
    with _shared_lock:
        if (found := _shared.get(_key(servers))) is None:
            found = _shared[_key(servers)] = McpServers(servers)
            atexit.register(found.close)
        return found


class Lease:
    """Holds the servers of this process for a run; with the last one that is closed they end."""

    def __init__(self, servers: Mapping[str, McpServer]) -> None:
        self.servers = of_process(servers)
        with _shared_lock:
            self.servers.leases.add(self)

    def close(self) -> None:
        with _shared_lock:
            self.servers.leases.discard(self)
        if not self.servers.leases:
            self.servers.close()
