"""The tool that searches the web: it asks the engine of the settings, and each result names its
source.

Each engine is asked as its documented API says; DuckDuckGo needs no key and answers with a page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from config import SearchConfig
from models.base import ToolResult
from safety.reach import PrivateAddress, Reach
from tools.base import ToolContext, ToolError, tool

if TYPE_CHECKING:
    import requests

MOST = 8  # results
MAX_TEXT_CHARS = 400  # of one
_HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; Sopwith/0.1)", "Accept-Encoding": "gzip"}
_LINK = re.compile(r"<a\b([^>]*)>(.*?)</a>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


class Found(NamedTuple):
    """One result."""

    title: str
    url: str
    text: str


class SearchApi(NamedTuple):
    """An engine: its address, how it takes a query, and where its JSON has the results; no path
    means a page."""

    url: str
    query: str  # the name of the parameter
    rows: tuple[str, ...]
    text: str = ""  # the field that says what a result is about
    extra: Mapping[str, str | int] = {}
    key: str = ""  # the header that takes the key
    is_post: bool = False


ENGINES = {
    "duckduckgo": SearchApi("https://html.duckduckgo.com/html/", "q", ()),
    "searxng": SearchApi("", "q", ("results",), "content", {"format": "json"}),
    "brave": SearchApi(
        *("https://api.search.brave.com/res/v1/web/search", "q", ("web", "results")),
        *("description", {"count": MOST}, "X-Subscription-Token"),
    ),
    "tavily": SearchApi(
        *("https://api.tavily.com/search", "query", ("results",), "content"),
        *({"max_results": MOST}, "Authorization", True),
    ),
}


@tool("network")
def web_search(ctx: ToolContext, query: str) -> ToolResult:
    """Search the web: titles, addresses and what they say."""
    settings = ctx.config.search if ctx.config else SearchConfig()
    engine = ENGINES[settings.engine]
    address = _address(settings, engine)
    found = _asked(ctx, settings, address, query.strip())[:MOST]
    lines = (f"{n}. {each.title}\n   {each.url}\n   {each.text}" for n, each in enumerate(found, 1))
    output = "\n".join(lines) or f"{settings.engine} finds nothing for this"
    sources = [each.url for each in found]
    return ToolResult("ok", {"output": ctx.redact(output), "sources": sources})


def _address(settings: SearchConfig, engine: SearchApi) -> str:
    """Return where the engine is asked. Raises ToolError where a setting is missing."""
    if engine.key and not settings.api_key:
        raise ToolError("error.web.engine-key", engine=settings.engine)
    url = settings.url or engine.url
    if not url:
        raise ToolError("error.web.engine-address", engine=settings.engine)
    return f"{url.rstrip('/')}/search" if settings.engine == "searxng" else url


def _asked(ctx: ToolContext, settings: SearchConfig, address: str, query: str) -> list[Found]:
    import requests

    from tools.web.ssrf_session import PinnedSession

    engine, name, seconds = ENGINES[settings.engine], settings.engine, ctx.seconds()
    hosts = ctx.config.safety.private_hosts if ctx.config else ()
    own = (urlsplit(settings.url).netloc,) if settings.url else ()  # the owner named it
    with PinnedSession(Reach((*hosts, *own)), seconds) as session:
        try:
            response = session.request(
                "POST" if engine.is_post else "GET",
                address,
                timeout=seconds,
                **_request(settings, engine, query),
            )
            _check(response, name)
            return list(_rows(response, engine) if engine.rows else _page(response.text))
        except PrivateAddress as error:
            raise ToolError(str(error)) from error
        except (requests.RequestException, ValueError, OSError) as error:
            why = f"nothing came for {seconds:.0f} s" if session.is_cut else type(error).__name__
            raise ToolError("error.web.cannot-asked", engine=name, why=why) from error


def _request(settings: SearchConfig, engine: SearchApi, query: str) -> dict[str, Any]:
    said = {engine.query: query, **engine.extra}
    headers = dict(_HEADERS)
    if engine.key:
        is_bearer = engine.key == "Authorization"
        headers[engine.key] = f"Bearer {settings.api_key}" if is_bearer else settings.api_key
    return {"headers": headers, "json" if engine.is_post else "params": said}


def _check(response: requests.Response, name: str) -> None:
    """Raise ToolError for an answer that holds no results."""
    if response.status_code in (401, 403):
        raise ToolError("error.web.does-take-key-see", engine=name)
    if response.status_code == 429:
        raise ToolError("error.web.wants-fewer-questions-try", engine=name)
    if response.status_code != 200:  # DuckDuckGo asks for a captcha with 202
        raise ToolError("error.web.engine-silent", engine=name, status=response.status_code)


def _rows(response: requests.Response, engine: SearchApi) -> Iterator[Found]:
    rows: Any = response.json()
    for name in engine.rows:
        rows = rows.get(name) if isinstance(rows, dict) else None
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and str(row.get("url", "")).startswith("http"):
            text = _plain(str(row.get(engine.text) or ""))
            yield Found(_plain(str(row.get("title") or "")), row["url"], text)


def _page(text: str) -> Iterator[Found]:
    """Read the results of DuckDuckGo's page: a link with the title, then one with the text."""
    title = url = ""
    for attributes, said in _LINK.findall(text):
        named = dict(_ATTRIBUTE.findall(attributes))
        classes = named.get("class", "").split()
        if "result__a" in classes:
            title, url = _plain(said), _target(named.get("href", ""))
        elif "result__snippet" in classes and url.startswith("http"):
            yield Found(title, url, _plain(said))
            url = ""


def _target(link: str) -> str:
    """Return where a link of DuckDuckGo leads; an advertisement leads nowhere."""
    link = html.unescape(link)
    parts = urlsplit(link)
    if parts.path.startswith("/y.js"):
        return ""
    return parse_qs(parts.query).get("uddg", [link])[0]


def _plain(text: str) -> str:
    """Return a text without tags, on one line, cut to MAX_TEXT_CHARS."""
    line = " ".join(html.unescape(re.sub(r"<[^<>]*>", "", text)).split())
    return line if len(line) <= MAX_TEXT_CHARS else line[: MAX_TEXT_CHARS - 1] + "…"
