"""Notifications: told once, after the quiet hours, without secrets, and kept through failures and
kills."""

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from config import Config, NotifyConfig, load
from memory.inbox import Inbox
from runs.notify import Notice, Outbox
from runs.notify.delivery import deliver
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import bash, call
from tests.hooks import Hook
from tests.screen import waits_until

pytest.importorskip("apprise", reason="the extra notify is not installed")
SECRET = "correct-horse-battery"


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as server:
        yield server


def settings(home: Path, hook: Hook, quiet: str = "") -> Config:
    notify = NotifyConfig((f"json://localhost:{hook.port}/x",), quiet)
    return Config(notify=notify, home=home, lang="en")


def configured(home: Path, hook: Hook, replies: Sequence[object]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    script = home / "replies.json"
    script.write_text(json.dumps(replies))
    (home / "config.yaml").write_text(
        f'notify: {{urls: ["json://me:{SECRET}@localhost:{hook.port}/x"]}}\n'
        f"models: [{{name: s, kind: scripted, model: {script}}}]\n"
    )


def titles(hook: Hook) -> list[str]:
    return [str(each["title"]) for each in hook.got]


def test_a_notice_is_sent_once_however_often_it_is_put(home: Path, hook: Hook) -> None:
    config = settings(home, hook)
    for _ in range(3):
        Outbox(config).put(Notice("a", "title", "body"))
        deliver(config)
    assert [(each["title"], each["message"]) for each in hook.got] == [("title", "body")]


def test_what_was_not_accepted_is_sent_again_later(home: Path, hook: Hook) -> None:
    config, hook.status = settings(home, hook), 500
    Outbox(config).put(Notice("a", "title", "body"))
    deliver(config)
    hook.status = 200
    deliver(config)
    assert len(hook.got) == 1, "it does not try again at once"
    with sqlite3.connect(home / "notify" / "outbox.sqlite3") as database:
        database.execute("UPDATE deliveries SET due = 0")
    database.close()
    deliver(config)
    deliver(config)
    assert titles(hook) == ["title", "title"]


def test_quiet_hours_hold_and_deliver_after(home: Path, hook: Hook) -> None:
    now = datetime.now()
    around = f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=1):%H:%M}"
    held = settings(home, hook, around)
    Outbox(held).put(Notice("a", "title", "body"))
    deliver(held)
    assert hook.got == []
    deliver(settings(home, hook))
    assert titles(hook) == ["title"]


DELIVERS = """
import sys
sys.path.insert(0, sys.argv[1])
import os
from pathlib import Path
from config import load
from runs.notify.delivery import deliver
deliver(load(Path(sys.argv[2]), "en", os.environ))
"""


def test_a_kill_while_it_is_sent_loses_nothing_and_sends_nothing_twice(
    home: Path, hook: Hook
) -> None:
    configured(home, hook, [])
    config = load(home, "en", {})
    Outbox(config).put(Notice("a", "first", "what happened"))
    hook.gate.clear()
    process = subprocess.Popen([sys.executable, "-c", DELIVERS, str(CHECKOUT), str(home)])
    waits_until(lambda: len(hook.got) == 1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    hook.gate.set()
    Outbox(config).put(Notice("b", "second", ""))
    deliver(config)
    deliver(config)
    assert titles(hook) == ["first", "second"]
    [left] = Inbox(home).list()
    assert "first" in left.text and "what happened" in left.text


def test_a_job_tells_its_outcome_its_changes_and_how_to_undo_them(
    home: Path, hook: Hook, cli: CommandLine, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    replies = [call("file_write", path="a.txt", content="x"), f"Saved; the key is {SECRET}."]
    configured(home, hook, replies)
    cli("schedule", "add", "every day 08:00", "save it", "--cwd", str(work))
    [job] = [path.stem for path in (home / "schedule").glob("*.json")]
    assert cli("schedule", "run-now", job).code == 0
    [told] = hook.got
    assert told["title"] == f"Sopwith · {job}: done"
    assert "Saved" in told["message"] and "Changes: 1 new." in told["message"]
    assert "sopwith undo " in told["message"] and SECRET not in json.dumps(hook.got)
    outbox = (home / "notify" / "outbox.sqlite3").read_bytes()
    assert SECRET.encode() not in outbox


def test_autonomous_mode_tells_of_each_item(
    home: Path, hook: Hook, cli: CommandLine, tmp_path: Path
) -> None:
    configured(home, hook, [bash("echo 3"), "There are 3."])
    cli("run", "add count the pages to my to-do list")
    done = cli("auto", "--for", "2m")
    if "R01" not in done.stdout:
        pytest.fail(done.stdout + done.stderr)
    assert any("R01" in title for title in titles(hook))


def test_a_test_message_says_which_service_takes_it(
    home: Path, hook: Hook, cli: CommandLine
) -> None:
    configured(home, hook, [])
    assert cli("notify", "test").stdout == "✓ json: sent\n"
    hook.status = 500
    refused = cli("notify", "test", "--json")
    assert refused.code == 1
    assert json.loads(refused.stdout) == {"sent": [{"service": "json", "ok": False}]}
    assert SECRET not in refused.stdout + refused.stderr
