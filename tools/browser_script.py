"""Runs a script of the model in a tab, and does what its helpers ask for: click(ref), type(ref, text), upload(ref, path) …

Clicks and keys are real ones, as a person's would be: the page cannot tell them apart, and what lies on top of a thing is
what gets the click, so a click that would miss is refused instead.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

from tools.base import ToolContext, resolve
from tools.browser_keys import key_events
from tools.browser_link import Blocked, BrowserError, LinkLost, TabLost, TooLate
from tools.browser_tab import Tab, asset, thrown

_HELPERS = "click, type, select, press, hover, upload, wait, scroll, shot, el, secret, close"
_NOT_TYPED = {"date", "time", "month", "week", "datetime-local", "range", "color"}
MAX_WAIT = 120.0  # seconds of one wait


class Script:
    """One script in one tab. `images` are the pictures that it has taken."""

    def __init__(self, ctx: ToolContext, tab: Tab, text: str, seconds: float) -> None:
        self.ctx, self.tab, self.text = ctx, tab, text
        self.until = time.monotonic() + seconds
        self.images: list[Path] = []
        self.secrets: list[str] = []  # what the owner has said for the page
        self.done: list[str] = []  # what its helpers did
        self.has_left = False  # the page was left while the script ran
        self._asked: list[dict[str, Any]] = []
        self._handle = ""
        self._problem = ""

    def run(self) -> Generator[str, None, Any]:
        """Yields what the helpers do, returns the script's value as JSON.

        Raises BrowserError when it throws; Blocked, TabLost, TooLate, LinkLost.
        """
        tab, binding = self.tab, f"_{secrets.token_hex(8)}"
        body = self._body()
        self._hear()
        tab.do("Runtime.addBinding", name=binding)
        try:
            code = f"({asset('script.js')})({json.dumps(binding)})"
            self._handle = tab.do("Runtime.evaluate", self.left, expression=code)["result"]["objectId"]
            number = tab.link.send(
                "Runtime.callFunctionOn",
                tab.session,
                objectId=self._handle,
                functionDeclaration=body,
                awaitPromise=True,
                returnByValue=True,
                userGesture=True,
            )
            return (yield from self._follow(number))
        finally:
            self._let_go()
            with suppress(LinkLost):
                tab.link.post("Runtime.removeBinding", tab.session, name=binding)

    @property
    def left(self) -> float:
        """Seconds that the script still has."""
        return max(0.05, self.until - time.monotonic())

    def _body(self) -> str:
        """The script as a function: an expression gives its value, else what it returns, else its last line's value."""
        text = self.text.strip().rstrip(";").strip()
        head, _, last = text.rpartition("\n") if "\n" in text else text.rpartition(";")
        forms = [f"return (\n{text}\n)", f"{head};\nreturn (\n{last}\n)" if last.strip() else text, self.text]
        if re.search(r"\breturn\b", text) and not re.match(r"(async\b|function\b|\(|\[|await\b)", text):
            forms = [self.text]
        problem = ""
        for form in forms:
            code = (
                f"(async function() {{ const {{{_HELPERS}}} = this.api; const script = async () => {{\n{form}\n}}\n"
                + (
                    "let value = await script(); if (typeof value === 'function') value = await value()\nreturn this.plain(value) })"
                )
            )
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
                    raise TooLate("the script has not ended in time")
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
        """Does what a helper asks for, and tells the script."""
        does, args = str(asked["does"]), list(asked["args"])
        try:
            value = getattr(self, f"_do_{does}")(*args)
        except (Blocked, TabLost, LinkLost):
            raise
        except TooLate as error:
            if time.monotonic() >= self.until:
                raise
            return self._settle(asked["number"], str(error), is_done=False)
        except BrowserError as error:
            return self._settle(asked["number"], str(error), is_done=False)
        except (TypeError, AttributeError, ValueError, OSError) as error:  # arguments that nobody can mean
            return self._settle(asked["number"], f"{does}: {error}", is_done=False)
        if does == "el":
            return self._give(asked["number"], value)
        if does not in ("wait", "shot"):
            shown = ", ".join(str(each)[:60] for each in args if isinstance(each, (str, int)))
            self.done.append(f"{does} {shown}")
            yield f"{does} {shown}\n"
        self._settle(asked["number"], value, is_done=True)
        return None

    def _settle(self, number: int, value: Any, *, is_done: bool) -> None:
        self.tab.link.post(
            "Runtime.callFunctionOn",
            self.tab.session,
            objectId=self._handle,
            functionDeclaration="function(number, isDone, value) { this.settle(number, isDone, value) }",
            arguments=[{"value": number}, {"value": is_done}, {"value": value}],
        )

    def _give(self, number: int, element: str) -> None:
        self.tab.do(
            "Runtime.callFunctionOn",
            objectId=self._handle,
            functionDeclaration="function(number, element) { this.settle(number, true, element) }",
            arguments=[{"value": number}, {"objectId": element}],
        )

    # ---- what helpers ask for ---------------------------------------------------------------------------------------

    def _find(self, ref: Any, *, moves: bool = True) -> dict[str, Any]:
        if not isinstance(ref, str) or not re.fullmatch(r"e\d{1,9}", ref):
            raise BrowserError(f"{json.dumps(ref)[:80]} is no reference: web_scan shows them, such as e48213")
        found: dict[str, Any] = self.tab.ask("find", ref, {"moves": moves})
        if "problem" in found:
            raise BrowserError(found["problem"])
        if moves and found.get("disabled"):
            raise BrowserError(f"{ref} ({found['name']}) is disabled")
        return found

    def _spot(self, ref: Any) -> dict[str, Any]:
        found = self._find(ref)
        if found.get("hidden"):
            raise BrowserError(f"{ref} ({found['name']}) is not shown now")
        if found.get("covered"):
            raise BrowserError(f"{ref} ({found['name']}) lies under something else: {found['covered']}")
        return found

    def _do_click(self, ref: Any, options: dict[str, Any] | None = None) -> str:
        found = self._find(ref)
        if found["tag"] == "SELECT":
            raise BrowserError(f"{ref} is a list: select({ref!r}, option)")
        if found["type"] == "file":
            raise BrowserError(f"{ref} takes a file: upload({ref!r}, path)")
        options = options or {}
        if self.tab.is_frame:  # the mouse belongs to the tab around it
            self.tab.ask("element", ref)
            element = self.tab.object("element", ref)
            self.tab.do(
                "Runtime.callFunctionOn",
                objectId=element,
                functionDeclaration="function() { this.click() }",
                userGesture=True,
            )
        else:
            spot = self._spot(ref)
            button = "right" if options.get("right") else "left"
            for count in (1, 2) if options.get("double") else (1,):
                self._mouse("mouseMoved", spot)
                self._mouse("mousePressed", spot, button=button, clickCount=count)
                self._mouse("mouseReleased", spot, button=button, clickCount=count)
        self._after()
        return str(found["name"])

    def _do_hover(self, ref: Any) -> str:
        spot = self._spot(ref)
        self._mouse("mouseMoved", spot)
        self._after()
        return str(spot["name"])

    def _mouse(self, kind: str, spot: dict[str, Any], **more: Any) -> None:
        self.tab.do("Input.dispatchMouseEvent", self.left, type=kind, x=spot["x"], y=spot["y"], **more)

    def _do_type(self, ref: Any, text: Any, options: dict[str, Any] | None = None) -> Any:
        found, text, options = self._find(ref), str(text), options or {}
        if not found["isField"] or found["type"] in ("checkbox", "radio", "file") or found["tag"] == "SELECT":
            raise BrowserError(f"{ref} ({found['role']} {found['name']}) takes no text")
        if found["type"] in _NOT_TYPED:
            now = self.tab.ask("set", ref, text)
            if not now and text:
                raise BrowserError(
                    f"{ref} is a {found['type']} field and does not take {text!r}: 2026-01-31, 13:30, 2026-01-31T13:30, #ff0000"
                )
        else:
            self.tab.ask("enter", ref)
            if not options.get("append"):
                self._key("Delete") if not text else None
            if text:
                self.tab.do("Input.insertText", self.left, text=text)
            now = self.tab.ask("now", ref)
        if options.get("enter"):
            self._key("Enter")
        self._after()
        return None if found["type"] == "password" else now

    def _do_select(self, ref: Any, *options: Any) -> Any:
        self._find(ref, moves=False)
        wanted = [str(each) for option in options for each in (option if isinstance(option, list) else [option])]
        said = self.tab.ask("choose", ref, wanted)
        if "problem" in said:
            raise BrowserError(said["problem"])
        self._after()
        return said["chosen"]

    def _do_press(self, keys: Any) -> str:
        self._key(str(keys))
        self._after()
        return str(keys)

    def _key(self, keys: str) -> None:
        for event in key_events(keys):
            self.tab.do("Input.dispatchKeyEvent", self.left, **event)

    def _do_upload(self, ref: Any, *paths: Any) -> list[str]:
        found = self._find(ref, moves=False)
        if found["type"] != "file":
            raise BrowserError(
                f"{ref} ({found['role']} {found['name']}) is no field for files; one that is shows as (eN file)"
            )
        names = [str(each) for path in paths for each in (path if isinstance(path, list) else [path])]
        hidden = [name for name in names if name not in self.text]  # the gate has looked at what stands in the script
        if hidden or not names:
            raise BrowserError("upload: the path must stand in the script, written out")
        files = [resolve(self.ctx.path(name)) for name in names]
        if missing := [str(file) for file in files if not file.is_file()]:
            raise BrowserError(f"upload: no such file: {missing[0]}")
        self.tab.do(
            "DOM.setFileInputFiles", files=[str(file) for file in files], objectId=self.tab.object("element", ref)
        )
        self._after()
        return [file.name for file in files]

    def _do_wait(self, wanted: Any, seconds: Any = 10) -> bool:
        if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
            until = min(time.monotonic() + min(wanted / 1000, MAX_WAIT), self.until)
            while time.monotonic() < until and not self.tab.trouble():
                self.tab.link.pump(until)
            return True
        end = min(time.monotonic() + min(float(seconds), MAX_WAIT), self.until)
        while not self.tab.ask("there", str(wanted), seconds=self.left):
            if time.monotonic() >= end:
                raise BrowserError(f"{str(wanted)[:200]} has not appeared")
            self.tab.link.drain(0.1)
        return True

    def _do_scroll(self, where: Any = "down") -> Any:
        is_ref = isinstance(where, str) and re.fullmatch(r"e\d+", where)
        said = self.tab.ask("scroll", where if is_ref else None, where)
        self._after()
        return said

    def _do_shot(self, ref: Any = None) -> str:
        options: dict[str, Any] = {}
        if isinstance(ref, str) and ref != "page":
            x, y, width, height = self._find(ref).get("box") or (0, 0, 0, 0)
            view = self.tab.do("Page.getLayoutMetrics")["cssVisualViewport"]
            options["clip"] = {
                "x": x + view["pageX"],
                "y": y + view["pageY"],
                "width": max(1, width),
                "height": max(1, height),
                "scale": 1,
            }
        elif ref == "page":
            size = self.tab.do("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 8000), "scale": 1}
            options["captureBeyondViewport"] = True
        file = (
            self.ctx.folder
            / f"shot-{re.sub(r'[^A-Za-z0-9_.-]', '_', self.ctx.call)[:40] or 'call'}-{len(self.images) + 1}.png"
        )
        said = self.tab.do("Page.captureScreenshot", self.left, format="png", **options)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(said["data"]))
        self.images.append(file)
        return str(file)

    def _do_el(self, ref: Any) -> str:
        self._find(ref, moves=False)
        node = self.tab.do("DOM.describeNode", objectId=self.tab.object("element", ref))["node"]
        found: str = self.tab.do("DOM.resolveNode", backendNodeId=node["backendNodeId"])["object"]["objectId"]
        return found

    def _do_secret(self, ref: Any, question: Any = "") -> None:
        found = self._find(ref)
        if not found["isField"]:
            raise BrowserError(f"{ref} ({found['role']} {found['name']}) takes no text")
        started = time.monotonic()
        said = self.ctx.secret(f"{urlsplit(self.tab.ask('now_at')).netloc}: {str(question)[:200] or found['name']}")
        self.until += time.monotonic() - started
        if said is None:
            raise BrowserError("nobody is there who could say it")
        self.secrets += [said, quote(said), quote_plus(said)] if len(said) > 3 else []
        self.tab.ask("enter", ref)
        self.tab.do("Input.insertText", self.left, text=said)
        self._after()

    def _do_close(self) -> None:
        self.tab.close()
        raise TabLost(f"tab {self.tab.name} was closed")

    def _after(self) -> None:
        """Gives the page a moment: a script that goes on while its page is being left would act on the wrong one."""
        tab, count = self.tab, len(self.tab.moves)
        tab.link.drain(0.03)
        until = min(self.until, time.monotonic() + 10)
        while tab.is_loading and len(tab.moves) == count and time.monotonic() < until and not tab.trouble():
            tab.link.pump(until)

    def _take(self, payload: str) -> None:
        """Takes in what a helper asks."""
        try:
            asked = json.loads(payload)
            if isinstance(asked["args"], str):
                asked["args"] = json.loads(asked["args"])  # pages with an old Prototype.js write lists as texts
            if asked["does"] not in _HELPERS.split(", ") or not isinstance(asked["args"], list):
                raise KeyError(asked["does"])
        except (ValueError, KeyError, TypeError):
            self._problem = "the page has put something of its own in the place of JSON: helpers do not work in it"
        else:
            self._asked.append(asked)

    def _hear(self) -> None:
        """Listens for what helpers ask, beside the tab itself."""
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
