"""The first page: what works, waits, failed and is due, what was used, and what rote has saved; and
that it is quick."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.driving import bash
from tests.machine import slowness
from tests.serving import Served
from tests.window import NARROW, WIDE, Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RUNS = 5_000
NOW = datetime.now(UTC).replace(hour=12)
SOP = "largest-files"
SCRIPTS = {"slow": [bash("sleep 600"), "Done."]}


def lay(home: Path, cwd: Path) -> None:
    """Lay 5,000 runs: the oldest one was a model's, every third one was done by rote, two
    failed."""
    for number in range(RUNS - 1):
        how: dict[str, Any] = {"sop": SOP, "rote": True} if number % 3 == 0 else {}
        written(home, number, **how, status="failed" if number in (4, 5) else "done")
    written(home, RUNS - 1, sop=SOP)


def written(home: Path, number: int, **how: Any) -> str:
    """Return the log of one run, as the loop writes it; the first one is the newest."""
    at = NOW - timedelta(minutes=7 * number)
    run = f"{at:%Y%m%d-%H%M%S}-{number:05x}"
    rote, status = bool(how.get("rote")), how.get("status", "done")
    model, kind = ("rote", "rote") if rote else (("main", "local")[number % 2], "openai")
    tokens = {"input": 0, "cached": 0, "output": 0}
    if not rote:
        tokens = {"input": 2_000, "cached": 1_500, "output": 100}
    cost = 0.0 if rote else 0.01
    called = {"turn": 1, "model": model, "kind": kind, "seconds": 1.0, "tokens": tokens, "cost": cost, "reply": {"text": "ok", "calls": [], "finish": "stop", "only_reads": False}}  # fmt: skip
    started = {"task": f"task {number}", "session": "main", "home": str(home), "models": ["main"], "sop": how.get("sop"), "sop_version": 1, "cwd": str(home), "attended": False}  # fmt: skip
    ended = {"status": status, "result": "ok", "exit": "CURRENT_TASK_DONE", "turns": 1, "model_calls": int(not rote), "tokens": tokens, "cost": cost, "rote": rote, "seconds": 0.5 if rote else 4.0, "sop": how.get("sop")}  # fmt: skip
    if not rote:
        ended["by_model"] = {model: {"calls": 1, **tokens, "cost": cost}}
    step = {"sop": SOP, "version": 1, "step": "1", "state": "finished", "reason": ""}
    steps = [("rote", step)] if rote else []
    events = [("run_started", started), *steps, ("model_called", called), ("run_ended", ended)]
    folder = home / "runs" / run
    folder.mkdir(parents=True)
    lines = [
        json.dumps({"type": kind, "run": run, "at": f"{at:%Y-%m-%dT%H:%M:%S.000Z}", **fields})
        for kind, fields in events
    ]
    (folder / "log.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return run


@pytest.fixture(scope="module", autouse=True)
def _at_work(site: Served) -> None:
    site.post("/api/schedule", {"when": "every 30 minutes", "task": "Look at the disk"})
    site.begin("wait for me", "slow")


def test_overview_counts_all_runs_and_what_rote_saved(site: Served) -> None:
    site.until(
        lambda: [run["task"] for run in site.get("/api/state").json["working"]] == ["wait for me"]
    )
    shown = site.get("/api/overview?days=366").json
    by_rote = len(range(0, RUNS - 1, 3))
    assert sum(day["runs"] for day in shown["days"]) == RUNS + 1
    assert sum(day["rote"] for day in shown["days"]) == by_rote
    assert shown["failed"]["n"] == 2
    assert {run["task"] for run in shown["failed"]["runs"]} == {"task 4", "task 5"}
    assert shown["due"]["rows"][0]["task"] == "Look at the disk"
    assert shown["saved"] == {
        "sops": 1,
        "runs": by_rote,
        "tokens": by_rote * 2_100,
        "seconds": pytest.approx(by_rote * 3.5),
        "cost": pytest.approx(by_rote * 0.01),
    }
    models = {row["model"]: row for row in shown["models"]}
    assert models["main"]["calls"] + models["local"]["calls"] == RUNS - by_rote
    assert shown["sops"][0]["sop"] == SOP
    assert shown["sops"][0]["rote"] == by_rote
    assert shown["budget"]["scheduled_most"] == 10.0


def test_overview_of_thousands_of_runs_is_quick(site: Served) -> None:
    site.get("/api/overview")  # the index is there
    assert site.process is not None
    server = psutil.Process(site.process.pid)
    before = sum(server.cpu_times()[:2])
    for _ in range(5):
        assert site.get("/api/overview").status == 200
    assert (sum(server.cpu_times()[:2]) - before) / 5 < 0.5 * slowness()  # seconds of CPU


@pytest.mark.parametrize(("lang", "size", "theme"), [("en", WIDE, "light"), ("zh", NARROW, "dark")])
def test_first_page_is_the_overview(
    site: Served, browser: Browser, lang: str, size: tuple[int, int], theme: str
) -> None:
    window = Window(browser, site.origin, lang, size, theme)
    window.open(f"#token={site.token}").settled()
    window.find(".saved .tile").first.wait_for()
    window.picture("overview")
    window.find("table").last.scroll_into_view_if_needed()
    window.picture("overview-end")
    assert window.barriers() == []
    assert window.overflow() <= 0
    assert window.find(".now .failed b, .now .bad b").first.inner_text() == "2"
    window.find(".now .bad li a").first.click()
    window.find(".tiles").wait_for()
    window.close()
