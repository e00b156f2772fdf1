"""The page of a run in a real Chromium: its changes and undo, run again, compared, searched, the
network, what a yes would change."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import CommandLine
from tests.driving import bash
from tests.serving import Served
from tests.window import NARROW, WIDE, Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WRITE = (
    "printf 'tea\\nmilk\\n' > notes.md; mkdir -p lists box; echo 1,2 > lists/numbers.csv;"
    " echo a > box/a; echo b > box/b; echo written"
)
SCRIPTS: dict[str, list[Any]] = {
    "write": [bash(WRITE, "I write."), "Both are written."],
    "again": [bash("echo other > lists/other.csv", "I write."), "It is written."],
    "remove": [bash("rm -rf keep && echo removed", "I would remove it."), "It is removed."],
}


def wrote(site: Served) -> str:
    """Return a run that changed one file of the owner's and made another."""
    (site.cwd / "notes.md").write_text("coffee\nmilk\n", "utf-8")
    for each in ("numbers.csv", "other.csv"):
        (site.cwd / "lists" / each).unlink(missing_ok=True)
    shutil.rmtree(site.cwd / "box", ignore_errors=True)
    run = site.begin("write the lists", "write")
    assert site.ended(run)["status"] == "done"
    return run


def test_changes_of_a_run_are_shown_undone_and_brought_back(window: Window, site: Served) -> None:
    run = wrote(site)
    window.go(f"runs/{run}/changes")
    card = window.find(".changes-card")
    card.wait_for()
    window.expect(window.find("[role=tab][aria-selected=true]")).to_contain_text("Changes (")
    card.get_by_role("button", name="notes.md").click()
    window.find(".diff .minus", has_text="-coffee").wait_for()
    window.find(".diff .plus", has_text="+tea").wait_for()
    window.picture("changes")
    assert window.barriers() == []
    card.get_by_role("button", name="Undo").click()
    dialog = window.find("dialog")
    assert "Undo all 4 changes?" in dialog.inner_text()
    window.picture("changes-undo")
    dialog.get_by_role("button", name="Undo").click()
    window.find(".notice", has_text="These changes were undone.").wait_for()
    assert (site.cwd / "notes.md").read_text("utf-8") == "coffee\nmilk\n"
    assert not (site.cwd / "lists" / "numbers.csv").exists()
    card.get_by_role("button", name="Bring back").click()
    dialog.get_by_role("button", name="Bring back").click()
    window.expect(window.find(".notice", has_text="undone")).to_have_count(0)
    assert (site.cwd / "notes.md").read_text("utf-8") == "tea\nmilk\n"


def test_undo_names_the_files_that_changed_since_and_does_nothing(
    window: Window, site: Served
) -> None:
    run = wrote(site)
    (site.cwd / "notes.md").write_text("mine\n", "utf-8")
    window.go(f"runs/{run}/changes").find(".changes-card").get_by_role(
        "button", name="Undo"
    ).click()
    window.find("dialog").get_by_role("button", name="Undo").click()
    window.find("dialog [role=alert]", has_text="Nothing was undone").wait_for()
    assert "notes.md" in window.find("dialog").inner_text()
    window.picture("changes-conflict")
    assert (site.cwd / "notes.md").read_text("utf-8") == "mine\n"
    assert (site.cwd / "lists" / "numbers.csv").exists()


def test_changes_are_shown_while_the_terminal_undoes_them(
    window: Window, site: Served, cli: CommandLine
) -> None:
    run = wrote(site)
    window.go(f"runs/{run}/changes").find(".changes-card").wait_for()
    assert cli("--home", str(site.home), "undo", run, "--yes").code == 0
    window.find(".notice", has_text="These changes were undone.").wait_for()


def test_run_is_searched_done_again_and_compared(window: Window, site: Served) -> None:
    run = wrote(site)
    window.go(f"runs/{run}").find(".thread .call").wait_for()
    window.find(".trace input[type=search]").fill("numbers.csv")
    window.expect(window.find(".thread .call")).to_have_count(1)
    window.find(".trace input[type=search]").fill("nothing like this")
    window.expect(window.find(".thread .call")).to_have_count(0)
    window.find(".trace input[type=search]").fill("")
    window.button("Run again").click()
    window.find("dialog textarea").fill("write another list")
    window.find("dialog").get_by_role("button", name="Run", exact=True).click()
    window.find("h1", has_text="write another list").wait_for()
    second = window.page.url.rpartition("/")[2]
    site.ended(second)
    window.button("Compare").click()
    window.find("dialog a.row", has_text="write the lists").first.click()
    window.find("h1", has_text="Two runs").wait_for()
    window.settled().find("table.pairs").first.wait_for()
    text = window.find("main").inner_text()
    assert "write the lists" in text
    assert "write another list" in text
    window.picture("compare")
    assert window.barriers() == []


def test_sop_is_done_again_with_other_values(window: Window, site: Served) -> None:
    for name in ("first", "second"):
        (site.cwd / name).mkdir(exist_ok=True)
        (site.cwd / name / f"{name}.bin").write_bytes(b"x" * 5_000)
    values = {"folder": str(site.cwd / "first")}
    run = site.post("/api/sops/largest-files/run", {"values": values}).json["run"]
    assert site.ended(run)["rote"]
    window.go(f"runs/{run}").find("h2", has_text="Values").wait_for()
    window.button("Run again").click()
    window.find("dialog form").wait_for()
    window.picture("again")
    folder = window.find("dialog").get_by_role("textbox", name="folder")
    assert folder.input_value().endswith("first")
    folder.fill(str(site.cwd / "second"))
    window.find("dialog").get_by_role("button", name="Run", exact=True).click()
    window.find(".thread", has_text="second.bin").wait_for()
    window.go(f"runs/{run}/network").find(".empty", has_text="did not use the network").wait_for()


@pytest.mark.parametrize(("lang", "size", "theme"), [("en", WIDE, "light"), ("zh", NARROW, "dark")])
def test_confirmation_shows_what_a_yes_would_change(
    browser: Browser, site: Served, lang: str, size: tuple[int, int], theme: str
) -> None:
    (site.cwd / "keep").mkdir(exist_ok=True)
    (site.cwd / "keep" / "letter.txt").write_text("Dear Anna\n", "utf-8")
    window = Window(browser, site.origin, lang, size, theme).enter(site.token)
    run = site.begin("tidy up", "remove")
    window.go(f"chat/{run}")
    card = window.find(".asked.confirmation")
    card.wait_for()
    window.find(".would .kind.gone").first.wait_for()
    assert "letter.txt" in card.inner_text() or "keep" in window.find(".would").inner_text()
    card.scroll_into_view_if_needed()
    window.picture("would")
    assert window.barriers() == []
    assert window.overflow() <= 0
    assert (site.cwd / "keep" / "letter.txt").exists()
    card.locator(".actions .primary").click()
    window.find(".markdown", has_text="It is removed.").wait_for()
    assert not (site.cwd / "keep").exists()
    window.close()
