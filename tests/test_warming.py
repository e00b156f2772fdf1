"""Check what is made ready before a model is asked: so that the first tool call of a run waits for
nothing, and a replay not at all."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
START = """
import os, sys
from pathlib import Path
from config import load
from runs.assemble import Agent, Options
from runs.control.bounds import AbsentOwner

run = Agent(load(Path(sys.argv[1]), "en", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "SOPWITH_MODEL": "m"})).start(
    sys.argv[2], Options(cwd=Path(sys.argv[1])), AbsentOwner()
)
print(*("shell.effects.walk" in sys.modules, "openai" in sys.modules, run.sop))
"""


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("tell me something that no procedure tells", "True False None"),
        ("Which files take the most space in {home}?", "False False largest-files"),
    ],
)
def test_a_run_with_a_model_has_the_gate_ready_and_a_replay_starts_without(
    home: Path, task: str, said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", START, home, task.format(home=home)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert (done.stdout.strip(), done.stderr) == (said, "")
