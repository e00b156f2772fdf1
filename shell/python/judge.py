"""Tell what Python code would do, by the names of its calls (assets/commands/python.yaml)."""

from __future__ import annotations

import ast
import functools
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from shell.bash import NotUnderstood
from shell.catalogue.packs import load
from shell.catalogue.verbs import pieces
from shell.effects.code import is_bomb
from shell.effects.records import Effect
from shell.effects.statements import changes_sql
from shell.python.reading import TOO_DEEP, Code, read_code
from shell.python.values import full_name

Shell = Callable[[str], None]
_OPENS = {"open", "io.open", "os.open", "codecs.open"}
_WRITES = (".write_text", ".write_bytes")
_BY_TEXT = ("__dict__", "__builtins__", "globals()")
_FILE_SERVERS = {"sqlalchemy", "sqlmodel", "records", "peewee"}
_REMOVES = re.compile(r"\.(remove|unlink|rmtree|rmdir)\(|rm -\w*[rf]")
_LOSES = re.compile(
    r"(?is)^[\s(]*(with\b.*\b)?(delete\s+from|drop\s+\w+|truncate\b|alter\s+table\b.*\bdrop\b|update\b(?!.*\bwhere\b))"
    r"|;\s*(delete\s+from|drop\s+\w+|truncate\b)"
)
_IN_MEMORY = re.compile(r"""\bconnect\(\s*(database\s*=\s*)?['"]:memory:['"]""")
_SQLITE = re.compile(r"['\"]sqlite:|\bSqliteDatabase\(")
_PATH = re.compile(r"[~/.\w][^\s]{3,400}")
_LISTS = {"os.walk", "os.listdir", "os.scandir", "glob.glob"}


def effects_of(code: str, cwd: str | None, shell: Shell) -> list[Effect]:
    """Return the effects of Python code; `shell` is given the commands that it starts.

    Code that does not parse has none, since it will not run. Never raises.
    """
    if is_bomb(code):
        return [Effect("catastrophic", "python", "a fork bomb")]
    try:
        read = read_code(code)
        judge = _Judge(read, code, cwd, shell)
        for node in read.nodes:
            judge.node(node)
    except NotUnderstood as error:
        return [Effect("unknown", "python", TOO_DEEP)] if str(error) == TOO_DEEP else []
    except RecursionError:
        return [Effect("unknown", "python", TOO_DEEP)]
    return list(dict.fromkeys(judge.found))


@functools.cache
def _tables() -> Mapping[str, Any]:
    return load("python.yaml")


@functools.cache
def _names(key: str) -> frozenset[str]:
    return frozenset(str(_tables()[key]).split())


@functools.cache
def _kinds() -> dict[str, str]:
    return {name: kind for kind, listed in _tables()["calls"].items() for name in listed.split()}


class _Judge:
    def __init__(self, read: Code, code: str, cwd: str | None, shell: Shell) -> None:
        self.read, self.code, self.cwd, self.shell = read, code, cwd, shell
        self.found: list[Effect] = []
        self.text = read.values.text
        server = read.modules & _names("servers")
        is_file = server <= _FILE_SERVERS and bool(_SQLITE.search(code))
        self.is_server = bool(server) and not is_file
        self.is_remote = self.is_server or bool(read.modules & _names("remote"))
        self.has_tables = bool(server or read.modules & _names("tables"))

    def node(self, node: ast.AST) -> None:
        """Note what one node of the tree would do."""
        if isinstance(node, ast.Call):
            self._call(node, full_name(node.func, self.read.values.names))
        elif isinstance(node, ast.Constant):
            self._constant(node.value)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self._emptied(node.value)
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(_BY_TEXT):
            self._add("unknown", "a name that is only known when it runs")

    def _add(self, kind: str, name: str, verb: str = "", *, is_local: bool = True) -> None:
        self.found.append(Effect(kind, name, verb, is_local=is_local))

    def _file(self, kind: str, name: str, text: str | None) -> None:
        if text and "\0" not in text and len(text) < 4096:
            is_whole = text.startswith(("/", "~")) or self.cwd is None
            path = text if is_whole else f"{self.cwd}/{text}"
            self.found.append(Effect(kind, name, "", path, any(mark in text for mark in "*?")))

    def _call(self, node: ast.Call, name: str) -> None:
        last = "." + name.rpartition(".")[2]
        kind = _kind_of(name)
        handler = getattr(self, f"_{kind}", None)
        if name in _OPENS or last in (*_WRITES, ".open"):
            self._opened(node, name)
        elif handler is not None:
            handler(node, name)
        elif kind:
            self._add(kind, name, is_local=kind not in ("send", "install", "secret"))
        else:
            self._of_no_kind(node, name, last)

    def _of_no_kind(self, node: ast.Call, name: str, last: str) -> None:
        has_data = len(node.args) > 1 or "data" in [key.arg for key in node.keywords]
        if name == "getattr":
            self._taken(node)
        elif last == ".urlopen" and has_data:
            self._add("send", name, is_local=False)
        elif name in _LISTS and node.args and self._removes_all():
            self._file("takes", name, self.text(node.args[0]))
        else:
            self._library(node, name, last[1:])

    def _taken(self, node: ast.Call) -> None:
        """`getattr(os, "sys" + "tem")`."""
        if not all(isinstance(each, ast.Constant) for each in node.args[1:2]):
            self._add("unknown", "getattr", "a name that is only known when it runs")

    def _removes_all(self) -> bool:
        return "endswith" not in self.code and _REMOVES.search(self.code) is not None

    def _delete(self, node: ast.Call, name: str) -> None:
        places = self._places(node)
        for each in places:
            self._file("takes" if name.endswith("rmtree") else "deletes", name, each)
        is_file = name.startswith(("os.", "shutil.", "send2trash")) or bool(places)
        if self.is_remote and not is_file:
            self._library(node, name, name.rpartition(".")[2])
        else:
            self._add("delete", name)

    def _moves(self, node: ast.Call, name: str) -> None:
        self._add("delete", name, "moves or replaces files")
        for each in self._places(node)[:1]:
            self._file("takes", name, each)

    def _locks(self, node: ast.Call, name: str) -> None:
        for each in self._places(node)[:1]:
            self._file("locks", name, each)
        if name.endswith("chown"):
            self._add("rights", name)

    def _system(self, node: ast.Call, name: str) -> None:
        first = ast.unparse(node.args[0]) if node.args else ""
        if name in ("os.kill", "os.killpg") and first in ("-1", "1"):
            self._add("catastrophic", name, "stops every process", is_local=False)
        self._add("system", name)

    def _unknown(self, node: ast.Call, name: str) -> None:
        text = self.text(node.args[0]) if node.args else None
        if name in ("exec", "eval") and text is not None:
            self.found += effects_of(text, self.cwd, self.shell)
        is_module = name.endswith(("import_module", "__import__"))
        is_plain = bool(node.args) and isinstance(node.args[0], ast.Constant)
        is_known = is_module or name in ("exec", "eval")
        if not (is_known and is_plain) and name != "re.compile":
            self._add("unknown", name)

    def _places(self, node: ast.Call) -> list[str]:
        """Return the places that a call names: its arguments, or `x` of `Path(x).unlink()`."""
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [text for each in [*node.args, *receiver] for text in self.read.values.texts(each)]

    def _runs(self, node: ast.Call, name: str) -> None:
        first = node.args[0] if node.args else ast.Constant(None)
        if isinstance(first, (ast.List, ast.Tuple)):
            texts = [self._line(first.elts)]
        else:
            texts = list(self.read.values.texts(first))
        if not texts and isinstance(first, (ast.JoinedStr, ast.BinOp)):
            texts = [self.read.values.rough(first).replace("?", "$unknown")]
        for text in texts:
            self.shell(text)
        if not texts:
            self._add("unknown", name, "a command that is only known when it runs")

    def _line(self, items: list[ast.expr]) -> str:
        words = [self.text(item) for item in items]
        return " ".join('"$unknown"' if word is None else shlex.quote(word) for word in words)

    def _replaces(self, node: ast.Call, name: str) -> None:
        self._add("unknown", name, "starts another program")
        lists = [each.elts for each in node.args if isinstance(each, (ast.List, ast.Tuple))]
        self.shell(self._line(lists[0] if lists else node.args[1:]))

    def _opened(self, node: ast.Call, name: str) -> None:
        method = node.func.value if isinstance(node.func, ast.Attribute) else None
        is_method = method is not None and name not in _OPENS
        target = method if is_method else next(iter(node.args), None)
        writes = name.endswith(_WRITES) or bool(_mode(node, is_method) & set("wax+"))
        for text in self.read.values.texts(target) if target is not None and writes else []:
            self._file("writes", name, text)

    def _emptied(self, node: ast.Call) -> None:
        """`open("x", "w").close()`, and `open("x", "w")` with nobody to write to it."""
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        closed = (
            inner
            if isinstance(inner, ast.Call) and ast.unparse(node.func).endswith(".close")
            else node
        )
        name = full_name(closed.func, self.read.values.names)
        if name in _OPENS and "w" in _mode(closed, False):
            self._add("delete", "open", "empties a file")

    def _constant(self, value: object) -> None:
        if isinstance(value, str) and "/" in value and _PATH.fullmatch(value):
            self._file("reads", "python", value)

    def _library(self, node: ast.Call, name: str, last: str) -> None:
        """Libraries of databases, clouds and services."""
        if self.has_tables and last in _names("statements") and node.args:
            self._statement(node, last)
        elif self.is_remote and "." in name and last not in _names("neither"):
            self._there(node, name, last)

    def _statement(self, node: ast.Call, last: str) -> None:
        text = self.read.values.rough(node.args[0])
        is_server = self.is_server
        if not is_server and _IN_MEMORY.search(self.code):
            return
        if is_server and text == "?":
            self._add("unknown", last, "asks a database what is only known then", is_local=False)
        elif re.fullmatch(r"(?i)dropDatabase|flushall", text):
            self._add("delete", last, text, is_local=False)
        elif " " in text.strip() and (changes_sql(text) if is_server else _LOSES.search(text)):
            self._add("delete", last, "may change or delete data", is_local=not is_server)

    def _there(self, node: ast.Call, name: str, last: str) -> None:
        words = pieces(last)
        if not words or not self._is_verb(node, words, last) or self._is_of_other(name):
            return
        if words[0] in _names("deletes") or last in ("flushall", "flushdb", "drop_all"):
            self._add("delete", last, is_local=False)
        elif words[0] in _names("sends") or "post" in words:
            self._add("send", last, is_local=False)

    def _is_verb(self, node: ast.Call, words: list[str], last: str) -> bool:
        is_service = bool(self.read.modules & _names("services"))
        is_drop = last == "drop" and not node.args
        return is_service or is_drop or len(words) > 1 or last in _names("plain")

    def _is_of_other(self, name: str) -> bool:
        """True of a call of a module that reaches no service."""
        others = self.read.modules - _names("servers") - _names("remote")
        return name.partition(".")[0] in others


def _kind_of(name: str) -> str:
    """Return the row of python.yaml for a call: by its last two names, its full name, or as a method."""
    kinds = _kinds()
    last = "." + name.rpartition(".")[2] if "." in name else ""
    return kinds.get(".".join(name.split(".")[-2:])) or kinds.get(name) or kinds.get(last, "")


def _mode(node: ast.Call, is_method: bool) -> set[str]:
    """Return the letters of a mode: of `open(x, "w")`, `open(x, mode="w")`, `Path(x).open("w")`."""
    rest = node.args if is_method else node.args[1:]
    given = [*rest[:1], *[key.value for key in node.keywords if key.arg == "mode"]]
    return set("".join(str(each.value) for each in given if isinstance(each, ast.Constant)))
