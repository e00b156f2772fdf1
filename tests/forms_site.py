"""Five forms on a site of our own: people, orders, bookings, files and notes; each says what it
took and lists it.

`Site.drift` changes them: "renamed" gives one label another word, "moved" puts the fields in
another order, "login" asks who it is first.
"""

import html
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import parse_qs

from tests.site import Asked, Page, site


class Field(NamedTuple):
    """One field of a form: its name, label, kind, and what can be chosen."""

    name: str
    label: str
    kind: str = "text"
    options: tuple[str, ...] = ()
    renamed: str = ""


FORMS: dict[str, tuple[Field, ...]] = {
    "people": (
        Field("name", "Full name", renamed="Your name"),
        Field("mail", "Email", "email"),
        Field("city", "City"),
        Field("plan", "Plan", "radio", ("Basic", "Family", "Student")),
    ),
    "orders": (
        Field("item", "Product", "select", ("Lamp", "Chair", "Desk", "Shelf")),
        Field("count", "Quantity", "number", renamed="How many"),
        Field("note", "Delivery note", "textarea"),
    ),
    "bookings": (
        Field("guest", "Guest", renamed="Name of the guest"),
        Field("day", "Arrival", "date"),
        Field("room", "Room", "select", ("Single", "Double", "Suite")),
    ),
    "files": (
        Field("title", "Title", renamed="Heading"),
        Field("file", "Attachment", "file"),
    ),
    "notes": (
        Field("subject", "Subject", renamed="About"),
        Field("text", "Message", "textarea"),
        Field("tag", "Tag", "select", ("Work", "Home", "Travel")),
    ),
}


class Site:
    """A site and what it was sent."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, str]]] = {name: [] for name in FORMS}
        self.drift = ""
        self.base = ""

    def page(self, name: str, said: str = "") -> str:
        """Return the page of a form with what was added so far."""
        if self.drift == "login":
            return (
                "<h1>Please log in</h1><form method=post><label>User <input name=user></label>"
                "<label>Password <input type=password name=word></label><button>Log in</button></form>"
            )
        fields = list(FORMS[name])
        fields = fields[::-1] if self.drift == "moved" else fields
        shown = "".join(self._field(each) for each in fields)
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(v)}</td>' for v in row.values())}</tr>"
            for row in self.rows[name]
        )
        script = "<script>const f=document.forms[0];f.onsubmit=async e=>{e.preventDefault();const d=new URLSearchParams();for(const i of f.elements)if(i.name)i.type=='radio'&&!i.checked||d.set(i.name,i.type=='file'?(i.files[0]||{}).name||'':i.value);const r=await fetch(location.href,{method:'POST',body:d});document.querySelector('main').innerHTML=await r.text()}</script>"
        return f"<title>{name}</title><h1>New {name}</h1><form>{shown}<button>Save</button></form><main>{said}<table>{rows}</table></main>{script}"

    def _field(self, field: Field) -> str:
        label = field.renamed if self.drift == "renamed" and field.renamed else field.label
        attributes = f"name={field.name} id={field.name}"
        if field.kind == "radio":
            return "".join(f"<label><input type=radio name={field.name} value={each}> {each}</label>" for each in field.options)  # fmt: skip
        inner = f"<input type={field.kind} {attributes}>"
        if field.kind == "textarea":
            inner = f"<textarea {attributes}></textarea>"
        if field.kind == "select":
            options = "".join(f"<option>{each}</option>" for each in field.options)
            inner = f"<select {attributes}>{options}</select>"
        return f"<p><label for={field.name}>{label}</label> {inner}</p>"

    def take(self, name: str, body: str) -> str:
        """Take a form; return what the page says then."""
        row = {key: value[0] for key, value in parse_qs(body, keep_blank_values=True).items()}
        self.rows[name].append(row)
        first = html.escape(row[FORMS[name][0].name])
        table = "".join(f"<tr>{''.join(f'<td>{html.escape(v)}</td>' for v in each.values())}</tr>" for each in self.rows[name])  # fmt: skip
        return f"<p>{first} was added.</p><table>{table}</table>"


@contextmanager
def forms_site() -> Iterator[Site]:
    """Yield a site that runs."""
    forms = Site()

    def answer(asked: Asked) -> Page:
        name = asked.path.strip("/")
        if asked.method == "POST":
            return Page(forms.take(name, asked.body.decode()))
        return Page(forms.page(name) if name in FORMS else "")

    with site(answer) as port:
        forms.base = f"http://127.0.0.1:{port}"
        yield forms
