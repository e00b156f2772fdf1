"""A real Chromium that looks at the page of a real server: nothing leaves this machine, and no
fault stays unseen."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import CHECKOUT
from tests.machine import PATIENCE_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, Request

AXE = CHECKOUT / "tests" / "vendor" / "axe.js"
ARTEFACTS = CHECKOUT / "artefacts"
WAIT_MS = int(PATIENCE_SECONDS * 1000)
WIDE, NARROW = (1600, 1000), (380, 780)
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Yield the browser of this machine, without a screen; skips where there is none."""
    found = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if not found:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


class Window:
    """One window. `faults`: what the console said, what a page threw, what was asked of another
    host."""

    def __init__(
        self,
        browser: Browser,
        origin: str,
        lang: str = "en",
        size: tuple[int, int] = WIDE,
        theme: str = "light",
    ) -> None:
        self.origin, self.lang, self.size, self.theme = origin, lang, size, theme
        self.faults: list[str] = []
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale="zh-CN" if lang == "zh" else "en-GB",
            color_scheme="dark" if theme == "dark" else "light",
            reduced_motion="reduce",
        )
        self.context.set_default_timeout(WAIT_MS)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", self._fail)
        self.page.on("request", self._look)

    def _hear(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            self.faults.append(f"{said.text} {said.location}")

    def _fail(self, error: Error) -> None:
        self.faults.append(str(error))

    def _look(self, asked: Request) -> None:
        if not asked.url.startswith((self.origin + "/", "data:", "blob:")):
            self.faults.append(f"asked another host: {asked.url}")

    def close(self) -> None:
        """End it; every fault that was not expected is told."""
        self.context.close()
        assert self.faults == []

    def open(self, path: str = "") -> Window:
        """Load a page anew."""
        self.page.goto(f"{self.origin}/{path}")
        return self

    def enter(self, token: str, changes: bool = True) -> Window:
        """Open the address that the server printed; with `changes`, turn changes on."""
        self.open(f"chat#token={token}")
        self.find(".composer, .talk").first.wait_for()
        if changes and self.find(".composer.closed").count():
            self.find(".composer.closed button").click()
            self.find("#composer").wait_for()
        return self

    def go(self, path: str) -> Window:
        """Follows a link of the page to `path`, without loading it anew."""
        self.page.evaluate(
            "path => { const a = Object.assign(document.createElement('a'), {href: path});"
            " document.body.append(a); a.click(); a.remove(); }",
            f"/{path}",
        )
        return self

    def find(self, selector: str, **options: Any) -> Locator:
        """Return what is there, or comes."""
        return self.page.locator(selector, **options)

    def expect(self, found: Locator) -> Any:
        """Return what holds of it, or comes to hold."""
        from playwright.sync_api import expect

        expect.set_options(timeout=WAIT_MS)
        return expect(found)

    def button(self, name: str) -> Locator:
        """Return the button of that name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def settled(self) -> Window:
        """Wait until nothing is being loaded."""
        self.page.locator("main h1:visible").first.wait_for()
        self.page.locator("[aria-busy=true], .loading").first.wait_for(state="detached")
        return self

    def picture(self, name: str) -> Path:
        """Return a screenshot in `artefacts/`, which Git does not keep."""
        ARTEFACTS.mkdir(exist_ok=True)
        file = ARTEFACTS / f"{name}-{self.size[0]}-{self.lang}-{self.theme}.png"
        self.page.screenshot(path=file)
        return file

    def barriers(self) -> list[str]:
        """Return what axe-core finds that keeps somebody out, each with its place."""
        if not self.page.evaluate("() => 'axe' in window"):
            # as a debugger does: the page's own policy holds for the page
            self.page.evaluate(AXE.read_text("utf-8"))
        found = self.page.evaluate("rules => axe.run(document, rules)", RULES)
        return [
            f"{each['id']}: {node['target']} {node.get('failureSummary', '')}"
            for each in found["violations"]
            for node in each["nodes"]
        ]

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        wide: int = self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        return wide
