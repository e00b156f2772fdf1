"""The calls and literals of Python code with their places, by `ast`; nothing is run."""

from __future__ import annotations

import ast
import unicodedata
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from shell.bash import NotUnderstood
from shell.catalogue.packs import load
from shell.python.values import Values, full_name

TOO_DEEP = "nested too deeply"


class Literal(NamedTuple):
    """A text or a number that stands in the code. Offsets are bytes of its UTF-8."""

    start: int
    end: int
    value: object


class Call(NamedTuple):
    """One call: its full name (`shutil.rmtree`), the arguments as texts where they are known, its place."""

    name: str
    arguments: tuple[str | None, ...]
    node: ast.Call
    start: int
    end: int


class Code(NamedTuple):
    """Python code that was read."""

    nodes: list[ast.AST]
    values: Values
    modules: frozenset[str]  # the top modules that it loads


def read_code(code: str) -> Code:
    """Parse Python code. Raises NotUnderstood for what does not parse or is nested too deeply."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in somebody's string is theirs
            nodes = list(ast.walk(ast.parse(unicodedata.normalize("NFKC", code))))
    except (RecursionError, MemoryError):
        raise NotUnderstood(TOO_DEEP) from None
    except (SyntaxError, ValueError) as error:
        raise NotUnderstood(f"it is no Python that we can read: {error}") from None
    return Code(nodes, Values(nodes, dict(_imported(nodes))), frozenset(_modules(nodes)))


def calls(code: str) -> list[Call]:
    """Return the calls of a script, in its order. Raises NotUnderstood."""
    read, starts = read_code(code), _line_starts(code)
    found = []
    for node in (each for each in read.nodes if isinstance(each, ast.Call)):
        name = full_name(node.func, read.values.names)
        given = tuple(read.values.text(argument) for argument in node.args)
        found.append(Call(name, given, node, *_place(node, starts)))
    return sorted(found, key=lambda call: call.start)


def literals(code: str) -> list[Literal]:
    """Return the texts and numbers of a script, in its order. Raises NotUnderstood."""
    starts = _line_starts(code)
    found = []
    for node in read_code(code).nodes:
        value = node.value if isinstance(node, ast.Constant) else None
        is_plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
        if isinstance(node, ast.Constant) and is_plain:
            found.append(Literal(*_place(node, starts), node.value))
    return sorted(found, key=lambda literal: literal[:2])


def _line_starts(code: str) -> list[int]:
    starts, at = [0], 0
    for line in code.splitlines(keepends=True):
        at += len(line.encode("utf-8", "replace"))
        starts.append(at)
    return starts


def _place(node: ast.expr, starts: list[int]) -> tuple[int, int]:
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    return starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end


def _imported(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Local name → full name: `from shutil import rmtree as rm` gives rm → shutil.rmtree."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            yield from _star(node)
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            yield from ((alias.asname, alias.name) for alias in node.names if alias.asname)


def _star(node: ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """`from os import *`: the names of the module that the rows know."""
    if node.names[0].name != "*":
        return
    for name in " ".join(load("python.yaml")["calls"].values()).split():
        module, _, last = name.rpartition(".")
        if module == node.module:
            yield last, name


def _modules(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
