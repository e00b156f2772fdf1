"""The tools for the processes of this machine: look at them, wait for one, stop one. docs/tools.md.

A process is named by pid and start (`4312@81234`), never by its name: when another has got the pid meanwhile, nothing
happens to it. What Sopwith is made of, or runs in, is never stopped.
"""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from models.base import ToolResult
from tools.base import Between, ToolContext, ToolError, tool
from tools.process_tree import LINUX, MARK, born, leaders

if TYPE_CHECKING:
    import psutil

MOST_SHOWN = 25
SAMPLE_SECONDS = 0.2  # over which the use of the processor is measured
IDLE_SHARE, IDLE_SECONDS = 0.02, 2.0  # of one processor, for so long: idle
KILL_SECONDS = 2.0  # for what was killed to be gone


def problem() -> str:
    """Nothing is missing: psutil is of the core."""
    return ""


def stopped_one(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """What the gate should know of the process that a call names."""
    import psutil

    try:
        process = _named(str(args.get("process", "")))
        return {"shown": ctx.redact(_in_words(process)), "whose": _whose(ctx, process)}
    except (ToolError, psutil.Error):
        return {}  # the tool says why


@tool("read", paths=("file",))
def process_look(
    ctx: ToolContext,
    process: str | None = None,
    name: str | None = None,
    port: Annotated[int | None, Between(1, 65535)] = None,
    file: str | None = None,
    sort: Literal["cpu", "memory"] = "cpu",
) -> ToolResult:
    """Find processes by name, port or used file or folder, as PID@START with what they use; or all about one; or the load of the machine and who makes it.

    process: PID@START
    """
    import psutil

    if process:
        found = _named(process)
        with found.oneshot():
            return ToolResult("ok", {"output": ctx.redact("\n".join(_details(found)))})
    unseen = ""
    if port is not None:
        chosen, unseen = _on_port(port)
    elif file is not None:
        chosen, unseen = _using(ctx.path(file).resolve())
    else:
        chosen = [each for each in psutil.process_iter() if not name or _is_called(each, name)]
    lines = _lines(chosen, sort, port)
    head = [] if process or name or port is not None or file is not None else _machine()
    more = [f"… and {len(lines) - MOST_SHOWN} more"] if len(lines) > MOST_SHOWN else []
    text = "\n".join([*head, *lines[:MOST_SHOWN], *more, *([unseen] if unseen else [])])
    return ToolResult("ok", {"output": ctx.redact(text) or "none", "count": len(lines)})


@tool("write", about=stopped_one)
def process_stop(
    ctx: ToolContext, process: str, grace: Annotated[int, Between(0, 60)] = 5
) -> Generator[str, None, ToolResult]:
    """Stop one process: ask it to end, and kill it when it has not after the grace.

    process: PID@START, as process_look shows it
    grace: seconds
    """
    import psutil

    found = _named(process)
    if _whose(ctx, found) == "ours":
        raise ToolError(f"{process} is Sopwith, or what it runs in; it is not stopped")
    shown, children = _in_words(found), []
    with suppress(psutil.Error):
        if found.status() == psutil.STATUS_ZOMBIE:
            return ToolResult("ok", {"output": f"{shown} has ended already; its parent {found.ppid()} has not noticed"})
        children = found.children(recursive=True)
    yield f"{shown}\n"
    try:
        how = _stopped(found, process, min(float(grace), max(0.0, ctx.deadline - time.monotonic())))
    except (PermissionError, psutil.AccessDenied):
        raise ToolError(f"{shown} belongs to {_user(found)}: to stop it takes other rights (sudo)") from None
    left = [_id(child.pid) for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    data = {"output": ctx.redact(f"{shown} {how}")} | ({"children": left} if left else {})
    return ToolResult("error" if "still" in how else "ok", data)


@tool("read")
def process_wait(
    ctx: ToolContext,
    process: str | None = None,
    port: Annotated[int | None, Between(1, 65535)] = None,
    until: Literal["exit", "idle"] = "exit",
    timeout: Annotated[int | None, Between(1, 3600)] = None,
) -> ToolResult:
    """Wait until a process has ended or uses no processor, or until something listens on a port of this machine.

    process: PID@START
    timeout: seconds
    """
    limit = min(float(timeout or ctx.tool_seconds), max(1.0, ctx.deadline - time.monotonic()))
    end = time.monotonic() + limit
    if (process is None) == (port is None):
        raise ToolError("say process or port, one of them")
    if port is not None:
        if _until(lambda: _listens(port), end, 0.1):
            return ToolResult("ok", {"output": f"something listens on port {port}"})
        why = f"nothing listens on port {port} after {limit:g} s; what a sandboxed script serves is only reached there"
        return ToolResult("timeout", {"reason": why})
    found = _named(str(process))
    shown = _in_words(found)
    if until == "exit":
        if _has_ended(found, str(process), end):
            return ToolResult("ok", {"output": f"{shown} has ended"})
        return ToolResult("timeout", {"reason": f"{shown} still runs after {limit:g} s"})
    if _is_idle(found, end):
        return ToolResult("ok", {"output": f"{shown} is idle, or has ended"})
    return ToolResult("timeout", {"reason": f"{shown} still works after {limit:g} s"})


def _id(pid: int) -> str:
    return f"{pid}@{born(pid)}"


def _named(text: str) -> psutil.Process:
    """The process PID@START. Raises ToolError when it is gone, or another has its pid."""
    import psutil

    match = re.fullmatch(r"\s*(\d{1,10})@(\d{1,20})\s*", text)
    if not match:
        raise ToolError(f"process: {text[:60]!r} is no PID@START; process_look finds it")
    try:
        process = psutil.Process(int(match[1]))
    except (psutil.NoSuchProcess, ValueError, OverflowError):
        raise ToolError(f"{text}: has ended; there is no such process any more") from None
    if born(process.pid) != int(match[2]):
        raise ToolError(f"{text}: has ended; its pid belongs to another process now. Look again with process_look")
    return process


def _whose(ctx: ToolContext, process: psutil.Process) -> str:
    """ "ours": us, what we run in, what holds our sandboxes; "run": what this run has started; "" for all others."""
    import psutil

    me = psutil.Process()
    if process.pid in {1, me.pid, *leaders, *(each.pid for each in me.parents())}:
        return "ours"
    is_below = False
    with suppress(psutil.Error):
        is_below = me in process.parents()
        if is_below and (process.name() == "bwrap" or "/safety/supervisor.py" in " ".join(process.cmdline())):
            return "ours"
        if not is_below and ctx.run:
            is_below = ctx.run in process.environ().get(MARK, "")
    return "run" if is_below else ""


def _in_words(process: psutil.Process) -> str:
    import psutil

    try:
        command = " ".join(process.cmdline())[:160] or process.name()
    except psutil.Error:
        command = process.name() if process.is_running() else "a process"
    return f"{command} ({_id(process.pid)}, {_user(process)}, since {_since(process)})"


def _user(process: psutil.Process) -> str:
    import psutil

    try:
        return str(process.username())
    except (psutil.Error, KeyError):
        return "?"


def _since(process: psutil.Process) -> str:
    started = datetime.fromtimestamp(process.create_time())
    return f"{started:%H:%M:%S}" if started.date() == datetime.now().date() else f"{started:%Y-%m-%d %H:%M}"


def _is_called(process: psutil.Process, name: str) -> bool:
    import psutil

    with suppress(psutil.Error):
        return name.casefold() in f"{process.name()} {' '.join(process.cmdline())}".casefold()
    return False


def _lines(processes: Iterable[psutil.Process], sort: str, port: int | None) -> list[str]:
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
            state = "" if (status := each.status()) in ("running", "sleeping", "idle") else f", {status}"
            listens = f", port {port}" if port is not None else ""
            words = (" ".join(each.cmdline()) if status != psutil.STATUS_ZOMBIE else "")[:160] or each.name()
            line = f"{_id(each.pid)} {words} ({_user(each)}, {share:.0f} % cpu, {memory / 1e6:.0f} MB{listens}{state})"
            found.append(((share, memory) if sort == "cpu" else (memory, share), line))
    return [line for _, line in sorted(found, key=lambda each: each[0], reverse=True)]


def _machine() -> list[str]:
    import psutil

    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    load = " ".join(f"{each:.2f}" for each in psutil.getloadavg())
    return [
        f"load {load} on {psutil.cpu_count()} processors; memory {memory.available / 1e9:.1f} of {memory.total / 1e9:.1f} GB free, "
        f"swap {swap.used / 1e9:.1f} GB used; {len(psutil.pids())} processes"
    ]


def _on_port(port: int) -> tuple[list[psutil.Process], str]:
    """Who listens on a port, or is bound to it; and what cannot be seen."""
    import psutil

    pids, unseen = set[int](), ""
    try:
        links = [link for link in psutil.net_connections("inet") if link.laddr and link.laddr.port == port]
    except psutil.AccessDenied:  # macOS shows root only
        links = []
        for each in psutil.process_iter():
            with suppress(psutil.Error):
                pids |= {each.pid for link in each.net_connections("inet") if link.laddr and link.laddr.port == port}
    bound = [link for link in links if link.status in (psutil.CONN_LISTEN, psutil.CONN_NONE)] or links
    pids |= {link.pid for link in bound if link.pid}
    if any(link.pid is None and link.status == psutil.CONN_LISTEN for link in bound):
        unseen = f"port {port} is used by a process of somebody else (sudo would show it)"
    return _alive(pids), unseen


def _alive(pids: Iterable[int]) -> list[psutil.Process]:
    import psutil

    found = []
    for pid in pids:
        with suppress(psutil.Error):
            found.append(psutil.Process(pid))
    return found


def _using(path: Path) -> tuple[list[psutil.Process], str]:
    """Who has a file open, or works or has files in a folder; and how many could not be looked at."""
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


def _details(process: psutil.Process) -> list[str]:
    import psutil

    lines = [_in_words(process)]

    def add(label: str, look: Callable[[], Any]) -> None:
        try:
            value = look()
        except (psutil.Error, OSError):
            value = "not to be seen (other rights)"
        if value not in ("", [], None):
            lines.append(f"{label}: {'; '.join(map(str, value)) if isinstance(value, list) else value}")

    process.cpu_percent(None)
    time.sleep(SAMPLE_SECONDS)
    add("state", process.status)
    add("program", process.exe)
    add("folder", process.cwd)
    add("parent", lambda: f"{_id(process.ppid())} {psutil.Process(process.ppid()).name()}" if process.ppid() else "")
    add("children", lambda: [f"{_id(each.pid)} {each.name()}" for each in process.children()][:20])
    add("cpu", lambda: f"{process.cpu_percent(None):.0f} %, {sum(process.cpu_times()[:2]):.1f} s in all")
    add("memory", lambda: f"{process.memory_info().rss / 1e6:.0f} MB")
    add("threads", process.num_threads)
    add("files", lambda: sorted({file.path for file in process.open_files()})[:20])
    add("connections", lambda: [_link(link) for link in process.net_connections("inet")][:20])
    return lines


def _link(link: Any) -> str:
    here = f"{link.laddr.ip}:{link.laddr.port}" if link.laddr else "?"
    return f"{here} → {link.raddr.ip}:{link.raddr.port}" if link.raddr else f"{here} {link.status.lower()}"


def _stopped(process: psutil.Process, text: str, grace: float) -> str:
    """Ends it, and says how. Raises PermissionError or psutil.AccessDenied."""
    end = time.monotonic() + grace
    _send(process, text, signal.SIGTERM)
    with suppress(ToolError):  # one that is suspended would not see it
        _send(process, text, signal.SIGCONT)
    if _has_ended(process, text, end):
        return "has ended"
    try:
        _send(process, text, signal.SIGKILL)
    except ToolError:
        return "has ended"
    if _has_ended(process, text, time.monotonic() + KILL_SECONDS):
        return f"was killed, since it had not ended after {grace:g} s"
    return "is still there: it waits in the kernel, where nothing ends it"


def _send(process: psutil.Process, text: str, sign: signal.Signals) -> None:
    """Between the look and the signal no other process can get the pid: the descriptor holds on to the one that was looked at."""
    if not LINUX:
        process.send_signal(sign)  # psutil compares the start, too
        return
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        raise ToolError(f"{text}: has ended") from None
    try:
        if _id(process.pid) != text.strip():
            raise ToolError(f"{text}: has ended; its pid belongs to another process now")
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, sign)
    finally:
        os.close(descriptor)


def _has_ended(process: psutil.Process, text: str, end: float) -> bool:
    """Waits for the end of a process, until `end` on the monotonic clock; a zombie has ended."""
    import psutil

    if not LINUX:
        with suppress(psutil.TimeoutExpired):
            process.wait(max(0.0, end - time.monotonic()))
        return not process.is_running()
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return True
    try:
        news = select.poll()
        news.register(descriptor, select.POLLIN)
        return _id(process.pid) != text.strip() or bool(news.poll(max(0.0, end - time.monotonic()) * 1000))
    finally:
        os.close(descriptor)


def _is_idle(process: psutil.Process, end: float) -> bool:
    """Whether the process and its children use next to nothing for a while, before `end`."""
    import psutil

    def used() -> float:
        total = 0.0
        for each in [process, *process.children(recursive=True)]:
            with suppress(psutil.Error):
                total += sum(each.cpu_times()[:2])
        return total

    try:
        before, since = used(), time.monotonic()
        while (now := time.monotonic()) < end:
            if now - since >= IDLE_SECONDS:
                return True
            time.sleep(min(0.25, max(0.0, end - now)))
            if (total := used()) - before > IDLE_SHARE * IDLE_SECONDS:
                before, since = total, time.monotonic()
    except psutil.NoSuchProcess:
        return True
    return False


def _listens(port: int) -> bool:
    for host in ("127.0.0.1", "::1"):
        with suppress(OSError), socket.create_connection((host, port), 0.5):
            return True
    return False


def _until(is_so: Callable[[], bool], end: float, every_seconds: float) -> bool:
    while not is_so():
        if time.monotonic() >= end:
            return False
        time.sleep(every_seconds)
    return True
