"""The page against whoever else is on this machine and in this browser: one row a probe."""

from __future__ import annotations

import json
import re
import socket
import stat
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.rows import cases, rows
from tests.serving import Served, made_home

SECRET = "sk-live-51Habcdefghijklmnop"
SCRIPTS = {"hello": ["hello"]}
SETTINGS = f"embeddings: {{model: m, base_url: 'http://127.0.0.1:9/v1', api_key: {SECRET}}}"


def told(site: Served, **headers: Any) -> dict[str, Any]:
    """Return the headers of the page, with some changed; None leaves one out."""
    given = {**site.browser(), **{name.replace("_", "-"): value for name, value in headers.items()}}
    return {name: value for name, value in given.items() if value is not None}


def status(site: Served, path: str, **headers: Any) -> int:
    return site.ask("GET", path, headers=told(site, **headers)).status


@pytest.mark.parametrize("probe", rows(__name__, "probes"), ids=lambda probe: str(probe["what"]))
def test_a_request_is_answered_by_whose_it_is(site: Served, probe: dict[str, Any]) -> None:
    """Other names that lead here (DNS rebinding), hostile pages in the same browser, forms,
    sockets, nobody's cookie."""
    for (method, path), changed in product(probe["asks"], probe["headers"]):
        headers = {name: value and value.format(port=site.port) for name, value in changed.items()}
        answer = site.ask(method, path, probe.get("body", "").encode(), told(site, **headers))
        assert answer.status in probe["status"], (method, path, changed, answer)
        if kind := probe.get("kind"):
            assert answer.json["error"]["kind"] == kind, (method, path, changed)
        if answer.status == 401:
            assert answer.json["needs"] == "token"
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert site.get("/api/state").json["changes"] is True


def test_two_hosts_are_refused(site: Served) -> None:
    request = f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nHost: evil.example\r\nCookie: {site.cookie}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", site.port)) as connection:
        connection.sendall(request.encode())
        assert connection.recv(12)[9:] in (b"400", b"403")


def test_our_own_socket_opens(site: Served) -> None:
    with site.tab() as tab:
        assert tab.hello["caught_up"] is False


# No change in a browser that only reads.


def test_the_token_is_no_cookie_and_the_cookie_no_token(site: Served) -> None:
    value = site.cookie.partition("=")[2]
    assert status(site, "/api/runs", Cookie=f"sopwith_{site.port}={site.token}") == 401
    assert status(site, "/api/runs", Cookie=None, Authorization=f"Bearer {value}") == 401
    assert status(site, f"/api/runs?token={site.token}", Cookie=None) == 401


@pytest.mark.parametrize(("method", "path", "body"), rows(__name__, "changes"))
def test_a_browser_only_reads_until_changes_are_on(
    site: Served, method: str, path: str, body: Any
) -> None:
    site.post("/api/changes", {"on": False})
    try:
        answer = site.post(path, body, method)
        assert (answer.status, answer.json["error"]["kind"]) == (403, "read_only")
    finally:
        site.post("/api/changes", {"on": True})


def test_changes_are_on_in_one_browser_alone(site: Served) -> None:
    other = Served(site.home, site.cwd, address=site.address, token=site.token).sign_in(
        changes=False
    )
    assert site.get("/api/state").json["changes"] is True
    assert other.get("/api/state").json["changes"] is False
    assert other.post("/api/memory/note", {"text": "x"}).status == 403


def test_wrong_tokens_are_counted(tmp_path: Path) -> None:
    home = made_home(tmp_path / "other", [])
    with Served(home, tmp_path) as served:
        tried = [served.post("/api/sign-in", {"token": "x" * number}).status for number in range(7)]
        assert tried == [401] * 5 + [429] * 2
        assert served.post("/api/sign-in", {"token": served.token}).status == 429


# Headers that every answer carries.


@pytest.mark.parametrize("path", ["/", "/api/state", "/api/nix", "/assets/index.html", "/nix.js"])
def test_every_answer_keeps_itself_in_its_place(site: Served, path: str) -> None:
    headers = site.get(path).headers
    policy = dict(
        part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";")
    )
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert "unsafe" not in policy["script-src"]
    assert "*" not in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cache-control"] in ("no-store", "no-cache")
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


def test_data_is_kept_by_no_cache(site: Served) -> None:
    for path in ("/api/state", "/api/runs", "/", "/api/openapi.json"):
        assert site.get(path).headers["cache-control"] == "no-store"


def test_files_of_the_page_are_asked_for_once_under_an_address_of_their_version(
    site: Served,
) -> None:
    shell = site.get("/").body.decode()
    files = re.findall(r'(?:src|href)="(/assets/[^"]+)"', shell)
    assert len(files) > 40
    for path in files:
        answer = site.get(path)
        assert answer.status == 200, path
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    version = files[0].split("/")[2]
    assert site.get(f"/assets/{version}/nix.js").headers["cache-control"] == "no-cache"


def test_the_cookie_is_for_this_page_alone(site: Served) -> None:
    given = site.post("/api/sign-in", {"token": site.token}).headers["set-cookie"].lower()
    assert "httponly" in given
    assert "samesite=strict" in given
    assert "path=/" in given
    assert "domain" not in given
    assert site.token.lower() not in given


def test_what_lies_on_the_disk_lets_nobody_in(site: Served) -> None:
    file = site.home / "web" / "access.json"
    kept = file.read_text()
    assert site.token not in kept
    assert site.cookie.partition("=")[2] not in kept
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for name in json.loads(kept):
        assert status(site, "/api/runs", Cookie=f"sopwith_{site.port}={name}") == 401


# Paths: nothing but the page's own files.


@cases
def test_no_path_leads_out_of_the_page(site: Served, path: str) -> None:
    answer = site.ask("GET", path, headers=told(site))
    assert b"import" not in answer.body or b"<!doctype" in answer.body.lower()
    assert b"root:" not in answer.body
    assert answer.status in (200, 400, 404)


def test_no_path_leads_out_of_a_run(site: Served) -> None:
    run = site.begin("hello there")
    site.ended(run)
    for path in (
        "log.jsonl",
        "../../config.yaml",
        "..%2f..%2fconfig.yaml",
        "lock",
        "%2fetc%2fpasswd",
        "files/%00",
        "page.json",
    ):
        assert site.get(f"/api/runs/{run}/files/{path}").status in (400, 404), path


def test_nothing_that_is_shown_names_a_secret_or_a_place(site: Served) -> None:
    with site.tab() as tab:
        run = site.post(
            "/api/chat", {"text": f"my key is {SECRET}, my folder is {site.home}"}
        ).json["run"]
        tab.until("run_ended", run=run)
        site.ended(run)
        shown = json.dumps(tab.told)
    for path in (
        f"/api/runs/{run}",
        "/api/runs",
        "/api/doctor",
        "/api/state",
        f"/api/runs/{run}/sent?turn=1",
    ):
        shown += site.get(path).body.decode()
    assert "my key is" in shown
    assert SECRET not in shown
    assert str(site.home) not in shown
    assert site.token not in shown


def test_an_attached_page_never_becomes_one(site: Served) -> None:
    """HTML and SVG come back as text: what a run has fetched must not run here."""
    page = b"<html><script>alert(1)</script></html>"
    headers = {**told(site), "Content-Type": "application/octet-stream"}
    names = ("a.html", "a.svg", "../../b.html", "a.xhtml")
    ids = [
        site.ask("POST", f"/api/uploads?name={name}", page, headers).json["id"] for name in names
    ]
    run = site.begin("look", files=ids)
    site.ended(run)
    files = site.get(f"/api/runs/{run}").json["files"]
    assert len(files) == len(names)
    for file in files:
        answer = site.get(f"/api/runs/{run}/files/{file['path']}")
        assert answer.body == page
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert "sandbox" in answer.headers["content-security-policy"]


def test_a_browser_that_signs_out_sees_nothing_more(site: Served) -> None:
    other = Served(site.home, site.cwd, address=site.address, token=site.token).sign_in()
    with other.tab() as tab:
        assert other.post("/api/sign-out").status == 204
        with pytest.raises(ConnectionClosed):
            tab.until("never")
    assert other.get("/api/state").status == 401


def test_a_program_that_only_reads_cannot_change_that(site: Served) -> None:
    token = site.post("/api/tokens", {"name": "p", "changes": False}).json["token"]
    bearer = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    assert site.ask("GET", "/api/runs", headers=bearer).status == 200
    for path, body in (
        ("/api/changes", b'{"on": true}'),
        ("/api/memory/undo", b"{}"),
        ("/api/tokens", b'{"changes": true}'),
    ):
        assert site.ask("POST", path, body, bearer).status == 403
