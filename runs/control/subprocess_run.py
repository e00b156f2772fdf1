"""A run in a process of its own: it is stopped by a signal, its errors harm nobody, and several work at the same time.

The run begins in the process that wants it (`Agent.prepare`), so its id is known before anything happens. When that process
is killed, the run stops too and can be gone on with: the end of its stdin tells it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from config import Config, SopwithError, load
from memory.runlog.log import LEFT, SHARED, RunSummary, read_events, summarise, worker
from runs.assemble import Agent, Options
from runs.control.bounds import Bounds
from runs.control.owners import absent

CHECKOUT = Path(__file__).resolve().parents[2]
ERRORS = "errors.txt"  # in the run's folder: what the process said that is in no run log
STOP_SECONDS = 10.0
POLL_SECONDS = 0.05
STARTS = 3  # of one run, when its process is killed again and again
ASKED_TO_STOP = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_MAIN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from runs.control.subprocess_run import main; sys.exit(main(sys.argv[1:]))"


class Apart:
    """Makes a prepared or interrupted run go in a process of its own; one that a process works on already is adopted."""

    def __init__(self, home: Path, lang: str, run: str, max_cost: float | None = None) -> None:
        """`max_cost`: USD for the run in all; None: what its bounds say."""
        self.run, self._home, self._lang, self._max_cost = run, home, lang, max_cost
        self._folder = home / "runs" / run
        self._starts, self._stopped = 0, False
        self._adopts = worker(self._folder) is not None
        self._process = None if self._adopts else self._begin()

    def _begin(self) -> subprocess.Popen[bytes]:
        self._starts += 1
        with (self._folder / ERRORS).open("ab") as errors:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    _MAIN,
                    str(CHECKOUT),
                    str(self._home),
                    self._lang,
                    self.run,
                    *self._most(),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,  # a Ctrl-C at our terminal is ours to pass on
            )

    def _most(self) -> list[str]:
        return [] if self._max_cost is None else [str(self._max_cost)]

    def is_working(self) -> bool:
        """Whether it is still at work. A run that we adopted goes on here when its process has gone before its end, and so does
        one whose process was killed, three times in all."""
        if self._process is None:
            if worker(self._folder) is not None:
                return True
            if not self._adopts or may_go_on(self._home, self.run) is None:
                return False
            self._process = self._begin()
        code = self._process.poll()
        if code is None or not self._was_killed(code):
            return code is None
        self.close()
        self._process = self._begin()
        return True

    def _was_killed(self, code: int) -> bool:
        """Whether somebody or the system ended the process and not the run, and it is to go on."""
        is_wanted = not self._stopped and self._starts < STARTS and -code not in ASKED_TO_STOP
        return code < 0 and is_wanted and may_go_on(self._home, self.run) is not None

    def stop(self, *, seconds: float = STOP_SECONDS) -> None:
        """Ends it as `runs cancel` does; but it may go on when it is wanted again."""
        self._adopts, self._stopped = False, True
        if self.is_working():
            (self._folder / LEFT).touch()
            self._signal(signal.SIGTERM)
            end = time.monotonic() + seconds
            while self.is_working() and time.monotonic() < end:
                time.sleep(POLL_SECONDS)
            if self.is_working():
                self._signal(signal.SIGKILL)
            (self._folder / LEFT).touch()  # it may have taken the first away when it had just begun
        self.close()

    def close(self) -> None:
        """Tidies up behind a process that has ended."""
        if self._process is not None:
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        pid = self._process.pid if self._process is not None else worker(self._folder)
        if pid:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                return  # it has just ended


def may_go_on(home: Path, run: str) -> RunSummary | None:
    """The summary of a run that has neither ended by itself nor by its owner's word; None of all others."""
    summary = summarise(home, run)
    if summary is None:
        return None
    was_left = summary.status == "cancelled" and (home / "runs" / run / LEFT).exists()
    return summary if was_left or summary.status in ("interrupted", "working") else None


def trouble(home: Path, run: str) -> str:
    """The last line that the process of a run said on its own; ""."""
    try:
        lines = (home / "runs" / run / ERRORS).read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ""
    return next((line.strip()[:500] for line in reversed(lines) if line.strip()), "")


def main(words: Sequence[str]) -> int:
    """The process: `HOME LANG RUN [MAX_COST]`. Its exit code is the run's."""
    home, run, max_cost = Path(words[0]), words[2], float(words[3]) if words[3:] else None
    left, is_alone = home / "runs" / run / LEFT, threading.Event()
    threading.Thread(target=_watch, args=(left, is_alone), daemon=True).start()
    try:
        agent = _agent(load(home, "zh" if words[1] == "zh" else "en", os.environ), run)
        opening = next(read_events(home, run), None)
        bounds = Bounds.of(opening or {}) or Bounds("")
        going = agent.resume(
            run, Options(approve=bounds.approve, max_cost=max_cost), absent(bounds.approve)
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
    from runs.workers.log import gone_on_with

    return Agent(config, gone_on_with(config, run))


def _watch(left: Path, is_alone: threading.Event) -> None:
    """Stops this process when the one that wanted it is gone."""
    while os.read(0, 4096):
        pass
    is_alone.set()
    left.touch()
    os.kill(os.getpid(), signal.SIGTERM)
