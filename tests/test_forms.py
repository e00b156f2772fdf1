"""Five forms in a real browser: taught once from two runs, then filled in by rote with other
values, and after the page changed."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from models.base import Event
from runs.assemble import Options
from tests.browser_driving import needs_browser
from tests.conftest import CommandLine
from tests.driving import SpokenOwner, agent, call, drive, of
from tests.forms_site import FORMS, Site, forms_site
from tests.rows import rows

pytestmark = needs_browser
VALUES: dict[str, list[tuple[str, ...]]] = dict(rows(__name__, "values"))
REQUESTS = {
    "people": "add the person {} with the mail {} from {} on the plan {}",
    "orders": "order the product {}, quantity {}, with the note {}",
    "bookings": "book for {} on {} a room of the kind {}",
    "files": "file a paper called {} with the attachment {}",
    "notes": "note under {} this: {}; it belongs to {}",
}
VERBS = {"select": "select", "file": "upload"}


class Desk:
    """A home whose agent fills in the forms of a site."""

    def __init__(self, home: Path, site: Site) -> None:
        self.home, self.site = home, site

    def request(self, form: str, number: int) -> str:
        """Return how the owner asks for it."""
        return REQUESTS[form].format(*VALUES[form][number])

    def run(self, request: str, replies: Any, answers: tuple[str, ...] = ()) -> list[Event]:
        """Do a task; the owner says yes to what is asked."""
        owner = SpokenOwner(answers=list(answers), approvals=[Approval("once")] * 20)
        return drive(agent(self.home, replies).start(request, Options(rote=replies is None), owner))

    def done(self, form: str, number: int, refs: dict[str, str]) -> str:
        """Let a scripted model fill in a form as one does; return the run."""
        lines = []
        for field, value in zip(FORMS[form], VALUES[form][number], strict=True):
            verb = VERBS.get(field.kind, "type")
            lines.append(f"await {verb}('{refs[field.label]}', {value!r});" if field.kind != "radio" else f"await click('{refs[value]}');")  # fmt: skip
        lines.append(f"await click('{refs['Save']}');")
        replies = [
            call("web_scan", url=f"{self.site.base}/{form}"),
            call("web_execute_js", script="\n".join(lines)),
            f"{VALUES[form][number][0]} is there.",
        ]
        request = f"{self.request(form, number)} at {self.site.base}/{form}"
        events = self.run(request, replies)
        assert events[-1]["status"] == "done" and self.site.rows[form], of(events, "tool_ended")
        return str(events[0]["run"])


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with forms_site() as running:
        yield running


@pytest.fixture
def desk(home: Path, site: Site, tmp_path: Path) -> Desk:
    site.drift = ""
    for kept in site.rows.values():
        kept.clear()
    for name in ("plan", "tax", "photos"):
        Path(f"~/{name}.txt").expanduser().write_text(name)
    return Desk(home, site)


def refs_of(site: Site, form: str, tmp_path: Path) -> dict[str, str]:
    from tests.browser_driving import driver

    driving = driver(tmp_path / "look", tmp_path / "look", site.base)
    try:
        text = driving.scan(f"/{form}").as_text()
    finally:
        driving.ctx.close()
    found = re.findall(r"\[([^\[\]]*)\]\((e\d+)", text)
    return {label.split(" = ")[0].split(" {")[0]: ref for label, ref in found}


def taught(desk: Desk, form: str, cli: CommandLine, tmp_path: Path) -> str:
    """Teach a form from two runs; return the name of its SOP."""
    refs = refs_of(desk.site, form, tmp_path)
    runs = [desk.done(form, number, refs) for number in (0, 1)]
    made = cli("teach", form, "--from-run", *runs)
    assert made.code == 0 and "probation" in made.stdout, made.stdout + made.stderr
    desk.site.rows[form].clear()
    return form


def rote(desk: Desk, form: str, **options: Any) -> list[Event]:
    return desk.run(f"{desk.request(form, 2)} at {desk.site.base}/{form}", None, **options)


def wanted(form: str) -> dict[str, str]:
    values = (Path(v).name if f.kind == "file" else v for f, v in zip(FORMS[form], VALUES[form][2], strict=True))  # fmt: skip
    return {field.name: value for field, value in zip(FORMS[form], values, strict=True)}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_filled_in_with_other_values_and_after_it_changed(
    form: str, desk: Desk, cli: CommandLine, tmp_path: Path
) -> None:
    name = taught(desk, form, cli, tmp_path)
    sop = (desk.home / "sops" / name / "sop.yaml").read_text("utf-8")
    assert "acts:" in sop and "script" not in sop and "label: " in sop
    events = rote(desk, form)
    end = events[-1]
    assert (end["status"], end["rote"]) == ("done", True), str([*of(events, "rote"), end])
    assert desk.site.rows[form] == [wanted(form)]
    desk.site.rows[form].clear()

    desk.site.drift = "moved"
    assert rote(desk, form)[-1]["status"] == "done"
    assert desk.site.rows[form] == [{k: wanted(form)[k] for k in reversed(wanted(form))}]
    desk.site.rows[form].clear()

    desk.site.drift = "renamed"
    if any(field.renamed for field in FORMS[form]):
        said_no = rote(desk, form, answers=("no",))
        assert said_no[-1]["status"] != "done" and desk.site.rows[form] == []
        assert "→" in of(said_no, "asked")[0]["question"]
        assert rote(desk, form, answers=("yes",))[-1]["status"] == "done"
        assert desk.site.rows[form] == [wanted(form)]
        kept = (desk.home / "sops" / name / "sop.yaml").read_text("utf-8")
        assert all(field.renamed in kept for field in FORMS[form] if field.renamed)

    desk.site.drift = "login"
    desk.site.rows[form].clear()
    events = rote(desk, form)
    assert "log in" in of(events, "rote")[-1]["reason"]
    assert desk.site.rows[form] == []
    assert not of(events, "tool_started")[1:], "nothing may be typed"
