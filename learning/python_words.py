"""Finds the constants of a Python script with their places, and puts values from the environment there.

A value never becomes part of the code: `30` becomes `int(os.environ["days"])`. `same_meaning` folds these expressions
back to the old values and compares the syntax trees, so a rewritten script is proven or not used.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from shell.bash import NotUnderstood

_REGEX = {"re", "regex", "fnmatch", "glob"}
_CODE = {"eval", "exec", "compile", "system", "run", "Popen", "check_output", "check_call", "call", "execute", "executescript", "read_sql", "strftime", "strptime", "getoutput"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PyConstant:
    """A text or number in the code. `place`: argument, regex (a pattern), code (of a shell, SQL, a date format)."""

    value: str | int | float
    start: int  # in characters of the script
    end: int
    place: str
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PyUse:
    """Put the value called `name` for the characters from `start` to `end` of a constant's text."""

    constant: int
    start: int
    end: int
    name: str
    operation: str = ""


def scan(script: str) -> list[PyConstant]:
    """The constants of a script that may be replaced, in order. Raises NotUnderstood."""
    tree, lines = _parse(script), _line_starts(script)
    found = []
    for node, parents in _walk(tree, ()):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str | int | float)
            and not _is_bound(node, parents)
        ):
            start, end = _span(node, lines, script)
            found.append(
                PyConstant(
                    node.value, start, end, _place(node, parents), tuple(_hints(node, parents))
                )
            )
    return sorted(found, key=lambda each: each.start)


def rewrite(script: str, constants: list[PyConstant], uses: Iterable[PyUse]) -> str:
    """The script with `os.environ["name"]` in the places of values. Raises NotUnderstood."""
    if re.search(r"\bos\s*=(?!=)|\bas os\b|\bdef os\b", script):
        raise NotUnderstood("the script uses the name os for something else")
    by_constant: dict[int, list[PyUse]] = {}
    for use in uses:
        by_constant.setdefault(use.constant, []).append(use)
    text = script
    for number in sorted(by_constant, key=lambda each: constants[each].start, reverse=True):
        constant = constants[number]
        gap = " " if text[constant.start - 1 : constant.start].isalnum() else ""  # return"x"
        text = (
            text[: constant.start]
            + gap
            + _expression(constant, by_constant[number])
            + text[constant.end :]
        )
    return _with_os(text) if by_constant else script


def same_meaning(before: str, after: str, values: Mapping[str, str]) -> bool:
    """True when the rewritten script, with the variables at their old values, is the old one."""
    try:
        old, new = _parse(before), _parse(after)
    except NotUnderstood:
        return False
    folded = ast.fix_missing_locations(_Fold(values).visit(new))
    return ast.dump(_without_os(_Fold({}).visit(old))) == ast.dump(_without_os(folded))


def _parse(script: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotUnderstood(f"not Python: {error}") from error


def _line_starts(script: str) -> list[int]:
    """Where each line begins, as ast counts lines: \\r and form feeds end none."""
    starts = [0]
    for found in re.finditer(r"\r\n|\r|\n", script):
        starts.append(found.end())
    return starts


def _span(node: ast.expr, lines: list[int], script: str) -> tuple[int, int]:
    assert node.end_lineno is not None and node.end_col_offset is not None
    start = _at(node.lineno, node.col_offset, lines, script)
    return start, _at(node.end_lineno, node.end_col_offset, lines, script)


def _at(line: int, column: int, lines: list[int], script: str) -> int:
    """ast counts columns in bytes of UTF-8."""
    start = lines[line - 1]
    end = lines[line] if line < len(lines) else len(script)
    return start + len(
        script[start:end].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")
    )


def _walk(
    node: ast.AST, parents: tuple[ast.AST, ...]
) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """All nodes with what they stand in; inside an f-string nothing has a place of its own."""
    yield node, parents
    if isinstance(node, ast.JoinedStr | ast.pattern):
        return
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, (*parents, node))


def _is_bound(node: ast.Constant, parents: tuple[ast.AST, ...]) -> bool:
    """True for what no expression may stand for: a docstring, a truth value, a pattern of `match`."""
    return isinstance(node.value, bool) or isinstance(
        parents[-1], ast.Expr | ast.pattern | ast.JoinedStr
    )


def _place(node: ast.expr, parents: tuple[ast.AST, ...]) -> str:
    for parent in reversed(parents):
        if isinstance(parent, ast.Call):
            name = ast.unparse(parent.func)
            first, last = name.partition(".")[0], name.rpartition(".")[2]
            if first in _REGEX or last in ("glob", "rglob", "match", "contains"):
                return "regex"
            return "code" if last in _CODE else "argument"
        if isinstance(parent, ast.stmt):
            break
    return "argument"


def _hints(node: ast.expr, parents: tuple[ast.AST, ...]) -> Iterator[str]:
    """The names next to a constant: what it is assigned to, passed as, or compared with."""
    for parent in reversed(parents[-3:]):
        if isinstance(parent, ast.Slice):
            yield "first"
        elif isinstance(parent, ast.keyword) and parent.arg:
            yield parent.arg.lower()
        elif isinstance(parent, ast.Assign):
            yield from (
                ast.unparse(target).lower()
                for target in parent.targets
                if isinstance(target, ast.Name)
            )
        elif isinstance(parent, ast.Compare):
            yield from (
                each.lower() for each in re.findall(r"[A-Za-z_]+", ast.unparse(parent.left))
            )
        elif isinstance(parent, ast.Call):
            yield ast.unparse(parent.func).rpartition(".")[2].lower()


def _expression(constant: PyConstant, uses: list[PyUse]) -> str:
    value = constant.value
    if not isinstance(value, str):
        kind = "int" if isinstance(value, int) else "float"
        return f'{kind}(os.environ["{uses[0].name}"])'
    parts, at = list[str](), 0
    for use in sorted(uses, key=lambda use: use.start):
        parts += [repr(value[at : use.start])] if use.start > at else []
        parts.append(_read(use))
        at = use.end
    parts += [repr(value[at:])] if at < len(value) else []
    return "(" + " + ".join(parts) + ")" if len(parts) > 1 else parts[0]


def _read(use: PyUse) -> str:
    value = f'os.environ["{use.name}"]'
    if use.operation == "##*/":
        return f"os.path.basename({value})"
    return f'{value}.replace("-", "")' if use.operation == "//-/" else value


def _with_os(script: str) -> str:
    """The script with `import os` behind its docstring and its `from __future__`."""
    tree, line = _parse(script), 0
    for number, node in enumerate(tree.body):
        is_docstring = (
            number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        if isinstance(node, ast.Import) and any(
            alias.name == "os" and not alias.asname for alias in node.names
        ):
            return script
        if is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            line = node.end_lineno or 0
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            break
    at = _line_starts(script)[line]
    if script[:at] and not script[:at].endswith("\n"):
        raise NotUnderstood("the script begins with several statements on one line")
    return f"{script[:at]}import os\n{script[at:]}"


class _Fold(ast.NodeTransformer):
    """Puts values in the places of `os.environ["name"]`, and joins constants."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        name = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if (
            isinstance(name, str)
            and name in self.values
            and ast.unparse(node.value) == "os.environ"
        ):
            return ast.Constant(self.values[name])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        first = node.args[0] if len(node.args) == 1 else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            function = ast.unparse(node.func)
            try:
                if function in ("int", "float"):
                    return ast.Constant(
                        int(first.value) if function == "int" else float(first.value)
                    )
            except ValueError:
                return node
            if function == "os.path.basename":
                return ast.Constant(first.value.rpartition("/")[2])
        return self._replaced(node)

    def _replaced(self, node: ast.Call) -> ast.AST:
        function = node.func
        if (
            isinstance(function, ast.Attribute)
            and function.attr == "replace"
            and isinstance(function.value, ast.Constant)
        ):
            texts = [
                function.value.value,
                *(each.value for each in node.args if isinstance(each, ast.Constant)),
            ]
            whole, old, new = (*texts, None, None, None)[:3]
            if (
                len(texts) == 3
                and isinstance(whole, str)
                and isinstance(old, str)
                and isinstance(new, str)
            ):
                return ast.Constant(whole.replace(old, new))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        left, right = node.left, node.right
        if not (
            isinstance(node.op, ast.Add)
            and isinstance(left, ast.Constant)
            and isinstance(right, ast.Constant)
        ):
            return node
        both = left.value, right.value
        return (
            ast.Constant(both[0] + both[1])
            if isinstance(both[0], str) and isinstance(both[1], str)
            else node
        )


def _without_os(tree: ast.AST) -> ast.AST:
    assert isinstance(tree, ast.Module)
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.Import) and [alias.name for alias in node.names] == ["os"])
    ]
    return tree
