"""Processes of this machine: found, stopped; never ours, never another that has got the pid."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from models.base import ToolResult
from tests.drained import result_of
from tests.machine import PATIENCE_SECONDS, free_port
from tools.base import ToolContext, ToolError
from tools.processes import calls as processes
from tools.processes.tree import born, leaders

DEAF = "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
SERVE = "import socket, sys, time; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); time.sleep(60)"


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return ToolContext(tmp_path, tmp_path, tmp_path, tool_seconds=10, run="run-7")


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start Python code, and end it with the test."""
    started: list[subprocess.Popen[str]] = []

    def go(code: str, *words: str, **options: Any) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-E", "-c", code, *words],
                stdout=subprocess.PIPE,
                text=True,
                **options,
            )
        )
        return started[-1]

    yield go
    for each in started:
        each.kill()
        each.wait()
        assert each.stdout
        each.stdout.close()


def named(process: subprocess.Popen[str]) -> str:
    return processes.identity(process.pid)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def look(ctx: ToolContext, **args: Any) -> str:
    result = processes.process_look.run(ctx, **args)
    assert isinstance(result, ToolResult) and result.status == "ok"
    return str(result.data["output"])


def stop(ctx: ToolContext, process: str, grace: int = 5) -> ToolResult:
    return result_of(processes.process_stop.run(ctx, process, grace))


def test_a_process_is_found_by_port_and_name(ctx: ToolContext, tmp_path: Path, start: Any) -> None:
    (folder := tmp_path / "文件夹").mkdir()
    server = start(SERVE, "odd-名字", cwd=folder)
    port = int(first_line(server))
    assert look(ctx, port=port).startswith(f"{named(server)} ") and f"port {port}" in look(
        ctx, port=port
    )
    assert look(ctx, name="ODD-名字").startswith(named(server))
    free = free_port()
    assert look(ctx, port=free) == "none"
    assert look(ctx, name="no such program").startswith("none")


def test_a_process_is_asked_to_end_and_then_killed(ctx: ToolContext, start: Any) -> None:
    polite = start(SERVE)
    first_line(polite)
    assert "has ended" in stop(ctx, named(polite)).data["output"]
    assert polite.wait(PATIENCE_SECONDS) == -signal.SIGTERM
    deaf = start(DEAF)
    first_line(deaf)
    result = stop(ctx, named(deaf), grace=1)
    assert (
        result.status == "ok"
        and "was killed, since it had not ended after 1 s" in result.data["output"]
    )
    assert deaf.wait(PATIENCE_SECONDS) == -signal.SIGKILL
    suspended = start(SERVE)
    first_line(suspended)
    os.kill(suspended.pid, signal.SIGSTOP)
    assert "has ended" in stop(ctx, named(suspended)).data["output"]


def test_another_process_with_the_pid_is_left_alone(ctx: ToolContext, start: Any) -> None:
    other = start(SERVE)
    first_line(other)
    replaced = f"{other.pid}@{born(other.pid) - 100}"
    with pytest.raises(ToolError, match="belongs to another process"):
        stop(ctx, replaced)
    import psutil

    # replaced between look and kill
    with pytest.raises(ToolError, match="belongs to another process"):
        processes._send(psutil.Process(other.pid), replaced, signal.SIGKILL)
    assert other.poll() is None
    for text in ("1234", "python", f"{other.pid}", "-1@5", "99999999999@1"):
        with pytest.raises(ToolError, match="no PID@START"):
            stop(ctx, text)
    with pytest.raises(ToolError, match="no such process"):
        stop(ctx, "4194305@1")


def test_what_we_are_made_of_is_never_stopped(ctx: ToolContext, start: Any) -> None:
    held = start(SERVE)
    first_line(held)
    leaders.add(held.pid)  # as a server or a sandbox that we wait for
    try:
        for pid in (os.getpid(), os.getppid(), 1, held.pid):
            with pytest.raises(ToolError, match="is Sopwith"):
                stop(ctx, processes.identity(pid))
            assert (
                processes.stopped_one(ctx, {"process": processes.identity(pid)})["whose"] == "ours"
            )
    finally:
        leaders.discard(held.pid)
    assert held.poll() is None
