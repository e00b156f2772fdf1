"""The browser of one run: its tabs, what they download, and which windows they open. Two runs never
touch each other's."""

from __future__ import annotations

import re
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from config import BrowserConfig, Message
from tools.base import ToolContext, ToolError
from tools.browser.link import BrowserError, Link
from tools.browser.start import Home
from tools.browser.tab import Tab

MAX_TABS = 20  # of one run; windows beyond are closed at once
MAX_DOWNLOAD = 2_000_000_000  # bytes
DOWNLOAD_SECONDS = 30.0  # waited for within a call


class Download:
    """A file on its way."""

    def __init__(self, id: str, name: str) -> None:
        self.id, self.name = id, name
        self.state, self.received, self.path = "inProgress", 0, ""


class Browser:
    """Hold what a run keeps open: `ctx.keep("browser", …)`."""

    def __init__(self, ctx: ToolContext) -> None:
        """Find or start the browser. Raises BrowserError."""
        self._new_file = ctx.new_file
        self.place = Home(ctx.home, ctx.run, ctx.config.browser if ctx.config else BrowserConfig())
        self.tabs: dict[str, Tab] = {}
        self.current = ""
        self.closed = 0  # windows that were too many
        self.secrets: list[str] = []  # what the owner has said for a page alone
        self._count = 0
        self._downloads: dict[str, Download] = {}
        self.link: Link | None = None
        try:
            link, before = self.place.open()
            self.link = link
            link.listeners[""] = self._heard
            there = {each["targetId"] for each in self._targets()}
            for target in before:  # of this run before it was interrupted
                if target in there:
                    self._take(target)
        except BaseException:  # also when it is stopped while it starts
            self.close()
            raise

    @property
    def connection(self) -> Link:
        """Return the link, which is there until `close`."""
        if self.link is None:
            raise BrowserError("error.browser.browser-ended")
        return self.link

    @property
    def has_no_own_page(self) -> bool:
        """Return True when the tab used last is none of this run's."""
        return not self.current or self.tabs[self.current].is_owners

    def hide(self, text: str) -> str:
        """Return the text without what the owner has said for a page alone: the page, or a script,
        may show it again."""
        for secret in self.secrets:
            text = text.replace(secret, "[secret]")
        return text

    def tab(self, name: str | None) -> Tab:
        """Return the tab of this name, or the one used last. Raises BrowserError."""
        name = name or self.current
        if name in self.tabs:
            self.current = name
            return self.tabs[name]
        for each in self.owners() if name else ():
            if each["targetId"] == name or each["name"] == name:
                return self._take(each["targetId"], name=each["name"], is_owners=True)
        if name in self.frames():
            return self._take(self.frames()[name], name=name, is_frame=True)
        if not self.tabs:
            raise BrowserError("error.browser.page-open-web-scan")
        raise BrowserError("error.browser.tab", tab=name, names=", ".join(self.tabs))

    def new(self) -> Tab:
        """Return a new, empty tab. Raises BrowserError when there are too many."""
        if len(self.tabs) >= MAX_TABS:
            raise BrowserError("error.browser.tabs-open-close-script", count=MAX_TABS)
        made = self.connection.call(
            "Target.createTarget", url="about:blank", background=not self.place.is_ours
        )
        return self._take(str(made["targetId"]))

    def begin(self) -> None:
        """Begin a call: take in what has come meanwhile."""
        link = self.connection
        link.drain()
        # Chromium forgets it when any run that has asked for it goes away: so each call asks anew.
        if self.place.is_ours:
            where = str(self.place.downloads)
            how: dict[str, Any] = {
                "behavior": "allowAndName",
                "downloadPath": where,
                "eventsEnabled": True,
            }
            link.call("Browser.setDownloadBehavior", **how)
        else:
            link.call("Browser.setDownloadBehavior", behavior="default", eventsEnabled=True)
        self._forget_lost()

    def adopt(self) -> list[Tab]:
        """Return the windows that this run's tabs have opened since; those that are too many are
        closed, and counted."""
        known = {tab.target for tab in self.tabs.values()}
        mine, found = set(known), []
        for each in self._targets():
            if each["targetId"] in known or each.get("openerId") not in mine:
                continue
            mine.add(each["targetId"])
            if len(self.tabs) >= MAX_TABS:
                self.closed += 1
                self.connection.post("Target.closeTarget", targetId=each["targetId"])
            else:
                with suppress(BrowserError):  # it is gone already
                    found.append(self._take(each["targetId"], is_front=False))
        self._forget_lost()
        return found

    def listed(self) -> list[str]:
        """Return a line for each tab: name, title, address."""
        lines, about = [], {each["targetId"]: each for each in self._targets()}
        for name, tab in self.tabs.items():
            info = about.get(tab.target, {})
            mark = " (used last)" if name == self.current else ""
            lines.append(f"{name} {_about(info)}{mark}")
        return lines + [f"{each['name']} {_about(each)} (the owner's)" for each in self.owners()]

    def owners(self) -> list[dict[str, Any]]:
        """Return the owner's own tabs, in a browser of the owner's: to be read when the call names
        one."""
        if self.place.is_ours:
            return []
        used = {tab.target for tab in self.tabs.values()} | self.place.others()
        return [
            each | {"name": f"o{each['targetId'][:6].lower()}"}
            for each in self._targets()
            if used.isdisjoint([each["targetId"], each.get("openerId")])
        ]

    def frames(self) -> dict[str, str]:
        """Return the frames of other sites inside this run's tabs: their name, such as t1.1, and
        target."""
        found: dict[str, str] = {}
        for name, tab in list(self.tabs.items()):
            inside = [each for each in self._targets("iframe") if _above(each) & tab.frames]
            found |= {f"{name}.{at}": each["targetId"] for at, each in enumerate(inside, 1)}
        return found

    def downloads(self, tabs: list[Tab], seconds: float) -> list[str]:
        """Return a line for each file that has come since the last call, moved into the run's
        folder; waits for those on the way."""
        until = time.monotonic() + min(seconds, DOWNLOAD_SECONDS)
        while any(each.state == "inProgress" for each in self._downloads.values()):
            if (now := time.monotonic()) >= until:
                break
            self.connection.pump(min(until, now + 0.2))
        return [self._said_of(each) for each in list(self._downloads.values())]

    def _said_of(self, each: Download) -> str:
        if each.state == "inProgress":
            return f"{each.name}: {each.received:,} bytes so far; the next call tells more"
        del self._downloads[each.id]
        if each.state == "completed":
            return self._kept(each)
        return f"{each.name}: the download was broken off"

    def drop(self, tab: Tab) -> None:
        """Close a tab."""
        tab.close()
        self._forget_lost()

    def close(self) -> None:
        """Close the tabs of this run, and the browser when it is ours and nobody else uses it."""
        link, self.link = self.link, None
        if link:
            with suppress(ToolError):
                for tab in self.tabs.values():
                    tab.close()
                link.call("Target.getTargets")  # an answer: what was sent before has arrived
        self.tabs.clear()
        self.place.close(link)

    def _take(self, target: str, *, name: str = "", is_front: bool = True, **kind: bool) -> Tab:
        if not name:
            self._count += 1
            name = f"t{self._count}"
        if not kind:
            self.place.claim([*self._own_targets(), target])
        tab = Tab(self.connection, target, name, **kind)
        if not tab.is_owners:  # a print dialog would hold the tab until somebody closes it
            quiet = {"source": "window.print = () => {}", "runImmediately": True}
            self.connection.post("Page.addScriptToEvaluateOnNewDocument", tab.session, **quiet)
        self.tabs[name] = tab
        self.current = name if is_front else self.current
        return tab

    def _forget_lost(self) -> None:
        there = {each["targetId"] for each in self._targets("page", "iframe")}
        for name, tab in list(self.tabs.items()):
            if tab.target not in there and not tab.lost:
                tab.lost = "was closed"
            if tab.lost:
                del self.tabs[name]
        if self.current not in self.tabs:
            self.current = next(reversed(self.tabs), "")
        self.place.claim(self._own_targets())

    def _own_targets(self) -> list[str]:
        """Return the tabs of this run as the protocol names them."""
        return [tab.target for tab in self.tabs.values() if tab.is_own]

    def _targets(self, *kinds: str) -> list[dict[str, Any]]:
        found = self.connection.call(
            "Target.getTargets", filter=[{"type": kind} for kind in kinds or ("page",)]
        )
        return list(found["targetInfos"])

    def _heard(self, method: str, said: dict[str, Any]) -> None:
        if method == "Browser.downloadWillBegin":
            if any(said["frameId"] in tab.frames for tab in self.tabs.values()):
                self._downloads[said["guid"]] = Download(said["guid"], said["suggestedFilename"])
        elif method == "Browser.downloadProgress" and said["guid"] in self._downloads:
            self._progress(self._downloads[said["guid"]], said)
        elif method == "Target.detachedFromTarget":
            for tab in self.tabs.values():
                if tab.session == said["sessionId"]:
                    tab.lost = tab.lost or "was closed"

    def _progress(self, each: Download, said: dict[str, Any]) -> None:
        each.state, each.received = said["state"], int(said["receivedBytes"])
        each.path = said.get("filePath", each.path)
        if each.received > MAX_DOWNLOAD:
            self.connection.post("Browser.cancelDownload", guid=each.id)

    def _kept(self, each: Download) -> str:
        """Move a file that has come into the run's folder."""
        source = self.place.downloads / each.id if self.place.is_ours else Path(each.path or "")
        name = re.sub(r"[\x00-\x1f/\\:]", "_", each.name).lstrip(".")[-120:] or "download"
        target = self._new_file("downloads", name)
        try:
            shutil.move(source, target)
        except OSError as error:
            return Message("error.tools.at", name=each.name, error=error)
        return f"{target} ({target.stat().st_size:,} bytes)"


def _about(target: dict[str, Any]) -> str:
    return f"{_short(target.get('title', ''), 80)} {_short(target.get('url', ''), 200)}"


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _above(target: dict[str, Any]) -> set[Any]:
    """Return the frames in which a frame of another site lies."""
    return {target.get("parentFrameId"), target.get("parentId")} - {None}
