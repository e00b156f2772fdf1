"""One shell that stays open: bash on a terminal of its own, in a cell of the run's sandbox where
there is one.

Bash reads from the terminal only lines that we type: each runs the command, which lies in a file.
Before the command and at the prompt behind it bash prints a mark with a number drawn for this
command; what output holds, or a command does to its prompt, is no such mark. A thread reads the
terminal, so that no program waits because nobody reads.
"""

from __future__ import annotations

import array
import fcntl
import os
import re
import secrets
import select
import shlex
import shutil
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sandbox.broker import environment as environment_outside
from sandbox.undo import StageError
from tools.base import ToolContext, ToolError
from tools.processes import MARK, Tree, Work, mark
from tools.scripts import environment, started
from tools.scripts.pieces import outside

if TYPE_CHECKING:
    from sandbox.network import Leave
    from sandbox.stage import Stage
    from tools.processes.tree import Opens

ROWS, COLUMNS = 40, 120
MOST_WAITING_BYTES = 4_000_000  # of output that nobody has asked for; the oldest goes
SCREEN_BYTES = 256_000  # of the newest output, from which the screen is painted
# a terminal drops what is behind the 4,095th byte of a line
MOST_TYPED_BYTES, MOST_LINE_BYTES = 16_000, 4_000
LEFT_SECONDS = 0.3  # for what a command has started to leave its stage
UNREAD_SECONDS = 0.05  # for the reader to take what the terminal holds
NEWS_SECONDS = 1.0  # for the news that bash has ended, which come behind its last word
_READS = {("linux", "x86_64"): b"0", ("linux", "aarch64"): b"63"}
_READ = _READS.get((sys.platform, os.uname().machine), b"")  # the number of the system call
_ANY_TERMINAL = os.makedev(5, 0)  # /dev/tty
# Takes the terminal that is its output as its input and as the one that it belongs to, then becomes
# bash.
_TAKE = "import fcntl,os,sys,termios; os.dup2(1, 0); fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[2], sys.argv[2:])"
# Input that was typed behind the end of a command is dropped: it was meant for the command, and
# nobody has looked at it. Between two commands bash is in no folder of the owner's: the stage of
# the one ends, and that of the next is mounted.
_START_FILE = r"""PS1= PS2=
unset HISTFILE; set +o history
__sopwith_script={script} __sopwith_cwd=$PWD __sopwith_old=$PWD
__sopwith_begin() {{
    builtin cd -- "$__sopwith_cwd" 2>/dev/null && OLDPWD=$__sopwith_old
    builtin printf '\033]sopwith;%s;begin\007' "$1" >/dev/tty; return "$2"
}}
__sopwith_end() {{
    while builtin read -r -t 0 </dev/tty; do builtin read -r _ </dev/tty; done
    __sopwith_cwd=$PWD __sopwith_old=$OLDPWD; builtin cd /
    builtin printf '\033]sopwith;%s;%s;%s\007' "$2" "$1" "$__sopwith_cwd" >/dev/tty
}}
builtin cd /
readonly __sopwith_script; readonly -f __sopwith_begin __sopwith_end
"""


Waits = Literal["", "line", "keys", "password"]


class Foreground(NamedTuple):
    """The program that has the terminal."""

    words: tuple[str, ...] = ()  # its command line
    is_shell: bool = False  # bash itself: at work in a loop, or in its `read`
    waits: Waits = ""  # for what; "keys" is a guess: it reads keys, and sleeps


class Shell:
    """Bash on a terminal. `busy` is the number of the command that runs, or ""; `take` gives what
    it says."""

    def __init__(
        self,
        ctx: ToolContext,
        name: str,
        cwd: Path,
        leave: Leave,
        words: tuple[str, ...] = (),
        *,
        is_staged: bool = False,
    ) -> None:
        """`words`: one program that works outside the sandbox has the terminal, in the place of
        bash. Raises ToolError."""
        self._staging = ctx.staging if is_staged else None
        self.name, self.cwd, self.folder, self.program = name, cwd, ctx.folder, words
        self.busy, self.status = " ".join(words), 0
        self.typed = ""  # of the line that has not been sent off
        self.origin = ""  # whose words the command that runs may show (safety/taint/origins.py)
        self.screen = bytearray()  # what the screen is painted from
        # all that was said; and how much of it when the owner typed last
        self.said_bytes = self.answered_bytes = 0
        self.is_followed = False  # somebody takes: then output waits, else the oldest goes
        self._news, self._incoming = threading.Condition(), bytearray()
        self._is_fresh, self._is_over = False, False
        stem = re.sub(r"[^\w.-]", "_", name)[:40]
        start, self._script = ctx.folder / f"shell-{stem}-start.sh", ctx.folder / f"shell-{stem}.sh"
        self._has_begun = bool(words)
        start.write_text(_START_FILE.format(script=shlex.quote(str(self._script))), "utf-8")
        self._script.touch()
        argv = [sys.executable, "-I", "-S", "-B", "-c", _TAKE, str(self._script)]
        bash = shutil.which("bash")
        if bash is None:
            raise ToolError("error.shells.bash-machine")
        options = ["--noprofile", "--rcfile", str(start), "--noediting", "-i"]
        argv += outside(words) if words else [bash, *options]
        own = f"{ctx.folder.name}.shell-{stem}"
        self._master, slave = os.openpty()
        try:
            termios.tcsetwinsize(slave, (ROWS, COLUMNS))
            self._sane, self._path = termios.tcgetattr(slave), os.ttyname(slave)
            self._device = os.fstat(slave).st_rdev
            given = {**ctx.credentials, **ctx.env, MARK: mark(own)}
            given.pop("SOPWITH_ONCE", None)  # it is of one call
            env = environment_outside() | {"TERM": "linux"} if words else _variables()
            work = Work(argv, "", cwd, env, given, own, slave, leave, None, is_staged, bool(words))
            self._running = started(ctx, work)
        except (OSError, ToolError):
            os.close(self._master)
            raise
        finally:
            os.close(slave)
        from pexpect.fdpexpect import fdspawn  # 30 ms, for those who open a shell

        self._terminal: Any = fdspawn(self._master, timeout=None, use_poll=True)
        self._terminal.delaybeforesend = None
        self._reader = threading.Thread(target=self._pump, name=f"shell {name}", daemon=True)
        self._reader.start()

    def begin(self, script: str, opens: Opens | None) -> None:
        """Start a command, which is at the prompt. Raises ToolError."""
        if opens:
            assert not isinstance(self._running, Tree)  # which has no stage
            try:
                self._running.opened(opens)
            except OSError as error:
                raise ToolError("error.shells.nothing-run-stage-does", why=error) from error
        self._script.write_text(script + "\n", "utf-8")
        number, self.typed = secrets.token_hex(8), ""
        self.take()  # what was said in between stands on the screen
        self._has_begun = False
        # a program may have left it otherwise
        termios.tcsetattr(self._master, termios.TCSANOW, self._sane)
        with suppress(OSError), _opened(self._path) as slave:
            termios.tcflush(slave, termios.TCIFLUSH)
        # in time for Ctrl-C, and anew, whatever the command has done to it
        end = f"__sopwith_end $? {number}"
        line = f"PROMPT_COMMAND='{end}'; __sopwith_begin {number} {self.status}; . \"$__sopwith_script\""
        self.busy = number
        self._send(f'{line}; PROMPT_COMMAND="{end}"\n'.encode())

    @property
    def is_staged(self) -> bool:
        """Return True where each command works in a stage."""
        return self._staging is not None

    def stage(self) -> Stage | None:
        """Return the stage of the command that has ended, once nobody is at work in it. Raises
        ToolError."""
        running = self._running
        if running.stage is None or isinstance(running, Tree):
            return None
        if self.is_over:
            running.quiet()
        try:
            if not running.stage.is_left(LEFT_SECONDS):
                return None
        except StageError as error:
            raise ToolError("error.shells.shell-ended", name=self.name, why=error) from error
        stage, running.stage = running.stage, None
        return stage

    def type(self, text: str) -> None:
        """Type a text; a line break is Enter. Raises ToolError for what a terminal does not
        take."""
        data = text.replace("\r\n", "\r").replace("\n", "\r").encode("utf-8", "replace")
        if len(data) > MOST_TYPED_BYTES:
            raise ToolError("error.shells.more-than-bytes-cannot", count=f"{MOST_TYPED_BYTES:,}")
        longest = max(map(len, data.split(b"\r")))
        if self._modes & termios.ICANON and longest > MOST_LINE_BYTES:
            raise ToolError("error.shells.line-more-than-bytes", count=f"{MOST_LINE_BYTES:,}")
        self._send(data)

    def wait(self, seconds: float) -> bool:
        """Until there is something new to take. False when nothing has come."""
        with self._news:
            if not self._is_fresh and not self._is_over:
                self._news.wait(max(0.0, seconds))
            while not self._is_fresh and not self._is_over and self._has_unread():
                self._news.wait(UNREAD_SECONDS)  # a busy machine: the reader has not come to it
            return self._is_fresh

    def take(self) -> bytes:
        """Return what was said since. When the end of the command is in it, `busy` is "" and
        `status` and `cwd` are set."""
        with self._news:
            data, rest = bytes(self._incoming), b""
            if self.busy:
                data, rest = self._parted(data)
            self._incoming[:], self._is_fresh = rest, False
            self._news.notify_all()
        self.said_bytes += len(data)
        self.screen += data
        del self.screen[:-SCREEN_BYTES]
        return data

    @property
    def is_over(self) -> bool:
        """Return True if bash has ended, and all that it said is taken."""
        has_ended = self._has_ended()
        with self._news:  # its last word was on the terminal before the news of its end
            is_unread = not self._is_over and self._has_unread()
            return has_ended and not self._is_fresh and not is_unread

    def _has_ended(self) -> bool:
        if self._is_over or self._running.code is not None:
            return True
        return _is_readable(self._running.exit, 0) and self._running.hear()

    @property
    def code(self) -> int | None:
        """Return how bash has ended, once it has."""
        if isinstance(self._running, Tree):
            with suppress(subprocess.TimeoutExpired):
                self._running.leader.wait(NEWS_SECONDS)
        elif self._running.code is None and _is_readable(self._running.exit, NEWS_SECONDS):
            self._running.hear()
        return self._running.code

    def foreground(self) -> Foreground:
        """Look who has the terminal, and whether it waits there."""
        try:
            group = os.tcgetpgrp(self._master)
        except OSError:
            return Foreground()
        pids = _group(group)
        words = next(filter(None, map(_words, (group, *pids))), ())
        # else it has become another: `exec zsh`
        is_shell = self._session(group) == group and "--rcfile" in words
        return Foreground(words, is_shell, self._waits(pids))

    def _waits(self, pids: list[int]) -> Waits:
        """Return for what the processes in the foreground wait."""
        modes = self._modes
        if self._unread():  # they have not come to it
            return ""
        if not modes & termios.ICANON:
            states = [_stat(pid)[:1] for pid in pids]
            return "keys" if all(each in ([b"S"], [b"T"], [b"Z"], []) for each in states) else ""
        reads = set(map(self._reads, pids)) or {None}
        if not modes & termios.ECHO and reads != {False}:
            return "password"
        return "line" if True in reads else ""

    def widen(self, leave: Leave) -> None:
        """Let what is started next reach these hosts too."""
        self._running.widen(leave)

    def closed_to(self) -> str:
        """Return a line on the hosts that the last command has asked in vain; "" for none."""
        return self._running.closed_to()

    def taken(self) -> list[str]:
        """Return the start-up files that commands have made, moved away
        (tools/scripts/cells.py)."""
        return self._running.taken(self.folder)

    def close(self) -> None:
        """Hang up: bash ends with all that it has started. May be called again."""
        if self._master < 0:
            return
        with suppress(OSError):
            if (session := self._session(os.tcgetpgrp(self._master))) > 1:
                os.kill(session, signal.SIGHUP)
        if self._staging and not isinstance(self._running, Tree) and self._running.stage:
            self._running.quiet()
            self._staging.at_end(self._running.stage)
            self._running.stage = None
        self._running.stop()
        self._reader.join(1.0)
        self._script.unlink(missing_ok=True)
        if not self._reader.is_alive():
            os.close(self._master)
        self._master = -1

    def _send(self, data: bytes) -> None:
        with suppress(OSError):  # it has ended: whoever reads finds out
            while data:
                data = data[self._terminal.send(data) :]

    def _pump(self) -> None:
        from pexpect.exceptions import EOF

        while _is_readable(self._terminal.child_fd, None):
            with self._news:  # what has left the terminal is here: `is_over` looks at both
                while self.is_followed and len(self._incoming) > MOST_WAITING_BYTES:
                    self._news.wait(1.0)
                try:
                    data = self._terminal.read_nonblocking(65_536, 0)
                except (EOF, OSError, ValueError):
                    break
                self._incoming += data
                if not self.is_followed:
                    del self._incoming[:-MOST_WAITING_BYTES]
                self._is_fresh = True
                self._news.notify_all()
        with self._news:
            self._is_over = True
            self._news.notify_all()

    def _parted(self, data: bytes) -> tuple[bytes, bytes]:
        """Return what a reader may see, and what must wait for more: a mark may be cut in two."""
        start = f"\033]sopwith;{self.busy};".encode()
        if not self._has_begun:  # until then it is the echo of what we have typed
            _, begun, data_behind = data.partition(start + b"begin\007")
            if not begun:
                return b"", data
            self._has_begun, data = True, data_behind
        if end := re.search(re.escape(start) + rb"(\d+);([^\007]*)\007", data):
            self.busy, self.status, self.cwd = "", int(end[1]), Path(os.fsdecode(end[2]))
            return data[: end.start()], data[end.end() :]
        cut = data.rfind(b"\033")
        tail = data[cut:] if cut >= 0 else b""
        is_begun = tail[: len(start)] == start[: len(tail)]
        return (data[:cut], tail) if is_begun and 0 < len(tail) < 8_192 else (data, b"")

    @property
    def _modes(self) -> int:
        modes: int = termios.tcgetattr(self._master)[3]
        return modes

    def _has_unread(self) -> bool:
        """Return True while the terminal holds output that the reader has not taken."""
        return self._master >= 0 and _is_readable(self._master, 0)

    def _session(self, group: int) -> int:
        """Return the pid of bash, by the process group that has the terminal; 0 when nobody has it,
        or bash has not come so far."""
        for pid in (group, *_group(group)) if group > 1 else ():
            with suppress(OSError):
                session = os.getsid(pid)
                return session if session != os.getsid(0) else 0
        return 0

    def _unread(self) -> int:
        """Return the bytes that were typed and that nobody has read."""
        with suppress(OSError), _opened(self._path) as slave:
            answer = array.array("i", [0])
            fcntl.ioctl(slave, termios.FIONREAD, answer)
            return answer[0]
        return 0

    def _reads(self, pid: int) -> bool | None:
        """Return True if a process waits in a read of this terminal; None when that cannot be seen
        (it has other rights)."""
        if not _READ:
            return None
        try:
            said = Path(f"/proc/{pid}/syscall").read_bytes().split()
            if said[0] != _READ:
                return False
            return Path(f"/proc/{pid}/fd/{int(said[1], 16)}").stat().st_rdev in (
                self._device,
                _ANY_TERMINAL,
            )
        except FileNotFoundError:
            return False
        except (OSError, IndexError, ValueError):
            return None


@contextmanager
def _opened(path: str) -> Iterator[int]:
    """Yield the other end of the terminal for a moment: held open it would never hang up."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_readable(descriptor: int, seconds: float | None) -> bool:
    """Return True if there is something to read, or its end; None waits for that."""
    said = select.poll()
    said.register(descriptor, select.POLLIN)
    return bool(said.poll(None if seconds is None else seconds * 1000))


def _variables() -> dict[str, str]:
    """Return the environment of a script, but for a terminal that a program may ask at; pyte knows
    what "linux" does."""
    variables = environment() | {"TERM": "linux"}
    for name in ("GIT_TERMINAL_PROMPT", "COLUMNS", "LINES"):
        variables.pop(name, None)
    if not any(variables.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        variables["LANG"] = "C.UTF-8"  # else programs would show Chinese names as numbers
    return variables


def _group(group: int) -> list[int]:
    """Return the processes of a process group, on Linux."""
    found = []
    for entry in os.listdir("/proc") if _READ else ():  # noqa: PTH208 (names are enough)
        if entry.isdecimal() and len(fields := _stat(int(entry))) > 2 and int(fields[2]) == group:
            found.append(int(entry))
    return found


def _stat(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat from the state on (proc(5)): state, parent, group."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return []


def _words(pid: int) -> tuple[str, ...]:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        return tuple(word.decode(errors="replace") for word in words if words != [b""])
    return ()
