"""The tools for the processes of this machine: look at them, stop one. docs/tools.md.

A process is named by pid and start (`4312@81234`), never by its name: when another has got the pid meanwhile, nothing
happens to it. What Sopwith is made of, or runs in, is never stopped.
"""

from __future__ import annotations

import os
import re
import select
import signal
import time
from collections.abc import Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from models.base import ToolResult
from tools.base import Between, ToolContext, ToolError, tool
from tools.processes.tree import LINUX, MARK, born, leaders
from tools.processes.words import identity, in_words, is_called, lines_of, on_port, user_of

if TYPE_CHECKING:
    import psutil

MOST_SHOWN = 25
KILL_SECONDS = 2.0  # for what was killed to be gone


def problem() -> str:
    """Nothing is missing: psutil is of the core."""
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
    """Find processes by name or port, as PID@START with what they use; without either, those that use most. ps, lsof and free in code_run tell more."""
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
    """The process PID@START. Raises ToolError when it is gone, or another has its pid."""
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
    """ "ours": us, what we run in, what holds our sandboxes; "run": what this run has started; "" for all others."""
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
        raise ToolError("error.processes.ended", process=text) from None
    try:
        if identity(process.pid) != text.strip():
            raise ToolError("error.processes.ended-pid-belongs-another-2", process=text)
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
        return identity(process.pid) != text.strip() or bool(
            news.poll(max(0.0, end - time.monotonic()) * 1000)
        )
    finally:
        os.close(descriptor)
