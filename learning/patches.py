"""Make of a run that a model finished a new version of its SOP, and say which rules that breaks: it
may mend a step only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import chain
from typing import Any

from learning.cases import Case, free_name, read_cases
from learning.draft import Draft, LearningError, raw
from learning.folder import in_folder, to_yaml
from learning.guards import evidence
from learning.trace import Trace, trace_of
from memory.history import contents_of
from memory.sops import Sop
from models.base import Event
from replay.pages import VERBS
from replay.procedure import EFFECTS, Procedure

TELLING_CHARS = 3  # shorter values stand in many places

# A run, the name of its SOP and the values that it had → a draft. Raises LearningError.
Crystallise = Callable[[Trace, str, Mapping[str, Any]], Draft]


def patch(events: Sequence[Event], sop: Sop, crystallise: Crystallise) -> Mapping[str, bytes]:
    """Return the files of a repaired version that is not proven, from a run that a model finished.

    Raises LearningError, ProcedureError, SopError with what is wrong with it.
    """
    opening = events[0]
    trace, values = trace_of(opening["run"], list(events)), dict(opening["parameters"])
    draft = crystallise(trace, sop.name, values)
    files = _merged(sop, draft, trace, values)
    with in_folder(sop.name, files) as new:
        before, after = sop.procedure, new.procedure
    if before is None or after is None:
        raise LearningError(new.problem or "it has no steps")
    if problems := [*draft.problems, *_broken_rules(before, after, values)]:
        raise LearningError("; ".join(problems[:3]))
    return files


def _broken_rules(before: Procedure, after: Procedure, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield which rules a new version breaks. Its parameters are those of the old one."""
    for name, value in _hard_coded(before, after, values):
        yield f"{name} and its value are hard-coded: {value}"
    if bool(before.script) != bool(after.script):
        yield "it is written in another form: a script, or steps"
    if _checks(before) > _checks(after):
        yield "a check is gone"
    if EFFECTS.index(after.effects) > EFFECTS.index(before.effects):
        yield f"its effects grow from {before.effects} to {after.effects}"


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
    source = procedure.script.source if procedure.script else ""
    return f"{json.dumps(args, ensure_ascii=False, default=str)}\n{source}"


def _checks(procedure: Procedure) -> int:
    return sum(step.id.startswith("check") for step in procedure.steps)


def diff(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> str:
    """Return what a new version changes in steps, scripts and instructions, as a diff."""
    lines: list[str] = []
    for path in sorted({*old, *new}):
        if path.startswith(("sop.yaml", "scripts/", "SKILL")):
            texts = [each.get(path, b"").decode("utf-8", "replace") for each in (old, new)]
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
    """Return the evidence with one more run and no budget."""
    kept = {key: value for key, value in found.items() if key != "budget"}
    kept["runs"] = [*found.get("runs", []), *taught.get("runs", [{"run": run}])]
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
