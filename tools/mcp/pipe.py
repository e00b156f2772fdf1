"""An MCP server as a child process: JSON-RPC by the line over its pipes, whatever else it prints
there.

The SDK's own way takes 75 s for a line of 50 MB and has no limit; this one takes what it takes to
copy it, and has one. Lines that are no messages are passed over. What the server says on stderr is
kept for the error, its end alone.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import mcp_types
from anyio.abc import Process
from mcp.shared.message import SessionMessage

from text import names
from tools.mcp.mended import whole_letters
from tools.processes import MARK, leaders, mark

MAX_MESSAGE_BYTES = 128_000_000
KEPT_BYTES = 4096  # of stderr
GRACE_SECONDS = 1.0  # to end by itself when its input ends, and again after SIGTERM
_PASSED_ON = names(
    "HOME LANG LC_ALL LOGNAME PATH SHELL TERM TMPDIR TZ USER XDG_RUNTIME_DIR "
    "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy"
)


class TooLong(Exception):
    """A server sent more at once than anybody should keep in memory."""


@asynccontextmanager
async def pipe(
    command: tuple[str, ...], env: Mapping[str, str], said: bytearray, ended: Callable[[str], None]
) -> AsyncGenerator[Any]:
    """Yield the streams that the SDK speaks over. `said` gets the end of stderr; `ended` is told
    why, when the server closes its output. The process and its group are gone when this is left.
    Raises OSError when it cannot be started."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    process = await anyio.open_process(
        _argv(command), env=passed_on | dict(env) | {MARK: mark("mcp")}, start_new_session=True
    )
    leaders.add(process.pid)  # no call's, and not to be stopped
    to_us, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_us = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        why = ""
        async with to_us:
            try:
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    await _lines(process, to_us.send)
            except TooLong:
                why = f"it sent more than {MAX_MESSAGE_BYTES:,} bytes at once"
            finally:
                ended(why)  # before anybody who waits hears of it

    async def write() -> None:
        assert process.stdin
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            async for message in from_us:
                text: str = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")

    async def listen() -> None:
        assert process.stderr
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for piece in process.stderr:
                said.extend(piece)
                del said[:-KEPT_BYTES]

    async with anyio.create_task_group() as tasks:
        for each in (read, write, listen):
            tasks.start_soon(each)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
                leaders.discard(process.pid)
                tasks.cancel_scope.cancel()
                for stream in (incoming, outgoing, to_us, from_us):
                    await stream.aclose()


def _argv(command: tuple[str, ...]) -> list[str]:
    """Return the command as it is started: on Linux so that it dies with us, however we do. Raises
    FileNotFoundError."""
    program = str(Path(command[0]).expanduser()) if command[0].startswith("~") else command[0]
    if shutil.which(program) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    bound = ["setpriv", "--pdeathsig", "KILL", "--"]
    return [*(bound if shutil.which("setpriv") else []), program, *command[1:]]


async def _lines(process: Process, send: Callable[[SessionMessage], Any]) -> None:
    """Hand on each line that is a message. Raises TooLong."""
    assert process.stdout
    held = bytearray()
    async for piece in process.stdout:
        *whole, rest = piece.split(b"\n")
        for line in whole:
            held += line
            if held.lstrip()[:1] == b"{" and (message := _message(bytes(held))):
                await send(message)
            held.clear()
        held += rest
        if len(held) > MAX_MESSAGE_BYTES:
            raise TooLong


def _message(line: bytes) -> SessionMessage | None:
    """Return what a line says; None where it only looked like a message. An answer that cannot be
    read is an error at once."""
    read = mcp_types.jsonrpc_message_adapter
    for text in (line, whole_letters(line)):
        with suppress(ValueError):
            return SessionMessage(read.validate_json(text, by_name=False))
    asked = re.search(rb'"id"\s*:\s*(\d{1,15})\s*[,}]', line) if b'"jsonrpc"' in line else None
    if asked is None:
        return None
    error = mcp_types.ErrorData(
        code=mcp_types.PARSE_ERROR, message="its answer is not what MCP says"
    )
    return SessionMessage(mcp_types.JSONRPCError(jsonrpc="2.0", id=int(asked[1]), error=error))


async def _end(process: Process) -> None:
    """Close its input, then ask, then kill it with its group, which is its own session."""
    for what in (None, signal.SIGTERM, signal.SIGKILL):
        if what is None:
            with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await process.stdin.aclose() if process.stdin else None
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, what)
        with anyio.move_on_after(GRACE_SECONDS):
            while process.returncode is None:
                await anyio.sleep(0.005)
        if process.returncode is not None:
            break
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # what it has left behind
    await process.aclose()
