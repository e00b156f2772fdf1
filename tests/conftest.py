"""Give every test a temporary home, no settings of this machine, no address but loopback; and the
CLI."""

import contextlib
import functools
import gc
import importlib
import ipaddress
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import hypothesis
import pytest

from tests import inside
from tests.found_once import found_once
from tests.machine import PATIENCE_SECONDS, ran

# Started in the background, or with nohup, we would ignore these, and so would every process that a
# test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# With more threads numpy's matrix library spins on every core, and tests side by side wait for each
# other (memory/journal/api.py).
os.environ["OPENBLAS_NUM_THREADS"] = "1"

CHECKOUT = Path(__file__).resolve().parent.parent
LAUNCH = [sys.executable, "-W", "error", str(CHECKOUT / "launch.py")]  # the command line
_BEGAN = time.monotonic()
_CACHE: list[str] = []  # of all tests
# New examples each time, for `scripts/test --all`; the quick tests draw the same ones (Hypothesis's
# profile "ci").
hypothesis.settings.register_profile("random", deadline=None, print_blob=True)
_KEPT_VARIABLES = (
    "PATH",
    "TMPDIR",
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
    "PYTEST_CURRENT_TEST",
    "PYTEST_XDIST_WORKER",
)


def pytest_configure(config: pytest.Config) -> None:
    """Let what a module's fixtures start before a test has its `home` know as little of this
    machine's settings."""
    folder = os.environ.get("HOME", "")
    if not hasattr(config, "workerinput"):  # the processes that share the tests share it too
        folder = tempfile.mkdtemp(prefix="sopwith-tests-")
        config.add_cleanup(functools.partial(shutil.rmtree, folder, ignore_errors=True))
    for name in set(os.environ) - {*_KEPT_VARIABLES, "OPENBLAS_NUM_THREADS"}:
        del os.environ[name]
    _CACHE[:] = [f"{folder}/.cache"]
    os.environ |= {
        "HOME": folder,
        "XDG_CACHE_HOME": _CACHE[0],
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    time.tzset()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home folder of this test (SOPWITH_HOME; not made yet). HOME and the working folder
    are temporary too, and the screens speak English until the test says so.

    The environment is built from nothing, so that no key, proxy or locale of this machine reaches a
    test.
    """
    owner, cwd, home_folder = tmp_path / "owner", tmp_path / "cwd", tmp_path / "owner" / ".sopwith"
    for folder in (owner, cwd):
        folder.mkdir()
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    for name in set(os.environ) - kept.keys():
        monkeypatch.delenv(name)
    for name, value in {
        "HOME": str(owner),
        "SOPWITH_HOME": str(home_folder),
        "XDG_CONFIG_HOME": str(owner / ".config"),
        "XDG_CACHE_HOME": _CACHE[0],  # the model of embeddings is unpacked once
        "XDG_DATA_HOME": str(owner / ".local/share"),
        "XDG_STATE_HOME": str(owner / ".local/state"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "GIT_CONFIG_NOSYSTEM": "1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(cwd)
    monkeypatch.setattr("ui.words._spoken", ["en"])
    return home_folder


def _refuse_all_but_loopback(address: Any) -> None:
    # a string is a Unix socket: on this machine
    host = address[0] if isinstance(address, tuple) else None
    if host is None or host == "localhost":
        return
    if not ipaddress.ip_address(str(host).split("%")[0]).is_loopback:
        raise PermissionError(f"a test tried to reach {host}: only loopback is open to tests")


@pytest.fixture(autouse=True)
def loopback_only(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuses any connection from this process to another machine, and any look-up of a name,
    unless `--live`."""
    if request.node.get_closest_marker("live"):
        return
    connect, connect_ex, look_up = (
        socket.socket.connect,
        socket.socket.connect_ex,
        socket.getaddrinfo,
    )

    def guarded_connect(self: socket.socket, address: Any) -> None:
        _refuse_all_but_loopback(address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        _refuse_all_but_loopback(address)
        return connect_ex(self, address)

    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name in (None, "", "localhost"):
            return look_up(host, *args, **kwargs)
        try:
            ipaddress.ip_address(name)
        except ValueError as error:
            raise socket.gaierror(
                socket.EAI_NONAME, f"a test looked up {name}: only loopback is open"
            ) from error
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)


@pytest.fixture(scope="session", autouse=True)
def known_machine() -> Iterator[None]:
    """Find out once for all homes what this machine holds and how the seeds read."""
    with found_once():
        yield


@pytest.fixture(scope="session")
def why_no_stage(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Why this machine has no stage, "" where it has one."""
    stage = importlib.import_module("sandbox.stage")
    folder = tmp_path_factory.mktemp("probe")
    return str(stage.why_none(folder / "home", [folder]))


@pytest.fixture
def staged(why_no_stage: str) -> None:
    """Skip where there are no stages."""
    if why_no_stage:
        pytest.skip(f"this machine has no stage: {why_no_stage}")


@pytest.fixture
def small_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Yield a file system of 4 MiB, or of the size that the test's mark `disk` names, to fill up or
    to make read-only; only root can mount one."""
    mark, place = request.node.get_closest_marker("disk"), tmp_path / "disk"
    place.mkdir()
    size = mark.args[0] if mark else "4m"
    if ran("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    ran("umount", "--lazy", place, check=True)


@dataclass(frozen=True)
class Finished:
    """How a command ended. Unpacks as (exit code, stdout, stderr)."""

    code: int
    stdout: str
    stderr: str

    def __iter__(self) -> Iterator[Any]:
        return iter((self.code, self.stdout, self.stderr))


class CommandLine(Protocol):
    """`cli("run", "TASK", env={...})` runs `python launch.py run TASK` in the test's home and waits
    for its end."""

    def __call__(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: str = "",
        timeout_seconds: float = PATIENCE_SECONDS,
    ) -> Finished: ...


# A process reads these when it starts.
_OF_A_START = ("LANG", "LC_", "PYTHON", "TZ")


@pytest.fixture
def cli(process: CommandLine) -> CommandLine:
    """Return the command line within this process (tests/inside.py), with the environment of the
    test plus `env`.

    A command of another thread than the first, or with variables that a start reads, gets a process
    of its own.
    """

    def run(
        *args: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: str = "",
        timeout_seconds: float = PATIENCE_SECONDS,
    ) -> Finished:
        given = env or {}
        is_first = threading.current_thread() is threading.main_thread()
        if not is_first or any(name.startswith(_OF_A_START) for name in given):
            return process(*args, env=env, cwd=cwd, stdin=stdin, timeout_seconds=timeout_seconds)
        return Finished(*inside.command_line(args, given, cwd or Path.cwd(), stdin))

    return run


@pytest.fixture
def process(home: Path) -> CommandLine:
    """Return the command line as a process of its own, with the environment of the test plus `env`;
    stdin is never a tty."""

    def run(
        *args: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: str = "",
        timeout_seconds: float = PATIENCE_SECONDS,
    ) -> Finished:
        done = subprocess.run(
            [*LAUNCH, *args],
            env={**os.environ, **(env or {})},
            cwd=cwd or Path.cwd(),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout_seconds,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def scripted_server() -> Iterator[Callable[..., Any]]:
    """`scripted_server([Answer(...), ...])` starts an OpenAI-compatible endpoint on loopback that
    answers as told (tests/scripted_server.py); it stops with the test."""
    server = importlib.import_module("tests.scripted_server").ScriptedServer
    with contextlib.ExitStack() as running:
        yield lambda script: running.enter_context(server(script))


@pytest.fixture
def at_terminal() -> Iterator[Callable[..., Any]]:
    """`at_terminal("run", "TASK")` opens a terminal with `python launch.py run TASK` in it and
    gives its Screen (tests/screen.py); it closes with the test."""
    screen = importlib.import_module("tests.screen").Screen
    with contextlib.ExitStack() as opened:
        yield lambda *args, **options: opened.enter_context(
            contextlib.closing(screen.of_cli(*args, **options))
        )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what has not begun when the time given by `--minutes` is up."""
    minutes = item.config.getoption("--minutes")
    if minutes and time.monotonic() - _BEGAN > minutes * 60:
        pytest.skip("no time is left")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Yield a report of a failure reads the test's source. What a failed test left open must not be
    collected within that: its warning is told with a traceback, which reads source too, and Python
    up to 3.11.7 cannot do one within the other."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--live", action="store_true", help="also run the tests that talk to something outside"
    )
    parser.addoption("--minutes", type=float, help="begin no test after this time")


def slow_tests() -> list[str]:
    """Return the first letters of the names of slow tests, from the rows of tests/slow.txt."""
    rows = (CHECKOUT / "tests/slow.txt").read_text("utf-8").splitlines()
    return [row.split("#")[0].strip() for row in rows if row.split("#")[0].strip()]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = tuple("tests/" + name for name in slow_tests())
    for item in items:
        if item.nodeid.startswith(slow):
            item.add_marker("slow")
    if config.getoption("--live"):
        return
    live = [item for item in items if item.get_closest_marker("live")]
    items[:] = [item for item in items if not item.get_closest_marker("live")]
    if live:
        config.hook.pytest_deselected(items=live)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Yield the browser of this machine, for the tests of one module."""
    from tests.window import chromium

    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield a server, and a browser that may change things. The module's SCRIPTS are its models,
    SETTINGS more of its config.yaml, and `lay(home, cwd)` what is there before it starts."""
    from tests.serving import Served, made_home

    of, folder = request.module, tmp_path_factory.mktemp("site")
    home = made_home(folder, of.SCRIPTS, getattr(of, "SETTINGS", ""))
    if hasattr(of, "lay"):
        of.lay(home, folder / "cwd")
    with Served(home, folder / "cwd") as served:
        yield served.sign_in()
    said = served.errors.read_text()
    assert "Traceback" not in said
    assert "sopwith.web" not in said


@pytest.fixture
def window(browser: Any, site: Any) -> Iterator[Any]:
    """Yield the owner's window; nothing may be wrong in it at the end."""
    from tests.window import Window

    opened = Window(browser, site.origin).enter(site.token)
    yield opened
    opened.close()
