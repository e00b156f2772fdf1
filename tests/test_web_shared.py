"""A shared chat: people with a link talk with the agent, and nothing of the owner's is in their reach."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.driving import call
from tests.serving import Served, Tab, made_home

SECRET = "the owner's diary says 4711"
REPLIES = [call("ask_user", question="Which day?"), "Tuesday it is."]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("shared")
    home = made_home(folder, REPLIES)
    (home / "MEMORY.md").write_text(f"# Memory\n\n- {SECRET}\n")
    (home / "OWNER.md").write_text(f"# Owner\n\n{SECRET}\n")
    with Served(home, folder / "cwd") as served:
        yield served.sign_in()
    assert "Traceback" not in served.errors.read_text()


class Person:
    """Somebody else's browser, which has the link and nothing more."""

    def __init__(self, site: Served, link: str, name: str) -> None:
        path, _, key = link.removeprefix(site.origin).partition("#key=")
        self.path = path
        self.browser = Served(site.home, site.cwd, address=site.address)
        answer = self.browser.post(f"{path}/join", {"key": key, "name": name})
        assert answer.status == 204, answer
        assert f"Path={path}" in answer.headers["set-cookie"]
        self.browser.cookie = answer.headers["set-cookie"].partition(";")[0]

    def say(self, text: str) -> int:
        return self.browser.post(f"{self.path}/say", {"text": text}).status

    def state(self) -> Any:
        return self.browser.get(f"{self.path}/state").json

    def tab(self) -> Any:
        return self.browser.tab(f"{self.path}/ws")


def opened(site: Served, title: str = "Our trip") -> dict[str, str]:
    found: dict[str, str] = site.post("/api/shared", {"title": title}).json
    assert found["link"].startswith(f"{site.origin}/shared/{found['id']}#key=")
    return found


def said(tab: Tab, who: str) -> dict[str, Any]:
    return tab.until("said", who=who)


def test_several_people_get_one_reply_to_what_belongs_together(site: Served) -> None:
    chat = opened(site)
    anna, ben = Person(site, chat["link"], "Anna"), Person(site, chat["link"], "Ben")
    with anna.tab() as at_annas, ben.tab() as at_bens:
        assert at_annas.until("people", people=["Anna", "Ben"])
        for person, text in (
            (anna, "can you tell us"),
            (anna, "when we meet"),
            (ben, "in the evening"),
        ):
            assert person.say(text) == 202
        for tab in (at_annas, at_bens):
            assert said(tab, "Sopwith")["text"].startswith("Which day?")
        assert ben.say("the second one") == 202
        for tab in (at_annas, at_bens):
            assert said(tab, "Sopwith")["text"] == "Tuesday it is."
            assert [m["who"] for m in tab.told if m["type"] == "said"].count("Sopwith") == 2
    state = anna.state()
    assert (state["name"], state["title"], state["is_open"]) == ("Anna", "Our trip", True)
    assert [m["who"] for m in state["messages"]] == [
        "Anna",
        "Anna",
        "Ben",
        "Sopwith",
        "Ben",
        "Sopwith",
    ]
    (run,) = [run for run in site.get("/api/runs").json["runs"] if "tell us" in run["task"]]
    assert run["task"] == "Anna: can you tell us\nAnna: when we meet\nBen: in the evening"
    opening = site.get(f"/api/runs/{run['run']}").json["events"][0]
    assert (opening["session"], opening["attended"]) == (f"shared:{chat['id']}", False)
    sent = json.dumps(site.get(f"/api/runs/{run['run']}/sent").json)
    assert SECRET not in sent
    assert [each["title"] for each in site.get("/api/conversations").json["conversations"]] == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/state"),
        ("GET", "/api/runs"),
        ("GET", "/api/memory/facts"),
        ("GET", "/api/memory/search?q=diary"),
        ("GET", "/api/inbox"),
        ("GET", "/api/shared"),
        ("GET", "/v1/models"),
        ("GET", "/api/openapi.json"),
        ("POST", "/api/chat"),
        ("POST", "/api/changes"),
        ("POST", "/v1/chat/completions"),
    ],
)
def test_the_cookie_of_a_chat_opens_nothing_else(site: Served, method: str, path: str) -> None:
    anna = Person(site, opened(site)["link"], "Anna")
    body = {"text": "x", "on": True, "messages": [{}]}
    answer = anna.browser.get(path) if method == "GET" else anna.browser.post(path, body)
    assert answer.status == 401
    other = opened(site, "Another")
    assert anna.browser.get(f"/shared/{other['id']}/state").status == 401
    assert anna.browser.ask("GET", "/ws", headers=anna.browser.browser()).status in (401, 404)


def test_a_chat_is_closed_to_everybody_at_once(site: Served) -> None:
    chat = opened(site)
    anna = Person(site, chat["link"], "Anna")
    with anna.tab() as tab:
        assert site.post(f"/api/shared/{chat['id']}/close").status == 204
        tab.until("closed")
        with pytest.raises(ConnectionClosed):
            tab.until("never")
    assert anna.browser.get(f"{anna.path}/state").status == 410
    assert anna.say("hello?") == 410
    key = chat["link"].partition("#key=")[2]
    assert anna.browser.post(f"{anna.path}/join", {"key": key, "name": "Anna"}).status == 410
    assert [
        each["is_open"]
        for each in site.get("/api/shared").json["shared"]
        if each["id"] == chat["id"]
    ] == [False]


def test_an_old_link_and_a_wrong_one_let_nobody_in(site: Served) -> None:
    chat = opened(site)
    old = chat["link"].partition("#key=")[2]
    anna = Person(site, chat["link"], "Anna")
    new = site.post(f"/api/shared/{chat['id']}/link").json["link"]
    for key in (old, "", "x" * 32):
        assert anna.browser.post(f"{anna.path}/join", {"key": key, "name": "Eve"}).status == 401
    assert anna.state()["name"] == "Anna"
    assert Person(site, new, "Ben").state()["name"] == "Ben"
    assert anna.browser.post("/shared/0123456789/join", {"key": old, "name": "Eve"}).status == 401


def test_nobody_takes_anothers_name(site: Served) -> None:
    chat = opened(site)
    names = [
        Person(site, chat["link"], name).state()["name"]
        for name in ("Anna", "anna", "Sopwith", "\x1b[31mA\nB")
    ]
    assert names[0] == "Anna"
    assert names[1] == "anna 2"
    assert names[2] == "Sopwith 2"
    assert "\n" not in names[3]
    assert "\x1b" not in names[3]


def test_a_chat_takes_as_many_people_as_its_owner_says(site: Served) -> None:
    """Make room when somebody leaves; who comes again by the same browser takes another name, not
    another place."""
    chat = site.post("/api/shared", {"title": "Few", "most": 2}).json
    key = chat["link"].partition("#key=")[2]
    anna, ben = Person(site, chat["link"], "Anna"), Person(site, chat["link"], "Ben")
    outside = Served(site.home, site.cwd, address=site.address)
    full = outside.post(f"{anna.path}/join", {"key": key, "name": "Eve"})
    assert full.status == 429 and "it takes 2 people" in full.json["error"]["text"]
    again = ben.browser.post(f"{ben.path}/join", {"key": key, "name": "Benjamin"})
    assert again.status == 204
    ben.browser.cookie = again.headers["set-cookie"].partition(";")[0]
    assert ben.state()["name"] == "Benjamin"
    [row] = [each for each in site.get("/api/shared").json["shared"] if each["id"] == chat["id"]]
    assert (row["names"], row["most"]) == (2, 2)
    assert anna.browser.post(f"{anna.path}/leave").status == 204
    assert Person(site, chat["link"], "Eve").state()["name"] == "Eve"
    assert site.post("/api/shared", {"title": "x", "most": 101}).status == 422


def test_nobody_says_more_than_may_be_read(site: Served) -> None:
    """30 in a minute for one; and whoever takes more names than that gains nothing beyond what all may say together."""
    chat = opened(site, "Loud")
    people = [Person(site, chat["link"], f"P{n}") for n in range(5)]
    assert [people[0].say("x") for _ in range(31)] == [202] * 30 + [429]
    for person in people[1:4]:
        assert [person.say("x") for _ in range(30)] == [202] * 30
    assert people[4].say("x") == 429
    assert site.post(f"/api/shared/{chat['id']}/close").status == 204


def test_markup_and_much_of_it_is_text(site: Served) -> None:
    chat = opened(site, "<script>alert(1)</script>")
    anna = Person(site, chat["link"], "<img src=x>")
    assert anna.browser.post(f"{anna.path}/say", {"text": "x" * 8_001}).status == 413
    assert anna.browser.post(f"{anna.path}/say", {"text": ""}).status == 422
    state = anna.state()
    assert (state["title"], state["name"]) == ("<script>alert(1)</script>", "<img src=x>")


def test_a_chat_outlives_the_server(site: Served) -> None:
    chat = opened(site)
    anna = Person(site, chat["link"], "Anna")
    with anna.tab() as tab:
        anna.say("are you there")
        said(tab, "Anna")
        port = site.port
        site.stop(9)
    site.start(port)
    assert [m["text"] for m in anna.state()["messages"]][:1] == ["are you there"]
    kept = (site.home / "web" / "shared.json").read_text()
    assert chat["link"].partition("#key=")[2] not in kept
