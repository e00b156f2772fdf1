"""Hostile and broken input to a real `serve`: what it answers, and that it goes on serving
everybody else."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from websockets.exceptions import ConnectionClosed

from tests.machine import PATIENCE_SECONDS
from tests.rows import cases
from tests.serving import Served, made_home

JSON = {"Content-Type": "application/json"}
SCRIPTS = {"group": ["Hello."]}
STRANGE = ["a\0b", "--help", "-h", "a" * 200_000, "\n", "../../x", "\u202egnp.exe"]


def sent(site: Served, request: str) -> bytes:
    """Return what comes back for exactly these bytes, until the server closes."""
    got = b""
    with (
        socket.create_connection(("127.0.0.1", site.port), PATIENCE_SECONDS) as connection,
        suppress(ConnectionResetError),
    ):
        connection.sendall(request.encode("latin-1"))
        while piece := connection.recv(65_536):
            got += piece
    return got


@pytest.mark.parametrize(
    "other", ['a={"b": 1, "c": 2}', "x[]=1", 'q="open', "a b=c", "é=1", "=x", "$Version=1"]
)
def test_cookies_of_other_programs_on_this_machine_do_not_lock_the_owner_out(
    site: Served, other: str
) -> None:
    """Ports share cookies, and many a program's is of no shape that a strict reader takes."""
    for cookie in (f"{other}; {site.cookie}", f"{site.cookie}; {other}"):
        assert (
            site.ask("GET", "/api/state", headers={**site.browser(), "Cookie": cookie}).status
            == 200
        )


@pytest.mark.parametrize(
    "request_",
    [
        "GET http://evil.example/api/runs HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
        "GET /api/runs HTTP/1.0\r\nCookie: {cookie}\r\n\r\n",
        "GET /api/runs HTTP/1.1\r\nHost : x\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n",
        "GET /api/runs HTTP/1.1\r\nHost: {host}\r\n evil\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
        "GET /api/runs HTTP/1.1\nHost: evil.example\nCookie: {cookie}\n\n",
        "GET / HTTP/1.1\r\nHost: {host}\r\nX: " + "a" * 200_000 + "\r\n\r\n",
        "POST /api/chat HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{{}}",
        "POST /api/chat HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nTransfer-Encoding: xchunked\r\n\r\n{{}}",
        "POST /api/chat HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nContent-Length: -1\r\n\r\n",
        "POST /api/memory/note HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nOrigin: http://{host}\r\nX-Sopwith: 1\r\nContent-Type: "
        "application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n"
        "GET /api/runs HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n",
    ],
)
def test_a_request_that_can_be_read_in_two_ways_gives_nothing(site: Served, request_: str) -> None:
    got = sent(site, request_.format(host=f"127.0.0.1:{site.port}", cookie=site.cookie))
    assert b" 200 " not in got
    assert b'"runs"' not in got


@cases
def test_no_spelling_of_a_path_comes_past_the_cookie(site: Served, path: str) -> None:
    answer = site.ask("GET", path, headers={**site.browser(), "Cookie": "a=b"})
    assert b'"working"' not in answer.body
    assert answer.status < 500


@pytest.mark.parametrize("text", STRANGE)
def test_strange_texts_are_refused_or_taken_and_break_nothing(site: Served, text: str) -> None:
    bodies: list[tuple[str, Any]] = [
        ("/api/memory/note", {"text": text}),
        ("/api/schedule", {"when": "tomorrow 9:00", "task": text}),
        ("/api/schedule/preview", {"when": text}),
        ("/api/sops/teach", {"name": text, "text": "x"}),
        ("/api/sops/find-files/verify", {"values": {text: text}}),
        ("/api/chat", {"text": "x", "files": [text]}),
        ("/api/chat", {"text": "x", "after": text}),
        ("/api/inbox/x", {"decision": "approve", "text": text}),
        ("/v1/chat/completions", {"model": text, "messages": [{"role": "user", "content": text}]}),
    ]
    for path, body in bodies:
        answer = site.post(path, body)
        assert answer.status < 500, (path, answer)
    name = quote(text[:3_000], safe="")
    for path in (
        f"/api/schedule/{name}/history",
        f"/api/runs/{name}",
        f"/api/sops/{name}",
        f"/api/memory/search?q={name}",
    ):
        assert site.get(path).status < 500, path


def test_an_errand_that_cannot_begin_ends(site: Served) -> None:
    """More than a command line holds: said so, and the next errand has its place."""
    for _ in range(5):
        begun = site.post("/api/sops/find-files/verify", {"values": {"folder": "a" * 200_000}})
        assert begun.status == 202
        path = f"/api/errands/{begun.json['errand']}"
        ended = site.until(lambda: (e := site.get(path).json)["state"] != "working" and e)  # noqa: B023 - at once
        assert ended["state"] == "failed"
        assert "too long" in ended["lines"][0]


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "2026-13-01", "x"])
def test_a_day_at_the_end_of_time_is_none(site: Served, day: str) -> None:
    assert site.get(f"/api/memory/days/{day}").status == 409


@pytest.mark.parametrize("body", [b"[" * 3_000_000, b'{"text":' + b'{"a":' * 100_000])
@pytest.mark.parametrize("path", ["/api/chat", "/api/sign-in", "/v1/chat/completions"])
def test_a_thousand_brackets_are_refused(site: Served, path: str, body: bytes) -> None:
    assert 400 <= site.ask("POST", path, body, site.browser()).status < 500


SAID = {
    "a list": "[]",
    "a number": "5",
    "brackets": "[" * 60_000,
    "bytes": b"\0\xff",
    "no JSON": "{",
    "predicates that are none": '{"type": "graph", "filter": {"predicates": 5}}',
    "a limit beyond all": '{"type": "graph", "filter": {"limit": 1' + "0" * 30 + "}}",
    "a limit below all": '{"type": "graph", "filter": {"limit": -1}}',
    "half a letter": '{"type": "select", "what": "run", "id": "\\ud800"}',
    "runs that are none": '{"type": "watch", "runs": [{}, null]}',
    "too much": "x" * 70_000,
}


@pytest.mark.parametrize("what", SAID)
def test_what_a_tab_says_breaks_nothing(site: Served, what: str) -> None:
    """The socket closes or goes on; the server's terminal says nothing of it (see `site`)."""
    with site.tab() as tab, suppress(ConnectionClosed):
        tab.socket.send(SAID[what])
        tab.send(type="ping")
        tab.until("pong")


def test_a_damaged_list_of_who_may_come_in_lets_nobody_in(tmp_path: Path) -> None:
    home = made_home(tmp_path / "other", [])
    (home / "web").mkdir()
    (home / "web" / "access.json").write_text(
        '{"x": {"id": "1", "kind": "browser", "made": "long ago"}}'
    )
    with Served(home, tmp_path) as served:
        assert served.get("/api/state").status == 401
        assert served.sign_in().get("/api/state").status == 200


def test_who_does_not_finish_a_request_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Half a head, half of a second head, half a body, and nothing at all: closed, while a
    WebSocket and an answer that takes long stay."""
    import uvicorn

    from ui.web import guard
    from ui.web.access import Access, Place

    monkeypatch.setattr(guard, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.3)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    heard = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive()).get("more_body"):
            pass
        heard.append(message["type"])
        if scope["path"] == "/slow":
            await asyncio.sleep(0.8)
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
        )
        await send({"type": "http.response.body", "body": b"ok"})

    place = Place(f"127.0.0.1:{port}", frozenset({f"127.0.0.1:{port}"}), port)
    guarded = guard.Guard(app, Access(tmp_path), place)
    settings = uvicorn.Config(
        guarded,
        http=guard.InTime,
        log_config=None,
        lifespan="off",
        ws="none",
        timeout_keep_alive=1,
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    own = f"Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nX-Sopwith: 1\r\nContent-Type: application/json\r\n"
    try:
        for said, answers in (
            ("", 0),
            ("GET / HTTP/1.1\r\nHost: x\r\n", 0),
            (f"GET / HTTP/1.1\r\n{own}\r\nGET / HT", 1),
            (f"POST /api/sign-in HTTP/1.1\r\n{own}Content-Length: 9\r\n\r\nhalf", 1),
            (f"GET /slow HTTP/1.1\r\n{own}Connection: close\r\n\r\n", 1),
        ):
            with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
                connection.sendall(said.encode())
                got = b""
                while piece := connection.recv(65_536):
                    got += piece
            assert got.count(b"HTTP/1.1 200") == answers, (said, got)
        assert heard == ["http.request", "http.disconnect", "http.request"]
    finally:
        server.should_exit = True
        thread.join(PATIENCE_SECONDS)
