"""Calls of the browser's tools in tests, as a run makes them, on a real chromium."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from models.base import ToolResult
from tests.drained import drained
from tools.base import ToolContext
from tools.browser.calls import problem, web_execute_js, web_scan
from tools.browser.start import program

needs_browser = pytest.mark.skipif(
    bool(problem()) or program() is None,
    reason=problem() or "no browser: sudo apt-get install chromium",
)


@dataclass
class Driver:
    """One run that uses the browser."""

    ctx: ToolContext
    base: str = ""  # of the site
    told: str = ""  # what the last script streamed

    def scan(self, path: str | None = None, **args: object) -> ToolResult:
        """web_scan, of a page of the site."""
        given = {"url": path if "://" in path else self.base + path} if path else {}
        result = web_scan.run(self.ctx, **given, **args)
        assert isinstance(result, ToolResult)
        return result

    def run(self, script: str, **args: object) -> ToolResult:
        """web_execute_js; “Label” in the script is the reference of what has this label on the
        page."""
        if "“" in script:
            refs = self.refs()
            script = re.sub(r"“([^”]+)”", lambda match: repr(refs[match[1]]), script)
        running = web_execute_js.run(self.ctx, script, **args)
        told, result = drained(running)
        self.told = "".join(told)
        assert isinstance(result, ToolResult)
        return result

    def refs(self) -> dict[str, str]:
        """Return each reference by its label, without what fields hold."""
        found = re.findall(r"\[([^\[\]]*)\]\((e\d+)", self.scan().as_text())
        return {label.split(" = ")[0].split(" {")[0]: ref for label, ref in reversed(found)}


def driver(folder: Path, home: Path, base: str, run: str = "20261122-101112-aaaa") -> Driver:
    """Return a run with a folder of its own below `folder`."""
    (folder / run).mkdir(parents=True, exist_ok=True)
    return Driver(
        ToolContext(folder, folder / run, home, call="c1", tool_seconds=20, run=run), base
    )
