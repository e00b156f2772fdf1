"""A value that the agent holds, put into every way in and out: in no file of the home, no event, no
answer of the page."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.redaction import spellings
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import bash, call
from tests.rows import cases
from tests.screen import scripted
from tests.serving import Served, made_home
from tests.site import Asked, Page, site
from tools.browser.start import program

VALUE = "zebra-Crossing_42x"
FORMS = {name: text.encode() for name, text in spellings(VALUE).items()}
LONG = "# " + "x" * 110_000 + "\n"


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE_TOKEN", VALUE)


def places(home: Path) -> list[tuple[str, str]]:
    """Where in a home folder the value stands, in any of its forms."""
    files = [path for path in home.rglob("*") if path.is_file() and path.name != "config.yaml"]
    return [
        (str(path.relative_to(home)), name) for path in files for name in found(path.read_bytes())
    ]


def found(data: bytes) -> list[str]:
    return [name for name, form in FORMS.items() if form in data]


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """Yield an HTTP server on this machine: its address, and what it was asked."""
    asked: list[str] = []

    def answer(request: Asked) -> Page:
        asked.append(request.path + str(request.headers))
        return Page(
            f"<html><title>t</title><body><p>you asked {request.path}</p><input id=i></body></html>"
        )

    with site(answer) as port:
        yield f"http://127.0.0.1:{port}", asked


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def ended(all_events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (event["tool"], event["status"]) for event in all_events if event["type"] == "tool_ended"
    ]


def test_scripts_however_long_and_whatever_they_are_for(cli: CommandLine, home: Path) -> None:
    """They work all the same, also the one that is too long for one argument."""
    wide = "# " + "密" * 60_000 + "\n"
    fails = f"def f():\n    raise ValueError('{VALUE}')\nf()"
    scripted(
        home,
        [
            call(
                "code_run", type="python", script=f"# {VALUE}\nimport sys\nprint(1, sys.argv[1:])"
            ),
            call("code_run", type="python", script=f"{LONG}{wide}v = '{VALUE}'\nprint(len(v), v)"),
            call("code_run", type="python", script=fails),
            bash(f'{LONG}{wide}printf {VALUE} | wc -c; echo $# "$1"; exit 0\n'),
            bash(f"{LONG}cat <<'END'\n{VALUE}\nEND\nfalse"),
            call("code_run", type="python", script=f"{LONG}print('no secret')"),
            "done",
        ],
    )
    done = cli("run", "do it", "--approve", "all", "--events", "--no-rote")
    data = [event["data"] for event in events(done.stdout) if event["type"] == "tool_ended"]
    assert [each["exit_code"] for each in data] == [0, 0, 1, 0, 1, 0], data
    outputs = [each["output"] for each in data]
    assert outputs[:2] == ["1 []\n", "18 [MINE_TOKEN]\n"]
    assert "ValueError: [MINE_TOKEN]" in outputs[2] and "line 2, in f" in outputs[2]
    assert outputs[3:] == ["18\n0 \n", "[MINE_TOKEN]\n", "no secret\n"]
    assert (places(home), found(done.stdout.encode())) == ([], [])


def test_tools_that_send_type_keep_and_ask(
    cli: CommandLine, home: Path, server: tuple[str, list[str]], tmp_path: Path
) -> None:
    """Give the value to what is outside, since the owner has allowed it; what is kept and shown has
    its name."""
    at, asked = server
    notes = tmp_path / "notes"
    notes.mkdir()
    env = f"{{NOTES: {notes}, PYTHONPATH: {CHECKOUT}}}"
    desk = f"{{command: [{sys.executable}, {CHECKOUT / 'tests' / 'mcp_server.py'}, stdio], env: {env}}}"
    job = {"prompt": f"say {VALUE}", "schedule": "08:00"}
    scripted(
        home,
        [
            call(
                "mcp_call",
                server="desk",
                tool="write_note",
                args={"name": "a", "text": f"it is {VALUE}"},
            ),
            call("mcp_call", server="desk", tool="read_note", args={"name": "a"}),
            call("mcp_call", server="desk", tool="read_note", args={"name": VALUE}),
            call("web_fetch", url=f"{at}/a?key={VALUE}"),
            call("shell_run", script=f"echo {VALUE}"),
            call("shell_run", script="cat"),
            call("shell_keys", text=VALUE),
            call("shell_keys", keys="ctrl+d"),
            call("file_write", path="out.txt", content=VALUE),
            call("file_patch", path="out.txt", old=VALUE, new=f"{VALUE}!"),
            call("file_read", path="out.txt"),
            call("file_write", path=str(home / "schedule" / "a.json"), content=json.dumps(job)),
            call("update_working_checkpoint", key_info=f"the key is {VALUE}"),
            call("ask_user", question=f"Is it {VALUE}?", candidates=[VALUE, "no"]),
            f"done with {VALUE}",
        ],
        f"mcp: {{servers: {{desk: {desk}}}}}\nsafety: {{private_hosts: ['127.0.0.1']}}",
    )
    done = cli("run", f"use {VALUE} for it", "--approve", "all", "--events", "--no-rote")
    statuses = [status for _, status in ended(events(done.stdout))]
    assert statuses == ["ok", "ok", "error", *["ok"] * 8, "error", "ok"], ended(events(done.stdout))
    assert (notes / "a").read_text() == f"it is {VALUE}" and Path(
        "out.txt"
    ).read_text() == f"{VALUE}!"
    assert any(VALUE in request for request in asked)
    entry = json.loads(cli("inbox", "list", "--json").stdout)["inbox"][0]
    assert (entry["text"], entry["candidates"]) == ("Is it [MINE_TOKEN]?", ["[MINE_TOKEN]", "no"])
    after = cli("inbox", "answer", entry["id"], f"it is {VALUE}")
    assert after.stdout == "done with [MINE_TOKEN]\n"
    shown = cli("runs", "show", "last")
    for said in (done, after, shown):
        assert found((said.stdout + said.stderr).encode()) == []
    kept = [each for each in places(home) if not each[0].startswith("undo/")]  # the owner's file
    assert kept == []


@cases
def test_what_the_owner_types(cli: CommandLine, home: Path, words: list[str]) -> None:
    Path("how.md").write_text(f"# Steps\n\n1. `echo {VALUE} | wc -c`\n2. `echo done`\n")
    scripted(home, [])
    done = cli(*(word.replace("{value}", VALUE) for word in words))
    assert (places(home), found((done.stdout + done.stderr).encode())) == ([], []), done


@pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
def test_the_browser(cli: CommandLine, home: Path, server: tuple[str, list[str]]) -> None:
    at, _ = server
    scripted(
        home,
        [
            call("web_scan", url=f"{at}/a?key={VALUE}"),
            call(
                "web_execute_js",
                script=f"document.querySelector('#i').value = '{VALUE}'; return '{VALUE}'.length",
            ),
            call("web_execute_js", script="return document.querySelector('#i').value"),
            call("web_scan"),
            "done",
        ],
        "safety: {private_hosts: ['127.0.0.1']}",
    )
    done = cli("run", f"type {VALUE} at {at}", "--approve", "all", "--events", "--no-rote")
    assert [status for _, status in ended(events(done.stdout))] == ["ok"] * 4, done
    kept = [
        (place, name) for place, name in places(home) if not place.startswith("browser/")
    ]  # its own history
    assert (kept, found((done.stdout + done.stderr).encode())) == ([], [])


def test_the_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Look at answers and at what is attached to a message; the file itself stays as the owner has
    sent it."""
    folder = tmp_path_factory.mktemp("web")
    replies = [call("file_read", path="a.txt"), bash(f"echo {VALUE}"), f"It is {VALUE}."]
    with Served(made_home(folder, {"held": replies}), folder / "cwd") as served:
        site = served.sign_in()
        (folder / "cwd" / "a.txt").write_text(VALUE)
        sent = site.ask(
            "POST",
            "/api/uploads?name=key.txt",
            VALUE.encode(),
            {**site.browser(), "Content-Type": "application/octet-stream"},
        )
        run = site.begin(f"use {VALUE}", "held", files=[json.loads(sent.body)["id"]])
        site.ended(run)
        site.post("/api/schedule", {"when": "in 20 minutes", "task": f"use {VALUE}"})
        for path in (
            f"/api/runs/{run}", f"/api/runs/{run}/sent?turn=1", f"/api/conversations/{run}", "/api/conversations", "/api/runs",
            f"/api/runs/{run}/files/files/key.txt", "/api/inbox", "/api/schedule", "/api/state", "/api/doctor",
        ):  # fmt: skip
            answer = site.get(path)
            assert answer.status == 200 and found(answer.body) == [], path
        home = folder / "owner" / ".sopwith"
        assert [place for place, _ in places(home) if not place.endswith("/files/key.txt")] == []


@pytest.mark.parametrize(
    "settings",
    [
        "models: [{name: m, kind: openai, model: x, api_key: KEY}]",
        "models: [{name: m, kind: openai, model: x, base_url: 'http://me:KEY@127.0.0.1/v1'}]",
        "models: [{name: m, kind: openai, model: x, headers: {X-Api-Key: KEY}}]",
        "models: [{name: m, kind: openai, model: x, headers: {Authorization: ApiKey KEY}}]",
        "embeddings: {kind: openai, model: x, api_key: KEY}",
        "graph: {kind: neo4j, uri: 'bolt://127.0.0.1:1', user: u, password: KEY}",
        "redis: {url: 'redis://:KEY@127.0.0.1:1/0'}",
        "mcp: {servers: {s: {command: [x], env: {MY_TOKEN: KEY}}}}",
        "mcp: {servers: {s: {url: 'http://127.0.0.1:1', headers: {Authorization: Bearer KEY}}}}",
        "mcp: {servers: {s: {url: 'http://127.0.0.1:1', headers: {Cookie: KEY}}}}",
        "notify: {urls: ['ntfy://me:KEY@127.0.0.1/topic']}",
        "channels: {webhook: {url: 'https://me:KEY@127.0.0.1/x', secret: quagga-and-zebra, owner: me}}",
    ],
)
def test_each_setting_that_is_secret_is_held(settings: str, home: Path, cli: CommandLine) -> None:
    key = "quagga-nimbus"  # no shape gives it away
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(settings.replace("KEY", key), "utf-8")
    done = cli("safety", "redact", stdin=f"see {key} there\n")
    assert done.code == 0 and key not in done.stdout and done.stdout.startswith("see ")
