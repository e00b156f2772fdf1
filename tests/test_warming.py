"""Check what is made ready while a model thinks: so that the first tool call of a run waits for
nothing, and a replay not at all."""

import sys
from pathlib import Path
from typing import Any

from tests.machine import ran
from tests.rows import cases
from tests.scripted_server import Answer

ROOT = Path(__file__).resolve().parent.parent
START = """
import sys
from pathlib import Path
from config import load
from runs.assemble import Agent, Options
from runs.control.bounds import AbsentOwner

home, task, url = sys.argv[1:]
config = load(Path(home), "en", {"OPENAI_BASE_URL": url, "SOPWITH_MODEL": "m"})
run = Agent(config).start(task, Options(cwd=Path(home)), AbsentOwner())
before = "shell.effects.walk" in sys.modules
next(event for event in run.events() if event["type"] in ("model_called", "tool_started"))
print(before, "shell.effects.walk" in sys.modules, "openai" in sys.modules, run.sop)
"""


@cases
def test_a_model_thinks_while_the_gate_gets_ready_and_a_replay_starts_without_it(
    home: Path, scripted_server: Any, task: str, said: str
) -> None:
    server = scripted_server([Answer(text="Something.", wait=1.0)])
    words = [home, task.format(home=home), server.base_url]
    done = ran(sys.executable, "-c", START, *words, cwd=ROOT)
    assert (done.stdout.strip(), done.stderr) == (said, "")
