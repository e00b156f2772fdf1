"""The tool that reads the web without a browser: one address, as Markdown or as a file in the run's
folder.

To fetch an address is to tell it something: the gate asks about one that the request does not name
(safety/calls/foreign.py). What may be reached is decided where the connection is made
(tools/web/ssrf_session.py, safety/reach/addresses.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from config import Message, cause
from models.base import ToolResult
from safety.reach import PrivateAddress, Reach
from tools.base import ToolContext, ToolError, tool
from tools.web.readable import NO_EXTRA, readable

if TYPE_CHECKING:
    import requests

SHOWN = 16_000  # characters of a page that the model reads at once; the whole is in a file
MAX_TEXT_BYTES = 10_000_000  # of what is made readable
MAX_BYTES = 100_000_000  # of what is kept as a file
MAX_REDIRECTS = 10
MAX_URL_CHARS = 4_000
_HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; Sopwith/0.1)",
    "Accept": "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}
_NAMED_FILE = re.compile(
    r"""filename\*?\s*=\s*(?:[\w-]*'[\w-]*')?"?([^";]{1,255})""", re.IGNORECASE
)


def problem() -> str:
    """Return what is missing for this family on this machine, or ""."""
    from importlib.util import find_spec

    return "" if find_spec("html_to_markdown") else Message(NO_EXTRA)


@tool("network")
def web_fetch(ctx: ToolContext, url: str) -> ToolResult:
    """Get a web page as Markdown, or a file."""
    import requests

    from tools.web.ssrf_session import PinnedSession

    address = checked(ctx.resolved(url))
    seconds = ctx.seconds()
    reach = Reach(ctx.config.safety.private_hosts if ctx.config else ())
    with PinnedSession(reach, seconds) as session:
        session.max_redirects = MAX_REDIRECTS
        try:
            with session.get(address, headers=_HEADERS, stream=True, timeout=seconds) as response:
                data, is_cut = _body(response)
                if session.is_cut:  # what ends there looks whole
                    raise TimeoutError
                return _result(ctx, response, data, is_cut)
        except PrivateAddress as error:
            return ToolResult("refused", str(error))
        except requests.TooManyRedirects:
            raise ToolError(
                "error.web.more-than-redirects-one", url=url, count=MAX_REDIRECTS
            ) from None
        except (requests.RequestException, ValueError, OSError) as error:
            if session.is_cut:
                return ToolResult(
                    "timeout", Message("error.web.late", url=url, seconds=f"{seconds:.0f}")
                )
            raise ToolError("error.tools.at", name=url, error=_why(error)) from error


def checked(url: str) -> str:
    """Return the address as it is asked: with its scheme, without its fragment. Raises ToolError
    for what is read in two ways."""
    text = url.strip()
    if not re.match(r"[a-z][a-z0-9+.-]*://", text, re.IGNORECASE):
        text = f"https://{text}"
    if len(text) > MAX_URL_CHARS or re.search(r"[\s\\\x00-\x1f\x7f]", text):
        raise ToolError(
            "error.web.address-blanks-backslashes-most",
            url=f"{url[:200]!r}",
            count=f"{MAX_URL_CHARS:,}",
        )
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise ToolError("error.web.address", url=f"{url[:200]!r}", error=error) from error
    if parts.scheme.lower() not in ("http", "https") or not has_host:
        raise ToolError("error.web.only-http-https-addresses", url=f"{url[:200]!r}")
    if "@" in parts.netloc:
        raise ToolError("error.web.address-name-password-fetched")
    return text.partition("#")[0]


def _body(response: requests.Response) -> tuple[bytes, bool]:
    """Return what the server sends, unpacked, as far as it is of use; and True when that is not all
    of it."""
    is_text = response.headers.get("Content-Type", "").startswith("text/")
    most = MAX_TEXT_BYTES if is_text else MAX_BYTES
    data = bytearray()
    for piece in response.iter_content(65_536):
        data += piece
        if len(data) > most:
            return bytes(data[:most]), True
    return bytes(data), False


def _result(ctx: ToolContext, response: requests.Response, data: bytes, is_cut: bool) -> ToolResult:
    kind, _, more = response.headers.get("Content-Type", "").partition(";")
    kind = kind.strip().lower()
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", more, re.IGNORECASE)
    found = readable(data, kind, charset[1] if charset else "", response.url)
    about: dict[str, Any] = {"url": response.url, "title": found.title}
    if is_cut:
        about["note"] = f"only the first {len(data):,} bytes"
    if not response.ok:
        said = ctx.redact(found.text or "")[:2_000]
        output = f"{response.status_code} {response.reason}\n{said}".rstrip()
        return ToolResult("error", {"output": output, **about})
    if found.text is None:
        file = _kept(ctx, _name(response), data)
        output = f"{kind or 'a file'}, {len(data):,} bytes: not text. It is in {file}"
        images = [str(file)] if kind in _SHOWN_IMAGES else []
        return ToolResult("ok", {"output": output, **about, "file": str(file)}, images=images)
    return ToolResult("ok", about | _shown(ctx, response, ctx.redact(found.text)))


def _shown(ctx: ToolContext, response: requests.Response, text: str) -> dict[str, Any]:
    """Return a page as the model reads it; of a long one the beginning, and the file with the
    whole."""
    if len(text) <= SHOWN:
        return {"output": text or "(the page has no text; it may need a browser)"}
    file = _kept(ctx, f"{Path(_name(response)).stem}.md", text.encode("utf-8", "replace"))
    head = text[: text.rfind("\n", SHOWN // 2, SHOWN) + 1 or SHOWN]
    line = head.count("\n") + 1
    rest = f"[… {len(text) - len(head):,} characters more, from line {line} of the file …]"
    return {"output": head + rest, "file": str(file), "lines": text.count("\n") + 1}


_SHOWN_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def _name(response: requests.Response) -> str:
    """Return a plain name for what was fetched: as the server calls it, else as its address
    ends."""
    said = _NAMED_FILE.search(response.headers.get("Content-Disposition", ""))
    parts = urlsplit(response.url)
    last = parts.path.rstrip("/").rpartition("/")[2]
    text = unquote(said[1] if said else last or parts.hostname or "page")
    name = text.replace("\\", "/").rpartition("/")[2]
    return re.sub(r"[^\w.-]+", "-", name).strip(".-")[-80:] or "page"


def _kept(ctx: ToolContext, name: str, data: bytes) -> Path:
    from memory.files import write_atomic

    file = ctx.new_file("fetched", name)
    write_atomic(file, data, 0o600)
    return file


def _why(error: Exception) -> str:
    """Return what a failure of the network was, in a few words: libraries wrap it several times."""
    import socket
    import ssl

    import requests
    from urllib3.exceptions import NameResolutionError

    seen = list(_wrapped(error))
    if any(isinstance(each, (socket.gaierror, NameResolutionError)) for each in seen):
        return Message("error.web.no-host")
    for each in seen:
        if isinstance(each, ssl.SSLError):
            return Message("error.web.tls", text=getattr(each, "verify_message", "") or each.reason)
    if isinstance(error, requests.Timeout):
        return Message("error.web.silent")
    last = seen[-1]
    if isinstance(last, OSError) and last.strerror:
        return cause(last)
    return str(last)[:300] or type(seen[-1]).__name__


def _wrapped(error: BaseException) -> Iterator[BaseException]:
    """Give an error and those in it, the innermost last."""
    seen: list[BaseException] = []
    while error not in seen:
        seen.append(error)
        yield error
        inside = (getattr(error, "reason", None), *error.args[:1])
        causes = (*inside, error.__cause__, error.__context__)
        error = next((each for each in causes if isinstance(each, BaseException)), error)
