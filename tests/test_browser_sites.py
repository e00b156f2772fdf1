"""Check the sites of other people: one listener for many things, editors that draw their own text,
fields that hand on the focus, frames that hear the mouse alone, what the browser says beside the
page, and tables of thousands of rows."""

from __future__ import annotations

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


def test_an_editor_that_draws_its_own_text_is_typed_into(web: Driver) -> None:
    scan = web.scan("/code").as_text()
    assert scan.count("textbox") == 1  # what is put away is not typed into
    assert "\nfirst\n  second" in scan
    web.run("await type(“t”, ' third', {append: true})")
    assert "  second third" in web.scan().as_text()
    assert web.run("await type(“t”, 'x = 1\\ny = 2')").data["new_text"] == "x = 1\ny = 2"
    assert "first" not in web.scan().as_text()


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
