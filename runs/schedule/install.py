"""Start the scheduler with the machine, as this user: a systemd user timer, two lines of cron, or a
job of launchd.

The timer starts the scheduler when the user's systemd starts, and again a minute after it ever
ended; so do launchd, and cron's two lines. A second start finds the first one at work and ends at
once.
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

CHECKOUT = Path(__file__).resolve().parents[2]
TEXTS = CHECKOUT / "assets" / "schedule"  # of the files, with blanks
MARK = "# sopwith schedule"
SECONDS = 30  # for systemctl, crontab, launchctl
Commands = list[list[str]]


class InstallError(SopwithError):
    """The machine does not take it."""


def installed(home: Path, owner_home: Path) -> tuple[str, list[str]]:
    """Set it up with the first of launchd, systemd and cron that is here. Return its name, and the
    files or lines that were written. Raises InstallError."""
    for name in _systems():
        return name, install(name, home, owner_home)
    raise InstallError("error.scheduler.no-system")


def install(name: str, home: Path, owner_home: Path) -> list[str]:
    """Set it up with one system and start it."""
    if name == "cron":
        words = shlex.join(command(home)).replace("%", "\\%")  # a bare one ends the command
        end = f"{words} >/dev/null 2>&1 {MARK} {home}"
        lines = [f"@reboot {end}", f"*/10 * * * * {end}"]
        _write_table([*_others(_table(), home), *lines])
        return lines
    files, begin, _ = _FILES[name](home, owner_home)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text)
    for each in begin:
        _run(each)
    return [str(path) for path in files]


def remove(name: str, home: Path, owner_home: Path) -> list[str]:
    """Take it out of one system. Return what was taken away; what was not there is no error. Raises
    InstallError."""
    if name == "cron":
        return _remove_lines(home)
    files, _, end = _FILES[name](home, owner_home)
    there = [path for path in files if path.exists()]
    for each in end if there else ():
        _run(each)
    for path in there:
        path.unlink()
    return [str(path) for path in there]


def removed(home: Path, owner_home: Path) -> list[str]:
    """Take it out of each system that is here. Return what was taken away."""
    return [line for name in _systems() for line in remove(name, home, owner_home)]


def _systems() -> list[str]:
    """Name those that this machine has."""
    found = ["launchd"] if sys.platform == "darwin" else []
    is_systemd = shutil.which("systemctl") is not None
    if is_systemd and not _ran(["systemctl", "--user", "show-environment"]):
        found.append("systemd")
    return [*found, "cron"] if shutil.which("crontab") else found


def command(home: Path) -> list[str]:
    """Return what is started with the machine."""
    launch = [sys.executable, str(CHECKOUT / "launch.py"), "--home", str(home)]
    return [*launch, "schedule", "start", "--unless-running"]


def label(home: Path, owner_home: Path) -> str:
    """Return the name of the job; another home than the usual one has its own."""
    if home == owner_home / ".sopwith":
        return "sopwith-schedule"
    return f"sopwith-schedule-{hashlib.sha256(str(home).encode()).hexdigest()[:8]}"


def _systemd(home: Path, owner_home: Path) -> tuple[dict[Path, str], Commands, Commands]:
    """Return the files of a service and its timer, and the commands that begin and end it."""
    folder, name = owner_home / ".config" / "systemd" / "user", label(home, owner_home)
    words = " ".join(map(_for_systemd, command(home)))
    files = {folder / f"{name}.{each}": _text(each, words=words) for each in ("service", "timer")}
    systemctl = ["systemctl", "--user"]
    begin = [[*systemctl, "daemon-reload"], [*systemctl, "enable", "--now", f"{name}.timer"]]
    end = [
        [*systemctl, "disable", "--now", f"{name}.timer"],
        [*systemctl, "stop", f"{name}.service"],
    ]
    return files, begin, end


def _launchd(home: Path, owner_home: Path) -> tuple[dict[Path, str], Commands, Commands]:
    """Return the same for an agent of launchd."""
    name = label(home, owner_home)
    words = "".join(f"<string>{escape(word)}</string>" for word in command(home)[:-1])
    path = owner_home / "Library" / "LaunchAgents" / f"{name}.plist"
    begin, end = (["launchctl", verb, "-w", str(path)] for verb in ("load", "unload"))
    return {path: _text("plist", label=name, words=words)}, [begin], [end]


_FILES = {"systemd": _systemd, "launchd": _launchd}


def _table() -> list[str]:
    """Return the lines of the user's table of cron."""
    table = ["crontab", "-l"]
    done = subprocess.run(table, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []  # 1: there is none yet


def _remove_lines(home: Path) -> list[str]:
    lines = _table()
    others = _others(lines, home)
    if len(others) < len(lines):
        _write_table(others)
    return [line for line in lines if line not in others]


def _others(lines: Sequence[str], home: Path) -> list[str]:
    return [line for line in lines if not line.endswith(f"{MARK} {home}")]


def _write_table(lines: Sequence[str]) -> None:
    _run(["crontab", "-"], "".join(f"{line}\n" for line in lines))


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
    return " ".join(f"{done.stderr}{done.stdout}".split() or ["exit", str(done.returncode)])


def _run(command: Sequence[str], stdin: str = "") -> None:
    if wrong := _ran(command, stdin):
        raise InstallError("error.scheduler.refused", command=command[0], wrong=wrong[:300])
