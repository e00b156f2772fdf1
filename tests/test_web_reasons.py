"""Why something is asked about or refused, on the page, in the language of whoever reads it; it
changes with the language."""

from __future__ import annotations

import pytest

from tests.driving import bash
from tests.serving import Served, made_home
from tests.window import Window, chromium


def test_reasons_are_in_the_language_of_the_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("reasons")
    replies = [bash("rm -rf ~", "I look."), bash("rm -rf old", "I remove it."), "It stays."]
    with (
        chromium() as browser,
        Served(made_home(folder, {"tidy": replies}), folder / "cwd") as served,
    ):
        (folder / "cwd" / "old").mkdir()
        (folder / "cwd" / "old" / "letter.txt").write_text("of the owner's")
        site = served.sign_in()
        window = Window(browser, site.origin, lang="zh").enter(site.token)
        window.find("#composer").fill("整理一下")
        window.page.keyboard.press("Enter")
        window.find(".asked.confirmation", has_text="移到回收站").wait_for()
        window.expect(window.find(".call.refused .call-why")).to_contain_text("系统或整个主文件夹")
        window.find(".asked.confirmation .actions .danger").click()
        window.find(".asked.confirmation form .danger").click()
        window.find(".line.put", has_text="移到回收站").wait_for()
        window.picture("reasons-zh")
        (run,) = [each["run"] for each in site.get("/api/runs").json["runs"]]
        site.ended(run)
        window.page.goto(f"{site.origin}/runs/{run}")  # the trace, from the log
        window.find(".line.put", has_text="移到回收站").wait_for()
        window.page.evaluate("localStorage.setItem('lang', 'en')")
        window.page.reload()
        window.find(".line.put", has_text="to the trash").wait_for()
        window.expect(window.find(".call.refused .call-why").first).to_contain_text(
            "the system or a whole home"
        )
        window.close()
