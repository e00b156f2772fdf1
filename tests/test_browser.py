"""The browser's tools on a real chromium: what they show of a page, what they do in it, and what
they say has changed."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser_driving import Driver, driver, needs_browser
from tests.browser_site import site
from tests.rows import cases
from tools.browser.text import BUDGET, Line, fit, tokens

pytestmark = needs_browser


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """One browser for all of these tests: a run that stays keeps it open. Its home folder, and the
    address of the site."""
    folder = tmp_path_factory.mktemp("browser")
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


def test_a_page_is_its_text_and_what_can_be_pressed(web: Driver) -> None:
    text = web.scan("/").as_text()
    assert "# Hello 世界" in text
    assert "See the [second page](e" in text
    assert "[Press](e" in text
    assert "hidden words" not in text
    assert "for readers only" not in text
    assert "[title: Start]" in text
    assert (
        web.scan(text_only=True).data["output"] == "Hello 世界\nSee the second page or stay.\nPress"
    )


def test_what_a_person_does_not_see_is_not_shown_and_odd_pages_are_read(web: Driver) -> None:
    text = web.scan("/odd").data["output"]
    assert "seen" in text and "More" in text
    assert not any(hidden in text for hidden in ("not seen", "folded", "in the drawer", "clear"))
    assert "[icon-trash](e" in text
    assert "card pressed" in web.run("await click(“Card of words”)").data["new_text"]
    assert "in the drawer" in web.run("await click(“More”)").data["new_text"]
    assert "# Strict\n[Old](e" in web.scan("/xhtml").data["output"]


def test_a_form_shows_what_it_holds_and_is_filled_in(web: Driver) -> None:
    text = web.scan("/form").as_text()
    assert "[Name](e" in text
    assert "hunter2" not in text
    assert "= ••••" in text
    assert "[Country = Germany {Austria|Germany|中国}](e" in text
    assert "[A note = old words](e" in text
    assert "disabled" in text
    assert "asks for a password" in text
    filled = web.run(
        "await type(“Name”, '张三'); await type(“Born”, '2001-02-03'); await type(“Size”, '7'); await select(“Country”, '中国');"
        " await click(“I agree”); await click(“By mail”); await type(“A note”, 'new words'); return await type(“Rich”, 'richer')"
    )
    assert (filled.status, filled.data["output"]) == ("ok", "richer")
    sent = web.run("await click(“Send it”)").data
    assert sent["went_to"].startswith("Sent http://127.0.0.1")
    for pair in ("('name', ['张三'])", "('born', ['2001-02-03'])", "('size', ['7'])", "('land', ['中国'])", "('agree', ['yes'])", "('way', ['mail'])", "('note', ['new words'])"):  # fmt: skip
        assert pair in sent["new_text"]


def test_a_password_goes_from_the_owner_to_the_page_and_nowhere_else(web: Driver) -> None:
    asked: list[str] = []
    web.scan("/login")
    missing = web.run("await secret(“Password”, 'Your password?')")
    assert "nobody is there" in missing.data["output"]

    def say(question: str) -> str:
        asked.append(question)
        return "pass word 1"

    web.ctx.secret = say
    result = web.run("await secret(“Password”, 'Your password?')")
    assert (result.status, result.data["output"]) == ("ok", "")
    assert asked == [f"{web.base.removeprefix('http://')}: Your password?"]
    assert "pass word 1" not in web.scan().as_text() + web.told
    held = web.run(
        "const v = document.querySelector('[type=password]').value; document.body.append(v); return [v.length, v]"
    )
    assert held.data["output"] == '[11,"[secret]"]'
    assert "pass word 1" not in str(held.data) + web.scan().as_text()


@cases
def test_the_value_of_a_script_comes_back(web: Driver, script: str, value: str) -> None:
    web.scan("/")
    result = web.run(script)
    assert (result.status, result.data["output"]) == ("ok", value)
    assert result.origin == "web"


@cases
def test_what_cannot_be_done_is_said(web: Driver, script: str, problem: str) -> None:
    web.scan("/")
    result = web.run(script)
    assert result.status == "error"
    assert problem in result.data["output"]


def test_what_lies_under_something_else_is_not_clicked(web: Driver) -> None:
    web.scan("/covered")
    result = web.run("await click(“Below”)")
    assert result.status == "error"
    assert "lies under something else" in result.data["output"]
    assert "We use cookies" in result.data["output"]
    web.run("await click(“Fine”)")
    assert "got through" in web.run("await click(“Below”)").data["new_text"]


def test_a_dialog_waits_until_a_call_says_how_to_answer_it(web: Driver) -> None:
    web.scan("/dialogs")
    asked = web.run("await click(“Delete all”)")
    assert asked.status == "error"
    assert "Delete all?" in asked.data["output"]
    assert "Delete all?" in web.scan().data["output"]  # it still stands
    assert web.run("", dialog="dismiss").data["dialogs"] == ["confirm: Delete all? – dismissed"]
    assert "kept" in web.scan().data["output"]
    assert "deleted" in web.run("await click(“Delete all”)", dialog="accept").data["new_text"]
    assert "called Ann" in web.run("await click(“Name”)", dialog="Ann").data["new_text"]
    told = web.run("await click(“Tell”)").data
    assert told["dialogs"] == ["alert: Just so you know – accepted"]
    assert "told" in told["new_text"]


@pytest.mark.parametrize(
    ("link", "name", "content"),
    [("Report", "re port.csv", "a,b\n1,2\n"), ("Made", "made.txt", "made here")],
)
def test_downloads_land_in_the_folder_of_the_run(
    web: Driver, link: str, name: str, content: str
) -> None:
    web.scan("/files")
    (line,) = web.run(f"await click(“{link}”)").data["downloads"]
    file = Path(line.rpartition(" (")[0])
    assert file.parent == web.ctx.folder / "downloads"
    assert file.name.endswith(name)
    assert file.read_text() == content


def test_files_are_uploaded_when_the_script_names_them(web: Driver, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("two")
    web.scan("/files")
    files = f"'{tmp_path}/a.txt', '{tmp_path}/b.txt'"
    assert "got one+two" in web.run(f"await upload(“Picture”, {files})").data["new_text"]
    hidden = web.run(f"await upload(“Picture”, ['{tmp_path}', 'a.txt'].join('/'))")
    assert "must stand in the script" in hidden.data["output"]


def test_windows_that_a_page_opens_become_tabs(web: Driver) -> None:
    web.scan("/windows")
    (line,) = web.run("await click(“New window”)").data["new_tabs"]
    assert line.startswith("t2 Two http")
    assert "the second page" in web.scan(tab="t2").as_text()
    assert web.run("await close()", tab="t2").data["output"] == "tab t2 was closed; open are t1"
    assert web.scan(tabs_only=True).data["output"].startswith("t1 Windows http")


def test_a_picture_is_a_file_that_models_are_shown(web: Driver) -> None:
    web.scan("/")
    for script in ("await shot()", "await shot('page')", "await shot(“Press”)"):
        result = web.run(script)
        assert Path(result.images[0]).read_bytes().startswith(b"\x89PNG")
        assert result.data["output"] == result.images[0]


def test_a_run_that_goes_on_finds_its_tabs_again(shared: tuple[Path, str], tmp_path: Path) -> None:
    first = driver(tmp_path, *shared, run="20261122-101112-cccc")
    first.scan("/two")
    browser = first.ctx.kept.pop("browser")
    browser.link.close()  # as when its process is killed
    os.close(browser.place._claim)
    again = driver(tmp_path, *shared, run="20261122-101112-cccc")
    assert "the second page" in again.scan().as_text()
    again.ctx.close()


def test_a_page_stays_within_its_budget_whatever_it_is() -> None:
    long: list[Line] = [[f"{at} " + "word " * 900, [1, at]] for at in range(50)]
    pages: list[list[Line]] = [
        long,
        [["字" * 90_000]],
        [[f"line {at}"] for at in range(30_000)],
        [],
    ]
    for lines in pages:
        text, _ = fit(lines)
        assert tokens(text) <= BUDGET + 20


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


@cases
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
