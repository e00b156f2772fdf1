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


def full_name(function: ast.expr, imported: Mapping[str, str]) -> str:
    """Return the dotted name that is called; `imported`: local name → full name. "?" for what has
    no name."""
    if isinstance(function, ast.Name):
        return imported.get(function.id, function.id)
    if isinstance(function, ast.Attribute):
        return f"{full_name(function.value, imported)}.{function.attr}"
    if isinstance(function, ast.Call) and full_name(function.func, imported) == "__import__":
        named = [each.value for each in function.args[:1] if isinstance(each, ast.Constant)]
        return str(named[0]) if named else "?"
    return "?"


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
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._assign(node.targets[0], [node.value])
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self._assign(node.target, [node.value])
        elif isinstance(node, (ast.For, ast.comprehension)):
            listed = node.iter.elts if isinstance(node.iter, (ast.List, ast.Tuple)) else []
            self._assign(node.target, listed)

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
        if isinstance(node, ast.JoinedStr):
            return "".join(map(self.rough, node.values))
        if isinstance(node, ast.FormattedValue):
            return self.text(node.value) or "?"
        if isinstance(node, ast.BinOp):
            more = self.rough(node.right) if isinstance(node.op, ast.Add) else ""
            return self.rough(node.left) + more
        if isinstance(node, ast.Call) and node.args:
            return self._rough_call(node)
        return "?" if (text := self.text(node)) is None else text

    def _rough_call(self, node: ast.Call) -> str:
        name = full_name(node.func, self.names)
        if name.endswith(("text", "SQL")):
            return self.rough(node.args[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            return self.rough(node.func.value)
        return self.text(node) or "?"

    def text(self, node: ast.expr, depth: int = 0) -> str | None:
        """Return the text that an expression stands for; the owner's home is ~. None: not known."""
        read = self._readers.get(type(node)) if depth <= _MAX_DEPTH else None
        return read(node, depth + 1) if read else None

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
        whole = between.join(text or "" for text in texts)
        return None if None in texts or len(whole) > _MAX_TEXT else whole

    def _called(self, node: ast.Call, depth: int) -> str | None:
        name = full_name(node.func, self.names)
        last = name.rpartition(".")[2]
        of = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        if name == "os.path.join":
            return self._join("/", node.args, depth)
        if last == "joinpath":
            return self._join("/", [*of, *node.args], depth)
        if last in _SAME and node.args:
            return self.text(node.args[0], depth)
        if last in _SAME_METHODS and of and (text := self.text(of[0], depth)) is not None:
            return text
        return self._home(node, depth)
