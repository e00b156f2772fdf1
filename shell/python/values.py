"""Tell what an expression of Python stands for, as far as that is known before it runs: a text, or
a place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

_MAX_DEPTH = 12
_MAX_TEXT = 20_000
_HOMES = {
    "os.environ['HOME']",
    "os.environ['USERPROFILE']",
    "os.environ.get('HOME')",
    "os.getenv('HOME')",
    "os.path.expanduser('~')",
    "Path.home()",
    "pathlib.Path.home()",
}
_SAME = frozenset(
    [
        "Path",
        "PurePath",
        "PosixPath",
        "expanduser",
        "expandvars",
        "abspath",
        "realpath",
        "str",
        "fspath",
    ]
)
_SAME_METHODS = frozenset(
    ["expanduser", "resolve", "absolute", "as_posix", "strip", "rstrip", "lstrip"]
)


def _unknown(node: ast.expr, depth: int) -> None:
    return None


def full_name(function: ast.expr, imported: Mapping[str, str]) -> str:
    """Return the dotted name that is called; `imported`: local name → full name. "?" for what has
    no name."""
    if isinstance(function, ast.Name):
        return imported.get(function.id, function.id)
    if isinstance(function, ast.Attribute):
        return f"{full_name(function.value, imported)}.{function.attr}"
    match function:
        case ast.Call(func=ast.Name("__import__"), args=[ast.Constant(value=module), *_]):
            return str(module)
    return "?"


def _is_statement(node: ast.Call, imported: Mapping[str, str]) -> bool:
    """Return True of `text("select …")` and `SQL("select …")`."""
    return full_name(node.func, imported).endswith(("text", "SQL"))


class Values:
    """The values of one piece of Python code; `imported` as for `full_name`."""

    def __init__(self, nodes: list[ast.AST], imported: dict[str, str]) -> None:
        self.names = imported
        self._assigned: dict[str, list[ast.expr]] = {}
        for node in nodes:
            self._note(node)
        self._readers: dict[type, Callable[[Any, int], str | None]] = {
            ast.Constant: self._constant,
            ast.Name: self._named,
            ast.BinOp: self._added,
            ast.JoinedStr: self._formed,
            ast.Call: self._called,
            ast.Subscript: self._home,
            ast.Attribute: self._attribute,
            ast.FormattedValue: lambda node, depth: self.text(node.value, depth),
        }

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, [value])
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, [value])
            case ast.NamedExpr(target=target, value=value):
                self._assign(target, [value])
            case ast.For(target=target, iter=ast.List(elts=values) | ast.Tuple(elts=values)):
                self._assign(target, values)
            case ast.comprehension(
                target=target, iter=ast.List(elts=values) | ast.Tuple(elts=values)
            ):
                self._assign(target, values)
            case ast.For(target=target) | ast.comprehension(target=target):
                self._assign(target, [])

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
        match node:
            case ast.JoinedStr(values=values):
                return "".join(map(self.rough, values))
            case ast.FormattedValue(value=value):
                return self.rough(value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.rough(left) + self.rough(right)
            case ast.BinOp(left=left) | ast.Call(func=ast.Attribute(value=left, attr="format")):
                return self.rough(left)
            case ast.Call(args=[first, *_]) if _is_statement(node, self.names):
                return self.rough(first)
        text = self.text(node)
        return "?" if text is None else text

    def text(self, node: ast.expr, depth: int = 0) -> str | None:
        """Return the text that an expression stands for; the owner's home is ~. None: not known."""
        read = self._readers.get(type(node), _unknown)
        return read(node, depth + 1) if depth <= _MAX_DEPTH else None

    def _constant(self, node: ast.Constant, depth: int) -> str | None:
        value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        return value if isinstance(value, str) else None

    def _named(self, node: ast.Name, depth: int) -> str | None:
        found = self._assigned.get(node.id, [])
        return self.text(found[0], depth) if len(found) == 1 else None

    def _added(self, node: ast.BinOp, depth: int) -> str | None:
        signs = {ast.Add: "", ast.Div: "/"}
        between = signs.get(type(node.op))
        return None if between is None else self._join(between, [node.left, node.right], depth)

    def _formed(self, node: ast.JoinedStr, depth: int) -> str | None:
        return self._join("", node.values, depth)

    def _home(self, node: ast.expr, depth: int) -> str | None:
        return "~" if ast.unparse(node) in _HOMES else None

    def _attribute(self, node: ast.Attribute, depth: int) -> str | None:
        return "python3" if full_name(node, self.names) == "sys.executable" else None

    def _join(self, between: str, parts: list[ast.expr], depth: int) -> str | None:
        texts = [self.text(each, depth) for each in parts[:2000]]
        known = [text for text in texts if text is not None]
        whole = between.join(known)
        return whole if len(known) == len(texts) and len(whole) <= _MAX_TEXT else None

    def _called(self, node: ast.Call, depth: int) -> str | None:
        name = full_name(node.func, self.names)
        last = name.rpartition(".")[2]
        own = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        if name == "os.path.join":
            return self._join("/", node.args, depth)
        if last == "joinpath":
            return self._join("/", [*own, *node.args], depth)
        same = node.args[:1] if last in _SAME else own if last in _SAME_METHODS else []
        texts = [self.text(each, depth) for each in same]
        return next(filter(None, texts), None) or self._home(node, depth)
