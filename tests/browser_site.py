"""A small web site on loopback, with what real ones have: forms, frames, shadow roots, toasts, dialogs, files, a login."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

ITEMS = "".join(f"<li>Item {number} <button>Remove</button></li>" for number in range(200))
PAGES = {
    "/": """<title>Start</title><h1>Hello 世界</h1><p>See the <a href="/two">second page</a> or <b>stay</b>.</p>
        <button onclick="document.body.append('was pressed')">Press</button> <p style="display:none">hidden words</p>
        <div style="position:absolute;left:-9999px">for readers only</div>""",
    "/two": "<title>Two</title><p>the second page</p>",
    "/list": f"<title>List</title><ul>{ITEMS}</ul><p>the end</p>",
    "/form": """<title>Form</title><form method="post" action="/sent"><label>Name <input name="name" required></label>
        <label>Password <input type="password" name="secret" value="hunter2"></label>
        <label>Born <input type="date" name="born"></label> <label>Size <input type="range" name="size" min="0" max="9" value="3"></label>
        <select name="land" aria-label="Country"><option>Austria<option selected>Germany<option>中国</select>
        <label><input type="checkbox" name="agree" value="yes"> I agree</label>
        <label><input type="radio" name="way" value="post" checked> By post</label> <label><input type="radio" name="way" value="mail"> By mail</label>
        <textarea name="note" placeholder="A note">old words</textarea>
        <div contenteditable role="textbox" aria-label="Rich">rich text</div><button disabled>Later</button><button>Send it</button></form>""",
    "/inner": """<p>inside the frame</p><button onclick="document.body.append('frame pressed')">Inner button</button>""",
    "/shadow": """<title>Shadow</title><my-card><span slot="name">Given name</span></my-card><script>
        customElements.define('my-card', class extends HTMLElement { connectedCallback() {
          const root = this.attachShadow({mode: 'open'})
          root.innerHTML = '<p>in the shadow: <slot name="name"></slot></p><button>Shadow button</button><div id="say"></div>'
          root.querySelector('button').onclick = () => { root.querySelector('#say').textContent = 'shadow pressed' } } })</script>""",
    "/toast": """<title>Toast</title><div id="t" style="display:none">Settings were kept</div><button onclick="
        const d = document.createElement('div'); d.textContent = 'Saved for good'; document.body.append(d); setTimeout(() => d.remove(), 60)">New</button>
        <button onclick="t.style.display = 'block'; setTimeout(() => t.style.display = 'none', 80)">Shown</button>
        <button onclick="fetch('/slow').then(a => a.text()).then(a => document.body.append(a))">Late</button>""",
    "/dialogs": """<title>Dialogs</title><p id="say">nothing yet</p>
        <button onclick="say.textContent = confirm('Delete all?') ? 'deleted' : 'kept'">Delete all</button>
        <button onclick="say.textContent = 'called ' + prompt('Your name?')">Name</button>
        <button onclick="alert('Just so you know'); say.textContent = 'told'">Tell</button>""",
    "/files": """<title>Files</title><a href="/report.csv" download>Report</a><a href="/report.csv">Served</a>
        <button onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['made here']));
        a.download = 'made.txt'; a.click()">Made</button><form><input type="file" id="f" aria-label="Picture" multiple
        onchange="Promise.all([...this.files].map(f => f.text())).then(t => document.body.append('got ' + t.join('+')))"></form>""",
    "/windows": """<title>Windows</title><a href="/two" target="_blank">New window</a>
        <button onclick="window.open('/two')">Opened</button><button onclick="for (let i = 0; i < 100; i++) window.open('/two?' + i)">Hundred</button>""",
    "/loop": "<title>Loop</title><p>before the loop</p><button onclick='while (true) {}'>Loop</button>",
    "/covered": """<title>Covered</title><button onclick="document.body.append('got through')">Below</button>
        <div style="position:fixed;inset:0;background:#ccc">We use cookies <button onclick="this.parentElement.remove()">Fine</button></div>""",
    "/changes": """<title>Changes</title><button onclick="done()">Next</button><script>
        function turn() { document.querySelector('button').textContent = 'Delete account' }
        function done() { document.body.append('pressed') }</script>""",
    "/odd": """<title>Odd</title><script>Array.prototype.map = null; window.Map = null; Array.prototype.toJSON = function () { const all = []; for (const each of this) all.push(JSON.stringify(each)); return '[' + all.join(', ') + ']' }</script>
        <div style="visibility:hidden">not seen <b style="visibility:visible">seen</b></div><div style="height:0;overflow:hidden">folded</div>
        <details><summary>More</summary>in the drawer</details><div style="opacity:0">clear</div><div style="cursor:pointer"
        onclick="document.body.append('card pressed')">Card <i>of words</i></div><a href="#x"><svg class="icon-trash" width="9" height="9"></svg></a>""",
    "/hears": """<title>Hears</title><p id="say"></p><div id="plain">Settings</div><ul id="rows"><li>Apple</li><li>Pear</li></ul>
        <div id="card"><h3>Card</h3><p>with words</p><i id="shut">close</i></div><div id="wrap">Words <a href="#x">a link</a></div><section id="app"><p style="height:900px">all of it</p></section>
        <x-box></x-box><table id="sums"><tr><th>Sum</th></tr><tr><td>84</td></tr></table><script>
        const on = (el, name) => el.addEventListener('click', e => { say.textContent += ' ' + name + ':' + e.target.textContent; e.stopPropagation() })
        for (const id of ['plain', 'rows', 'card', 'shut', 'wrap', 'app', 'sums']) on(document.getElementById(id), id)
        customElements.define('x-box', class extends HTMLElement { connectedCallback() {
          const root = this.attachShadow({mode: 'open'}); root.innerHTML = '<span>In a shadow</span>'; on(root.firstChild, 'shadow') } })
        document.addEventListener('click', () => {})</script>""",
    "/keeps": "<title>Keeps</title><script>localStorage.setItem('a', '1')</script><p>kept</p>",
}


XHTML = b"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>X</title></head><body><h1>Strict</h1><button>Old</button></body></html>"
OTHERS: dict[str, tuple[bytes, str, int, dict[str, str]]] = {  # what is no HTML, or no answer
    "/report.csv": (
        b"a,b\n1,2\n",
        "text/csv",
        200,
        {"Content-Disposition": 'attachment; filename="../re port.csv"'},
    ),
    "/xhtml": (XHTML, "application/xhtml+xml", 200, {}),
    "/data.json": (b'{"answer": 42}', "application/json", 200, {}),
}


class Site(BaseHTTPRequestHandler):
    """Answers from PAGES and OTHERS; the others below."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path in OTHERS:
            return self._say(*OTHERS[path])
        if path == "/slow":
            threading.Event().wait(0.6)
            return self._say(b"came later", "text/plain")
        if path == "/huge":
            row = f"<div class=row><p>{'Paragraph of a page that nobody reads to its end. ' * 20}</p></div>"
            return self._say(b"<title>Huge</title>" + row.encode() * 30_000)
        if path == "/login":
            return self._say(
                b"<title>Log in</title><form method=post><input name=user aria-label=User><input type=password name=p aria-label=Password><button>Log in</button></form>"
            )
        if path == "/private":
            is_known = "who=owner" in (self.headers["Cookie"] or "")
            return self._say(
                b"<title>Private</title>Welcome back"
                if is_known
                else b"<title>Log in</title>Who are you?",
                status=200 if is_known else 401,
            )
        if path == "/outer":
            port = self.headers["Host"].rpartition(":")[2]
            inner = f'<iframe src="http://localhost:{port}/inner" title="other"></iframe>'
            return self._say(f"<title>Outer</title><p>around</p>{inner}".encode())
        if path in PAGES:
            return self._say(PAGES[path].encode())
        return self._say(b"<title>None</title><h1>Not here</h1>", status=404)

    def do_POST(self) -> None:
        said = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        if self.path == "/login":
            return self._say(
                b"<title>In</title>You are in",
                more={"Set-Cookie": "who=owner; Max-Age=2592000; Path=/"},
            )
        return self._say(f"<title>Sent</title><p>{sorted(said.items())}</p>".encode())

    def _say(
        self,
        body: bytes,
        kind: str = "text/html; charset=utf-8",
        status: int = 200,
        more: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(more or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def site() -> Iterator[str]:
    """The address of a site that is there for as long as the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
