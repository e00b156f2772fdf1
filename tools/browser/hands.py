"""Do what a page script asks of the browser: click(ref), type(ref, text), upload(ref, path) …

Clicks and keys are real ones, as a person's would be: the page cannot tell them apart, and what
lies on top of a thing is what gets the click, so a click that would miss is refused instead.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

from tools.base import ToolContext, resolve
from tools.browser.keys import key_events
from tools.browser.link import BrowserError, TabLost
from tools.browser.tab import Tab

_NOT_TYPED = {"date", "time", "month", "week", "datetime-local", "range", "color"}
MAX_WAIT = 120.0  # seconds of one wait


class Hands:
    """Hold what one script in one tab may ask for, each by `_do_NAME`. `images` are the pictures
    that it has taken."""

    def __init__(self, ctx: ToolContext, tab: Tab, text: str, seconds: float) -> None:
        self.ctx, self.tab, self.text = ctx, tab, text
        self.until = time.monotonic() + seconds
        self.images: list[Path] = []
        self.has_closed = False  # its tab
        self.secrets: list[str] = []  # what the owner has said for the page
        self.suggests = False  # a field has been typed into that may show what fits, a moment later

    @property
    def left(self) -> float:
        """Return the seconds that the script still has."""
        return max(0.05, self.until - time.monotonic())

    def _find(self, ref: Any, *, moves: bool = True) -> dict[str, Any]:
        if not isinstance(ref, str) or not re.fullmatch(r"e\d{1,9}", ref):
            raise BrowserError("error.browser.reference-web-scan-shows", name=json.dumps(ref)[:80])
        wanted = {"moves": moves, "name": self.tab.names.get(ref, {}).get("name", "")}
        found: dict[str, Any] = self.tab.ask("find", ref, wanted)
        if "problem" in found:  # what only listens is known when the browser has said so
            self.tab.listen(self.left)
            found = self.tab.ask("find", ref, wanted)
        if "problem" in found:
            raise BrowserError(found["problem"])
        if moves and found.get("disabled"):
            raise BrowserError("error.browser.disabled", name=ref, label=found["name"])
        return found

    def _spot(self, ref: Any) -> dict[str, Any]:
        found = self._find(ref)
        if found.get("hidden"):
            raise BrowserError("error.browser.shown-now", name=ref, label=found["name"])
        if found.get("covered"):
            raise BrowserError(
                "error.browser.lies-under-something-else",
                name=ref,
                label=found["name"],
                other=found["covered"],
            )
        return found

    def _do_click(self, ref: Any) -> str:
        found = self._find(ref)
        if found["tag"] == "SELECT":
            raise BrowserError("error.browser.a-list", ref=ref)
        if found["type"] == "file":
            raise BrowserError("error.browser.takes-file", ref=ref)
        spot = self._spot(ref)
        self._mouse("mouseMoved", spot)
        self._mouse("mousePressed", spot, button="left", clickCount=1)
        self._mouse("mouseReleased", spot, button="left", clickCount=1)
        self._after()
        return str(found["name"])

    def _do_hover(self, ref: Any) -> str:
        spot = self._spot(self._named(ref))
        self._mouse("mouseMoved", spot)
        self._after()
        return str(spot["name"])

    def _named(self, thing: Any) -> Any:
        """Return a reference, or that of what shows this very text: for what cannot be pressed and
        has none."""
        if not isinstance(thing, str) or re.fullmatch(r"e\d{1,9}", thing):
            return thing
        found = self.tab.ask("showing", thing)
        if not found:
            raise BrowserError("error.browser.nothing-page-shows-just", text=thing[:100])
        return found

    def _mouse(self, kind: str, spot: dict[str, Any], **more: Any) -> None:
        self.tab.do(
            "Input.dispatchMouseEvent", self.left, type=kind, x=spot["x"], y=spot["y"], **more
        )

    def _do_type(self, ref: Any, text: Any, options: dict[str, Any] | None = None) -> Any:
        found, text, options = self._find(ref), str(text), options or {}
        _check_text(ref, found, takes=_takes_text(found))
        if found["type"] in _NOT_TYPED:
            now = self._set(ref, text, found["type"])
        else:
            now = self._fill(ref, text, found, is_more=bool(options.get("append")))
            self.suggests = bool(found["suggests"]) and "enter" not in options
        if options.get("enter"):
            self._key("Enter")
        self._after()
        return None if found["type"] == "password" else now

    def _set(self, ref: str, text: str, kind: str) -> Any:
        """Give a field its value that is not typed letter by letter, such as a date."""
        now = self.tab.ask("set", ref, text)
        if text and not now:
            raise BrowserError(
                "error.browser.field-does-take-ff", name=ref, kind=kind, text=repr(text)
            )
        return now

    def _fill(self, ref: str, text: str, found: dict[str, Any], *, is_more: bool) -> Any:
        self.tab.ask("enter", ref, is_more)
        if is_more:
            self._key("End")
        elif found["isThrough"]:
            self._key("Meta+a" if sys.platform == "darwin" else "Control+a")
        if text:
            self._enter(text, found)
        elif not is_more:
            self._key("Delete")
        now = self.tab.ask("now", ref)
        if text and not now and found["type"] == "number":
            raise BrowserError(
                "error.browser.number-field-does-take", name=ref, text=f"{text[:80]!r}"
            )
        return now

    def _enter(self, text: str, field: dict[str, Any]) -> None:
        """Types into what has the focus; `field` is what was found there. The last letter is a
        stroke, since some pages listen for keys alone; and so is each where a field takes fewer
        than are typed and hands on the focus."""
        if field["isThrough"]:
            self.tab.do("Input.insertText", self.left, text=text)
            return
        strokes = len(text) if 0 < field["most"] < len(text) < 20 else 1
        strokes = 0 if text[-strokes:].strip() != text[-strokes:] else strokes
        if head := text[: len(text) - strokes]:
            self.tab.do("Input.insertText", self.left, text=head)
        for letter in text[len(text) - strokes :]:
            self._key(letter)

    def _do_select(self, ref: Any, *options: Any) -> Any:
        self._find(ref, moves=False)
        said = self.tab.ask("choose", ref, _flat(options))
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
        found, names = self._find(ref, moves=False), _flat(paths)
        # The gate has looked at what stands in the script.
        if not names or any(name not in self.text for name in names):
            raise BrowserError("error.browser.upload-path-must-stand")
        files = [resolve(self.ctx.path(name)) for name in names]
        kind, is_there = ("folder", Path.is_dir) if found["takesFolder"] else ("file", Path.is_file)
        for file in itertools.filterfalse(is_there, files):
            raise BrowserError("error.browser.upload-such", what=kind, path=file)
        if found["type"] == "file":
            into: dict[str, Any] = {"objectId": self.tab.object("element", ref)}
        else:
            into = self._chosen(ref)
        self.tab.do("DOM.setFileInputFiles", files=[str(file) for file in files], **into)
        self._after()
        return [file.name for file in files]

    def _chosen(self, ref: str) -> dict[str, Any]:
        """Press what opens the browser's dialog for files; return the field that it would fill."""
        tab, found = self.tab, self._find(ref, moves=False)
        tab.chooser = 0
        until = min(self.until, time.monotonic() + 2)
        if tab.is_owners or tab.is_frame:  # there the browser would show its own dialog
            until = 0.0
        else:
            self._do_click(ref)
        while not tab.chooser and time.monotonic() < until and not tab.trouble():
            tab.link.pump(until)
        if not tab.chooser:
            raise BrowserError(
                "error.browser.asks-file-field-shows",
                name=ref,
                kind=found["role"],
                label=found["name"],
            )
        number, tab.chooser = tab.chooser, 0
        return {"backendNodeId": number}

    def _do_wait(self, wanted: Any, seconds: Any = 10) -> bool:
        if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
            until = min(time.monotonic() + min(wanted / 1000, MAX_WAIT), self.until)
            while time.monotonic() < until and not self.tab.trouble():
                self.tab.link.pump(until)
            return True
        end = min(time.monotonic() + min(float(seconds), MAX_WAIT), self.until)
        while not self.tab.ask("there", str(wanted), seconds=self.left):
            if time.monotonic() >= end:
                raise BrowserError("error.browser.appeared", text=str(wanted)[:200])
            self.tab.link.drain(0.1)
        return True

    def _do_scroll(self, where: Any = "down") -> Any:
        is_ref = isinstance(where, str) and re.fullmatch(r"e\d+", where)
        said = self.tab.ask("scroll", where if is_ref else None, where)
        self._after()
        return said

    def _do_shot(self, ref: Any = None) -> str:
        if self.tab.is_frame:
            above = self.tab.name.rpartition(".")[0]
            raise BrowserError("error.browser.shot-take-tab-around", tab=above)
        file = self.ctx.folder / f"shot-{self.ctx.name}-{len(self.images) + 1}.png"
        options = self._part(ref) if isinstance(ref, str) else {}
        self.tab.do("Page.startScreencast", format="jpeg", quality=1, maxWidth=16, maxHeight=16)
        try:  # behind another tab nothing is drawn otherwise, and no picture comes
            said = self.tab.do("Page.captureScreenshot", self.left, format="png", **options)
        finally:
            self.tab.link.post("Page.stopScreencast", self.tab.session)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(said["data"]))
        self.images.append(file)
        return str(file)

    def _part(self, ref: str) -> dict[str, Any]:
        """Return how to take a picture of the whole page, or of one thing on it."""
        about = self.tab.do("Page.getLayoutMetrics")
        if ref == "page":
            size = about["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 8000)}
            return {"clip": clip | {"scale": 1}, "captureBeyondViewport": True}
        x, y, width, height = self._find(ref).get("box") or (0, 0, 1, 1)
        view = about["cssVisualViewport"]
        clip = {"x": x + view["pageX"], "y": y + view["pageY"]}
        return {"clip": clip | {"width": max(1, width), "height": max(1, height), "scale": 1}}

    def _do_el(self, ref: Any) -> str:
        self._find(ref, moves=False)
        node = self.tab.do("DOM.describeNode", objectId=self.tab.object("element", ref))["node"]
        found = self.tab.do("DOM.resolveNode", backendNodeId=node["backendNodeId"])
        return str(found["object"]["objectId"])

    def _do_secret(self, ref: Any, question: Any = "") -> None:
        found = self._find(ref)
        _check_text(ref, found, takes=found["isField"])
        started = time.monotonic()
        said = self.ctx.secret(
            f"{urlsplit(self.tab.ask('now_at')).netloc}: {str(question)[:200] or found['name']}"
        )
        self.until += time.monotonic() - started
        if said is None:
            raise BrowserError("error.browser.nobody-who-could-say")
        self.secrets += [said, quote(said), quote_plus(said)] if len(said) > 3 else []
        self.tab.ask("enter", ref)
        self._enter(said, found)
        self._after()

    def _do_close(self) -> None:
        self.tab.close()
        self.has_closed = True
        raise TabLost("error.browser.tab-closed", tab=self.tab.name)

    def _after(self) -> None:
        """Wait a moment: a script that goes on while its page is being left would act on the wrong
        one."""
        tab, count = self.tab, len(self.tab.moves)
        tab.link.drain(0.03)
        until = min(self.until, time.monotonic() + 10)
        while tab.is_loading and len(tab.moves) == count:
            if time.monotonic() >= until or tab.trouble():
                return
            tab.link.pump(until)


def _takes_text(found: dict[str, Any]) -> bool:
    is_choice = found["type"] in ("checkbox", "radio", "file") or found["tag"] == "SELECT"
    return found["isField"] and not is_choice


def _check_text(ref: Any, found: dict[str, Any], *, takes: bool) -> None:
    if not takes:
        raise BrowserError(
            "error.browser.takes-text", name=ref, kind=found["role"], label=found["name"]
        )


def _flat(given: tuple[Any, ...]) -> list[str]:
    """Return texts that were given one by one or as lists."""
    listed = (each if isinstance(each, list) else [each] for each in given)
    return [str(each) for several in listed for each in several]
