"""The tools for pages that need a browser: web_scan shows a page, web_execute_js acts on it. Seed
002 §3; docs/browser.md."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from config import Message
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
_STATUS = {401: "asks for a login: the owner logs in, not you"}
_ADDRESS = re.compile(r"(?i)^(https?|file|about|data|view-source|blob):")


def problem() -> str:
    """Return why the browser cannot be used on this machine, or ""."""
    if importlib.util.find_spec("websockets") is None:
        return Message("error.browser.no-package")
    return ""


def shown(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate should know of a call: where it goes on from, and what the references in
    it were when they were shown."""
    browser = ctx.kept.get("browser")
    if not isinstance(browser, Browser):
        return {}
    tab = browser.tabs.get(args.get("tab") or browser.current)
    names = tab.names if tab else {}
    used = set(re.findall(r"\be\d+\b", str(args.get("script", ""))))
    shown = {ref: names[ref] for ref in used.intersection(names)}
    return {"url": tab.url if tab else "", "refs": shown}


@tool("read", "network", about=shown)
def web_scan(
    ctx: ToolContext,
    url: str | None = None,
    tab: str | None = None,
    text_only: bool = False,
    tabs_only: bool = False,
) -> ToolResult:
    """Show a page of the browser: its text, and what can be pressed or filled in as
    [label](e48213). Long pages come cut, the whole in a file.

    url: to open first
    tab: such as t1, or new
    """
    with _browser(ctx) as browser:
        browser.begin()
        if tabs_only:
            return _result("\n".join(browser.listed()) or "no tab is open")
        if browser.owners() and not any([url, tab, browser.tabs]):
            listed = "\n".join(browser.listed())
            return _result(f"the owner's tabs; web_scan(tab=…) reads one:\n{listed}")
        used = _open(ctx, browser, url, tab) if url else browser.tab(tab)
        with _used(used):
            try:
                page = _scanned(browser, used, text_only, ctx.seconds())
            except (Blocked, TooLate, TabLost) as error:
                return _stuck(browser, used, error, [])
        return _page_result(ctx, browser, used, page)


@contextmanager
def _used(tab: Tab) -> Iterator[None]:
    """End the call's use of a tab."""
    try:
        yield
    finally:
        if not tab.lost:
            tab.end()


@tool("write", "network", paths=("save_to_file",), about=shown)
def web_execute_js(
    ctx: ToolContext,
    script: str,
    tab: str | None = None,
    dialog: str | None = None,
    timeout: Annotated[int | None, Between(1, 600)] = None,
    save_to_file: str | None = None,
) -> Generator[str, None, ToolResult]:
    """Run script in a page, promises awaited; gives its value and what changed. At hand, with
    references of web_scan: await click(e), type(e, text, {enter}), select(e, option),
    press('Enter'), hover(e | text), upload(e, path), wait(text | selector | ms), scroll('down' |
    e), shot(e | 'page'), el(e) for the element, secret(e, question) for a password that the owner
    types, close() the tab.

    dialog: how to answer confirm and prompt: accept, dismiss, or the text
    timeout: seconds
    """
    file = ctx.path(save_to_file) if save_to_file else None
    with _browser(ctx) as browser:
        browser.begin()
        used = browser.tab(tab)
        seconds = ctx.seconds(timeout)
        running = Script(ctx, used, script, seconds)
        used.begin(dialog)
        with _used(used):
            try:
                value, failure, data = yield from _run(ctx, browser, used, running)
            except (Blocked, TabLost, TooLate) as error:
                result = _stuck(browser, used, error, running.done)
                result.status = "ok" if running.has_closed else result.status
                return result
        if failure:
            data |= {"did": running.done} if running.done else {}
            return _with_images(_told(browser, "error", {"output": failure, **data}), running)
        data = _shown_value(ctx, browser.hide(value_text(value)), file) | data
        return _with_images(_told(browser, "ok", data), running)


def _run(
    ctx: ToolContext, browser: Browser, used: Tab, running: Script
) -> Generator[str, None, tuple[Any, str, dict[str, Any]]]:
    """Run the script and return its value, why it failed, and what has changed. Raises Blocked,
    TabLost, TooLate."""
    if not used.answer_open():
        raise used.trouble() or TabLost("error.browser.tab-closed", tab=used.name)
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
    quiet_ms = 600 if running.suggests else 200 if running.done else 30
    used.rest(min(ctx.seconds(), 20.0), at_least_ms=quiet_ms)
    return value, failure, _changed(browser, used, running)


def _shown_value(ctx: ToolContext, text: str, file: Path | None) -> dict[str, Any]:
    """Return the value of a script as the outcome has it; what is long, or asked for, lies in a
    file."""
    if file:
        _write(ctx, file, text)
        return {"output": "", "file": f"{file} ({len(text):,} characters)"}
    short = shorten(text)
    if short == text:
        return {"output": text}
    whole_file = _own_file(ctx, "value")
    _write(ctx, whole_file, text)
    return {"output": short, "whole": str(whole_file)}


def _own_file(ctx: ToolContext, kind: str) -> Path:
    """Return the file of the run's folder for this call."""
    return ctx.folder / f"{kind}-{ctx.name}.txt"


@contextmanager
def _browser(ctx: ToolContext) -> Iterator[Browser]:
    """Yield the run's browser; drop one that has ended, so that the next call starts it anew."""
    if missing := problem():
        raise ToolError(missing)
    try:
        yield ctx.keep("browser", lambda: Browser(ctx))
    except LinkLost as error:
        if browser := ctx.kept.pop("browser", None):
            browser.close()
            raise ToolError("error.browser.crashed-owner-closed-web", tab=error) from error
        raise


def _open(ctx: ToolContext, browser: Browser, url: str, tab: str | None) -> Tab:
    url = url.strip()
    if not _ADDRESS.match(url):
        url = f"https://{url}"
    is_new = tab == "new" or (tab is None and browser.has_no_own_page)
    used = browser.new() if is_new else browser.tab(tab)
    used.begin(None)
    try:
        problem = used.go(url, ctx.seconds())
    except (Blocked, TooLate, TabLost):
        return used
    if not problem:
        return used
    used.end()
    if is_new:
        browser.drop(used)
    login = "-login" if "_AUTH_" in problem else ""
    key = f"error.browser.not-opened{login}"
    raise BrowserError(Message(key, url=url, problem=problem.removeprefix("net::")))


def _page_result(ctx: ToolContext, browser: Browser, used: Tab, page: dict[str, Any]) -> ToolResult:
    """Return the outcome of a scan: only what there is to say."""
    lines = [[browser.hide(text), *rest] for text, *rest in page["lines"]]
    text, is_cut = fit(lines)
    about = around(page)
    data: dict[str, Any] = {
        "output": text,
        "tab": used.name,
        **about,
        "page": "; ".join(filter(None, [about["page"], _STATUS.get(used.status)])),
        "passed": "\n".join(page["meanwhile"]),
    }
    if used.error:
        data["url"] = f"{used.error} (could not be opened)"
    if is_cut:
        file = _own_file(ctx, "page")
        _write(ctx, file, whole(lines))
        data["whole"] = str(file)
    more = {
        "status": used.status if used.status >= 400 else 0,
        "frames": _frames(browser, used) if page["frames"] else "",
        "dialogs": used.dialogs,
        "downloads": browser.downloads([used], 0 if lines else ctx.seconds()),
        "new_tabs": [each.name for each in browser.adopt()],
    }
    return _told(browser, "ok", data | {name: each for name, each in more.items() if each})


def _frames(browser: Browser, used: Tab) -> str:
    names = [name for name in browser.frames() if name.startswith(f"{used.name}.")]
    return f"of other sites, web_scan(tab=…) shows them: {', '.join(names)}"


def _scanned(browser: Browser, tab: Tab, text_only: bool, seconds: float) -> dict[str, Any]:
    """Return the page as page.js shows it. A page whose script never ends is stopped, once."""
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
    data: dict[str, Any] = _new_tabs(browser)
    data["dialogs"] = tab.dialogs
    data["downloads"] = browser.downloads([tab], min(10.0, running.left + REST_SECONDS))
    if tab.name not in browser.tabs:
        return data | {"tab": f"{tab.name} was closed"}
    if trouble := tab.trouble():
        raise trouble
    found = tab.ask("end", CHANGED_CHARS // 2 if tab.moves else CHANGED_CHARS)
    tab.url = found["url"]
    if tab.moves:
        data["went_to"] = _went_to(tab, found)
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


def _new_tabs(browser: Browser) -> dict[str, Any]:
    names = {each.name for each in browser.adopt()}
    told = [line for line in browser.listed() if line.split()[0] in names] if names else []
    told += [f"{browser.closed} more were closed at once"] if browser.closed else []
    browser.closed = 0
    return {"new_tabs": told} if told else {}


def _went_to(tab: Tab, found: dict[str, Any]) -> str:
    if tab.error:
        return f"{tab.error} (could not be opened)"
    status = f" (status {tab.status})" if tab.status >= 400 else ""
    return f"{found['title']} {found['url']}{status}"


def _stuck(browser: Browser, tab: Tab, error: BrowserError, done: list[str]) -> ToolResult:
    """Return the outcome of a call that could not be ended as it was meant."""
    status: Status = "error"
    if isinstance(error, Blocked):
        text = f"{error}\nweb_execute_js(dialog=…) answers it; its script may be empty"
    elif isinstance(error, TooLate):
        status, is_awake = "timeout", tab.wake()
        what = "what the page was doing was stopped" if is_awake else f"tab {tab.name} {tab.lost}"
        text = f"{error}; {what}"
        browser.adopt()
    else:
        tab.lost = tab.lost or "was closed"
        browser.adopt()
        left = f"; open are {', '.join(browser.tabs)}" if browser.tabs else ""
        text = f"tab {tab.name} {tab.lost}{left}"
    return _told(browser, status, {"output": text, "did": done, "dialogs": tab.dialogs})


def _told(browser: Browser, status: Status, data: dict[str, Any]) -> ToolResult:
    """Return the outcome without what the owner has said for a page alone."""

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


def _write(ctx: ToolContext, file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(ctx.redact(text), "utf-8", errors="replace")
