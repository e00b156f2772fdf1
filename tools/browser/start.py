"""Finds the owner's browser or starts one of our own, and says which tabs of it belong to which run.

Our own browser keeps its profile in `<home>/browser/profile`: cookies and logins last. Runs share it; the last one that
uses it ends it, with Browser.close (a signal would lose cookies younger than half a minute). `<home>/browser/runs/RUN`
lists the tabs of a run and is locked by the process that works on it: tabs of a run that was killed are closed by the
next one that comes, or taken up again when the run goes on. When all that use the browser have been killed, a process that
only waits for that ends it (browser_watch.py).
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from config import BrowserConfig
from memory.files import write_atomic
from tools.base import ToolError
from tools.browser.link import BrowserError, Link, LinkLost
from tools.processes import MARK, leaders, mark, starting

PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "brave-browser",
)
_ELSEWHERE = (  # where browsers lie that are not on the PATH
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_FLAGS = (
    *(
        "--remote-debugging-port=0",
        "--no-first-run",
        "--no-default-browser-check",
        "--window-size=1280,900",
    ),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-breakpad",
    ),
    *(
        "--disable-default-apps",
        "--password-store=basic",
        "--use-mock-keychain",
        "--hide-crash-restore-bubble",
    ),
    *(
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
    ),
    "--disable-features=Translate,OptimizationHints,MediaRouter",
)
# Requests of a page that only somebody at the screen could answer are answered as without a window: with no. A
# print dialog would hold its tab for good. What the owner has set in this profile stays.
_BLOCKED = (
    "geolocation",
    "notifications",
    "media_stream_mic",
    "media_stream_camera",
    "midi_sysex",
    "clipboard",
)
_SETTINGS = {
    "printing": {"enabled": False},
    "profile": {"default_content_setting_values": dict.fromkeys(_BLOCKED, 2)},
}
START_SECONDS = 30.0
END_SECONDS = 8.0
_children: dict[
    Path, subprocess.Popen[bytes]
] = {}  # browsers that this process has started, by profile
_watchers: dict[Path, subprocess.Popen[bytes]] = {}  # and what ends each when we are killed


def program() -> str | None:
    """The browser of this machine, or None."""
    found = (shutil.which(name) for name in PROGRAMS)
    return next(filter(None, found), None) or next(
        (path for path in _ELSEWHERE if Path(path).is_file()), None
    )


def has_display() -> bool:
    """Return True if a window could be shown."""
    return not sys.platform.startswith("linux") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


class Home:
    """Hold what lies in `<home>/browser`, as one run uses it. Made when the run opens its browser, closed at its end."""

    def __init__(self, home: Path, run: str, settings: BrowserConfig) -> None:
        self.folder, self.settings = home / "browser", settings
        self.is_ours = (
            not settings.address
        )  # else it is the owner's own: it is never ended, its settings are left alone
        self.profile = settings.profile or self.folder / "profile"
        self.downloads = self.folder / "downloads"
        self._claim = self._used = -1
        for folder in (
            self.folder,
            self.folder / "runs",
            self.downloads,
            *([self.profile] if self.is_ours else []),
        ):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = self.folder / "runs" / (run or f"process-{os.getpid()}")

    def open(self) -> tuple[Link, list[str]]:
        """The connection, and the tabs that this run had already. Raises BrowserError."""
        with self._alone():
            if self.is_ours:
                self._used = os.open(
                    self.folder / "used", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
                )
                fcntl.flock(self._used, fcntl.LOCK_SH)
            link = (
                _attach(self.settings.address)
                if self.settings.address
                else self._running() or self._start()
            )
            self._claim = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._claim, fcntl.LOCK_EX)
            for tab in self._of_the_dead():
                link.post("Target.closeTarget", targetId=tab)
            return link, self._file.read_text("ascii").split()

    def claim(self, tabs: list[str]) -> None:
        """Writes down which tabs are this run's."""
        data = "\n".join(tabs).encode("ascii")
        os.ftruncate(self._claim, len(data))
        os.pwrite(self._claim, data, 0)

    def others(self) -> set[str]:
        """The tabs of other runs."""
        return {
            tab
            for file in self._claims()
            if file != self._file
            for tab in file.read_text("ascii").split()
        }

    def close(self, link: Link | None) -> None:
        """Gives up the claim; ends the browser if it is ours and nobody else uses it."""
        with self._alone():
            if self._claim >= 0:
                self._file.unlink(missing_ok=True)
                os.close(self._claim)
                self._claim = -1
            for _ in self._of_the_dead():
                pass
            if self.is_ours and not any(True for _ in self._claims()):
                self._end(link)
            if self._used >= 0:
                os.close(self._used)
                self._used = -1
        if link:
            link.close()

    def end_unused(self, pid: int) -> bool:
        """Ends the browser, which began as process `pid`; False when somebody uses it again."""
        with self._alone(), (self.folder / "used").open("ab") as used:
            try:
                fcntl.flock(used, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            self._end(None, pid)
            return True

    def _claims(self) -> Iterator[Path]:
        return (file for file in (self.folder / "runs").iterdir() if file.is_file())

    def _of_the_dead(self) -> Iterator[str]:
        """The tabs of runs that nobody works on any more; forgets them."""
        for file in list(self._claims()):
            if file != self._file and not _is_held(file):
                yield from file.read_text("ascii").split()
                file.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    @property
    def _port_file(self) -> Path:
        return self.profile / "DevToolsActivePort"

    def _running(self) -> Link | None:
        """The connection to our browser if it runs; what a dead one left behind is removed."""
        try:
            return Link(address_in(self._port_file))
        except (OSError, LinkLost):
            self._port_file.unlink(missing_ok=True)
            return None

    def _start(self) -> Link:
        found = program()
        if found is None:
            raise BrowserError(_no_browser())
        argv = [found, *_FLAGS, f"--user-data-dir={self.profile}"]
        is_headless = self.settings.headless == "on" or (
            self.settings.headless == "auto" and not has_display()
        )
        argv += ["--headless=new"] if is_headless else []
        argv += (
            ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        )  # it does not start as root else
        argv += ["--disable-dev-shm-usage"] if _has_little_shared_memory() else []
        _set(self.profile / "Default" / "Preferences")
        log = self.folder / "browser.log"
        with log.open("wb") as output, starting:
            child = subprocess.Popen(
                [*argv, "about:blank"],
                env=os.environ | {MARK: mark("browser")},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            leaders.add(child.pid)
            _children[self.profile] = child
        self._watch(child.pid)
        until = time.monotonic() + START_SECONDS
        try:
            while time.monotonic() < until and child.poll() is None:
                with suppress(OSError, ValueError, LinkLost):
                    return Link(address_in(self._port_file))
                time.sleep(0.02)
        except BaseException:  # stopped while it starts: nobody would end it
            _kill(child)
            raise
        code = child.poll()
        _kill(child)
        if code == 0:
            raise BrowserError(
                f"the profile {self.profile} is open in a browser that was started by hand: close that one"
            )
        last = log.read_text("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise BrowserError(f"{found} did not start: {last[0][:300]} (more in {log})")

    def _watch(self, pid: int) -> None:
        """Starts what ends the browser when nobody else can."""
        _let_go(_watchers.pop(self.profile, None))
        words = [
            sys.executable,
            "-m",
            "tools.browser.watch",
            str(self.folder),
            str(self.profile),
            str(pid),
        ]
        with starting:
            _watchers[self.profile] = subprocess.Popen(
                words,
                cwd=Path(__file__).parents[2],
                env=os.environ | {MARK: mark("browser")},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            leaders.add(_watchers[self.profile].pid)

    def _end(self, link: Link | None, pid: int = 0) -> None:
        """Browser.close, and patience until it has written what it keeps; then force. `pid`: as far as it is known."""
        child = _children.get(self.profile)
        child = child if child and child.poll() is None else None
        pid = child.pid if child else pid or _pid_of(self.profile)
        with suppress(ToolError, OSError, ValueError):
            link = link or Link(address_in(self._port_file))
            link.post("Browser.close")
            until = time.monotonic() + END_SECONDS
            while time.monotonic() < until:
                link.pump(until)
        until = time.monotonic() + END_SECONDS
        while time.monotonic() < until and _runs(pid, self.profile):
            time.sleep(0.01)
        if _runs(pid, self.profile):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        if child:
            _kill(child)
        _let_go(_watchers.pop(self.profile, None))
        for file in self.downloads.iterdir():  # parts of what never came to its end
            file.unlink(missing_ok=True)
        self._port_file.unlink(missing_ok=True)


def _set(file: Path) -> None:
    """Puts `_SETTINGS` into the settings of a profile that is not in use, where they say nothing yet."""
    try:
        known = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        known = {}
    except (OSError, ValueError):  # chromium says what is wrong with it
        return
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomic(file, json.dumps(_merged(_SETTINGS, known)))


def _merged(ours: dict[str, Any], known: Any) -> Any:
    """Return what is known, with what is only in ours."""
    if not isinstance(known, dict):
        return known
    inner = {key: _merged(each, known[key]) if isinstance(each, dict) and key in known else known.get(key, each) for key, each in ours.items()}  # fmt: skip
    return {**known, **inner}


def address_in(file: Path) -> str:
    """The address of the browser that has written DevToolsActivePort. Raises OSError, ValueError."""
    port, path = file.read_text("ascii").split()[:2]
    return f"ws://127.0.0.1:{int(port)}{path}"


def answers(address: str) -> bool:
    """Return True if a browser listens there."""
    try:
        _attach(address).close()
    except BrowserError:
        return False
    return True


def _attach(address: str) -> Link:
    """Connects to a browser that runs: its port, its WebSocket, or the folder of its profile. Raises BrowserError."""
    how = "start it with --remote-debugging-port=9222 --user-data-dir=FOLDER, or take browser.address out of config.yaml"
    if address.startswith(("ws://", "wss://")):
        return Link(address)
    if "/" in address and not address.startswith("http"):
        try:
            return Link(address_in(Path(address).expanduser() / "DevToolsActivePort"))
        except (OSError, ValueError, LinkLost) as error:
            raise BrowserError(f"no browser with the profile {address} listens: {how}") from error
    import requests

    root = address if address.startswith("http") else f"http://{address}"
    try:
        with requests.Session() as session:
            session.trust_env = False
            found = session.get(f"{root.rstrip('/')}/json/version", timeout=5).json()
        return Link(str(found["webSocketDebuggerUrl"]))
    except (requests.RequestException, ValueError, KeyError, TypeError) as error:
        raise BrowserError(f"no browser answers at {root}: {how}") from error


def _no_browser() -> str:
    return "no browser is installed: install one, such as with: sudo apt-get install chromium"


def _has_little_shared_memory() -> bool:
    try:
        found = os.statvfs("/dev/shm")
    except OSError:
        return False
    return found.f_blocks * found.f_frsize < 400_000_000


def _is_held(file: Path) -> bool:
    """Return True if a process has locked this claim."""
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _pid_of(profile: Path) -> int:
    """The browser that has the profile open, by the lock that it keeps there: a link to HOST-PID. 0: none."""
    with suppress(OSError, ValueError):
        return int(str((profile / "SingletonLock").readlink()).rpartition("-")[2])
    return 0


def _runs(pid: int, profile: Path) -> bool:
    """Return True if this process is a browser with this profile; the pid may be another's by now."""
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        return (
            process.status() != psutil.STATUS_ZOMBIE
            and f"--user-data-dir={profile}" in process.cmdline()
        )
    return False


def _let_go(watcher: subprocess.Popen[bytes] | None) -> None:
    if watcher:
        watcher.kill()
        watcher.wait()
        leaders.discard(watcher.pid)


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait(2)
    leaders.discard(child.pid)
    for profile in [profile for profile, each in _children.items() if each is child]:
        del _children[profile]
