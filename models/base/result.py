"""One call that a model asks for, and what its tool brought."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Status = Literal["ok", "error", "refused", "timeout", "cancelled"]


class ToolCall(NamedTuple):
    """One call that a model asks for. `args` is None when what the model wrote is not a JSON object; then
    `error` says why and `raw` holds (the start of) what it wrote."""

    id: str
    name: str
    args: dict[str, Any] | None
    raw: str = ""
    error: str = ""

    @property
    def given(self) -> dict[str, Any]:
        """Return the arguments; none where they cannot be read."""
        return self.args or {}

    def message(self) -> dict[str, Any]:
        """Return the call as it stands in the history."""
        arguments = json.dumps(self.given, ensure_ascii=False)
        function = {"name": self.name, "arguments": arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(slots=True)
class ToolResult:
    """Hold what a tool brought: `data` is JSON, for the run log and for rote; `as_text` is what a
    model reads. `origin` says whose words it is: "" the owner's own, else safety/taint/origins.py.
    `seconds`: how long the tool worked. `reason`: the gate's, when it refused; `said`: the same by keys of assets/words.
    `images`: paths of files, for models that take images."""

    status: Status
    data: Any = None
    origin: str = ""
    seconds: float = field(default=0.0, compare=False)
    reason: str = field(default="", compare=False)
    said: list[Any] = field(default_factory=list, compare=False)
    images: list[str] = field(default_factory=list)

    def as_text(self) -> str:
        """Return a string as it is; of an object its "output" verbatim, then the other keys that say something."""
        if isinstance(self.data, str):
            return self.data or f"[{self.status}]"
        if not isinstance(self.data, dict):
            return json.dumps(self.data, ensure_ascii=False)
        output = str(self.data.get("output", "")).rstrip("\n")
        rest = {key: value for key, value in self.data.items() if _is_said(key, value)}
        if _says(output, rest.get("structured")):
            rest.pop("structured", None)
        lines = [output] if output else []
        lines += [f"[{key}: {_shown(value)}]" for key, value in rest.items()]
        return "\n".join(lines) or f"[{self.status}]"


def _is_said(key: str, value: Any) -> bool:
    return key != "output" and value not in (None, "", 0, [], {})


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _says(text: str, structured: Any) -> bool:
    """Return True if an MCP server's structured answer is its text again: as JSON, or wrapped in one key."""
    inner = [structured]
    if isinstance(structured, dict) and len(structured) == 1:
        inner += structured.values()
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = text
    return said in inner or text.strip() in [
        each.strip() for each in inner if isinstance(each, str)
    ]
