"""Parts of the page's server by themselves: what is asked of the owner, what its errors say, how
little it costs idle."""

from __future__ import annotations

import ast
import contextlib
import re
import time
from pathlib import Path

import psutil

from config import load
from tests.conftest import CHECKOUT
from tests.serving import Served, made_home
from ui.web.filter import Filter

CHINESE = re.compile("[\u4e00-\u9fff]")


def test_what_is_not_found_has_its_key() -> None:
    """tests/test_errors.py looks at what is raised; `found` of the page raises the text that it is
    handed."""
    said = [
        ast.unparse(node.args[1])
        for path in sorted((CHECKOUT / "ui" / "web").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "found"
    ]
    assert len(said) > 5
    assert [text for text in said if not text.startswith("Message('error.")] == []


def test_what_is_sent_again_is_looked_at_for_secrets_once(tmp_path: Path) -> None:
    clean = Filter(load(tmp_path, "en", {}), {"page token": "kR7vQ2mXw9ZpL4tB"})
    said = [{"id": "e-1", "text": "it is kR7vQ2mXw9ZpL4tB"}]
    assert clean(said) == clean(said) == [{"id": "e-1", "text": "it is [page token]"}]
    assert clean.seen.cache_info().misses == 4


def test_an_idle_server_is_small_and_quiet(tmp_path: Path) -> None:
    """With a tab open and nothing to do. The bounds leave room for a busy machine; docs/web.md has
    the figures."""
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
