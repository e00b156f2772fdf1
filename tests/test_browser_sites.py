"""Check the sites of other people: one listener for many things, editors that draw their own text,
fields that hand on the focus, frames that hear the mouse alone, what the browser says beside the
page, and tables of thousands of rows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser_driving import Driver, driver, needs_browser
from tests.browser_site import OTHERS, PAGES, site

pytestmark = needs_browser

ROWS = "".join(
    f"<tr><td>{at}<td><a href='/c{at}'>Customer {at}</a><td><button>Edit</button>"
    for at in range(4000)
)
SITES = {
    "/delegates": """<title>Delegates</title><p id="say"></p><style>.day { display: inline-block; cursor: pointer }</style>
        <div id="days"><span class="day">20</span> <span class="day">21</span> <span class="day">22</span></div>
        <div id="list"><div role="option">Berlin</div><div role="option">Paris</div></div>
        <div id="rows"><div class="row">Mail from Ann</div><div class="row">Mail from Bob</div><div class="row">Mail from Eve</div></div>
        <div id="one"><i>Only</i> <b>one</b></div><x-tabs><x-tab role="tab">General</x-tab><x-tab role="tab">Advanced</x-tab></x-tabs><script>
        const hear = el => el.addEventListener('mousedown', e => say.textContent = 'hit ' + e.target.textContent)
        for (const id of ['days', 'list', 'rows', 'one']) hear(document.getElementById(id))
        customElements.define('x-tabs', class extends HTMLElement { connectedCallback() {
          const root = this.attachShadow({mode: 'open'}); root.innerHTML = '<div><slot></slot></div>'; hear(root.firstChild) } })</script>""",
    "/drops": """<title>Drops</title><label>City <select style="position:absolute;width:1px;height:1px;clip:rect(0 0 0 0);overflow:hidden"><option>Berlin<option>Paris</select></label>
        <p><button onclick="drop.style.display = 'block'">Choose</button></p><div id="drop" style="display:none"><div>Berlin</div><div>Paris</div></div>
        <p><button onclick="more.hidden = false">Next</button></p><div id="more" hidden>Second step <select><option>Austria<option>Japan</select></div>""",
    "/code": """<title>Code</title><div style="position:relative"><div style="overflow:hidden;position:relative;width:3px;height:0"><textarea id="t"
        style="position:absolute;width:900px;height:1em"></textarea></div><pre id="shown"></pre></div><textarea hidden>nobody's</textarea>
        <textarea style="position:absolute;left:-9999px" name="honey"></textarea><textarea style="visibility:hidden;height:0" name="mirror"></textarea><script>
        let all = 'first\\n  second', whole = false; const draw = () => shown.textContent = all; draw()
        t.onkeydown = e => { if (e.key === 'a' && e.ctrlKey) whole = true }
        t.oninput = () => { all = whole ? t.value : all + t.value; t.value = ''; whole = false; draw() }</script>""",
    "/strokes": """<title>Strokes</title><p id="say"></p><label>Search <input id="old" autocomplete="off"></label><div id="code"></div>
        <label>Airport <input id="air" role="combobox"></label><div id="hits"></div><script>
        old.onkeyup = () => say.textContent = 'found ' + old.value
        for (let at = 1; at < 5; at++) { const box = Object.assign(document.createElement('input'), {maxLength: 1, ariaLabel: 'Digit ' + at}); code.append(box)
          box.oninput = () => { (box.nextSibling ?? box).focus(); say.textContent = [...code.children].map(each => each.value).join('') } }
        let wait; air.oninput = () => { clearTimeout(wait); wait = setTimeout(() => hits.innerHTML = '<div role=option>Bergen BGO</div>', 400) }</script>""",
    "/refuses": """<title>Refuses</title><form action="/sent"><label>Mail <input type="email" name="m" required></label>
        <label>Pin <input name="p" pattern="[0-9]{4}"></label><button>Sign up</button></form><p id="say"></p>
        <script>document.addEventListener('invalid', e => say.textContent += ' told ' + e.target.name, true)</script>""",
    "/late": """<title>Late</title><p id="clock"></p><button onclick="setTimeout(() => { const d = document.createElement('p'); d.textContent = 'The server said no'
        document.body.append(d); setTimeout(() => { d.remove(); gone = true }, 150) }, 700); gone = false">Save</button><button>Other</button>
        <script>let gone; setInterval(() => clock.textContent = 'It is ' + Math.round(performance.now()), 50)</script>""",
    "/unseen": """<title>Unseen</title><p style="transform:scale(0)">scaled away</p><p style="clip-path:inset(100%)">cut away</p>
        <div style="position:fixed;right:-400px;width:300px;top:0">drawer <button>In the drawer</button></div><div style="position:fixed;top:-300px">above</div>
        <div inert><button onclick="document.title = 'pressed'">Asleep</button></div><p style="height:3000px">seen</p>
        <div role="slider" aria-label="Price" aria-valuenow="40" tabindex="0">|</div><div role="progressbar" aria-valuenow="45"></div>
        <details aria-expanded="true" open><summary aria-expanded="true">More</summary>inside</details>""",
    "/pays": """<title>Pays</title><p id="say"></p><p style="height:1500px">far down</p><script>onmessage = e => say.textContent = 'paid with ' + e.data
        document.write(`<iframe src="http://localhost:${location.port}/card" width=400 height=200></iframe>`)</script>""",
    "/card": """<title>Card</title><label>Number <input id="n"></label><div style="height:400px"></div>
        <button onmousedown="window.held = true" onmouseup="if (held) parent.postMessage(n.value, '*')">Pay</button>""",
    "/ledger": f"<title>Ledger</title><table>{ROWS}</table><button onclick=\"document.title = 'exported'\">Export</button>",
    "/text": "<title>Text</title><pre>def f():\n    return 1\n\nf()</pre><p>one\nline</p>",
    "/shown": """<title>Shown</title><p>Lamp <del><span>19.99</span></del> <b>9.99</b></p><p>Rated <span role="img" aria-label="4.5 of 5 stars">★★★★☆</span></p>
        <style>.done { text-decoration: line-through }</style><ul><li class="done">Milk</li><li>Bread</li></ul>
        <label>Fruit <input list="all"></label><datalist id="all"><option value="Apple"><option value="Pear"></datalist>
        <label>Land <select><option>AT<option>JP<option disabled>CN</select></label>""",
    "/picks": """<title>Picks</title><input type="file" webkitdirectory aria-label="Folder" onchange="document.title = [...this.files].map(f => f.name)">""",
}  # fmt: skip
DRAWING = b"<svg xmlns='http://www.w3.org/2000/svg' width='300' height='90'><text y='20'>Drawn words</text></svg>"


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        for path, page in SITES.items():
            patch.setitem(PAGES, path, page)
        patch.setitem(OTHERS, "/drawing.svg", (DRAWING, "image/svg+xml", 200, {}))
        with site() as address:
            yield address


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, base: str) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("sites")
    keeper = driver(folder, folder / "home", base, run="keeper")
    keeper.scan("/")
    yield folder / "home"
    keeper.ctx.close()


@pytest.fixture
def web(shared: Path, base: str, tmp_path: Path) -> Iterator[Driver]:
    found = driver(tmp_path, shared, base)
    yield found
    found.ctx.close()


@pytest.mark.parametrize("thing", ["21", "Paris", "Mail from Bob", "Only one", "Advanced"])
def test_what_a_listener_around_many_hears_is_pressed_one_by_one(web: Driver, thing: str) -> None:
    web.scan("/delegates")
    heard = web.run(f"await click(“{thing}”)").data["new_text"]
    assert heard in (f"hit {thing}", "hit Only", "hit one")


def test_a_list_that_opens_is_told_though_a_hidden_select_has_the_same_words(web: Driver) -> None:
    web.scan("/drops")
    assert web.run("await click(“Choose”)").data["new_text"] == "Berlin\nParis"
    assert (
        web.run("await click(“Next”)").data["new_text"] == "Second step"
    )  # and not all that could be chosen there


def test_an_editor_that_draws_its_own_text_is_typed_into(web: Driver) -> None:
    scan = web.scan("/code").as_text()
    assert scan.count("textbox") == 1  # what is put away is not typed into
    assert "\nfirst\n  second" in scan
    web.run("await type(“t”, ' third', {append: true})")
    assert "  second third" in web.scan().as_text()
    assert web.run("await type(“t”, 'x = 1\\ny = 2')").data["new_text"] == "x = 1\ny = 2"
    assert "first" not in web.scan().as_text()


def test_what_is_typed_ends_with_a_stroke_and_a_field_of_one_letter_hands_on_the_rest(
    web: Driver,
) -> None:
    web.scan("/strokes")
    assert web.run("await type(“Search”, 'lamp 灯')").data["new_text"] == "found lamp 灯"
    assert web.run("await type(“Digit 1”, '4711')").data["new_text"] == "4711"


def test_a_mark_at_the_end_is_no_arrow_and_no_delete(web: Driver) -> None:
    web.scan("/strokes")
    web.run(
        "old.onkeydown = e => { if (e.keyCode > 32 && e.keyCode < 47) e.preventDefault() }"
    )  # as old menus have it
    marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~7Zé"
    script = f"const all = []; for (const mark of {json.dumps(marks)}) all.push((await type(“Search”, 'so' + mark))[2]); return all.join('')"
    assert web.run(script).data["output"] == marks


def test_a_field_that_suggests_is_given_the_moment_that_it_takes(web: Driver) -> None:
    web.scan("/strokes")
    assert web.run("await type(“Airport”, 'be')").data["new_text"] == "Bergen BGO"


def test_what_the_browser_says_of_a_field_is_told_and_looking_tells_the_page_nothing(
    web: Driver,
) -> None:
    web.scan("/refuses")
    web.run("await type(“Mail”, 'nobody')")
    assert "invalid" in web.scan().as_text()
    assert "told" not in web.scan().as_text()
    refused = web.run("await click(“Sign up”)").data["refused"]
    assert len(refused) == 1
    assert refused[0].startswith("Mail: ")
    web.run("await type(“Mail”, 'a@b.c'); await type(“Pin”, '12')")
    assert web.run("await click(“Sign up”)").data["refused"][0].startswith("Pin: ")
    assert not web.run("1 + 1").data.get("refused")


def test_a_message_that_comes_and_goes_between_two_calls_is_told(web: Driver) -> None:
    web.scan("/late")
    other = web.refs()["Other"]
    for last in (f"await click({other!r})", None):
        web.run("await click(“Save”)")
        tab = web.ctx.kept["browser"].tabs["t1"]
        end = time.monotonic() + 20
        while tab.do("Runtime.evaluate", expression="gone")["result"]["value"] is False:
            assert time.monotonic() < end, "the message has not gone"
            tab.link.drain(0.05)
        told = web.run(last).data["meanwhile"] if last else web.scan().data["passed"]
        assert told == "The server said no"  # and not that the clock goes on


def test_what_nobody_can_see_or_press_is_not_shown(web: Driver) -> None:
    web.scan("/unseen")
    web.run("window.scrollTo(0, 2000)")
    scan = web.scan().as_text()
    for gone in ("scaled", "cut away", "drawer", "above"):
        assert gone not in scan
    assert "[Price = 40](" in scan
    assert "(progressbar 45/100)" in scan
    assert " open open" not in scan
    assert "is disabled" in web.run("await click(“Asleep”)").data["output"]


def test_a_frame_of_another_site_hears_the_mouse(web: Driver) -> None:
    web.scan("/pays")
    assert "far down" in web.scan().as_text()
    scan = web.scan(tab="t1.1").as_text()
    number, pay = (
        scan.split(label)[1].split("(")[1].split(" ")[0] for label in ("[Number]", "[Pay]")
    )
    web.run(f"await type({number!r}, '4111'); await click({pay!r})", tab="t1.1")
    assert "paid with 4111" in web.scan(tab="t1").as_text()
    assert "around the frame, t1" in web.run("await shot()", tab="t1.1").data["output"]


def test_what_lies_below_thousands_of_rows_is_there(web: Driver) -> None:
    scan = web.scan("/ledger")
    assert "too large" not in str(scan.data.get("page"))
    assert len(scan.data["output"]) < 20_000
    web.run("await click(“Export”)")
    assert web.run("document.title").data["output"] == "exported"


def test_line_ends_that_are_seen_are_kept_and_drawings_are_read(web: Driver) -> None:
    assert "def f():\n    return 1\nf()\none line" in web.scan("/text").as_text()
    assert "Drawn words" in web.scan("/drawing.svg").as_text()


def test_what_is_struck_rated_suggested_and_not_to_be_chosen_is_seen(web: Driver) -> None:
    scan = web.scan("/shown").as_text()
    assert "Lamp ~~19.99~~ 9.99\nRated (image: 4.5 of 5 stars)\n- ~~Milk~~\n- Bread\n" in scan
    assert "{Apple|Pear}" in scan
    assert "{AT|JP|CN (disabled)}" in scan
    assert "is disabled" in web.run("await select(“Land”, 'CN')").data["output"]


def test_a_folder_is_uploaded_where_one_is_asked_for_and_keys_have_their_names(
    web: Driver, tmp_path: Path
) -> None:
    web.scan("/picks")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "a.txt").write_text("a")
    web.run(f"await upload(“Folder”, '{tmp_path}/kept')")
    assert web.run("document.title").data["output"] == "a.txt"
    assert web.run("await press('F2')").status == "ok"


def test_a_tab_behind_others_is_photographed_again_and_again(web: Driver) -> None:
    web.scan("/unseen")
    for _ in range(2):
        web.scan("/", tab="new")
    for each in ("t1", "t2", "t1", "t2"):
        assert web.run("await shot(); await shot('page')", tab=each).status == "ok"
