"""`mcp serve`: over stdio for the program that starts it, or with `--http` for all programs here
that hold the token."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
from argparse import Namespace
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config import Config, ConfigError
from memory.home import open_home
from tools.mcp import problem
from ui.command import Option, command, folder, port
from ui.words import say

if TYPE_CHECKING:
    from mcp.server import Server

HOST = "127.0.0.1"
PATH = "/mcp"
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]


@command(
    "mcp serve",
    Option("--http"),
    Option("--port", "N", port, default=8739, key="opt.mcp-port"),
    Option("--cwd", "DIR", folder),
)
def serve(args: Namespace, config: Config) -> int:
    """`mcp serve [--http --port N] [--cwd DIR]`."""
    if problem():
        raise ConfigError("error.mcp.missing")
    open_home(config.home)
    work = _over_http(config, args) if args.http else _over_stdio(config, args)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(work)
    return 0


async def _over_stdio(config: Config, args: Namespace) -> None:
    from mcp.server.stdio import stdio_server

    server, close = _made(config, args)
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    except* BrokenPipeError:  # the client died while it waited for an answer
        pass
    finally:
        await close()


async def _over_http(config: Config, args: Namespace) -> None:
    import uvicorn

    server, close = _made(config, args)
    app = Guarded(server.streamable_http_app(streamable_http_path=PATH, host=HOST), token(config))
    settings = uvicorn.Config(app, log_config=None, access_log=False, lifespan="on")
    try:
        opened = socket.create_server((HOST, args.port))
    except OSError as error:
        raise ConfigError("error.mcp.port", port=args.port, problem=error) from error
    with opened as listener:
        address = f"http://{HOST}:{listener.getsockname()[1]}{PATH}"
        print(say("mcp.serves", address=address, token=token(config)), flush=True)
        try:
            await uvicorn.Server(settings).serve(sockets=[listener])
        finally:
            await close()


def _made(config: Config, args: Namespace) -> tuple[Server[Any], Callable[[], Awaitable[None]]]:
    from ui.mcp_server.calls import Calls
    from ui.mcp_server.server import make_server

    calls = Calls(config, args.cwd or Path.cwd())
    return make_server(config, calls), calls.work.close


def token(config: Config) -> str:
    """Return what programs show as `Authorization: Bearer TOKEN`; made once, readable by the owner
    alone."""
    file = config.home / "mcp" / "token"
    with contextlib.suppress(FileNotFoundError):
        return file.read_text("utf-8").strip()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    made = secrets.token_urlsafe(32)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return token(config)
    with os.fdopen(descriptor, "w") as out:
        out.write(made)
    return made


class Guarded:
    """Lets in who shows the token. Host and Origin are checked behind it, by the package mcp."""

    def __init__(self, app: App, expected: str) -> None:
        self._app, self._expected = app, f"Bearer {expected}".encode()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        from starlette.responses import JSONResponse

        shown = [value for name, value in scope.get("headers", ()) if name == b"authorization"]
        is_right = len(shown) == 1 and secrets.compare_digest(shown[0], self._expected)
        if scope["type"] == "lifespan" or is_right:
            await self._app(scope, receive, send)
            return
        refused = JSONResponse({"error": "unauthorized"}, 401, {"www-authenticate": "Bearer"})
        await refused(scope, receive, send)
