"""Tell a model of a procedure: what was asked, the steps, the parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replay.procedure import SLOT, Procedure

MAX_CHARS = 600  # of a step, a request, an answer
MAX_STEPS = 20


@dataclass(frozen=True, slots=True)
class Sketch:
    """A procedure that has no words of a model's yet. `values` are those that it was taught with; none are known of a text."""

    name: str
    request: str
    procedure: Procedure
    values: Mapping[str, Any]
    steps: Sequence[str]
    answer: str = ""

    def brief(self) -> str:
        """Return one JSON object, for the placeholder {draft} of the prompt author_sop."""
        said = {
            "name": self.name,
            "request": self.request[:MAX_CHARS],
            "parameters": {
                name: _known(schema) for name, schema in self.procedure.parameters.items()
            },
            "slots": list(slots(self.procedure).values()),
            "steps": [_cut(step) for step in self.steps[:MAX_STEPS]],
            "result": dict(self.procedure.result),
            "answer": self.answer[:MAX_CHARS],
            "wordings": [wording.text for wording in self.procedure.wordings],
        }
        return json.dumps(said, ensure_ascii=False, indent=1)


def _known(schema: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("type", "format", "enum", "description")
    return {key: schema[key] for key in keys if key in schema}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]} …"


def slots(procedure: Procedure) -> dict[str, str]:
    """Return each parameter with its slot as the taught wordings write it: {text:quoted}."""
    found = {name: f"{{{name}}}" for name in procedure.parameters}
    for wording in procedure.wordings:
        found |= {match[1]: match[0] for match in SLOT.finditer(wording.text) if match[2]}
    return found
