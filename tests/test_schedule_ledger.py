"""The ledger: a due time belongs to one claimer, whoever is killed and whoever comes back."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from config import Message
from runs.schedule.ledger import (
    Ledger,
    LedgerError,
    Row,
    folder_of,
)
from tests.conftest import CHECKOUT
from text.sentences import said_in

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
CLAIM = """
import json, sys
sys.path.insert(0, {checkout!r})
from pathlib import Path
from runs.schedule.ledger import Owner, Row, Ledger
home = Path(sys.argv[1])
ledger, mine = Ledger(home), []
with Owner(home) as owner:
    sys.stdin.readline()
    for due in range(1, 121):
        mine += [row.due for row in ledger.add([Row("job", due, owner=owner.name)], {{}})]
    print(json.dumps(mine), flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def test_of_many_processes_one_gets_each_due_time(tmp_path: Path) -> None:
    words = [sys.executable, "-c", CLAIM.format(checkout=str(CHECKOUT)), str(tmp_path)]
    pipe = subprocess.PIPE
    claimers = [subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) for _ in range(4)]
    got: list[int] = []
    for each in claimers:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    for each in claimers:
        assert each.stdout is not None
        got += json.loads(each.stdout.readline())
    assert sorted(got) == list(range(1, 121))
    rows = Ledger(tmp_path).rows()
    assert all(Ledger(tmp_path).is_alive(row.owner) for row in rows)
    for each in claimers:
        with each:
            each.send_signal(signal.SIGKILL)
    assert not any(Ledger(tmp_path).is_alive(row.owner) for row in rows), "a kill lets go at once"


def test_what_a_dead_claimer_left_is_taken_once_and_the_dead_one_can_write_no_more(
    ledger: Ledger, tmp_path: Path
) -> None:
    [row] = ledger.add([Row("job", 5, owner="dead")], {})
    [taken] = ledger.take([row], "first")
    assert taken.attempts == 1 and ledger.take([row], "second") == []
    assert not ledger.begin(row, "late", NOW), (
        "a run that begins late finds that the row is another's"
    )
    assert ledger.begin(taken, "run", NOW)
    ended = replace(taken, run="run", status="done")
    assert (
        not ledger.end(replace(ended, run="late"))
        and ledger.end(ended)
        and not ledger.end(replace(ended, status="failed"))
    )
    assert [each.status for each in ledger.rows()] == ["done"] and ledger.take(
        [ended], "third"
    ) == []


def test_a_ledger_that_is_damaged_says_so(tmp_path: Path) -> None:
    folder_of(tmp_path).mkdir(parents=True)
    (folder_of(tmp_path) / "ledger.sqlite3").write_bytes(os.urandom(5000))
    with pytest.raises(LedgerError, match="cannot be used"):
        Ledger(tmp_path).rows()


def test_a_reason_is_kept_with_its_key_and_an_older_row_as_it_is(home: Path) -> None:
    ledger, reason = Ledger(home), Message("error.due.late", hours="6")
    ledger.add([Row("new", 1, reason=reason), Row("old", 2, reason="its file went away")], {})
    told = {row.job: said_in("zh", row.reason) for row in ledger.rows()}
    assert told == {"new": "错过：晚了超过 6 小时", "old": "its file went away"}
