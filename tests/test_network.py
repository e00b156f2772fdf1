"""Holds the way out of a cell: named hosts alone, judged addresses, every odd request answered;
over real sockets."""

import ipaddress
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from safety.reach import Address, Reach
from sandbox.network import Leave, read
from sandbox.network.egress import Egress
from sandbox.network.journal import Journal
from sandbox.network.spelling import BadHost, host_of
from tests.machine import PATIENCE_SECONDS
from tests.rows import cases, rows
from tests.site import Asked, Page, site

LOOPBACK = ipaddress.ip_address("127.0.0.1")


@pytest.fixture(name="site")
def _site() -> Iterator[int]:
    """Yield the port of a host of "the internet" that says what it was asked."""

    def answer(asked: Asked) -> Page:
        heads = asked.headers
        return Page(f"{heads['Host']} {asked.path} {heads.get('Proxy-Authorization')}")

    with site(answer, "HTTP/1.1") as port:
        yield port


class Proxy:
    """An egress on a socket of this machine; each host but `private.example` is 127.0.0.1."""

    def __init__(self, folder: Path, hosts: Sequence[str]) -> None:
        self.folder, self.asked = folder, list[str]()
        self._egress = Egress(Journal(folder), self._find)
        self._leave = Leave(frozenset(hosts))
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _find(self, host: str, port: int) -> Sequence[Address]:
        self.asked.append(host)
        if host == "missing.example":
            raise socket.gaierror(-2, "Name or service not known")
        return Reach().find("10.0.0.1", port) if host == "private.example" else [LOOPBACK]

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._served, args=(client,), daemon=True).start()

    def _served(self, client: socket.socket) -> None:
        with client:
            self._egress.serve(client, self._leave.why_not)

    def say(self, sent: bytes, *, ends: bool = False) -> bytes:
        """All that comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), 20) as way:
            with suppress(OSError):
                way.sendall(sent)
                if ends:
                    way.shutdown(socket.SHUT_WR)
            found = b""
            with suppress(ConnectionResetError):
                while data := way.recv(65_536):
                    found += data
            return found

    def rows(self, count: int) -> list[dict[str, object]]:
        """Return the lines of the journal, once there are `count` that are at their end."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            rows = list(read(self.folder))
            if len([row for row in rows if row["state"] != "open"]) >= count:
                return rows
            time.sleep(0.01)
        raise AssertionError(f"{count} lines wanted, there are {list(read(self.folder))}")

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    made = Proxy(tmp_path, ["good.example", "*.wild.example", "private.example", "missing.example"])
    yield made
    made.close()


SPELLINGS = dict(rows(__name__, "spellings"))


@pytest.mark.parametrize(("text", "host"), SPELLINGS.items())
def test_a_host_has_one_spelling(text: str, host: str) -> None:
    assert host_of(text) == host


@pytest.mark.parametrize("text", ["", ".", "a..b", "ex%61mple.org", "a b", "a/b", "a@b", "a\\b", "a\0b", "[fe80::1%eth0]", "999.1.1.1.1", "1.2.3.999", "-x.org", "a" * 64 + ".org", "x." * 130 + "org", "[::1", "exämple\u202e.org"])  # fmt: skip
def test_a_host_without_a_clear_spelling_is_refused(text: str) -> None:
    with pytest.raises(BadHost):
        host_of(text)


def test_a_plain_request_reaches_a_named_host_as_that_host_alone(proxy: Proxy, site: int) -> None:
    head = f"GET http://good.example:{site}/a?b HTTP/1.1\r\nHost: other.example\r\n"
    answer = proxy.say(head.encode() + b"Proxy-Authorization: secret\r\n\r\n")
    assert answer.endswith(f"good.example:{site} /a?b None".encode())
    (row,) = proxy.rows(1)
    assert (row["host"], row["port"], row["address"]) == ("good.example", site, "127.0.0.1")
    assert (row["state"], int(str(row["up"])) > 40, int(str(row["down"])) > 40) == (
        "closed",
        True,
        True,
    )


@pytest.mark.parametrize("host", ["good.example", "GOOD.example.", "a.wild.example"])
def test_a_tunnel_leads_to_a_named_host_in_any_spelling(proxy: Proxy, site: int, host: str) -> None:
    request = b"GET /t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = proxy.say(f"CONNECT {host}:{site} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() + request)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"x /t None")


@cases
def test_what_nobody_has_named_is_refused_in_a_sentence(proxy: Proxy, what: str, sent: str) -> None:
    answer = proxy.say(sent.encode("latin-1"))
    assert answer.startswith(b"HTTP/1.1 403 Forbidden: Sopwith: ")
    (row,) = proxy.rows(1)
    assert (row["state"], bool(row["why"])) == ("refused", True)
    assert proxy.asked in ([], ["private.example"])  # a look-up would tell the name to a server


def test_a_name_is_looked_up_once(proxy: Proxy, site: int) -> None:
    proxy.say(f"GET http://good.example:{site}/ HTTP/1.1\r\n\r\n".encode())
    assert proxy.asked == ["good.example"]


@cases
def test_an_odd_request_gets_an_answer(proxy: Proxy, what: str, sent: str, code: str) -> None:
    answer = proxy.say(sent.encode("latin-1"), ends=True)
    assert answer.startswith(f"HTTP/1.1 {code}".encode() if sent else b"")


def test_much_is_carried_unchanged_both_ways(proxy: Proxy) -> None:
    data = os.urandom(1 << 20) * 8
    with socket.create_server(("127.0.0.1", 0)) as server:

        def echo() -> None:
            there, _ = server.accept()
            with there:
                while piece := there.recv(65_536):
                    there.sendall(piece)

        threading.Thread(target=echo, daemon=True).start()
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", proxy.port), 20) as way:
            way.sendall(f"CONNECT good.example:{port} HTTP/1.1\r\n\r\n".encode())
            assert way.recv(39) == b"HTTP/1.1 200 Connection established\r\n\r\n"

            def send() -> None:
                way.sendall(data)
                way.shutdown(socket.SHUT_WR)

            threading.Thread(target=send, daemon=True).start()
            with way.makefile("rb") as found:
                assert found.read() == data
    assert (proxy.rows(1)[0]["up"], proxy.rows(1)[0]["down"]) == (len(data), len(data))


class Upstream:
    """The proxy of an office: it alone finds `missing.example`."""

    def __init__(self, site: int) -> None:
        self.heads: list[bytes] = []
        self._site = site
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with self._listening:
            client, _ = self._listening.accept()
        with client, socket.create_connection(("127.0.0.1", self._site)) as server:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += client.recv(1)
            self.heads.append(head)
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            server.sendall(client.recv(65_536))
            with server.makefile("rb") as answer:
                while line := answer.readline().strip():
                    client.sendall(line + b"\r\n")
                client.sendall(b"\r\n" + answer.read(len("missing.example /x None")))


def test_the_proxy_of_the_owners_network_is_used(
    proxy: Proxy, site: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = Upstream(site)
    for name in ("NO_PROXY", "no_proxy", "https_proxy", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:p%40ss@127.0.0.1:{office.port}")
    request = b"CONNECT missing.example:443 HTTP/1.1\r\n\r\n"
    said = proxy.say(request + b"GET /x HTTP/1.1\r\nHost: missing.example\r\n\r\n", ends=True)
    assert b"missing.example /x" in said, said
    assert office.heads[0].startswith(b"CONNECT missing.example:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in office.heads[0]
    assert b"not a host" in proxy.say(b"CONNECT other.example:443 HTTP/1.1\r\n\r\n")


def test_socks_leads_to_a_named_host(proxy: Proxy, site: int) -> None:
    name = b"good.example"
    ask = b"\x05\x01\x00\x05\x01\x00\x03" + bytes([len(name)]) + name + site.to_bytes(2, "big")
    answer = proxy.say(ask + b"GET /s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert answer[:4] == b"\x05\x00\x05\x00"
    assert answer.endswith(b"x /s None")


@cases
def test_odd_socks_opens_nothing(proxy: Proxy, what: str, sent: str) -> None:
    assert b"\x05\x00\x05\x00" not in proxy.say(sent.encode("latin-1"), ends=True)
    assert proxy.asked == []
