"""Show the SOPs: what there is, what each does, its versions and learning curve. Routes: docs/web-api.md."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse

from learning.cases import read_cases
from learning.guards import evidence
from learning.route import Remembered, choose
from memory.history import Content, Repository, RepositoryError, contents_of
from memory.logs import list_runs
from memory.sops import Sop, SopError, SopStore
from memory.sops.changing import SopChanges
from memory.sops.curve import SopStats, count
from replay.procedure import Procedure, Step
from runs.assemble import SEEDS
from ui.sops import as_json, entry
from ui.web.routes import Here
from ui.web.site import Site, found
from ui.words import language

MAX_SHOWN_BYTES = 200_000  # of one file in a diff


to = APIRouter(tags=["sops"])


def store(site: Site) -> SopStore:
    """The SOPs as they are now."""
    return SopStore(SEEDS, site.home / "sops")


def sop_of(site: Site, name: str) -> Sop:
    """One SOP. Raises NotThere."""
    sop: Sop = found(store(site).get(name), f'There is no SOP "{name[:80]}".')
    return sop


@to.get("/api/sops")
def sops(site: Here) -> JSONResponse:
    runs: Counter[str] = Counter()
    by_rote: Counter[str] = Counter()
    for run in list_runs(site.home):
        if run.sop:
            runs[run.sop] += 1
            by_rote[run.sop] += run.rote and run.status == "done"
    rows = [
        {
            **entry(sop, language(), runs[sop.name], by_rote[sop.name]),
            "is_seed": sop.is_seed,
            "has_steps": sop.steps is not None,
        }
        for sop in store(site).all()
    ]
    return JSONResponse({"sops": site.clean(rows)})


@to.get("/api/sops/search")
def search(site: Here, text: str) -> JSONResponse:
    known = Remembered(site.home).with_wordings(store(site).all())
    choice = choose(text, known, site.cwd, Path.home())
    candidates = [as_json(each) for each in choice.candidates]
    return JSONResponse({"candidates": site.clean(candidates), "decision": choice.decision})


@to.get("/api/sops/{name}")
def show(site: Here, name: str) -> JSONResponse:
    return JSONResponse(site.clean(_shown(sop_of(site, name))))


@to.get("/api/sops/{name}/history")
def versions(site: Here, name: str) -> JSONResponse:
    sop_of(site, name)
    return JSONResponse(
        {
            "history": site.clean(
                [asdict(version) for version in SopChanges(site.home, SEEDS).history(name)]
            )
        }
    )


@to.get("/api/sops/{name}/diff")
def diff(
    site: Here, name: str, to: str = "", since: Annotated[str, Query(alias="from")] = ""
) -> JSONResponse:
    sop_of(site, name)
    known = [version.commit for version in SopChanges(site.home, SEEDS).history(name)]
    new = to or (known[0] if known else "")
    old = since or next(iter(known[known.index(new) + 1 :]), "") if new in known else since
    text = _diff(_files(site.home, name, old, known), _files(site.home, name, new, known))
    return JSONResponse({"diff": site.clean(text), "from": old, "to": new})


@to.get("/api/sops/{name}/stats")
def stats(site: Here, name: str) -> JSONResponse:
    sop, runs = sop_of(site, name), SopStats(site.home).runs(name)
    rows = [{**asdict(run), "tokens": run.tokens} for run in runs]
    about = {"sop": sop.name, "status": sop.status, "version": sop.version}
    return JSONResponse(site.clean({**about, "runs": rows, "totals": asdict(count(runs))}))


@to.get("/api/errands/{id}")
def errand(site: Here, id: str) -> JSONResponse:
    return JSONResponse(site.clean(found(site.errands.get(id), "There is no such errand.")))


def _shown(sop: Sop) -> dict[str, Any]:
    """All of one SOP."""
    try:
        body = sop.body(language())
    except SopError as error:
        body = str(error)
    procedure = sop.procedure
    shown: dict[str, Any] = {
        **entry(sop, language(), 0, 0),
        "is_seed": sop.is_seed,
        "is_quarantined": sop.is_quarantined,
        "body": body,
        "steps": [],
        "wordings": [],
        "parameters": {"type": "object", "properties": {}, "required": []},
        "cases": [],
        "evidence": evidence(sop.folder) or None,
        "files": sorted(
            file.relative_to(sop.folder).as_posix()
            for file in sop.folder.rglob("*")
            if file.is_file()
        ),
    }
    del shown["runs"], shown["rote_rate"]
    if procedure is not None:
        shown |= _steps(procedure)
        cases = read_cases(sop.folder)
        shown["cases"] = [
            {"name": case.name, "parameters": dict(case.parameters)} for case in cases
        ]
    return shown


def _steps(procedure: Procedure) -> dict[str, Any]:
    properties = {name: dict(schema) for name, schema in procedure.parameters.items()}
    return {
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": list(procedure.required),
        },
        "wordings": [wording.text for wording in procedure.wordings],
        "effects": procedure.effects,
        "steps": [_step(step) for step in procedure.steps],
        "script": (procedure.folder / "scripts" / "run.py").read_text("utf-8", "replace")
        if _has_script(procedure)
        else None,
        "result": _said(procedure.result),
    }


def _has_script(procedure: Procedure) -> bool:
    return procedure.script is not None and (procedure.folder / "scripts" / "run.py").is_file()


def _step(step: Step) -> dict[str, Any]:
    return {
        "id": step.id,
        "part": step.id.partition(".")[0],
        "tool": step.tool,
        "args": dict(step.args),
        "expect": dict(step.expect),
        "note": _said(step.note),
        "when": step.when,
        "unless": step.unless,
        "done": _said(step.done) if step.done else None,
        "stop": _said(step.stop) if step.stop else None,
    }


def _said(text: Any) -> str:
    """A text of an SOP in the language that is spoken here."""
    return (
        str(text.get(language()) or next(iter(text.values()), ""))
        if isinstance(text, dict)
        else str(text or "")
    )


def _files(home: Path, name: str, commit: str, known: list[str]) -> dict[str, Content]:
    """The files of an SOP as they were; of nothing, none; of a seed before its first change, those that were shipped."""
    if commit in known:
        try:
            return Repository(home).files(commit, f"sops/{name}")
        except RepositoryError:
            return {}
    return contents_of(SEEDS / name) if (SEEDS / name).is_dir() else {}


def _diff(old: dict[str, Content], new: dict[str, Content]) -> str:
    lines: list[str] = []
    for path in sorted({*old, *new}):
        before, after = (files[path].data if path in files else b"" for files in (old, new))
        if before == after:
            continue
        if max(len(before), len(after)) > MAX_SHOWN_BYTES:
            lines.append(f"--- {path}: {len(before)} → {len(after)} bytes")
            continue
        texts = [data.decode("utf-8", "replace").splitlines() for data in (before, after)]
        lines += difflib.unified_diff(texts[0], texts[1], f"a/{path}", f"b/{path}", lineterm="")
    return "\n".join(lines)
