"""Take a whole sop.yaml as its author wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from learning.draft import Content, Draft, DraftStep, LearningError, check_name, load, skill_text
from learning.folder import skill_text as staged_skill_text
from replay.procedure import Procedure, ProcedureError, parse_yaml

UNCHECKED = "nothing proves that it worked: it changes something and has no check"


def whole(text: str, name: str, file: str = "") -> Draft:
    """Return the draft of a text that is a sop.yaml. Raises LearningError with the line that is wrong."""
    check_name(name)
    try:
        procedure = load({"sop.yaml": text})
    except ProcedureError as error:
        raise LearningError(str(error).replace("sop.yaml", file or "the text", 1)) from error
    raw = parse_yaml(text)
    content = _content(procedure, raw)
    is_checked = bool(content.checks) or not content.commit
    problems = [] if is_checked else [UNCHECKED]
    files = {"sop.yaml": text}
    if "run" in raw:
        files["SKILL.md"] = staged_skill_text(name, {**raw, "run": _run(raw["run"])}, [])
    else:
        files["SKILL.md"] = skill_text(name, name.replace("-", " "), content, (), problems)
    return Draft(name, dict(sorted(files.items())), [], problems, [], content, [])


def _run(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "bash", "cwd": "."} | dict(raw)


def _content(procedure: Procedure, raw: Mapping[str, Any]) -> Content:
    return Content(
        parameters={key: dict(value) for key, value in procedure.parameters.items()},
        wordings=[wording.text for wording in procedure.wordings],
        requires={key: list(value) for key, value in procedure.requires.items()},
        effects=procedure.effects,
        plan=[_step(step) for step in raw.get("plan") or [] if "tool" in step],
        commit=[_step(step) for step in raw.get("commit") or [] if "tool" in step],
        result=dict(procedure.result),
        checks=list(raw.get("checks") or []),
    )


def _step(raw: Mapping[str, Any]) -> DraftStep:
    return DraftStep(
        raw["tool"],
        dict(raw.get("args") or {}),
        dict(raw.get("expect") or {}),
        dict(raw.get("save") or {}),
        str(raw.get("when", "")),
    )
