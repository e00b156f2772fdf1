"""Read Python code by `ast`: its nodes, the values of its names, the modules that it loads; nothing
is run."""

from __future__ import annotations

import ast
import unicodedata
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from shell.bash import NotUnderstood
from shell.catalogue.packs import python_names
from shell.python.values import Values

TOO_DEEP = "nested too deeply"


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


def _imported(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield local name → full name: `from shutil import rmtree as rm` gives rm → shutil.rmtree."""
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
    calls = [names for kind, names in python_names().items() if kind.startswith("calls.")]
    for name in sorted(frozenset().union(*calls)):
        module, _, last = name.rpartition(".")
        if module == node.module:
            yield last, name


def _modules(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
