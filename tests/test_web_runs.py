"""The page's runs on a real server: asked and answered, caught up with, steered, stopped, attached
to, survived."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from websockets.exceptions import ConnectionClosed

from memory.inbox import Inbox
from memory.logs import worker
from tests.conftest import CommandLine
from tests.driving import bash, call
from tests.machine import PATIENCE_SECONDS, Hold
from tests.serving import Served, made_home

HOLD = Hold()
SCRIPTS: dict[str, list[Any]] = {  # model → its replies
    "hello": ["hello"],
    "choose": [call("ask_user", question="Which one?", candidates=["a", "b"]), "Thank you."],
    "wait": [bash(HOLD.command), "Done after all."],
    "count": [call("file_read", path="a.txt"), bash("echo x >> count; sleep 60"), "Done."],
    "loud": [
        bash("for i in $(seq 60); do head -c 100000 /dev/zero | tr '\\0' x; echo; done"),
        "ok",
    ],
    "html": ["<b>hello</b>"],
}


def test_a_question_is_answered_in_place_or_later_in_the_inbox(site: Served) -> None:
    with site.tab() as tab:
        first = site.begin("choose one", "choose")
        asked = tab.until("asked_now")["asked"]
        assert (asked["text"], asked["candidates"]) == ("Which one?", ["a", "b"])
        site.post(f"/api/asked/{asked['id']}", {"answer": "a"})
        assert tab.until("answered")["text"] == "a"
        tab.until("run_ended", run=first)
        second = site.begin("choose one again", "choose")
        site.post(f"/api/asked/{tab.until('asked_now')['asked']['id']}", {"later": True})
        assert tab.until("run_ended", run=second)["status"] == "waiting"
        if "inbox" not in [each.get("what") for each in tab.told]:  # before the end, or behind it
            tab.until("changed", what="inbox")
        (entry,) = site.get("/api/inbox").json["inbox"]
        assert (entry["run"], entry["kind"], entry["text"]) == (second, "question", "Which one?")
        assert site.post(f"/api/inbox/{entry['id']}", {"decision": "answer", "text": "b"}).json == {
            "run": second
        }
        assert tab.until("run_ended", run=second)["status"] == "done"
    assert site.get("/api/inbox").json["inbox"] == []


def test_a_run_of_another_process_is_seen_live(site: Served, cli: CommandLine) -> None:
    with site.tab() as tab:
        assert cli("--home", str(site.home), "run", "say something", cwd=site.cwd).code == 0
        started = tab.until("run_started")
        assert tab.until("run_ended")["run"] == started["run"]
        assert tab.until("run_changed")["summary"]["status"] == "done"
    assert [message["type"] for message in tab.told].count("run_started") == 1


def test_what_is_said_meanwhile_reaches_the_run(site: Served) -> None:
    with site.tab() as tab:
        run = site.begin("wait for me", "wait")
        tab.until("tool_started")
        assert site.post("/api/chat", {"text": "more", "after": run}).status == 409
        assert site.post(f"/api/runs/{run}/steer", {"text": "hurry up"}).status == 204
        HOLD.release()
        assert tab.until("steered")["text"] == "hurry up"
        tab.until("run_ended")
    site.until(lambda: site.get("/api/state").json["working"] == [])
    assert site.post(f"/api/runs/{run}/steer", {"text": "too late"}).status == 409


def test_files_are_attached_and_images_shown_to_the_model(site: Served) -> None:
    headers = {**site.browser(), "Content-Type": "application/octet-stream"}
    image = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
    ids = [
        site.ask("POST", f"/api/uploads?name={name}", data, headers).json["id"]
        for name, data in (("a%20b.png", image), ("notes.txt", b"text"), ("notes.txt", b"other"))
    ]
    run = site.begin("look at these", files=ids)
    site.ended(run)
    shown = site.get(f"/api/runs/{run}").json
    assert {file["name"]: file["is_image"] for file in shown["files"]} == {
        "a b.png": True,
        "notes.txt": False,
        "notes-2.txt": False,
    }
    assert "notes-2.txt" in shown["events"][0]["task"]
    (user,) = [m for m in site.get(f"/api/runs/{run}/sent").json["messages"] if m["role"] == "user"]
    assert [Path(path).name for path in user["images"]] == ["a b.png"]
    answer = site.get(f"/api/runs/{run}/files/files/a%20b.png")
    assert (answer.headers["content-type"], answer.body) == ("image/png", image)
    assert site.post("/api/chat", {"text": "again", "files": ids}).status == 404


def test_what_is_too_large_is_said_so(site: Served) -> None:
    for text in ("x" * 5_000_000, "字" * 2_000_000):
        answer = site.post("/api/chat", {"text": text})
        assert (answer.status, answer.json["error"]["kind"]) == (413, "too_large")
    headers = {**site.browser(), "Content-Type": "application/octet-stream"}
    answer = site.ask("POST", "/api/uploads?name=x", b"x" * 50_000_001, headers)
    assert (answer.status, answer.json["error"]["kind"]) == (413, "too_large")
    run = site.begin("y" * 900_000)
    assert len(site.get(f"/api/runs/{run}").json["events"][0]["task"]) == 900_000


def test_killed_and_started_again_the_page_reconnects_and_the_run_goes_on(site: Served) -> None:
    """The server alone is killed: its run goes on by itself and is seen by the next server, with
    the same cookie."""
    with site.tab() as tab:
        run = site.begin("wait for me", "wait")
        tab.until("tool_started")
    port = site.port
    site.stop(signal.SIGKILL)
    site.start(port)
    assert site.get("/api/state").json["changes"] is True
    assert [each["run"] for each in site.get("/api/state").json["working"]] == [run]
    with site.tab(epoch=tab.hello["epoch"], seq=3) as again:
        assert again.hello["caught_up"] is False
        HOLD.release()
        assert again.until("run_ended")["result"] == "Done after all."


def test_a_run_that_was_killed_with_the_server_goes_on_where_it_was(site: Served) -> None:
    (site.cwd / "a.txt").write_text("a")
    with site.tab() as tab:
        run = site.begin("count once", "count")
        tab.until("tool_started", turn=2)
    pid = worker(site.home / "runs" / run)
    port = site.port
    site.stop(signal.SIGKILL)
    assert pid
    os.kill(pid, signal.SIGKILL)
    site.start(port)
    assert site.ended(run)["result"] == "Done."
    kinds = [each["type"] for each in site.get(f"/api/runs/{run}").json["events"]]
    assert kinds.count("run_resumed") == 1
    count = site.cwd / "count"  # nothing of a call that was cut off is real: done once, or told
    assert count.read_text() == "x\n" if count.exists() else "uncertain" in kinds


def test_a_second_server_of_this_home_says_where_the_first_one_is(
    site: Served, cli: CommandLine
) -> None:
    code, out, err = cli("--home", str(site.home), "serve", "--port", "0")
    assert (code, out) == (1, "")
    assert f"served already: {site.address}" in err
    assert site.token not in err


def test_a_taken_port_is_said_so(site: Served, cli: CommandLine) -> None:
    for lang, words in (
        ("en", f"Port {site.port} is taken"),
        ("zh", f"端口 {site.port} 已被别的程序占用"),
    ):
        code, _, err = cli("--lang", lang, "serve", "--port", str(site.port))
        assert code == 2
        assert words in err


def test_fifty_tabs_and_one_that_does_not_read(site: Served) -> None:
    """A tab that reads nothing is told to fetch anew, and nobody waits for it."""
    from contextlib import ExitStack

    with ExitStack() as open_tabs, site.tab() as slow:
        tabs = [open_tabs.enter_context(site.tab()) for _ in range(50)]
        run = site.begin("print a lot", "loud")
        for each in (slow, tabs[0]):
            each.send(type="watch", runs=[run])
        began = time.monotonic()
        for tab in tabs:
            tab.until("run_ended", run=run)
        assert time.monotonic() - began < 60
        assert site.get("/api/state").status == 200
        slow.until("run_ended")


MARKUP = (
    "<script>alert(1)</script>",
    "{{7*7}}",
    "\x00\x01\u202e",
    "' OR 1=1 --",
    "</textarea><img src=x onerror=1>",
)


def test_markup_in_every_field_stays_text(site: Served) -> None:
    """Get JSON back with the same characters; no answer is HTML."""
    task = "say " + " ".join(MARKUP)
    run = site.begin(task, "html")
    site.ended(run)
    paths = [
        f"/api/runs/{run}",
        "/api/conversations",
        "/api/runs?text=say",
        "/api/memory/search?q=say",
    ]
    for path in paths:
        answer = site.get(path)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("application/json")
    assert site.get(paths[0]).json["events"][0]["task"] == task
    for text in MARKUP:
        site.post("/api/tokens", {"name": text})
        assert site.get("/api/tokens").json["tokens"][-1]["name"] == text
        for path in (
            f"/api/runs/{quote(text)}",
            f"/api/sops/{quote(text, safe='')}",
            f"/api/memory/days/{quote(text, safe='')}",
        ):
            answer = site.get(path)
            assert answer.status in (404, 409)
            assert answer.headers["content-type"].startswith("application/json")


def test_errors_come_in_the_browsers_language(site: Served) -> None:
    chinese = {**site.browser(), "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}
    assert "没有运行" in site.ask("GET", "/api/runs/nix", headers=chinese).json["error"]["text"]
    shown = site.ask("GET", "/api/sops/largest-files", headers=chinese).json["parameters"]
    assert shown["properties"]["folder"]["description"] == "文件夹"
    assert "没有这个" in site.get("/api/errands/x?lang=zh").json["error"]["text"]
    assert "there is no run" in site.get("/api/runs/nix").json["error"]["text"]


def test_sops_are_verified_disabled_and_rolled_back(site: Served) -> None:
    with site.tab() as tab:
        assert site.post("/api/sops/find-files/disable").json["status"] == "archived"
        tab.until("changed", what="sops")
        assert site.post("/api/sops/find-files/enable").json["status"] == "active"
        history = site.get("/api/sops/find-files/history").json["history"]
        assert [version["status"] for version in history][:2] == ["active", "archived"]
        diff = site.get("/api/sops/find-files/diff").json["diff"]
        assert "-  sopwith-status: archived" in diff.replace('"', "").replace("'", "")
        errand = site.post("/api/sops/find-files/verify", {"values": {}}).json["errand"]
        done = tab.until("errand")
        while done["errand"]["state"] == "working":
            done = tab.until("errand")
        assert done["errand"]["id"] == errand
        assert site.get(f"/api/errands/{errand}").json["lines"]


def test_the_graph_grows_before_the_eyes_of_a_tab_that_shows_it(site: Served) -> None:
    with site.tab() as tab, site.tab() as other:
        tab.send(type="graph", filter={"predicates": ["PREFERS"]})
        assert tab.until("graph_snapshot")["edges"] == []
        site.ended(site.begin("My favourite drink is green tea."))
        site.until(lambda: site.get("/api/graph?predicates=PREFERS").json["edges"])
        site.ended(site.begin("My sister is Anna. Anna likes coffee."))
        while "Anna" not in json.dumps(tab.until("graph_patch")["patch"]):
            pass
        found = site.get("/api/graph?predicates=PREFERS").json
        assert "green tea" in json.dumps(found["nodes"])
        edge = found["edges"][0]["id"]
        assert "tea" in json.dumps(site.get(f"/api/graph/evidence/{edge}").json["turns"])
        assert site.get("/api/graph/neighbours?name=me").json["centre"]
        tab.send(type="select", what="graph", id=edge)
        assert other.until("selection_sync")["id"] == edge
    assert "graph_patch" not in [message["type"] for message in other.told]
    assert site.get("/api/graph?since=x").status == 409


def test_jobs_are_kept_shown_on_a_calendar_and_done_at_once(site: Served) -> None:
    """The scheduler lives in the server: what is run now is in the ledger, and the calendar knows
    what came of it."""
    shown = site.post("/api/schedule/preview", {"when": "every weekday 08:00"}).json
    assert (shown["said"], len(shown["next"])) == ("every weekday at 08:00", 5)
    assert site.post("/api/schedule/preview", {"when": "when pigs fly"}).status == 422
    with site.tab() as tab:
        kept = site.post("/api/schedule", {"when": "every weekday 08:00", "task": "say hello"}).json
        tab.until("changed", what="schedule")
        listed = site.get("/api/schedule").json
        assert [job["id"] for job in listed["jobs"]] == [kept["id"]]
        site.until(lambda: site.get("/api/schedule").json["is_on"])
        begun = site.post(f"/api/schedule/{kept['id']}/run-now").json["errand"]
        done = tab.until("errand")
        while done["errand"]["state"] == "working":
            done = tab.until("errand")
        assert done["errand"]["id"] == begun
    (row,) = site.get(f"/api/schedule/{kept['id']}/history").json["rows"]
    assert (row["state"], row["job"]) == ("done", kept["id"])
    talks = site.get("/api/conversations").json["conversations"]
    assert row["run"] not in [run for each in talks for run in each["runs"]]
    states = [due["state"] for due in site.get("/api/schedule/calendar").json["due"]]
    assert states[0] == "done"
    assert states.count("coming") > 15
    assert site.get("/api/schedule/calendar?from=x").status == 409
    for verb in ("disable", "enable", "remove"):
        assert site.post(f"/api/schedule/{kept['id']}/{verb}").status == 200
    assert site.get("/api/schedule").json["jobs"] == []
    assert site.post("/api/schedule/nix/run-now").status == 404


def test_nobody_at_the_page_means_the_inbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, where the time until nobody is there can be short: the rest is the real
    thing."""
    import asyncio

    import config
    from ui.web import site as site_module
    from ui.web.access import Access, Place
    from ui.web.site import Site

    monkeypatch.setattr(site_module, "AWAY_SECONDS", 0.05)
    home = made_home(tmp_path / "away", [call("ask_user", question="Which one?"), "Thanks."])
    settings = config.load(home, "en", dict(os.environ))

    async def ask_with_nobody_there() -> str:
        place = Place("127.0.0.1:1", frozenset(), 1)
        here = Site(settings, Access(home / "web"), place, home, "0")
        run = await here.work.begin(
            {"do": "start", "task": "choose", "options": {"cwd": str(tmp_path)}}
        )
        while run in here.work.children:
            await asyncio.sleep(0.02)
        return run

    run = asyncio.run(asyncio.wait_for(ask_with_nobody_there(), 20))
    assert [entry.run for entry in Inbox(home).list()] == [run]


def test_ctrl_c_ends_it_and_the_tabs_know(site: Served) -> None:
    """The last one: nothing is served behind it."""
    with site.tab() as tab:
        stopping = threading.Thread(target=site.stop)
        stopping.start()
        with pytest.raises(ConnectionClosed) as closed:
            tab.until("never")
        stopping.join(PATIENCE_SECONDS)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012
    assert site.process is not None
    assert site.process.returncode == 0
    assert json.loads((site.home / "web" / "access.json").read_text())
