"""Teach, change and prove SOPs: each route does what the command of its name does. Routes: docs/web-api.md."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from starlette.responses import JSONResponse, Response

from memory.sops.changing import SopChanges
from runs.assemble import SEEDS
from safety.secrets import without
from ui.web import shapes
from ui.web.routes import Here, Json, routes
from ui.web.routes.learned import sops
from ui.web.routes.learned.sops import sop_of, store
from ui.web.routes.talking import uploaded
from ui.web.site import Conflict, NotThere, Site

VERBS = ("enable", "disable", "rollback", "rename", "remove")
KEPT_LESSONS = 20
to = routes("sops")
routers = (to, sops.to)


@to.post("/api/sops/look")
async def look(site: Here, body: shapes.Teach) -> Json:
    """Show what would be learned; nothing is stored."""
    said: Json = json.loads(await site.said_by([*_lesson_words(site, body), "--look"]))
    return said


@to.post("/api/sops/teach", status_code=202)
async def teach(site: Here, body: shapes.Teach) -> Json:
    words = _lesson_words(site, body)
    words += ["--new-version"] if body.new_version else []
    return site.errand("teach", body.name, words)


@to.post("/api/sops/{name}/verify", status_code=202)
async def verify(site: Here, name: str, body: shapes.Values) -> Json:
    words = ["sops", "verify", sop_of(site, name).name, *pairs(body.values)]
    return site.errand("verify", name, words)


@to.post("/api/sops/{name}/run", status_code=202)
async def run(site: Here, name: str, body: shapes.Values) -> Json:
    options = {"cwd": str(site.cwd)}
    order = {"do": "sop", "name": sop_of(site, name).name, "values": body.values}
    return {"run": await site.work.begin({**order, "options": options})}


@to.get("/api/sops/{name}/form")
def form(site: Here, name: str) -> Response:
    """Show what can be edited as it stands, with no place hidden: it comes back so."""
    sop = sop_of(site, name)
    said = {
        "name": sop.name,
        "description": sop.description,
        "body": sop.body("en"),
        "content": _content(sop.folder),
    }
    if without(site.config, json.dumps(said)) != json.dumps(said):
        raise Conflict("error.ui-web.holds-secret")
    return JSONResponse(said)


def _content(folder: Path) -> dict[str, Any] | None:
    """Return the keys of sop.yaml."""
    import yaml

    file = folder / "sop.yaml"
    try:
        said = yaml.safe_load(file.read_text("utf-8")) if file.is_file() else None
    except yaml.YAMLError as error:
        raise Conflict("error.ui-web.cannot-read", file=file.name) from error
    return said if isinstance(said, dict) else None


@to.post("/api/sops/{name}/edit")
async def edit(site: Here, name: str, body: shapes.SopForm) -> Json:
    words = ["sops", "edit", sop_of(site, name).name, "--stdin"]
    return await _changed(site, name, words, body.model_dump_json(exclude_none=True))


@to.get("/api/sops/{name}/export")
def export(site: Here, name: str) -> Response:
    sop = sop_of(site, name)
    with tempfile.TemporaryDirectory(prefix="sopwith-export-") as place:
        file = SopChanges(site.home, SEEDS).export(sop.name, Path(place) / f"{sop.name}.zip")
        data = file.read_bytes()
    headers = {"content-disposition": f'attachment; filename="{sop.name}.zip"'}
    return Response(data, media_type="application/zip", headers=headers)


@to.post("/api/sops/{name}/{verb}")
async def change(site: Here, name: str, verb: str, body: shapes.SopChange | None = None) -> Json:
    if verb not in VERBS:
        raise NotThere("error.ui-web.nothing-here")
    given = body or shapes.SopChange()
    extra = {"rollback": given.version, "rename": given.new, "remove": "--yes"}.get(verb)
    words = ["sops", verb, sop_of(site, name).name, *([str(extra)] if extra else [])]
    return await _changed(site, given.new or name, words)


async def _changed(site: Site, name: str, words: list[str], text: str = "") -> Json:
    said = await site.said_by(words, text)
    sop = store(site).get(name)
    about = {"status": sop.status, "version": sop.version} if sop else {}
    now = {"name": name, "status": None, "version": None, **about}
    return {**now, "said": said}


def pairs(values: dict[str, str]) -> list[str]:
    """Return values as a command takes them."""
    return [f"{name}={value}" for name, value in values.items()]


def _lesson_words(site: Site, body: shapes.Teach) -> list[str]:
    if sum(each is not None for each in (body.run, body.text, body.upload)) != 1:
        raise Conflict("error.ui-web.teach-one-thing-run")
    words = ["teach", body.name]
    if body.run is not None:
        words += ["--from-run", site.find(body.run)]
    else:
        words += ["--from-file", str(_lesson(site, body))]
    words += ["--request", body.request] if body.request else []
    words += ["--values", *pairs(body.values)] if body.values is not None else []
    words += ["--prove", *pairs(body.prove)] if body.prove else []
    return words


def _lesson(site: Site, body: shapes.Teach) -> Path:
    """Return a file with what is to be learned."""
    if body.upload is not None:
        return uploaded(site, body.upload)
    folder = Path(tempfile.mkdtemp(prefix="lesson-", dir=_made(site.home / "web" / "uploads")))
    text = body.text or ""
    file = folder / ("lesson.sh" if text.startswith("#!") else "lesson.md")
    file.write_text(text, "utf-8", "replace")
    return file


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in sorted(folder.glob("lesson-*"))[:-KEPT_LESSONS]:
        shutil.rmtree(old, ignore_errors=True)
    return folder
