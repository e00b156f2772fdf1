"""Start the scheduler with the machine, as this user: a systemd user timer, two lines of cron, or a job of launchd.

The timer starts the scheduler when the user's systemd starts, and again a minute after it ever ended; so do launchd, and
cron's two lines. A second start finds the first one at work and ends at once.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from config import SopwithError
from memory.files import write_atomic

CHECKOUT = Path(__file__).resolve().parents[2]
TEXTS = CHECKOUT / "assets" / "schedule"  # of the files, with blanks
MARK = "# sopwith schedule"
SECONDS = 30  # for systemctl, crontab, launchctl


class InstallError(SopwithError):
    """The machine does not take it."""


class System:
    """Put files where the machine looks for them, and run commands that make it read them."""

    name = ""

    def __init__(self, home: Path, owner_home: Path) -> None:
        self.home, self.owner_home = home, owner_home
        start = ["schedule", "start", "--unless-running"]
        self.command = [sys.executable, str(CHECKOUT / "launch.py"), "--home", str(home), *start]
        self.label = "sopwith-schedule"
        if home != owner_home / ".sopwith":
            self.label += "-" + hashlib.sha256(str(home).encode()).hexdigest()[:8]

    def is_there(self) -> bool:
        """Return True if this machine has it, and it serves this user."""
        raise NotImplementedError

    def files(self) -> dict[Path, str]:
        """Return the files that it writes, with their texts."""
        return {}

    def commands(self, *, is_removed: bool) -> list[list[str]]:
        """Return what is run when the files are there, or before they go."""
        raise NotImplementedError

    def install(self) -> list[str]:
        """Set it up and start it. Return the files or lines that it wrote. Raises InstallError."""
        for path, text in self.files().items():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, text)
        for command in self.commands(is_removed=False):
            _run(command)
        return [str(path) for path in self.files()]

    def remove(self) -> list[str]:
        """Take it away again; what was not there is no error. Raises InstallError."""
        there = [path for path in self.files() if path.exists()]
        for command in self.commands(is_removed=True) if there else ():
            _run(command)
        for path in there:
            path.unlink()
        return [str(path) for path in there]


class Systemd(System):
    """A timer and a service of the user's systemd."""

    name = "systemd"

    def is_there(self) -> bool:
        """Return True where the user's systemd answers."""
        has_program = shutil.which("systemctl") is not None
        return has_program and _ran(["systemctl", "--user", "show-environment"]) == ""

    def files(self) -> dict[Path, str]:
        """Return the service and its timer."""
        folder = self.owner_home / ".config" / "systemd" / "user"
        words = " ".join(map(_for_systemd, self.command))
        return {folder / f"{self.label}.{kind}": _text(kind, words=words) for kind in ("service", "timer")}  # fmt: skip

    def commands(self, *, is_removed: bool) -> list[list[str]]:
        """Enable the timer, or stop both."""
        systemctl, timer = ["systemctl", "--user"], f"{self.label}.timer"
        if is_removed:
            service = f"{self.label}.service"
            return [[*systemctl, "disable", "--now", timer], [*systemctl, "stop", service]]
        return [[*systemctl, "daemon-reload"], [*systemctl, "enable", "--now", timer]]


class Cron(System):
    """Two lines in the user's table: at the start of the machine, and every ten minutes should it have ended."""

    name = "cron"

    def is_there(self) -> bool:
        """Return True where cron is."""
        return shutil.which("crontab") is not None

    def install(self) -> list[str]:
        """Put the two lines into the table."""
        words = shlex.join(self.command).replace("%", "\\%")  # a bare one ends the command
        end = f"{words} >/dev/null 2>&1 {MARK} {self.home}"
        lines = [f"@reboot {end}", f"*/10 * * * * {end}"]
        self._write([*self._others(self._lines()), *lines])
        return lines

    def remove(self) -> list[str]:
        """Take the two lines out of the table."""
        lines = self._lines()
        others = self._others(lines)
        if len(others) < len(lines):
            self._write(others)
        return [line for line in lines if line not in others]

    def _lines(self) -> list[str]:
        table = ["crontab", "-l"]
        done = subprocess.run(table, capture_output=True, text=True, timeout=SECONDS, check=False)
        return done.stdout.splitlines() if done.returncode == 0 else []  # 1: there is none yet

    def _others(self, lines: Sequence[str]) -> list[str]:
        return [line for line in lines if not line.endswith(f"{MARK} {self.home}")]

    def _write(self, lines: Sequence[str]) -> None:
        _run(["crontab", "-"], "".join(f"{line}\n" for line in lines))


class Launchd(System):
    """An agent of the user's launchd."""

    name = "launchd"

    def is_there(self) -> bool:
        """Return True on macOS."""
        return sys.platform == "darwin"

    def files(self) -> dict[Path, str]:
        """Return the agent."""
        words = "".join(f"<string>{escape(word)}</string>" for word in self.command[:-1])
        path = self.owner_home / "Library" / "LaunchAgents" / f"{self.label}.plist"
        return {path: _text("plist", label=self.label, words=words)}

    def commands(self, *, is_removed: bool) -> list[list[str]]:
        """Load the agent, or unload it."""
        verb = "unload" if is_removed else "load"
        return [["launchctl", verb, "-w", str(path)] for path in self.files()]


def system_of(home: Path, owner_home: Path) -> System:
    """Return what this machine has, the first of launchd, systemd and cron. Raises InstallError."""
    for system in _systems(home, owner_home):
        return system
    raise InstallError("error.scheduler.no-system")


def remove_everywhere(home: Path, owner_home: Path) -> list[str]:
    """Remove it from wherever it was put. Return what was taken away."""
    return [line for system in _systems(home, owner_home) for line in system.remove()]


def _systems(home: Path, owner_home: Path) -> Iterator[System]:
    """Yield those that this machine has."""
    for kind in (Launchd, Systemd, Cron):
        system = kind(home, owner_home)
        if system.is_there():
            yield system


def _text(kind: str, **blanks: str) -> str:
    return (TEXTS / f"sopwith.{kind}").read_text("utf-8").format(**blanks)


def _for_systemd(word: str) -> str:
    quoted = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{quoted}"'


def _ran(command: Sequence[str], stdin: str = "") -> str:
    """Return what went wrong, or nothing."""
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    return " ".join((done.stderr or done.stdout).split()) or f"exit {done.returncode}"


def _run(command: Sequence[str], stdin: str = "") -> None:
    if wrong := _ran(command, stdin):
        raise InstallError("error.scheduler.refused", command=command[0], wrong=wrong[:300])
