"""Processes in words: a line for each, all about one, the load of the machine; who uses a port, a file or a folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
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


def machine() -> list[str]:
    """The load of this machine, in a line."""
    import psutil

    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    load = " ".join(f"{each:.2f}" for each in psutil.getloadavg())
    return [
        f"load {load} on {psutil.cpu_count()} processors; memory {memory.available / 1e9:.1f} of {memory.total / 1e9:.1f} GB free, "
        f"swap {swap.used / 1e9:.1f} GB used; {len(psutil.pids())} processes"
    ]


def lines_of(processes: Iterable[psutil.Process], sort: str, port: int | None) -> list[str]:
    """A line for each, who uses most first."""
    import psutil

    chosen = list(processes)
    for each in chosen:
        with suppress(psutil.Error):
            each.cpu_percent(None)
    if chosen:
        time.sleep(SAMPLE_SECONDS)
    found = []
    for each in chosen:
        with suppress(psutil.Error), each.oneshot():
            share, memory = each.cpu_percent(None), each.memory_info().rss
            state = (
                ""
                if (status := each.status()) in ("running", "sleeping", "idle")
                else f", {status}"
            )
            listens = f", port {port}" if port is not None else ""
            words = (" ".join(each.cmdline()) if status != psutil.STATUS_ZOMBIE else "")[
                :160
            ] or each.name()
            line = f"{identity(each.pid)} {words} ({user_of(each)}, {share:.0f} % cpu, {memory / 1e6:.0f} MB{listens}{state})"
            found.append(((share, memory) if sort == "cpu" else (memory, share), line))
    return [line for _, line in sorted(found, key=lambda each: each[0], reverse=True)]


def details(process: psutil.Process) -> list[str]:
    """All about one process, as far as it may be seen."""
    import psutil

    lines = [in_words(process)]

    def add(label: str, look: Callable[[], Any]) -> None:
        try:
            value = look()
        except (psutil.Error, OSError):
            value = "not to be seen (other rights)"
        if value not in ("", [], None):
            lines.append(
                f"{label}: {'; '.join(map(str, value)) if isinstance(value, list) else value}"
            )

    process.cpu_percent(None)
    time.sleep(SAMPLE_SECONDS)
    add("state", process.status)
    add("program", process.exe)
    add("folder", process.cwd)
    add(
        "parent",
        lambda: (
            f"{identity(process.ppid())} {psutil.Process(process.ppid()).name()}"
            if process.ppid()
            else ""
        ),
    )
    add(
        "children",
        lambda: [f"{identity(each.pid)} {each.name()}" for each in process.children()][:20],
    )
    add(
        "cpu",
        lambda: f"{process.cpu_percent(None):.0f} %, {sum(process.cpu_times()[:2]):.1f} s in all",
    )
    add("memory", lambda: f"{process.memory_info().rss / 1e6:.0f} MB")
    add("threads", process.num_threads)
    add("files", lambda: sorted({file.path for file in process.open_files()})[:20])
    add("connections", lambda: [_link(link) for link in process.net_connections("inet")][:20])
    return lines


def is_called(process: psutil.Process, name: str) -> bool:
    """Return True if a text is in its name or command line."""
    import psutil

    with suppress(psutil.Error):
        return name.casefold() in f"{process.name()} {' '.join(process.cmdline())}".casefold()
    return False


def on_port(port: int) -> tuple[list[psutil.Process], str]:
    """Return who listens on a port, or is bound to it; and what cannot be seen."""
    import psutil

    pids, unseen = set[int](), ""
    try:
        links = [
            link
            for link in psutil.net_connections("inet")
            if link.laddr and link.laddr.port == port
        ]
    except psutil.AccessDenied:  # macOS shows root only
        links = []
        for each in psutil.process_iter():
            with suppress(psutil.Error):
                pids |= {
                    each.pid
                    for link in each.net_connections("inet")
                    if link.laddr and link.laddr.port == port
                }
    bound = [
        link for link in links if link.status in (psutil.CONN_LISTEN, psutil.CONN_NONE)
    ] or links
    pids |= {link.pid for link in bound if link.pid}
    if any(link.pid is None and link.status == psutil.CONN_LISTEN for link in bound):
        unseen = f"port {port} is used by a process of somebody else (sudo would show it)"
    return _alive(pids), unseen


def using(path: Path) -> tuple[list[psutil.Process], str]:
    """Return who has a file open, or works or has files in a folder; and how many could not be looked at."""
    import psutil

    found, unseen = [], 0
    for each in psutil.process_iter():
        try:
            used = [each.cwd(), each.exe(), *(file.path for file in each.open_files())]
        except (psutil.AccessDenied, PermissionError):
            unseen += 1
            continue
        except (psutil.Error, OSError):
            continue
        if any(text and (Path(text) == path or path in Path(text).parents) for text in used):
            found.append(each)
    return found, f"{unseen} processes of others could not be looked at" if unseen else ""


def user_of(process: psutil.Process) -> str:
    """Whose it is; "?" when that cannot be told."""
    import psutil

    try:
        return str(process.username())
    except (psutil.Error, KeyError):
        return "?"


def _since(process: psutil.Process) -> str:
    started = datetime.fromtimestamp(process.create_time())
    return (
        f"{started:%H:%M:%S}"
        if started.date() == datetime.now().date()
        else f"{started:%Y-%m-%d %H:%M}"
    )


def _link(link: Any) -> str:
    here = f"{link.laddr.ip}:{link.laddr.port}" if link.laddr else "?"
    return (
        f"{here} → {link.raddr.ip}:{link.raddr.port}"
        if link.raddr
        else f"{here} {link.status.lower()}"
    )


def _alive(pids: Iterable[int]) -> list[psutil.Process]:
    import psutil

    found = []
    for pid in pids:
        with suppress(psutil.Error):
            found.append(psutil.Process(pid))
    return found
