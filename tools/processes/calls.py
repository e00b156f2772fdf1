"""The tools for the processes of this machine: look at them, stop one. docs/tools.md.

A process is named by pid and start (`4312@81234`), never by its name: when another has got the pid
meanwhile, nothing happens to it. What Sopwith is made of, or runs in, is never stopped.
"""

from __future__ import annotations

import os
import re
import select
import signal
import time
from collections.abc import Generator, Iterable
from contextlib import suppress
from datetime import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from models.base import ToolResult
from tools.base import Between, ToolContext, ToolError, tool
from tools.processes.tree import LINUX, MARK, born, leaders

if TYPE_CHECKING:
    import psutil

MOST_SHOWN = 25
KILL_SECONDS = 2.0  # for what was killed to be gone
SAMPLE_SECONDS = 0.2  # over which the use of the processor is measured


def problem() -> str:
    """Return "": psutil is of the core."""
    return ""


def stopped_one(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate should know of the process that a call names."""
    import psutil

    try:
        process = _named(str(args.get("process", "")))
        return {"shown": ctx.redact(in_words(process)), "whose": _whose(ctx, process)}
    except psutil.AccessDenied:  # another user's
        return {"shown": str(args.get("process", ""))[:100], "whose": ""}
    except (ToolError, psutil.Error):
        return {}  # the tool says why


@tool("read")
def process_look(
    ctx: ToolContext, name: str | None = None, port: Annotated[int | None, Between(1, 65535)] = None
) -> ToolResult:
    """Find processes by name or port, as PID@START with what they use; without either, those that
    use most. ps, lsof and free in code_run tell more."""
    import psutil

    unseen = ""
    if port is not None:
        chosen, unseen = on_port(port)
    else:
        chosen = [each for each in psutil.process_iter() if not name or is_called(each, name)]
    lines = lines_of(chosen, port)
    more = [f"… and {len(lines) - MOST_SHOWN} more"] if len(lines) > MOST_SHOWN else []
    text = "\n".join(filter(None, [*lines[:MOST_SHOWN], *more, unseen]))
    only = identity(chosen[0].pid) if len(chosen) == 1 else ""
    data = {"output": ctx.redact(text) or "none", "count": len(lines), "process": only}
    return ToolResult("ok", data | ({"unseen": unseen} if port is not None else {}))


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
        raise ToolError("error.processes.sopwith-what-runs-stopped", process=process)
    shown, children = in_words(found), []
    with suppress(psutil.Error):
        if found.status() == psutil.STATUS_ZOMBIE:
            said = f"{shown} has ended already; its parent {found.ppid()} has not noticed"
            return ToolResult("ok", {"output": said})
        children = found.children(recursive=True)
    yield f"{shown}\n"
    try:
        how = _stopped(found, process, min(float(grace), max(0.0, ctx.deadline - time.monotonic())))
    except (PermissionError, psutil.AccessDenied):
        raise ToolError(
            "error.processes.belongs-stop-takes-other", process=shown, user=user_of(found)
        ) from None
    left = [
        identity(child.pid)
        for child in children
        if child.is_running() and child.status() != psutil.STATUS_ZOMBIE
    ]
    data = {"output": ctx.redact(f"{shown} {how}")} | ({"children": left} if left else {})
    return ToolResult("error" if "still" in how else "ok", data)


def _named(text: str) -> psutil.Process:
    """Return the process PID@START. Raises ToolError when it is gone, or another has its pid."""
    import psutil

    match = re.fullmatch(r"\s*(\d{1,10})@(\d{1,20})\s*", text)
    if not match:
        raise ToolError("error.processes.process-pid-start-process", text=f"{text[:60]!r}")
    try:
        process = psutil.Process(int(match[1]))
    except (psutil.NoSuchProcess, ValueError, OverflowError):
        raise ToolError("error.processes.ended-such-process-any", process=text) from None
    if born(process.pid) != int(match[2]):
        raise ToolError("error.processes.ended-pid-belongs-another", process=text)
    return process


def _whose(ctx: ToolContext, process: psutil.Process) -> str:
    """ "ours": us, what we run in, what holds our sandboxes; "run": what this run has started; ""
    for all others."""
    import psutil

    me = psutil.Process()
    if process.pid in {1, me.pid, *leaders, *(each.pid for each in me.parents())}:
        return "ours"
    is_below = False
    with suppress(psutil.Error):
        is_below = me in process.parents()
        words = " ".join([process.name(), *process.cmdline()])
        if is_below and re.match(r"bwrap |.*/sandbox/cells/supervisor\.py", words):
            return "ours"
        if not is_below and ctx.run:
            is_below = ctx.run in process.environ().get(MARK, "")
    return "run" if is_below else ""


def _stopped(process: psutil.Process, text: str, grace: float) -> str:
    """End it, and say how. Raises PermissionError or psutil.AccessDenied."""
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
    """Between the look and the signal no other process can get the pid: the descriptor holds on to
    the one that was looked at."""
    if not LINUX:
        process.send_signal(sign)  # psutil compares the start, too
        return
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        raise ToolError("error.processes.ended", process=text) from None
    try:
        if identity(process.pid) != text.strip():
            raise ToolError("error.processes.ended-pid-belongs-another-2", process=text)
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, sign)
    finally:
        os.close(descriptor)


def _has_ended(process: psutil.Process, text: str, end: float) -> bool:
    """Wait for the end of a process, until `end` on the monotonic clock; a zombie has ended."""
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
        return identity(process.pid) != text.strip() or bool(
            news.poll(max(0.0, end - time.monotonic()) * 1000)
        )
    finally:
        os.close(descriptor)


def identity(pid: int) -> str:
    """Return what names one process: PID@START."""
    return f"{pid}@{born(pid)}"


def in_words(process: psutil.Process) -> str:
    """Return command, identity, owner, start."""
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
    """Return True if a text is in its name or command line; of us and what we run in the name alone
    counts, since the request that names the program stands in our arguments."""
    import psutil

    wanted = name.casefold()
    with suppress(psutil.Error):
        if wanted in process.name().casefold():
            return True
        is_said = wanted in " ".join(process.cmdline()).casefold()
        me = psutil.Process()
        return is_said and process not in [me, *me.parents()]
    return False


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
    """Return whose it is; "?" when that cannot be told."""
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
