"""Do a run in a process of its own: one that subprocess_run.py starts, until who wanted it is gone,
or the try of an SOP."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from config import Config, SopwithError, load
from memory.logs import read_events
from memory.runlog import LEFT, SHARED
from memory.sops import read_sop
from runs.assemble import Agent, Options
from runs.control.bounds import Bounds, owner_by
from runs.control.remote import queue_of


def main(words: Sequence[str]) -> int:
    """Do `HOME LANG RUN [MAX_COST]`. Return the exit code of the run."""
    home, run, max_cost = Path(words[0]), words[2], float(words[3]) if words[3:] else None
    left, is_alone = home / "runs" / run / LEFT, threading.Event()
    threading.Thread(target=_watch, args=(left, is_alone), daemon=True).start()
    try:
        agent = _agent(load(home, "zh" if words[1] == "zh" else "en", os.environ), run)
        opening = next(read_events(home, run), None)
        bounds = Bounds.of(opening or {}) or Bounds("")
        going = agent.resume(
            run, Options(approve=bounds.approve, max_cost=max_cost), owner_by(bounds.approve)
        )
        events = going.events()
        next(events, None)  # the log says that it goes on
        left.unlink(missing_ok=True)
        if is_alone.is_set():
            left.touch()
        for _ in events:
            pass  # they are in the log
    except SopwithError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return going.exit_code


def _agent(config: Config, run: str) -> Agent:
    if not (config.home / "runs" / run / SHARED).exists() or config.queue is None:
        return Agent(config)
    return Agent(config, queue_of(config).gone_on_with(config, run))


def _watch(left: Path, is_alone: threading.Event) -> None:
    """Stop this process when the one that wanted it is gone."""
    while os.read(0, 4096):
        pass
    is_alone.set()
    left.touch()
    os.kill(os.getpid(), signal.SIGTERM)


def try_out(home: str, lang: str, folder: str, values: str, cwd: str) -> None:
    """Do the SOP of a folder and print the events of the run: the process in the stage
    (runs/replaying/trying.py)."""
    config = load(Path(home), "zh" if lang == "zh" else "en", os.environ)
    agent = Agent(config.but(models=(), redis=None, graph=None, queue=None))
    run = agent.try_out(read_sop(Path(folder), False), json.loads(values), Options(cwd=Path(cwd)))
    for event in run.events():
        line = json.dumps(event, ensure_ascii=False, default=str)
        os.write(1, f"{line}\n".encode("utf-8", "replace"))
