"""A run in a process of its own: it is stopped by a signal, its errors harm nobody, and several
work at the same time.

The run begins in the process that wants it (`Agent.prepare`), so its id is known before anything
happens. When that process is killed, the run stops too and can be gone on with: the end of its
stdin tells it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from memory.logs import RunSummary, summarise, worker
from memory.runlog import LEFT

CHECKOUT = Path(__file__).resolve().parents[2]
ERRORS = "errors.txt"  # in the run's folder: what the process said that is in no run log
STOP_SECONDS = 10.0
POLL_SECONDS = 0.05
STARTS = 3  # of one run, when its process is killed again and again
ASKED_TO_STOP = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_MAIN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from runs.control.subprocess_main import main; sys.exit(main(sys.argv[1:]))"


class Apart:
    """Makes a prepared or interrupted run go in a process of its own; one that a process works on
    already is adopted."""

    def __init__(self, home: Path, lang: str, run: str, max_cost: float | None = None) -> None:
        """`max_cost`: USD for the run in all; None: what its bounds say."""
        self.run, self._home, self._lang, self._max_cost = run, home, lang, max_cost
        self._folder = home / "runs" / run
        self._starts, self._stopped = 0, False
        self._adopts = worker(self._folder) is not None
        self._process = None if self._adopts else self._begin()

    def _begin(self) -> subprocess.Popen[bytes]:
        self._starts += 1
        most = [] if self._max_cost is None else [str(self._max_cost)]
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
                    *most,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,  # a Ctrl-C at our terminal is ours to pass on
            )

    def is_working(self) -> bool:
        """Return True if it is still at work. A run that we adopted goes on here when its process
        has gone before its end, and so does one whose process was killed, three times in all."""
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
        """Return True if somebody or the system ended the process and not the run, and it is to go
        on."""
        is_wanted = not self._stopped and self._starts < STARTS and -code not in ASKED_TO_STOP
        return code < 0 and is_wanted and may_go_on(self._home, self.run) is not None

    def stop(self, *, seconds: float = STOP_SECONDS) -> None:
        """End it as `runs cancel` does; but it may be resumed later."""
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
        """Tidy up behind a process that has ended."""
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
    """Return the summary of a run that has neither ended by itself nor by its owner's word; None of
    all others."""
    summary = summarise(home, run)
    if summary is None:
        return None
    was_left = summary.status == "cancelled" and (home / "runs" / run / LEFT).exists()
    return summary if was_left or summary.status in ("interrupted", "working") else None


def trouble(home: Path, run: str) -> str:
    """Return the last line that the process of a run said on its own; ""."""
    try:
        lines = (home / "runs" / run / ERRORS).read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ""
    return next((line.strip()[:500] for line in reversed(lines) if line.strip()), "")
