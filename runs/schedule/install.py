"""Starts the scheduler with the machine, as this user: a systemd user timer, a line of cron, or a job of launchd.

The timer starts the scheduler when the user's systemd starts, and again a minute after it ever ended; so do launchd, and
cron's two lines. A second start finds the first one at work and ends at once.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from config import SopwithError
from memory.files import write_atomic

LAUNCHER = Path(__file__).resolve().parent.parent.parent / "launch.py"
MARK = "# sopwith schedule"
SECONDS = 30  # for systemctl, crontab, launchctl


class InstallError(SopwithError):
    """The machine does not take it."""


class System:
    """Where it is put. Each kind says whether it is there, installs, and removes."""

    name = ""

    def __init__(self, home: Path, owner_home: Path) -> None:
        self.home, self.owner_home = home, owner_home

    @property
    def label(self) -> str:
        """Return what it is called; that of a home folder other than ~/.sopwith has a sign of its own."""
        is_usual = self.home == self.owner_home / ".sopwith"
        return "sopwith-schedule" + (
            "" if is_usual else "-" + hashlib.sha256(str(self.home).encode()).hexdigest()[:8]
        )

    @property
    def command(self) -> list[str]:
        """Return what is started."""
        return [
            sys.executable,
            str(LAUNCHER),
            "--home",
            str(self.home),
            "schedule",
            "start",
            "--unless-running",
        ]

    def is_there(self) -> bool:
        """Return True if this machine has it, and it serves this user."""
        raise NotImplementedError

    def install(self) -> list[str]:
        """Sets it up and starts it. Returns the files or lines that it wrote. Raises InstallError."""
        raise NotImplementedError

    def remove(self) -> list[str]:
        """Takes it away again; what was not there is no error. Raises InstallError."""
        raise NotImplementedError


class Systemd(System):
    """A timer and a service of the user's systemd."""

    name = "systemd"

    @property
    def _files(self) -> list[Path]:
        folder = self.owner_home / ".config" / "systemd" / "user"
        return [folder / f"{self.label}.service", folder / f"{self.label}.timer"]

    def is_there(self) -> bool:
        """See System."""
        return (
            shutil.which("systemctl") is not None
            and _ran(["systemctl", "--user", "show-environment"]) == ""
        )

    def install(self) -> list[str]:
        """See System."""
        words = " ".join(_for_systemd(word) for word in self.command)
        service = f"[Unit]\nDescription=Sopwith: jobs at set times\n\n[Service]\nType=exec\nExecStart={words}\nKillMode=process\n"
        timer = (
            "[Unit]\nDescription=Sopwith: starts the scheduler, and again when it ended\n\n"
            "[Timer]\nOnActiveSec=1\nOnStartupSec=10\nOnUnitInactiveSec=60\n\n[Install]\nWantedBy=timers.target\n"
        )
        for path, text in zip(self._files, (service, timer), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, text)
        _run(["systemctl", "--user", "daemon-reload"])
        _run(["systemctl", "--user", "enable", "--now", self._files[1].name])
        return [str(path) for path in self._files]

    def remove(self) -> list[str]:
        """See System."""
        there = [path for path in self._files if path.exists()]
        if there:
            _run(["systemctl", "--user", "disable", "--now", self._files[1].name])
            _run(["systemctl", "--user", "stop", self._files[0].name])
            for path in there:
                path.unlink(missing_ok=True)
            _run(["systemctl", "--user", "daemon-reload"])
        return [str(path) for path in there]


class Cron(System):
    """Two lines in the user's table: at the start of the machine, and every ten minutes should it have ended."""

    name = "cron"

    def is_there(self) -> bool:
        """See System."""
        return shutil.which("crontab") is not None

    def install(self) -> list[str]:
        """See System."""
        words = shlex.join(self.command).replace("%", "\\%")  # a bare one ends the command
        lines = [
            f"{when} {words} >/dev/null 2>&1 {MARK} {self.home}"
            for when in ("@reboot", "*/10 * * * *")
        ]
        self._write([*self._others(), *lines])
        return lines

    def remove(self) -> list[str]:
        """See System."""
        lines, others = self._lines(), self._others()
        if len(others) < len(lines):
            self._write(others)
        return [line for line in lines if line not in others]

    def _lines(self) -> list[str]:
        done = subprocess.run(
            ["crontab", "-l"], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        return done.stdout.splitlines() if done.returncode == 0 else []  # 1: there is none yet

    def _others(self) -> list[str]:
        return [line for line in self._lines() if not line.endswith(f"{MARK} {self.home}")]

    def _write(self, lines: Sequence[str]) -> None:
        _run(["crontab", "-"], "".join(f"{line}\n" for line in lines))


class Launchd(System):
    """An agent of the user's launchd."""

    name = "launchd"

    @property
    def _file(self) -> Path:
        return self.owner_home / "Library" / "LaunchAgents" / f"{self.label}.plist"

    def is_there(self) -> bool:
        """See System."""
        return sys.platform == "darwin"

    def install(self) -> list[str]:
        """See System."""
        words = "".join(f"<string>{escape(word)}</string>" for word in self.command[:-1])
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>Label</key>'
            f"<string>{self.label}</string><key>ProgramArguments</key><array>{words}</array><key>RunAtLoad</key><true/><key>KeepAlive</key><true/>"
            "<key>ThrottleInterval</key><integer>60</integer></dict></plist>\n"
        )
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(self._file, text)
        _run(["launchctl", "load", "-w", str(self._file)])
        return [str(self._file)]

    def remove(self) -> list[str]:
        """See System."""
        if not self._file.exists():
            return []
        _run(["launchctl", "unload", "-w", str(self._file)])
        self._file.unlink()
        return [str(self._file)]


def system_of(home: Path, owner_home: Path) -> System:
    """Return what this machine has, the first of launchd, systemd and cron. Raises InstallError."""
    for kind in (Launchd, Systemd, Cron):
        if (system := kind(home, owner_home)).is_there():
            return system
    raise InstallError("error.scheduler.no-system")


def remove_everywhere(home: Path, owner_home: Path) -> list[str]:
    """Removes it from wherever it was put. Returns what was taken away."""
    return [
        line
        for kind in (Launchd, Systemd, Cron)
        if (s := kind(home, owner_home)).is_there()
        for line in s.remove()
    ]


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
    return (
        ""
        if done.returncode == 0
        else " ".join((done.stderr or done.stdout).split()) or f"exit {done.returncode}"
    )


def _run(command: Sequence[str], stdin: str = "") -> None:
    if wrong := _ran(command, stdin):
        raise InstallError("error.scheduler.refused", command=command[0], wrong=wrong[:300])
