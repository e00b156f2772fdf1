"""Tell the kind of a text, and read it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from config import Message
from learning.draft import LearningError
from learning.written.instructions import Instructions
from learning.written.markdown import read_markdown
from learning.written.shell_script import read_script

MAX_CHARS = 200_000
KINDS = {
    ".sh": "shell",
    ".bash": "shell",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "markdown",
}


def read_text(text: str, file: str = "") -> Instructions | str:
    """Return what a text says as lines of a script; a whole sop.yaml, or a list with calls of
    tools, as YAML.

    `file` is its name, which tells the kind. Raises LearningError.
    """
    said = file or Message("error.written.the-text")
    if len(text) > MAX_CHARS:
        raise LearningError(
            "error.written.longer-than-characters-nobody", what=said, n=f"{MAX_CHARS:,}"
        )
    if "\0" in text or not text.strip():
        key = "error.written.no-text" if text.strip() else "error.written.empty"
        raise LearningError(Message(key, what=said))
    plain = text.replace("\r\n", "\n").removeprefix("\ufeff")
    kind = kind_of(plain, file)
    if kind == "yaml":
        return _read_yaml(plain, said)
    found = read_script(plain) if kind == "shell" else read_markdown(plain)
    return _with_steps(found, said)


def kind_of(text: str, file: str) -> str:
    """Return shell, yaml or markdown: by the name of the file, else by how the text begins."""
    if known := KINDS.get(Path(file).suffix.lower()):
        return known
    if re.match(r"#!.*\b(ba|z|da|k)?sh\b", text):
        return "shell"
    is_yaml = re.search(r"^(plan|commit|steps|run):", text, re.MULTILINE)
    return "yaml" if is_yaml else "markdown"


def _with_steps(found: Instructions, said: str) -> Instructions:
    if not any(line.strip() for line in found.lines):
        problems = "\n".join(["", *found.problems[:5]]).rstrip()
        raise LearningError("error.written.step-could-understood", name=said, rest=problems)
    return found


def _read_yaml(text: str, said: str) -> Instructions | str:
    from replay.procedure import NotYaml, parse_yaml

    try:
        raw = parse_yaml(text)
    except NotYaml as error:
        raise LearningError(
            "error.written.not-yaml", what=said, line=error.line, error=error
        ) from error
    known = raw if isinstance(raw, dict) else {"steps": raw}
    if {"plan", "commit", "run", "script"} & known.keys():
        return text
    steps = known.get("steps")
    if not isinstance(steps, list):
        raise LearningError("error.written.steps-give-plan-commit", name=said)
    return _with_steps(_listed(known, steps), said)


def _listed(raw: dict[str, Any], steps: list[Any]) -> Instructions:
    """Return a list of commands as lines of a script."""
    found = Instructions(title=str(raw.get("description", "")))
    declared = raw.get("parameters") or raw.get("inputs")
    if isinstance(declared, dict):
        _declare(found, declared.get("properties", declared))
    for number, step in enumerate(steps, 1):
        told = step if isinstance(step, dict) else {"run": step}
        command = told.get("run", told.get("command"))
        if isinstance(command, str) and command.strip():
            found.add(command.strip("\n"), number)
        elif "tool" in told:
            raise LearningError("error.written.step-calls-tool-write", number=number)
        else:
            found.problems.append(f"step {number}: no command: {str(step)[:80]!r}")
    return found


def _declare(found: Instructions, properties: dict[str, Any]) -> None:
    """Take declared parameters: schemas, or their defaults."""
    for name, schema in properties.items():
        said = schema if isinstance(schema, dict) else {"default": schema}
        example = str(said.get("default", ""))
        if "type" in said:
            found.parameters[str(name)] = dict(said)
        elif example:
            found.default(found.parameter(str(name), example), example)
        else:
            found.parameter(str(name))
