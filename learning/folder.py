"""Write and read the texts of an SOP's folder: sop.yaml, SKILL.md, the trace of a run."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from learning.trace import Trace
from memory.sops import Sop, read_sop
from replay.procedure import Procedure, ProcedureError
from replay.reading import read_procedure

MAX_DATA_CHARS = 4_000  # of an answer in a trace
_UNFIT_FOR_A_BLOCK = re.compile(
    r"[ \t]\n|\r|\t|[^\x20-\x7e\n\u4e00-\u9fff\u3000-\u30ff\uff00-\uffef]"
)


@contextmanager
def in_folder(name: str, files: Mapping[str, str | bytes]) -> Iterator[Sop]:
    """Write the files into a folder that goes away at the end, and read the SOP in it."""
    with tempfile.TemporaryDirectory(prefix="sopwith-sop-") as place:
        folder = Path(place).resolve() / name
        written(folder, files)
        yield read_sop(folder, False)


def written(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)


def load(files: Mapping[str, str]) -> Procedure:
    """Read sop.yaml and its scripts from texts. Raises ProcedureError."""
    steps = {p: text for p, text in files.items() if p == "sop.yaml" or p.startswith("scripts/")}
    with tempfile.TemporaryDirectory(prefix="sopwith-draft-") as place:
        written(Path(place), steps)
        try:
            return read_procedure(Path(place))
        except ProcedureError as error:
            raise ProcedureError(str(error).replace(f"{place}/", "")) from error


def fitting_wordings(wordings: Sequence[str], schema: Mapping[str, Any]) -> list[str]:
    """Return those of the wordings that sop.yaml can hold beside these parameters."""
    found = []
    for wording in dict.fromkeys(wordings):
        said = {"wordings": [wording], "run": {"script": ":"}}
        said |= {"parameters": dict(schema)} if schema.get("properties") else {}
        try:
            load({"sop.yaml": to_yaml(said)})
        except ProcedureError:
            continue
        found.append(wording)
    return found


def to_yaml(value: Mapping[str, Any]) -> str:
    """Return YAML in the order of the keys; scripts as blocks; small mappings on one line."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Write texts of several lines as blocks."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: yaml.SafeDumper, data: str) -> yaml.ScalarNode:
        is_block = "\n" in data and not _UNFIT_FOR_A_BLOCK.search(data)
        style = "|" if is_block else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    def mapping(dumper: yaml.SafeDumper, data: dict[Any, Any]) -> yaml.MappingNode:
        node = dumper.represent_mapping("tag:yaml.org,2002:map", data.items())
        node.flow_style = len(repr(data)) < 90 and "\\n" not in repr(data)
        return node

    Dumper.add_representer(str, text)
    Dumper.add_representer(dict, mapping)
    how: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "width": 10_000}
    return str(yaml.dump(dict(value), Dumper=Dumper, **how))


def skill_text(
    name: str, content: Mapping[str, Any], notes: Sequence[str], description: str = ""
) -> str:
    """Return SKILL.md in the Agent Skills format, of what sop.yaml holds."""
    import yaml

    said = {key: value for key, value in content.items() if value}
    asked = said.get("wordings", [])
    about = _one_line(description or [*asked, f"{name}."][0])
    front = {
        "name": name,
        "description": f"{about[:1].upper()}{about[1:]}"[:1000],
        "metadata": {"sopwith-version": "1", "sopwith-status": "draft"},
    }
    shown = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=10_000)
    parts = {
        "When": [f"- {each}" for each in asked or [about]],
        "Parameters": list(_parameters(said)),
        "Steps": list(_steps(said)),
        "What it changes": list(_changes(said)),
        "Known failures": [f"- {_one_line(note)}" for note in notes or ["None yet."]],
    }
    told = [f"## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in parts.items() if lines]
    title = f"# {name.replace('-', ' ').capitalize()}\n"
    return "\n".join([f"---\n{shown}---\n", title, *told])


def _parameters(content: Mapping[str, Any]) -> Iterator[str]:
    for name, schema in content.get("parameters", {}).get("properties", {}).items():
        yield f"- `{name}`: {_meaning(schema)}"


def _changes(content: Mapping[str, Any]) -> Iterator[str]:
    for kind, entries in content.get("expect", {}).get("changes", {}).items():
        for each in entries:
            yield f"- {kind}: `{each['path'] if isinstance(each, dict) else each}`"


def _steps(content: Mapping[str, Any]) -> Iterator[str]:
    if run := content.get("run"):
        yield f"In `{run['cwd']}`:\n\n```{run['type']}\n{run['script']}```"
    if "script" in content:
        yield f"`{content['script']}` reads in `plan` and changes in `commit`."
    for number, step in enumerate(_calls(content), 1):
        yield f"{number}. `{step['tool']}` {_call(step.get('args') or {})}"
    for check in content.get("checks", ()):
        yield f"- check: `{_one_line(check_text(check))}`"


def _calls(content: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for phase in ("plan", "commit"):
        yield from (step for step in content.get(phase, ()) if "tool" in step)


def _call(args: Mapping[str, Any]) -> str:
    script = args.get("script")
    if isinstance(script, dict):
        return f"`{script['file']}`"
    if not isinstance(script, str):
        return f"`{_one_line(json.dumps(args, ensure_ascii=False))}`"
    lines = "\n".join(f"   {line}" for line in script.strip().splitlines())
    return f"\n\n   ```\n{lines}\n   ```" if "\n" in lines else f"`{script.strip()}`"


def check_text(check: Mapping[str, Any]) -> str:
    """Return a check as a line: its command, or the call that reads again."""
    told = {key: check[key] for key in ("args", "expect") if key in check}
    if "command" in check:
        return str(check["command"])
    return f"{check['tool']} {json.dumps(told, ensure_ascii=False)}"


def _meaning(schema: Mapping[str, Any]) -> str:
    kind = str(schema.get("format", schema.get("type")))
    return f"{kind} – {schema['description']}" if schema.get("description") else kind


def _one_line(text: str) -> str:
    return " ".join(text.split())


def trace_text(trace: Trace) -> str:
    """Return the trace as JSON lines: the request, each call with its result, the end."""
    about = {"run": trace.run, "at": trace.at, "request": trace.request, "cwd": str(trace.cwd)}
    lines: list[dict[str, Any]] = [about]
    for call in trace.calls:
        told = {key: getattr(call, key) for key in ("turn", "tool", "args", "status", "said")}
        lines.append({**told, "data": _cut(call.data)})
    lines.append({"status": trace.status, "answer": trace.answer})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _cut(data: Any) -> Any:
    text = json.dumps(data, ensure_ascii=False)
    half = MAX_DATA_CHARS // 4
    return data if len(text) <= MAX_DATA_CHARS else {"cut": f"{text[:half]} … {text[-half:]}"}
