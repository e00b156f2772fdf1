"""The SOPs: what there is, what each does, its versions and learning curve; teach, change and prove
them: each of those routes does what the command of its name does. Routes: docs/web-api.md."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import JSONResponse, Response

from config import Message
from learning.cases import read_cases
from learning.guards import evidence
from learning.patches import diff as difference
from memory.history import Repository, contents_of
from memory.sops import Sop, SopError
from replay.procedure import Procedure, Step
from runs.assemble import SEEDS
from safety.secrets import without
from ui.sops import choice_as_json, choice_of, entries, entry
from ui.sops.changes import changes, curve_as_json, learning_curve
from ui.sops.sops import store
from ui.web import shapes
from ui.web.routes.here import Here, Json, routes
from ui.web.routes.talking import uploaded
from ui.web.site import Conflict, NotThere, Site, found
from ui.words import language

to = routes("sops")
VERBS = ("enable", "disable", "rollback", "rename", "remove")
KEPT_LESSONS = 20


def sop_of(site: Site, name: str) -> Sop:
    """Return one SOP. Raises NotThere."""
    sop: Sop = found(store(site.config).get(name), Message("error.web.no-sop", name=name[:80]))
    return sop


@to.get("/api/sops")
def sops(site: Here) -> Json:
    every = store(site.config).all()
    more = {sop.name: {"is_seed": sop.is_seed, "has_steps": sop.steps is not None} for sop in every}
    return {"sops": [line | more[line["name"]] for line in entries(every, site.spoken())]}


@to.get("/api/sops/search")
def search(site: Here, text: str) -> Json:
    return choice_as_json(choice_of(site.config, text, site.cwd))


@to.get("/api/sops/{name}")
def show(site: Here, name: str) -> Json:
    return _shown(sop_of(site, name))


@to.get("/api/sops/{name}/history")
def versions(site: Here, name: str) -> Json:
    sop_of(site, name)
    return {"history": [asdict(version) for version in changes(site.config).history(name)]}


@to.get("/api/sops/{name}/diff")
def diff(
    site: Here, name: str, to: str = "", since: Annotated[str, Query(alias="from")] = ""
) -> Json:
    sop_of(site, name)
    known = [version.commit for version in changes(site.config).history(name)]
    new = to or (known[0] if known else "")
    old = since or next(iter(known[known.index(new) + 1 :]), "") if new in known else since
    text = difference(_files(site.home, name, old, known), _files(site.home, name, new, known))
    return {"diff": text, "from": old, "to": new}


@to.get("/api/sops/{name}/stats")
def stats(site: Here, name: str) -> Json:
    sop = sop_of(site, name)
    return curve_as_json(sop, *learning_curve(site.config, sop))


@to.get("/api/errands/{id}")
def errand(site: Here, id: str) -> Json:
    errand: Json = found(site.errands.get(id), Message("error.web.no-errand"))
    return errand


def _shown(sop: Sop) -> dict[str, Any]:
    """Return all of one SOP."""
    try:
        body = sop.body(language())
    except SopError as error:
        body = str(error)
    procedure = sop.procedure
    files = sorted(file for file in sop.folder.rglob("*") if file.is_file())
    shown: dict[str, Any] = {
        **entry(sop, language(), 0, 0),
        "is_seed": sop.is_seed,
        "body": body,
        "evidence": evidence(sop.folder) or None,
        "files": [file.relative_to(sop.folder).as_posix() for file in files],
    }
    del shown["runs"], shown["rote_rate"]  # they stand in the list
    return shown | (_steps(procedure, sop.schemas(language())) if procedure is not None else {})


def _steps(procedure: Procedure, schemas: dict[str, dict[str, Any]]) -> dict[str, Any]:
    script = procedure.folder / "scripts" / "run.py"
    has_script = procedure.script is not None and script.is_file()
    cases = read_cases(procedure.folder)
    needed = list(procedure.required)
    return {
        "parameters": {"type": "object", "properties": schemas, "required": needed},
        "cases": [{"name": case.name, "parameters": dict(case.parameters)} for case in cases],
        "wordings": [wording.text for wording in procedure.wordings],
        "effects": procedure.effects,
        "steps": [_step(step) for step in procedure.steps],
        "script": script.read_text("utf-8", "replace") if has_script else None,
        "result": _said(procedure.result),
    }


def _step(step: Step) -> dict[str, Any]:
    said = {name: _said(getattr(step, name)) for name in ("note", "done", "stop")}
    given = {"args": dict(step.args), "expect": dict(step.expect)}
    about = {"part": step.id.partition(".")[0], "tool": step.tool}
    return {**about, **given, **said, "when": step.when, "unless": step.unless}


def _said(text: Any) -> str:
    """Return a text of an SOP in the language that is spoken here."""
    return (
        str(text.get(language()) or next(iter(text.values()), ""))
        if isinstance(text, dict)
        else str(text or "")
    )


def _files(home: Path, name: str, commit: str, known: list[str]) -> dict[str, bytes]:
    """Return the files of an SOP as they were; of nothing, none; of a seed before its first change,
    those that were shipped."""
    if commit not in known:
        kept = contents_of(SEEDS / name) if (SEEDS / name).is_dir() else {}
    else:
        kept = Repository(home).files(commit, f"sops/{name}")
    return {path: content.data for path, content in kept.items()}


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
    said: Json = {"name": sop.name, "description": sop.description, "body": sop.body("en")}
    said |= {"content": _content(sop.folder)}
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
        file = changes(site.config).export(sop.name, Path(place) / f"{sop.name}.zip")
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
    sop = store(site.config).get(name)
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
    place = site.home / "web" / "uploads"
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in sorted(place.glob("lesson-*"))[:-KEPT_LESSONS]:
        shutil.rmtree(old, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix="lesson-", dir=place))
    text = body.text or ""
    file = folder / ("lesson.sh" if text.startswith("#!") else "lesson.md")
    file.write_text(text, "utf-8", "replace")
    return file
