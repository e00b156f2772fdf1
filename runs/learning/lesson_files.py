"""Write what a lesson knows as the files of an SOP's folder, and go on from such a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from learning.cases import Case as KnownCase
from learning.cases import read_cases
from learning.folder import fitting_wordings, skill_text, to_yaml, trace_text
from learning.prove import Case, Ground, Seen, expectation
from learning.prove.strictness import Line, counts
from learning.trace import Trace, read_trace
from learning.wording import asked_with
from memory.logs import RunLogError
from memory.sops import Sop, Status
from memory.sops.changing import SopChanges
from replay.parameters import ParameterError
from replay.reading import read_procedure
from replay.staged.expectation import Touched
from runs.learning.lesson import Lesson
from runs.parts import SEEDS
from runs.workshop import Workshop
from safety.changes import ChangeSet
from safety.secrets import HIDDEN

MAX_OUTPUT_CHARS = 2000  # kept of the output of each proof
KEPT = (
    *("number", "head", "kind", "request", "folders", "values", "places", "undashed", "patterns"),
    *("needed", "notes", "problems", "declared", "is_done_before", "whole", "others"),
)


def files_of(lesson: Lesson, before: Sop | None = None) -> dict[str, str]:
    """Return the texts of the files, by path. `before` is the SOP that the name had: its wordings
    and cases stay."""
    content = content_of(lesson)
    known = before if before and not before.is_seed else None
    if known and known.procedure:
        more = [each.text for each in known.procedure.wordings]
        schema = content.get("parameters") or {}
        content["wordings"] = list(
            dict.fromkeys([*content.get("wordings", []), *fitting_wordings(more, schema)])
        )
    files = {
        "SKILL.md": skill_text(lesson.name, content, [*lesson.problems, *lesson.notes]),
        "sop.yaml": to_yaml(content),
        "evidence.json": _evidence(lesson),
    }
    for trace in lesson.traces:
        files[f"references/trace-{trace.run}.jsonl"] = trace_text(trace)
    for case in [*_cases(lesson), *(_fitting(lesson, known) if known else [])]:
        files |= case.files()
    return files


def stored(agent: Workshop, lesson: Lesson, status: Status, reason: str) -> tuple[Sop, bool]:
    """Write the SOP as a new version; return it, and True if it holds a secret, which is hidden:
    then it is a draft."""
    existing = agent.sops.get(lesson.name)
    version = existing.version if existing and existing.description else 0
    written, redact = files_of(lesson, existing), agent.parts.redactor()
    files: dict[str, str | bytes] = {path: redact(text) for path, text in written.items()}
    has_secret = HIDDEN in lesson.script or files["sop.yaml"] != written["sop.yaml"]
    sop = SopChanges(agent.config.home, SEEDS).write(
        lesson.name,
        files,
        reason=reason,
        run=lesson.traces[0].run if lesson.traces else None,
        status="draft" if has_secret else status,
        expects_version=version,
    )
    agent.sops.reload()
    return sop, has_secret


def content_of(lesson: Lesson) -> dict[str, Any]:
    """Return what sop.yaml says."""
    schema = {"type": "object", "properties": lesson.parameters, "required": lesson.required}
    seen = [*(case.seen for case in lesson.cases), lesson.before, lesson.baseline]
    changes = any(each.touched for each in seen if each)
    cwd = str(lesson.ground.cwd)
    said = {
        "parameters": schema if lesson.parameters else {},
        "wordings": _wordings(lesson, schema),
        "requires": _requires(lesson),
        "effects": "local" if changes else "none",
        "run": {"type": lesson.kind, "cwd": cwd, "script": lesson.script + "\n"},
        "expect": _expected(lesson) if lesson.cases else {},
    }
    return {key: value for key, value in said.items() if value}


def _expected(lesson: Lesson) -> dict[str, Any]:
    return expectation(
        lesson.cases,
        lesson.script,
        lesson.done_in_runs(),
        counts=counts(lesson.lines),
        branches=lesson.has_branches,
    )


def _requires(lesson: Lesson) -> dict[str, list[str]]:
    """Return the parameters that must name what is there: without it, it need not begin."""
    found: dict[str, list[str]] = {}
    for name in lesson.needed:
        kinds = {case.inputs.get(name) for case in lesson.cases}
        for kind in kinds & {"file", "folder"} if len(kinds) == 1 else ():
            found.setdefault(f"{kind}s", []).append(name)
    return found


def _wordings(lesson: Lesson, schema: Mapping[str, Any]) -> list[str]:
    """Return the request as a wording, where it can be one; else the name with its values."""
    values = {name: str(lesson.values.get(name, "")) for name in lesson.required}
    asked = asked_with(lesson.name, lesson.request, values)
    plain = asked_with(lesson.name, "", values)
    return fitting_wordings(asked, schema) or fitting_wordings(plain, schema)


def _evidence(lesson: Lesson) -> str:
    """Return evidence.json: the runs that taught it, and what a lesson that goes on must know."""
    runs = [_run(lesson, at) for at in range(len(lesson.traces))]
    said = {
        "runs": runs,
        "proofs": [{"case": case.name, "status": lesson.status()} for case in _cases(lesson)],
        "lines": [line._asdict() for line in lesson.lines],
        "cwd": str(lesson.ground.cwd),
        **{key: getattr(lesson, key) for key in KEPT},
    }
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def _run(lesson: Lesson, at: int) -> dict[str, Any]:
    """Return what proves a run: its results, and where each value came from."""
    trace, values = lesson.traces[at], lesson.values_in(at)
    arguments = [
        {
            "parameter": name,
            "value": value,
            "from": "request" if value in trace.request else "owner",
        }
        for name, value in values.items()
    ]
    return trace.evidence() | {"values": values, "arguments": arguments}


def _cases(lesson: Lesson) -> list[KnownCase]:
    """Return what was proven as regression cases."""
    run = lesson.traces[0].run if lesson.traces else ""
    return [
        case_of(f"case-{number}", case, str(lesson.ground.cwd), run)
        for number, case in enumerate(lesson.cases, 1)
    ]


def case_of(name: str, case: Case, cwd: str, run: str = "") -> KnownCase:
    """Return values with what they did as a regression case."""
    produced = {each.path: each.kind for each in case.seen.touched}
    output = case.seen.output[:MAX_OUTPUT_CHARS]
    expect: dict[str, Any] = {"status": "done", "result": output, "produced": produced}
    expect |= {"inputs": dict(case.inputs)} if case.inputs else {}
    return KnownCase(name, case.values, expect, run=run, cwd=cwd)


def _fitting(lesson: Lesson, before: Sop) -> list[KnownCase]:
    """Return the cases of an earlier version with values that this one takes, under names of their
    own."""
    found: list[KnownCase] = []
    known = [dict(case.values) for case in lesson.cases]
    for case in read_cases(before.folder):
        with suppress(ParameterError):
            if lesson.bound(case.parameters) not in known:
                number = len(lesson.cases) + len(found) + 1
                found.append(replace(case, name=f"case-{number}"))
    return found


def kept_lesson(name: str, folder: Path, ground: Ground) -> Lesson | None:
    """Return the lesson that an SOP in a folder is left at; None for one that is of another
    form."""
    try:
        said = json.loads((folder / "evidence.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if "lines" not in said:
        return None
    lesson = Lesson(name, replace(ground, cwd=Path(said["cwd"])))
    lesson.lines = [Line(**line) for line in said["lines"]]
    for key in (each for each in KEPT if each in said):
        setattr(lesson, key, said[key])
    lesson.traces = _traces(said["runs"], ground.home)
    lesson.cases = [known_case(case) for case in read_cases(folder)]
    if lesson.cases or lesson.declared:
        run = read_procedure(folder).steps[0]
        lesson.safe_script = str(run.args["script"]).removesuffix("\n")
    return lesson


def _traces(runs: list[dict[str, Any]], home: Path) -> list[Trace]:
    found = []
    for each in runs:
        with suppress(RunLogError):
            found.append(read_trace(home, each["run"]))
    return found


def known_case(case: KnownCase) -> Case:
    """Return a regression case as values with what was seen."""
    touched = [Touched(kind, path) for path, kind in case.expect.get("produced", {}).items()]
    seen = Seen(ChangeSet(), touched, {}, case.expect.get("result", ""))
    return Case(case.parameters, seen, case.expect.get("inputs", {}))
