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
    "/menu": """<title>Menu</title><style>div ul { display: none } div:hover ul { display: block }</style>
        <div style="width:90px">Products<ul><li><a href="/two">Lamps</a></ul></div>""",
    "/attach": """<title>Attach</title><button onclick="const i = document.createElement('input'); i.type = 'file'
        i.onchange = () => document.body.append('took ' + i.files[0].name); i.click()">Attach</button>""",
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
