"""`serve`: the page, the scheduler and the daily upkeep in one process, on 127.0.0.1."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import importlib.util
import os
import socket
import sys
import threading
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from config import Config, SopwithError
from memory.home import open_home
from ui.command import VERSION, Option, command, folder, port
from ui.web.access import LOCAL, Access, Place
from ui.words import say, words_of

NEEDED = ("fastapi", "uvicorn", "websockets")
BACKLOG = 2048  # connections that wait to be taken


class CannotServe(SopwithError):
    """The page cannot be served so, or not here."""

    exit_code = 2


class ServedAlready(SopwithError):
    """Another process serves this home."""


@command(
    "serve",
    Option("--port", "N", port, default=8737),
    Option("--cwd", "DIR", folder),
)
def serve(args: Namespace, config: Config) -> int:
    """`serve`. `args`: port, cwd."""
    if any(importlib.util.find_spec(each) is None for each in NEEDED):
        raise CannotServe("error.ui-web.web-page-needs-packages")
    open_home(config.home)
    with _listening(args.port) as listener, alone(config.home) as lock:
        place = Place.at(listener.getsockname()[1])
        access = Access(config.home / "web")
        address = f"http://{place.name}/"
        os.ftruncate(lock, 0)
        os.pwrite(lock, address.encode(), 0)
        print(f"{address}#token={access.token}", flush=True)
        print(say("serve.open"), file=sys.stderr)
        return _serve(args, config, access, place, listener)


def _serve(
    args: Namespace, config: Config, access: Access, place: Place, listener: socket.socket
) -> int:
    import uvicorn

    from ui.web.app import make_app
    from ui.web.guard import InTime
    from ui.web.site import Site

    beside = Beside(config)
    site = Site(config, access, place, args.cwd or Path.cwd(), VERSION)
    settings = uvicorn.Config(
        make_app(site, VERSION),
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="websockets-sansio",
        ws_max_size=65_536,
        ws_per_message_deflate=False,
        http=InTime,
        loop="asyncio",
        lifespan="on",
        timeout_graceful_shutdown=3,
        limit_concurrency=1_000,
    )
    server = uvicorn.Server(settings)
    beside.begin()
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:  # it has stopped already, in order
        pass
    finally:
        beside.end()
        if site.work.children:
            runs = ", ".join(site.work.children)
            print(say("serve.goes_on", n=len(site.work.children), runs=runs), file=sys.stderr)
    return 0


class Beside:
    """Work beside the page, each in a thread: schedules, the daily upkeep, notices."""

    def __init__(self, config: Config) -> None:
        self._config, self._stop = config, threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self) -> None:
        """Start the threads."""
        from runs.heartbeat import Heartbeat
        from runs.notify import deliver_until
        from runs.schedule.scheduler import Scheduler

        works = {
            "schedule": lambda: Scheduler(self._config).run(self._stop),
            "upkeep": lambda: Heartbeat(self._config).run(self._stop),
            "notify": lambda: deliver_until(self._config, self._stop),
        }
        for name, work in works.items():
            thread = threading.Thread(target=self._kept_up, args=(work,), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def end(self) -> None:
        """Stop them; what they have begun goes on by itself or is found again at the next start."""
        self._stop.set()
        for thread in self._threads:
            thread.join(2.0)

    def _kept_up(self, work: Callable[[], None]) -> None:
        """Say what ended a thread; the page stays."""
        try:
            work()
        except (SopwithError, OSError) as error:
            print(
                say("serve.beside", what=threading.current_thread().name, why=words_of(error)),
                file=sys.stderr,
            )


@contextlib.contextmanager
def alone(home: Path) -> Iterator[int]:
    """Yield the lock file that says who serves this home. Raises ServedAlready with the address of
    the other one."""
    (home / "web").mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = os.open(home / "web" / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            where = os.pread(lock, 300, 0).decode("utf-8", "replace")
            raise ServedAlready("error.ui-web.home-served-already", address=where) from None
        yield lock
    finally:
        os.close(lock)


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone. Raises CannotServe."""
    try:
        return socket.create_server((LOCAL, port), backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotServe(
                "error.ui-web.port-taken-another-program", port=port, port_2=port + 1
            ) from error
        raise CannotServe(
            "error.ui-web.cannot-listen-port", host=LOCAL, port=port, problem=error
        ) from error
