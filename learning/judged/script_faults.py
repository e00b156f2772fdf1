"""Read a script that a model wrote: what about it must not be stored, a line each."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from tools.base import LOOKS

MAX_SCRIPT_CHARS = 20_000
MIN_CHARS = 3


def found_in(source: str, values: Collection[str], parameters: Sequence[str]) -> list[str]:
    """Return what is wrong. `values`: those of the runs, which a script must not hold; `parameters`
    it must use."""
    if len(source) > MAX_SCRIPT_CHARS:
        return [f"it is longer than {MAX_SCRIPT_CHARS} characters"]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        return [f"not Python: {error}"]
    return [*_shape(tree), *_calls(tree), *_hard_coded(tree, values), *_unused(tree, parameters)]


def _shape(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        is_import = isinstance(node, ast.Import | ast.ImportFrom)
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_half = isinstance(node, ast.FunctionDef) and node.name in ("plan", "commit")
        if not (is_import or is_text or is_half):
            yield f"line {node.lineno}: beside imports there may be nothing but plan and commit"


def _calls(tree: ast.Module) -> Iterator[str]:
    """Yield why a call is not one that stands there as it is, or does more than read in plan."""
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(function):
            if isinstance(node, ast.YieldFrom):
                yield f"line {node.lineno}: yield from is not read; yield each call"
            elif isinstance(node, ast.Yield):
                why = _call_fault(node.value, reads_only=function.name == "plan")
                yield from [f"line {node.lineno}: {why}"] if why else []


def _call_fault(call: ast.expr | None, *, reads_only: bool) -> str:
    parts = _pairs(call)
    tool = parts.get("tool")
    if not isinstance(tool, ast.Constant) or not isinstance(parts.get("args"), ast.Dict):
        return 'a call is written as {"tool": "NAME", "args": {…}}, with the name as a text'
    script = _pairs(parts["args"]).get("script")
    if tool.value == "code_run" and not isinstance(script, ast.Constant):
        return "the script of code_run is one text; values go into env"
    # what code_run or a fetch would do is judged when it is asked for (runs/replaying/replaying.py)
    is_free = not reads_only or tool.value in {"file_read", "code_run"} | LOOKS
    return (
        ""
        if is_free or _reads_by_name(tool.value)
        else f"plan only reads, and {tool.value!r} changes something"
    )


def _reads_by_name(tool: object) -> bool:
    from safety.calls import read_name

    return isinstance(tool, str) and "." in tool and read_name(tool).effect == "read"


def _pairs(node: ast.expr | None) -> dict[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    pairs = zip(node.keys, node.values, strict=True)
    return {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}


def _hard_coded(tree: ast.Module, values: Collection[str]) -> Iterator[str]:
    long = sorted((text for text in values if len(text) >= MIN_CHARS), key=len, reverse=True)
    for node in (each for each in ast.walk(tree) if isinstance(each, ast.Constant)):
        if held := _held(node.value, long, values):
            yield f"line {node.lineno}: {held!r} is a value of a run; take it from p or from a result"


def _held(constant: object, long: Sequence[str], values: Collection[str]) -> str:
    """Return the value of a run that a constant is, or a text has in it; "" for none."""
    if isinstance(constant, str):
        return next((each for each in long if each in constant), "")
    text = str(constant)
    is_number = not isinstance(constant, bool) and len(text) > 1
    return text if is_number and text in values else ""


def _unused(tree: ast.Module, parameters: Sequence[str]) -> Iterator[str]:
    said = {_taken_of_p(node) for node in ast.walk(tree)}
    yield from (f"it does not use the parameter {name}" for name in parameters if name not in said)


def _taken_of_p(node: ast.AST) -> Any:
    """Return the name that `p["name"]` or `p.get("name")` takes; None for anything else."""
    is_get = isinstance(node, ast.Call) and ast.unparse(node.func) == "p.get"
    key = node.args[0] if isinstance(node, ast.Call) and is_get and node.args else None
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "p":
        key = node.slice
    return key.value if isinstance(key, ast.Constant) else None
