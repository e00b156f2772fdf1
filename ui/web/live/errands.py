"""Run what takes a while and is no run: verifying, teaching, distilling. Each is a command of ours
in a process of its own, and its lines are shown as they come.

Everything here runs in the server's event loop.
"""

from __future__ import annotations

import asyncio
import errno
import secrets
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from config import Config, SopwithError
from ui.web.live.hub import Hub
from ui.web.live.work import ROOT, TooMuchWork
from ui.words import language, words_of

KEPT = 100
AT_ONCE = 4
MAX_LINES = 2_000


class CommandFailed(SopwithError):
    """A command of ours did not do it; the text is its own."""


@dataclass
class Errand:
    """One command at work. `state`: working, done or failed; `lines`: what it said."""

    id: str
    what: str
    about: str
    state: str = "working"
    lines: list[str] = field(default_factory=list)
    code: int | None = None


class Errands:
    """The errands of this server, the newest ones."""

    def __init__(self, config: Config, hub: Hub, cwd: Path) -> None:
        self._config, self._hub, self._cwd = config, hub, cwd
        self._errands: OrderedDict[str, Errand] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def get(self, id: str) -> dict[str, Any] | None:
        """Return an errand as it stands."""
        errand = self._errands.get(id)
        return asdict(errand) if errand else None

    def begin(self, what: str, about: str, words: Sequence[str]) -> str:
        """Run `sopwith WORDS…` and return the errand's id. Raises TooMuchWork."""
        if sum(errand.state == "working" for errand in self._errands.values()) >= AT_ONCE:
            raise TooMuchWork("error.ui-web.runs-work", count=AT_ONCE)
        errand = Errand(secrets.token_hex(6), what, about)
        self._errands[errand.id] = errand
        while len(self._errands) > KEPT:
            self._errands.popitem(last=False)
        task = asyncio.create_task(self._run(errand, words))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return errand.id

    async def said_by(
        self, words: Sequence[str], text: str = "", *, is_partial: bool = False
    ) -> str:
        """Return what `sopwith WORDS…` says, once it has ended well, in the language that is spoken
        here; `is_partial`: also where part of it failed. Raises CommandFailed with its own
        words."""
        process = await self._start(words, asyncio.subprocess.PIPE)
        try:
            out, err = await process.communicate(text.encode())
        except asyncio.CancelledError:
            process.kill()
            raise
        if process.returncode and not (is_partial and process.returncode == 1 and out):
            why = err.decode("utf-8", "replace").strip() or out.decode("utf-8", "replace").strip()
            raise CommandFailed(why.removeprefix("sopwith: ")[-2_000:])
        return out.decode("utf-8", "replace")

    async def _start(self, words: Sequence[str], errors: int) -> asyncio.subprocess.Process:
        """Raise CommandFailed for words that no command line can hold."""
        given = [word.replace("\0", "\ufffd") for word in words]
        home = ["--home", str(self._config.home), "--lang", language()]
        try:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, str(ROOT / "launch.py"), *home, *given),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                cwd=self._cwd,
                limit=8_000_000,
            )
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            raise CommandFailed("error.ui-web.text-too-long-here") from None

    async def _run(self, errand: Errand, words: Sequence[str]) -> None:
        try:
            process = await self._start(words, asyncio.subprocess.STDOUT)
        except (CommandFailed, OSError) as error:
            errand.state, errand.lines = "failed", words_of(error).split("\n")
            self._tell(errand)
            return
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.close()
            async for line in process.stdout:
                if len(errand.lines) < MAX_LINES:
                    errand.lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                self._tell(errand)
            errand.code = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            errand.state = "done" if errand.code == 0 else "failed"
            self._tell(errand)

    def _tell(self, errand: Errand) -> None:
        self._hub.publish({"type": "errand", "errand": asdict(errand)})

    async def close(self) -> None:
        """End what is at work: every command of ours may be ended at any time."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
