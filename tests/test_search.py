"""web_search: each engine is asked as its API says, results name their sources, and autonomous mode
reads what the owner allows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from config import Config, SafetyConfig, SearchConfig
from models.base import ToolResult
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from safety.gate import Ask, Gate
from tests.driving import agent, call, drive, of
from tests.rows import cases
from tests.site import Asked, Page, site
from tools.base import ToolContext, ToolError
from tools.web.search import web_search

KEY = "tvly-0123456789abcdef"
ROWS = [{"title": "Tea &amp; <b>cake</b>", "url": "https://tea.example/a", "content": "Brew it."}]
PAGE = """<div class="result"><h2><a rel="nofollow" class="result__a"
 href="//duckduckgo.com/l/?uddg=https%3A%2F%2Ftea.example%2Fa&amp;rut=1">Tea &amp; <b>cake</b></a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">Brew <b>it</b>.</a></div>
<div class="result result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?ad=1">Buy</a>
<a class="result__snippet" href="https://duckduckgo.com/y.js?ad=1">now</a></div>"""


def engine(asked: Asked) -> Page:
    """Answer as the documented APIs do; 401 without the key, 429 for the query "often", 202 for
    "robot"."""
    if asked.method == "POST":
        is_let_in = asked.headers["Authorization"] == f"Bearer {KEY}"
        return found({"results": ROWS}, json.loads(asked.body)["query"], 200 if is_let_in else 401)
    parts = urlsplit(asked.path)
    query = parse_qs(parts.query)["q"][0]
    if parts.path == "/html/":
        return found(PAGE if query == "tea" else "<p>No results.</p>", query)
    if parts.path == "/searx/search" and "format=json" in parts.query:
        return found({"query": query, "results": ROWS}, query)
    if asked.headers["X-Subscription-Token"] == KEY:
        rows = [{**each, "description": each["content"]} for each in ROWS]
        return found({"type": "search", "web": {"results": rows}}, query)
    return found({}, query, 401)


def found(said: Any, query: str, status: int = 200) -> Page:
    body = said if isinstance(said, str) else json.dumps(said)
    return Page(body, status={"often": 429, "robot": 202}.get(query, status))


@pytest.fixture(scope="module")
def engines() -> Iterator[str]:
    with site(engine) as port:
        yield f"http://127.0.0.1:{port}"


def searched(folder: Path, settings: SearchConfig, query: str = "tea") -> dict[str, Any]:
    config = Config(home=folder, lang="en", search=settings)
    ctx = ToolContext(folder, folder, folder, call="c1", tool_seconds=10.0, config=config)
    result = web_search.run(ctx, query)
    assert isinstance(result, ToolResult)
    data: dict[str, Any] = result.data
    return data


@cases
def test_each_engine_gives_results_with_their_sources(
    engines: str, tmp_path: Path, engine: Any, path: str
) -> None:
    found = searched(tmp_path, SearchConfig(engine, engines + path, KEY))
    assert found["sources"] == ["https://tea.example/a"]
    assert found["output"] == "1. Tea & cake\n   https://tea.example/a\n   Brew it."


@pytest.mark.parametrize(
    ("settings", "query", "said"),
    [
        (SearchConfig("brave"), "tea", "needs a key: search:"),
        (SearchConfig("searxng"), "tea", "needs its address"),
        (SearchConfig("tavily", "{}/t", "wrong"), "tea", "does not take the key"),
        (SearchConfig("searxng", "{}/searx"), "often", "wants fewer questions"),
        (SearchConfig("duckduckgo", "{}/html/"), "robot", "does not answer this machine"),
        (SearchConfig("searxng", "http://127.0.0.1:9"), "tea", "cannot be asked"),
    ],
)
def test_what_is_wrong_is_said_with_what_mends_it(
    engines: str, tmp_path: Path, settings: SearchConfig, query: str, said: str
) -> None:
    url = settings.url.format(engines) if settings.url else None
    with pytest.raises(ToolError, match=said):
        searched(tmp_path, SearchConfig(settings.engine, url, settings.api_key), query)


def test_a_run_searches_and_its_sources_are_in_the_log(engines: str, home: Path) -> None:
    settings = f"search: {{engine: tavily, url: '{engines}/t', api_key: {KEY}}}"
    replies = [call("web_search", query="tea"), f"It is on tea.example. {KEY}"]
    started = agent(home, replies, settings).start(
        "search the web for tea", Options(), AbsentOwner()
    )
    events = drive(started)
    [ended] = of(events, "tool_ended")
    assert ended["status"] == "ok" and ended["data"]["sources"] == ["https://tea.example/a"]
    assert KEY not in json.dumps(events)


@cases
def test_autonomous_mode_reads_the_hosts_that_the_owner_names(
    tmp_path: Path, tool: str, args: dict[str, Any], reads: tuple[str, ...], decision: str
) -> None:
    home = tmp_path / ".sopwith"
    gate = Gate(SafetyConfig(), home, tmp_path, tmp_path, is_alone=True, reads=reads)
    assert gate.decide(Ask(tool, args, ("network",), (), "main")).decision == decision
