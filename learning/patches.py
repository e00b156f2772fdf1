"""Make of a run that a model finished a new version of its SOP, and say which rules that breaks: it
may mend a step only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from learning.cases import Case, free_name, read_cases
from learning.draft import Draft, LearningError, raw
from learning.folder import in_folder, to_yaml
from learning.guards import evidence
from learning.trace import Trace, trace_of
from memory.history import contents_of
from memory.sops import Sop, SopError
from models.base import Event
from replay.pages import VERBS
from replay.procedure import EFFECTS, Procedure, ProcedureError

MIN_KEPT = 0.7  # of the steps, and of the text of a script
TELLING_CHARS = 3  # shorter values stand in many places

# A run, the name of its SOP and the values that it had → a draft. Raises LearningError.
Crystallise = Callable[[Trace, str, Mapping[str, Any]], Draft]


class Patch(NamedTuple):
    """A new version that is not proven, or what is wrong with it."""

    files: Mapping[str, bytes] | None
    problems: Sequence[str] = ()


def patch(events: Sequence[Event], sop: Sop, crystallise: Crystallise) -> Patch:
    """Return the files of a repaired version, from a run that a model finished."""
    opening = events[0]
    trace, values = trace_of(opening["run"], list(events)), dict(opening["parameters"])
    try:
        draft = crystallise(trace, sop.name, values)
        files = _merged(sop, draft, trace, values)
        with in_folder(sop.name, files) as new:
            problems = [*draft.problems, *patch_problems(sop, new, values)]
    except (LearningError, ProcedureError, SopError) as error:
        return Patch(None, [str(error)])
    return Patch(None if problems else files, problems)


def patch_problems(old: Sop, new: Sop, values: Mapping[str, Any]) -> list[str]:
    """Return which rules a new version of an SOP breaks."""
    before, after = old.procedure, new.procedure
    if before is None or after is None:
        return [new.problem or "it has no steps"]
    found = list(_other_parameters(before, after))
    for name, value in _hard_coded(before, after, values):
        found.append(f"{name} and its value are hard-coded: {value}")
    was, now = _calls(before), _calls(after)
    if now < MIN_KEPT * was:
        found.append(f"it shrinks from {was} steps to {now}")
    if bool(before.script) != bool(after.script):
        found.append("it is written in another form: a script, or steps")
    elif len(_source(after)) < MIN_KEPT * len(_source(before)):
        found.append("its script shrinks")
    if _checks(before) > _checks(after):
        found.append("a check is gone")
    if EFFECTS.index(after.effects) > EFFECTS.index(before.effects):
        found.append(f"its effects grow from {before.effects} to {after.effects}")
    return found


def _other_parameters(before: Procedure, after: Procedure) -> Iterator[str]:
    for name, schema in before.parameters.items():
        if name not in after.parameters:
            yield f"the parameter {name} is gone"
        elif _type(after.parameters[name]) != _type(schema):
            yield f"the parameter {name} has another type"
    for name in set(after.required) - set(before.required):
        yield f"{name} is required now"


def _type(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    return schema.get("type"), schema.get("format"), tuple(map(str, schema.get("enum", ())))


def _hard_coded(
    before: Procedure, after: Procedure, values: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the values of this run that stand in the new steps and stood not in the old ones."""
    old, new = _text(before), _text(after)
    for name, value in values.items():
        for text in map(str, value if isinstance(value, list) else [value]):
            whole = re.compile(rf"(?<![\w.]){re.escape(text)}(?![\w.])")
            is_new = whole.search(new) and not whole.search(old)
            if len(text) >= TELLING_CHARS and is_new:
                yield name, text


def _text(procedure: Procedure) -> str:
    args = [dict(step.args) for step in procedure.steps]
    return f"{json.dumps(args, ensure_ascii=False, default=str)}\n{_source(procedure)}"


def _source(procedure: Procedure) -> str:
    return procedure.script.source if procedure.script else ""


def _calls(procedure: Procedure) -> int:
    return sum(bool(step.tool) for step in procedure.steps) - _checks(procedure)


def _checks(procedure: Procedure) -> int:
    return sum(step.id.startswith("check") for step in procedure.steps)


def diff(folder: Path, files: Mapping[str, bytes]) -> str:
    """Return what a new version would change in steps, scripts and instructions, as a diff."""
    old = {path: content.data for path, content in contents_of(folder).items()}
    lines: list[str] = []
    for path in sorted({*old, *files}):
        if path.startswith(("sop.yaml", "scripts/", "SKILL")):
            texts = [each.get(path, b"").decode("utf-8", "replace") for each in (old, files)]
            before, after = (text.splitlines() for text in texts)
            lines += unified_diff(before, after, path, path, lineterm="", n=1)
    return "\n".join(lines)


def _merged(sop: Sop, draft: Draft, trace: Trace, values: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the SOP's files with the draft's steps, and the run beside its cases."""
    known = {path: content.data for path, content in contents_of(sop.folder).items()}
    files = {path: data for path, data in known.items() if not path.startswith("scripts/")}
    for path, text in draft.files.items():
        if path.startswith(("scripts/", "references/")):
            files[path] = text.encode()
    steps = _with_words(raw(known["sop.yaml"].decode()), raw(draft.files["sop.yaml"]))
    proofs = _with_run(
        evidence(sop.folder), json.loads(draft.files.get("evidence.json", "{}")), trace.run
    )
    name = free_name(read_cases(sop.folder))
    case = Case(name, values, {}, trace.request, trace.run, str(trace.cwd)).files()
    texts = {"sop.yaml": to_yaml(steps), "evidence.json": proofs, **case}
    return files | {path: text.encode() for path, text in texts.items()}


def _with_words(old: Mapping[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return new steps with the parameters and wordings of the old ones."""
    kept = {key: old[key] for key in ("parameters",) if old.get(key)}
    wordings = [each for said in (old, new) for each in said.get("wordings", ())]
    none = {"parameters": {"type": "object", "properties": {}}, "requires": old.get("requires", {})}
    return none | new | kept | {"wordings": list(dict.fromkeys(wordings))}


def _with_run(found: dict[str, Any], taught: Mapping[str, Any], run: str) -> str:
    """Return the evidence with one more run, with the tools of now and no budget."""
    kept = {key: value for key, value in found.items() if key not in ("budget", "tools")}
    kept["runs"] = [*found.get("runs", []), *taught.get("runs", [{"run": run}])]
    kept |= {"tools": taught["tools"]} if taught.get("tools") else {}
    return json.dumps(kept, ensure_ascii=False, indent=1) + "\n"


def with_new_labels(text: str, events: Sequence[Event]) -> str:
    """Return a sop.yaml whose fields of pages have the labels that the owner said yes to in a run;
    "" without any."""
    told = (event.get("renamed", {}) for event in events if event["type"] == "rote")
    labels = dict(chain.from_iterable(each.items() for each in told))
    said = raw(text)
    renamed = [field for field in _fields(said) if field["label"] in labels]
    for field in renamed:
        field["label"] = labels[field["label"]]
    return to_yaml(said) if renamed else ""


def _fields(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the fields of pages that the acts of a sop.yaml are on."""
    for step in said.get("commit") or []:
        for act in step.get("args", {}).get("acts", ()):
            yield from (act[verb] for verb in VERBS.keys() & act.keys())
