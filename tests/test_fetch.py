"""web_fetch: pages become Markdown, files stay files, and nothing private is reached, however it is
spelled or redirected."""

import http.server
import io
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import pytest

from config import Config, SafetyConfig
from models.base import ToolResult
from safety.reach import Reach
from tests.driving import agent, call, drive
from tools.base import ToolContext, ToolError
from tools.web import fetch

pytest.importorskip(
    "html_to_markdown", reason="the extra fetch is not installed: scripts/setup --extra fetch"
)
LOOK_UP = socket.getaddrinfo  # without the tests' guard


class Site:
    """A server on loopback: `site["/path"] = (headers, body)` or a function of the request."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.pages: dict[str, Any] = {}
        self.hits: list[str] = []
        self.heads: list[dict[str, str]] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.hits.append(self.path)
                site.heads.append(dict(self.headers))
                found = site.pages.get(self.path.partition("?")[0], (404, {}, b"not here"))
                if callable(found):
                    found(self)
                    return
                status, headers, body = found
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None: ...

        class Server(http.server.ThreadingHTTPServer):
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

            def handle_error(self, *_: Any) -> None: ...

        self.server = Server((host, 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://{host}:{self.port}"

    def page(self, path: str, body: bytes | str, kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str) -> str:  # fmt: skip
        data = body.encode() if isinstance(body, str) else body
        self.pages[path] = (
            status,
            {"Content-Type": kind} | {k.replace("_", "-"): v for k, v in headers.items()},
            data,
        )
        return self.url + path

    @contextmanager
    def running(self) -> Iterator[Self]:
        thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.server.shutdown()
            self.server.server_close()
            thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    with Site().running() as site:
        yield site


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return context(tmp_path, "127.0.0.1")


def context(folder: Path, *hosts: str, seconds: float = 20.0) -> ToolContext:
    config = Config(safety=SafetyConfig(private_hosts=hosts), home=folder, lang="en")
    return ToolContext(folder, folder, folder, call="c1", tool_seconds=seconds, config=config)


def get(ctx: ToolContext, url: str) -> ToolResult:
    result = fetch.web_fetch.run(ctx, url)
    assert isinstance(result, ToolResult)
    return result


def test_a_long_page_is_cut_and_lies_whole_in_a_file(site: Site, ctx: ToolContext) -> None:
    url = site.page(
        "/long.html", "<h1>Long</h1>" + "".join(f"<p>line {n}</p>" for n in range(5000))
    )
    first, second = get(ctx, url).data, get(ctx, url).data
    assert len(first["output"]) < fetch.SHOWN + 100 and "characters more" in first["output"]
    whole = Path(first["file"]).read_text("utf-8")
    assert "line 4999" in whole and Path(first["file"]).parent == ctx.folder / "fetched"
    assert whole.startswith(first["output"].partition("[…")[0])
    assert Path(second["file"]).name == "long-2.md"


def pdf(text: str) -> bytes:
    stream = f"BT /F1 24 Tf 10 100 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = io.BytesIO(b"%PDF-1.4\n"), []
    out.seek(0, 2)
    for number, each in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, each))
    start = out.tell()
    out.write(
        b"xref\n0 6\n0000000000 65535 f \n"
        + b"".join(b"%010d 00000 n \n" % place for place in places)
    )
    out.write(b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % start)
    return out.getvalue()


def test_a_pdf_is_read_page_by_page(site: Site, ctx: ToolContext) -> None:
    url = site.page("/paper.pdf", pdf("Rent is due on the first"), "application/pdf")
    assert get(ctx, url).data["output"] == "## Page 1\n\nRent is due on the first"
    broken = get(ctx, site.page("/bad.pdf", b"%PDF-1.4\n" + bytes(500), "application/pdf"))
    assert broken.status == "ok" and Path(broken.data["file"]).exists()


def test_a_redirect_is_followed_and_the_last_address_said(site: Site, ctx: ToolContext) -> None:
    site.page("/b", "here", "text/plain")
    url = site.page("/a", "", status=302, Location="/b?x=1")
    assert get(ctx, url).data["url"] == f"{site.url}/b?x=1"
    with pytest.raises(ToolError, match="more than 10 redirects"):
        get(ctx, site.page("/loop", "", status=307, Location="/loop"))
    for place in ("file:///etc/passwd", "gopher://127.0.0.1/", "http://"):
        with pytest.raises(ToolError):
            get(ctx, site.page("/odd", "", status=302, Location=place))


@contextmanager
def two_sites() -> Iterator[tuple[Site, Site]]:
    with ExitStack() as stack:
        yield (
            stack.enter_context(Site("127.0.0.2").running()),
            stack.enter_context(Site("127.0.0.1").running()),
        )


def test_a_redirect_to_a_private_address_is_refused(tmp_path: Path) -> None:
    with two_sites() as (public, private):
        url = public.page("/", "", status=302, Location=private.page("/secret", "keys"))
        result = get(context(tmp_path, "127.0.0.2"), url)
    assert (
        result.status == "refused"
        and "127.0.0.1, which is not on the public internet" in result.data
    )
    assert not private.hits and public.hits == ["/"]


def test_a_host_that_leads_elsewhere_on_second_look_is_not_looked_at_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def changing(host: str, port: int, *args: Any, **kwargs: Any) -> Any:
        looks.append(host)
        return LOOK_UP("127.0.0.2" if len(looks) % 2 else "127.0.0.1", port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", changing)
    with two_sites() as (public, private):
        url = public.page("/", "news", "text/plain").replace("127.0.0.2", "rebind.example")
        ctx = context(tmp_path, "127.0.0.2")
        assert get(ctx, url).data["output"] == "news"
        assert looks == ["rebind.example"]
        refused = get(ctx, url)
    assert not private.hits
    assert refused.status == "refused" and "rebind.example leads to 127.0.0.1" in refused.data


_ROWS = (
    "127.0.0.1 127.1 127.0.1 127.000.000.001 0177.0.0.1 0177.1 017700000001 0x7f.0.0.1 0x7f.1 0x7f000001 0X7F000001 2130706433",
    "0x7f.0x0.0x0.0x1 0177.0x0.0.01 127.0.0.1. 127.255.255.254 0 0.0.0.0 00000000 0x0 localhost localhost. LOCALHOST LocalHost",
    "10.0.0.1 10.1 167772161 0xa000001 012.0.0.1 172.16.0.1 172.31.255.255 2886729729 192.168.1.1 192.168.257 3232235777 0xc0a80101 0300.0250.1.1",
    "169.254.169.254 169.254.43518 2852039166 0xa9fea9fe 0251.0376.0251.0376 100.64.0.1 100.127.255.255 192.0.0.8 198.18.0.1 203.0.113.5 240.0.0.1 255.255.255.255 224.0.0.1",
    "[::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b:1::1]",
    "[2002:7f00:1::] [2001:0:7f00:1::] [2001:db8::1] [fc00::1] [fd12:3456::1] [fe80::1] [fec0::1] [ff02::1] [3fff::1] [5f00::1] [100::1]",
    "①②⑦.⓪.⓪.① １２７.0.0.1 127。0。0。1 intranet internal.example 127.0.0.1.nip.example",
)  # fmt: skip
SPELLINGS = [host for row in _ROWS for host in row.split()]
NAMES = {"localhost", "intranet", "internal.example", "127.0.0.1.nip.example"}


def look_up_here(host: str | bytes, port: int, *args: Any, **kwargs: Any) -> Any:
    """Spellings of numbers as the system reads them, private names as a server of names may say
    them; nobody is asked."""
    name = host.decode() if isinstance(host, bytes) else host
    if name.lower().rstrip(".") in NAMES:
        name = "127.0.0.1"
    return LOOK_UP(name, port, *args, **{**kwargs, "flags": socket.AI_NUMERICHOST})


@pytest.mark.parametrize("host", SPELLINGS)
def test_no_spelling_of_a_private_address_is_reached(
    host: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection was made"))
    for scheme in ("http", "https"):
        with suppress(ToolError):  # what is no address at all
            assert get(context(tmp_path), f"{scheme}://{host}:{site.port}/").status == "refused"
    assert not site.hits


def test_the_owner_may_name_hosts_ports_and_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)
    for named, host, port, holds in (
        ("intranet", "Intranet.", 80, True),
        ("intranet:8080", "intranet", 80, False),
        ("127.0.0.1:80", "0x7f.1", 80, True),
        ("10.0.0.0/8", "10.1.2.3", 80, True),
        ("10.0.0.0/8", "192.168.1.1", 80, False),
        ("[fd00::1]:443", "fd00::1", 443, True),
        ("fd00::/8", "fd00::2", 80, True),
        ("127.0.0.1", "::ffff:127.0.0.1", 80, True),
        ("", "127.0.0.1", 80, False),
    ):
        reach = Reach((named,))
        if holds:
            assert reach.find(host, port)
        else:
            with pytest.raises(Exception, match="not on the public internet"):
                reach.find(host, port)


def test_tls_proves_the_name_and_not_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust = pytest.importorskip("cryptography", reason="the extra mcp is not installed: scripts/setup --extra mcp") and certificate(tmp_path)  # fmt: skip
    names: list[str] = []
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(trust)
    tls.sni_callback = lambda _, name, __: names.append(name)
    shop = Site()
    shop.server.socket = tls.wrap_socket(shop.server.socket, server_side=True)
    shop.page("/", "safe", "text/plain")
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *args, **kwargs: LOOK_UP("127.0.0.1", *args, **kwargs)
    )
    ctx = context(tmp_path, "shop.example", "other.example")
    with shop.running():
        with pytest.raises(ToolError, match="certificate does not hold"):
            get(ctx, f"https://shop.example:{shop.port}/")
        monkeypatch.setenv("SSL_CERT_FILE", str(trust))
        assert get(ctx, f"https://shop.example:{shop.port}/").data["output"] == "safe"
        with pytest.raises(ToolError, match=r"certificate does not hold.*other\.example"):
            get(ctx, f"https://other.example:{shop.port}/")
    assert names == ["shop.example", "shop.example", "other.example"]
    assert shop.heads[0]["Host"] == f"shop.example:{shop.port}"


def certificate(folder: Path) -> Path:
    """Return a certificate of shop.example's own, with its key."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "shop.example")])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("shop.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "shop.pem").write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return folder / "shop.pem"


def test_a_run_marks_what_it_read_and_asks_about_addresses_that_nobody_named(
    home: Path, site: Site
) -> None:
    named, other = site.page("/news", "<p>News</p>"), site.page("/tell", "<p>ok</p>")
    replies = [call("web_fetch", url=named), call("web_fetch", url=f"{other}?data=1"), "done"]
    started = agent(home, replies, 'safety: {private_hosts: ["127.0.0.1"]}')
    from handler import Approval
    from runs.assemble import Options
    from tests.driving import SpokenOwner

    owner = SpokenOwner(approvals=[Approval("no")])
    events = drive(started.start(f"what is on {named}", Options(rote=False), owner))
    ended = [event for event in events if event["type"] == "tool_ended"]
    assert (
        ended[0]["status"] == "ok"
        and ended[0]["origin"] == "web"
        and "News" in ended[0]["data"]["output"]
    )
    assert ended[1]["status"] == "refused" and site.hits == ["/news"]
    assert owner.shown[0].risk == "send"
    assert [event["families"] for event in events if event["type"] == "run_started"] == [["fetch"]]


ENCODED = {
    "header": ("text/html; charset=GB2312", "中文，你好。镕".encode("gb18030")),
    "meta": ("text/html", b'<html><meta charset="big5"><p>' + "中文，你好。".encode("big5")),
    "mark": ("text/plain", "中文，你好。".encode("utf-16")),
    "none": ("text/plain", "中文，你好。".encode()),
    "guessed": ("text/plain", "中文，你好。".encode("gbk")),
    "wrong": ("text/plain; charset=utf-8", "中文，你好。".encode() + b"\xff"),
    "undefined": ("text/plain; charset=undefined", "中文，你好。".encode("gbk")),
    "unknown": ("text/plain; charset=klingon", "中文，你好。".encode()),
}


@pytest.mark.parametrize("case", ENCODED)
def test_every_encoding_is_read(case: str, site: Site, ctx: ToolContext) -> None:
    kind, body = ENCODED[case]
    assert "中文，你好。" in get(ctx, site.page("/", body, kind)).data["output"]
