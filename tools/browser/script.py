"""Runs a script of the model in a tab, and has done what its helpers ask for
(tools/browser/hands.py)."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Generator
from contextlib import suppress
from typing import Any

from tools.base import ToolContext
from tools.browser.hands import Hands
from tools.browser.link import Blocked, BrowserError, LinkLost, TabLost, TooLate
from tools.browser.tab import Tab, asset, thrown

# The script as a function of the page; what it gives is called where it is a function itself.
_FORM = """(async function() { const {HELPERS} = this.api; const script = async () => {
SCRIPT
}
let value = await script(); if (typeof value === 'function') value = await value()
return this.plain(value) })"""
_HELPERS = "click, type, select, press, hover, upload, wait, scroll, shot, el, secret, close"


class Script(Hands):
    """One script in one tab. `images` are the pictures that it has taken."""

    def __init__(self, ctx: ToolContext, tab: Tab, text: str, seconds: float) -> None:
        super().__init__(ctx, tab, text, seconds)
        self.done: list[str] = []  # what its helpers did
        self.has_left = False  # the page was left while the script ran
        self._asked: list[dict[str, Any]] = []
        self._handle = ""
        self._problem = ""

    def run(self) -> Generator[str, None, Any]:
        """Yield what the helpers do, return the script's value as JSON.

        Raises BrowserError when it throws; Blocked, TabLost, TooLate, LinkLost.
        """
        tab, binding = self.tab, f"_{secrets.token_hex(8)}"
        body = self._body()
        self._hear()
        tab.do("Runtime.addBinding", name=binding)
        try:
            code = f"({asset('script.js')})({json.dumps(binding)})"
            found = tab.do("Runtime.evaluate", self.left, expression=code)
            self._handle = found["result"]["objectId"]
            how = dict.fromkeys(("awaitPromise", "returnByValue", "userGesture"), True)
            call = {"objectId": self._handle, "functionDeclaration": body, **how}
            number = tab.link.send("Runtime.callFunctionOn", tab.session, **call)
            return (yield from self._follow(number))
        finally:
            self._let_go()
            with suppress(LinkLost):
                tab.link.post("Runtime.removeBinding", tab.session, name=binding)

    def _body(self) -> str:
        """Return the script as a function: an expression gives its value, else what it returns,
        else its last line's value."""
        text = self.text.strip().rstrip(";").strip()
        head, _, last = text.rpartition("\n") if "\n" in text else text.rpartition(";")
        forms = [
            f"return (\n{text}\n)",
            f"{head};\nreturn (\n{last}\n)" if last.strip() else text,
            self.text,
        ]
        is_expression = re.match(r"(async\b|function\b|\(|\[|await\b)", text)
        if re.search(r"\breturn\b", text) and not is_expression:
            forms = [self.text]
        problem = ""
        for form in forms:
            code = _FORM.replace("HELPERS", _HELPERS).replace("SCRIPT", form)
            said = self.tab.do("Runtime.evaluate", self.left, expression=code)
            if "exceptionDetails" not in said:
                return code[1:-1]
            problem = thrown(said["exceptionDetails"])
        raise BrowserError(problem)

    def _follow(self, number: int) -> Generator[str, None, Any]:
        link, tab = self.tab.link, self.tab
        try:
            while not link.has_answer(number):
                if error := tab.trouble():
                    raise error
                if time.monotonic() >= self.until:
                    raise TooLate("error.browser.script-ended-time")
                if self._problem:
                    raise BrowserError(self._problem)
                if self._asked:
                    yield from self._serve(self._asked.pop(0))
                else:
                    link.pump(self.until)
            try:
                said = link.answer(number)
            except TabLost:
                raise
            except BrowserError as error:  # its page is not there any more
                if not re.search("navigated|context|collected|destroyed", str(error)):
                    raise
                self.has_left = True
                return None
            if "exceptionDetails" in said:
                raise BrowserError(thrown(said["exceptionDetails"]))
            return said["result"].get("value")
        finally:
            link.forget(number)

    def _serve(self, asked: dict[str, Any]) -> Generator[str, None, None]:
        """Do what a helper asks for, and tell the script."""
        does, args = str(asked["does"]), list(asked["args"])
        try:
            value = getattr(self, f"_do_{does}")(*args)
        except (Blocked, TabLost, LinkLost):
            raise
        except BrowserError as error:
            if isinstance(error, TooLate) and time.monotonic() >= self.until:
                raise
            return self._settle(asked["number"], {"value": str(error)}, is_done=False)
        except (TypeError, AttributeError, ValueError, OSError) as error:  # nobody can mean these
            said = f"{does}: {str(error).replace('Hands._do_', '')}"
            return self._settle(asked["number"], {"value": said}, is_done=False)
        if does == "el":
            return self._settle(asked["number"], {"objectId": value})
        if does not in ("wait", "shot"):
            shown = ", ".join(str(each)[:60] for each in args if isinstance(each, (str, int)))
            self.done.append(f"{does} {shown}")
            yield f"{does} {shown}\n"
        return self._settle(asked["number"], {"value": value})

    def _settle(self, number: int, value: dict[str, Any], *, is_done: bool = True) -> None:
        """Answer a helper. `value` is an argument as the protocol has it."""
        code = "function(number, isDone, value) { this.settle(number, isDone, value) }"
        given = [{"value": number}, {"value": is_done}, value]
        call = {"objectId": self._handle, "functionDeclaration": code, "arguments": given}
        self.tab.link.post("Runtime.callFunctionOn", self.tab.session, **call)

    def _take(self, payload: str) -> None:
        """Take in what a helper asks."""
        try:
            asked = json.loads(payload)
            if isinstance(asked["args"], str):
                # pages with an old Prototype.js write lists as texts
                asked["args"] = json.loads(asked["args"])
            if asked["does"] not in _HELPERS.split(", ") or not isinstance(asked["args"], list):
                raise KeyError(asked["does"])
        except (ValueError, KeyError, TypeError):
            self._problem = "the page has put something of its own in the place of JSON: helpers do not work in it"
        else:
            self._asked.append(asked)

    def _hear(self) -> None:
        """Listen for what helpers ask, beside the tab itself."""
        heard = self.tab.link.listeners[self.tab.session]

        def listen(method: str, said: dict[str, Any]) -> None:
            if method == "Runtime.bindingCalled":
                self._take(str(said["payload"]))
            else:
                heard(method, said)

        self._heard = heard
        self.tab.link.listeners[self.tab.session] = listen

    def _let_go(self) -> None:
        if self.tab.session in self.tab.link.listeners:
            self.tab.link.listeners[self.tab.session] = self._heard
