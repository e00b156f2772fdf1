"""The run log on a real disk: what is appended is there, whatever happens to the process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory.logs import RunLogError, find_run, read_events, run_ids, worker
from memory.runlog import RunLog
from tests.conftest import CHECKOUT
from tests.machine import ran


def begin(home: Path, task: str = "count") -> RunLog:
    log = RunLog.create(home)
    log.append(
        {
            "type": "run_started",
            "run": log.run,
            "at": "2026-01-01T00:00:00Z",
            "task": task,
            "sop": None,
        }
    )
    return log


@pytest.mark.parametrize("torn", [b'{"type": "turn', b"{", b'{"type": "x"}'])
def test_a_torn_last_line_is_left_out_and_cut_off_when_the_run_goes_on(
    home: Path, torn: bytes
) -> None:
    log = begin(home)
    log.close()
    path = log.folder / "log.jsonl"
    with path.open("ab") as file:
        file.write(torn)
    assert [event["type"] for event in read_events(home, log.run)] == ["run_started"]
    again = RunLog.reopen(home, log.run)
    again.append({"type": "run_resumed"})
    again.close()
    assert [event["type"] for event in read_events(home, log.run)] == ["run_started", "run_resumed"]


def test_one_process_works_on_a_run(home: Path) -> None:
    log = begin(home)
    code = (
        "import sys; from pathlib import Path; from memory.runlog import RunLog, RunLogError\n"
        "try: RunLog.reopen(Path(sys.argv[1]), sys.argv[2])\n"
        "except RunLogError as error: print(error); sys.exit(7)"
    )
    command = [sys.executable, "-c", code, str(home), log.run]
    done = ran(*command, cwd=CHECKOUT)
    assert done.returncode == 7 and str(os.getpid()) in done.stdout
    assert worker(log.folder) == os.getpid()
    log.close()
    assert worker(log.folder) is None
    assert subprocess.run(command, cwd=CHECKOUT, capture_output=True, check=False).returncode == 0


def test_runs_are_found_by_id_by_its_start_and_by_last(home: Path) -> None:
    logs = [begin(home) for _ in range(3)]
    for log in logs:
        log.close()
    newest = run_ids(home)[0]
    assert find_run(home, "last") == newest == find_run(home, newest)
    with pytest.raises(RunLogError, match="start of 3 runs"):
        find_run(home, newest[:8])
    with pytest.raises(RunLogError, match="no run"):
        find_run(home, "nope")


@pytest.mark.disk("64k")
def test_a_full_disk_is_said_and_leaves_no_half_line(small_disk: Path) -> None:
    log = begin(small_disk)
    with pytest.raises(RunLogError, match="No space left"):
        for number in range(1000):
            log.append({"type": "tool_ended", "data": "x" * 500, "number": number})
    log.close()
    lines = (log.folder / "log.jsonl").read_bytes()
    assert lines.endswith(b"\n")
    numbers = [json.loads(line)["number"] for line in lines.splitlines()[1:]]
    assert numbers == list(range(lines.count(b"\n") - 1))
