"""The page in a real Chromium when it is not looked at, or cannot keep up: asleep, cut off, slow; and two windows of one owner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.driving import bash, call
from tests.serving import Served, made_home
from tests.test_web_page import browser, lived_in, window
from tests.window import Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocketRoute

__all__ = ["browser", "lived_in", "window"]  # fixtures

PASSWORD = "correct-horse-battery-4711"
MANY = 40
SCRIPTS: dict[str, list[Any]] = {
    "hello": ["Hello."],
    "many": [*(bash(f"echo step {n}") for n in range(MANY // 2)), "All of it is done."],
    "choose": [call("ask_user", question="Which one?", candidates=["a", "b"]), "Thank you."],
    "password": [call("shell_run", script='read -rsp "Key:" x; echo; echo ${#x}'), "I was let in."],
    "loud": [
        bash(
            f"for i in $(seq {MANY}); do head -c 50000 /dev/zero | tr '\\0' x; echo; done; echo the last line"
        ),
        "That was a lot.",
    ],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("asleep")
    with Served(made_home(folder, SCRIPTS), folder / "cwd") as served:
        yield served.sign_in()
    assert "Traceback" not in served.errors.read_text()


def ended(site: Served, text: str, model: str) -> str:
    run = site.begin(text, model)
    site.ended(run)
    return run


def test_a_tab_that_was_frozen_knows_all_that_happened_meanwhile(
    window: Window, site: Served
) -> None:
    """Frozen as a browser freezes what nobody looks at: no timer runs in it, no message is read."""
    first = ended(site, "before the night", "hello")
    window.go(f"chat/{first}").find(".markdown", has_text="Hello.").wait_for()
    protocol = window.context.new_cdp_session(window.page)
    protocol.send("Page.setWebLifecycleState", {"state": "frozen"})
    answer = site.post("/api/chat", {"text": "in the night", "after": first, "model": "many"})
    site.ended(answer.json["run"])
    protocol.send("Page.setWebLifecycleState", {"state": "active"})
    window.find(".markdown", has_text="All of it is done.").wait_for()
    assert window.find(".call.ok").count() == MANY // 2
    window.find(".connection.on").wait_for()


def test_a_tab_whose_socket_was_gone_for_long_catches_up(browser: Browser, site: Served) -> None:
    """Its connection is cut and every new one refused, until much has happened: nothing is missing, and nothing is there twice."""
    first = ended(site, "before the tunnel", "hello")
    window = Window(browser, site.origin)
    sockets: list[WebSocketRoute] = []
    in_tunnel = [False]

    def route(socket: WebSocketRoute) -> None:
        if in_tunnel[0]:
            socket.close()
            return
        socket.connect_to_server()
        sockets.append(socket)

    window.page.route_web_socket("**/ws", route)
    window.enter(site.token)
    window.go(f"chat/{first}").find(".markdown", has_text="Hello.").wait_for()
    in_tunnel[0] = True
    sockets[-1].close()
    window.find(".connection.lost").wait_for()
    answer = site.post("/api/chat", {"text": "in the tunnel", "after": first, "model": "many"})
    site.ended(answer.json["run"])
    site.ended(site.begin("and something else", "hello"))
    assert window.find(".markdown", has_text="All of it is done.").count() == 0
    in_tunnel[0] = False
    window.find(".connection.on").wait_for()
    window.find(".markdown", has_text="All of it is done.").wait_for()
    assert window.find(".call.ok").count() == MANY // 2
    assert window.find(".bubble", has_text="in the tunnel").count() == 1
    window.go("runs").find(".row", has_text="and something else").wait_for()
    window.close()


def test_a_slow_machine_sees_the_end_of_a_loud_run(window: Window, site: Served) -> None:
    """Two megabytes of output while the page's processor is twenty times slower: it is told to fetch anew, and is right at the end."""
    first = ended(site, "before the noise", "hello")
    window.go(f"chat/{first}").find(".markdown", has_text="Hello.").wait_for()
    protocol = window.context.new_cdp_session(window.page)
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": 20})
    site.ended(
        site.post("/api/chat", {"text": "make a noise", "after": first, "model": "loud"}).json[
            "run"
        ]
    )
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    window.find(".markdown", has_text="That was a lot.").wait_for()
    window.find(".call.ok .call-line").click()
    assert "the last line" in window.find(".call-open").inner_text()
    assert len(window.page.content()) < 1_000_000  # what is shown of it stays bearable


def test_a_secret_is_typed_unseen_and_stands_nowhere(window: Window, site: Served) -> None:
    window.page.get_by_label("Model").select_option("password")
    window.find("#composer").fill("log in for me")
    window.page.keyboard.press("Enter")
    card = window.find(".asked.secret")
    card.wait_for()
    field = card.locator("input")
    assert field.get_attribute("type") == "password"
    field.fill(PASSWORD)
    window.picture("secret")
    window.page.keyboard.press("Enter")
    window.find(".markdown", has_text="I was let in.").wait_for()
    window.find(".call-line").click()
    assert str(len(PASSWORD)) in window.find(".call-open").inner_text()
    window.page.reload()
    window.find(".markdown", has_text="I was let in.").wait_for()
    assert PASSWORD not in window.page.content()
    kept = window.page.evaluate(
        "() => JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage})"
    )
    assert PASSWORD not in kept
    on_disk = [
        path
        for path in site.home.rglob("*")
        if path.is_file() and PASSWORD.encode() in path.read_bytes()
    ]
    assert on_disk == [] and PASSWORD not in site.errors.read_text()


def in_picture(page: Page, what: str) -> tuple[float, float]:
    """Where on the screen a thing of the graph is: its first edge ("edges"), or its first node that is no person who speaks."""
    page.locator(".graph canvas").first.wait_for()
    page.wait_for_function(
        "what => document.querySelector('.graph')._cyreg?.cy[what]().length > 0", arg=what
    )
    x, y = page.evaluate(
        """what => {
          const box = document.querySelector(".graph").getBoundingClientRect();
          const cy = document.querySelector(".graph")._cyreg.cy;
          const at = what === "edges" ? cy.edges()[0].renderedMidpoint() : cy.nodes("[kind = 'Entity']")[0].renderedPosition();
          return [box.x + at.x, box.y + at.y];
        }""",
        what,
    )
    return float(x), float(y)


def test_a_click_into_the_picture_shows_what_says_so_in_every_tab(
    window: Window, site: Served, lived_in: None
) -> None:
    """Two tabs of one browser: what is chosen in one is chosen in the other."""
    window.go("graph").settled()
    second = window.context.new_page()
    second.goto(f"{site.origin}/graph")
    in_picture(second, "edges")
    second.locator(".connection.on").wait_for()
    window.page.mouse.click(*in_picture(window.page, "edges"))
    said = window.find(".graph-side .said-text").first
    said.wait_for()
    second.locator(".graph-side .said-text").first.wait_for()
    assert second.locator(".graph-side .said-text").first.inner_text() == said.inner_text()
    window.page.mouse.click(*in_picture(window.page, "nodes"))
    name = window.find(".graph-side header h2").inner_text()
    assert window.find(".graph-side .rows").is_visible()
    second.locator(".graph-side header h2", has_text=name).wait_for()


def test_the_address_is_taken_by_a_tab_that_is_open_already(browser: Browser, site: Served) -> None:
    """Pasted into the address bar it loads no page; it signs in all the same, and does not stay there."""
    window = Window(browser, site.origin).open()
    window.find(".gate input").wait_for()
    window.page.evaluate("token => (location.hash = `token=${token}`)", site.token)
    window.find(".composer").wait_for()
    assert "#" not in window.page.url
    window.page.evaluate("() => (location.hash = 'token=another')")
    window.page.wait_for_function("() => !location.hash")
    window.faults = [each for each in window.faults if "401" not in each]
    window.close()


def test_five_megabytes_typed_become_a_file_beside_the_message(
    window: Window, site: Served
) -> None:
    """Put in by a program, not pasted: too long for a message, and not lost."""
    window.page.get_by_label("Model").select_option("hello")
    window.page.evaluate(
        """() => {
          const field = document.getElementById("composer");
          field.value = "word ".repeat(1_000_000);
          field.dispatchEvent(new Event("input", {bubbles: true}));
        }"""
    )
    window.button("Send").click()
    window.find(".toast").first.wait_for()
    window.find(".composer .file", has_text="message.txt").wait_for()
    window.find(".composer .file .spinner").wait_for(state="detached")
    window.find("#composer").fill("what is in it?")
    window.page.keyboard.press("Enter")
    window.find(".markdown", has_text="Hello.").first.wait_for()
    run = window.page.url.rpartition("/")[2]
    assert [
        each["size"]
        for each in site.get(f"/api/runs/{run}").json["files"]
        if each["name"] == "message.txt"
    ] == [4_999_999]


def test_what_the_empty_chat_proposes_works_without_a_model(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whoever has just begun reads what is missing, and what is proposed is done by rote."""
    folder = tmp_path_factory.mktemp("begun")
    home = made_home(folder, [])
    (home / "config.yaml").write_text("models: []\n")
    (home.parent / "Downloads").mkdir()
    (home.parent / "Downloads" / "film.mp4").write_bytes(b"x" * 5000)
    with Served(home, folder / "cwd") as served:
        for lang in ("en", "zh"):
            window = Window(browser, served.origin, lang).enter(served.token)
            window.find(".welcome .lacks a[href='/doctor']").wait_for()
            proposed = window.find(".welcome li button").count()
            assert proposed == 2
            for n in range(proposed):
                window.go("chat").find(".welcome li button").nth(n).click()
                window.page.keyboard.press("Enter")
                window.find(".closing").wait_for()
                assert window.find(".line.rote").count() > 0, window.find(".thread").inner_text()
                assert window.find(".closing .chip").count() == 0, window.find(
                    ".closing"
                ).inner_text()
            window.close()
