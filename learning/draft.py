"""A draft of an SOP of steps: what is known of it and what is not settled yet, and from that the
texts of its folder.

Nothing is stored here; nothing in a draft is proven but by the runs it names. `problems` say why it
may not leave the status draft; `notes` say what was left out, and why.

    SopwithError
    └── LearningError    nothing can be learned from this; one or two lines for the owner
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config import SopwithError
from learning.folder import fitting_wordings, load, skill_text, to_yaml, trace_text
from learning.trace import Trace
from memory.sops import NAME
from replay.procedure import Procedure, ProcedureError

SCREEN_LINES = 40  # a longer script becomes a file


class LearningError(SopwithError):
    """Nothing can be learned from this."""


@dataclass(slots=True)
class DraftStep:
    """A step as sop.yaml has it."""

    tool: str
    args: dict[str, Any]
    expect: dict[str, Any] = field(default_factory=dict)
    save: dict[str, str] = field(default_factory=dict)
    when: str = ""
    each: str = ""

    def as_yaml(self) -> dict[str, Any]:
        """Return the step with its keys in the order of the format."""
        found: dict[str, Any] = {"tool": self.tool, "args": self.args}
        keys = ("each", "expect", "save", "when")
        return found | {key: getattr(self, key) for key in keys if getattr(self, key)}


@dataclass(slots=True)
class Content:
    """Hold what sop.yaml holds, before it is text."""

    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    wordings: list[str] = field(default_factory=list)
    requires: dict[str, list[str]] = field(default_factory=dict)
    script: str = ""  # the path of the script that stands in for the steps
    effects: str = "none"
    plan: list[DraftStep] = field(default_factory=list)
    commit: list[DraftStep] = field(default_factory=list)
    result: str | dict[str, str] = ""
    checks: list[dict[str, Any]] = field(default_factory=list)

    @property
    def schema(self) -> dict[str, Any]:
        """Return the parameters as a JSON schema; {} without any."""
        required = list(self.parameters)
        found = {"type": "object", "properties": self.parameters, "required": required}
        return found if self.parameters else {}

    def as_yaml(self) -> dict[str, Any]:
        """Return the mapping, keys in the order of the format, empty ones left out."""
        keys = ("wordings", "requires", "script", "effects", "plan", "commit", "result", "checks")
        found: dict[str, Any] = {"parameters": self.schema}
        for key in keys:
            value = getattr(self, key)
            is_steps = key in ("plan", "commit")
            found[key] = [step.as_yaml() for step in value] if is_steps else value
        return {key: value for key, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class Taught:
    """One run that taught a draft: the values that it had, and where each argument came from."""

    trace: Trace
    values: dict[str, Any]
    provenance: list[dict[str, Any]]

    def case(self) -> dict[str, Any]:
        """Return a regression case (learning/cases.py); a try adds what came of it."""
        about = {"request": self.trace.request, "run": self.trace.run, "cwd": str(self.trace.cwd)}
        return {"parameters": self.values, "expect": {"status": "done"}} | about

    def evidence(self) -> dict[str, Any]:
        """Return what proves it: the results with their hashes."""
        return self.trace.evidence() | {"values": self.values, "arguments": self.provenance}


@dataclass(slots=True)
class Draft:
    """The files of an SOP folder as texts, by their path in it, and what is not settled."""

    name: str
    files: dict[str, str]
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    content: Content = field(default_factory=Content)
    taught: list[Taught] = field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """Return True when nothing stands in the way of a replay."""
        return not self.problems

    def procedure(self) -> Procedure:
        """Return the draft as a replay reads it. Raises ProcedureError."""
        return load(self.files)


def write_draft(
    name: str,
    content: Content,
    taught: Sequence[Taught],
    *,
    description: str,
    problems: list[str],
    notes: list[str],
    script: str = "",
) -> Draft:
    """Return the draft with all its files; `script` is the text of `content.script`. Wordings that
    the format does not take are left out. Raises LearningError."""
    check_name(name)
    scripts = _scripts_apart(content)
    content.wordings = fitting_wordings(content.wordings, content.schema)
    said = content.as_yaml()
    files = {"sop.yaml": to_yaml(said), **scripts}
    files |= {content.script: script} if script else {}
    files["SKILL.md"] = skill_text(name, said, problems, description)
    for number, each in enumerate(taught, 1):
        files[f"cases/case-{number}.yaml"] = to_yaml(each.case())
        files[f"references/trace-{each.trace.run}.jsonl"] = trace_text(each.trace)
    if taught:
        proofs: dict[str, Any] = {"runs": [each.evidence() for each in taught]}
        called = {call.tool for each in taught for call in each.trace.calls}
        proofs["tools"] = sorted(tool for tool in called if f'"{tool}"' in script)
        files["evidence.json"] = json.dumps(proofs, indent=1, ensure_ascii=False) + "\n"
    try:
        load(files)
    except ProcedureError as error:
        problems = [*problems, f"its steps cannot be written down yet: {error}"]
    return Draft(name, dict(sorted(files.items())), problems, notes, content, list(taught))


def whole(text: str, name: str, file: str = "") -> Draft:
    """Return the draft of a text that is a sop.yaml. Raises LearningError with the wrong line."""
    check_name(name)
    try:
        procedure = load({"sop.yaml": text})
    except ProcedureError as error:
        raise LearningError(str(error).replace("sop.yaml", file or "the text", 1)) from error
    said = raw(text)
    content = Content(
        parameters={key: dict(value) for key, value in procedure.parameters.items()},
        wordings=[wording.text for wording in procedure.wordings],
        effects=procedure.effects,
        checks=list(said.get("checks") or []),
        plan=list(_steps(said, "plan")),
        commit=list(_steps(said, "commit")),
    )
    if "run" in said:
        said["run"] = {"type": "bash", "cwd": "."} | dict(said["run"])
    is_checked = bool(content.checks) or not content.commit
    problems = [] if is_checked else [UNCHECKED]
    files = {"SKILL.md": skill_text(name, said, problems), "sop.yaml": text}
    return Draft(name, files, problems, [], content, [])


UNCHECKED = "nothing proves that it worked: it changes something and has no check"


def raw(text: str) -> dict[str, Any]:
    """Return what a sop.yaml says."""
    import yaml

    return dict(yaml.safe_load(text))


def _steps(whole: Mapping[str, Any], phase: str) -> Iterator[DraftStep]:
    for said in whole.get(phase) or ():
        args, expect, save = (dict(said.get(key) or {}) for key in ("args", "expect", "save"))
        if "tool" in said:
            yield DraftStep(said["tool"], args, expect, save, str(said.get("when", "")))


def check_name(name: str) -> None:
    """Raise LearningError when no SOP can have this name."""
    if not NAME.fullmatch(name):
        raise LearningError("error.learning.cannot-name-sop-lower", name=name)


def _scripts_apart(content: Content) -> dict[str, str]:
    """Make files of scripts with {{ in them, a template in sop.yaml, and of long ones."""
    files: dict[str, str] = {}
    for phase, steps in (("plan", content.plan), ("commit", content.commit)):
        for number, step in enumerate(steps, 1):
            script = str(step.args.get("script", ""))
            if "{{" in script or script.count("\n") > SCREEN_LINES:
                suffix = "py" if step.args.get("type") == "python" else "sh"
                path = f"scripts/{phase}-{number}.{suffix}"
                files[path] = script
                step.args = {**step.args, "script": {"file": path}}
    return files
