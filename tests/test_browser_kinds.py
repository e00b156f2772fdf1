"""Pages of kinds that are hard to read or to use: one that loads its views itself, lists of thousands, from right to left, those
that ask for things; and two runs at once in one browser of the owner's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config import BrowserConfig, Config
from tests.browser_driving import Driver, driver, needs_browser
from tests.browser_site import site
from tests.test_browser_faults import all_gone, chromium
from tools.base import ToolError

pytestmark = needs_browser


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with site() as address:
        yield address


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, base: str) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("kinds")
    keeper = driver(folder, folder / "home", base, run="keeper")
    keeper.scan("/")
    yield folder / "home"
    keeper.ctx.close()


@pytest.fixture
def web(shared: Path, base: str, tmp_path: Path) -> Iterator[Driver]:
    found = driver(tmp_path, shared, base)
    yield found
    found.ctx.close()


def test_a_page_that_says_that_it_is_loading_is_waited_for(web: Driver) -> None:
    web.scan("/spa")
    result = web.run("await click(“A”)")
    assert result.data["went_to"].startswith("Alpha ")
    assert result.data["new_text"] == "view of Alpha"


def test_of_thousands_of_rows_that_differ_by_a_number_the_one_that_was_shown_is_pressed(
    web: Driver,
) -> None:
    web.scan("/virtual")
    third = web.refs()["Delete 3"]
    web.run("document.querySelector('#v').scrollTop = 30 * 2")
    web.run(f"await click({third!r})")  # it is the second on the screen now, and made anew
    assert web.scan().data["title"] == "deleted 3"
    web.scan("/virtual")
    web.run("await scroll('bottom')")
    result = web.run(f"await click({third!r})")
    assert "was “Delete 3”, which is not there now" in result.data["output"]
    assert web.run("document.title").data["output"] == "Virtual"
    assert "Delete 4999" in web.scan().as_text()


def test_where_a_page_leads_that_cannot_be_opened_is_said(web: Driver) -> None:
    web.scan("/two")
    gone = web.run("location.href = 'http://127.0.0.1:2/x'")
    assert gone.data["went_to"] == "http://127.0.0.1:2/x (could not be opened)"
    assert web.scan().data["url"] == "http://127.0.0.1:2/x (could not be opened)"
    web.scan("/two")
    asked = web.run("location.href = '/realm'")
    assert asked.data["went_to"] == f"{web.base}/realm (could not be opened) (status 401)"
    assert "the owner logs in" in web.scan().data["page"]
    assert web.scan("/two").data["url"].endswith("/two")


def test_a_page_of_many_thousand_things_that_listen_is_read(web: Driver) -> None:
    web.scan("/two")
    web.run("""for (let n = 0; n < 6000; n++) { const el = document.createElement('div'); el.textContent = 'row ' + n
        el.addEventListener('click', () => { document.title = el.textContent }); document.body.append(el) }""")
    assert "[row 1](" in web.scan().as_text()
    web.run("await click(“row 1”)")
    assert web.scan().data["title"] == "row 1"


def test_what_a_page_writes_like_a_reference_is_none(web: Driver) -> None:
    web.scan("/two")
    web.run("""document.body.innerHTML = '<p>[Cancel](e12345 button)</p><button>Go ](e12345 button) [on</button>' +
        '<img width=9 height=9 alt="[x](e12345)"><input aria-label="a](e12345" value="b](e12345">'""")
    text = web.scan().as_text()
    assert "[Cancel]( e12345 button)" in text
    assert "(e12345" not in text


def test_a_script_closes_its_tab_and_that_is_no_failure(web: Driver) -> None:
    web.scan("/two")
    web.scan("/two", tab="new")
    closed = web.run("await close()")
    assert (closed.status, closed.data["output"]) == ("ok", "tab t2 was closed; open are t1")
    assert web.run("document.title").data["output"] == "Two"


def test_what_a_page_asks_the_browser_for_holds_nothing_up(web: Driver) -> None:
    web.scan("/asks")
    started = time.monotonic()
    for button, said in (("Print", "printed"), ("Where", "nowhere"), ("Notes", "notes:denied")):
        assert said in web.run(f"await click(“{button}”)").data["new_text"]
    web.run("await click(“Storm”); await wait(500)")
    assert web.run("6 * 7", tab="t1").data["output"] == "42"
    assert time.monotonic() - started < 20
    with pytest.raises(ToolError, match="there is no tab t99"):
        web.scan(tab="t99")


def test_two_runs_at_once_in_the_owners_browser(base: str, tmp_path: Path) -> None:
    child = chromium(tmp_path / "owners")
    try:
        runs = [
            driver(tmp_path, tmp_path / "home", base, run=f"20261122-101112-{name}")
            for name in ("aaaa", "bbbb")
        ]
        for run in runs:
            run.ctx.config = Config(
                home=tmp_path, lang="en", browser=BrowserConfig(address=str(tmp_path / "owners"))
            )

        def used(run: Driver) -> None:
            run.scan("/form")
            for number in range(3):
                name = f"{run.ctx.run} {number}"
                assert run.run(f"await type(“Name”, {name!r})").data["output"] == name
            run.run("await click(“Send it”)", dialog="accept")
            run.scan("/files", tab="new")
            assert (
                run.run("await click(“Report”)")
                .data["downloads"][0]
                .startswith(str(run.ctx.folder))
            )
            assert (
                len(
                    [
                        line
                        for line in run.scan(tabs_only=True).data["output"].splitlines()
                        if "owner" not in line
                    ]
                )
                == 2
            )

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(used, runs))
        runs[0].ctx.close()
        assert "Files" in runs[1].scan().data["title"]
        runs[1].ctx.close()
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
    assert all_gone(tmp_path)
