"""The run log at size: an index that may always be thrown away, and old runs that are put away and
still prove."""

import json
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.runlog import make_runs
from memory.evidence import Pointer, read_record
from memory.facts import FactStore
from memory.logs import list_runs, read_events, run_ids, summarise
from memory.logs.archive import put_away, restore
from memory.logs.index import lines, rebuild
from memory.logs.packed import place
from memory.logs.reading import open_log
from memory.runlog import RunLog
from memory.sops.curve import SopStats
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import bash, run

LATER = datetime.now(UTC) + timedelta(days=2)
PACKER = """
import sys; from datetime import UTC, datetime, timedelta; from pathlib import Path
from memory.logs.archive import put_away
print("begun", flush=True)
put_away(Path(sys.argv[1]), 1, datetime.now(UTC) + timedelta(days=400))
"""


def listed(home: Path, limit: int | None = None) -> list[str]:
    return [json.loads(line)["run"] for line in lines(home, limit)]


def log_of(home: Path, name: str) -> bytes:
    with open_log(home, name) as file:
        return file.read()


def ended(home: Path, task: str = "count", status: str = "done") -> str:
    log = RunLog.create(home)
    stamp = {"run": log.run, "at": "2026-01-01T00:00:00Z"}
    log.append(
        {"type": "run_started", **stamp, "task": task, "session": "main", "cwd": "/", "sop": None}
    )
    counted = {
        "turns": 1,
        "model_calls": 0,
        "tokens": dict.fromkeys(("input", "cached", "output"), 0),
        "cost": 0.0,
    }
    how = {
        "status": status,
        "result": "42",
        "exit": "EXITED",
        "seconds": 1,
        "sop": None,
        "rote": True,
    }
    log.append({"type": "run_ended", **stamp, **how, **counted})
    log.close()
    return log.run


def test_the_index_says_what_the_logs_say(home: Path) -> None:
    ids = make_runs(home, 700)
    waiting, working = ended(home, status="waiting"), RunLog.create(home)
    working.append(
        {"type": "run_started", "run": working.run, "at": "x", "task": "now", "sop": None}
    )
    from_logs = [summarise(home, name) for name in run_ids(home)]
    assert list_runs(home) == from_logs == list_runs(home)
    assert listed(home, 5) == run_ids(home)[:5]
    working.close()
    assert {json.loads(line)["status"] for line in lines(home, 2)} == {"interrupted", "waiting"}
    again = RunLog.reopen(home, waiting)
    again.append({"type": "run_resumed", "turn": 2})
    again.close()
    found = {line["run"]: line["status"] for line in map(json.loads, lines(home))}
    assert found[waiting] == "interrupted" and found[ids[0]] == "done"
    rebuild(home)
    assert {line["run"]: line["status"] for line in map(json.loads, lines(home))} == found


def test_what_is_old_and_ended_is_put_away_and_read_all_the_same(
    home: Path, cli: CommandLine
) -> None:
    done, failed, waits = (
        ended(home, "the first"),
        ended(home, status="failed"),
        ended(home, status="waiting"),
    )
    (home / "runs" / done / "out-1.txt").write_text("long output\n" * 500)
    (home / "runs" / done / "scripts").mkdir()
    (home / "runs" / done / "scripts" / "a.py").write_text("print(1)\n")
    events = {name: list(read_events(home, name)) for name in (done, failed)}
    put = put_away(home, 1, datetime.now(UTC))
    assert put.runs == 0
    put = put_away(home, 1, LATER)
    assert (put.runs, put.problem) == (2, "") and put.bytes_after < put.bytes_before
    assert not (home / "runs" / done).exists() and (home / "runs" / waits).exists()
    assert {name: list(read_events(home, name)) for name in (done, failed)} == events
    assert run_ids(home) == sorted([done, failed, waits], reverse=True) and set(listed(home)) == {
        done,
        failed,
        waits,
    }
    shown = cli("runs", "show", done)
    assert shown.code == 0 and "the first" in shown.stdout and "42" in shown.stdout
    assert cli("runs", "show", done[:15], "--json").code in (0, 2)
    assert restore(home, done) and not place(home, done).exists()
    assert (home / "runs" / done / "out-1.txt").read_text().count("\n") == 500
    assert (home / "runs" / done / "scripts" / "a.py").read_text() == "print(1)\n"


def test_an_archived_run_still_proves(home: Path) -> None:
    name = run(
        home, [bash('for n in $(seq 1 9); do echo "shelf $n is /srv/shelf/$n"; done'), "Done."]
    )[0]["run"]
    record = read_record(home, name)
    assert record is not None
    counted = len(SopStats(home).runs("x"))
    assert put_away(home, 1, LATER).runs == 1
    assert read_record(home, name) == record
    pointer = Pointer(name, 1, record.results[0].hash)
    fact = FactStore(home).add("PATHS", "shelf 3 is /srv/shelf/3", (pointer,), run=name)
    assert fact.evidence == (pointer,)
    assert len(SopStats(home).runs("x")) == counted


def test_a_run_that_goes_on_comes_back_out(home: Path) -> None:
    name = ended(home, status="failed")
    put_away(home, 1, LATER)
    log = RunLog.reopen(home, name)
    log.append({"type": "run_resumed", "turn": 2})
    log.close()
    assert [event["type"] for event in read_events(home, name)] == [
        "run_started",
        "run_ended",
        "run_resumed",
    ]
    assert not place(home, name).exists()
    assert json.loads(lines(home)[0])["status"] == "interrupted"


def test_no_run_is_lost_when_the_packer_is_killed(home: Path) -> None:
    ids = make_runs(home, 300)
    before = {name: log_of(home, name) for name in ids}
    for kill in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", PACKER, str(home)], cwd=CHECKOUT, stdout=subprocess.PIPE
        ) as packer:
            assert packer.stdout is not None and packer.stdout.readline()
            time.sleep(0.01 + kill * 0.02)
            packer.send_signal(signal.SIGKILL)
        assert set(run_ids(home)) == set(ids)
    put_away(home, 1, datetime.now(UTC) + timedelta(days=400))
    assert run_ids(home, archived=False) == []
    assert {name: log_of(home, name) for name in ids} == before
    assert not list((home / "runs" / ".archive").rglob(".*"))
