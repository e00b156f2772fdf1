"""Sopwith as an MCP server, asked by the official client over stdio and HTTP, in both eras of the
protocol."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory.inbox import Inbox
from memory.logs import list_runs
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import bash, call
from tests.machine import PATIENCE_SECONDS
from tests.rows import cases
from tests.screen import waits_until

pytest.importorskip("mcp", reason="the extra mcp is not installed: scripts/setup --extra mcp")
SERVE = [
    sys.executable,
    "-W",
    "error",
    "-W",
    "ignore::ResourceWarning",
    str(CHECKOUT / "launch.py"),
]
ERAS = ("auto", "legacy")


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    """Return a folder with a file that is old and one that is new."""
    folder = tmp_path / "box"
    folder.mkdir()
    (folder / "old.txt").write_text("old")
    (folder / "new.txt").write_text("new")
    os.utime(folder / "old.txt", (time.time() - 90 * 86_400,) * 2)
    return folder


def scripted(home: Path, replies: list[Any]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "replies.json").write_text(json.dumps(replies))
    line = f"models: [{{name: s, kind: scripted, model: {home / 'replies.json'}}}]\n"
    (home / "config.yaml").write_text(line)


def over_stdio(
    work: Callable[[Any], Awaitable[Any]], home: Path, answer: Any = None, mode: str = "auto"
) -> Any:
    """Return what `work` gives with a client whose user says `answer` to what is asked."""
    from mcp import Client, StdioServerParameters

    words = [*SERVE[1:], "--home", str(home), "mcp", "serve"]
    server = StdioServerParameters(command=SERVE[0], args=words, env=dict(os.environ))

    async def main() -> Any:
        async with Client(server, mode=mode, elicitation_callback=answer) as client:
            return await work(client)

    return asyncio.run(asyncio.wait_for(main(), PATIENCE_SECONDS))


def says(action: Any, shown: list[str], **content: Any) -> Any:
    """Return the user of the client, who is shown what is asked and answers so."""
    from mcp_types import ElicitResult

    async def answer(context: Any, params: Any) -> Any:
        shown.append(params.message)
        return ElicitResult(action=action, content=content or None)

    return answer


def test_proven_sops_are_typed_tools_with_their_effects(home: Path) -> None:
    async def work(client: Any) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in over_stdio(work, home)}
    assert {"clean-old-files", "find-files", "recall", "run_task"} <= set(tools)
    assert "memory-management" not in tools, "instructions are nothing to call"
    cleans = tools["clean-old-files"]
    assert cleans.input_schema["properties"]["days"]["type"] == "integer"
    assert cleans.input_schema["required"] == ["folder", "days"]
    assert cleans.annotations.destructive_hint and not cleans.annotations.read_only_hint
    assert "Status: active." in cleans.description and "removes" in cleans.description
    assert tools["largest-files"].annotations.read_only_hint


@pytest.mark.parametrize("mode", ERAS)
def test_a_procedure_runs_without_a_model(home: Path, folder: Path, mode: str) -> None:
    async def work(client: Any) -> Any:
        return await client.call_tool("largest-files", {"folder": str(folder), "count": 1})

    result = over_stdio(work, home, mode=mode)
    assert not result.is_error and "txt" in result.content[0].text
    assert result.structured_content["status"] == "done"
    [run] = list_runs(home)
    assert (run.run, run.rote) == (result.structured_content["run"], True)


@pytest.mark.parametrize("mode", ERAS)
def test_the_clients_user_is_asked_and_allows(home: Path, folder: Path, mode: str) -> None:
    shown: list[str] = []

    async def work(client: Any) -> Any:
        return await client.call_tool("clean-old-files", {"folder": str(folder), "days": 30})

    result = over_stdio(work, home, says("accept", shown, decision="allow"), mode)
    assert len(shown) == 1 and "old.txt" in shown[0]
    assert result.structured_content["status"] == "done"
    assert [path.name for path in folder.iterdir()] == ["new.txt"]


@pytest.mark.parametrize("mode", ERAS)
def test_the_clients_user_is_asked_and_denies(home: Path, folder: Path, mode: str) -> None:
    async def work(client: Any) -> Any:
        return await client.call_tool("clean-old-files", {"folder": str(folder), "days": 30})

    result = over_stdio(work, home, says("decline", []), mode)
    assert result.structured_content["status"] != "done"
    assert (folder / "old.txt").exists() and Inbox(home).list() == []


def test_a_client_that_cannot_ask_leaves_it_to_the_inbox(
    home: Path, folder: Path, cli: CommandLine
) -> None:
    async def work(client: Any) -> Any:
        return await client.call_tool("clean-old-files", {"folder": str(folder), "days": 30})

    result = over_stdio(work, home)
    assert result.structured_content["status"] == "waiting" and not result.is_error
    assert "sopwith inbox list" in result.content[0].text
    [entry] = Inbox(home).list()
    assert cli("inbox", "approve", entry.id).code == 0
    assert not (folder / "old.txt").exists()


@pytest.mark.parametrize("mode", ERAS)
def test_a_task_asks_its_question_and_goes_on(home: Path, mode: str) -> None:
    scripted(home, [call("ask_user", question="Which day?"), "Tuesday it is."])
    shown: list[str] = []

    async def work(client: Any) -> Any:
        return await client.call_tool("run_task", {"task": "plan the day with me"})

    result = over_stdio(work, home, says("accept", shown, answer="Tuesday"), mode)
    assert "Which day?" in shown[0] and result.content[0].text == "Tuesday it is."


def test_what_is_wrong_is_said_in_words(home: Path, folder: Path) -> None:
    async def work(client: Any) -> Any:
        days = await client.call_tool("clean-old-files", {"folder": str(folder), "days": "soon"})
        task = await client.call_tool("run_task", {"task": "  "})
        cwd = await client.call_tool("run_task", {"task": "x", "cwd": "relative"})
        return days, task, cwd

    days, task, cwd = over_stdio(work, home)
    assert days.is_error and "days" in days.content[0].text
    assert task.is_error and "empty" in task.content[0].text
    assert cwd.is_error and "absolute" in cwd.content[0].text


def test_memory_is_searched(home: Path, cli: CommandLine) -> None:
    turns = home.parent / "turns.jsonl"
    at = "2026-11-20T10:00:00+00:00"
    said = {"id": "1", "at": at, "who": "owner", "text": "the printer is in the attic"}
    turns.write_text(json.dumps({**said, "session": "main"}) + "\n")
    cli("memory", "import", str(turns))

    async def work(client: Any) -> Any:
        return await client.call_tool("recall", {"query": "where is the printer"})

    assert "attic" in over_stdio(work, home).content[0].text


@pytest.mark.parametrize("is_heard", [True, False])
def test_a_client_that_dies_in_mid_call_leaves_the_run_to_end_by_itself(
    home: Path, is_heard: bool
) -> None:
    scripted(home, [bash("sleep 3; echo finished"), "All done."])
    words = [*SERVE, "--home", str(home), "mcp", "serve"]
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "run_task", "arguments": {"task": "take your time"}}},
    ]  # fmt: skip
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write("".join(json.dumps(each) + "\n" for each in lines).encode())
        server.stdin.flush()
        waits_until(lambda: [run.turns for run in list_runs(home)] == [1])
        if not is_heard:  # what it still says meets a closed pipe
            server.stdout.close()
            server.stdin.write(b'{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}\n')
        server.stdin.close()
        assert server.wait(PATIENCE_SECONDS) == 0
        assert server.stderr.read() == b""
    waits_until(lambda: list_runs(home)[0].status == "done")


def test_a_killed_server_leaves_the_question_of_its_run_in_the_inbox(
    home: Path, folder: Path
) -> None:
    shown: list[str] = []

    async def answer(context: Any, params: Any) -> Any:
        shown.append(params.message)
        [server] = [
            int(pid.name)
            for pid in Path("/proc").iterdir()
            if pid.name.isdigit() and _is_server(pid, home)
        ]
        os.kill(server, signal.SIGKILL)
        await asyncio.sleep(60)

    async def work(client: Any) -> Any:
        await client.call_tool("clean-old-files", {"folder": str(folder), "days": 30})

    with pytest.raises(BaseException):  # noqa: B017 - whatever a client of a dead server says
        over_stdio(work, home, answer, "legacy")
    assert shown
    waits_until(lambda: bool(Inbox(home).list()))
    assert (folder / "old.txt").exists() and list_runs(home)[0].status == "waiting"


def _is_server(process: Path, home: Path) -> bool:
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return str(home).encode() in words and b"serve" in words


@contextmanager
def over_http(home: Path) -> Iterator[tuple[str, str]]:
    """Yield a server; its address and token."""
    words = [*SERVE, "--home", str(home), "mcp", "serve", "--http", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        token = server.stdout.readline().strip().removeprefix("Authorization: Bearer ")
        yield address, token
        server.send_signal(signal.SIGINT)
        server.wait(PATIENCE_SECONDS)


@pytest.mark.parametrize("mode", ERAS)
def test_over_http_with_the_token(home: Path, folder: Path, mode: str) -> None:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def main(address: str, token: str) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(address, http_client=http)
            answer = says("accept", [], decision="allow")
            async with Client(transport, mode=mode, elicitation_callback=answer) as client:
                given = {"folder": str(folder), "days": 30}
                return await client.call_tool("clean-old-files", given)

    with over_http(home) as (address, token):
        result = asyncio.run(asyncio.wait_for(main(address, token), PATIENCE_SECONDS))
    assert result.structured_content["status"] == "done"
    assert not (folder / "old.txt").exists()


@cases
def test_over_http_nobody_comes_in_without_the_token(home: Path, headers: dict[str, str]) -> None:
    with over_http(home) as (address, token):
        assert len(token) > 30 and (home / "mcp" / "token").stat().st_mode & 0o077 == 0
        request = urllib.request.Request(address, b"{}", headers)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        assert refused.value.code == 401
        refused.value.close()
        good = {"Authorization": f"Bearer {token}", "Origin": "https://evil.example"}
        request = urllib.request.Request(address, b"{}", {**good, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"})  # fmt: skip
        with pytest.raises(urllib.error.HTTPError) as foreign:
            urllib.request.urlopen(request, timeout=30)
        assert foreign.value.code == 403
        foreign.value.close()
