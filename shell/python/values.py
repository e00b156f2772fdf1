"""Read Python code by `ast`: its nodes, the modules that it loads, and what its expressions stand
for, as far as that is known before it runs; nothing is run."""

from __future__ import annotations

import ast
import unicodedata
import warnings
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from shell.bash import NotUnderstood
from shell.catalogue.packs import python_names

TOO_DEEP = "nested too deeply"
_MAX_DEPTH = 12
_MAX_TEXT = 20_000
_UNKNOWN = "\0"  # stands for what is not known


def full_name(function: ast.expr, imported: Mapping[str, str]) -> str:
    """Return the dotted name that is called; `imported`: local name → full name. "?" for what has
    no name."""
    match function:
        case ast.Name(id=name):
            return imported.get(name, name)
        case ast.Attribute(value=owner, attr=name):
            return f"{full_name(owner, imported)}.{name}"
        case ast.Call(func=ast.Name("__import__"), args=[ast.Constant(value=module), *_]):
            return str(module)
    return "?"


class Values:
    """The values of one piece of Python code; `imported` as for `full_name`."""

    def __init__(self, nodes: list[ast.AST], imported: dict[str, str]) -> None:
        self.names = imported
        self._assigned: dict[str, list[ast.expr]] = {}
        for node in nodes:
            match node:
                case ast.Assign(targets=[target], value=value):
                    self._assign(target, [value])
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._assign(target, [value])
                case ast.For(target=target, iter=it) | ast.comprehension(target=target, iter=it):
                    self._assign(target, it.elts if isinstance(it, (ast.List, ast.Tuple)) else [])

    def _assign(self, target: ast.expr, values: list[ast.expr]) -> None:
        if isinstance(target, ast.Name):
            self._assigned.setdefault(target.id, []).extend(values)

    def texts(self, node: ast.expr) -> list[str]:
        """Return the texts that an expression may stand for: of a variable that is set in several
        places, each."""
        found = self._assigned.get(node.id, []) if isinstance(node, ast.Name) else [node]
        return [text for each in found[:50] if (text := self.text(each)) is not None]

    def rough(self, node: ast.expr) -> str:
        """Return the text as far as it is known, with a ? for what is not: of `f"drop database
        {name}"`."""
        return self._read(node, 0).replace(_UNKNOWN, "?")

    def text(self, node: ast.expr) -> str | None:
        """Return the text that an expression stands for; the owner's home is ~. None: not known."""
        text = self._read(node, 0)
        return None if _UNKNOWN in text else text

    def _read(self, node: ast.expr, depth: int) -> str:
        if depth > _MAX_DEPTH:
            return _UNKNOWN
        depth += 1
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Constant(value=bytes(data)):
                return data.decode("latin-1")
            case ast.Name(id=name):
                found = self._assigned.get(name, [])
                return self._read(found[0], depth) if len(found) == 1 else _UNKNOWN
            case ast.BinOp(left=left, op=ast.Add() | ast.Div() as sign, right=right):
                between = "/" if isinstance(sign, ast.Div) else ""
                return self._joined(between, [left, right], depth)
            case ast.BinOp(left=left) | ast.Call(func=ast.Attribute(value=left, attr="format")):
                return self._read(left, depth) + _UNKNOWN
            case ast.Call():
                return self._called(node, depth)
        return self._formed(node, depth)

    def _formed(self, node: ast.expr, depth: int) -> str:
        """Read an f-string or its parts, else a name with dots."""
        match node:
            case ast.JoinedStr(values=values):
                return self._joined("", values, depth)
            case ast.FormattedValue(value=value):
                return self._read(value, depth)
        return self._named(node)

    def _joined(self, between: str, parts: list[ast.expr], depth: int) -> str:
        whole = between.join(self._read(each, depth) for each in parts[:2000])
        return whole if len(whole) <= _MAX_TEXT else _UNKNOWN

    def _named(self, node: ast.expr) -> str:
        if full_name(node, self.names) == "sys.executable":
            return "python3"
        return "~" if ast.unparse(node) in python_names()["homes"] else _UNKNOWN

    def _called(self, node: ast.Call, depth: int) -> str:
        name, kinds = full_name(node.func, self.names), python_names()
        last = name.rpartition(".")[2]
        own = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        if name == "os.path.join":
            return self._joined("/", node.args, depth)
        if last == "joinpath":
            return self._joined("/", [*own, *node.args], depth)
        is_same = last in kinds["same"] or last in ("text", "SQL")
        same = node.args[:1] if is_same else own if last in kinds["same_methods"] else []
        texts = [self._read(each, depth) for each in same]
        return next((text for text in texts if text != _UNKNOWN), self._named(node))


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
