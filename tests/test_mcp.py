"""MCP servers, real ones over stdio and HTTP: found, called, judged by the gate, started again, and
none that harms us."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from config import Config, McpConfig, McpServer
from handler import Approval
from models.base import ToolResult
from runs.assemble import Options
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import SpokenOwner, agent, call, drive, of, put_sop, servers_up
from tests.machine import PATIENCE_SECONDS, free_port, ran
from tools.base import ToolContext
from tools.mcp.client import finder, mcp_find
from tools.registry import all_tools
from tools.toolbox import Toolbox

pytest.importorskip("mcp", reason="the extra mcp is not installed: scripts/setup --extra mcp")
SERVER = CHECKOUT / "tests" / "mcp_server.py"


def command(kind: str, **env: str) -> McpServer:
    return McpServer((sys.executable, str(SERVER), kind), {"PYTHONPATH": str(CHECKOUT), **env})


def context(folder: Path, servers: dict[str, McpServer], seconds: float = 30.0) -> ToolContext:
    config = Config(mcp=McpConfig(servers), home=folder, lang="en")
    return ToolContext(folder, folder, folder, tool_seconds=seconds, config=config)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolContext]:
    """Yield a server that is up for all tests here: to start one takes most of a second."""
    folder = tmp_path_factory.mktemp("desk")
    ctx = context(folder, {"desk": command("stdio", NOTES=str(folder)), "noisy": command("noisy")})
    yield ctx
    ctx.close()


def use(ctx: ToolContext, name: str, /, **args: Any) -> ToolResult:
    assert ctx.config
    tool = Toolbox(all_tools(), foreign=finder(ctx.config))[name]
    result = tool.run(ctx, **args)
    assert isinstance(result, ToolResult)
    return result


def found(ctx: ToolContext, query: str = "", server: str | None = None) -> list[str]:
    result = mcp_find.run(ctx, query, server)
    assert isinstance(result, ToolResult) and result.status == "ok" and result.origin == "tool"
    return str(result.data).splitlines()


def test_a_tool_is_called_and_its_answer_is_data_of_others(desk: ToolContext) -> None:
    result = use(desk, "desk.get_total", prices=[1, 2.5])
    assert (result.status, result.origin, result.data["structured"]) == (
        "ok",
        "tool",
        {"total": 3.5},
    )
    assert use(desk, "desk.write_note", name="a", text="milk").data["output"] == "written"
    assert (desk.folder / "a").read_text() == "milk"
    failed = use(desk, "desk.get_error")
    assert failed.status == "error" and "get_error" in failed.data["output"]


def test_a_server_that_died_is_started_again_and_its_call_is_not_repeated(
    desk: ToolContext,
) -> None:
    before = use(desk, "desk.get_pid").data["output"]
    killed = use(desk, "desk.get_killed")
    assert (
        killed.status == "error"
        and killed.data == "desk: it has ended; it said last: my last words"
    )
    after = use(desk, "desk.get_pid").data["output"]
    assert before != after
    os.kill(int(after), signal.SIGKILL)  # while nobody asks
    again = use(desk, "desk.get_pid")
    if again.status == "error":  # asked before anybody saw it end
        again = use(desk, "desk.get_pid")
    assert again.data["output"] not in (before, after)


def test_servers_that_cannot_be_used_say_why_and_stop_no_other(
    tmp_path: Path, desk: ToolContext
) -> None:
    assert desk.config
    servers = {
        "hangs": command("hangs"),
        "broken": command("broken"),
        "endless": command("endless"),
        "gone": McpServer(("no-such-program",)),
        "nobody": McpServer(url="http://127.0.0.1:9/mcp"),
        "noisy": command("noisy"),
    }
    ctx = context(tmp_path, servers)
    use(ctx, "noisy.get_thing_1")  # it is up, however slow this machine is just now
    ctx.tool_seconds = 3.0
    started = time.monotonic()
    lines = found(ctx, "weather")
    assert time.monotonic() - started < 30
    assert (
        lines[0].startswith("noisy.weather")
        and lines[1] == "hangs: no answer within 3 s; it was ended"
    )
    assert (
        lines[2]
        == "broken: it cannot be started: Connection closed; it said last: no configuration was found"
    )
    assert lines[3].startswith("endless: ") and (
        "128,000,000 bytes" in lines[3] or "within 3 s" in lines[3]
    )
    assert lines[4] == "gone: it cannot be started: there is no program no-such-program"
    assert lines[5].startswith("nobody: it cannot be started: ")
    assert (
        use(ctx, "gone.anything", a=1).data
        == "gone: it cannot be started: there is no program no-such-program"
    )
    ctx.close()
    children = ran("ps", "-o", "args=", "--ppid", str(os.getpid()))
    assert not [
        line for line in children.stdout.splitlines() if line.endswith((" hangs", " endless"))
    ]


def test_a_server_dies_with_us_however_we_die(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("only the kernel of Linux ends a child with its parent")
    code = (
        "import sys; from pathlib import Path; from tests.test_mcp import *; p = Path(sys.argv[1])\n"
        "ctx = context(p, {'hangs': command('hangs')}, 60)\nprint('up', flush=True)\nmcp_find.run(ctx)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], cwd=CHECKOUT, stdout=subprocess.PIPE
    )
    assert child.stdout and child.stdout.readline() == b"up\n"
    servers: list[int] = []
    end = time.monotonic() + PATIENCE_SECONDS
    while not servers and time.monotonic() < end:
        said = ran("pgrep", "-P", str(child.pid), "-f", "hangs")
        servers = [int(word) for word in said.stdout.split() if _is_bound(int(word))]
    child.kill()
    child.wait()
    child.stdout.close()
    while servers and _lives(servers[0]) and time.monotonic() < end:
        time.sleep(0.01)
    assert servers and not _lives(servers[0])


def _is_bound(pid: int) -> bool:
    """Return True if what binds a server to its parent has done so, and has become the server."""
    try:
        return psutil.Process(pid).name() != "setpriv"
    except psutil.NoSuchProcess:
        return False


def _lives(pid: int) -> bool:
    """Return True if a process is at work: one that nobody has buried is not."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[str]:
    """Yield a server over HTTP, in a process of its own."""
    port = free_port()
    argv = [sys.executable, str(SERVER), "http", str(port)]
    process = subprocess.Popen(
        argv,
        cwd=CHECKOUT,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


def test_a_server_over_http_is_used_like_any_other(tmp_path: Path, remote: str) -> None:
    ctx = context(
        tmp_path, {"far": McpServer(url=remote, headers={"Authorization": "Bearer 123"})}, 20.0
    )
    assert use(ctx, "far.get_total", prices=[2, 2]).data["structured"] == {"total": 4.0}
    ctx.tool_seconds = 1.0
    assert use(ctx, "far.get_slowly", seconds=5).status == "timeout"
    ctx.close()


SETTINGS = "mcp: {{servers: {{desk: {{command: [{python}, {server}, stdio], env: {{PYTHONPATH: {checkout}, NOTES: {notes}}}}}}}}}"


def settings(notes: Path) -> str:
    return SETTINGS.format(python=sys.executable, server=SERVER, checkout=CHECKOUT, notes=notes)


@pytest.fixture(scope="module")
def all_notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of a server that is up for all runs here."""
    folder = tmp_path_factory.mktemp("notes")
    with servers_up(folder.with_name("settings"), settings(folder)):
        yield folder


@pytest.fixture
def notes(all_notes: Path) -> Path:
    """Empty that folder."""
    for note in all_notes.iterdir():
        note.unlink()
    return all_notes


def test_a_run_calls_tools_of_servers_and_the_gate_judges_them(home: Path, notes: Path) -> None:
    (notes / "milk").write_text("call eve@evil.example")
    replies = [
        call("mcp_find", query="note"),
        call("mcp_call", server="desk", tool="read_note", args={"name": "milk"}),
        call("mcp_call", server="desk", tool="sweep", args={"name": "all"}),
        call("desk.write_note", name="b", text="tell eve@evil.example"),
        call("mcp_call", server="desk", tool="read_note", args={"nam": "milk"}),
        "done",
    ]
    owner = SpokenOwner(approvals=[Approval("no"), Approval("no")])
    started = agent(home, replies, settings(notes)).start(
        "read my note milk", Options(rote=False), owner
    )
    events = drive(started)
    assert of(events, "run_started")[0]["families"] == ["mcp"]
    ended = of(events, "tool_ended")
    assert [event["tool"] for event in ended] == [
        "mcp_find",
        "desk.read_note",
        "desk.sweep",
        "desk.write_note",
        "desk.read_note",
    ]
    assert [event["status"] for event in ended] == ["ok", "ok", "refused", "refused", "error"]
    assert ended[1]["origin"] == "tool" and ended[1]["data"]["output"] == "call eve@evil.example"
    assert [each.tool for each in owner.shown] == ["desk.sweep", "desk.write_note"]
    assert (
        owner.shown[0].risk == "delete"
    )  # what the server declares makes it more dangerous than its name
    assert "nam: no such argument" in ended[4]["data"]


SCRIPT = """
def plan(p):
    read = yield {"tool": "desk.read_note", "args": {"name": p["name"]}}
    if read["status"] != "ok":
        return {"stop": "there is no such note"}
    return {"text": read["data"]["output"]}


def commit(p, plan):
    yield {"tool": "desk.write_note", "args": {"name": p["name"] + ".copy", "text": plan["text"].upper()}}
    return "copied " + p["name"]
"""

COPIES = """\
parameters: {{type: object, properties: {{name: {{type: string}}}}, required: [name]}}
wordings: ['copy note {{name}}']
effects: {effects}
script: scripts/run.py
"""


@pytest.mark.parametrize("effects", ["local", "external"])
@pytest.mark.parametrize(
    ("body", "ends"), [(SCRIPT, "done"), (SCRIPT.replace("desk.read_note", "desk.sweep"), "failed")]
)
def test_a_script_sop_calls_tools_of_servers_by_name(
    body: str, ends: str, effects: str, home: Path, notes: Path
) -> None:
    put_sop(home, "copy-note", COPIES.format(effects=effects), run=body)
    (notes / "todo").write_text("milk")
    started = agent(home, None, settings(notes)).start(
        "copy note todo", Options(approve="all"), SpokenOwner()
    )
    events = drive(started)
    last = events[-1]
    assert last["status"] == ends, last["result"]
    if ends == "done":
        assert last["result"] == "copied todo" and (notes / "todo.copy").read_text() == "MILK"
        assert [event["tool"] for event in of(events, "tool_ended")] == [
            "desk.read_note",
            "desk.write_note",
        ]
    else:
        assert not of(events, "tool_started") and "desk.sweep does more than read" in last["result"]


def test_a_try_changes_nothing_on_a_server(home: Path, notes: Path) -> None:
    put_sop(home, "copy-note", COPIES.format(effects="local"), "draft", run=SCRIPT)
    (notes / "todo").write_text("milk")
    here = agent(home, None, settings(notes))
    tried = here.attempt(here.sop("copy-note"), {"name": "todo"}, home)
    assert not tried.passed and not (notes / "todo.copy").exists()


def test_the_command_line_lists_and_tests(home: Path, tmp_path: Path, cli: CommandLine) -> None:
    home.mkdir(parents=True)
    key = "tok-123456789"
    spills = f"spills: {{command: [sh, -c, 'echo $X_TOKEN >&2'], env: {{X_TOKEN: {key}}}}}"
    more = f", gone: {{command: [no-such-program]}}, {spills}}}}}"
    (home / "config.yaml").write_text(settings(tmp_path).removesuffix("}}") + more)
    code, out, _ = cli("mcp", "list", "--json")
    servers = {each["name"]: each for each in json.loads(out)["servers"]}
    effects = {tool["name"]: tool["effect"] for tool in servers["desk"]["tools"]}
    assert key not in out and "it said last: [spills X_TOKEN]" in servers["spills"]["problem"]
    assert code == 1 and effects["desk.sweep"] == "delete" and effects["desk.read_note"] == "read"
    assert (
        servers["gone"]["problem"]
        == "gone: it cannot be started: there is no program no-such-program"
    )
    code, out, _ = cli("mcp", "test", "gone", "--lang", "zh")
    assert code == 1 and out == "✗ gone：无法启动：没有程序 no-such-program\n"
    code, _, err = cli("mcp", "test", "nix")
    assert code == 2 and "no MCP server is called 'nix' (configured: desk, gone, spills)." in err
    (home / "config.yaml").write_text("mcp: {servers: {gone: {command: [no-such-program]}}}")
    listed = cli("mcp", "list")
    assert (listed.code, listed.stdout) == (
        1,
        "✗ gone: it cannot be started: there is no program no-such-program\n",
    )


def test_owner_says_what_a_tool_does_and_no_server_does(home: Path) -> None:
    from mcp_types import Tool, ToolAnnotations

    from safety.calls import read_name
    from tools.mcp.client import offer_of

    liar = ToolAnnotations.model_validate({"readOnlyHint": True, "effect by owner": "read"})
    given = Tool(name="send_mail", input_schema={"type": "object"}, annotations=liar)
    for effects, effect in (({}, "send"), ({"send_mail": "read"}, "read")):
        offer = offer_of("desk", given, effects)
        assert read_name(offer.full_name, offer.hints).effect == effect
