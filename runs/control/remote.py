"""Speak to a run that another process works on, and stop one, here or on another machine."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from config import Config
from memory.inbox import Inbox
from memory.logs import find_run, read_events, summarise, worker
from memory.runlog import SHARED, RunLog
from memory.working import Letters
from runs.run import cancelled
from safety.secrets import without
from text import plugin


def say_to(config: Config, run: str, text: str) -> bool:
    """Say something to a run that another process of this machine works on. False: it is not at
    work."""
    folder = config.home / "runs" / run
    if worker(folder) is None:
        return False
    Letters(folder).leave(without(config, text))
    return True


def stop(config: Config, run: str) -> bool:
    """Stop a run and its helpers, wherever they work; what waits for the owner is taken back.
    False: all have ended. Raises SopwithError."""
    if config.queue and (config.home / "runs" / run / SHARED).exists():
        is_taken_back: bool = queue_of(config).take_back(config, run)
        return is_taken_back
    return cancel(config.home, run)


def cancel(home: Path, run: str) -> bool:
    """Stop a run: a working one by a signal to its process, a waiting or interrupted one in its
    log; its helpers too.

    Returns False when all of them had ended already. Raises RunLogError.
    """
    run = find_run(home, run)
    pid = worker(home / "runs" / run)
    if pid:
        os.kill(pid, signal.SIGTERM)
        return True
    summary = summarise(home, run)
    below = [cancel(home, child) for child in (summary.children if summary else ())]
    if summary is None or summary.status not in ("waiting", "interrupted"):
        return any(below)
    log = RunLog.reopen(home, run)
    try:
        log.append(cancelled(run, read_events(home, run), summary.sop))
        log.sync()
    finally:
        log.close()
    Inbox(home).remove_run(run)
    if list((home / "runs" / run).glob("waiting-*.json")):
        from tools.staged import Staging

        Staging.discard_all(home / "runs" / run, home)
    return True


DEFAULT = "postgresql"  # says what is wrong with an address that names none


def queue_of(config: Config) -> Any:
    """Return the backend: a module or object with the names of runs/workers. Raises ConfigError
    where it does not load."""
    scheme = config.queue.url.partition("://")[0] if config.queue else DEFAULT
    return plugin.one("queue", scheme if plugin.has("queue", scheme) else DEFAULT)
