"""The browser when things go wrong: it dies, a tab goes, a page loops, opens windows, is huge; what
is left behind: nothing."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from config import BrowserConfig, Config
from tests.browser_driving import Driver, driver, needs_browser
from tests.browser_site import site
from tests.machine import PATIENCE_SECONDS
from tests.rows import cases
from tests.screen import waits_until
from tools.base import ToolError
from tools.browser.link import Link
from tools.browser.start import address_in, program

pytestmark = needs_browser


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with site() as address:
        yield address


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, base: str) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("faults")
    keeper = driver(folder, folder / "home", base, run="keeper")
    keeper.scan("/")
    yield folder / "home"
    keeper.ctx.close()


@pytest.fixture
def web(shared: Path, base: str, tmp_path: Path) -> Iterator[Driver]:
    found = driver(tmp_path, shared, base)
    yield found
    found.ctx.close()


def chromium(
    profile: Path, *more: str, headless: str = "--headless=new"
) -> subprocess.Popen[bytes]:
    """Return a browser that an owner has started, on a port of its own choosing."""
    found = program()
    assert found
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    argv = [
        found,
        *filter(None, [headless]),
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        "--no-first-run",
        *root,
        *more,
    ]
    child = subprocess.Popen(
        argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            Link(address_in(profile / "DevToolsActivePort")).close()
        except (OSError, ValueError, ToolError):
            time.sleep(0.02)
        else:
            return child
    raise AssertionError("chromium did not start")


def browsers(folder: Path) -> list[int]:
    """Return the processes that have a profile below `folder` open."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and any(
                f"--user-data-dir={folder}" in word for word in process.cmdline()
            ):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def test_a_script_that_never_ends_is_stopped_and_the_tab_goes_on(web: Driver) -> None:
    web.scan("/loop")
    for script in ("while (true) {}", "await new Promise(() => {})", "await click(“Loop”)"):
        result = web.run(script, timeout=1)
        assert result.status == "timeout", script
        assert "was stopped" in result.data["output"]
    assert "before the loop" in web.scan().as_text()


@cases
def test_an_address_that_does_not_answer_is_said(web: Driver, url: str, said: str) -> None:
    with pytest.raises(ToolError, match=said):
        web.scan(url)
    assert web.scan(tabs_only=True).data["output"] == "no tab is open"


def test_a_tab_that_was_closed_is_said(web: Driver) -> None:
    web.scan("/")
    browser = web.ctx.kept["browser"]
    first = browser.tabs["t1"].target
    browser.connection.call("Target.closeTarget", targetId=first)
    waits_until(
        lambda: first not in str(browser.connection.call("Target.getTargets"))
    )  # it is said before it is done
    with pytest.raises(ToolError, match="no page is open"):
        web.scan()
    web.scan("/two")
    other = Link(address_in(browser.place.profile / "DevToolsActivePort"))
    second = browser.tabs["t2"].target

    def close_when_it_works() -> None:
        waits_until(lambda: "at work" in str(other.call("Target.getTargets")))
        other.post("Target.closeTarget", targetId=second)

    closing = threading.Thread(target=close_when_it_works)
    closing.start()
    gone = web.run("document.title = 'at work'; await new Promise(() => {})", timeout=60)
    closing.join()
    assert gone.status == "error"
    assert "was closed" in gone.data["output"]
    other.close()


def test_a_browser_that_dies_is_said_and_started_anew(base: str, tmp_path: Path) -> None:
    web = driver(tmp_path, tmp_path / "home", base)
    web.scan("/")
    (pid,) = [pid for pid in browsers(tmp_path) if psutil.Process(pid).ppid() == os.getpid()]
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ToolError, match="the browser has ended"):
        web.run("await new Promise(() => {})")
    assert "Hello" in web.scan("/").as_text()
    web.ctx.close()
    assert browsers(tmp_path) == []
    assert list((tmp_path / "home" / "browser" / "runs").iterdir()) == []


def test_a_login_survives_the_end_of_the_browser(base: str, tmp_path: Path) -> None:
    first = driver(tmp_path, tmp_path / "home", base)
    first.scan("/private")
    assert "Who are you?" in first.scan("/private").as_text()
    first.scan("/login")
    first.run("await click(“Log in”)")
    first.ctx.close()
    assert browsers(tmp_path) == []
    (tmp_path / "home" / "browser" / "profile" / "DevToolsActivePort").write_text(
        "9\n/devtools/browser/stale"
    )
    again = driver(tmp_path, tmp_path / "home", base, run="20261122-101112-bbbb")
    assert "Welcome back" in again.scan("/private").as_text()
    again.ctx.close()


def test_the_owners_browser_keeps_its_tabs_dialogs_and_downloads(base: str, tmp_path: Path) -> None:
    profile = tmp_path / "owners"
    child = chromium(profile)
    try:
        owner = Link(address_in(profile / "DevToolsActivePort"))
        target = owner.call("Target.createTarget", url=f"{base}/keeps")["targetId"]
        session = owner.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        opened: list[str] = []
        owner.listeners[session] = lambda method, said: opened.append(method)
        owner.call("Page.enable", session)
        web = driver(tmp_path, tmp_path / "home", base)
        web.ctx.config = Config(
            home=tmp_path,
            lang="en",
            browser=BrowserConfig(address=address_in(profile / "DevToolsActivePort")),
        )
        while "Keeps" not in str(owner.call("Target.getTargets")):
            owner.drain(0.02)
        tabs = web.scan().data["output"]
        assert "Keeps" in tabs
        web.scan("/", tab="new")
        number = owner.send("Runtime.evaluate", session, expression="confirm('owner?')")
        owner.drain(0.5)
        web.run("1")
        owner.drain(0.3)
        assert "Page.javascriptDialogOpening" in opened
        assert "Page.javascriptDialogClosed" not in opened  # nobody but the owner answers it
        owner.call("Page.handleJavaScriptDialog", session, accept=True)
        owner.drain(0.1)
        assert owner.answer(number)["result"]["value"] is True
        assert (
            owner.call("Runtime.evaluate", session, expression="typeof sopwith")["result"]["value"]
            == "undefined"
        )
        name = next(line.split()[0] for line in tabs.splitlines() if "Keeps" in line)
        assert "kept" in web.scan(tab=name).as_text()
        web.ctx.close()
        left: list[str] = []
        until = time.monotonic() + PATIENCE_SECONDS
        while (
            len(left) != 2 and time.monotonic() < until
        ):  # the blank page that it began with is the other one
            infos = owner.call("Target.getTargets")["targetInfos"]
            left = [each["targetId"] for each in infos if each["type"] == "page"]
        assert len(left) == 2
        assert target in left
        owner.close()
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
        for pid in browsers(tmp_path):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_without_a_browser_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(
        ToolError,
        match="no browser is installed: install one, such as with: sudo apt-get install chromium",
    ):
        driver(tmp_path, tmp_path / "home", "").scan("http://127.0.0.1:9/")
