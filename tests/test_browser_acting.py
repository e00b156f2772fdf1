"""Check what pages ask of a hand: dragging, menus under the mouse, drawings, chosen files, boxes
that scroll, messages that fade."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.base import ToolResult
from tests import browser_site
from tests.browser_driving import Driver, driver, needs_browser
from tests.browser_site import site

pytestmark = needs_browser

PAGES = {
    "/board": """<title>Board</title><div id="a"><b>Open</b><p draggable="true" id="k" ondragstart="event.dataTransfer.setData('text', 'k')">Write</p></div>
        <div id="b" ondragover="event.preventDefault()" ondrop="this.append(document.getElementById(event.dataTransfer.getData('text')), ' has come')"><b>Closed</b></div>
        <div role="slider" tabindex="0" aria-label="Volume" id="s" style="width:20px;height:20px" onmousedown="const at = event.clientX
        document.onmouseup = e => { document.body.append('volume ' + (e.clientX - at)) }">o</div>""",
    "/menu": """<title>Menu</title><style>div ul { display: none } div:hover ul { display: block }</style>
        <div style="width:90px">Products<ul><li><a href="/two">Lamps</a></ul></div>""",
    "/drawing": """<title>Drawing</title><canvas id="c" width="300" height="150" aria-label="Map"
        onclick="document.body.append(event.offsetX + ' of ' + event.offsetY)"></canvas>""",
    "/attach": """<title>Attach</title><button onclick="const i = document.createElement('input'); i.type = 'file'
        i.onchange = () => document.body.append('took ' + i.files[0].name); i.click()">Attach</button>""",
    "/chat": """<title>Chat</title><div id="c" style="height:90px;overflow:auto"></div><div dir="rtl" style="width:90px;overflow:auto;white-space:nowrap">
        <span style="display:inline-block;width:2000px">first</span><button>last</button></div><p style="position:absolute;top:-999px">for readers only</p>
        <script>for (let i = 0; i < 30; i++) c.innerHTML += `<p>said ${i} <button>Reply</button></p>`; c.scrollTop = 9999</script>""",
    "/fades": """<title>Fades</title><p id="p" style="opacity:0">Draft was kept</p><button onclick="p.style.opacity = 1; setTimeout(() => p.style.opacity = 0, 90)">Keep</button>
        <button onclick="const d = document.createElement('div'); d.attachShadow({mode: 'open'}).innerHTML = '<i>Three were added</i>'
        document.body.append(d); setTimeout(() => d.remove(), 90)">Add</button>""",
    "/twice": """<title>Twice</title><button onclick="document.body.append(confirm('Put away?') && confirm('And delete for good?') ? 'deleted' : 'kept')">Tidy</button>""",
    "/small": """<title>Small</title><table><tr style="cursor:pointer"><td></td><td style="cursor:pointer" onclick="">7</td></tr></table>
        <span style="cursor:pointer" title="Next month" onclick="">›</span><div tabindex="0" onkeydown="document.body.append('by ' + event.key)">Card</div>
        <textarea aria-label="Note">one </textarea><div contenteditable aria-label="Rich">red</div><input type="email" aria-label="Mail" value="a@b.">""",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """One browser for all of these tests, and the address of the site."""
    folder = tmp_path_factory.mktemp("browser")
    browser_site.PAGES.update(PAGES)
    with site() as base:
        keeper = driver(folder, folder / "home", base, run="keeper")
        keeper.scan("/")
        yield folder / "home", base
        keeper.ctx.close()


@pytest.fixture
def web(shared: tuple[Path, str], tmp_path: Path) -> Iterator[Driver]:
    found = driver(tmp_path, *shared)
    yield found
    found.ctx.close()


def test_things_are_dragged_by_the_page_or_by_the_browser(web: Driver) -> None:
    assert "[Write](e" in web.scan("/board").data["output"]
    assert "has come" in web.run("await drag(“Write”, 'Closed')").data["new_text"]
    assert "volume 70" in web.run("await drag(“Volume”, {x: 70})").data["new_text"]
    assert "shows just" in web.run("await drag(“Volume”, 'Nowhere')").data["output"]


def test_a_menu_under_the_mouse_opens(web: Driver) -> None:
    assert "Lamps" not in web.scan("/menu").data["output"]
    assert web.run("await hover('Products')").data["new_text"] == "Lamps"
    assert web.run("await click(“Lamps”)").data["went_to"].startswith("Two ")


def test_a_drawing_is_pressed_at_a_place(web: Driver) -> None:
    assert "canvas 300×150)" in web.scan("/drawing").data["output"]
    assert web.run("await click(“Map”, {x: 20, y: 30})").data["new_text"] == "20 of 30"


def test_a_file_is_given_to_what_opens_the_choice_of_one(web: Driver, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1")
    web.scan("/attach")
    assert (
        web.run(f"await upload(“Attach”, '{tmp_path / 'a.csv'}')")
        .data["new_text"]
        .endswith("took a.csv")
    )


def test_what_can_be_scrolled_to_is_shown_and_what_is_moved_away_is_not(web: Driver) -> None:
    text = web.scan("/chat").data["output"]
    assert "said 0 [Reply](e" in text and "said 29 [Reply](e" in text
    assert "[last](e" in text
    assert "for readers only" not in text


def test_messages_that_fade_or_come_in_a_shadow_root_are_told(web: Driver) -> None:
    web.scan("/fades")
    assert "Draft was kept" in web.run("await click(“Keep”); await wait(200)").data["passed"]
    assert "Three were added" in web.run("await click(“Add”)").data["passed"]


def test_one_answer_is_for_one_dialog(web: Driver) -> None:
    web.scan("/twice")
    told = web.run("await click(“Tidy”)", dialog="accept")
    assert told.data["dialogs"] == ["confirm: Put away? – accepted"]
    assert "And delete for good?" in told.data["output"]
    web.run("", dialog="dismiss")
    assert web.scan().data["output"].endswith("kept")


def test_small_things_to_press_are_named_and_empty_ones_are_not(web: Driver) -> None:
    text = web.scan("/small").data["output"]
    assert "[](e" not in text
    assert "[› Next month](e" in text
    web.run("await click(“Card”)")
    assert web.run("await press('Enter')").data["new_text"].endswith("by Enter")


def test_text_is_added_at_the_end(web: Driver) -> None:
    web.scan("/small")
    for label, more, whole in (
        ("Note", "two", "one two"),
        ("Rich", " green", "red green"),
        ("Mail", "org", "a@b.org"),
    ):
        assert web.run(f"await type(“{label}”, '{more}', {{append: true}})").data["output"] == whole


def test_a_tab_behind_another_takes_clicks_at_once(web: Driver) -> None:
    web.scan("/small")
    web.scan("/two", tab="new")
    reference = web.scan(tab="t1").data["output"].partition("[Card](")[2].split()[0]
    browser, seconds = web.ctx.kept["browser"], dict[str, list[float]](t1=[], t2=[])
    for _ in range(3):
        for front in seconds:
            browser.connection.call("Target.activateTarget", targetId=browser.tabs[front].target)
            started = time.monotonic()
            assert web.run(f"await click('{reference}')", tab="t1").status == "ok"
            seconds[front].append(time.monotonic() - started)
    assert (
        min(seconds["t2"]) < min(seconds["t1"]) + 4
    )  # five and more behind a tab that is not told of it


def test_parts_of_images_are_shown_and_pressed_where_they_are(web: Driver) -> None:
    text = web.scan("/map").as_text()
    for name in ("North", "Middle", "South", "Inside"):
        assert f"[{name}](" in text
        assert web.run(f"await click(“{name}”)").data["went_to"].endswith(f"#{name.lower()}")
    assert "handled" in web.run("await click(“Handler”)").data["new_text"]
    assert "drawn pressed" in web.run("await click(“Part”)").data["new_text"]
    assert "Nothing" not in text


@pytest.mark.parametrize(
    ("label", "said"),
    [("Settings", "plain:Settings"), ("Pear", "rows:Pear"), ("close", "shut:close"), ("In a shadow", "shadow:In a shadow")],
)  # fmt: skip
def test_what_only_listens_for_a_press_is_shown_and_pressed(
    web: Driver, label: str, said: str
) -> None:
    text = web.scan("/hears").as_text()
    assert said in web.run(f"await click(“{label}”)").data["new_text"]
    assert re.search(r"\(e\d+ button\)\n### Card", text)  # the card around it
    assert "Words [a link]" in text  # what holds other things to press is none
    assert "all of it" in text
    assert "[84](" in text
    assert "[Sum](" not in text


def test_a_reference_to_what_only_listens_serves_a_page_that_nobody_has_scanned(
    web: Driver,
) -> None:
    web.scan("/hears")
    ref = web.refs()["Settings"]
    web.run(f"location.href = {web.base + '/two'!r}")
    web.run(f"location.href = {web.base + '/hears'!r}")
    assert "plain:Settings" in web.run(f"await click({ref!r})").data["new_text"]


def test_a_clock_on_the_page_costs_no_time_and_is_no_news_but_what_is_being_written_is_waited_for(
    web: Driver,
) -> None:
    """A clock is known by how often it ticks, what is being written by how soon more of it comes: a machine that is busy
    elsewhere blurs both now and then."""

    def pressed(path: str, label: str) -> tuple[float, list[ToolResult]]:
        """The least seconds of three presses, and what came of each."""
        web.scan(path)
        seconds, results = [], []
        for _ in range(3):
            started = time.monotonic()
            results.append(web.run(f"await click(“{label}”)"))
            seconds.append(time.monotonic() - started)
        return min(seconds), results

    usual, _ = pressed("/small", "Card")
    seconds, results = pressed("/clock", "Go")
    assert "pressed" in results[0].data["new_text"]
    assert (
        min(len(each.data["passed"].splitlines()) for each in results) < 3
    )  # of the twenty that are told
    assert seconds < usual + 2  # what never rests is waited for a second longer
    assert any("word12" in each.data["new_text"] for each in pressed("/clock", "Ask")[1])
