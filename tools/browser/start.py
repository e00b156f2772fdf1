"""Find the owner's browser or start one of our own, and say which tabs of it belong to which run.

Our own browser keeps its profile in `<home>/browser/profile`: cookies and logins last. Runs share
it; the last one that uses it ends it, with Browser.close (a signal would lose cookies younger than
half a minute). `<home>/browser/runs/RUN` lists the tabs of a run and is locked by the process that
works on it: tabs of a run that was killed are closed by the next one that comes, or taken up again
when the run goes on. A browser whose runs were all killed is taken over by the next.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from config import BrowserConfig, Message
from tools.base import ToolError
from tools.browser.link import BrowserError, Link, LinkLost
from tools.processes import MARK, leaders, mark, starting

PROGRAMS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *("microsoft-edge", "brave-browser"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_FLAGS = (
    *("--remote-debugging-port=0", "--no-first-run", "--no-default-browser-check"),
    *("--window-size=1280,900", "--disable-background-networking", "--disable-component-update"),
    # Nobody sits at the screen: each question of a page is answered with no.
    "--deny-permission-prompts",
    "--disable-dev-shm-usage",  # where that is small a page crashes
    *("--disable-sync", "--disable-breakpad", "--disable-default-apps", "--password-store=basic"),
    *("--use-mock-keychain", "--hide-crash-restore-bubble"),
    *("--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows"),
    *(
        "--disable-renderer-backgrounding",
        "--disable-features=Translate,OptimizationHints,MediaRouter",
    ),
)
START_SECONDS = 30.0
END_SECONDS = 8.0
_children: dict[Path, subprocess.Popen[bytes]] = {}  # started by this process, by profile


def program() -> str | None:
    """Return the browser of this machine, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def has_display() -> bool:
    """Return True if a window could be shown."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


class Home:
    """Hold what lies in `<home>/browser`, as one run uses it. Made when the run opens its browser,
    closed at its end."""

    def __init__(self, home: Path, run: str, settings: BrowserConfig) -> None:
        self.folder, self.settings = home / "browser", settings
        # Else it is the owner's own: it is never ended, its settings are left alone.
        self.is_ours = not settings.address
        self.profile = settings.profile or self.folder / "profile"
        self.downloads = self.folder / "downloads"
        self._claim = -1
        for folder in (self.folder, self.folder / "runs", self.downloads):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.is_ours:
            self.profile.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = self.folder / "runs" / (run or f"process-{os.getpid()}")

    def open(self) -> tuple[Link, list[str]]:
        """Return the connection, and the tabs that this run had already. Raises BrowserError."""
        with self._alone():
            if self.is_ours:
                link = self._running() or self._start()
            else:
                link = _attach(self.settings.address)
            self._claim = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._claim, fcntl.LOCK_EX)
            for tab in self._of_the_dead():
                link.post("Target.closeTarget", targetId=tab)
            return link, self._file.read_text("ascii").split()

    def claim(self, tabs: list[str]) -> None:
        """Write down which tabs are this run's."""
        data = "\n".join(tabs).encode("ascii")
        os.ftruncate(self._claim, len(data))
        os.pwrite(self._claim, data, 0)

    def others(self) -> set[str]:
        """Return the tabs of other runs."""
        files = [file for file in self._claims() if file != self._file]
        return {tab for file in files for tab in file.read_text("ascii").split()}

    def close(self, link: Link | None) -> None:
        """Give up the claim; end the browser if it is ours and nobody else uses it."""
        with self._alone():
            if self._claim >= 0:
                self._file.unlink(missing_ok=True)
                os.close(self._claim)
                self._claim = -1
            list(self._of_the_dead())
            if self.is_ours and not list(self._claims()):
                self._end(link)
        if link:
            link.close()

    def _claims(self) -> Iterator[Path]:
        return filter(Path.is_file, (self.folder / "runs").iterdir())

    def _of_the_dead(self) -> Iterator[str]:
        """Give the tabs of runs that nobody works on any more, and forget them."""
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
        """Return the connection to our browser if it runs; what a dead one left behind is
        removed."""
        try:
            return Link(address_in(self._port_file))
        except (OSError, LinkLost):
            self._port_file.unlink(missing_ok=True)
            return None

    def _start(self) -> Link:
        found = program()
        if found is None:
            raise BrowserError("error.browser.no-browser")
        log = self.folder / "browser.log"
        with log.open("wb") as output, starting:
            child = subprocess.Popen(
                [found, *_FLAGS, *self._more_flags(), "about:blank"],
                env=os.environ | {MARK: mark("browser")},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            leaders.add(child.pid)
            _children[self.profile] = child
        try:
            link = self._answered(child)
        except BaseException:  # stopped while it starts: nobody would end it
            _kill(child)
            raise
        if link is None:
            code = child.poll()
            _kill(child)
            raise BrowserError(self._why_not(found, code, log))
        return link

    def _more_flags(self) -> Iterator[str]:
        yield f"--user-data-dir={self.profile}"
        wanted = self.settings.headless
        if wanted == "on" or (wanted == "auto" and not has_display()):
            yield "--headless=new"
        if os.geteuid() == 0:  # it does not start as root else
            yield "--no-sandbox"

    def _answered(self, child: subprocess.Popen[bytes]) -> Link | None:
        """Return the connection when the browser listens; None when it does not in time, or has
        ended."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and child.poll() is None:
            with suppress(OSError, ValueError, LinkLost):
                return Link(address_in(self._port_file))
            time.sleep(0.02)
        return None

    def _why_not(self, found: str, code: int | None, log: Path) -> str:
        if code == 0:
            return Message("error.browser.profile-open", profile=self.profile)
        last = log.read_text("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
        return Message("error.browser.not-started", program=found, error=last[0][:300], file=log)

    def _end(self, link: Link | None) -> None:
        """Send Browser.close, and have patience until it has written what it keeps; then use
        force."""
        child = _children.get(self.profile)
        pid = child.pid if child else _pid_of(self.profile)
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
        for file in self.downloads.iterdir():  # parts of what never came to its end
            file.unlink(missing_ok=True)
        self._port_file.unlink(missing_ok=True)


def address_in(file: Path) -> str:
    """Return the address of the browser that has written DevToolsActivePort. Raises OSError,
    ValueError."""
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
    """Connect to a browser that runs: its port, or its WebSocket. Raises BrowserError."""
    how = "start it with --remote-debugging-port=9222 --user-data-dir=FOLDER, or take browser.address out of config.yaml"
    if address.startswith(("ws://", "wss://")):
        return Link(address)
    import requests

    root = address if address.startswith("http") else f"http://{address}"
    try:
        with requests.Session() as session:
            session.trust_env = False
            found = session.get(f"{root.rstrip('/')}/json/version", timeout=5).json()
        return Link(str(found["webSocketDebuggerUrl"]))
    except (requests.RequestException, ValueError, KeyError, TypeError) as error:
        raise BrowserError("error.browser.browser-answers", address=root, error=how) from error


def _is_held(file: Path) -> bool:
    """Return True if a process has locked this claim."""
    try:
        with file.open("r+b") as claim:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def _pid_of(profile: Path) -> int:
    """Return the browser that has the profile open, by the lock that it keeps there: a link to
    HOST-PID. 0: none."""
    with suppress(OSError, ValueError):
        return int(str((profile / "SingletonLock").readlink()).rpartition("-")[2])
    return 0


def _runs(pid: int, profile: Path) -> bool:
    """Return True if this process is a browser with this profile; the pid may be another's by
    now."""
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        is_alive = process.status() != psutil.STATUS_ZOMBIE
        return is_alive and f"--user-data-dir={profile}" in process.cmdline()
    return False


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait(START_SECONDS)  # a busy machine takes long to bury it
    leaders.discard(child.pid)
    for profile in [profile for profile, each in _children.items() if each is child]:
        del _children[profile]
