"""The page in a real Chromium when it is not looked at, or cannot keep up: asleep, cut off, slow;
and two windows of one owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.driving import bash, call
from tests.serving import Served, made_home
from tests.window import Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser, WebSocketRoute


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
    """Its connection is cut and every new one refused, until much has happened: nothing is missing,
    and nothing is there twice."""
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
