"""The web page in a real Chromium on a real server: what is asked, answered, taught, remembered and
planned there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import CommandLine
from tests.driving import bash, call
from tests.serving import Served
from tests.window import NARROW, WIDE, Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ANSWER = """## What takes the space

| file | size |
|---|--:|
| `holiday.mp4` | 812 MB |

```python
print("hello")
```
"""
HOSTILE = (
    '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> **bold** [click](javascript:window.hacked=1) '
    '![picture](https://example.org/x.png) <iframe src="https://example.org"></iframe><style>body{display:none}</style> '
    "[home](https://example.org/a)"
)
SCRIPTS: dict[str, list[Any]] = {  # model → its replies; the first one is asked when none is named
    "group": ["Hello, **everybody**."],
    "tidy": [
        bash("echo one; echo two", "I look first."),
        call("ask_user", question="Which folder?", candidates=["old", "new"]),
        bash("rm -rf old", "I would remove it."),
        ANSWER,
    ],
    "hostile": [bash(f"cat <<'EOF'\n{HOSTILE}\nEOF"), HOSTILE],
    "patch": [call("file_patch", path="notes.md", old="milk", new="tea"), "Changed."],
    "slow": [bash("echo begun; sleep 60"), "I went on."],
    "choose": [call("ask_user", question="Which one?", candidates=["a", "b"]), "Thank you."],
}


def lay(home: Path, cwd: Path) -> None:
    """Lay what is there before the server starts."""
    (cwd / "notes.md").write_text("# Notes\n\n- buy milk\n", "utf-8")


TALK = [
    ("owner", "I prefer tea to coffee. I don't like the loud printer."),
    ("agent", "I will remember that."),
    ("owner", "My sister is Anna. Anna lives in Berlin."),
    ("agent", "Good to know."),
]


@pytest.fixture
def lived_in(site: Served, cli: CommandLine) -> None:
    """Somebody has talked of tea, a printer and a sister; something was done by rote, is planned,
    and waits."""
    file = site.cwd / "talk.jsonl"
    if file.exists():
        return
    now = datetime.now(UTC).isoformat()
    rows = [
        {"id": f"t{n}", "at": now, "who": who, "text": text, "session": "main"}
        for n, (who, text) in enumerate(TALK)
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    done = cli("--home", str(site.home), "memory", "import", str(file))
    assert done.code == 0, done
    site.ended(
        site.post("/api/sops/largest-files/run", {"values": {"folder": str(site.cwd)}}).json["run"]
    )
    site.post("/api/schedule", {"when": "every weekday 08:00", "task": "Write me a short report"})
    run = site.begin("choose one", "choose")
    asked = site.until(
        lambda: [each for each in site.get("/api/state").json["waiting"] if each["run"] == run]
    )
    assert site.post(f"/api/asked/{asked[0]['id']}", {"later": True}).status == 204
    site.until(lambda: site.get("/api/inbox").json["inbox"])


def send(window: Window, text: str, model: str) -> None:
    """Says something in the chat that is open."""
    window.page.get_by_role("combobox", name="Model").select_option(model)
    window.find("#composer").fill(text)
    window.page.keyboard.press("Enter")


def test_from_question_to_confirmation_to_result(window: Window, site: Served) -> None:
    """Streamed, folded, answered in place; what was done is there, and the trace tells the same."""
    (site.cwd / "old").mkdir(exist_ok=True)
    (site.cwd / "old" / "letter.txt").write_text("Dear Anna\n", "utf-8")
    send(window, "tidy up", "tidy")
    window.find(".call.ok", has_text="echo one").wait_for()
    window.find(".asked.question").get_by_role("button", name="old").click()
    card = window.find(".asked.confirmation")
    card.wait_for()
    assert "rm -rf old" in card.inner_text()
    window.picture("confirmation")
    assert (site.cwd / "old").is_dir()
    card.get_by_role("button", name="Yes, this once").click()
    window.find(".markdown h2", has_text="What takes the space").wait_for()
    window.find(".markdown .hljs-string").wait_for()
    assert not (site.cwd / "old").exists()
    window.expect(window.find(".asked")).to_have_count(0)
    window.expect(window.find(".line.put .said")).to_have_text(["old", "Allowed, this once"])
    window.find(".call-line").first.click()
    assert "one\ntwo" in window.find(".call-open").inner_text()
    window.find(".closing").wait_for()
    window.picture("conversation")
    shown = window.find(".thread .markdown").all_inner_texts()

    window.find(".closing a").click()
    window.find(".tiles").wait_for()
    window.expect(window.find(".turn-line h2")).to_have_text([f"Turn {n}" for n in (1, 2, 3, 4)])
    assert window.find(".thread .markdown").all_inner_texts() == shown
    window.button("What was sent").nth(2).click()
    assert "tidy up" in (window.find("dialog .sent").nth(1).text_content() or "")
    window.picture("sent")


def test_foreign_text_stays_text(window: Window) -> None:
    """HTML, scripts and addresses in requests, results and answers: shown, never obeyed, never
    fetched."""
    send(window, HOSTILE, "hostile")
    window.find(".closing").wait_for()
    window.find(".call-line").click()
    assert HOSTILE in window.find(".bubble").inner_text()
    assert "<script>" in window.find(".call-open").inner_text()
    answer = window.find(".thread > .run > .markdown")
    assert answer.locator("strong").inner_text() == "bold"
    assert "<script>window.hacked=1</script>" in answer.inner_text()
    assert answer.locator("img, iframe, script, style").count() == 0
    addresses = answer.locator("a[href]").evaluate_all("all => all.map(a => a.href)")
    assert addresses == ["https://example.org/x.png", "https://example.org/a"]
    assert window.page.evaluate("() => window.hacked") is None


def test_a_run_is_stopped_and_goes_on_when_told(window: Window) -> None:
    send(window, "take your time", "slow")
    window.find(".tailing", has_text="begun").wait_for()
    window.button("Stop").click()
    window.find(".closing .chip", has_text="stopped").wait_for()
    window.button("Continue").click()
    window.find(".markdown", has_text="I went on.").wait_for()


def test_nothing_changes_before_changes_are_turned_on(browser: Browser, site: Served) -> None:
    """The page says so, its buttons are closed, and the server refuses as well."""
    window = Window(browser, site.origin).enter(site.token, changes=False)
    assert "Read only" in window.find(".composer.closed").inner_text()
    window.go("sops/largest-files").settled()
    window.expect(window.button("Run")).to_be_disabled()
    assert "nothing can be changed" in window.find(".notice").inner_text()
    refused = window.page.evaluate(
        "async () => (await fetch('/api/chat', {method: 'POST', headers: {'X-Sopwith': '1', 'Content-Type':"
        " 'application/json'}, body: '{\"text\": \"hello\"}'})).status"
    )
    assert refused == 403
    window.find(".notice button").click()
    window.find(".notice").wait_for(state="detached")
    window.expect(window.button("Run")).to_be_enabled()
    assert [each for each in window.faults if "403" not in each] == []
    window.faults.clear()
    window.close()


def test_what_is_noted_is_found_by_day_and_can_be_undone(window: Window) -> None:
    window.go("memory/facts").settled()
    window.find(".filters input").fill("The bin is emptied on Tuesdays")
    window.button("Note it").click()
    window.find(".toast").first.wait_for()
    window.go("memory/journal").find(".journal .card", has_text="emptied on Tuesdays").wait_for()
    window.go("memory/changes").find(".versions", has_text="Tuesdays").wait_for()
    window.button("Undo").click()
    window.find(".versions .card").first.get_by_text("undo: ").wait_for()
    window.go("memory/journal").settled()
    window.expect(window.find(".journal")).not_to_contain_text("Tuesdays")


def test_search_says_which_time_it_understood(window: Window, site: Served, lived_in: None) -> None:
    window.go("memory/search").find("[type=search]").fill("what did I say about the printer today")
    window.page.keyboard.press("Enter")
    window.find(".turns .said", has_text="loud printer").wait_for()
    window.expect(window.find(".facts .chip").first).to_contain_text("today")
    window.button("In context").first.click()
    window.find("dialog .marked").wait_for()


def test_a_job_is_added_seen_in_the_calendar_and_taken_away(window: Window) -> None:
    window.go("schedule").settled()
    window.button("Add a job").click()
    window.find("dialog input").fill("every day 23:58")
    window.find("dialog textarea").fill("Look at the notes")
    window.find("dialog [role=status]").wait_for()
    window.find("dialog").get_by_role("button", name="Add a job").click()
    job = window.find(".jobs .card", has_text="Look at the notes")
    job.wait_for()
    window.find(".event.coming").first.wait_for()
    window.picture("calendar")
    job.get_by_role("switch").click()
    window.find(".jobs .card.off").wait_for()
    job.get_by_role("button", name="Remove").click()
    job.wait_for(state="detached")


def test_a_browser_that_signed_out_needs_the_address_again(browser: Browser, site: Served) -> None:
    window = Window(browser, site.origin).enter(site.token, changes=False)
    assert "#" not in window.page.url
    window.go("access").settled()
    window.button("Sign out").click()
    window.page.get_by_label("Token").fill("wrong")
    window.button("Open").click()
    window.find("[role=alert]").wait_for()
    assert window.barriers() == []
    window.page.get_by_label("Token").fill(site.token)
    window.button("Open").click()
    window.find("h1", has_text="Access").wait_for()
    window.faults = [each for each in window.faults if "401" not in each]
    window.close()


def test_all_is_reached_by_keyboard(window: Window) -> None:
    page = window.page
    window.open("inbox").settled()
    page.keyboard.press("Tab")
    window.expect(window.find(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    window.expect(window.find("#main")).to_be_focused()
    page.keyboard.press("g")
    page.keyboard.press("r")
    window.find("h1", has_text="Runs").wait_for()
    page.keyboard.press("/")
    window.expect(window.find("input[type=search]:focus")).to_have_count(1)
    page.keyboard.press("Tab")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("?")
    window.find("dialog kbd").first.wait_for()
    page.keyboard.press("Escape")
    window.find("dialog").wait_for(state="detached")
    window.go("sops/largest-files").find("[role=tab]").first.focus()
    page.keyboard.press("ArrowRight")
    window.find("[role=tab][aria-selected=true]", has_text="Steps").wait_for()
    window.expect(window.find("[role=tab][aria-selected=true]")).to_be_focused()


PAGES = [
    "chat", "runs", "sops", "sops/largest-files", "sops/clean-old-files/steps", "sops/largest-files/curve", "memory",
    "memory/search", "memory/facts", "memory/file", "memory/changes", "graph", "schedule", "inbox", "access", "doctor",
    "overview", "teach", "sops/clean-old-files/edit", "settings/models", "settings/mcp", "settings/approvals",
    "settings/notify",
]  # fmt: skip


@pytest.mark.parametrize(
    ("lang", "size", "theme", "is_examined"),
    [("en", WIDE, "light", True), ("zh", NARROW, "dark", True), ("en", NARROW, "light", False)],
    ids=["en-wide-light", "zh-narrow-dark", "en-narrow-light"],
)
def test_every_page_is_open_to_everybody(
    browser: Browser,
    site: Served,
    lived_in: None,
    lang: str,
    size: tuple[int, int],
    theme: str,
    is_examined: bool,
) -> None:
    """In both languages, at both widths, light and dark: nothing keeps somebody out (axe-core), is
    cut off, or lacks words."""
    window = Window(browser, site.origin, lang, size, theme).enter(site.token)
    words = json.loads(
        (Path(__file__).parent.parent / "assets/web/words/en.json").read_text("utf-8")
    )
    run, replay = (each["run"] for each in site.get("/api/runs").json["runs"][:2])
    for path in [*PAGES, f"chat/{run}", f"runs/{replay}"]:
        window.go(path).settled()
        window.picture(path.replace("/", "-").replace(run, "waiting").replace(replay, "rote"))
        assert not is_examined or window.barriers() == [], path
        assert window.overflow() <= 0, path
        text = window.find("body").inner_text()
        assert not [key for key in words if "." in key and key in text.split()], path
        assert "undefined" not in text, path
        assert "[object" not in text, path
    window.close()
