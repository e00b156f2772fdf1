"""The team's yardstick: the table of figures, a part switched off, and a recording that a sensible
owner teaches."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bench.figures import SCORERS
from bench.recordings import score
from bench.without import take_out
from tests.conftest import CHECKOUT
from tests.machine import ran

LINES = "how many lines with {word} are in {file}?"
TASK: dict[str, Any] = {
    "id": "lines-with-word",
    "lang": "en",
    "fixture": "put a.txt 'tea\\nink\\n'; put b.txt 'pen\\nink\\nink\\n'; put c.txt 'pen\\ntea\\ntea\\n'",
    "typed": ["grep -c ink ~/a.txt"],
    "values": {"file": "~/a.txt", "word": "ink"},
    "request": LINES,
    "prints": True,
    "template": 'grep -c -- "$word" "$file"',
    "check": "",
    "others": [
        {"values": {"file": "~/c.txt", "word": "tea"}, "expect": "same"},
        {"values": {"file": "~/none.txt", "word": "ink"}, "expect": "stop"},
    ],
    "proof2": {"file": "~/b.txt", "word": "pen"},
}
PRELUDE = 'put() { printf "%b" "$2" > "$1"; }'


def test_a_recording_is_taught_and_its_replays_are_judged(tmp_path: Path) -> None:
    (tmp_path / "recordings-dev.json").write_text(
        json.dumps({"prelude": PRELUDE, "tasks": [TASK]}), "utf-8"
    )
    found = {each.name: each for each in score(tmp_path)}
    assert found["recordings proven"].value == 1
    assert found["recordings, replays right"].value == 2
    assert found["recordings, replays right"].baseline == 2


def test_a_row_of_a_data_file_is_switched_off(tmp_path: Path) -> None:
    rows, weights = tmp_path / "rows.txt", tmp_path / "weights.json"
    rows.write_text("rm: deletes\nls: reads\n")
    weights.write_text('{"a": {"x": 2, "y": 1}, "b": {"x": 3}}')
    take_out(rows, "rm:")
    take_out(weights, "x")
    assert rows.read_text() == "ls: reads\n"
    assert json.loads(weights.read_text()) == {"a": {"x": 0, "y": 1}, "b": {"x": 0}}
    with pytest.raises(SystemExit, match="has no 'cp:'"):
        take_out(rows, "cp:")


def test_absent_collections_are_said_and_are_no_failure(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.figures", "--data", str(tmp_path), "--only", "times"]
    done = ran(*command, "--json", "--last", str(tmp_path / "last.json"), cwd=CHECKOUT, check=True)
    assert json.loads(done.stdout)["absent"] == {"times": f"no {tmp_path / 'timewords-dev.json'}"}


@pytest.mark.parametrize("name", SCORERS)
def test_each_figure_has_its_scorer(name: str) -> None:
    module, function, _ = SCORERS[name]
    assert callable(getattr(import_module(module), function))
