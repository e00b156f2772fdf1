"""Channels in a real `serve`: the owner's chat, groups, strangers, buttons, restarts, double
deliveries, rate limits."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import signal
import socket
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config import Webhook as Settings
from memory.inbox import Inbox
from memory.logs import list_runs, read_events
from tests.conftest import CommandLine
from tests.driving import bash, call
from tests.hooks import Hook
from tests.machine import free_port
from tests.screen import waits_until
from tests.serving import Served, made_home
from tests.telegram import FRIEND, GROUP, OWNER, STRANGER, TOKEN, BotApi
from ui.channels.letters import pieces
from ui.channels.webhook import Webhook

SECRET = "a-secret-of-some-length"


@pytest.fixture
def api() -> Iterator[BotApi]:
    with BotApi() as server:
        yield server


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a server has its home."""
    return tmp_path_factory.mktemp("served")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file that is old and one that is new."""
    folder = tmp_path / "box"
    folder.mkdir()
    for name in ("old.txt", "new.txt"):
        (folder / name).write_text(name)
    os.utime(folder / "old.txt", (time.time() - 90 * 86_400,) * 2)
    return folder


def served(place: Path, api: BotApi, replies: list[Any]) -> Served:
    return Served(made_home(place, replies, api.settings()), place / "cwd")


def tasks(home: Path) -> list[str]:
    """Every text that a run was given, at its start or later."""
    found = []
    for run in list_runs(home, 1000):
        for event in read_events(home, run.run):
            if event["type"] == "run_started":
                found.append(str(event["task"]))
            if event["type"] in ("steered", "answered"):
                found.append(str(event["text"]))
    return found


def test_the_owner_talks_and_is_asked(place: Path, api: BotApi) -> None:
    replies = [call("ask_user", question="Which day?", candidates=["Mo", "Tu"]), "Tuesday it is."]
    with served(place, api, replies) as site:
        api.write("please plan it")
        api.write("with me")
        waits_until(lambda: api.texts() == ["Which day?\n- Mo\n- Tu"])
        api.write("Tu")
        waits_until(lambda: api.texts()[1:] == ["Tuesday it is."])
    assert tasks(site.home) == ["please plan it\nwith me", "Tu"]
    [run] = list_runs(site.home)
    assert next(read_events(site.home, run.run))["session"] == "main"


def test_leave_is_given_by_a_button_once_and_by_the_owner_alone(
    place: Path, api: BotApi, folder: Path
) -> None:
    with served(place, api, []) as site:
        api.write(f"delete files older than 30 days in {folder}")
        waits_until(lambda: len(api.texts()) == 1)
        assert "old.txt" in api.texts()[0]
        api.press("Approve", STRANGER)
        api.press("Approve", OWNER)
        api.press("Approve", OWNER)
        api.press("Deny", OWNER)
        waits_until(lambda: len(api.texts()) == 2 and len(api.of("answerCallbackQuery")) == 3)
    assert "Moved 1 file" in api.texts()[1]
    assert [path.name for path in folder.iterdir()] == ["new.txt"]
    toasts = [each["text"] for each in api.of("answerCallbackQuery")]
    assert toasts == ["Approved.", "Already decided.", "Already decided."]
    [run] = list_runs(site.home)
    assert (run.status, run.rote, run.model_calls) == ("done", True, 0)


def test_a_press_after_its_run_was_cancelled_says_so(
    place: Path, api: BotApi, folder: Path
) -> None:
    with served(place, api, []) as site:
        api.write(f"delete files older than 30 days in {folder}")
        waits_until(lambda: len(api.texts()) == 1)
        api.write("/stop")
        waits_until(lambda: api.texts()[1:] == ["Stopped."])
        api.press("Approve")
        waits_until(lambda: len(api.of("answerCallbackQuery")) == 1)
    assert "cancelled" in api.of("answerCallbackQuery")[0]["text"]
    assert (folder / "old.txt").exists() and Inbox(site.home).list() == []


def test_a_question_waits_through_a_kill_of_the_server(
    place: Path, api: BotApi, folder: Path
) -> None:
    with served(place, api, []) as site:
        api.write(f"delete files older than 30 days in {folder}")
        waits_until(lambda: len(api.texts()) == 1)
        site.stop(signal.SIGKILL)
        api.press("Approve")
        site.start()
        waits_until(lambda: len(api.texts()) == 2)
    assert "Moved 1 file" in api.texts()[1] and not (folder / "old.txt").exists()


def test_a_run_that_works_is_stopped(place: Path, api: BotApi) -> None:
    with served(place, api, [bash("sleep 60"), "never"]) as site:
        api.write("take your time")
        waits_until(lambda: [run.turns for run in list_runs(site.home)] == [1])
        api.write("/stop")
        waits_until(lambda: api.texts() == ["Stopped."])
    assert list_runs(site.home)[0].status == "cancelled"


def test_strangers_are_not_let_in(place: Path, api: BotApi) -> None:
    with served(place, api, ["Hello."]) as site:
        api.write("let me in", STRANGER)
        api.write("/start", STRANGER)
        api.write("@SopBot hello", STRANGER, chat=-100999)  # a group without the owner
        api.write("hello", OWNER)
        waits_until(lambda: api.texts() == ["Hello."])
        assert len(api.said) == 1 and tasks(site.home) == ["hello"]
    kept = b"".join(path.read_bytes() for path in (site.home / "channels").glob("*.sqlite3"))
    assert b"let me in" not in kept


def test_a_group_is_answered_once_when_it_asks_and_is_a_shared_session(
    place: Path, api: BotApi
) -> None:
    with served(place, api, ["Six o'clock."]) as site:
        api.write("nice weather today", FRIEND, chat=GROUP)
        api.write("@SopBot when do we meet?", FRIEND, chat=GROUP)
        number = api.write("@SopBot I mean tonight", OWNER, chat=GROUP)
        waits_until(lambda: api.texts(GROUP) == ["Six o'clock."])
        waits_until(lambda: len(api.of("setMessageReaction")) == 2)
        assert api.said[0]["reply_parameters"]["message_id"] == number
    [run] = list_runs(site.home)
    opening = next(read_events(site.home, run.run))
    assert opening["session"] == f"shared:telegram-{GROUP}"
    assert opening["task"] == f"Person{FRIEND}: when do we meet?\nPerson{OWNER}: I mean tonight"


def test_a_reply_to_the_bot_is_meant_for_it_and_an_emoji_is_a_reaction(
    place: Path, api: BotApi
) -> None:
    with served(place, api, ["❤"]):
        to = {"reply_to_message": {"message_id": 1, "from": {"id": 123456, "is_bot": True}}}
        api.write("we did it!", FRIEND, chat=GROUP, **to)
        waits_until(lambda: len(api.of("setMessageReaction")) == 2)
    given = [each["reaction"][0]["emoji"] for each in api.of("setMessageReaction")]
    assert given == ["👀", "❤"] and api.said == []


def test_files_and_photos_come_with_the_task(place: Path, api: BotApi) -> None:
    api.files = {"F1": b"id,name\n1,Ada\n", "P2": b"\xff\xd8\xff\xe0"}
    document: dict[str, Any] = {
        "document": {"file_id": "F1", "file_name": "../people.csv"},
        "caption": "count it",
    }
    photo: dict[str, Any] = {
        "photo": [{"file_id": "P1", "width": 90}, {"file_id": "P2", "width": 1280}]
    }
    with served(place, api, ["Got it."]) as site:
        api.write("", **document)
        api.write("", **photo)
        waits_until(lambda: api.texts() == ["Got it."])
    [run] = list_runs(site.home)
    folder = site.home / "runs" / run.run
    kept = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert kept["people.csv"] == api.files["F1"] and api.files["P2"] in kept.values()
    assert run.task.startswith("count it")


def test_the_third_message_is_still_done_by_rote(place: Path, api: BotApi, folder: Path) -> None:
    with served(place, api, []) as site:
        for count in (1, 2, 3):
            api.write(f"what are the {count} largest files in {folder}?")
            waits_until(lambda: len(api.texts()) == count)  # noqa: B023 - it is looked at here
    assert [(run.rote, run.model_calls) for run in list_runs(site.home)] == [(True, 0)] * 3


def test_what_an_unattended_run_asks_comes_with_buttons(
    place: Path, api: BotApi, folder: Path
) -> None:
    with served(place, api, ["Hello."]) as site:
        api.write("hello")
        waits_until(lambda: api.texts() == ["Hello."])
        job = {"schedule": "once", "prompt": f"delete files older than 30 days in {folder}"}
        soon = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + 2))
        path = site.home / "schedule" / "tidy.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"at": soon, "prompt": job["prompt"]}))
        waits_until(lambda: len(api.texts()) == 2)
        api.press("Approve")
        waits_until(lambda: len(api.texts()) == 3)
    assert not (folder / "old.txt").exists()


def test_nothing_is_lost_and_nothing_comes_twice(place: Path, api: BotApi) -> None:
    """200 messages, each handed out twice, with two restarts, a kill and a rate limit in
    between."""
    api.repeats, api.flood = 2, 7
    with served(place, api, [bash("sleep 0.2"), "Noted."]) as site:
        for number in range(200):
            api.write(f"message <{number}> of many")
            if number % 10 == 0:
                api.write(f"let me in <{number}>", STRANGER)
            if number in (60, 120):
                site.stop()
                site.start()
            if number == 160:
                site.stop(signal.SIGKILL)
                site.start()
            time.sleep(0.02 if number % 25 else 2.0)
        waits_until(lambda: set(_numbers(site.home)) == {str(each) for each in range(200)})
        waits_until(lambda: all(run.status == "done" for run in list_runs(site.home, 1000)))
        waits_until(lambda: len(api.texts()) >= len(list_runs(site.home, 1000)))
        time.sleep(2 * 1.5)  # what would come twice comes now
    twice = {each: count for each, count in Counter(_numbers(site.home)).items() if count > 1}
    assert twice == {} and len(_numbers(site.home)) == 200
    assert len(api.texts()) == len(list_runs(site.home, 1000))
    assert {each["chat_id"] for each in api.said} == {OWNER}


def _numbers(home: Path) -> list[str]:
    return [found for text in tasks(home) for found in re.findall(r"<(\d+)>", text)]


def test_the_doctor_asks_whether_the_token_is_taken(
    home: Path, api: BotApi, cli: CommandLine
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(api.settings())
    assert "telegram: @SopBot" in cli("doctor").stdout
    (home / "config.yaml").write_text(api.settings().replace(TOKEN, "1:wrong"))
    assert "Unauthorized" in cli("doctor").stdout


def test_no_error_names_the_token(place: Path) -> None:
    port = free_port()
    home = made_home(
        place,
        ["Hello."],
        f"channels: {{telegram: {{token: '{TOKEN}', owner: 1, base_url: 'http://127.0.0.1:{port}'}}}}",
    )
    with Served(home, place / "cwd") as site, BotApi() as other:
        other.said.clear()
        time.sleep(1.0)
        assert TOKEN not in site.errors.read_text()


def signed(body: bytes) -> str:
    return f"sha256={hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()}"


def post(port: int, said: dict[str, Any], signature: str | None = None) -> int:
    body = json.dumps(said).encode()
    headers = {"X-Sopwith-Signature": signed(body) if signature is None else signature}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


@pytest.mark.parametrize("text", ["a line\n" * 2000, "x" * 9000, "\U0001f600" * 5000])
def test_a_long_message_comes_in_pieces_that_telegram_takes(text: str) -> None:
    found = pieces(text)
    assert "".join(found).replace("\n", "") == text.replace("\n", "")
    assert all(len(each.encode("utf-16-le")) // 2 <= 4096 for each in found)


def test_a_message_that_cannot_be_kept_or_read_is_not_taken() -> None:
    def full(messages: object, position: str) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    port, stop = free_port(), threading.Event()
    channel = Webhook(Settings(SECRET, "http://127.0.0.1:9/", "ada", port))
    listener = threading.Thread(target=channel.listen, args=(full, "", stop))
    listener.start()
    said = {"id": "1", "chat": "c", "from": "ada", "text": "hello"}
    try:
        waits_until(lambda: is_open(port))
        assert post(port, said) == 503
        assert post(port, {**said, "text": ""}) == 400
    finally:
        stop.set()
        listener.join()


def is_open(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_any_program_is_a_channel_by_signed_messages(place: Path) -> None:
    port = free_port()
    with Hook() as hook:
        settings = f"channels: {{webhook: {{secret: {SECRET}, url: 'http://127.0.0.1:{hook.port}/', owner: ada, port: {port}}}}}"  # fmt: skip
        home = made_home(place, ["Hello, Ada."], settings)
        with Served(home, place / "cwd") as site:
            said = {"id": "1", "chat": "c", "from": "ada", "text": "hello"}
            site.until(lambda: is_open(port) and post(port, said) == 202)
            assert post(port, said) == 202, "the same again is taken, and counts once"
            assert post(port, {**said, "id": "2"}, "sha256=00") == 401
            assert post(port, {**said, "id": "3", "from": "eve"}) == 202
            assert post(port, {"id": "4"}) == 400
            waits_until(lambda: len(hook.got) == 1)
            time.sleep(2.0)
    assert [(each["chat"], each["text"]) for each in hook.got] == [("c", "Hello, Ada.")]
    assert hook.headers[0]["X-Sopwith-Signature"] == signed(hook.bodies[0])
    assert tasks(home) == ["hello"]
