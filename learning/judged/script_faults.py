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
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                pass  # a text is a docstring
            case ast.FunctionDef(name="plan" | "commit"):
                pass
            case _:
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
    match _pairs(call):
        case {"tool": ast.Constant(value=tool), "args": ast.Dict() as args}:
            script = _pairs(args).get("script")
        case _:
            return 'a call is written as {"tool": "NAME", "args": {…}}, with the name as a text'
    if tool == "code_run" and not isinstance(script, ast.Constant):
        return "the script of code_run is one text; values go into env"
    # what code_run or a fetch would do is judged when it is asked for (runs/replaying/replaying.py)
    may_read = tool in {"file_read", "code_run"} | LOOKS or _reads_by_name(tool)
    is_doubted = reads_only and not may_read
    return f"plan only reads, and {tool!r} changes something" if is_doubted else ""


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
    match node:
        case ast.Subscript(value=ast.Name(id="p"), slice=ast.Constant(value=name)):
            return name
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="p"), attr="get"),
            args=[ast.Constant(value=name), *_],
        ):
            return name
    return None
