"""The page in a real Chromium: teaching and editing SOPs, the settings, branches and names of
conversations, finding."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests.driving import bash
from tests.hooks import Hook
from tests.machine import PATIENCE_SECONDS
from tests.serving import Served
from tests.window import NARROW, Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

SORT = bash("sort names.txt > sorted-names.txt; wc -l < sorted-names.txt", "I sort.")
SCRIPTS: dict[str, list[Any]] = {"sort": [SORT, "Sorted."], "talk": ["An answer."]}
SERVER = [sys.executable, str(Path(__file__).parent / "mcp_server.py"), "stdio"]
SETTINGS = f"mcp: {{servers: {{desk: {{command: {json.dumps(SERVER)}}}}}}}"


def lay(home: Path, cwd: Path) -> None:
    """Lay what is there before the server starts."""
    for name, text in (("names.txt", "b\na\n"), ("other.txt", "x\nd\nc\n")):
        (cwd / name).write_text(text, "utf-8")


def card(window: Window, title: str) -> Locator:
    return window.find("section.card", has_text=title)


def taught(window: Window, site: Served) -> None:
    """Teach sort-list from a run, with other values that the owner has looked at."""
    run = site.begin("sort the list names.txt", "sort")
    assert site.ended(run)["status"] == "done"
    window.go(f"runs/{run}").find("a", has_text="Make an SOP of it").click()
    first = card(window, "1. What is to be learned?")
    first.locator("input").first.fill("sort-list")
    first.get_by_label("How will you ask for it?").fill("sort the list names.txt")
    first.get_by_role("button", name="Look at it").click()
    window.find(".vary input[type=checkbox]:checked").wait_for()
    window.find(".vary").get_by_label("Name for names.txt").fill("list")
    window.button("Try again").click()
    window.find("mark", has_text="list").first.wait_for()
    card(window, "4. Tried with the same values").get_by_text("The run has already done").wait_for()
    window.find(".btn[aria-busy=true]").first.wait_for(state="detached")
    others = card(window, "5. Try it with other values")
    others.get_by_role("textbox", name="list").fill("other.txt")
    others.get_by_role("button", name="Try these").click()
    others.locator(".would", has_text="sorted-other.txt").wait_for()
    assert not (site.cwd / "sorted-other.txt").exists(), "it was tried on a copy"
    others.get_by_label("That is right").check()
    window.picture("teach")
    assert window.barriers() == []
    card(window, "6. Store it").wait_for()
    window.button("Teach it").click()
    window.button("Open it").click()
    window.find("h1", has_text="sort-list").wait_for()


def test_teaching_says_what_to_do_while_there_is_no_run(window: Window) -> None:
    window.go("teach").find("p", has_text="No run has ended well yet").wait_for()
    window.expect(window.find("main select")).to_have_count(0)


def test_sop_is_taught_edited_compared_renamed_and_removed(window: Window, site: Served) -> None:
    taught(window, site)
    assert site.get("/api/sops/sort-list").json["status"] == "probation"
    window.button("Run").click()
    window.find("dialog").get_by_role("textbox", name="list").fill("other.txt")
    window.find("dialog").get_by_role("button", name="Run").click()
    window.find(".closing", has_text="by rote, no model asked").wait_for()
    assert (site.cwd / "sorted-other.txt").read_text("utf-8") == "c\nd\nx\n"

    window.go("sops/sort-list/edit").find(".sop-form").wait_for()
    window.page.get_by_label("How it is asked for").fill("sort the list {list}\norder {list}")
    window.button("Store as a new version").click()
    window.find("[role=tab][aria-selected=true]", has_text="Steps").wait_for()
    assert site.get("/api/sops/sort-list").json["wordings"] == [
        "sort the list {list}",
        "order {list}",
    ]
    window.go("sops/sort-list/edit").find(".sop-form").wait_for()
    window.page.get_by_label("New files").fill("{half a json")
    window.button("Store as a new version").click()
    window.find(".toast", has_text="not valid JSON").wait_for()
    window.go("sops/sort-list/versions").find(".versions .card").nth(1).wait_for()
    window.page.get_by_label("Compare").select_option(index=2)
    window.page.get_by_label("with").select_option(index=1)
    window.find(".diff .plus", has_text="order {list}").first.wait_for()
    window.go("sops/sort-list/curve").find(".chart .bar").first.wait_for()

    window.button("Verify").click()
    window.find("dialog").get_by_role("button", name="Verify").click()
    window.find(".errand.done").wait_for()
    window.button("Rename").click()
    window.find("dialog input").fill("order-list")
    window.find("dialog").get_by_role("button", name="Rename").click()
    window.find("h1", has_text="order-list").wait_for()
    zipped = site.get("/api/sops/order-list/export")
    assert (zipped.status, zipped.body[:2]) == (200, b"PK")
    window.button("Remove").click()
    window.find("dialog").get_by_role("button", name="Remove").click()
    window.find(".empty.big").wait_for()
    assert site.get("/api/sops/order-list").status == 404
    window.faults = [each for each in window.faults if "404" not in each]  # asked for while it went


def test_sop_is_scheduled_with_its_values(window: Window, site: Served) -> None:
    window.go("sops/largest-files").find(".page-head").get_by_role(
        "button", name="Schedule"
    ).click()
    dialog = window.find("dialog")
    dialog.get_by_label("When").fill("every day 23:58")
    dialog.get_by_role("textbox", name="folder").fill(str(site.cwd))
    dialog.locator("[role=status]").wait_for()
    dialog.get_by_role("button", name="Add a job").click()
    window.find(".jobs .card", has_text="largest-files").wait_for()
    (file,) = (site.home / "schedule").glob("*.json")
    kept = json.loads(file.read_text("utf-8"))
    assert (kept["sop"], kept["parameters"]) == ("largest-files", {"folder": str(site.cwd)})


def test_steps_of_the_studio_are_numbered_without_a_gap(window: Window) -> None:
    window.go("teach").find("[role=tab]", has_text="From a text").click()
    window.find("form input").first.fill("list-all")
    window.find("form textarea").fill("#!/bin/bash\nls\n")
    window.button("Look at it").click()
    window.find(".teach h2", has_text="Store it").wait_for()
    numbers = [title[0] for title in window.find(".teach .card h2").all_inner_texts()]
    assert numbers == [str(n + 1) for n in range(len(numbers))]


def test_text_that_cannot_be_learned_says_why(window: Window) -> None:
    window.go("teach").find("[role=tab]", has_text="From a text").click()
    window.find("form input").first.fill("nothing")
    window.find("form textarea").fill("Just think about it.")
    window.button("Look at it").click()
    window.find(".notice.bad[role=alert]").wait_for()
    window.faults = [each for each in window.faults if "422" not in each]


def test_settings_are_changed_tested_and_corrected(window: Window, site: Served) -> None:
    settings = site.home / "config.yaml"
    window.go("settings/models").find(".entries", has_text="talk").wait_for()
    window.find(".entries li", has_text="talk").get_by_role("button", name="Test").click()
    window.find(".errand pre").wait_for()
    window.button("Add a model").click()
    for number, text in enumerate(("local", "qwen3", "http://127.0.0.1:1/v1")):
        window.find("dialog input").nth(number).fill(text)
    window.find("dialog").get_by_role("button", name="Save").click()
    window.find(".entries li", has_text="qwen3").wait_for()
    models = window.go("chat").page.get_by_role("combobox", name="Model")
    window.expect(models).to_contain_text("local")
    window.go("settings/approvals").page.get_by_label("installing programs").uncheck()
    window.find(".toast", has_text="safety.confirm").wait_for()
    limit = window.page.get_by_label("Turns")
    limit.fill("12")
    limit.blur()
    window.find(".toast", has_text="limits.turns").wait_for()
    window.go("settings/mcp").find(".tool-row").first.wait_for()
    row = window.find(".tool-row").first
    name = row.locator(".mono").inner_text().partition(".")[2]
    row.get_by_role("combobox").select_option("send")
    window.find(".toast", has_text="effects").wait_for()
    kept = yaml.safe_load(settings.read_text("utf-8"))
    assert kept["models"][-1] == {"name": "local", "kind": "openai", "model": "qwen3", "base_url": "http://127.0.0.1:1/v1"}  # fmt: skip
    assert kept["safety"]["confirm"] == ["delete", "send", "spend"]
    assert kept["limits"]["turns"] == 12
    assert kept["mcp"]["servers"]["desk"]["effects"] == {name: "send"}
    listed = site.get("/api/mcp").json["servers"][0]["tools"]
    assert next(each["effect"] for each in listed if each["name"] == f"desk.{name}") == "send"


def test_notices_are_set_and_tried_out(window: Window) -> None:
    with Hook() as hook:
        window.go("settings/notify").page.get_by_label("Addresses").fill(
            f"json://127.0.0.1:{hook.port}/"
        )
        window.button("Save").first.click()
        window.find("p", has_text="1 address is set.").wait_for()
        window.button("Test").click()
        window.find(".errand.done").wait_for()
    assert len(hook.got) == 1


def test_program_may_not_change_the_settings(site: Served) -> None:
    token = site.post("/api/tokens", {"name": "p", "changes": True}).json["token"]
    headers = {
        "Authorization": f"Bearer {token}",
        "X-Sopwith": "1",
        "Content-Type": "application/json",
    }
    body = b'{"key": "safety.confirm", "value": []}'
    assert site.ask("POST", "/api/settings", body, headers).status == 409
    assert site.post("/api/settings", {"key": "channels.telegram", "value": {}}).status == 404
    assert site.post("/api/settings", {"key": "limits.turns", "value": 0}).status == 422


def test_message_is_edited_and_sent_again_as_a_branch(window: Window, site: Served) -> None:
    first = site.begin("first question", "talk")
    site.ended(first)
    second = site.post(
        "/api/chat", {"text": "second question", "after": first, "model": "talk"}
    ).json["run"]
    site.ended(second)
    window.go(f"chat/{second}").find(".run", has_text="second question").wait_for()
    window.find(".run", has_text="second question").get_by_role("button", name="Edit").click()
    window.find(".notice.branch").wait_for()
    field = window.find("#composer")
    assert field.input_value() == "second question"
    field.fill("better question")
    window.page.get_by_role("combobox", name="Model").select_option("talk")
    window.page.keyboard.press("Enter")
    window.find(".run", has_text="better question").wait_for()
    window.expect(window.find(".run")).to_have_count(2)
    window.expect(window.find(".thread")).not_to_contain_text("second question")
    titles = [each["runs"] for each in site.get("/api/conversations").json["conversations"]]
    branch = next(runs for runs in titles if runs[0] == first and second not in runs)
    assert [first, second] in titles
    assert len(branch) == 2


def test_conversations_are_named_pinned_searched_and_deleted(window: Window, site: Served) -> None:
    for task in ("about the harbour", "about the lighthouse"):
        site.ended(site.begin(task, "talk"))
    window.go("chat").find(".talks > li").nth(1).wait_for()

    def chosen(title: str, what: str) -> None:
        row = window.find(".talks > li", has_text=title)
        row.locator("summary").click()
        row.get_by_role("button", name=what, exact=True).click()

    chosen("harbour", "Rename")
    window.find("dialog input").fill("The old port")
    window.find("dialog").get_by_role("button", name="Rename").click()
    chosen("The old port", "Pin")
    window.expect(window.find(".talks > li").first).to_contain_text("The old port")
    listed = site.get("/api/conversations?limit=1").json
    assert [each["title"] for each in listed["conversations"]] == ["The old port"]
    assert listed["more"]
    window.picture("conversations")
    assert window.barriers() == []
    window.page.get_by_placeholder("Search conversations").fill("lighthouse")
    window.expect(window.find(".talks > li")).to_have_count(1)
    chosen("lighthouse", "Delete")
    window.find("dialog").get_by_role("button", name="Delete").click()
    window.find(".side .empty", has_text="No conversation has these words").wait_for()


def test_all_is_found_by_one_key(window: Window, site: Served) -> None:
    site.ended(site.begin("water the tomatoes", "talk"))
    window.go("settings/models").settled()
    window.page.keyboard.press("Control+k")
    window.find(".palette input").fill("tomatoes")
    window.find(".palette li", has_text="water the tomatoes").first.wait_for()
    assert window.barriers() == []
    window.page.keyboard.press("Enter")
    window.find(".run", has_text="water the tomatoes").wait_for()
    window.page.keyboard.press("Control+k")
    window.find(".palette input").fill("clean-old")
    window.find(".palette li", has_text="clean-old-files").wait_for()
    window.page.keyboard.press("Enter")
    window.find("h1", has_text="clean-old-files").wait_for()


def test_each_name_of_a_large_graph_has_a_place_and_keeps_it(window: Window) -> None:
    """None lies on another; what is there already stays when something is added."""
    window.open("overview").settled()
    far, moved, seconds = window.page.evaluate(PLACED)
    assert (far, moved) == (1_000, 0)
    assert seconds < PATIENCE_SECONDS / 10


PLACED = """async () => {
  const { placed } = await import('/assets/lib/drawing.js');
  const ids = [...Array(1000).keys()];
  const edges = ids.slice(1).flatMap((n) => [[n, 0], [n, n * 7 % 31]]).map(([a, b]) => ({ source: `${a}`, target: `${b}` }));
  const nodes = ids.map((n) => ({ id: `${n}`, degree: n < 31 ? 40 : 2 }));
  const start = performance.now();
  const places = placed(nodes, edges, () => undefined, 1.5);
  const seconds = (performance.now() - start) / 1000;
  const again = placed([...nodes, { id: 'new', degree: 1 }], [{ source: 'new', target: '5' }], (id) => places.get(id), 1.5);
  return [new Set([...places.values()].map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`)).size, again.size - 1, seconds];
}"""


def test_what_is_typed_while_a_conversation_begins_stays(window: Window) -> None:
    window.page.get_by_role("combobox", name="Model").select_option("talk")
    window.find("#composer").fill("the first question")
    window.page.keyboard.press("Enter")
    window.page.keyboard.type("and then")
    window.page.wait_for_url("**/chat/2*")
    window.find(".closing").wait_for()
    window.expect(window.find("#composer")).to_have_value("and then")
    window.find("a", has_text="New conversation").click()
    window.expect(window.find("#composer")).to_have_value("")


def test_half_typed_text_outlives_a_restart_and_a_reload(browser: Browser, site: Served) -> None:
    window = Window(browser, site.origin, "zh", NARROW, "dark").enter(site.token)
    window.find("#composer").fill("half a sen")
    port = site.port
    site.stop()
    window.find(".notice.bad").wait_for()
    assert window.find("#composer").input_value() == "half a sen"
    site.start(port)
    window.find(".notice.bad").wait_for(state="detached")
    assert window.find("#composer").input_value() == "half a sen"
    window.page.reload()
    window.expect(window.find("#composer")).to_have_value("half a sen")
    window.faults.clear()  # the server was away
    window.close()
