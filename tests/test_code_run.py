"""Running scripts: real processes, and none of them left afterwards."""

import json
import os
import resource
import shlex
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from models.base import ToolResult
from safety.secrets import Redactor
from tests.drained import drained
from tests.rows import cases
from tools.base import ToolContext, ToolError
from tools.scripts.calls import code_run
from tools.scripts.output import RESERVED_BYTES, Output

PYTHON = shlex.quote(sys.executable)


@pytest.fixture
def ctx(tmp_path: Path, home: Path) -> ToolContext:
    return ToolContext(cwd=tmp_path / "cwd", folder=tmp_path / "run", home=home, call="call/1")


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No test of this file may leave a process, a zombie or a descriptor behind."""
    before = set(psutil.Process().children(recursive=True))
    descriptors = psutil.Process().num_fds()
    yield
    left = [
        process for process in psutil.Process().children(recursive=True) if process not in before
    ]
    assert [" ".join(process.cmdline()) or process.status() for process in left] == []
    assert psutil.Process().num_fds() <= descriptors + 1  # the first call loads a library


def run(ctx: ToolContext, script: str, type: str = "bash", **more: Any) -> ToolResult:
    """Return the result of a call; what it streamed is thrown away."""
    return stream(ctx, script, type, **more)[1]


def stream(
    ctx: ToolContext, script: str, type: str = "bash", **more: Any
) -> tuple[list[str], ToolResult]:
    return drained(code_run.run(ctx, type=type, script=script, **more))


def test_output_and_errors_come_in_order_with_the_exit_code(ctx: ToolContext) -> None:
    result = run(ctx, "echo one; echo two >&2; echo three; exit 3")
    assert (result.status, result.data) == (
        "error",
        {"exit_code": 3, "output": "one\ntwo\nthree\n"},
    )
    assert run(ctx, "true").data == {"exit_code": 0, "output": ""}


def test_input_is_empty_and_no_start_up_file_is_read(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ctx.cwd / "start.sh").write_text("echo started")
    monkeypatch.setenv("BASH_ENV", str(ctx.cwd / "start.sh"))
    assert run(ctx, 'read x; echo "[$x]"').data["output"] == "[]\n"


def test_secrets_of_our_environment_are_not_passed_on(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "OPENAI_API_KEY",
        "GH_TOKEN",
        "MY_SECRET",
        "DB_PASSWORD",
        "TOKEN",
        "KEPT_TOKEN",
        "TOKENS_FOLDER",
    ):
        monkeypatch.setenv(name, "hunter2")
    ctx.env["KEPT_TOKEN"] = "given"
    shown = run(ctx, "env", env={"more": "a b"}).data["output"]
    assert {"KEPT_TOKEN=given", "TOKENS_FOLDER=hunter2", "more=a b"} <= set(shown.splitlines())
    assert shown.count("hunter2") == 1


def test_values_are_given_as_variables_never_as_code(ctx: ToolContext) -> None:
    evil = "$(echo pwned); 'x' \"y\"\nz"
    assert run(ctx, 'printf %s "$v"', env={"v": evil}).data["output"] == evil


def test_what_cannot_be_started_is_the_models_mistake(ctx: ToolContext) -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"script": "ls", "cwd": "missing"}, "is not a folder"),
        ({"script": "ls\0"}, "NUL"),
        ({"script": "echo \ud800"}, "surrogate"),
        ({"script": "ls", "env": {"a=b": "c"}}, "env"),
        ({"script": "ls", "env": {"a": "\ud800"}}, "env"),
        ({"script": "ls", "env": {"a": "x" * 3_000_000}}, "cannot start"),
    ]
    for args, words in rows:
        with pytest.raises(ToolError, match=words):
            run(ctx, **args)


def test_long_script_runs(ctx: ToolContext) -> None:
    assert run(ctx, "# " + "x" * 300_000 + "\necho done").data["output"] == "done\n"


def test_exit_by_signal_is_said(ctx: ToolContext) -> None:
    result = run(ctx, "kill -9 $$")
    assert (result.status, result.data["signal"]) == ("error", "killed by SIGKILL")


STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


@pytest.mark.parametrize(
    "script",
    [
        "sleep 60",
        "trap '' TERM; sleep 60; sleep 60",
        "sleep 60 & sleep 61 & wait",
        "setsid sleep 60 & sleep 61",
        "(setsid bash -c 'setsid sleep 60 & sleep 61' &) ; sleep 62",
        f'setsid {PYTHON} -c "{STUBBORN}" & sleep 60',
        "setsid env -i bash -c 'trap \"\" TERM; while :; do sleep 1; done' & sleep 60",
        "exec >/dev/null 2>&1; sleep 60",
        "kill -STOP $$",
        "while :; do (sleep 5 &) ; sleep 0.01; done",
    ],
)
def test_time_limit_ends_the_whole_tree(ctx: ToolContext, script: str) -> None:
    start = time.monotonic()
    result = run(ctx, script, timeout=1)
    assert time.monotonic() - start < 20  # of a minute
    assert result.status == "timeout"
    assert "1 s, the time limit" in result.data["reason"]


@cases
def test_what_is_left_in_the_background_is_stopped_and_named(ctx: ToolContext, script: str) -> None:
    start = time.monotonic()
    result = run(ctx, script)
    assert time.monotonic() - start < 20  # of a minute
    assert result.status == "ok"
    assert "done" in result.data["output"]
    assert result.data["stopped"]
    assert run(ctx, "echo next").data == {"exit_code": 0, "output": "next\n"}


def test_interrupt_ends_the_tree_and_goes_on(ctx: ToolContext) -> None:
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        run(ctx, "sleep 60 & setsid sleep 61 & sleep 62")
        time.sleep(60)
    timer.join()
    assert time.monotonic() - start < 20  # of a minute


def test_output_is_streamed_while_it_comes(ctx: ToolContext) -> None:
    os.mkfifo(ctx.cwd / "go")
    calling = code_run.run(
        ctx, type="python", script="print('first')\nopen('go').read()\nprint('second')"
    )
    assert not isinstance(calling, ToolResult)
    assert "first" in next(calling)
    (ctx.cwd / "go").write_text("on")
    assert "second" in next(calling)
    assert list(calling) == []


def test_flood_stays_small_in_memory_and_in_events(ctx: ToolContext) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    parts, result = stream(ctx, "yes", timeout=2)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64_000
    assert result.status == "timeout"
    assert len(parts) < 50
    assert max(map(len, parts)) <= 4_001
    assert len(result.data["output"]) < 13_000
    assert Path(result.data["file"]).stat().st_size == 32_000_000
    assert result.data["bytes"] > 32_000_000


@contextmanager
def room(size: int) -> Iterator[None]:
    """Files of this process end where the disk would: at so many bytes. No longer than the call:
    pytest may write to one."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("size", [0, RESERVED_BYTES - 1])
@pytest.mark.parametrize("type", ["bash", "python"])
def test_full_disk_is_told_before_anything_is_done(ctx: ToolContext, type: str, size: int) -> None:
    script = {"bash": "mkdir ../done", "python": "import os; os.mkdir('../done')"}[type]
    told = r"^nothing was run: \S+/run cannot be written to: .*\. Free some space\.$"
    with pytest.raises(ToolError, match=told), room(size):
        run(ctx, script, type)
    assert not (ctx.cwd.parent / "done").exists()
    assert list(ctx.folder.glob("out-*")) == []


def test_binary_and_broken_text_become_visible(ctx: ToolContext) -> None:
    result = run(
        ctx,
        r"printf 'a\0b\x07\xff\xfe \033[31mred\033[0m \033]0;title\007x\r\nrow 1\rrow 22\r\nend'",
    )
    assert result.data["output"] == "a␀b␇\ufffd\ufffd red x\nrow 22\nend"


def test_secrets_are_hidden_in_result_stream_and_file(ctx: ToolContext) -> None:
    ctx.redact = Redactor({"KEY": "zebra-crossing-42"})
    parts, result = stream(ctx, "for i in $(seq 3000); do echo $i zebra-crossing-42; done")
    kept = Path(result.data["file"]).read_text()
    for text in (*parts, json.dumps(result.data), kept):
        assert "zebra" not in text
    assert kept.count("[KEY]") == 3000


def test_secret_cut_in_two_by_a_block_is_hidden_in_the_file(tmp_path: Path) -> None:
    output = Output(tmp_path / "out.txt", Redactor({"KEY": "zebra-crossing-42"}))
    data = b"x" * 10_000 + b"zebra-crossing-42" + b"y" * 10_000
    for at in range(0, len(data), 7):
        output.add(data[at : at + 7])
    output.close()
    assert output.file is not None
    assert output.file.read_text() == "x" * 10_000 + "[KEY]" + "y" * 10_000
    assert "zebra" not in output.shown()
