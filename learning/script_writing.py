"""Lets a model write the script of an SOP, where a value was looked up or worked out and steps cannot say how.

The model is told the calls, their results and where each value came from; its script is checked by code alone before
anything is stored: it parses, holds nothing but plan and commit, only reads in plan, holds no value of the run, uses
every parameter, and driven with the recorded results it asks for the same calls with the same values. What fails is
told once more; then the draft stays as it was. Source: seed 002 §2; issue "Crystallise".
"""

from __future__ import annotations

import ast
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from learning.doubts import forms, is_composed
from learning.kept import Work, output_of, stands_in
from learning.provenance import Found
from learning.reach import hosts_in, python_only_reads, shell_only_reads
from learning.units import MIN_BYTES, absolute, as_text, scalars
from learning.wordings import name_of, schema_of, unique
from memory.runlog.evidence import Result
from replay.extract import whole_output
from replay.script import Move, RunningScript, Script, ScriptFault
from tools.base import LOOKS

NAME = "scripts/run.py"
TRIES = 2
MAX_SHOWN_CHARS = 1_500  # of one result
MAX_SCRIPT_CHARS = 20_000
READING_TOOLS = {"file_read"} | LOOKS
UNSOLVED = (
    "nothing proves",
    "the runs do not have the same steps",
)  # problems that no script can settle
_NEEDS = ("worked out", "was chosen", "needs a script", "cannot make it", "may be made of")

WriteScript = Callable[
    [str, Sequence[str]], str | None
]  # brief, what was wrong with the last one → source


def needs_script(work: Work) -> bool:
    """True when nothing stands in the way but values that were looked up or worked out."""
    is_short = any(each in problem for problem in work.problems for each in _NEEDS)
    return (
        is_short
        and not work.slots
        and not any("secret" in each or "failed" in each for each in work.problems)
    )


def take_all_values(work: Work) -> None:
    """Every value of the request is a parameter: also one that no call holds, since something was made of it."""
    taken = set(work.content.parameters)
    for mention in work.found.mentions:
        if mention.is_hard and id(mention) not in work.names:
            name = mention.name or unique(name_of(mention, []), taken)
            taken.add(name)
            work.names[id(mention)] = name
            work.content.parameters[name] = schema_of(mention, [])[0]


def brief(work: Work, values: Mapping[str, Any], origins: Sequence[Mapping[str, Any]]) -> str:
    """What a model must know to write the script: one JSON object."""
    calls = [
        {
            "tool": call.tool,
            "args": call.args,
            "does": "reads" if work.reaches[number] == "reads" else "changes",
            "status": call.status,
            "result": _cut(
                output_of(call) or json.dumps(call.data, ensure_ascii=False, default=str)
            ),
        }
        for number, call in ((n, work.trace.calls[n]) for n in _usable(work))
    ]
    said = {
        "request": work.trace.request,
        "parameters": {
            name: {**work.content.parameters[name], "value in the run": values[name]}
            for name in values
        },
        "calls": calls,
        "where the values came from": list(origins),
        "what stands in the way": work.problems,
        "answer": _cut(work.trace.answer),
    }
    return json.dumps(said, ensure_ascii=False, indent=1)


def _usable(work: Work) -> list[int]:
    """The calls that the script may make: those that stay, and all that only read; it may have learned from them."""
    talk = ("ask_user", "update_working_checkpoint")
    calls = enumerate(work.trace.calls)
    reads = [
        n
        for n, call in calls
        if call.status == "ok" and work.reaches[n] == "reads" and call.tool not in talk
    ]
    return sorted({*work.kept, *reads})


def source_in(reply: str) -> str:
    """The Python of a reply: its block of code, or all of it."""
    blocks = re.findall(r"```(?:python|py)?[ \t]*\n(.*?)```", reply, re.DOTALL)
    return f"{(max(blocks, key=len) if blocks else reply).strip()}\n"


def faults(source: str, work: Work, values: Mapping[str, Any]) -> list[str]:
    """What is wrong with a script, a line each; none when it may be stored. It is run only when it reads well."""
    if len(source) > MAX_SCRIPT_CHARS:
        return [f"it is longer than {MAX_SCRIPT_CHARS} characters"]
    try:
        script = _loaded(source)
    except ScriptFault as fault:
        return [f"line {fault.line}: {fault.reason}" if fault.line else fault.reason]
    tree = ast.parse(source)
    found = [
        *_shape(tree),
        *_calls(tree, hosts_in(work.trace.request)),
        *_hard_coded(tree, work, values),
        *_unused(tree, values),
    ]
    return found or _replayed(script, work, values)


def _loaded(source: str) -> Script:
    with tempfile.TemporaryDirectory(prefix="sopwith-draft-") as place:
        path = Path(place) / NAME
        path.parent.mkdir()
        path.write_text(source, "utf-8")
        return Script.load(Path(place), NAME)


# what it says


def _shape(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        is_import = isinstance(node, ast.Import | ast.ImportFrom)
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (
            is_import
            or is_text
            or (isinstance(node, ast.FunctionDef) and node.name in ("plan", "commit"))
        ):
            yield f"line {node.lineno}: beside imports there may be nothing but plan and commit"


def _calls(tree: ast.Module, hosts: frozenset[str]) -> Iterator[str]:
    """Each call stands there as it is, and plan asks for none that is not known to read."""
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(function):
            if isinstance(node, ast.YieldFrom):
                yield f"line {node.lineno}: yield from is not read; yield each call"
            elif isinstance(node, ast.Yield):
                why = _call_fault(node.value, hosts, reads_only=function.name == "plan")
                if why:
                    yield f"line {node.lineno}: {why}"


def _call_fault(call: ast.expr | None, hosts: frozenset[str], *, reads_only: bool) -> str:
    parts = _pairs(call)
    tool = parts.get("tool")
    if not isinstance(tool, ast.Constant) or not isinstance(parts.get("args"), ast.Dict):
        return 'a call is written as {"tool": "NAME", "args": {…}}, with the name as a text'
    args = _pairs(parts["args"])
    script, kind = args.get("script"), args.get("type")
    if tool.value == "code_run" and not isinstance(script, ast.Constant):
        return "the script of code_run is one text; values go into env"
    if not reads_only or tool.value in READING_TOOLS or _reads_by_name(tool.value):
        return ""  # whom a fetch may ask is seen when it is made (runs/replaying/plan_calls.py)
    if tool.value != "code_run":
        return f"plan only reads, and {tool.value!r} changes something"
    is_python = isinstance(kind, ast.Constant) and kind.value == "python"
    assert isinstance(script, ast.Constant)
    reads = (python_only_reads if is_python else shell_only_reads)(str(script.value), hosts)
    return (
        ""
        if reads
        else "plan only reads, and what this would run is not known to leave everything as it is"
    )


def _reads_by_name(tool: object) -> bool:
    """Of a tool of an MCP server, as the gate has it."""
    from safety.calls import read_name

    return isinstance(tool, str) and "." in tool and read_name(tool).effect == "read"


def _pairs(node: ast.expr | None) -> dict[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    pairs = zip(node.keys, node.values, strict=True)
    return {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}


def _hard_coded(tree: ast.Module, work: Work, values: Mapping[str, Any]) -> Iterator[str]:
    """Values of this one run would be the same in every run."""
    hard = [mention for mention in work.found.mentions if mention.is_hard]
    data = {text for each in hard if each.kind != "path" for text in forms(each)}
    data |= {
        text
        for each in hard
        if each.kind == "path"
        for text in (each.value, each.text, Path(each.value).name)
    }
    data |= {str(value) for value in values.values()}
    data |= {each.text for each in _varying(work, _usable(work))}
    texts = sorted(text for text in data if len(text.encode()) >= MIN_BYTES)
    numbers = {
        value for value in values.values() if isinstance(value, int | float) and abs(value) > 1
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant):
            continue
        if isinstance(node.value, str):
            held = [text for text in texts if stands_in(text, node.value)]
            if held:
                yield f"line {node.lineno}: {max(held, key=len)!r} is a value of this one run; take it from p or from a result"
        elif not isinstance(node.value, bool) and (
            node.value in numbers or str(node.value) in texts
        ):
            yield f"line {node.lineno}: {node.value!r} is a value of this one run; take it from p"


def _varying(work: Work, calls: Sequence[int]) -> list[Found]:
    """The values of calls that are no constants; also a text that was made up for this one run."""
    own = [each for each in work.found.found if each.unit.call in calls]
    return [
        each for each in own if each.source.origin != "constant" or is_composed(work, each.unit)
    ]


def _unused(tree: ast.Module, values: Mapping[str, Any]) -> Iterator[str]:
    said = {
        node.slice.value
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
        else ""
        for node in ast.walk(tree)
    }
    said |= {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
    }
    yield from (f"it does not use the parameter {name}" for name in values if name not in said)


# what it does


def _replayed(script: Script, work: Work, values: Mapping[str, Any]) -> list[str]:
    """Drives the script with the recorded results: it must ask for the recorded calls, with the recorded values."""
    given = {
        **values,
        "lang": work.trace.lang,
        "cwd": str(work.trace.cwd),
        "today": work.around.today,
    }
    running = RunningScript(script)
    try:
        return _Drive(running, work).to_its_end(given)
    except ScriptFault as fault:
        return [f"line {fault.line}: {fault.reason}" if fault.line else fault.reason]
    finally:
        running.close()


class _Drive:
    """One way through a script, beside the calls of the trace that stay."""

    def __init__(self, running: RunningScript, work: Work) -> None:
        self.running, self.work, self.left = running, work, _usable(work)

    def to_its_end(self, given: dict[str, Any]) -> list[str]:
        """What differs from the trace; nothing when it is the same."""
        found = self._half(self.running.plan(given), "plan")
        if isinstance(found, str):
            return [found]
        value = found[0]
        if self.running.script.has_commit:
            found = self._half(self.running.commit(given, value), "commit")
            if isinstance(found, str):
                return [found]
            value = found[0]
        if missing := [number for number in self.left if number in self.work.kept]:
            return [f"it does not ask for call {self._place(missing[0])} of the run"]
        return self._answered(value)

    def _half(self, move: Move, half: str) -> tuple[Any] | str:
        while move.tool:
            if not self.left:
                return f"line {move.line}: it asks for more calls than the run made"
            number, why = self._next(move)
            if why:
                return (
                    f"line {move.line}: call {self._place(number)} of the run is another one: {why}"
                )
            call = self.work.trace.calls[number]
            if half == "plan" and self.work.reaches[number] != "reads":
                return f"line {move.line}: what changes something belongs into commit"
            del self.left[: self.left.index(number) + 1]
            move = self.running.go_on(call.status, _data(call))
        if isinstance(move.value, dict) and set(move.value) == {"stop"}:
            return (
                f"{half} stops with the values of the run: {_cut(as_text(str(move.value['stop'])))}"
            )
        return (move.value,)

    def _place(self, number: int) -> int:
        return _usable(self.work).index(number) + 1

    def _next(self, move: Move) -> tuple[int, str]:
        """The call of the run that is asked for, behind looks that are left out; or the one that is due, and why not."""
        for number in self.left:
            why = self._differs(move, number, self.work.trace.calls[number])
            if not why or number in self.work.kept:
                return number, why
        return number, why

    def _differs(self, move: Move, number: int, call: Result) -> str:
        is_trashed = move.tool == "file_trash" and re.match(
            r"\s*rm\s", str(call.args.get("script", ""))
        )
        if move.tool != call.tool and not is_trashed:
            return f"{move.tool} in place of {call.tool}"
        said = [str(value) for _, value in scalars(move.args or {})]
        if call.tool != "code_run" and sorted(map(self._plain, said)) != sorted(
            self._plain(str(value)) for _, value in scalars(call.args)
        ):
            return f"{_cut(json.dumps(move.args, ensure_ascii=False))} in place of {_cut(json.dumps(call.args, ensure_ascii=False))}"
        everything = "\n".join(said + [self._plain(value) for value in said])
        missing = [
            each.text
            for each in _varying(self.work, [number])
            if each.text not in everything and self._plain(each.text) not in everything
        ]
        return f"{missing[0]!r} is missing in it" if missing else ""

    def _plain(self, text: str) -> str:
        """A path as an absolute one; other texts as they are."""
        if not re.match(r"[~./]|[\w.-]+/", text) or "\n" in text:
            return text
        return str(absolute(text, self.work.trace.cwd, self.work.around.owner_home))

    def _answered(self, value: Any) -> list[str]:
        if not isinstance(value, str):
            return ["it must return the result as a text"]
        reads_only = all(self.work.reaches[number] == "reads" for number in self.work.kept)
        said, answer = (
            " ".join(text.split()).rstrip(".") for text in (value, self.work.trace.answer)
        )
        if reads_only and not (said and (stands_in(said, answer) or stands_in(answer, said))):
            return [f"its result is {_cut(said)!r}, and the run's was {_cut(answer)!r}"]
        return []


def _data(call: Result) -> Any:
    """The result as a script gets it: with all of the output, while its file is there."""
    if isinstance(call.data, dict) and call.data.get("file"):
        try:
            return call.data | {"output": whole_output(call.data)}
        except (OSError, ValueError):
            return call.data
    return call.data


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]} …"
