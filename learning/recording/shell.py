"""Records a demonstration: a shell in which the owner does a task once by hand becomes a run in the
run log.

`record` opens bash in a pseudo-terminal and writes each command line down as a turn: intent when it
starts, result when it ends (learning/recording/shell.bash says when that is). What is recorded is
the command line and what it printed, never a keystroke; a line that was typed while the terminal
showed nothing (a password) is kept in memory only, to hide it wherever it may be printed later.
Source: seed 002 §2; "teach NAME --record" of the command line.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from config import Message, SopwithError
from learning.recording.stream import Capture, Mark, Marks
from memory.inbox import call_hash
from memory.runlog import RunLog
from memory.usage import Totals, own_opening
from models.base import Event, Reply, Status, ToolCall
from safety.secrets import HIDDEN, Redactor

SHELL_FILE = Path(__file__).with_name("shell.bash")
RECORDING = "SOPWITH_RECORDING"  # set in the recorded shell: the run
MODEL = "owner"
_STOPPED = 128 + signal.SIGTSTP
_SHORTEST_SECRET = (
    6  # characters; of what only looks like a secret, a shorter one would hide half of every output
)
_OTHER_END = 0x5441  # Linux: TIOCGPTPEER, the end of a pseudo-terminal in which programs work
_PLAIN = b"\x1b[?2004l"  # the terminal marks what is pasted only as long as a shell edits a line
# Answers of a terminal to a program that asks about it, and reports of focus and mouse: no key was
# pressed.
_ANSWERS = re.compile(
    rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\|\x1b\[[?>=<]?[\d;]*[RcntyIOMmu]"
)


class RecordError(SopwithError):
    """A demonstration could not be recorded. Two lines for the owner."""


def record(
    name: str,
    *,
    home: Path,
    lang: str,
    cwd: Path,
    hidden: Mapping[str, str],
    environ: Mapping[str, str],
    label: str = "rec",
    enter: Callable[[str], Sequence[str]] = lambda run: (),
) -> str:
    """Open the shell on this terminal, return the id of the run when the owner has left it.

    `hidden` are values that must stand in no file, by name. `label` is shown in the prompt; `enter`
    gives words to put before the shell's command. A recording that was stopped from outside has the
    status cancelled. Raises RecordError without a terminal or bash; RunLogError when the log cannot
    be written.
    """
    check_terminal(name, environ)
    bash = shutil.which("bash", path=environ.get("PATH"))
    if bash is None:
        raise RecordError("error.recording.bash-installed-recording-needs", rest=_instead(name))
    log = RunLog.create(home)
    try:
        recording = Recording(log, hidden)
        recording.begin(name, home=home, lang=lang, cwd=cwd)
        try:
            words = [*enter(log.run), bash]
            was_stopped = _run_shell(recording, words, cwd, environ, label)
        except BaseException:
            recording.end("failed")
            raise
        recording.end("cancelled" if was_stopped else "done")
    finally:
        log.close()
    if not (was_stopped or recording.has_heard):
        raise RecordError("error.learning.silent-shell", rest=_instead(name))
    return log.run


def check_terminal(name: str, environ: Mapping[str, str]) -> None:
    """Raise RecordError when nobody can type here, or when this is a recorded shell already."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise RecordError("error.recording.recording-needs-terminal-none", rest=_instead(name))
    if RECORDING in environ:
        raise RecordError("error.recording.shell-being-recorded-already", run=environ[RECORDING])


def _instead(name: str) -> str:
    return Message("error.learning.instead", name=name)


@dataclass(slots=True)
class _Running:
    """A command line between its start and the moment when the next prompt is shown."""

    turn: int
    mark: Mark
    script: str
    started: float = field(default_factory=time.monotonic)
    output: Capture = field(default_factory=Capture)
    is_running: bool = True
    ended: float = 0.0
    ended_at: str = ""
    exit_code: int | None = None
    folder_after: str = ""
    notes: set[str] = field(default_factory=set)
    typed: list[tuple[float, str]] = field(
        default_factory=list
    )  # what came while it ran: when (Unix time), as which note
    all_read: float = (
        0.0  # when the terminal last held no line that had been typed: those before it were read
    )

    @property
    def about(self) -> dict[str, Any]:
        """Return the turn, the call and the tool that the run log has for it."""
        return {"turn": self.turn, "call": f"c{self.turn}", "tool": "code_run"}


def _is_for(command: _Running, mark: Mark, at: float, note: str) -> bool:
    """Return False for keys that came after a command's end, or wait: the shell's own."""
    still_waits = mark.is_line_waiting and note == "input" and at >= command.all_read
    return at <= mark.at and not still_waits


class Recording:
    """Write a run from what a recorded terminal shows (`shown`) and gets (`typed`)."""

    def __init__(
        self,
        log: RunLog,
        hidden: Mapping[str, str],
        modes: Callable[[], int] = lambda: 0,
        is_unread: Callable[[], bool] = lambda: True,
    ) -> None:
        self.token = secrets.token_hex(16)
        self.has_heard = False  # the shell has said that it is ready
        self.modes = modes  # the terminal's local modes (termios) now
        # whether a line that was typed waits in the terminal now; True where nobody knows
        self.is_unread = is_unread
        self._log, self._totals, self._started = log, Totals(), time.monotonic()
        self._marks = Marks(self.token)
        self._hidden = {**hidden, "recording": self.token}
        self._redactor = Redactor(self._hidden)
        self._typed_unseen = bytearray()
        self._command: _Running | None = None
        self._number = 0  # of the last line in the shell's list, when the last prompt was shown
        self._turn, self._cwd = 0, ""

    @property
    def run(self) -> str:
        """Return the id of the run."""
        return self._log.run

    @property
    def _running(self) -> _Running | None:
        command = self._command
        return command if command and command.is_running else None

    def begin(self, name: str, *, home: Path, lang: str, cwd: Path) -> None:
        """Open the run."""
        self._cwd = str(cwd)
        self._write(own_opening(f"teach {name}", home, lang, cwd, teaches=name))
        self._log.sync()

    def leave(self, exit_code: int | None) -> None:
        """Note that the shell has ended, and with it the command under way (`exit` as a rule)."""
        if self._command is not None:
            if not self._command.ended:
                self._stop(exit_code, self._command.mark.folder)
            self._finish()

    def end(self, status: str) -> None:
        """Close the run."""
        self.leave(None)
        done = "CURRENT_TASK_DONE" if status == "done" else "EXITED"
        self._write(self._totals.ended(status, exit=done, seconds=time.monotonic() - self._started))
        self._log.sync()

    def shown(self, data: bytes) -> bytes:
        """Take what the shell wrote to its terminal; return what the owner should see of it."""
        seen = bytearray()
        for piece in self._marks.split(data):
            if isinstance(piece, Mark):
                self._hear(piece)
            else:
                self._capture(piece)
                seen += piece
        return bytes(seen)

    def rest(self) -> bytes:
        """Return what was held back in case it became a message, when the terminal has closed."""
        rest = self._marks.rest()
        self._capture(rest)
        return rest

    def typed(self, keys: bytes) -> bytes:
        """Note that the owner types while a command runs; return the keys unchanged."""
        command, pressed = self._running, _ANSWERS.sub(b"", keys)
        if command is None or not pressed:
            return keys
        modes, is_unread = self.modes(), self.is_unread()
        # not before the modes: those of the shell's own prompt are then seen to be after the
        # command
        now = time.time()
        if not is_unread:
            command.all_read = now
        if b"\x03" in pressed:
            command.typed.append((now, "ctrl_c"))
        if not modes & termios.ICANON:
            if pressed.strip(b"\x03\x1a\x1c"):
                command.typed.append((now, "raw"))
        elif not modes & termios.ECHO:
            command.typed.append((now, "hidden_input"))
            self._remember_unseen(pressed)
        elif re.search(rb"[\r\n\x04]", pressed):
            command.typed.append((now, "input"))
        return keys

    def _capture(self, data: bytes) -> None:
        if self._running is not None:
            self._running.output.add(data)

    def _hear(self, mark: Mark) -> None:
        if mark.kind == "start":
            self._hear_start(mark)
        elif mark.kind == "end":
            self._hear_end(mark)
        elif mark.kind == "ready":
            self._number, self.has_heard = mark.number, True
        elif mark.kind == "prompt" and self._command is not None:
            if self._command.is_running:  # its end was not told; the next start tells how it ended
                self._command.is_running = False
            elif self._command.ended:
                self._finish()

    def _hear_start(self, mark: Mark) -> None:
        command = self._command
        if command is not None:
            if command.is_running and mark.number == command.mark.number:
                return  # one line of several commands: it goes on
            if not command.ended:
                self._stop(mark.status, mark.folder)
            elif mark.number == command.mark.number:
                command.is_running, command.ended = True, 0.0
                return
            self._finish()
        self._begin(mark, mark.text if mark.number != self._number else None)

    def _hear_end(self, mark: Mark) -> None:
        if command := self._running:
            command.typed = [each for each in command.typed if _is_for(command, mark, *each)]
            self._stop(mark.status, mark.folder)
        elif self._command is None and self._is_unheard_function(mark):
            self._begin(mark, mark.text)
            self._stop(mark.status, mark.folder)

    def _is_unheard_function(self, mark: Mark) -> bool:
        """Return True for a function's definition, which starts without a word where there is no
        PS0. Comments and lines that are no shell do so everywhere, and do nothing."""
        is_new = self.has_heard and mark.number != self._number and mark.status == 0
        return (
            is_new and re.match(r"\s*(function\s|[\w.:-]+\s*\(\s*\))", mark.text or "") is not None
        )

    def _begin(self, mark: Mark, text: str | None) -> None:
        self._turn += 1
        self._number = mark.number
        script = self._learn_from(text) if text is not None else ""
        self._command = command = _Running(self._turn, mark, script)
        if text is None:
            command.notes.add("unread")
        args: dict[str, Any] = {"type": "bash", "script": script}
        if mark.folder != self._cwd:
            args["cwd"] = self._redactor(mark.folder)
        call = ToolCall(command.about["call"], "code_run", args)
        self._write({"type": "turn_started", "turn": self._turn})
        self._write(Reply(calls=[call], model=MODEL, kind="scripted").event(self._turn))
        started = {"type": "tool_started", **command.about, "args": args}
        self._write(started | {"hash": call_hash(call.name, args), "only_reads": False})
        self._log.sync()

    def _stop(self, exit_code: int | None, folder: str) -> None:
        """Note that the command has ended; more of its line may follow until the prompt."""
        command = self._command
        if command is None:
            return
        command.is_running, command.exit_code, command.folder_after = False, exit_code, folder
        command.ended, command.ended_at = time.monotonic(), _now()
        self._typed_unseen.clear()

    def _finish(self) -> None:
        command, self._command = self._command, None
        if command is None:
            return
        data = self._redactor.redact(self._data(command))
        seconds = round(command.ended - command.started, 3)
        ended = {"type": "tool_ended", "at": command.ended_at, **command.about}
        self._write(ended | {"status": _status(data), "seconds": seconds, "data": data})
        self._log.sync()

    def _data(self, command: _Running) -> dict[str, Any]:
        """Return what the run log keeps of a command. Always: `exit_code` (null when it never
        ended), `output` as it stood on the terminal, `cwd_before`, `cwd_after`. Where it applies:
        `interactive` (took single keys or the whole screen), `input` (was answered by a line),
        `hidden_input` (by a line that was not shown), `interrupted`, `stopped`, `unread` (the
        command line is not known); `aliases` and `functions` of the owner that it names.
        """
        notes, code = command.notes | {note for _, note in command.typed}, command.exit_code
        data: dict[str, Any] = {
            "exit_code": code,
            "output": command.output.text(),
            "cwd_before": command.mark.folder,
            "cwd_after": command.folder_after,
        }
        more = {
            "interactive": command.output.had_screen or "raw" in notes,
            "hidden_input": "hidden_input" in notes,
            "input": "input" in notes,
            "interrupted": code == 130 or ("ctrl_c" in notes and bool(code)),
            "stopped": code == _STOPPED,
            "unread": "unread" in notes,
            "aliases": command.mark.aliases,
            "functions": command.mark.functions,
        }
        return data | {key: value for key, value in more.items() if value}

    def _learn_from(self, text: str) -> str:
        """Return the command line without secrets, which are hidden from now on."""
        redacted = self._redactor(text)
        if HIDDEN in redacted:
            pattern = "(.+?)".join(re.escape(piece) for piece in redacted.split(HIDDEN))
            found = re.fullmatch(pattern, text, re.DOTALL)
            for value in found.groups() if found else ():
                if len(value) >= _SHORTEST_SECRET and value != HIDDEN:
                    self._hide(value)
        return redacted

    def _remember_unseen(self, keys: bytes) -> None:
        for key in keys:
            if key in b"\r\n\x04":
                self._hide(self._typed_unseen.decode("utf-8", "replace"))
                self._typed_unseen.clear()
            elif key in b"\x7f\x08":
                del self._typed_unseen[-1:]
            elif key in b"\x15\x03":
                self._typed_unseen.clear()
            else:
                self._typed_unseen.append(key)

    def _hide(self, value: str) -> None:
        if value.strip() and value not in self._hidden.values():
            self._hidden[f"secret {len(self._hidden)}"] = value
            self._redactor = Redactor(self._hidden)

    def _write(self, event: Event) -> None:
        stamped = {"type": event["type"], "run": self.run, "at": _now(), **event}
        self._log.append(stamped)
        self._totals.add(stamped)


def _status(data: dict[str, Any]) -> Status:
    if data["exit_code"] == 0:
        return "ok"
    return "cancelled" if data["exit_code"] is None or data.get("interrupted") else "error"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _run_shell(
    recording: Recording, words: Sequence[str], cwd: Path, environ: Mapping[str, str], label: str
) -> bool:
    """Return the shell on this terminal, to its end. True when it was stopped from outside."""
    import pexpect

    lines, columns = _size()
    shell: Any = pexpect.spawn(  # its published types take text for bytes
        words[0],
        [*words[1:], "--rcfile", str(SHELL_FILE), "-i"],
        cwd=str(cwd),
        env={
            **environ,
            RECORDING: recording.run,
            "SOPWITH_RECORD_TOKEN": recording.token,
            "SOPWITH_RECORD_LABEL": _label(environ, label),
        },
        dimensions=(lines, columns),
        encoding=None,
        preexec_fn=_as_a_shell_begins,
    )
    recording.modes = lambda: int(termios.tcgetattr(shell.child_fd)[3])
    recording.is_unread = lambda: _is_unread(shell.child_fd)
    sys.stdout.flush()
    try:
        with _signals(shell) as stops:
            try:
                shell.interact(
                    escape_character=None,
                    input_filter=recording.typed,
                    output_filter=recording.shown,
                )
            except (OSError, termios.error):
                if os.isatty(0):
                    raise
                stops.append(signal.SIGHUP)  # the owner's terminal has gone
            _show_rest(recording, shell)
    finally:
        shell.close(force=True)
    recording.leave(None if stops else shell.exitstatus)
    return bool(stops)


def _as_a_shell_begins() -> None:
    """Let signals that are ignored here be heard again: else they would stay ignored in all that
    the owner starts: `yes | head` would complain, and what was started would outlive its terminal.
    """
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _label(environ: Mapping[str, str], word: str) -> str:
    """Return what stands before the prompt: a dot only where the shell knows its width."""
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    return f"● {word} " if "utf" in locale.lower() else "(rec) "


def _is_unread(terminal: int) -> bool:
    """Return True if a typed line waits in the terminal, or nobody can tell (not on Linux)."""
    try:
        inside = fcntl.ioctl(terminal, _OTHER_END, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        return fcntl.ioctl(inside, termios.FIONREAD, bytes(4)) != bytes(4)
    finally:
        os.close(inside)


def _show_rest(recording: Recording, shell: Any) -> None:
    """Show what the shell said last: it is still in the pseudo-terminal when it has gone."""
    import pexpect

    with suppress(pexpect.EOF, pexpect.TIMEOUT, OSError):
        while True:
            os.write(1, recording.shown(shell.read_nonblocking(65536, 0.1)))
    with suppress(OSError):
        os.write(1, recording.rest() + _PLAIN)


@contextmanager
def _signals(shell: Any) -> Iterator[list[int]]:
    """Pass a new size of the terminal on, hang the shell up on a request to end; yield the requests
    that came. Return the requests that came.

    Hanging up is closing the pseudo-terminal, as when a window is closed: the kernel tells all who
    work in it.
    """
    stops: list[int] = []
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)

    def resize(*_: object) -> None:
        shell.setwinsize(*_size())

    def hang_up(number: int, _: object) -> None:
        stops.append(number)
        os.dup2(nothing, shell.child_fd, inheritable=False)  # which reads as its end

    handlers: dict[int, Any] = {
        signal.SIGWINCH: resize,
        signal.SIGTERM: hang_up,
        signal.SIGHUP: hang_up,
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        resize()  # it may have changed before anybody listened
        yield stops
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(nothing)


def _size() -> tuple[int, int]:
    """Return the lines and columns of this terminal."""
    with suppress(OSError):
        size = os.get_terminal_size(1)
        if size.lines and size.columns:
            return size.lines, size.columns
    return 24, 80
