"""Speaks the DevTools protocol with a browser: JSON over a WebSocket, answers by number, events as
they come.

No thread of ours: whoever waits for an answer takes in what comes meanwhile, so every wait has an
end and Ctrl-C reaches it. Events are handed to whoever listens for their session, in order; a
listener only notes them, or posts a command.

    ToolError
    └── BrowserError   the browser's or the page's fault; the text is for the model
        ├── LinkLost   the browser has ended, or has closed the connection
        ├── TabLost    the tab is gone: closed by the owner or by its page, or crashed
        ├── TooLate    no answer within the time of the call
        └── Blocked    a dialog stands open in the tab, and nobody has said how to answer it
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from tools.base import ToolError

Event = dict[str, Any]
Listener = Callable[[str, dict[str, Any]], None]  # the method of an event, and its parameters
_GONE = re.compile(r"(?:Session|No target|No session) with given id|Target closed")


class BrowserError(ToolError):
    """Say what the browser would not do."""


class LinkLost(BrowserError):
    """There is no browser any more."""


class TabLost(BrowserError):
    """The tab is not there any more."""


class TooLate(BrowserError):
    """The browser has not answered in time."""


class Blocked(BrowserError):
    """A dialog is open."""


class Link:
    """One connection to a browser. `listeners` by session; "" is the browser itself."""

    def __init__(self, address: str) -> None:
        """`address`: ws://…/devtools/browser/…. Raises LinkLost."""
        from websockets.exceptions import WebSocketException
        from websockets.sync.client import connect

        self.listeners: dict[str, Listener] = {}
        self._number = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._wanted: set[int] = set()
        self._stack = ExitStack()
        try:
            # No ping: what comes while a model thinks is not read, and its answer would lie behind
            # it.
            none = dict.fromkeys(("max_size", "ping_interval", "proxy", "compression"))
            self._socket = self._stack.enter_context(connect(address, close_timeout=1, **none))
        except (OSError, WebSocketException, ValueError) as error:
            raise LinkLost(
                "error.browser.browser-answers", address=address.split("/devtools")[0], error=error
            ) from error

    def call(
        self,
        method: str,
        session: str = "",
        seconds: float = 10.0,
        stop: Callable[[], BrowserError | None] = lambda: None,
        **parameters: Any,
    ) -> dict[str, Any]:
        """Return the answer to a command. `stop` is looked at after each event: an error that it
        gives is raised.

        Raises LinkLost, TabLost, TooLate; BrowserError with the browser's words for a command that
        it refuses.
        """
        return self.wait(self.send(method, session, **parameters), seconds, stop, method)

    def wait(
        self,
        number: int,
        seconds: float,
        stop: Callable[[], BrowserError | None] = lambda: None,
        method: str = "",
    ) -> dict[str, Any]:
        """Return the answer to a command that was sent; it raises as `call` does."""
        try:
            until = time.monotonic() + seconds
            while not self.has_answer(number):
                if error := stop():
                    raise error
                if time.monotonic() >= until:
                    raise TooLate(
                        "error.browser.browser-answered-within",
                        seconds=f"{seconds:g}",
                        method=method,
                    )
                self.pump(until)
            return self.answer(number)
        finally:
            self.forget(number)

    def send(self, method: str, session: str = "", **parameters: Any) -> int:
        """Send a command whose answer is wanted; return its number."""
        number = self._post(method, session, parameters)
        self._wanted.add(number)
        return number

    def post(self, method: str, session: str = "", **parameters: Any) -> None:
        """Send a command whose answer nobody waits for."""
        self._post(method, session, parameters)

    def has_answer(self, number: int) -> bool:
        """Return True if the answer to the command of this number is there."""
        return number in self._answers

    def answer(self, number: int) -> dict[str, Any]:
        """Return the answer to a command, which must be there. Raises TabLost, BrowserError."""
        said = self._answers[number]
        if "error" not in said:
            result: dict[str, Any] = said.get("result", {})
            return result
        text = str(said["error"].get("message", "")).rstrip(".")
        raise (TabLost if _GONE.search(text) else BrowserError)(text)

    def forget(self, number: int) -> None:
        """Forget the answer, which is not wanted any more."""
        self._wanted.discard(number)
        self._answers.pop(number, None)

    def pump(self, until: float) -> bool:
        """Take in one message, waiting until then (monotonic); return False when none has come."""
        from websockets.exceptions import ConnectionClosed

        try:
            text = self._socket.recv(timeout=max(0.0, until - time.monotonic()))
        except TimeoutError:
            return False
        except (ConnectionClosed, OSError) as error:
            raise LinkLost("error.browser.browser-ended") from error
        message = json.loads(text)
        if "id" in message:
            if message["id"] in self._wanted:
                self._answers[message["id"]] = message
        elif listener := self.listeners.get(message.get("sessionId", "")):
            listener(message["method"], message.get("params", {}))
        return True

    def drain(self, seconds: float = 0.0) -> None:
        """Take in what has come, and what comes within these seconds."""
        until = time.monotonic() + seconds
        while self.pump(until):
            pass

    def close(self) -> None:
        """End the connection; the browser goes on."""
        self._stack.close()

    def _post(self, method: str, session: str, parameters: dict[str, Any]) -> int:
        from websockets.exceptions import ConnectionClosed

        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        try:
            self._socket.send(json.dumps(message))
        except (ConnectionClosed, OSError) as error:
            raise LinkLost("error.browser.browser-ended") from error
        return self._number
