"""Check what pages ask of a hand: dragging, menus under the mouse, drawings, chosen files, boxes
that scroll, messages that fade."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

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


def test_a_menu_under_the_mouse_opens(web: Driver) -> None:
    assert "Lamps" not in web.scan("/menu").data["output"]
    assert web.run("await hover('Products')").data["new_text"] == "Lamps"
    assert web.run("await click(“Lamps”)").data["went_to"].startswith("Two ")


def test_a_file_is_given_to_what_opens_the_choice_of_one(web: Driver, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1")
    web.scan("/attach")
    assert (
        web.run(f"await upload(“Attach”, '{tmp_path / 'a.csv'}')")
        .data["new_text"]
        .endswith("took a.csv")
    )


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
