"""Finds and stops every process that a call started, wherever it went: other groups, other
sessions, orphans.

On Linux we are the subreaper of our descendants, so an orphan becomes our child and cannot get
away; a mark in the environment tells the calls apart. Elsewhere psutil looks at parents and at the
mark. Whoever starts a long-lived child in this process while calls run (an MCP server) does so with
`starting` held and gives it a mark of its own, `mark("mcp")`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sandbox.network import Leave

if TYPE_CHECKING:
    import psutil

    from sandbox.cells.making import Maker
    from sandbox.network.exits import Exit
    from sandbox.stage import Holder, Stage

MARK = "SOPWITH_CALL"
LINUX = sys.platform == "linux"
_counter = itertools.count(1)
# held from fork to exec, while a child still has our environment, and while we look around
starting = threading.Lock()
leaders: set[int] = set()  # children that a Popen of ours waits for: nobody else may reap them


def mark(name: str) -> str:
    """Return a new value for the environment variable MARK; marks nest, so that an agent started by
    an agent is found too."""
    own = f"{name}.{os.getpid()}.{next(_counter)}"
    return f"{outer}:{own}" if (outer := os.environ.get(MARK)) else own


# From the holder of a cell, if it mounts, what must not be seen and what stays as it is, to the
# stage.
Opens = Callable[["Holder | None", Sequence[str], Sequence[str]], "Stage"]
# Command to start: its words, its environment, and descriptors that go with it, the first of
# which is closed then.
Start = tuple[list[str], dict[str, str], tuple[int, ...]]


class Work(NamedTuple):
    """Hold what a sandbox is to start: of `env`, the owner's, it passes little on, `given`
    whole."""

    argv: list[str]
    script: str
    cwd: Path  # without links
    env: Mapping[str, str]
    given: Mapping[str, str]
    name: str
    terminal: int | None = None  # the descriptor that its output goes to, in the place of a pipe
    leave: Leave = Leave()  # what it may reach
    opens: Opens | None = None  # opens the stage of the call
    is_staged: bool = False  # a shell, whose commands each work in a stage
    is_outside: bool = False  # one program, which works outside the sandbox


class Running:
    """Hold what a call that runs has beside its processes."""

    problem = ""  # why it could not go on, where that is not the script's matter
    stage: Stage | None = None  # of a script that is looked at when it has ended
    way_out: Exit | None = None  # to the hosts that it may reach
    # brings back what the script may not change; what it made of it goes to the folder
    guard: Callable[[Path], list[str]] | None = None

    def taken(self, folder: Path) -> list[str]:
        """Return start-up files and others that the script may not change: they are as before, what
        it made is in `folder` now."""
        return self.guard(folder) if self.guard else []

    def widen(self, leave: Leave) -> None:
        """Let the next command of a shell reach these hosts too."""
        if self.way_out:
            self.way_out.widen(leave)

    def closed_to(self) -> str:
        """Return a line on the hosts that the script has asked in vain; "" for none."""
        return self.way_out.said() if self.way_out else ""


class Tree(Running):
    """The processes of one call. Start it through here, and `stop()` it on every way out."""

    def __init__(
        self,
        argv: list[str],
        cwd: Path,
        env: dict[str, str],
        name: str,
        *,
        terminal: int | None = None,
        held: Callable[[dict[str, str]], Start] | None = None,
        maker: Maker | None = None,
    ) -> None:
        """Output goes to `terminal`, if there is one, and `output` is -1 then. `held` returns what
        starts it in this environment, where something holds it, and `maker` works for it."""
        self._maker = maker
        if LINUX:
            _become_subreaper()
        self.mark = mark(name)
        self.started = time.time() - 1  # processes tell their starts in hundredths
        with starting:
            own = env | {MARK: self.mark}
            start = held(own) if held else (argv, own, ())
            try:
                self.leader = _popen(start, cwd, terminal)
            except OSError:
                if maker:
                    maker.close()
                raise
            if maker:
                maker.start()
            leaders.add(self.leader.pid)
        self.output = self.leader.stdout.fileno() if self.leader.stdout else -1
        self.exit = _exit_descriptor(self.leader)

    @property
    def code(self) -> int | None:
        """Return the exit code of the script; negative: the signal that ended it."""
        return self.leader.returncode

    def hear(self) -> bool:
        """`exit` is readable: the script has ended."""
        return True

    def has_rest(self) -> bool:
        """Return True if the script, which has ended, may have left processes behind. Cheap: asks
        the kernel for children."""
        self.leader.wait()
        if not LINUX:
            return bool(self.rest())
        # no child is the usual answer; an orphan would be our child
        return self._has_children() and bool(self.rest())

    def rest(self) -> list[int]:
        """Return the pids of the call that still run, the script's own among them; reaps those that
        have ended."""
        with starting:
            return list(self._rest())

    def stop(self, patience_seconds: float = 0.3, limit_seconds: float = 1.5) -> list[str]:
        """Ask what still runs to end (SIGTERM), then kill it; return the command lines of what had
        to be stopped.

        Returns within `patience_seconds` + `limit_seconds`; what is then still there sits in the
        kernel.
        """
        stopped: dict[int, str] = {}
        try:
            if self.leader.poll() is not None and not self.has_rest():
                return []
            for sign, seconds, pause in (
                (signal.SIGTERM, patience_seconds, patience_seconds),
                (signal.SIGKILL, limit_seconds, 0.05),
            ):
                end = time.monotonic() + seconds
                while time.monotonic() < end and (pids := self.rest()):
                    stopped |= {pid: _command(pid) for pid in pids if pid not in stopped}
                    _send(pids, sign)
                    wait_for(pids, min(end, time.monotonic() + pause))
            if self.stage and self.rest():  # it could go on changing what was looked at
                self.problem = "a process that it started does not end"
            return list(stopped.values())
        finally:
            self._close()

    def _has_children(self) -> bool:
        """Return True if we have a child that is not known for something else, such as what starts
        the scripts."""
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
        known, found = leaders - {self.leader.pid}, set[int]()
        try:
            for task in Path("/proc/self/task").iterdir():
                found |= set(map(int, (task / "children").read_bytes().split()))
        except OSError:
            return True
        return bool(found - known)

    def _close(self) -> None:
        leaders.discard(self.leader.pid)
        if self._maker:
            self._maker.close()
        if self.way_out:
            self.way_out.close()
        os.close(self.exit)
        if self.leader.stdout:
            self.leader.stdout.close()
        # stuck in the kernel: init will have it
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.leader.wait(0.1)

    def _rest(self) -> Iterator[int]:
        """Yield what is known to be of this call by itself, and all below that."""
        import psutil

        found: dict[int, psutil.Process] = {}
        below: dict[int, list[psutil.Process]] = {}
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                below.setdefault(process.ppid(), []).append(process)
                if self._is_root(process):
                    found[process.pid] = process
        todo = list(found.values())
        while todo:
            todo += below.pop(todo.pop().pid, [])
            found |= {each.pid: each for each in todo}
        for process in found.values():
            with contextlib.suppress(psutil.Error):
                if not _is_buried(process):
                    yield process.pid

    def _is_root(self, process: psutil.Process) -> bool:
        """Return True for the script itself, what carries its mark, and orphans that carry none."""
        session = os.getsid(process.pid)
        if session == self.leader.pid:
            return True
        if session in leaders or process.create_time() < self.started:
            return False
        if LINUX and process.ppid() != os.getpid():
            return False  # it is no orphan
        if marked := _mark_of(process) or _mark_again(process):
            return f"{marked}:".startswith(f"{self.mark}:")
        # our own children stay in our session
        return LINUX and session != os.getsid(0)


def _is_buried(process: psutil.Process) -> bool:
    """Return True for a dead child of ours; one that no Popen waits for is let go here."""
    import psutil

    # another's is not gone before its parent has let it go
    is_ours = process.status() == psutil.STATUS_ZOMBIE and process.ppid() == os.getpid()
    if is_ours and process.pid not in leaders:
        with contextlib.suppress(ChildProcessError):  # another call has reaped it
            os.waitpid(process.pid, os.WNOHANG)
    return is_ours


def _popen(start: Start, cwd: Path, terminal: int | None) -> subprocess.Popen[bytes]:
    argv, env, passed = start
    try:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if terminal is None else terminal,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=passed,
        )
    finally:
        for each in passed[:1]:
            os.close(each)


def born(pid: int) -> int:
    """Return when a process began, on a clock that nobody sets: with its pid it names one process
    and no other. 0: there is none."""
    if LINUX:
        with contextlib.suppress(OSError):  # proc(5), counted from the state: 19 is the start
            return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
        return 0
    import psutil

    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(pid).create_time() * 100)
    return 0


def wait_for(pids: list[int], end: float) -> None:
    """Return when one of the processes has ended, or at `end` (monotonic seconds)."""
    descriptors = []
    try:
        for pid in pids[:100]:
            with contextlib.suppress(ProcessLookupError):
                descriptors.append(os.pidfd_open(pid) if LINUX else -1)
        if descriptors and LINUX:
            poll = select.poll()
            for descriptor in descriptors:
                poll.register(descriptor, select.POLLIN)
            poll.poll(max(0.0, end - time.monotonic()) * 1000)
        elif pids and not LINUX:
            time.sleep(0.02)
    finally:
        for descriptor in descriptors:
            if descriptor >= 0:
                os.close(descriptor)


def _send(pids: list[int], sign: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, sign)


@functools.cache
def _become_subreaper() -> None:
    import ctypes

    set_child_subreaper = 36  # PR_SET_CHILD_SUBREAPER, linux/prctl.h
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _exit_descriptor(process: subprocess.Popen[bytes]) -> int:
    """Return a descriptor that is readable once the process has ended."""
    if LINUX:
        return os.pidfd_open(process.pid)
    reader, writer = os.pipe()

    def watch() -> None:
        process.wait()
        os.close(writer)

    threading.Thread(target=watch, daemon=True).start()
    return reader


def _mark_of(process: psutil.Process) -> str:
    """Return the mark that a process carries; "" for none, and for processes of others."""
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        return process.environ().get(MARK, "")
    return ""


def _mark_again(process: psutil.Process) -> str:
    """Look once more where other calls are at work: in the middle of an exec a process shows no
    mark."""
    if not LINUX or len(leaders) < 2:
        return ""
    time.sleep(0.01)
    return _mark_of(process)


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        return " ".join(word.decode(errors="replace") for word in words)[:120] or f"pid {pid}"
    return f"pid {pid}"


def stop_leftovers(run: str) -> list[str]:
    """End what calls of this run left behind when the process that worked on it was killed: what
    carries its mark.

    Returns the command lines of what was ended. Looks at every process, which takes some 50 ms.
    """
    import psutil  # costs the start of runs that are not resumed

    me = psutil.Process()
    ours = {me.pid, *(process.pid for process in me.parents())}
    stopped = []
    for process in psutil.process_iter():
        try:
            if process.pid not in ours and run in process.environ().get(MARK, ""):
                stopped.append(" ".join(process.cmdline()))
                process.kill()
        except psutil.Error:  # it has gone, or is somebody else's
            continue
    return stopped
