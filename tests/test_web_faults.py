"""The page keeps what it is told and shows what there is: words that come late, searches, busy
calendars, totals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import CommandLine
from tests.driving import bash
from tests.scripted_server import Answer, ScriptedServer
from tests.serving import Served, made_home
from tests.window import Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SLOW_ANSWER = "A long answer that takes its time to be written down. " * 4
SCRIPTS: dict[str, list[Any]] = {
    "quick": ["Good."],
    "working": [bash("echo begun; sleep 60"), "Done."],
    "remove": [bash("rm -r old && echo once >> removed", "I would remove it."), "It is gone."],
}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ScriptedServer]:
    """Yield a model that writes slowly first, and then at once."""
    slow = Answer(SLOW_ANSWER, split=60, drip=0.15)
    with ScriptedServer([slow, Answer("Heard you: tea.")]) as server:
        yield server


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, endpoint: ScriptedServer) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("faults")
    home = made_home(folder, SCRIPTS)
    settings = (home / "config.yaml").read_text("utf-8")
    model = f"{{name: streams, kind: openai, protocol: chat, model: o, base_url: '{endpoint.base_url}'}}"
    (home / "config.yaml").write_text(settings.replace("models:", f"models:\n  - {model}", 1))
    with Served(home, folder / "cwd") as served:
        yield served.sign_in()


def _send(window: Window, text: str, model: str = "") -> None:
    if model:
        window.page.get_by_role("combobox", name="Model").select_option(model)
    window.find("#composer").fill(text)
    window.page.keyboard.press("Enter")


def test_words_said_while_the_last_answer_streams_become_the_next_task(
    window: Window, site: Served
) -> None:
    _send(window, "write me something", "streams")
    window.find(".markdown", has_text="A long answer").wait_for()
    _send(window, "and make me tea")
    window.find(".markdown", has_text="Heard you: tea.").wait_for()
    window.expect(window.find(".run")).to_have_count(2)
    assert "and make me tea" in window.find(".run .bubble").nth(1).inner_text()
    newest, first = site.get("/api/runs?limit=2").json["runs"]
    opening = site.get(f"/api/runs/{newest['run']}").json["events"][0]
    assert opening["previous"] == [first["run"]]


def test_a_second_answer_by_rote_is_drawn_once(window: Window, site: Served) -> None:
    for number in (1, 2, 3):
        _send(window, f"find files named *{number}.txt in {site.cwd}")
        window.expect(window.find(".closing")).to_have_count(number)
    window.page.wait_for_timeout(1500)  # longer than a look at the folder of runs takes
    window.expect(window.find(".run")).to_have_count(3)
    for number in range(3):
        run = window.find(".run").nth(number)
        window.expect(run.locator(".line.rote")).to_have_count(1)
        window.expect(run.locator(".markdown")).to_have_count(1)


def test_the_totals_of_a_run_that_works_are_those_of_its_turns(
    window: Window, site: Served
) -> None:
    run = site.begin("take your time", "working")
    window.go(f"runs/{run}")
    window.find(".tailing", has_text="begun").wait_for()
    window.expect(window.find(".tiles")).to_contain_text("1")
    shown = window.find(".tiles .tile").first.inner_text()
    assert shown.split()[0] == "1"
    window.go("runs")
    window.expect(window.find(".row", has_text="take your time").first).to_contain_text("1 turn")
    site.post(f"/api/runs/{run}/stop", {})
    site.ended(run)


def test_a_job_every_five_minutes_hides_no_other(window: Window, site: Served) -> None:
    site.post("/api/schedule", {"when": "every 5 minutes", "task": "look at the door"})
    site.post("/api/schedule", {"when": "every day 23:58", "task": "lock the gate"})
    now = datetime.now(UTC)
    span = {"from": now.isoformat(), "to": (now + timedelta(days=30)).isoformat()}
    found = site.get(f"/api/schedule/calendar?from={span['from'][:19]}Z&to={span['to'][:19]}Z").json
    by_job: dict[str, int] = {}
    for row in found["due"]:
        by_job[row["job"]] = by_job.get(row["job"], 0) + 1 + row.get("more", 0)
    rare, often = sorted(by_job.values())
    assert rare in (30, 31) and 8600 <= often <= 8640 and not found["is_cut"]
    assert len(found["due"]) < 600
    window.go("schedule").settled()
    window.find(".agenda", has_text="more times, the last at").wait_for()
    later = window.find(".grid .day:not(.other)").last
    later.click()
    window.expect(window.find(".agenda")).to_contain_text("23:58")


def _asks_to_remove(site: Served) -> str:
    """Return a run that asks whether it may remove a folder."""
    (site.cwd / "old").mkdir(exist_ok=True)
    (site.cwd / "old" / "letter.txt").write_text("Dear Anna\n", "utf-8")
    return site.begin("tidy up here", "remove")


PRESS_TWICE = """() => { const yes = document.querySelector('.asked .primary'); yes?.click(); yes?.click(); }"""


def test_a_yes_that_is_pressed_twice_in_two_tabs_is_done_once(
    browser: Browser, site: Served
) -> None:
    tabs = [Window(browser, site.origin).enter(site.token) for _ in range(2)]
    run = _asks_to_remove(site)
    for tab in tabs:
        tab.go(f"chat/{run}").find(".asked.confirmation").wait_for()
    for tab in tabs:
        tab.page.evaluate(PRESS_TWICE)
    assert site.ended(run)["result"] == "It is gone."
    for tab in tabs:
        tab.expect(tab.find(".asked")).to_have_count(0)
        tab.faults = [each for each in tab.faults if "404" not in each]  # of the later press
        tab.close()
    assert (site.cwd / "removed").read_text("utf-8") == "once\n"


def test_a_yes_after_its_run_was_stopped_does_nothing_and_says_so(
    window: Window, site: Served, cli: CommandLine
) -> None:
    run = _asks_to_remove(site)
    asked = site.until(lambda: site.get("/api/state").json["waiting"])[0]["id"]
    site.post(f"/api/asked/{asked}", {"later": True})
    (entry,) = site.until(lambda: site.get("/api/inbox").json["inbox"])
    window.go("inbox").find(".asked.confirmation").wait_for()
    window.page.route("**/api/inbox", lambda route: route.abort())  # the tab hears of nothing
    assert cli("--home", str(site.home), "runs", "cancel", run).code == 0
    window.button("Yes, this once").click()
    window.find(".toast.error", has_text="answered already, or its run has ended").wait_for()
    for path in (f"/api/asked/{asked}", f"/api/inbox/{entry['id']}"):
        body = {"decision": "once" if "asked" in path else "approve"}
        assert site.post(path, body).status == 404
    assert (site.cwd / "old" / "letter.txt").exists()
    assert site.get(f"/api/runs/{run}").json["run"]["status"] == "cancelled"
    window.faults.clear()  # what was cut off, and the 404


@pytest.fixture
def talked(site: Served, cli: CommandLine) -> None:
    file = site.cwd / "talk.jsonl"
    if file.exists():
        return
    at = datetime.now(UTC).isoformat()
    kin = {"brother": "Carl", "mother": "Ruth", "cousin": "Bertha", "dog": "Rex"}
    texts = [f"My {who} is {name}." for who, name in kin.items()]
    texts.append("My sister is Anna. Anna lives in Berlin.")
    rows = [
        {"id": f"t{n}", "at": at, "who": "owner", "text": text, "session": "main"}
        for n, text in enumerate(texts)
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    assert cli("--home", str(site.home), "memory", "import", str(file)).code == 0


def test_the_search_of_the_graph_asks_the_server(
    window: Window, site: Served, talked: None
) -> None:
    asked: list[str] = []
    window.page.on("request", lambda each: asked.append(each.url))
    window.go("graph").settled()
    window.page.wait_for_timeout(500)  # its socket has told the version that is shown
    assert len([url for url in asked if "/api/graph?" in url]) == 1
    window.find(".filters [type=search]").fill("Anna")
    with window.page.expect_request(lambda asked: "/api/graph/neighbours?name=Anna" in asked.url):
        window.page.keyboard.press("Enter")
    window.find(".filters [type=search]").fill("Berlin")
    with window.page.expect_request(lambda asked: "name=Berlin" in asked.url):
        window.button("Search").click()
    found = site.get("/api/graph/neighbours?name=Anna&predicates=PREFERS").json
    assert found["edges"] == []


def test_the_page_says_how_many_relations_it_shows(
    window: Window, site: Served, talked: None
) -> None:
    def fewer(route: Any) -> None:
        answer = route.fetch(url=route.request.url.replace("limit=400", "limit=3"))
        route.fulfill(response=answer)

    total = site.get("/api/graph?limit=5000").json["total"]
    window.page.route("**/api/graph?*limit=400*", fewer)
    window.go("graph")
    window.find(".graph-tools", has_text="the strongest 3 of ").wait_for()
    window.button("Show more").click()
    window.find(".graph-tools").wait_for()
    window.expect(window.find("summary", has_text="as a list")).not_to_contain_text("(3)")
    assert total > 3


def test_a_name_of_the_graph_is_corrected_on_the_page(
    window: Window, site: Served, talked: None
) -> None:
    window.go("graph").settled()
    window.find("summary", has_text="as a list").click()
    window.find(".rows .row", has_text="Bertha").first.click()
    window.find(".graph-side h2 button", has_text="Bertha").click()
    window.page.get_by_label("Name", exact=True).fill("Berta")
    window.picture("graph-name")
    assert window.barriers() == []
    window.button("Save the name").click()
    window.find(".rows .row", has_text="Berta").first.wait_for()
    assert "Bertha" not in str(site.get("/api/graph").json["nodes"])
