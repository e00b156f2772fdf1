"""Processes in words: a line for each, and who uses a port."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tools.processes.tree import born

if TYPE_CHECKING:
    import psutil

SAMPLE_SECONDS = 0.2  # over which the use of the processor is measured


def identity(pid: int) -> str:
    """Return what names one process: PID@START."""
    return f"{pid}@{born(pid)}"


def in_words(process: psutil.Process) -> str:
    """Command, identity, owner, start."""
    import psutil

    try:
        command = " ".join(process.cmdline())[:160] or process.name()
    except psutil.Error:
        command = process.name() if process.is_running() else "a process"
    return f"{command} ({identity(process.pid)}, {user_of(process)}, since {_since(process)})"


def lines_of(processes: Iterable[psutil.Process], port: int | None) -> list[str]:
    """Return a line for each, who uses most of the processor first."""
    import psutil

    chosen = list(processes)
    for each in chosen:
        with suppress(psutil.Error):
            each.cpu_percent(None)
    if chosen:
        time.sleep(SAMPLE_SECONDS)
    found: list[tuple[tuple[float, int], str]] = []
    for each in chosen:
        with suppress(psutil.Error), each.oneshot():
            use = each.cpu_percent(None), each.memory_info().rss
            found.append((use, _line(each, use, port)))
    return [line for _, line in sorted(found, key=lambda each: each[0], reverse=True)]


def _line(process: psutil.Process, use: tuple[float, int], port: int | None) -> str:
    import psutil

    status, share, memory = process.status(), *use
    state = "" if status in ("running", "sleeping", "idle") else f", {status}"
    listens = "" if port is None else f", port {port}"
    words = [] if status == psutil.STATUS_ZOMBIE else process.cmdline()
    said = " ".join(words)[:160] or process.name()
    uses = f"{share:.0f} % cpu, {memory / 1e6:.0f} MB{listens}{state}"
    return f"{identity(process.pid)} {said} ({user_of(process)}, {uses})"


def is_called(process: psutil.Process, name: str) -> bool:
    """Return True if a text is in its name or command line; of us and what we run in the name alone counts, since the
    request that names the program stands in our arguments."""
    import psutil

    wanted = name.casefold()
    with suppress(psutil.Error):
        if wanted in process.name().casefold():
            return True
        is_said = wanted in " ".join(process.cmdline()).casefold()
        return is_said and process.pid not in _ours()
    return False


def _ours() -> set[int]:
    import psutil

    me = psutil.Process()
    return {me.pid, *(each.pid for each in me.parents())}


def on_port(port: int) -> tuple[list[psutil.Process], str]:
    """Return who listens on a port, or is bound to it; and what cannot be seen."""
    import psutil

    links = [link for link in _links() if getattr(link.laddr, "port", 0) == port]
    free = (psutil.CONN_LISTEN, psutil.CONN_NONE)
    bound = [link for link in links if link.status in free] or links
    is_hidden = None in {link.pid for link in bound if link.status == psutil.CONN_LISTEN}
    unseen = f"port {port} is used by a process of somebody else (sudo would show it)"
    return _alive(filter(None, {link.pid for link in bound})), unseen if is_hidden else ""


def _links() -> list[Any]:
    """Return the connections of this machine, as far as they may be seen."""
    import psutil

    try:
        return list(psutil.net_connections("inet"))
    except psutil.AccessDenied:  # macOS shows root only
        return [link for each in psutil.process_iter() for link in _links_of(each)]


def _links_of(process: psutil.Process) -> list[Any]:
    import psutil

    with suppress(psutil.Error):
        found = process.net_connections("inet")
        return [SimpleNamespace(pid=process.pid, **link._asdict()) for link in found]
    return []


def user_of(process: psutil.Process) -> str:
    """Whose it is; "?" when that cannot be told."""
    import psutil

    try:
        return str(process.username())
    except (psutil.Error, KeyError):
        return "?"


def _since(process: psutil.Process) -> str:
    started = datetime.fromtimestamp(process.create_time())
    is_today = started.date() == datetime.now().date()
    return f"{started:%H:%M:%S}" if is_today else f"{started:%Y-%m-%d %H:%M}"


def _alive(pids: Iterable[int]) -> list[psutil.Process]:
    import psutil

    found = []
    for pid in pids:
        with suppress(psutil.Error):
            found.append(psutil.Process(pid))
    return found
