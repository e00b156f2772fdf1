"""The learning curve: whatever happens to the file, the counts are those of the run logs."""

import json
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Literal

import pytest

import config
from memory.sops.curve import SopStats
from memory.sops.curve.sop_stats import Saved
from models.base import Event
from tests.conftest import CHECKOUT
from tests.rows import cases
from ui import words
from ui.sops.changes import stats as screen

ASKER = """
import sys
from pathlib import Path
from memory.sops.curve import SopStats
home, runs = Path(sys.argv[1]), sys.argv[2:]
for run in runs:
    print(SopStats(home).counts("x").runs, flush=True)
"""


@pytest.fixture
def stats(home: Path) -> SopStats:
    (home / "sops").mkdir(parents=True)
    return SopStats(home)


def log(
    home: Path,
    number: int,
    *,
    sop: str | None = "x",
    kinds: tuple[str, ...] = ("rote",),
    status: str | None = "done",
    stopped: str = "",
    seconds: float = 0.5,
    version: int | None = 1,
) -> str:
    """Return a run as its log tells it: one turn for each kind of model; `stopped` is the step at
    which a replay diverged."""
    run = f"20260101-{number:06d}-aaaa"
    begun: Event = {"type": "run_started", "task": f"task {number % 3}", "sop": sop}
    events: list[Event] = [begun | {"sop_version": version}]
    for turn, kind in enumerate(kinds, 1):
        is_asked = kind == "openai"
        used = (1000, 400, 50) if is_asked else (0, 0, 0)
        tokens = dict(zip(("input", "cached", "output"), used, strict=True))
        if kind == "rote":
            events.append({"type": "rote", "sop": sop, "step": f"plan.{turn}", "state": "started"})
        called = {"type": "model_called", "turn": turn, "kind": kind, "tokens": tokens}
        events.append(called | {"cost": 0.01 * is_asked})
        events.append({"type": "tool_ended", "turn": turn, "data": '{"type": "rote"' * 20})
    if stopped:
        diverged = {"type": "rote", "step": stopped, "state": "diverged", "reason": "changed"}
        events.insert(2, diverged)
    if status:
        events.append({"type": "run_ended", "status": status, "seconds": seconds})
    minutes, second = divmod(number, 60)
    at = f"2026-01-01T{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}.000Z"
    folder = home / "runs" / run
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({**event, "run": run, "at": at}) + "\n" for event in events]
    (folder / "log.jsonl").write_text("".join(lines), "utf-8")
    return run


def taught_by(home: Path, name: str, *runs: str) -> None:
    folder = home / "sops" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evidence.json").write_text(
        json.dumps({"runs": [{"run": run, "turns": [1]} for run in runs]}), "utf-8"
    )


def test_each_run_has_its_lane_and_what_it_took(home: Path, stats: SopStats) -> None:
    taught_by(home, "x", log(home, 1, sop=None, kinds=("openai", "openai"), seconds=20))
    log(home, 2, kinds=("openai",), seconds=9)
    log(home, 3, kinds=("rote", "rote"))
    log(home, 4, kinds=("rote", "openai"), stopped="plan.2", version=2)
    rows = stats.runs("x")
    assert [row.lane for row in rows] == ["teach", "model", "rote", "rote→model"]
    assert [row.model_calls for row in rows] == [2, 1, 0, 1]
    assert [(row.fresh, row.cached, row.output, row.cost) for row in rows[:3]] == [
        (1200, 800, 100, 0.02),
        (600, 400, 50, 0.01),
        (0, 0, 0, 0),
    ]
    assert [row.seconds for row in rows[:2]] == [20, 9] and [row.turns for row in rows] == [
        2,
        1,
        2,
        2,
    ]
    assert [row.version for row in rows] == [None, 1, 1, 2]
    assert (rows[3].outcome, rows[3].status, rows[3].stopped) == (
        "diverged",
        "done",
        "plan.2: changed",
    )
    assert rows[0].at < rows[1].at


@cases
def test_what_speaks_against_an_sop(
    home: Path,
    stats: SopStats,
    status: str | None,
    kinds: tuple[str, ...],
    stopped: str,
    outcome: str,
    failures: int,
) -> None:
    log(home, 1, status=status, kinds=kinds, stopped=stopped)
    assert stats.runs("x")[0].outcome == outcome
    assert stats.counts("x").failures_in_row == failures


def test_saved_is_held_against_the_first_run(home: Path, stats: SopStats) -> None:
    first = log(home, 1, sop=None, kinds=("openai",) * 4, seconds=40)
    taught_by(home, "x", first, log(home, 2, sop=None, kinds=("openai",) * 2, seconds=10))
    for number in (3, 4):
        log(home, number, seconds=1)
    log(home, 5, status="failed", seconds=2, kinds=("openai",))
    counts = stats.counts("x")
    assert counts.first == first
    assert counts.saved == Saved(tokens=2 * 4200 - 1050, seconds=2 * 39 - 2, cost=0.07)


def test_several_processes_count_together(home: Path, stats: SopStats) -> None:
    runs = [log(home, number) for number in range(60)]
    askers = [
        subprocess.Popen(
            [sys.executable, "-c", ASKER, str(home), *runs[start::4]],
            cwd=CHECKOUT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for start in range(4)
    ]
    for asker in askers:
        said, problems = asker.communicate()
        assert asker.returncode == 0 and problems == b""
        assert set(said.split()) == {b"60"}  # whoever asks gets all that is in the logs
    assert stats.counts("x").runs == 60


# the screen


@pytest.fixture
def learned(home: Path, stats: SopStats) -> Path:
    """Return a home with an SOP that was taught by a model's run of 9 calls and replayed since."""
    shutil.copytree(CHECKOUT / "sops/largest-files", home / "sops/largest-files")
    first = log(home, 1, sop=None, kinds=("openai",) * 9, seconds=45, version=None)
    taught_by(home, "largest-files", first)
    for number in range(2, 50):
        log(home, number, sop="largest-files")
    kinds = ("rote", "openai")
    log(home, 60, sop="largest-files", kinds=kinds, stopped="plan.2", seconds=6, version=2)
    return home


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_curve_is_a_table_and_totals(
    learned: Path, capsys: pytest.CaptureFixture[str], lang: Literal["en", "zh"]
) -> None:
    words.use(lang)
    assert screen(Namespace(sop="largest-files", json=False), config.load(learned, lang, {})) == 0
    said = capsys.readouterr().out
    rows = [line.split("\t") for line in said.splitlines() if "\t" in line]
    assert len(rows) == 20 and {len(row) for row in rows} == {8}
    assert rows[0][3:5] == ["9", "9,450"] and rows[-1][3] == "1"
    assert "98%" in said and "plan.2: changed" in said


def test_the_time_in_which_the_owner_thinks_is_not_the_sops(home: Path, stats: SopStats) -> None:
    run = log(home, 1, seconds=100.0)
    path = home / "runs" / run / "log.jsonl"
    lines = path.read_text("utf-8").splitlines()
    spoken = [("confirm", 10), ("confirmed", 70), ("asked", 70), ("answered", 79), ("confirm", 80), ("run_resumed", 90), ("confirmed", 95)]  # fmt: skip
    said = [json.dumps({"type": kind, "run": run, "at": f"2026-01-01T00:{at // 60:02d}:{at % 60:02d}.000Z"}) for kind, at in spoken]  # fmt: skip
    path.write_text("\n".join([lines[0], *said, *lines[1:]]) + "\n", "utf-8")
    assert [row.seconds for row in stats.runs("x")] == [100.0 - 60 - 9]
