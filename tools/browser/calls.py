"""The tools for pages that need a browser: web_scan shows a page, web_execute_js acts on it. Seed 002 §3; docs/browser.md."""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from models.base import Status, ToolResult
from safety.taint import Origin
from tools.base import Between, ToolContext, ToolError, tool
from tools.browser.link import Blocked, BrowserError, LinkLost, TabLost, TooLate
from tools.browser.pages import Browser
from tools.browser.script import Script
from tools.browser.tab import LOAD_SECONDS, REST_SECONDS, Tab
from tools.browser.text import around, fit, shorten, value_text, whole

SCAN_SECONDS = 15.0
CHANGED_CHARS = 1_500  # of new text in one report
_ADDRESS = re.compile(r"(?i)^(https?|file|about|data|view-source|blob):")


def problem() -> str:
    """Why the browser cannot be used on this machine, or ""."""
    if importlib.util.find_spec("websockets") is None:
        return "the browser needs a package that is not installed: scripts/setup --extra browser"
    return ""


def shown(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate should know of a call: where it goes on from, and what the references in it were when they were shown."""
    browser = ctx.kept.get("browser")
    if not isinstance(browser, Browser):
        return {}
    tab = browser.tabs.get(args.get("tab") or browser.current)
    names = tab.names if tab else {}
    used = set(re.findall(r"\be\d+\b", str(args.get("script", ""))))
    return {
        "url": tab.url if tab else "",
        "refs": {ref: names[ref] for ref in used if ref in names},
    }


@tool("read", "network", about=shown)
def web_scan(
    ctx: ToolContext,
    url: str | None = None,
    tab: str | None = None,
    text_only: bool = False,
    tabs_only: bool = False,
) -> ToolResult:
    """Show a page of the browser: its text, and what can be pressed or filled in as [label](e48213). Long pages come cut, the whole in a file.

    url: to open first
    tab: such as t1, or new
    """
    with _browser(ctx) as browser:
        browser.begin()
        if tabs_only:
            return _result("\n".join(browser.listed()) or "no tab is open")
        if not url and not tab and not browser.tabs and browser.owners():
            return _result(
                "the owner's tabs; web_scan(tab=…) reads one:\n" + "\n".join(browser.listed())
            )
        used = _open(ctx, browser, url, tab) if url else browser.tab(tab)
        try:
            page = _scanned(browser, used, text_only, _left(ctx))
        except (Blocked, TooLate, TabLost) as error:
            return _stuck(browser, used, error, [])
        finally:
            if not used.lost:
                used.end()
        return _page_result(ctx, browser, used, page)


@tool("write", "network", paths=("save_to_file",), about=shown)
def web_execute_js(
    ctx: ToolContext,
    script: str,
    tab: str | None = None,
    dialog: str | None = None,
    timeout: Annotated[int | None, Between(1, 600)] = None,
    save_to_file: str | None = None,
) -> Generator[str, None, ToolResult]:
    """Run script in a page, promises awaited; gives its value and what changed. At hand, with references of web_scan: await click(e), type(e, text, {enter}), select(e, option), press('Enter'), hover(e | text), drag(e, e | text | {x, y}), upload(e, path), wait(text | selector | ms), scroll('down' | e), shot(e | 'page'), el(e) for the element, secret(e, question) for a password that the owner types, close() the tab.

    dialog: how to answer confirm and prompt: accept, dismiss, or the text
    timeout: seconds
    """
    file = ctx.path(save_to_file) if save_to_file else None
    with _browser(ctx) as browser:
        browser.begin()
        used = browser.tab(tab)
        running = Script(
            ctx, used, script, min(float(timeout or ctx.tool_seconds), _left(ctx, 600))
        )
        used.begin(dialog)
        try:
            if not used.answer_open():
                return _stuck(
                    browser, used, used.trouble() or TabLost(f"tab {used.name} was closed"), []
                )
            used.link.drain(0.05 if used.dialogs else 0)
            used.ask("begin")
            value, failure = None, ""
            try:
                value = yield from running.run()
            except (Blocked, TabLost, TooLate, LinkLost):
                raise
            except BrowserError as error:
                failure = str(error)
            finally:
                browser.secrets += running.secrets
            used.rest(
                min(_left(ctx), 20.0),
                at_least_ms=600 if running.suggests else 200 if running.done else 30,
            )
            data = _changed(browser, used, running)
        except (Blocked, TabLost, TooLate) as error:
            result = _stuck(browser, used, error, running.done)
            result.status = "ok" if running.has_closed else result.status
            return result
        finally:
            if not used.lost:
                used.end()
        if failure:
            data |= {"did": running.done} if running.done else {}
            return _with_images(_told(browser, "error", {"output": failure, **data}), running)
        text = browser.hide(value_text(value))
        if file:
            _write(ctx, file, text)
            data["file"] = f"{file} ({len(text):,} characters)"
            text = ""
        elif len(text) > len(shorten(text)):
            whole_file = (
                ctx.folder / f"value-{re.sub(r'[^A-Za-z0-9_.-]', '_', ctx.call)[:60] or 'call'}.txt"
            )
            _write(ctx, whole_file, text)
            data["whole"] = str(whole_file)
        return _with_images(_told(browser, "ok", {"output": shorten(text), **data}), running)


@contextmanager
def _browser(ctx: ToolContext) -> Iterator[Browser]:
    """The run's browser; when it has ended it is let go, so that the next call starts it anew."""
    if missing := problem():
        raise ToolError(missing)
    try:
        yield ctx.keep("browser", lambda: Browser(ctx))
    except LinkLost as error:
        if browser := ctx.kept.pop("browser", None):
            browser.close()
            raise ToolError(
                f"{error}: it has crashed, or its owner has closed it. web_scan(url=…) opens it anew"
            ) from error
        raise


def _open(ctx: ToolContext, browser: Browser, url: str, tab: str | None) -> Tab:
    url = url.strip()
    if not _ADDRESS.match(url):
        url = f"https://{url}"
    is_new = tab == "new" or (
        not tab and (not browser.current or browser.tabs[browser.current].is_owners)
    )
    used = browser.new() if is_new else browser.tab(tab)
    used.begin(None)
    try:
        problem = used.go(url, _left(ctx))
    except (Blocked, TooLate, TabLost):
        return used
    if problem:
        used.end()
        if is_new:
            browser.drop(used)
        more = ": it asks for a login, which is the owner's" if "_AUTH_" in problem else ""
        raise BrowserError(f"{url} could not be opened: {problem.removeprefix('net::')}{more}")
    return used


def _page_result(ctx: ToolContext, browser: Browser, used: Tab, page: dict[str, Any]) -> ToolResult:
    """The outcome of a scan."""
    for line in page["lines"] if browser.secrets else ():
        line[0] = browser.hide(line[0])
    text, is_cut = fit(page["lines"])
    data: dict[str, Any] = {"output": text, "tab": used.name, **around(page)}
    data["passed"] = "\n".join(page["meanwhile"])
    if used.error:
        data["url"] = f"{used.error} (could not be opened)"
    if used.status >= 400:
        data["status"] = used.status
    if used.status == 401:
        data["page"] = "; ".join(
            filter(None, [data["page"], "asks for a login: the owner logs in, not you"])
        )
    if is_cut:
        file = ctx.folder / f"page-{re.sub(r'[^A-Za-z0-9_.-]', '_', ctx.call)[:60] or 'call'}.txt"
        _write(ctx, file, whole(page["lines"]))
        data["whole"] = str(file)
    if page["frames"]:
        data["frames"] = (
            f"of other sites, web_scan(tab=…) shows them: {', '.join(name for name in browser.frames() if name.startswith(used.name + '.'))}"
        )
    if used.dialogs:
        data["dialogs"] = used.dialogs
    if files := browser.downloads([used], 0 if page["lines"] else _left(ctx)):
        data["downloads"] = files
    if opened := browser.adopt():
        data["new_tabs"] = [each.name for each in opened]
    return _told(browser, "ok", data)


def _scanned(browser: Browser, tab: Tab, text_only: bool, seconds: float) -> dict[str, Any]:
    """The page as page.js shows it. A page whose script never ends is stopped, once."""
    if trouble := tab.trouble():
        raise trouble
    options = {"textOnly": text_only, "isSeen": True}
    try:
        tab.rest(min(seconds, LOAD_SECONDS if tab.moves else REST_SECONDS))
        tab.listen(min(seconds, SCAN_SECONDS))
        page: dict[str, Any] = tab.ask("scan", options, seconds=min(seconds, SCAN_SECONDS))
    except TooLate:
        if not tab.wake():
            raise
        page = tab.ask("scan", options, seconds=SCAN_SECONDS)
    tab.url = page["url"]
    tab.names = (tab.names if tab.names and not tab.moves else {}) | page["controls"]
    return page


def _changed(browser: Browser, tab: Tab, running: Script) -> dict[str, Any]:
    """Return what is different after a script: only what there is to say."""
    data: dict[str, Any] = {}
    opened = browser.adopt()
    if opened or browser.closed:
        more = [f"{browser.closed} more were closed at once"] if browser.closed else []
        data["new_tabs"] = [
            line for line in browser.listed() if line.split()[0] in {each.name for each in opened}
        ] + more
        browser.closed = 0
    data["dialogs"] = tab.dialogs
    data["downloads"] = browser.downloads([tab], min(10.0, running.left + REST_SECONDS))
    if tab.name not in browser.tabs:
        return data | {"tab": f"{tab.name} was closed"}
    if trouble := tab.trouble():
        raise trouble
    found = tab.ask("end", CHANGED_CHARS // 2 if tab.moves else CHANGED_CHARS)
    tab.url = found["url"]
    if tab.moves:
        address = (
            f"{tab.error} (could not be opened)"
            if tab.error
            else f"{found['title']} {found['url']}"
        )
        data["went_to"] = address + (f" (status {tab.status})" if tab.status >= 400 else "")
    elif running.has_left:
        data["page"] = "loaded anew"
    more = [f"… {found['more']} more lines"] if found["more"] else []
    data["new_text"] = "\n".join(found["text"] + more)
    data["refused"] = found["refused"]  # by the browser, in a field: it says so beside the page
    data["meanwhile"] = "\n".join(found["meanwhile"])  # came between the calls
    data["passed"] = "\n".join(found["passed"])  # was shown, and is gone again
    if tab.chooser:
        data["chooser"] = "the page asks for a file: upload(e, path), with the e that was pressed"
    return data


def _stuck(browser: Browser, tab: Tab, error: BrowserError, done: list[str]) -> ToolResult:
    """The outcome of a call that could not be ended as it was meant."""
    data: dict[str, Any] = {"did": done, "dialogs": tab.dialogs}
    if isinstance(error, Blocked):
        return _told(
            browser,
            "error",
            {
                "output": f"{error}\nweb_execute_js(dialog=…) answers it; its script may be empty",
                **data,
            },
        )
    if isinstance(error, TooLate):
        text = f"{error}; " + (
            "what the page was doing was stopped" if tab.wake() else f"tab {tab.name} {tab.lost}"
        )
        browser.adopt()
        return _told(browser, "timeout", {"output": text, **data})
    tab.lost = tab.lost or "was closed"
    browser.adopt()
    left = f"; open are {', '.join(browser.tabs)}" if browser.tabs else ""
    return _told(browser, "error", {"output": f"tab {tab.name} {tab.lost}{left}", **data})


def _told(browser: Browser, status: Status, data: dict[str, Any]) -> ToolResult:
    """The outcome, without what the owner has said for a page alone."""

    def hidden(value: Any) -> Any:
        if isinstance(value, list):
            return [hidden(each) for each in value]
        return browser.hide(value) if isinstance(value, str) else value

    return ToolResult(status, {name: hidden(value) for name, value in data.items()}, Origin.WEB)


def _with_images(result: ToolResult, running: Script) -> ToolResult:
    result.images = [str(file) for file in running.images]
    return result


def _result(text: str) -> ToolResult:
    return ToolResult("ok", {"output": text}, Origin.WEB)


def _left(ctx: ToolContext, most: float | None = None) -> float:
    """Seconds that a call may still take."""
    return max(1.0, min(most or ctx.tool_seconds, ctx.deadline - time.monotonic()))


def _write(ctx: ToolContext, file: Any, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(ctx.redact(text), "utf-8", errors="replace")
