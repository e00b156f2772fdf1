"""Run a command in a stage that is held for the whole of it, and tell it what it has changed when
it asks."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sandbox.stage import Rehearsal
from sandbox.undo.commits import listed
from tools.scripts.staged import with_rewritten
from tools.staged.dry import VARIABLE


@contextmanager
def rehearsed(stage: Rehearsal, words: Sequence[str], cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a command of ours, which can be read line by line; in it `tools.staged.dry.is_dry` is
    true."""
    ours, theirs = socket.socketpair()
    threading.Thread(target=_answer, args=(stage, ours), daemon=True).start()
    env = dict(os.environ) | {VARIABLE: f"{stage.namespace} {theirs.fileno()}"}
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if is_main else None
    try:  # the command hears Ctrl-C too, and ends
        with theirs:
            started = stage.start(words, cwd, env, [theirs.fileno()])
        with started:
            yield started
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)
        ours.close()


def _answer(stage: Rehearsal, talk: socket.socket) -> None:
    """Tell the command what it has changed, each time that it asks."""
    with talk.makefile("rb") as asked:
        for _ in asked:
            found = listed(with_rewritten(stage.look()))
            talk.sendall(json.dumps(found).encode("ascii") + b"\n")
