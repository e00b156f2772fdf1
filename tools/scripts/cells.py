"""The cells in which the scripts of a run work when the sandbox is full: built once, then used by
one call after the other.

A cell is a bubblewrap with a supervisor inside (sandbox/cells/supervisor.py). A call that may do
more, or for which other things must be guarded, has a cell of another plan
(sandbox/cells/mounts.py). A cell that died is built anew; all end with their run.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from select import POLLIN, poll
from typing import TYPE_CHECKING

from sandbox.cells import Group, Profile, Sandbox, bubblewrap, mounts
from sandbox.cells.levels import Level
from sandbox.network import NOTHING, Leave, proxied
from tools.processes import MARK, Running, Tree, Work, leaders, mark, starting
from tools.scripts.guarded import Guarded

if TYPE_CHECKING:
    from sandbox.stage import Holder, Stage
    from tools.processes.tree import Opens, Start

PACKET_BYTES = 16_384
BUILT_SECONDS = 20.0  # a machine that needs longer to start bubblewrap is out of memory
NOTHING_LEFT_SECONDS = 1.5  # for what was killed to be gone; the cell is given up after that
# Joins the control groups, then becomes bubblewrap.
_JOIN = 'for file in "$@"; do shift; [ "$file" = -- ] && break; echo 0 >"$file"; done 2>/dev/null; exec "$@"'
_of: weakref.WeakKeyDictionary[Sandbox, Cells] = weakref.WeakKeyDictionary()


class Cell:
    """One bubblewrap. It is being built when this returns; what it is told meanwhile waits."""

    def __init__(self, sandbox: Sandbox, plan: mounts.Plan, *, is_staged: bool = False) -> None:
        """Raise OSError."""
        self.plan = plan
        self.was_used = False
        self._stands = False
        self.said = ""  # by bubblewrap, once it has ended
        limits = sandbox.profile.limits
        self._group = Group(limits.memory_bytes, limits.processes)
        self.talk, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.holder: Holder | None = None
        if is_staged:
            from sandbox.stage import Holder

            self.holder = Holder()
        info = bubblewrap.call_filter()
        self.way_out = sandbox.exits.cell() if sandbox.exits else None
        more, door, passed = self.way_out.built() if self.way_out else ([], "-1", [])
        told = [*mounts.words(sandbox.profile, plan, info), *more]
        # in a file, since everybody may read the arguments of a process
        words = bubblewrap.file(b"\0".join(map(os.fsencode, told)) + b"\0")
        self._errors = bubblewrap.file(b"")
        counts = (limits.memory_bytes, limits.file_bytes, limits.cpu_seconds, limits.processes)
        supervised = mounts.supervisor(inner.fileno(), door, *counts)
        line = [
            sandbox.level.program,
            "--args",
            str(words),
            "--as-pid-1",
            "--",
            *supervised,
        ]
        try:
            self._start(line, [info, words, inner.fileno(), *passed])
        except OSError:
            self._let_go()
            raise
        finally:
            inner.close()
            for each in (info, words, *passed[1:]):
                os.close(each)

    def _start(self, line: list[str], passed: list[int]) -> None:
        if self._group.files:
            line = ["/bin/sh", "-c", _JOIN, "sh", *self._group.files, "--", *line]
        if self.holder:
            line = [*self.holder.words(), *line]
            passed = [*passed, self.holder.descriptor]
        with starting:
            self._process = subprocess.Popen(
                line,
                cwd="/",
                env={"PATH": os.defpath, "LANG": "C.UTF-8", MARK: mark("cell")},
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                start_new_session=True,  # Ctrl-C is for us
                pass_fds=passed,
            )
            leaders.add(self._process.pid)
        if self.holder:
            self.holder.started(self._process.pid)

    def _let_go(self) -> None:
        for each in (self.talk, self.holder, self._group, self.way_out):
            if each:
                each.close()
        os.close(self._errors)

    def is_alive(self) -> bool:
        """Return True if it can take a call: it has not ended, and says nothing of a call that is
        over."""
        if self.talk.fileno() < 0 or self._process.poll() is not None:
            return False
        try:
            return bool(self.talk.recv(PACKET_BYTES, socket.MSG_DONTWAIT)) and self.is_alive()
        except BlockingIOError:
            return True
        except OSError:
            return False

    def stand(self) -> None:
        """Wait until it is built: what is mounted before would be in the way of bubblewrap's own
        mounts. Raises OSError."""
        if self._stands:
            return
        self.talk.settimeout(BUILT_SECONDS)
        try:
            self.talk.send(b"term")  # nobody is there yet; the answer says that the supervisor is
            self._stands = self.talk.recv(PACKET_BYTES).startswith(b"left")
        finally:
            self.talk.settimeout(None)
        if not self._stands:
            raise OSError("the cell has ended")

    def why(self) -> str:
        """Return what bubblewrap said before it ended."""
        if self.talk.fileno() < 0:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(NOTHING_LEFT_SECONDS)
        return self._said()

    def _said(self) -> str:
        return " ".join(os.pread(self._errors, 4096, 0).decode(errors="replace").split())[:200]

    def close(self) -> None:
        """End it with all that is in it. May be called again."""
        if self.talk.fileno() < 0:
            return
        self.talk.close()
        if self.holder:
            self.holder.close()
        if not self.was_used and self._process.poll() is None:
            # there is nothing in it; half built, its inner process would wait for the outer one
            os.killpg(self._process.pid, signal.SIGKILL)
        # the supervisor goes when nobody is there
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(NOTHING_LEFT_SECONDS)
        if self._process.returncode is None:
            self._kill()
            self._process.wait()
        leaders.discard(self._process.pid)
        self.said = self._said()
        self._let_go()

    def _kill(self) -> None:
        """End a supervisor that does not answer, by way of bubblewrap's parent, which then ends
        too; else that itself."""
        pid = self._process.pid
        try:
            inner = [
                int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            ]
        except (OSError, ValueError):
            inner = []
        for each in inner or [pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)


class Call(Running):
    """One script in a cell, with what `code_run` needs of it: `output` is where it writes, `exit`
    is readable when there is news. `stop` it on every way out."""

    def __init__(
        self,
        cell: Cell,
        orders: bytes,
        guarded: Guarded | None = None,
        terminal: int | None = None,
        leave: Leave = NOTHING,
        stage: Stage | None = None,
    ) -> None:
        """`guarded`: what is brought back after it. A script that writes to a `terminal` has the
        cell for itself, and `output` is -1. Raises OSError."""
        self._cell, self.exit = cell, cell.talk.fileno()
        self.stage = stage
        cell.was_used = True
        self.way_out = cell.way_out
        if self.way_out:
            self.way_out.begin(leave)
        self.code: int | None = None
        self._is_done = False
        self.guard = guarded.taken if guarded else None
        self._found: dict[str, None] = {}
        given = bubblewrap.file(orders)
        self.output, inner = os.pipe() if terminal is None else (-1, os.dup(terminal))
        try:
            socket.send_fds(cell.talk, [b"run"], [given, inner])
        except OSError as error:
            if self.output >= 0:
                os.close(self.output)
            raise OSError(f"the sandbox does not start: {cell.why() or error}") from error
        finally:
            os.close(given)
            os.close(inner)

    def hear(self) -> bool:
        """Take the news. True when the script has ended."""
        said = b""
        with contextlib.suppress(OSError):
            said = self._cell.talk.recv(PACKET_BYTES)
        word, _, rest = said.partition(b" ")
        if word in (b"ended", b"done"):
            self.code = int(rest)
            self._is_done = word == b"done"
        elif said.startswith(b"left"):
            self._found |= dict.fromkeys(
                line.decode(errors="replace") for line in said.split(b"\0")[1:]
            )
        else:  # nothing: the cell is gone
            self._is_done = True
            if self.code is None:
                self.code, self.problem = -signal.SIGKILL, self._cell.why()
        return self.code is not None

    def has_rest(self) -> bool:
        """Return True if the script, which has ended, has left processes behind."""
        return not self._is_done

    def stop(self, patience_seconds: float = 0.3) -> list[str]:
        """Ask what still runs to end, then kill it; return the command lines of what had to be
        stopped."""
        try:
            for word, seconds in ((b"term", patience_seconds), (b"kill", NOTHING_LEFT_SECONDS)):
                if not self._is_done:
                    with contextlib.suppress(OSError):
                        self._cell.talk.send(word)
                    self._wait(seconds)
            return [line.strip() for line in self._found]
        finally:
            if self.output >= 0:
                os.close(self.output)
            # it does not answer, or nobody waits for it any more
            if not self._is_done or self.output < 0:
                self._cell.close()

    def opened(self, opens: Opens) -> None:
        """Put the next command of a shell into a stage. Raises OSError."""
        cell = self._cell
        assert cell.holder is not None
        if self.stage is None:
            self.stage = opens(cell.holder, cell.plan.hidden, cell.plan.kept)

    def quiet(self) -> None:
        """End what is at work; the cell stays, so that what was done can be looked at."""
        with contextlib.suppress(OSError):
            self._cell.talk.send(b"kill")
        self._wait(NOTHING_LEFT_SECONDS)

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        news = poll()
        news.register(self.exit, POLLIN)
        while not self._is_done and news.poll(max(0.0, end - time.monotonic()) * 1000):
            self.hear()


class Cells:
    """The cells of one run."""

    def __init__(self, sandbox: Sandbox) -> None:
        places = sandbox.profile.places
        is_shared = sandbox.profile.kind == "shared"
        self.temporary: Path | None = None
        is_written = any(places.temporary.is_relative_to(root) for root in places.roots)
        if not is_shared and (not is_written or sandbox.level.name == "partial"):
            self.temporary = Path(tempfile.mkdtemp(prefix="sopwith-"))
        self._planner = mounts.Planner(sandbox, self.temporary)
        self._cells: dict[bool, Cell] = {}  # by whether it is for calls in a stage
        weakref.finalize(sandbox, _end, self._cells, self.temporary)

    @classmethod
    def of(cls, sandbox: Sandbox) -> Cells:
        """Return those of this sandbox."""
        if sandbox not in _of:
            _of[sandbox] = cls(sandbox)
        return _of[sandbox]

    def start(self, sandbox: Sandbox, work: Work) -> Call | Tree:
        """Start one command. Raises OSError."""
        variables = self._variables(sandbox.profile, work)
        if sandbox.level.name != "full":
            return self._confined(sandbox, work, variables)
        is_staged = work.is_staged or work.opens is not None
        plan = self._planner.plan(work.cwd, work.leave, is_staged=is_staged)
        if sandbox.exits:
            variables |= sandbox.exits.variables(variables.get("PATH", os.defpath))
        fields = [str(work.cwd), str(len(work.argv)), *work.argv]
        fields += [f"{name}={value}" for name, value in (variables | dict(work.given)).items()]
        orders = b"\0".join(map(os.fsencode, fields))
        if work.opens:
            return _staged(self._cell(sandbox, plan, is_staged=True), orders, work)
        guarded = None if work.is_staged else self._guard(plan, work)
        if work.terminal is not None:  # a shell stays, while calls come and go
            cell = Cell(sandbox, plan, is_staged=work.is_staged)
            if work.is_staged:
                cell.stand()
            return Call(cell, orders, guarded, work.terminal, work.leave)
        return Call(self._cell(sandbox, plan), orders, guarded, leave=work.leave)

    def warm(self, sandbox: Sandbox, cwd: Path, *, is_staged: bool = False) -> None:
        """Begin to build the cell that a call will need, and do not wait for it. A failure is told
        by the call."""
        with contextlib.suppress(OSError):
            if sandbox.level.name == "full":
                plan = self._planner.plan(cwd.resolve(), is_staged=is_staged)
                self._cell(sandbox, plan, is_staged=is_staged)

    def _variables(self, profile: Profile, work: Work) -> dict[str, str]:
        found = mounts.environment(work.env) | {"PWD": str(work.cwd)}
        if profile.kind == "shared":
            root = str(profile.places.roots[0])
            return found | {"HOME": root, "TMPDIR": root}
        return found | ({"TMPDIR": str(self.temporary)} if self.temporary else {})

    def _confined(self, sandbox: Sandbox, work: Work, variables: dict[str, str]) -> Tree:
        """Start a command where there are no namespaces: what holds it knows no proxy but by its
        port."""
        level, way_out, port = sandbox.level, None, 0
        stage = work.opens(None, (), ()) if work.opens else None
        if sandbox.exits and mounts.holds_ports():
            way_out, port = sandbox.exits.held()
            way_out.begin(work.leave)
            variables |= proxied(port)
        try:
            plan = self._planner.plan(work.cwd, work.leave, port)
            if stage:
                plan = self._planner.imaged(plan, stage.roots)
            shows = stage.shows if stage else ()
            tree = self._in_place(level, work, plan, variables, shows)
        except OSError:
            if way_out:
                way_out.close()
            if stage:
                stage.discard()
            raise
        tree.way_out, tree.stage = way_out, stage
        return tree

    def _in_place(
        self,
        level: Level,
        work: Work,
        plan: mounts.Plan,
        variables: dict[str, str],
        shows: Iterable[str],
    ) -> Tree:
        named = (word for word in work.argv if word.endswith((".py", ".sh")))
        readable = [Path(word) for word in (*named, *shows) if word.startswith("/")]
        if level.program:  # Seatbelt
            words = self._planner.seatbelt(plan, readable)
            given = variables | dict(work.given)
            return Tree([*words, *work.argv], work.cwd, given, work.name, terminal=work.terminal)

        maker = self._planner.maker(plan)

        def held(env: dict[str, str]) -> Start:
            orders = self._planner.confined(plan, readable, env, maker)
            clean = {"PATH": os.defpath, "LANG": "C.UTF-8", MARK: env[MARK]}
            passed = (orders, maker.inner.fileno()) if maker else (orders,)
            return [*mounts.confine(orders), *work.argv], clean, passed

        given, guarded = variables | dict(work.given), self._guard(plan, work)
        tree = Tree(
            work.argv, work.cwd, given, work.name, terminal=work.terminal, held=held, maker=maker
        )
        tree.guard = guarded.taken if guarded else None
        return tree

    def _guard(self, plan: mounts.Plan, work: Work) -> Guarded | None:
        """Return what brings back what a command may not change; a dry run changes nothing, a
        shared session has nothing, and where there are images the gate looks at all."""
        profile = self._planner.profile
        if profile.kind != "owner" or work.opens:
            return None
        return Guarded(self._planner, plan.hidden, profile.places.roots, allows_git=work.leave.git)

    def _cell(self, sandbox: Sandbox, plan: mounts.Plan, *, is_staged: bool = False) -> Cell:
        kept = self._cells.get(is_staged)
        if kept is not None:
            if kept.plan == plan and kept.is_alive():
                return kept
            kept.close()
            del self._cells[is_staged]
        self._cells[is_staged] = Cell(sandbox, plan, is_staged=is_staged)
        return self._cells[is_staged]


def _staged(cell: Cell, orders: bytes, work: Work) -> Call:
    """Start a command in a stage of its own. Raises OSError."""
    assert cell.holder is not None and work.opens is not None
    try:
        cell.stand()
        stage = work.opens(cell.holder, cell.plan.hidden, cell.plan.kept)
    except OSError as error:
        cell.close()
        raise OSError(f"the stage does not start: {cell.said or error}") from error
    try:
        return Call(cell, orders, leave=work.leave, stage=stage)
    except OSError:
        stage.discard()
        raise


def _end(cells: dict[bool, Cell], temporary: Path | None) -> None:
    for cell in cells.values():
        cell.close()
    cells.clear()
    if temporary:
        shutil.rmtree(temporary, ignore_errors=True)
