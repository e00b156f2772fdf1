"""MCP servers whose tools or answers are not as the protocol says: each tool is looked at alone, each answer comes at once."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from config import McpServer
from models.base import ToolResult
from tests.conftest import CommandLine
from tests.test_mcp import SERVER, command, context, found, use
from tools.base import ToolContext, ToolError
from tools.mcp.client import MISSING, plain_schema
from tools.processes.calls import process_stop
from tools.processes.words import identity
from tools.shells.calls import shell_run

pytest.importorskip("mcp", reason="the extra mcp is not installed: scripts/setup --extra mcp")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolContext]:
    folder = tmp_path_factory.mktemp("odd")
    ctx = context(folder, {"odd": command("odd")})
    yield ctx
    ctx.close()


def test_one_odd_tool_does_not_cost_the_others_of_its_server(odd: ToolContext) -> None:
    assert found(odd) == [
        "odd.get_nothing(): ",
        "odd.get_anything(): ",
        "odd.get_empty(): ",
        "odd.get_one(): ",
        "odd.get_untyped(a?: integer): ",
        "odd.get_order(order: {sku: string, next?: {sku: string, next?: object}}, note?: string): ",
        "odd: left out, since their names or arguments are none: get_text, get_list, one without a name",
    ]


def test_a_tool_whose_schema_says_little_takes_what_it_is_given(odd: ToolContext) -> None:
    for name in ("get_anything", "get_order"):
        assert json.loads(use(odd, f"odd.{name}", order={"sku": "a"}).data["output"]) == {
            "order": {"sku": "a"}
        }


def test_half_a_letter_and_bytes_that_are_no_text_cost_nothing_else(odd: ToolContext) -> None:
    started = time.monotonic()
    assert (
        use(odd, "odd.get_nothing").data["output"] == "half \ufffd and whole \U0001f600 and \\ud83d"
    )
    assert use(odd, "odd.get_empty").data["output"] == "\ufffd\ufffd"
    assert time.monotonic() - started < 15  # the call would have 30 s


@pytest.mark.parametrize("name", ["get_one", "get_untyped"])
def test_an_answer_that_cannot_be_read_is_an_error_at_once_in_our_words(
    odd: ToolContext, name: str
) -> None:
    started = time.monotonic()
    result = use(odd, f"odd.{name}")
    assert (result.status, result.data) == ("error", "odd: its answer is not what MCP says")
    assert time.monotonic() - started < 15


def test_tools_that_come_later_are_found(tmp_path: Path) -> None:
    ctx = context(tmp_path, {"odd": command("odd")})
    assert "odd.get_more(): " not in found(ctx)
    use(ctx, "odd.get_anything", grow=True)
    assert "odd.get_more(): " in found(ctx)
    assert use(ctx, "odd.get_more").data["output"] == "{}"
    ctx.close()


class Refuses(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()


def test_a_server_over_http_that_refuses_says_how(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refuses) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        ctx = context(
            tmp_path, {"far": McpServer(url=f"http://127.0.0.1:{server.server_port}/mcp")}, 20
        )
        (line,) = found(ctx)
        ctx.close()
        server.shutdown()
    assert line.endswith("; it said last: HTTP 401 Unauthorized")


def test_a_schema_that_points_to_itself_has_an_end() -> None:
    each = {"type": "object", "properties": {str(n): {"$ref": "#/$defs/x"} for n in range(50)}}
    kept = plain_schema({"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/y"}}, "$defs": {"x": each, "y": {"$ref": "#/$defs/y"}}})  # fmt: skip
    assert len(json.dumps(kept)) < 100_000 and kept["properties"]["a"]["type"] == "object"


def test_what_is_left_out_is_said_on_the_screen_in_both_languages(
    home: Path, cli: CommandLine
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(
        f"mcp: {{servers: {{odd: {{command: [{sys.executable}, {SERVER}, odd]}}}}}}"
    )
    said = cli("mcp", "test")
    assert said.code == 0 and "✓ odd: 6 tools" in said.stdout
    assert "⚠ odd: left out, since their names or arguments are none: get_text" in said.stdout
    assert "已略去（名称或参数不成立）：get_text" in cli("mcp", "list", "--lang", "zh").stdout
    listed = json.loads(cli("mcp", "list", "--json").stdout)["servers"][0]
    assert listed["ok"] and "get_list" in listed["left_out"] and len(listed["tools"]) == 6


def test_a_server_outlives_a_shell_that_was_opened_before_it_and_is_never_stopped(
    odd: ToolContext, tmp_path: Path
) -> None:
    ctx = context(tmp_path, {"desk": command("stdio")})
    assert use_all(shell_run.run(ctx, "echo open")).status == "ok"
    pid = use(ctx, "desk.get_pid").data["output"]
    assert "has ended" in use_all(shell_run.run(ctx, "exit")).data["note"]
    assert use(ctx, "desk.get_pid").data["output"] == pid
    with pytest.raises(ToolError, match="is Sopwith, or what it runs in"):
        use_all(process_stop.run(ctx, identity(int(pid))))
    ctx.close()


def test_without_the_package_a_tool_of_a_server_says_what_is_missing(
    odd: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.mcp.client.problem", lambda: MISSING)
    with pytest.raises(ToolError, match="scripts/setup --extra mcp"):
        use(odd, "odd.get_empty")


def use_all(running: Any) -> ToolResult:
    """The result of a tool that streams."""
    while True:
        try:
            next(running)
        except StopIteration as done:
            assert isinstance(done.value, ToolResult)
            return done.value


@pytest.mark.parametrize(
    ("text", "structured", "is_told"),
    [
        ("hello\n", {"content": "hello\n"}, False),
        ('{"total": 3.5}', {"total": 3.5}, False),
        ('[{"name": "Ann"}]', {"entities": [{"name": "Ann"}]}, False),
        ("3 found", {"found": 3}, True),
        ("[1, 2", {"found": [1, 2]}, True),
    ],
)
def test_what_a_server_says_twice_is_read_once_and_kept_for_sops(
    text: str, structured: Any, is_told: bool
) -> None:
    result = ToolResult("ok", {"output": text, "structured": structured})
    assert ("[structured: " in result.as_text()) == is_told
    assert result.data["structured"] == structured
