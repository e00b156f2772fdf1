"""One call that a model asks for, and what its tool brought."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "error", "refused", "timeout", "cancelled"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model asks for. `args` is None when what the model wrote is not a JSON object; then
    `error` says why and `raw` holds (the start of) what it wrote."""

    id: str
    name: str
    args: dict[str, Any] | None
    raw: str = ""
    error: str = ""


@dataclass(slots=True)
class ToolResult:
    """Hold what a tool brought: `data` is JSON, for the run log and for rote; `as_text` is what a
    model reads. `origin` says whose words it is: "" the owner's own, else safety/taint/origins.py.
    `seconds`: how long the tool worked. `reason`: the gate's, when it refused."""

    status: Status
    data: Any = None
    origin: str = ""
    seconds: float = field(default=0.0, compare=False)
    reason: str = field(default="", compare=False)
    said: list[Any] = field(
        default_factory=list, compare=False
    )  # the reason by keys of assets/words
    images: list[str] = field(default_factory=list)  # paths of files, for models that take images

    def as_text(self) -> str:
        """A string as it is; of an object its "output" verbatim, then the other keys that say something."""
        if isinstance(self.data, str):
            return self.data or f"[{self.status}]"
        if not isinstance(self.data, dict):
            return json.dumps(self.data, ensure_ascii=False)
        output = str(self.data.get("output", "")).rstrip("\n")
        rest = {
            key: value
            for key, value in self.data.items()
            if key != "output" and value not in (None, "", 0, [], {})
        }
        if "structured" in rest and _says(output, rest["structured"]):
            del rest["structured"]
        lines = [output] if output else []
        lines += [
            f"[{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}]"
            for key, value in rest.items()
        ]
        return "\n".join(lines) or f"[{self.status}]"


def _says(text: str, structured: Any) -> bool:
    """Return True if an MCP server's structured answer is its text again: as JSON, or wrapped in one key."""
    inner = (
        [structured, *structured.values()]
        if isinstance(structured, dict) and len(structured) == 1
        else [structured]
    )
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = text
    return any(
        each == said or (isinstance(each, str) and each.strip() == text.strip()) for each in inner
    )
