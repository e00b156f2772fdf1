"""Show the SOPs: what there is, what each does, its versions and learning curve. Routes: docs/web-api.md."""

from __future__ import annotations

import difflib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query

from learning.cases import read_cases
from learning.guards import evidence
from learning.route import Remembered, choose
from memory.history import Content, Repository, RepositoryError, contents_of
from memory.sops import Sop, SopError, SopStore
from memory.sops.changing import SopChanges
from memory.sops.curve import SopStats, count
from replay.procedure import Procedure, Step
from runs.assemble import SEEDS
from ui.sops import as_json, entries, entry
from ui.web.routes import Here, Json, routes
from ui.web.site import Site, found
from ui.words import language

MAX_SHOWN_BYTES = 200_000  # of one file in a diff


to = routes("sops")


def store(site: Site) -> SopStore:
    """The SOPs as they are now."""
    return SopStore(SEEDS, site.home / "sops")


def sop_of(site: Site, name: str) -> Sop:
    """One SOP. Raises NotThere."""
    sop: Sop = found(store(site).get(name), f'There is no SOP "{name[:80]}".')
    return sop


@to.get("/api/sops")
def sops(site: Here) -> Json:
    every = store(site).all()
    more = {sop.name: {"is_seed": sop.is_seed, "has_steps": sop.steps is not None} for sop in every}
    return {"sops": [line | more[line["name"]] for line in entries(every, site.spoken())]}


@to.get("/api/sops/search")
def search(site: Here, text: str) -> Json:
    known = Remembered(site.home).with_wordings(store(site).all())
    choice = choose(text, known, site.cwd, Path.home())
    candidates = [as_json(each) for each in choice.candidates]
    return {"candidates": candidates, "decision": choice.decision}


@to.get("/api/sops/{name}")
def show(site: Here, name: str) -> Json:
    return _shown(sop_of(site, name))


@to.get("/api/sops/{name}/history")
def versions(site: Here, name: str) -> Json:
    sop_of(site, name)
    return {"history": [asdict(version) for version in SopChanges(site.home, SEEDS).history(name)]}


@to.get("/api/sops/{name}/diff")
def diff(
    site: Here, name: str, to: str = "", since: Annotated[str, Query(alias="from")] = ""
) -> Json:
    sop_of(site, name)
    known = [version.commit for version in SopChanges(site.home, SEEDS).history(name)]
    new = to or (known[0] if known else "")
    old = since or next(iter(known[known.index(new) + 1 :]), "") if new in known else since
    text = _diff(_files(site.home, name, old, known), _files(site.home, name, new, known))
    return {"diff": text, "from": old, "to": new}


@to.get("/api/sops/{name}/stats")
def stats(site: Here, name: str) -> Json:
    sop, runs = sop_of(site, name), SopStats(site.home).runs(name)
    rows = [{**asdict(run), "tokens": run.tokens} for run in runs]
    about = {"sop": sop.name, "status": sop.status, "version": sop.version}
    return {**about, "runs": rows, "totals": asdict(count(runs))}


@to.get("/api/errands/{id}")
def errand(site: Here, id: str) -> Json:
    errand: Json = found(site.errands.get(id), "There is no such errand.")
    return errand


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
