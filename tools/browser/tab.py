"""One tab: its page script (assets/browser/page.js), its dialogs, where it goes, and whether it has
come to rest."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from config import Message
from text.patterns import names
from tools.browser.link import Blocked, BrowserError, Link, LinkLost, TabLost, TooLate

ASSETS = Path(__file__).parents[2] / "assets" / "browser"
WORLD = "sopwith"
QUIET_MS = 150  # without a change of the page or an open request: it has come to rest
REST_SECONDS = 3.0  # a page that never rests is waited for so long
WAITING_SECONDS = 2.5  # one that says that it is loading
LOAD_SECONDS = 10.0  # a page that never finishes loading
PRESSES = names("click mousedown mouseup pointerdown pointerup dblclick touchstart touchend")
MAX_LISTENERS = 500
GROUP = "sopwith"  # of objects that are let go together
_ENDLESS = {"WebSocket", "EventSource", "Media", "Ping", "CSPViolationReport", "Preflight"}


class Dialog(NamedTuple):
    """A dialog of the page: alert, confirm, prompt, beforeunload."""

    kind: str
    message: str


@functools.cache
def asset(name: str) -> str:
    """Return the text of a page script."""
    return (ASSETS / name).read_text("utf-8")


class Tab:
    """A tab that a run uses, by the name that the model calls it. `is_frame`: a frame of another
    site inside a tab."""

    def __init__(
        self, link: Link, target: str, name: str, *, is_frame: bool = False, is_owners: bool = False
    ) -> None:
        self.link, self.target, self.name = link, target, name
        # one of the owner's is read, and never closed
        self.is_frame, self.is_owners = is_frame, is_owners
        self.session = str(
            link.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        )
        self.lost = ""  # why it is not there any more
        self.dialog: Dialog | None = None
        # how the call answers dialogs: accept, dismiss, or the text for a prompt
        self.answer: str | None = None
        self.dialogs: list[str] = []  # what became of them in this call
        self.frames = {target}
        self.moves: list[str] = []  # addresses that this call has led to
        self.status = 0  # of the last document, as HTTP has it
        self.error = ""  # why the last document did not come
        # the field for which the page has asked for a file, as the protocol numbers it
        self.chooser = 0
        self.url = ""  # as the model last saw it
        self.names: dict[str, dict[str, Any]] = {}  # what each reference was when it was shown
        self.is_loading = False
        self._requests: dict[str, tuple[float, str]] = {}  # begun when, for which frame
        self._context = 0
        link.listeners[self.session] = self._heard
        try:
            self._prepare()
        except TooLate:  # it loops from the start, or has a dialog open
            if not self.dialog:
                self.wake()

    @property
    def is_own(self) -> bool:
        """Return True for a tab that this run has opened."""
        return not (self.is_frame or self.is_owners)

    def _prepare(self) -> None:
        self.do("Page.enable", 5)
        for frame in _frames(self.do("Page.getFrameTree", 5)["frameTree"]):
            self.frames.add(frame)
        if self.is_own:
            self.link.post("Page.setInterceptFileChooserDialog", self.session, enabled=True)
        self.link.post("Inspector.enable", self.session)
        # behind other tabs a page draws nothing, and a click in it takes five seconds
        if not self.is_frame:
            self.link.post("Emulation.setFocusEmulationEnabled", self.session, enabled=True)
        own: dict[str, Any] = {
            "source": asset("page.js"),
            "worldName": WORLD,
            "runImmediately": True,
        }
        self.do("Page.addScriptToEvaluateOnNewDocument", 5, **own)

    def do(self, method: str, seconds: float = 10.0, **parameters: Any) -> dict[str, Any]:
        """Return a command to this tab. Raises Blocked when a dialog opens that nobody answers,
        TabLost, TooLate, LinkLost."""
        return self.link.call(method, self.session, seconds, self.trouble, **parameters)

    def trouble(self) -> BrowserError | None:
        """Return why nothing can be done in the tab now."""
        if self.lost:
            return TabLost(Message("error.browser.tab-lost", name=self.name, why=self.lost))
        if self.dialog:
            return Blocked(
                Message(
                    "error.browser.dialog",
                    name=self.name,
                    kind=self.dialog.kind,
                    text=self.dialog.message[:500],
                )
            )
        return None

    def ask(self, function: str, *arguments: Any, seconds: float = 10.0) -> Any:
        """Call a function of page.js in the document that is there now; return its JSON."""
        code = f"sopwith.{function}({', '.join(json.dumps(each) for each in arguments)})"
        return self._evaluate(code, seconds, returnByValue=True).get("value")

    def listen(self, seconds: float = 10.0) -> None:
        """Tell page.js which things listen for a press, which no script can see."""
        document = self.do("Runtime.evaluate", seconds, expression="document", objectGroup=GROUP)
        whole: dict[str, Any] = {
            "objectId": document["result"].get("objectId", ""),
            "depth": -1,
            "pierce": True,
        }
        try:
            said = self.do("DOMDebugger.getEventListeners", seconds, **whole)["listeners"]
            found = (each.get("backendNodeId") for each in said if each["type"] in PRESSES)
            nodes = list(dict.fromkeys(filter(None, found)))[:MAX_LISTENERS]
            place = {"executionContextId": self._world(), "objectGroup": GROUP}
            numbers = [
                self.link.send("DOM.resolveNode", self.session, backendNodeId=node, **place)
                for node in nodes
            ]
            elements = [each for number in numbers if (each := self._resolved(number, seconds))]
            handle = self._evaluate("sopwith.heard", seconds, objectGroup=GROUP)["objectId"]
            code = "function(...found) { this(...found.filter(each => each.nodeType === 1 && !/^(HTML|BODY)$/.test(each.tagName))) }"
            given = {"arguments": [{"objectId": each} for each in elements]}
            call = {"objectId": handle, "functionDeclaration": code, **given}
            self.do("Runtime.callFunctionOn", seconds, **call)
        finally:
            self.link.post("Runtime.releaseObjectGroup", self.session, objectGroup=GROUP)

    def _resolved(self, number: int, seconds: float) -> str | None:
        """Return the object that a node was resolved to; None for one of another document, or one
        that is gone."""
        try:
            found: str = self.link.wait(number, seconds, self.trouble)["object"]["objectId"]
        except (Blocked, TabLost, TooLate, LinkLost):
            raise
        except BrowserError:
            return None
        return found

    def object(self, function: str, *arguments: Any) -> str | None:
        """Return the same, for a function that gives an element: its id in the protocol."""
        code = f"sopwith.{function}({', '.join(json.dumps(each) for each in arguments)})"
        found: str | None = self._evaluate(code, 10).get("objectId")
        return found

    def _evaluate(self, code: str, seconds: float, **options: Any) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while True:
            try:
                said = self.do(
                    "Runtime.evaluate", seconds, expression=code, contextId=self._world(), **options
                )
            except TabLost:
                raise
            except BrowserError as error:
                if "context" not in str(error) and "navigated" not in str(error):
                    raise
                self._context = 0  # the page has gone on to another document
                if time.monotonic() > until:
                    raise
                continue
            if "exceptionDetails" in said:
                raise BrowserError(thrown(said["exceptionDetails"]))
            result: dict[str, Any] = said["result"]
            return result

    def _world(self) -> int:
        if not self._context:
            place: dict[str, Any] = {
                "frameId": self.target,
                "worldName": WORLD,
                "grantUniveralAccess": False,
            }
            found = int(self.do("Page.createIsolatedWorld", **place)["executionContextId"])
            self.do("Runtime.evaluate", expression=asset("page.js"), contextId=found)
            self._context = found
        return self._context

    # ---- events
    # ---------------------------------------------------------------------------------------------------

    def _heard(self, method: str, said: dict[str, Any]) -> None:
        if method.startswith("Network."):
            self._network(method, said)
        elif method in _EVENTS:
            _EVENTS[method](self, said)
        elif self.target in (said.get("frameId"), said.get("frame", {}).get("id")):
            self._on_move(method, said)

    def _on_detached(self, said: dict[str, Any]) -> None:
        """Forget the requests of a frame: who takes it over hears of their end."""
        requests = self._requests.items()
        self._requests = {id: each for id, each in requests if each[1] != said["frameId"]}

    def _on_move(self, method: str, said: dict[str, Any]) -> None:
        if method in _BEGINS:
            self.is_loading = said.get("navigationType") != "sameDocument"
        elif method == "Page.frameStoppedLoading":
            self.is_loading = False
        elif method == "Page.frameNavigated":
            self._context, self.dialog, self.chooser = 0, None, 0
            self._requests.clear()
            self.error = str(said["frame"].get("unreachableUrl", ""))
            self.moves.append(said["frame"]["url"] + said["frame"].get("urlFragment", ""))
        elif method == "Page.navigatedWithinDocument":
            self.moves.append(said["url"])

    def _on_dialog(self, said: dict[str, Any]) -> None:
        dialog = Dialog(said["type"], said["message"])
        # there is nothing to decide
        answer = self.answer if dialog.kind != "alert" or self.is_owners else "accept"
        if answer is None:
            self.dialog = dialog
            return
        if dialog.kind != "alert":
            self.answer = None  # it was meant for one: what is asked next nobody has read
        self._answer(dialog, answer)

    def _answer(self, dialog: Dialog, answer: str) -> None:
        is_yes = answer != "dismiss"
        text = answer if dialog.kind == "prompt" and answer != "accept" else ""
        how = {"accept": is_yes} | ({"promptText": text} if text else {})
        self.link.post("Page.handleJavaScriptDialog", self.session, **how)
        if dialog.kind == "beforeunload" and not is_yes:
            self.is_loading = False  # the page stays, and nothing says so
        done = f"answered {text!r}" if text else "accepted" if is_yes else "dismissed"
        self.dialogs.append(f"{dialog.kind}: {dialog.message[:500] or '(no text)'} – {done}")

    def answer_open(self) -> bool:
        """Answer the dialog that stands open as the call says; False when the call does not say."""
        if self.dialog and self.answer is not None:
            dialog, answer, self.dialog, self.answer = self.dialog, self.answer, None, None
            self._answer(dialog, answer)
        return self.dialog is None

    def _network(self, method: str, said: dict[str, Any]) -> None:
        request = said.get("requestId", "")
        if method == "Network.requestWillBeSent" and said.get("type") not in _ENDLESS:
            self._requests[request] = time.monotonic(), str(said.get("frameId", ""))
        elif method in ("Network.loadingFinished", "Network.loadingFailed"):
            self._requests.pop(request, None)
        elif method == "Network.responseReceived":
            if said.get("type") == "EventSource":
                self._requests.pop(request, None)
            if said.get("type") == "Document" and said.get("frameId") == self.target:
                self.status = int(said["response"]["status"])

    # ---- going and resting
    # ----------------------------------------------------------------------------------------

    def begin(self, answer: str | None) -> None:
        """Begin a call: what happens from here on is its doing."""
        self.answer, self.dialogs, self.moves, self.status, self.chooser = answer, [], [], 0, 0
        self._requests.clear()
        self.link.post("Network.enable", self.session)

    def end(self) -> None:
        """End the call; while a model thinks, nobody counts requests."""
        self.link.post("Network.disable", self.session)
        self.answer = None

    def go(self, url: str, seconds: float) -> str:
        """Open an address; return why it could not be opened, or "". Raises BrowserError."""
        try:
            said = self.do("Page.navigate", seconds, url=url)
        except TooLate:
            return "the server has not answered"
        except (TabLost, Blocked, LinkLost):
            raise
        except BrowserError as error:  # no address at all
            return str(error)
        if said.get("isDownload") or said.get("errorText") == "net::ERR_ABORTED":
            return ""
        if "errorText" not in said:
            self.is_loading = self.is_loading or "loaderId" in said
        return str(said.get("errorText", ""))

    def rest(self, seconds: float, *, at_least_ms: int = 30) -> bool:
        """Wait until the page has come to rest: nothing loads, no request is open, nothing changes.
        False when it does not come to rest in that time, which some pages never do."""
        start = time.monotonic()
        self.link.drain(at_least_ms / 1000)
        while (now := time.monotonic()) - start < min(seconds, self._patience):
            if self.trouble():
                return False
            found = None if self._is_busy(now) else self.ask("quiet", seconds=max(1.0, seconds))
            if found is None or found["state"] == "loading":
                self.link.pump(now + 0.05)
            elif found["waits"] and now - start < WAITING_SECONDS:
                self.link.drain(0.1)
            elif not found["moved"] or found["ms"] >= QUIET_MS:
                return True
            else:
                self.link.drain((QUIET_MS - found["ms"]) / 1000 + 0.005)
        return False

    @property
    def _patience(self) -> float:
        return LOAD_SECONDS if self.is_loading else REST_SECONDS

    def _is_busy(self, now: float) -> bool:
        """Return True while a document loads, or a request is open that may end."""
        is_pending = any(now - at < REST_SECONDS for at, _ in self._requests.values())
        return self.is_loading or is_pending

    def wake(self) -> bool:
        """Stop the page's script; close the tab and return False when it does not stop."""
        self.link.post("Runtime.terminateExecution", self.session)
        try:
            self.do("Runtime.evaluate", 2, expression="1")
        except TooLate:
            self.close()
            self.lost = "did not react any more and was closed"
            return False
        except BrowserError:
            return not self.lost
        return True

    def close(self) -> None:
        """Close the tab without asking its page; one of the owner's is only let go."""
        self.link.listeners.pop(self.session, None)
        if self.is_owners or self.is_frame:
            self.link.post("Target.detachFromTarget", sessionId=self.session)
        else:
            self.link.post("Target.closeTarget", targetId=self.target)
        self.lost = self.lost or "was closed"


_BEGINS = {
    f"Page.frame{what}" for what in ("StartedLoading", "StartedNavigating", "RequestedNavigation")
}
_EVENTS: Mapping[str, Callable[[Tab, dict[str, Any]], object]] = {
    "Page.javascriptDialogOpening": Tab._on_dialog,
    "Page.javascriptDialogClosed": lambda tab, _: setattr(tab, "dialog", None),
    "Page.frameAttached": lambda tab, said: tab.frames.add(said["frameId"]),
    "Page.frameDetached": Tab._on_detached,
    "Page.fileChooserOpened": lambda tab, said: setattr(
        tab, "chooser", int(said.get("backendNodeId", 0))
    ),
    "Inspector.targetCrashed": lambda tab, _: setattr(tab, "lost", "has crashed"),
    "Inspector.detached": lambda tab, _: setattr(tab, "lost", "was closed"),
}


def thrown(details: dict[str, Any]) -> str:
    """Return what a script threw, in two lines."""
    found = details.get("exception", {})
    text = str(found.get("description") or found.get("value") or details.get("text", "error"))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "\n".join(line[:500] for line in lines[:2] if not line.startswith("at "))


def _frames(tree: dict[str, Any]) -> list[str]:
    inner = [each for child in tree.get("childFrames", []) for each in _frames(child)]
    return [tree["frame"]["id"], *inner]
