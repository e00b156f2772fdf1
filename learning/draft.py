"""A draft of an SOP: its steps and what is not settled yet, and from them the texts of the files of its folder.

Nothing is stored here; nothing in a draft is proven but by the runs it names. `problems` say why it may not leave the
status draft; `slots` are values that could be meant in several ways; `notes` say what was left out, and why.

    SopwithError
    └── LearningError    nothing can be learned from this; one or two lines for the owner
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config import SopwithError
from learning.trace import Trace
from memory.sops import NAME
from replay.procedure import Procedure, ProcedureError


class LearningError(SopwithError):
    """Nothing can be learned from this."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A value that may vary: what it was, where it stands, and what it may be. `name` is a suggestion."""

    name: str
    text: str
    where: str  # "step 2: find … -mtime +30"
    candidates: tuple[str, ...]
    why: str = ""


@dataclass(slots=True)
class DraftStep:
    """A step as sop.yaml has it. `calls` are the places of the observed calls that it stands for."""

    tool: str
    args: dict[str, Any]
    expect: dict[str, Any] = field(default_factory=dict)
    save: dict[str, str] = field(default_factory=dict)
    when: str = ""
    each: str = ""
    calls: tuple[int, ...] = ()

    def as_yaml(self) -> dict[str, Any]:
        """The step with its keys in the order of the format."""
        found: dict[str, Any] = {"tool": self.tool, "args": self.args}
        for key in ("each", "expect", "save", "when"):
            if value := getattr(self, key):
                found[key] = value
        return found


@dataclass(slots=True)
class Content:
    """Hold what sop.yaml holds, before it is text."""

    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    wordings: list[str] = field(default_factory=list)
    requires: dict[str, list[str]] = field(default_factory=dict)
    effects: str = "none"
    plan: list[DraftStep] = field(default_factory=list)
    commit: list[DraftStep] = field(default_factory=list)
    result: str | dict[str, str] = ""
    checks: list[dict[str, Any]] = field(default_factory=list)
    script: str = ""  # the path of the script that stands in for the steps

    def as_yaml(self) -> dict[str, Any]:
        """The mapping, keys in the order of the format, empty ones left out."""
        schema = {
            "type": "object",
            "properties": self.parameters,
            "required": list(self.parameters),
        }
        found: dict[str, Any] = {"parameters": schema} if self.parameters else {}
        found |= {"wordings": self.wordings, "requires": self.requires}
        found |= {
            "script": self.script,
            "effects": self.effects,
            "plan": [step.as_yaml() for step in self.plan],
        }
        found |= {
            "commit": [step.as_yaml() for step in self.commit],
            "result": self.result,
            "checks": self.checks,
        }
        return {key: value for key, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class Taught:
    """One run that taught a draft: the values that its parameters had, and where each argument came from."""

    trace: Trace
    values: dict[str, Any]
    provenance: list[dict[str, Any]]
    result: str = ""


@dataclass(slots=True)
class Draft:
    """The files of an SOP folder as texts, by their path in it, and what is not settled."""

    name: str
    files: dict[str, str]
    slots: list[Slot] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    content: Content = field(default_factory=Content)
    taught: list[Taught] = field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """True when nothing stands in the way of a replay."""
        return not self.slots and not self.problems

    def procedure(self) -> Procedure:
        """The draft as a replay reads it. Raises ProcedureError."""
        return load(self.files)


def load(files: Mapping[str, str]) -> Procedure:
    """Reads sop.yaml and its scripts from texts as replay/procedure.py reads them from a folder. Raises ProcedureError."""
    with tempfile.TemporaryDirectory(prefix="sopwith-draft-") as place:
        folder = Path(place)
        for path, text in files.items():
            if path == "sop.yaml" or path.startswith("scripts/"):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
        try:
            return Procedure.load(folder)
        except ProcedureError as error:
            raise ProcedureError(str(error).replace(f"{folder}/", "")) from error


def write_draft(
    name: str,
    content: Content,
    taught: Sequence[Taught],
    *,
    description: str,
    slots: list[Slot],
    problems: list[str],
    notes: list[str],
    script: str = "",
) -> Draft:
    """The draft with all its files; `script` is the text of `content.script`. Wordings that the format does not take are left out. Raises LearningError."""
    check_name(name)
    scripts = _scripts_apart(content)
    content.wordings = _valid_wordings(content, scripts)
    files = {
        "sop.yaml": to_yaml(content.as_yaml()),
        **scripts,
        **({content.script: script} if script else {}),
    }
    files["SKILL.md"] = skill_text(name, description, content, slots, problems)
    for number, each in enumerate(taught, 1):
        files[f"cases/case-{number}.yaml"] = to_yaml(_case(each))
        files[f"references/trace-{each.trace.run}.jsonl"] = trace_text(each.trace)
    if taught:
        files["evidence.json"] = json.dumps(_evidence(taught), indent=1, ensure_ascii=False) + "\n"
    try:
        load(files)
    except ProcedureError as error:
        problems = [*problems, f"its steps cannot be written down yet: {error}"]
    return Draft(name, dict(sorted(files.items())), slots, problems, notes, content, list(taught))


def check_name(name: str) -> None:
    """Raises LearningError when no SOP can have this name."""
    if not NAME.fullmatch(name):
        raise LearningError(
            f'"{name}" cannot be the name of an SOP: lower-case letters, digits and hyphens, at most 64.'
        )


def _scripts_apart(content: Content) -> dict[str, str]:
    """Scripts with {{ in them, or longer than a screen, become files: sop.yaml would take {{ for a template."""
    files: dict[str, str] = {}
    for phase, steps in (("plan", content.plan), ("commit", content.commit)):
        for number, step in enumerate(steps, 1):
            script = step.args.get("script")
            if isinstance(script, str) and ("{{" in script or script.count("\n") > 40):
                suffix = "py" if step.args.get("type") == "python" else "sh"
                path = f"scripts/{phase}-{number}.{suffix}"
                files[path] = script
                step.args = {**step.args, "script": {"file": path}}
    return files


def _valid_wordings(content: Content, scripts: Mapping[str, str]) -> list[str]:
    found: list[str] = []
    for wording in dict.fromkeys(content.wordings):
        trial = {
            "parameters": content.as_yaml().get("parameters"),
            "wordings": [wording],
            "plan": [{"done": "-"}],
            "result": "-",
        }
        try:
            load({"sop.yaml": to_yaml({key: value for key, value in trial.items() if value})})
        except ProcedureError:
            continue
        found.append(wording)
    return found


# YAML that people can read


def to_yaml(value: Mapping[str, Any]) -> str:
    """YAML in the order of the keys; scripts as blocks; small mappings on one line."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Texts of several lines as blocks; what fits on a line stands on one."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: yaml.SafeDumper, data: str) -> yaml.ScalarNode:
        is_block = "\n" in data and not re.search(
            r"[ \t]\n|\r|\t|[^\x20-\x7e\n\u4e00-\u9fff\u3000-\u30ff\uff00-\uffef]", data
        )
        return dumper.represent_scalar(
            "tag:yaml.org,2002:str", data, style="|" if is_block else None
        )

    def mapping(dumper: yaml.SafeDumper, data: dict[Any, Any]) -> yaml.MappingNode:
        node = dumper.represent_mapping("tag:yaml.org,2002:map", data.items())
        node.flow_style = (
            len(repr(data)) < 90 and "\n" not in str(data.values()) and "\\n" not in repr(data)
        )
        return node

    def sequence(dumper: yaml.SafeDumper, data: list[Any]) -> yaml.SequenceNode:
        node = dumper.represent_sequence("tag:yaml.org,2002:seq", data)
        node.flow_style = all(
            isinstance(each, str) and len(each) < 40 and " " not in each for each in data
        )
        return node

    Dumper.add_representer(list, sequence)
    Dumper.add_representer(str, text)
    Dumper.add_representer(dict, mapping)
    dumped: str = yaml.dump(
        dict(value), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10_000
    )
    return dumped


def skill_text(
    name: str,
    description: str,
    content: Content,
    slots: Sequence[Slot] = (),
    problems: Sequence[str] = (),
) -> str:
    """The SKILL.md: what people and models read. Valid front matter of the Agent Skills format."""
    front = {
        "name": name,
        "description": _one_line(description)[:1000] or name,
        "metadata": {"sopwith-version": "1", "sopwith-status": "draft"},
    }
    import yaml

    parts = [
        f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=10_000)}---\n",
        f"# {name.replace('-', ' ').capitalize()}",
        "## When\n\n"
        + (
            "\n".join(f"- {wording}" for wording in content.wordings)
            or _one_line(description)
            or "-"
        ),
    ]
    if content.parameters:
        lines = [f"- `{key}`: {_meaning(schema)}" for key, schema in content.parameters.items()]
        parts.append("## Parameters\n\n" + "\n".join(lines))
    parts.append("## Steps\n\n" + _steps_text(content))
    parts.append("## Edge cases\n\n" + _edge_cases(content))
    failures = [
        *problems,
        *(
            f"{slot.text!r} ({slot.where}): {slot.why or 'could be several things'}"
            for slot in slots
        ),
    ]
    parts.append(
        "## Known failures\n\n"
        + ("\n".join(f"- {_one_line(each)}" for each in failures) or "- None yet.")
    )
    return "\n\n".join(parts).replace("---\n\n\n", "---\n\n") + "\n"


def _steps_text(content: Content) -> str:
    lines, number = (
        [f"`{content.script}` reads in `plan` and changes in `commit`.", ""]
        if content.script
        else [],
        0,
    )
    for title, steps in (("Reads:", content.plan), ("Changes:", content.commit)):
        lines += [f"{title}\n"] if steps else []
        for step in steps:
            number += 1
            lines.append(f"{number}. `{step.tool}` {_step_line(step)}")
        lines += [""] if steps else []
    checks = [f"- check: `{_one_line(check_text(check))}`" for check in content.checks]
    return "\n".join([*lines, *checks]).strip()


def check_text(check: Mapping[str, Any]) -> str:
    """Return a check as a line: its command, or the call that reads again."""
    told = {key: check[key] for key in ("args", "expect") if key in check}
    return str(check.get("command") or f"{check['tool']} {json.dumps(told, ensure_ascii=False)}")


def _step_line(step: DraftStep) -> str:
    script = step.args.get("script")
    if isinstance(script, dict):
        return f"`{script['file']}`"
    if isinstance(script, str):
        where = f" (in `{step.args['cwd']}`)" if "cwd" in step.args else ""
        fence = "```" if "\n" in script.strip() else "`"
        text = script.strip()
        return (
            f"{where}\n\n   ```\n"
            + "\n".join(f"   {line}" for line in text.splitlines())
            + "\n   ```\n"
            if fence == "```"
            else f"`{text}`{where}"
        )
    return f"`{_one_line(json.dumps(step.args, ensure_ascii=False))}`"


def _edge_cases(content: Content) -> str:
    lines = [
        f"- Nothing in `{step.when}`: that step is left out."
        for step in content.commit
        if step.when
    ]
    for kind in ("folders", "files"):
        lines += [
            f"- `{name}` must be there; else it stops with one line."
            for name in content.requires.get(kind, [])
        ]
    for name, schema in content.parameters.items():
        if "pattern" in schema:
            lines.append(
                f"- `{name}` must match `{schema['pattern']}`: other characters mean something to the command."
            )
    lines.append("- A step that ends otherwise than recorded: it stops and says what differed.")
    return "\n".join(lines)


def _meaning(schema: Mapping[str, Any]) -> str:
    kind = str(schema.get("format") or schema.get("type"))
    return f"{kind}{' – ' + schema['description'] if schema.get('description') else ''}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


# Its proof


def _case(taught: Taught) -> dict[str, Any]:
    """A regression case (learning/cases.py): these parameters end well. What came of them a replay adds."""
    found = {
        "parameters": taught.values,
        "expect": {"status": "done"},
        "request": taught.trace.request,
    }
    return found | {"run": taught.trace.run, "cwd": str(taught.trace.cwd)}


def _evidence(taught: Sequence[Taught]) -> dict[str, Any]:
    runs = [
        {
            "run": each.trace.run,
            "at": each.trace.at,
            "results": [{"turn": call.turn, "call": call.call, "tool": call.tool, "hash": call.hash} for call in each.trace.calls],
            "values": each.values,
            "arguments": each.provenance,
        }
        for each in taught
    ]  # fmt: skip
    return {"runs": runs}


def trace_text(trace: Trace) -> str:
    """The trace as JSON lines: the request, each call with its result, the end. The run log is redacted already."""
    lines: list[dict[str, Any]] = [
        {"run": trace.run, "at": trace.at, "request": trace.request, "cwd": str(trace.cwd)}
    ]
    for call in trace.calls:
        lines.append(
            {"turn": call.turn, "tool": call.tool, "args": call.args, "status": call.status, "data": _cut(call.data), "said": call.said}
        )  # fmt: skip
    lines.append({"status": trace.status, "answer": trace.answer})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _cut(data: Any) -> Any:
    text = json.dumps(data, ensure_ascii=False)
    return data if len(text) <= 4_000 else {"cut": text[:2_000] + " … " + text[-1_000:]}
