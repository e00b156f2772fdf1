"""A small web site on loopback, with what real ones have: forms, frames, shadow roots, toasts,
dialogs, files, a login."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs

from tests.site import Asked, Page
from tests.site import site as serving

PAGES = Path(__file__).with_name("browser_pages")
ITEMS = "".join(f"<li>Item {number} <button>Remove</button></li>" for number in range(200))


def page(path: str) -> str | None:
    """Return the file of tests/browser_pages for a path."""
    file = PAGES / f"{path.strip('/') or 'index'}.html"
    return file.read_text("utf-8").replace("{ITEMS}", ITEMS) if file.exists() else None


XHTML = b"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>X</title></head><body><h1>Strict</h1><button>Old</button></body></html>"
OTHERS = {  # what is no HTML
    "/report.csv": Page("a,b\n1,2\n", "text/csv", headers={"Content-Disposition": 'attachment; filename="../re port.csv"'}),
    "/xhtml": Page(XHTML, "application/xhtml+xml"),
    "/data.json": Page('{"answer": 42}', "application/json"),
}  # fmt: skip


def answer(asked: Asked) -> Page:
    """Answer from PAGES and OTHERS; the others here."""
    path = asked.path.split("?")[0]
    if asked.method == "POST":
        said = parse_qs(asked.body.decode())
        kept = {"Set-Cookie": "who=owner; Max-Age=2592000; Path=/"}
        if path == "/login":
            return Page("<title>In</title>You are in", headers=kept)
        return Page(f"<title>Sent</title><p>{sorted(said.items())}</p>")
    if path in OTHERS:
        return OTHERS[path]
    if path == "/slow":
        threading.Event().wait(0.6)
        return Page("came later", "text/plain")
    if path == "/huge":
        row = f"<div class=row><p>{'Paragraph of a page that nobody reads to its end. ' * 20}</p></div>"
        return Page("<title>Huge</title>" + row * 30_000)
    if path == "/private":
        if "who=owner" in (asked.headers["Cookie"] or ""):
            return Page("<title>Private</title>Welcome back")
        return Page("<title>Log in</title>Who are you?", status=401)
    if path == "/outer":
        port = asked.headers["Host"].rpartition(":")[2]
        inner = f'<iframe src="http://localhost:{port}/inner" title="other"></iframe>'
        return Page(f"<title>Outer</title><p>around</p>{inner}")
    found = page(path)
    return Page(found) if found else Page("<title>None</title><h1>Not here</h1>", status=404)


@contextmanager
def site() -> Iterator[str]:
    """Yield the address of a site that is there for as long as the block."""
    with serving(answer) as port:
        yield f"http://127.0.0.1:{port}"
