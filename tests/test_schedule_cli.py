"""Schedules from the command line to the report: real processes, real clocks, real kills."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from config import load
from memory.logs import list_runs
from runs.schedule.ledger import Ledger, Owner, Row, micros
from runs.schedule.scheduler import Scheduler
from tests.conftest import CHECKOUT, LAUNCH, CommandLine
from tests.driving import bash, call
from tests.machine import PATIENCE_SECONDS, Hold, ran
from tests.rows import cases
from tests.screen import waits_until

Start = Callable[[], subprocess.Popen[str]]


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """`schedule start` as a process that has begun to work."""
    with contextlib.ExitStack() as running:

        def begin() -> subprocess.Popen[str]:
            words = [
                *LAUNCH,
                "schedule",
                "start",
            ]
            process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            running.enter_context(process)
            running.callback(process.kill)
            assert process.stderr is not None
            assert any("Ctrl-C" in line for line in process.stderr)  # the last line of its start
            return process

        yield begin


def write_job(home: Path, id: str, **fields: Any) -> None:
    path = home / "schedule" / f"{id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fields), "utf-8")


def soon(seconds: float = 1.0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def row(home: Path, job: str, status: str = "") -> Row | None:
    rows = Ledger(home).rows(job, 1)
    return rows[0] if rows and status in ("", rows[0].status) else None


def scripted(home: Path, replies: list[Any]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    script = home.parent / "replies.json"
    script.write_text(json.dumps(replies), "utf-8")
    (home / "config.yaml").write_text(
        f"models: [{{name: script, kind: scripted, model: {script}}}]", "utf-8"
    )


def test_a_job_is_shown_before_it_is_kept_and_listed(cli: CommandLine, home: Path) -> None:
    done = cli(
        "schedule", "add", "every weekday 08:00", "System", "report", "--timezone", "Europe/Berlin"
    )
    assert done.code == 0 and "every weekday at 08:00 (Europe/Berlin)" in done.stdout
    assert done.stdout.count(" 08:00 CE") == 5 and "sopwith schedule start" in done.stdout
    kept = json.loads((home / "schedule" / "system-report.json").read_text("utf-8"))
    assert kept == {
        "schedule": "08:00",
        "repeat": "weekday",
        "timezone": "Europe/Berlin",
        "prompt": "System report",
    }
    [job] = json.loads(cli("schedule", "list", "--json").stdout)["jobs"]
    assert (job["id"], job["enabled"], job["health"], len(job["next"])) == (
        "system-report",
        True,
        "never run",
        5,
    )
    assert job["when"] == "every weekday at 08:00" and datetime.fromisoformat(job["next"][0]).tzinfo
    assert "每个工作日 08:00" in cli("--lang", "zh", "schedule", "list").stdout
    assert "System report" in cli("schedule", "show", "system-report").stdout
    log = ran("git", "-C", str(home), "log", "--format=%s", check=True)
    assert log.stdout.strip() == "schedule: system-report added"


def test_a_job_is_switched_off_and_on_and_taken_away(cli: CommandLine, home: Path) -> None:
    assert cli("schedule", "add", "每天早上8点", "System report", "--name", "report").code == 0
    assert cli("schedule", "disable", "report").code == 0
    [job] = json.loads(cli("schedule", "list", "--json").stdout)["jobs"]
    assert job["enabled"] is False and job["next"] == []
    assert cli("schedule", "enable", "report").code == 0
    assert json.loads(cli("schedule", "list", "--json").stdout)["jobs"][0]["next"]
    back = cli("schedule", "remove", "report").stdout.splitlines()[-1].partition(": ")[2]
    assert json.loads(cli("schedule", "list", "--json").stdout)["jobs"] == []
    subprocess.run(["/bin/sh", "-c", back], check=True, capture_output=True)
    assert [job["id"] for job in json.loads(cli("schedule", "list", "--json").stdout)["jobs"]] == [
        "report"
    ]


@cases
def test_what_cannot_be_meant_is_said_and_nothing_is_kept(
    cli: CommandLine, home: Path, args: tuple[str, ...], said: str
) -> None:
    done = cli("schedule", *args)
    assert done.code == 2 and said in done.stderr and len(done.stderr.splitlines()) <= 2
    assert not list((home / "schedule").glob("*.json"))


def test_jobs_run_at_their_times_by_rote_and_leave_a_report(
    cli: CommandLine, home: Path, start: Start
) -> None:
    write_job(home, "first", at=soon(1.5), sop="system-report", notify="always")
    write_job(home, "broken", at="never", prompt="x")
    process = start()
    waits_until(lambda: json.loads(cli("schedule", "list", "--json").stdout)["running"])
    waits_until(lambda: row(home, "first", "done"))
    write_job(home, "third", at=soon(0.5), prompt="System report")  # by hand, while it works
    assert waits_until(lambda: row(home, "third", "done")).model_calls == 0
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_SECONDS) == 0
    first = row(home, "first")
    assert first is not None and first.run and (first.began - first.due) / 1e6 < 30
    [report] = (home / "schedule" / "done").glob("*_first.md")
    text = report.read_text("utf-8")
    assert (
        text.startswith("# first: done\n")
        and first.run in text
        and "by rote: system-report" in text
    )
    listed = {
        job["id"]: job["health"]
        for job in json.loads(cli("schedule", "list", "--json").stdout)["jobs"]
    }
    assert listed == {"first": "ok", "third": "ok", "broken": "broken"}
    entries = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    assert {entry["id"] for entry in entries} == {"job-broken-broken", f"job-first-{first.due}"}
    history = json.loads(cli("schedule", "history", "--json").stdout)["history"]
    assert len(history) == 2 and all(
        each["status"] == "done" and each["cost"] == 0 for each in history
    )


def test_a_run_that_must_ask_waits_in_the_inbox_and_is_done_when_it_was_answered(
    cli: CommandLine, home: Path
) -> None:
    target = home.parent / "note.txt"
    target.write_text("x", "utf-8")
    scripted(home, [call("file_trash", paths=[str(target)]), {"text": "It is gone."}])
    write_job(home, "tidy", schedule="08:00", prompt="Put note.txt out of my sight")
    assert cli("schedule", "run-now", "tidy").code == 3
    waiting = row(home, "tidy", "waiting")
    assert waiting is not None and target.exists()
    [entry] = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    assert cli("inbox", "approve", entry["id"]).code == 0
    [listed] = json.loads(cli("schedule", "history", "tidy", "--json").stdout)["history"]
    assert listed["status"] == "done" and listed["run"] == waiting.run and not target.exists()
    assert "It is gone." in next((home / "schedule" / "done").glob("*_tidy.md")).read_text("utf-8")


def claim(home: Path, job: str, owner: str) -> Row:
    due = micros(datetime.now(UTC))
    [claimed] = Ledger(home).add([Row(job, due, owner=owner, noticed=due)], {})
    return claimed


def recovered(home: Path) -> Scheduler:
    """Return the next scheduler, after one look at what was left and all of its work."""
    scheduler = Scheduler(load(home, "en", dict(os.environ)))
    scheduler.tick()
    while found := scheduler.next_rows():
        scheduler.perform(found)
    scheduler.owner.close()
    return scheduler


def test_a_kill_between_claim_and_run_loses_nothing(home: Path) -> None:
    write_job(home, "job", schedule="08:00", sop="system-report")
    owner = Owner(home)
    left = claim(home, "job", owner.name)
    recovered(home)
    assert Ledger(home).rows() == [Ledger(home).rows()[0]] and row(home, "job", "claimed"), (
        "its owner is alive"
    )
    owner.close()
    recovered(home)
    done = row(home, "job", "done")
    assert done is not None and done.due == left.due and len(list_runs(home)) == 1


KILLED = """
import os, sys
sys.path.insert(0, {checkout!r})
from runs.schedule import child
from runs.schedule.outcomes import Outcomes
def killed(*args): os.kill(os.getpid(), 9)
Outcomes.{method} = killed
child.main(*sys.argv[1:])
"""


@pytest.mark.parametrize("method", ["_report", "_tell", "_end"])
def test_a_kill_between_run_and_report_does_not_run_it_again(home: Path, method: str) -> None:
    write_job(home, "job", schedule="08:00", sop="system-report", notify="always")
    owner = Owner(home)
    left = claim(home, "job", owner.name)
    script = KILLED.format(checkout=str(CHECKOUT), method=method)
    words = [sys.executable, "-c", script, str(home), "en", "job", str(left.due), owner.name]
    assert subprocess.run(words, check=False).returncode == -9
    owner.close()
    assert row(home, "job", "running")
    recovered(home)
    done = row(home, "job", "done")
    assert done is not None and len(list_runs(home)) == 1 and done.run == list_runs(home)[0].run
    assert len(list((home / "schedule" / "done").iterdir())) == 1
    assert len(list((home / "inbox").glob("job-*.json"))) == 1


def test_a_run_that_is_killed_goes_on_where_it_stood(
    home: Path, start: Start, tmp_path: Path
) -> None:
    counted, hold = tmp_path / "counted", Hold()
    scripted(home, [bash(f"echo begun >> {counted}"), bash(hold.command), {"text": "All done."}])
    write_job(home, "job", at=soon(0.5), prompt="Do two things")
    process = start()
    hold.reached()
    found = row(home, "job", "running")
    assert found is not None
    process.kill()
    process.wait()
    assert (home / "runs" / found.run / "lock").exists()
    os.kill(int((home / "runs" / found.run / "lock").read_text()), signal.SIGKILL)
    start()
    done = waits_until(lambda: row(home, "job", "done"))
    assert done.run == found.run and done.attempts == 1 and "All done." in done.result
    assert counted.read_text().count("begun") == 1


def test_the_scheduler_dies_and_its_run_lives_on(home: Path, start: Start) -> None:
    hold = Hold()
    scripted(home, [bash(hold.command), {"text": "Done."}])
    write_job(home, "job", at=soon(0.5), prompt="Wait for it")
    process = start()
    hold.reached()
    process.kill()
    process.wait()
    start()  # it must not do it a second time
    hold.release()
    done = waits_until(lambda: row(home, "job", "done"))
    assert done.attempts == 0 and len(list_runs(home)) == 1


def test_a_run_may_write_a_job_only_with_its_owners_yes(home: Path, cli: CommandLine) -> None:
    job = json.dumps({"schedule": "08:00", "prompt": "System report"})
    path = home / "schedule" / "more.json"
    scripted(home, [call("file_write", path=str(path), content=job), {"text": "Kept."}])
    write_job(home, "maker", schedule="08:00", prompt="Make more of you", approve="all")
    assert cli("schedule", "run-now", "maker").code == 3, (
        "even where all is approved: jobs would make jobs without end"
    )
    assert not path.exists()
    [entry] = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    assert (
        entry["risk"] == "schedule"
        and "more.json would run by itself at set times" in entry["text"]
    )
    assert cli("inbox", "approve", entry["id"]).code == 0
    assert {
        each["id"] for each in json.loads(cli("schedule", "list", "--json").stdout)["jobs"]
    } == {"maker", "more"}


def test_an_idle_scheduler_does_not_wake_up(home: Path, start: Start) -> None:
    import psutil

    write_job(home, "later", schedule="08:00", repeat="monthly", prompt="System report")
    process = start()
    watched = psutil.Process(process.pid)

    def rests() -> bool:
        before, cpu = watched.num_ctx_switches().voluntary, watched.cpu_times()
        time.sleep(1.5)
        return watched.num_ctx_switches().voluntary - before <= 1 and watched.cpu_times() == cpu

    waits_until(rests)


def test_it_is_put_into_systemd_as_a_timer_that_systemd_takes(
    home: Path, cli: CommandLine, tmp_path: Path
) -> None:
    """With a `systemctl` that only says yes, and the real verifier of units where there is one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "systemctl").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/said\n')
    (folder / "systemctl").chmod(0o755)
    path = {"PATH": f"{folder}:{os.environ['PATH']}"}
    odd = home.parent / "my home 100% $x"
    assert cli("--home", str(odd), "schedule", "install", env=path).code == 0
    units = sorted((home.parent / ".config" / "systemd" / "user").iterdir())
    assert [unit.suffix for unit in units] == [".service", ".timer"]
    assert f"--user enable --now {units[1].name}" in (tmp_path / "said").read_text()
    if verifier := shutil.which("systemd-analyze"):
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
        said = ran(verifier, "verify", "--user", *units, env=environment)
        assert units[0].stem not in said.stdout + said.stderr, said
    assert cli("--home", str(odd), "schedule", "install", "--remove", env=path).code == 0
    assert not any(unit.exists() for unit in units)


@pytest.mark.parametrize("task", ["remind me to stretch", "记得提醒我伸展"])
def test_each_reminder_of_a_job_is_told_in_the_inbox(
    cli: CommandLine, home: Path, task: str
) -> None:
    assert cli("schedule", "add", "every day 9:00", task, "--name", "stretch").code == 0
    for _ in range(2):
        assert cli("schedule", "run-now", "stretch").code == 0
    entries = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    told = [entry["text"] for entry in entries]
    assert len(told) == 2 and all("stretch" in text or "伸展" in text for text in told)
    assert len(json.loads(cli("schedule", "list", "--json").stdout)["jobs"]) == 1


def test_a_job_that_nothing_can_do_says_so_when_it_is_added(cli: CommandLine) -> None:
    warned = cli("schedule", "add", "every day 9:00", "sing a song about otters").stdout
    fine = cli("schedule", "add", "every day 9:00", "how much disk space is free").stdout
    assert "teach NAME" in warned and "teach NAME" not in fine
