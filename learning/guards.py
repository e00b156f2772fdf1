"""Say what must hold before a replay writes: the tools are what they were, the world can take it.

`ReplayGuards` is asked by replay/rote.py before the first step, between plan and commit (nothing has been written), and
behind the last write. It stops with a reason; it never works around anything. Source: seed 002 §7. A
replay that stops is fine, one that does the wrong thing is not.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from learning.route import Where
from memory.sops import Sop
from replay.parameters import ParameterError
from replay.procedure import Procedure
from replay.rote import Doubt, Spent, Write
from replay.template import as_text
from tools.base import LOOKS, Tool

MARGIN_BYTES = 4_000_000  # stays free on a file system that is written to
CALLS_FACTOR, CALLS_MORE = 1.5, 2  # of the teaching; at least so many more
SECONDS_FACTOR, SECONDS_MORE = 3.0, 20.0
PLAN_EFFECTS = {"none", "read", "execute"}
COMMIT_EFFECTS: Mapping[str, set[str]] = {
    "none": PLAN_EFFECTS,
    "local": PLAN_EFFECTS
    | {"write", "delete", "memory"},  # delete: to the trash, from where it comes back
    "external": PLAN_EFFECTS | {"write", "delete", "memory", "network"},
    "destructive": PLAN_EFFECTS | {"write", "delete", "memory", "network"},
}
Lang = Literal["en", "zh"]
SAY: Mapping[str, Mapping[Lang, str]] = {
    "gone_tool": {"en": "the tool {} is not here any more", "zh": "工具 {} 已经不在了"},
    "gone_field": {
        "en": "the tool {} has no argument {} any more (it has: {})",
        "zh": "工具 {} 不再有参数 {}（现有：{}）",
    },
    "new_field": {
        "en": "the tool {} now needs an argument {} that the SOP does not give",
        "zh": "工具 {} 现在需要参数 {}，而 SOP 没有给出",
    },
    "other_field": {
        "en": "the argument {1} of the tool {0} is not what it was: {2}, now {3}",
        "zh": "工具 {0} 的参数 {1} 变了：原来 {2}，现在 {3}",
    },
    "writes_in_plan": {
        "en": "{} uses {}, which changes something: a plan only reads",
        "zh": "{} 使用了 {}，它会改变东西：计划只能读取",
    },
    "effects": {
        "en": "{} uses {} ({}), which the SOP does not declare: its effects are {}",
        "zh": "{} 使用了 {}（{}），超出 SOP 声明的影响：{}",
    },
    "missing": {"en": "{} is not there any more", "zh": "{} 已经不在了"},
    "no_parent": {
        "en": "{} cannot be written: there is no folder {}",
        "zh": "无法写入 {}：没有文件夹 {}",
    },
    "no_right": {"en": "{} may not be written to", "zh": "{} 不可写"},
    "no_space": {
        "en": "{} has {} bytes free, and {} are needed",
        "zh": "{} 剩余 {} 字节，需要 {} 字节",
    },
    "unwritten": {"en": "{} does not hold what was written", "zh": "{} 的内容与写入的不同"},
    "calls": {"en": "{} calls, and {} when it was taught", "zh": "{} 次调用，学习时为 {} 次"},
    "seconds": {
        "en": "{:.0f} s, and {:.0f} s when it was taught",
        "zh": "{:.0f} 秒，学习时为 {:.0f} 秒",
    },
    "still_there": {"en": "{} is still there", "zh": "{} 还在"},
}


@dataclass(frozen=True, slots=True)
class ReplayGuards:
    """The guards of one replay. `schemas`: function schemas of the tools by name; `recorded`: their signatures when the
    SOP was taught."""

    schemas: Mapping[str, Mapping[str, Any]]
    tools: Mapping[str, Tool]
    where: Where
    recorded: Mapping[str, Any] = field(default_factory=dict)
    lang: Lang = "en"
    budget: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        sop: Sop,
        *,
        tools: Mapping[str, Tool],
        schemas: Sequence[Mapping[str, Any]],
        where: Where,
        lang: Lang = "en",
    ) -> ReplayGuards:
        """The guards for a run of an SOP; what it recorded when it was taught is read from its evidence.json."""
        by_name = {schema["function"]["name"]: schema for schema in schemas}
        known = evidence(sop.folder)
        return cls(by_name, tools, where, known.get("tools", {}), lang, known.get("budget") or {})

    def start(self, procedure: Procedure, parameters: Mapping[str, Any]) -> Doubt | None:
        """Tools as they were, effects as declared, parameters valid."""
        return next(self._at_start(procedure, parameters), None)

    def before(
        self,
        procedure: Procedure,
        values: Mapping[str, Any],
        planned: Sequence[Write],
        spent: Spent,
    ) -> Doubt | None:
        """Everything that the writes rely on is there, there is room and leave for all of them, and the plan took no more
        than it may."""
        if over := over_budget(self.budget, spent.calls + len(planned), spent.seconds, self.lang):
            return Doubt("budget", over)
        return next(self._before(procedure, planned), None)

    def after(
        self, procedure: Procedure, values: Mapping[str, Any], done: Sequence[Write]
    ) -> Doubt | None:
        """Read back what the file tools wrote."""
        return next(self._after(done), None)

    def _at_start(self, procedure: Procedure, parameters: Mapping[str, Any]) -> Iterator[Doubt]:
        used = dict.fromkeys(
            [*(step.tool for step in procedure.steps if step.tool), *self.recorded]
        )
        for name in used:
            yield from self._drift(name, self._given(procedure, name))
        yield from self._beyond_effects(procedure)
        try:
            procedure.bind(parameters, self.where.cwd)
        except ParameterError as error:
            yield Doubt("parameter", str(error))

    def _say(self, what: str, *args: object) -> str:
        return SAY[what][self.lang].format(*args)

    # the tools

    def _given(self, procedure: Procedure, tool: str) -> set[str]:
        return {name for step in procedure.steps if step.tool == tool for name in step.args} | {
            "env"
        }

    def _drift(self, name: str, given: set[str]) -> Iterator[Doubt]:
        """Return what changed in a tool since the SOP was taught, and in what way the SOP's calls do not fit it any more."""
        schema = self.schemas.get(name)
        if schema is None:
            yield Doubt("step", self._say("gone_tool", name))
            return
        now = signature(schema)
        then = self.recorded.get(name) or {"arguments": {}, "required": []}
        given = given | set(then["required"])  # of a script, whose calls are not known beforehand
        known = now["arguments"]
        for argument in given - {"env", "acts"} | set(then["arguments"]):
            if argument not in known:
                yield Doubt("step", self._say("gone_field", name, argument, ", ".join(known)))
            elif argument in then["arguments"] and then["arguments"][argument] != known[argument]:
                was, new = json.dumps(then["arguments"][argument]), json.dumps(known[argument])
                yield Doubt("step", self._say("other_field", name, argument, was, new))
        for argument in now["required"]:
            if argument not in given:
                yield Doubt("step", self._say("new_field", name, argument))

    def _beyond_effects(self, procedure: Procedure) -> Iterator[Doubt]:
        for step in procedure.steps:
            yield from self._beyond(
                procedure, step.id, step.tool, changes_something=step.changes_something
            )

    def _beyond(
        self, procedure: Procedure, step: str, name: str, *, changes_something: bool
    ) -> Iterator[Doubt]:
        tool = self.tools.get(name)
        in_plan = PLAN_EFFECTS | (
            {"ask", "network"} if name in LOOKS else {"ask"}
        )  # whom it asks: runs/replaying/plan_calls.py
        allowed = COMMIT_EFFECTS[procedure.effects] if changes_something else in_plan
        beyond = sorted(_effects(name, tool) - allowed) if tool else []
        if beyond and not changes_something:
            yield Doubt("step", self._say("writes_in_plan", step, name))
        elif beyond:
            yield Doubt(
                "step", self._say("effects", step, name, ", ".join(beyond), procedure.effects)
            )

    # the world

    def _before(self, procedure: Procedure, planned: Sequence[Write]) -> Iterator[Doubt]:
        needed: dict[Path, int] = {}
        for write in planned:
            yield from self._beyond(procedure, write.step, write.tool, changes_something=True)
        for write in planned:
            if write.args is None:
                continue
            for path in self._relied_on(write):
                if not os.path.lexists(path):
                    yield Doubt("world", self._say("missing", path))
            if write.tool == "file_patch" and not _holds(
                self._path(str(write.args["path"])), str(write.args["old"])
            ):
                yield Doubt(
                    "world",
                    self._say("missing", json.dumps(write.args["old"], ensure_ascii=False)[:200]),
                )
            for path, size in self._targets(write):
                yield from self._unwritable(path, may_make_folders=write.tool == "file_write")
                volume = _nearest(path)
                needed[volume] = needed.get(volume, 0) + size
        yield from self._short_of_space(needed)

    def _relied_on(self, write: Write) -> list[Path]:
        """Paths that must be there for a write to work."""
        args = write.args or {}
        if write.tool == "file_trash":
            return [self._path(path) for path in _listed(args.get("paths"))]
        if write.tool == "file_patch":
            return [self._path(str(args["path"]))] if "path" in args else []
        return [self._path(args["cwd"])] if isinstance(args.get("cwd"), str) else []

    def _targets(self, write: Write) -> Iterator[tuple[Path, int]]:
        """Return what a write changes, with the bytes it needs there; of a script all absolute paths in its values."""
        args = write.args or {}
        if write.tool in ("file_write", "file_patch") and "path" in args:
            text = str(args.get("content", args.get("new", "")))
            yield self._path(str(args["path"])), len(text.encode("utf-8", "replace"))
        elif write.tool == "file_trash":
            for path in _listed(args.get("paths")):
                yield self._path(path), 0
        elif write.tool == "code_run":
            for value in (args.get("env") or {}).values():
                if isinstance(value, str) and value.startswith("/") and "\n" not in value:
                    yield self._path(value), 0

    def _unwritable(self, path: Path, *, may_make_folders: bool) -> Iterator[Doubt]:
        parent = path.parent
        if not parent.is_dir() and not may_make_folders:
            yield Doubt("world", self._say("no_parent", path, parent))
        elif not os.access(path if path.is_file() else _nearest(parent), os.W_OK):
            yield Doubt(
                "world", self._say("no_right", path if path.is_file() else _nearest(parent))
            )

    def _short_of_space(self, needed: Mapping[Path, int]) -> Iterator[Doubt]:
        volumes: dict[int, tuple[Path, int]] = {}
        for place, size in needed.items():
            device = place.stat().st_dev
            first, sum_ = volumes.get(device, (place, 0))
            volumes[device] = (first, sum_ + size)
        for place, size in volumes.values():
            free = shutil.disk_usage(place).free
            wanted = size + min(
                MARGIN_BYTES, size
            )  # a small disk may be written to; a write needs room beside the old
            if free < max(wanted, 1):
                yield Doubt("world", self._say("no_space", place, free, wanted))

    def _after(self, done: Sequence[Write]) -> Iterator[Doubt]:
        last_written = {
            str((write.args or {}).get("path")): write
            for write in done
            if write.tool == "file_write"
        }
        for path, write in last_written.items():
            args = write.args or {}
            text = str(args.get("content", ""))
            if "{{file:" not in text and not _holds(self._path(path), text):
                yield Doubt("check", self._say("unwritten", path))
        for write in done:
            if write.tool == "file_trash":
                for path in _listed((write.args or {}).get("paths")):
                    if os.path.lexists(self._path(path)) and path not in last_written:
                        yield Doubt("check", self._say("still_there", path))

    def _path(self, text: str) -> Path:
        return self.where.cwd / Path(text).expanduser()


def evidence(folder: Path) -> dict[str, Any]:
    """Return what evidence.json of an SOP says; nothing when there is none that can be read."""
    try:
        found = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def over_budget(budget: Mapping[str, Any], calls: int, seconds: float, lang: Lang = "en") -> str:
    """Why so many calls, or so long a time, are more than an SOP may take; empty while they are not.

    `budget` is what one run took when the SOP was taught: calls, and seconds in which the tools worked.
    """
    if "calls" not in budget or "seconds" not in budget:
        return ""
    if calls > max(CALLS_FACTOR * budget["calls"], budget["calls"] + CALLS_MORE):
        return SAY["calls"][lang].format(calls, budget["calls"])
    if seconds > max(SECONDS_FACTOR * budget["seconds"], budget["seconds"] + SECONDS_MORE):
        return SAY["seconds"][lang].format(seconds, budget["seconds"])
    return ""


def signature(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a tool's schema a call depends on: arguments with type, choices and bounds, which are required, a hash.

    Descriptions and defaults do not count. An argument that is new and optional changes the hash and nothing else.
    """
    parameters = schema["function"]["parameters"]
    arguments = {name: _shape(inner) for name, inner in parameters.get("properties", {}).items()}
    found = {"arguments": arguments, "required": sorted(parameters.get("required", []))}
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]
    return {**found, "hash": digest}


def _effects(name: str, tool: Tool) -> set[str]:
    """Return what a tool may do; of one that is not ours, what its name says."""
    if tool.effects:
        return set(tool.effects)
    from safety.calls import read_name  # few replays need it

    return {"read": {"read"}, "change": {"write"}}.get(read_name(name).effect, {"network"})


def tools_used(sop: Sop) -> set[str]:
    """The tools that an SOP calls, and was seen to call."""
    steps = sop.procedure.steps if sop.procedure else ()
    return {step.tool for step in steps if step.tool} | set(evidence(sop.folder).get("tools", {}))


def signatures(
    procedure: Procedure, schemas: Iterable[Mapping[str, Any]], called: Iterable[str] = ()
) -> dict[str, Any]:
    """The signatures of the tools that a procedure uses, and was seen to use: what evidence.json keeps under "tools"."""
    used = {step.tool for step in procedure.steps} | set(called)
    return {
        schema["function"]["name"]: signature(schema)
        for schema in schemas
        if schema["function"]["name"] in used
    }


def _shape(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        return {
            key: _shape(value)
            for key, value in sorted(schema.items())
            if key not in ("description", "default", "title")
        }
    return [_shape(item) for item in schema] if isinstance(schema, list) else schema


# A range of all Chinese characters takes a millisecond to compile, and there are five: where a text has none, the patterns
# do without.


def _listed(value: Any) -> list[str]:
    return (
        [as_text(item) for item in value]
        if isinstance(value, list)
        else [value]
        if isinstance(value, str)
        else []
    )


def _nearest(path: Path) -> Path:
    """The path, or the folder nearest above it that exists."""
    return next((place for place in (path, *path.parents) if place.exists()), Path("/"))


def _holds(path: Path, text: str) -> bool:
    """Return True if a file holds the text, in any encoding and with any line ends that the file had."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    plain = data.replace(b"\r\n", b"\n")
    if text.replace("\r\n", "\n").encode("utf-8", "surrogateescape") in plain:
        return True
    for encoding in ("utf-16", "gb18030", "cp1252"):
        try:
            if text in data.decode(encoding):
                return True
        except UnicodeDecodeError:
            continue
    return False
