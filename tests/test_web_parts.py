"""Parts of the page's server by themselves: what is asked of the owner, what its errors say, how little it costs idle."""

from __future__ import annotations

import ast
import contextlib
import json
import queue
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from handler import Confirmation
from models.base import Event
from tests.conftest import CHECKOUT
from tests.machine import PATIENCE_SECONDS
from tests.serving import Served, made_home
from ui import words
from ui.web.live.child import Line, PageOwner

CHINESE = re.compile("[\u4e00-\u9fff]")


class Heard(Line):
    """The line to a server that answers each question."""

    def __init__(self, said: dict[str, Any] | None) -> None:
        super().__init__()
        self.said, self.events = said, list[Event]()
        self.words: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def show(self, event: Event) -> None:
        self.events.append(event)
        if event["type"] == "asked_now":
            self.words.put({"id": "of another question", "answer": "no"})
            self.words.put(self.said and {"id": event["asked"]["id"], **self.said})


def owner(said: dict[str, Any] | None) -> PageOwner:
    line = Heard(said)
    return PageOwner(line, line.words)


def test_a_secret_is_asked_for_and_stands_in_no_event() -> None:
    here = owner({"answer": "correct horse"})
    assert here.secret("The password of the router?") == "correct horse"
    assert isinstance(here.line, Heard)
    assert [event["type"] for event in here.line.events] == ["asked_now", "asked_over"]
    assert here.line.events[0]["asked"]["kind"] == "secret"
    assert "correct horse" not in json.dumps(here.line.events)


CALL = Confirmation("r.1", "code_run", {"script": "rm x"}, "deletes", "delete", "script: rm x")


@pytest.mark.parametrize("said", [None, {"later": True}, {"decision": "sure"}, {"answer": "yes"}])
def test_what_is_no_clear_word_allows_nothing(said: dict[str, Any] | None) -> None:
    assert owner(said).confirm(CALL) is None


def test_once_the_server_is_gone_nobody_is_asked_again() -> None:
    here = owner(None)
    assert here.ask("r.1", "which?", []) is None
    assert here.confirm(CALL) is None
    assert isinstance(here.line, Heard)
    assert len(here.line.events) == 2


SAYS_A_LOT = """
import pathlib, sys
from ui.web.live.child import Line
line = Line()
for number in range(500):
    line.show({"type": "text", "delta": "x" * 4_000, "n": number})
pathlib.Path(sys.argv[1]).touch()
"""


def test_a_run_goes_on_when_nobody_reads_what_it_says(tmp_path: Path) -> None:
    """The line is broken in the middle of a run: the rest is lost and nothing is raised."""
    command = [sys.executable, "-W", "error", "-c", SAYS_A_LOT, str(tmp_path / "done")]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.read(100)
        run.stdout.close()
        assert run.wait(PATIENCE_SECONDS) == 0
    assert (tmp_path / "done").exists()


def test_every_error_of_the_page_has_its_words() -> None:
    """tests/test_errors.py looks at the folders of the product; the page lies one deeper."""
    words.use("zh")
    try:
        missing = []
        for path in sorted((CHECKOUT / "ui" / "web").rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                    missing += [
                        (path.name, line)
                        for line in lines(node.exc.args[0])
                        if not CHINESE.search(words.in_words(line))
                    ]
                if (
                    isinstance(node, ast.Call)
                    and ast.unparse(node.func) == "found"
                    and len(node.args) == 2
                ):
                    missing += [
                        (path.name, line)
                        for line in lines(node.args[1])
                        if not CHINESE.search(words.in_words(line))
                    ]
        assert missing == []
    finally:
        words.use("en")


def lines(said: ast.expr) -> list[str]:
    """The lines that an error says, each blank as x1; none of what is worked out elsewhere."""
    if isinstance(said, ast.Constant) and isinstance(said.value, str):
        text = said.value
    elif isinstance(said, ast.JoinedStr):
        text = "".join(
            str(part.value) if isinstance(part, ast.Constant) else "x1" for part in said.values
        )
    else:
        return []
    return [line for line in text.split("\n") if " " in line]


def test_an_idle_server_is_small_and_quiet(tmp_path: Path) -> None:
    """With a tab open and nothing to do. The bounds leave room for a busy machine; docs/web.md has the figures."""
    with Served(made_home(tmp_path / "idle", ["hello"]), tmp_path) as site:
        site.sign_in()
        with site.tab():
            assert site.process is not None
            process = psutil.Process(site.process.pid)

            def rests() -> bool:
                began, used = time.monotonic(), sum(process.cpu_times()[:2])
                time.sleep(0.5)
                return (sum(process.cpu_times()[:2]) - used) / (time.monotonic() - began) < 0.2

            site.until(rests)
            assert process.memory_info().rss < 160_000_000


def test_a_full_disk_is_said_so(small_disk: Path) -> None:
    """Uploads and notes fail with a line; what is there can still be read."""
    home = made_home(small_disk, ["hello"])
    with Served(home, small_disk / "cwd") as site:
        site.sign_in()
        headers = {**site.browser(), "Content-Type": "application/octet-stream"}
        answer = site.ask("POST", "/api/uploads?name=large", b"x" * 6_000_000, headers)
        assert (answer.status, answer.json["error"]["kind"]) == (500, "failed")
        assert "No space left" in answer.json["error"]["text"]
        assert list((home / "web" / "uploads").iterdir()) == []
        with (
            contextlib.suppress(OSError),
            (small_disk / "filler").open("wb", buffering=0) as filler,
        ):
            while filler.write(b"x" * 4_096):
                pass
        answer = site.post("/api/chat", {"text": "say hello"})
        assert answer.status == 409
        assert "Free some space" in answer.json["error"]["text"]
        assert site.get("/api/runs").status == 200
    assert "Traceback" not in site.errors.read_text()
