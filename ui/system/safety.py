"""`safety check`: what the gate would say of calls, one JSON a line. `safety redact`: secrets
hidden from stdin to stdout.

Both are made for pipes: each line is answered before the next is read, and nothing that comes in
ends them.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import select
import sys
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple

from config import Config, SopwithError, Worded
from runs.start.trust import own_data
from safety.gate import Ask, Gate
from safety.secrets import Redactor, held_values
from sandbox.cells import levels
from tools.base import ToolContext, ToolError
from tools.registry import all_tools
from tools.staged import Staging
from tools.toolbox import Toolbox
from ui.command import JSON, command
from ui.words import reasons, words_of

PIECE = 65_536  # bytes read at a time
QUIET_SECONDS = 0.2  # without a piece: then somebody may be waiting for the lines that are there
_FIELDS: dict[str, tuple[type | UnionType, Any, str]] = {  # type, what holds without it, in words
    "tool": (str, "code_run", "a text"),
    "args": (dict, {}, "an object"),
    "session": (str, "main", "a text"),
    "request": (str, "", "a text"),
    "attended": (bool, True, "true or false"),
    "stage": (bool, None, "true or false"),
    "origin": (str | list, (), "a text, or a list of texts"),
}
_DEFECTS = (  # of ours: the next line is judged too
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NameError),
    *(OSError, RuntimeError, SopwithError, TypeError, ValueError, re.error),
)


class BadLine(Worded, ValueError):
    """A line that is no call; the text says why."""


class _Call(NamedTuple):
    tool: str
    args: dict[str, Any]
    session: str = "main"
    request: str = ""
    attended: bool = True
    # True: what it does to files is judged when it is seen; None: as here
    stage: bool | None = None
    origin: str | Sequence[str] = ()


@command("safety check", JSON)
def check(args: Namespace, config: Config) -> int:
    """`safety check`: always 0; a line that cannot be understood is answered with "confirm"."""
    judge = _Judge(config, Path.cwd())
    for line in sys.stdin.buffer:
        print(json.dumps(judge.of_line(line), ensure_ascii=False), flush=True)
    return 0


@command("safety redact", JSON)
def redact(args: Namespace, config: Config) -> int:
    """`safety redact`: stdin to stdout as it comes; bytes that are no UTF-8 stay as they are."""
    stream = Redactor(held_values(config, os.environ)).stream()
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    source = sys.stdin.fileno()
    while True:
        if not select.select([source], [], [], QUIET_SECONDS)[0]:
            _put(stream.settle())
        if not (piece := os.read(source, PIECE)):
            break
        _put(stream.feed(decoder.decode(piece)))
    _put(stream.feed(decoder.decode(b"", final=True)) + stream.close())
    return 0


def _put(text: str) -> None:
    if text:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()


class _Judge:
    """Asks the gate about lines. The question that a missing sandbox adds is not put: it says
    nothing of the call."""

    def __init__(self, config: Config, cwd: Path) -> None:
        own = partial(own_data, config.home, "main", None)
        self._gate = Gate(config.safety, config.home, Path.home(), cwd, own_targets=own)
        self._tools = Toolbox(all_tools())
        self._here: bool | None = None  # once it was asked for
        self._context = ToolContext(cwd, config.home / "runs", config.home)

    def _is_staged(self, tool: str) -> bool:
        """Return True where a run on this machine would stage such a call."""
        if tool != "code_run":
            return False
        if self._here is None:
            safety = self._gate.settings
            level = levels.chosen(levels.probe(self._gate.home), safety.sandbox)
            is_full = level.name == "full"
            self._here = is_full and Staging.works(self._gate.home, self._gate.places.roots)
        return self._here

    def of_line(self, line: bytes) -> dict[str, str]:
        """Return the answer to one line; never raises."""
        try:
            call = _meant(_read(line.decode("utf-8", "replace").strip()))
            tool = self._tools.get(call.tool)
            paths = tool.touches(self._context, call.args) if tool else ()
            stage = self._is_staged(call.tool) if call.stage is None else call.stage
            effects = tool.effects if tool else ()
            origin = (call.origin,) if isinstance(call.origin, str) else tuple(call.origin)
            said = call._replace(origin=origin, stage=stage)._asdict()
            decision = self._gate.decide(Ask(**said, effects=effects, paths=paths))
        except (BadLine, ToolError) as error:
            return _answer("confirm", "unknown", words_of(error))
        except _DEFECTS as error:
            return _answer("confirm", "unknown", f"{type(error).__name__}: {error}")
        why = reasons(decision.said, decision.reason)
        return _answer(decision.decision, decision.risk, why)


def _answer(decision: str, risk: str, reason: str) -> dict[str, str]:
    return {"decision": decision, "risk": risk, "reason": reason}


def _read(text: str) -> _Call:
    """Return the call that a line means. Raises BadLine."""
    if not text:
        raise BadLine("error.safety.empty-line")
    given = _parsed(text)
    if given is None or isinstance(given, list):
        what = "null" if given is None else "a list"
        raise BadLine("error.safety.no-call", what=what)
    if not isinstance(given, dict):  # `true` is a command, and 7 is typed as one
        command = given if isinstance(given, str) else text
        return _Call("code_run", {"type": "bash", "script": command})
    values = {name: _value(given, name) for name in _FIELDS}
    if "tool" not in given and "script" not in values["args"]:
        raise BadLine("error.safety.no-tool")
    return _Call(**values)


def _parsed(text: str) -> Any:
    """Return what a line is as JSON; a command as it is typed stays."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        # of a broken `{"tool": …`; `{ ls; }` and `"my tool" "x"` are commands
        if text.endswith(("}", '"')) and re.match(r'\{\s*"\w+"\s*:', text):
            raise BadLine("error.safety.no-json") from None
    return text


def _value(given: dict[str, Any], name: str) -> Any:
    kind, default, said = _FIELDS[name]
    value = given.get(name)
    if value is None:
        return default
    texts = [isinstance(each, str) for each in value] if isinstance(value, list) else []
    if not all([isinstance(value, kind), *texts]):
        raise BadLine("error.safety.wrong-field", name=name, wanted=said)
    return value


def _meant(call: _Call) -> _Call:
    """`mcp_call` stands for the tool that it names (tools/toolbox.py)."""
    server, tool, args = (call.args.get(key) for key in ("server", "tool", "args"))
    if call.tool != "mcp_call" or not isinstance(server, str) or not isinstance(tool, str):
        return call
    return call._replace(tool=f"{server}.{tool}", args=args if isinstance(args, dict) else {})
