"""A partial sandbox: commands are children of a process that is ready, and each is confined, ours to end, and alone."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from models.base import ToolResult
from safety.paths import Places
from sandbox.cells import levels
from sandbox.cells.levels import Profile, Sandbox
from tests.screen import waits_until
from tools.base import ToolContext
from tools.scripts.calls import code_run

PARTIAL = levels.chosen(levels.probe(), "partial")
pytestmark = pytest.mark.skipif(
    PARTIAL.name != "partial", reason=f"no partial sandbox here: {PARTIAL.reason}"
)


@pytest.fixture
def ctx(tmp_path: Path, home: Path) -> ToolContext:
    places = Places.of((tmp_path / "cwd",), home, tmp_path / "owner", tmp_path / "cwd")
    (home / "runs" / "r").mkdir(parents=True)
    held = Sandbox(PARTIAL, Profile("owner", places))
    return ToolContext(tmp_path / "cwd", home / "runs" / "r", home, call="c", sandbox=held)


def run(ctx: ToolContext, script: str, type: str = "bash", **more: Any) -> dict[str, Any]:
    calling = code_run.run(ctx, type=type, script=script, **more)
    assert not isinstance(calling, ToolResult)
    while True:
        try:
            next(calling)
        except StopIteration as stop:
            found: dict[str, Any] = stop.value.data
            return found


def ready() -> list[psutil.Process]:
    """Return those that wait to start something, of ours."""
    found = []
    for each in psutil.Process().children():
        with suppress(psutil.Error):  # it has just ended
            found += [each] if "serve" in each.cmdline()[-2:-1] else []
    return found


def has_ended(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_one_process_serves_all_calls_and_ends_with_the_sandbox(ctx: ToolContext) -> None:
    before = {each.pid for each in ready()}
    assert [run(ctx, f"echo {n}; exit {n}")["exit_code"] for n in (0, 3, 255)] == [0, 3, 255]
    (own,) = [each for each in ready() if each.pid not in before]
    ctx.sandbox = None
    waits_until(lambda: has_ended(own))


def test_a_call_has_nothing_of_the_process_that_starts_it(ctx: ToolContext) -> None:
    script = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    assert (
        run(ctx, script, "python")["output"].splitlines()[0] == "['0', '1', '2', '3']"
    )  # 3 is what lists them
    said = run(ctx, "env; cat /proc/$PPID/environ 2>&1; pwd", env={"GIVEN": "yes"})["output"]
    assert "GIVEN=yes" in said and "Permission denied" in said and str(ctx.cwd) in said
    assert "confiner" not in said
    assert (
        run(ctx, "yes | head -1; echo ${PIPESTATUS[0]}")["output"] == "y\n141\n"
    )  # SIGPIPE ends it
    assert run(ctx, "no-such-program")["exit_code"] == 127
    assert run(ctx, "kill -9 $$")["signal"] == "killed by SIGKILL"


def test_what_a_call_leaves_is_ended_and_a_long_one_too(ctx: ToolContext) -> None:
    found = run(ctx, "sleep 300 & (setsid sleep 301 &) ; echo on")
    assert sorted(found["stopped"]) == ["sleep 300", "sleep 301"]
    late = run(ctx, "trap '' TERM; sleep 300", timeout=1)
    assert "stopped after 1 s" in late["reason"]
    waits_until(
        lambda: (
            not [
                each
                for each in psutil.Process().children(recursive=True)
                if each.name() == "sleep" and not has_ended(each)
            ]
        )
    )
