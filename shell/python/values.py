"""Evaluate an expression of Python as far as it is known before it runs: a text, or a place."""

from __future__ import annotations

import ast
import codecs

_MAX_DEPTH = 12
_MAX_TEXT = 20_000
_HOMES = {
    "os.environ['HOME']",
    "os.environ['USERPROFILE']",
    "os.environ.get('HOME')",
    "os.environ.get('USERPROFILE')",
    "os.getenv('HOME')",
    "os.path.expanduser('~')",
    "Path.home()",
    "pathlib.Path.home()",
}
# Calls that turn texts back which somebody wrote so that one cannot read them.
_DECODERS = frozenset(
    [
        "b64decode",
        "urlsafe_b64decode",
        "b32decode",
        "b16decode",
        "b85decode",
        "a85decode",
        "unhexlify",
        "fromhex",
    ]
)
_SAME = {
    "Path",
    "PurePath",
    "PosixPath",
    "expanduser",
    "expandvars",
    "abspath",
    "realpath",
    "str",
    "fspath",
    "bytes",
}
_SAME_METHODS = {
    "decode",
    "encode",
    "strip",
    "expanduser",
    "resolve",
    "absolute",
    "as_posix",
    "rstrip",
    "lstrip",
}


def full_name(function: ast.expr, imported: dict[str, str]) -> str:
    """The dotted name that is called; `imported`: local name → full name of what is imported. "?" for what has no name."""
    if isinstance(function, ast.Name):
        return imported.get(function.id, function.id)
    if isinstance(function, ast.Attribute):
        return f"{full_name(function.value, imported)}.{function.attr}"
    if (
        isinstance(function, ast.Call)
        and full_name(function.func, imported) == "__import__"
        and function.args
    ):
        module = function.args[0]
        return str(module.value) if isinstance(module, ast.Constant) else "?"
    return "?"


class Values:
    """The values of one piece of Python code; `imported` as for `full_name`."""

    def __init__(self, nodes: list[ast.AST], imported: dict[str, str]) -> None:
        self.names = imported
        self._assigned: dict[str, list[ast.expr]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._assign(node.targets[0], [node.value])
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                self._assign(node.target, [node.value])
            elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(
                node.iter, (ast.List, ast.Tuple)
            ):
                self._assign(node.target, node.iter.elts)

    def _assign(self, target: ast.expr, values: list[ast.expr]) -> None:
        if isinstance(target, ast.Name):
            self._assigned.setdefault(target.id, []).extend(values)

    def texts(self, node: ast.expr) -> list[str]:
        """The texts that an expression may stand for: of a variable that is set in several places, each."""
        found = self._assigned.get(node.id, []) if isinstance(node, ast.Name) else [node]
        return [text for each in found[:50] if (text := self.text(each)) is not None]

    def rough(self, node: ast.expr) -> str:
        """The text as far as it is known, with a ? for what is not: of `f"drop database {name}"`."""
        if isinstance(node, ast.JoinedStr):
            return "".join(self.rough(each) for each in node.values)
        if isinstance(node, ast.FormattedValue):
            return self.text(node.value) or "?"
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
            more = "" if isinstance(node.op, ast.Mod) else self.rough(node.right)
            return self.rough(node.left) + more
        if (
            isinstance(node, ast.Call)
            and node.args
            and full_name(node.func, self.names).endswith(("text", "SQL"))
        ):
            return self.rough(node.args[0])
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "format"
        ):
            return self.rough(node.func.value)
        return "?" if (text := self.text(node)) is None else text

    def text(self, node: ast.expr, depth: int = 0) -> str | None:
        """The text that an expression stands for; the owner's home is ~. None: not known."""
        if depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Constant):
            value = node.value
            return (
                value.decode("latin-1")
                if isinstance(value, bytes)
                else value
                if isinstance(value, str)
                else None
            )
        if isinstance(node, ast.Name):
            found = self._assigned.get(node.id, [])
            return self.text(found[0], depth + 1) if len(found) == 1 else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
            left, right = self.text(node.left, depth + 1), self.text(node.right, depth + 1)
            between = "/" if isinstance(node.op, ast.Div) else ""
            return (
                None
                if left is None or right is None or len(left) > _MAX_TEXT
                else left + between + right
            )
        if isinstance(node, ast.JoinedStr):
            parts = [
                each.value if isinstance(each, ast.FormattedValue) else each for each in node.values
            ]
            return self._join("", parts, depth)
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
            text = self.text(node.value, depth + 1)
            return None if text is None else text[::-1]
        if isinstance(node, ast.Call) and (text := self._called(node, depth)) is not None:
            return text
        if isinstance(node, (ast.Call, ast.Subscript)) and isinstance(node.func if isinstance(node, ast.Call) else node.value, ast.Attribute):  # fmt: skip
            return "~" if ast.unparse(node) in _HOMES else None
        if isinstance(node, ast.Attribute) and full_name(node, self.names) == "sys.executable":
            return "python3"
        return None

    def _join(self, between: str, parts: list[ast.expr], depth: int) -> str | None:
        texts = [self.text(each, depth + 1) for each in parts[:2000]]
        return None if None in texts else between.join(text or "" for text in texts)

    def _called(self, node: ast.Call, depth: int) -> str | None:
        name = full_name(node.func, self.names)
        last, first = name.rpartition(".")[2], node.args[0] if node.args else None
        if name == "os.path.join" or (last == "joinpath" and first is not None):
            before = (
                [node.func.value]
                if last == "joinpath" and isinstance(node.func, ast.Attribute)
                else []
            )
            return self._join("/", [*before, *node.args], depth)
        if last in _SAME and first is not None and len(node.args) <= 2:
            return self.text(first, depth + 1)
        if last in _DECODERS or name == "codecs.decode":
            return self._decoded(last if last in _DECODERS else "", node, depth)
        if name == "chr" and isinstance(first, ast.Constant) and isinstance(first.value, int):
            return chr(first.value) if 0 <= first.value < 0x110000 else None
        if not isinstance(node.func, ast.Attribute):
            return None
        if last == "join" and isinstance(first, (ast.List, ast.Tuple)):
            between = self.text(node.func.value, depth + 1)
            return None if between is None else self._join(between, first.elts, depth)
        if last == "replace" and len(node.args) == 2:
            of, old, new = (self.text(each, depth + 1) for each in (node.func.value, *node.args))
            return (
                None if of is None or not old or new is None else of.replace(old, new)[:_MAX_TEXT]
            )
        if last in _SAME_METHODS:
            return self.text(node.func.value, depth + 1)
        return None

    def _decoded(self, decoder: str, node: ast.Call, depth: int) -> str | None:
        text = self.text(node.args[0], depth + 1) if node.args else None
        if text is None or len(text) > _MAX_TEXT:
            return None
        try:
            if decoder:
                return _turned_back(decoder, text.encode("latin-1"))
            coding = self.text(node.args[1], depth + 1) if len(node.args) > 1 else None
            return codecs.decode(text, "rot13") if coding in ("rot13", "rot_13") else None
        except ValueError:
            return None


def _turned_back(decoder: str, data: bytes) -> str:
    import base64  # rarely needed, and slow to import

    if decoder in ("fromhex", "unhexlify"):
        return bytes.fromhex(data.decode("latin-1")).decode("latin-1")
    if decoder in ("b64decode", "urlsafe_b64decode"):
        data += b"=" * (-len(data) % 4)
    found: bytes = getattr(base64, decoder)(data)
    return found.decode("latin-1")
