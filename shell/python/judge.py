"""Tell what Python code would do, by the names of its calls (assets/commands/python.txt)."""

from __future__ import annotations

import ast
import functools
import shlex
from collections.abc import Callable

from shell.bash import NotUnderstood
from shell.catalogue.packs import python_names
from shell.catalogue.verbs import pieces
from shell.effects.records import Effect
from shell.effects.statements import changes_sql
from shell.python.values import TOO_DEEP, Code, full_name, read_code
from text import pattern

Shell = Callable[[str], None]
_OPENS = {"open", "io.open", "os.open", "codecs.open"}
_WRITES = (".write_text", ".write_bytes")
_WRITING = frozenset("wax+")  # letters of a mode
_MARKS = frozenset("*?")
_OF_FILES = ("os.", "shutil.", "send2trash")
_LOADS = ("import_module", "__import__")
_REMOTE_KINDS = ("send", "install", "secret")
_BY_TEXT = ("__dict__", "__builtins__", "globals()")
_FILE_SERVERS = {"sqlalchemy", "sqlmodel", "records", "peewee"}
_LOSES = pattern(
    r"(?is)^[\s(]*(with\b.*\b)?(delete\s+from|drop\s+\w+|truncate\b|alter\s+table\b.*\bdrop\b|update\b(?!.*\bwhere\b))"
    r"|;\s*(delete\s+from|drop\s+\w+|truncate\b)"
)
_IN_MEMORY = pattern(r"""\bconnect\(\s*(database\s*=\s*)?['"]:memory:['"]""")
_SQLITE = pattern(r"['\"]sqlite:|\bSqliteDatabase\(")
_PATH = pattern(r"(?=\S*/)[~/.\w]\S{3,400}")
_PLACE = pattern(r"[^\0]{1,4095}")


def effects_of(code: str, cwd: str | None, shell: Shell) -> list[Effect]:
    """Return the effects of Python code; `shell` is given the commands that it starts.

    Code that does not parse has none, since it will not run. Never raises.
    """
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
def _kinds() -> dict[str, str]:
    calls = {kind: names for kind, names in python_names().items() if kind.startswith("calls.")}
    return {name: kind.removeprefix("calls.") for kind, names in calls.items() for name in names}


class _Judge:
    def __init__(self, read: Code, code: str, cwd: str | None, shell: Shell) -> None:
        self.read, self.cwd, self.shell = read, cwd, shell
        self.folder = "" if cwd is None else f"{cwd}/"
        self.found: list[Effect] = []
        self.text = read.values.text
        names = python_names()
        servers = read.modules & names["servers"]
        if servers <= _FILE_SERVERS and _SQLITE.search(code):
            servers = frozenset()
        self.is_server = bool(servers)
        self.is_remote = bool(servers | (read.modules & names["remote"]))
        self.has_tables = bool(read.modules & (names["tables"] | names["servers"]))
        self.has_services = bool(read.modules & names["services"])
        self.is_in_memory = bool(_IN_MEMORY.search(code))

    def node(self, node: ast.AST) -> None:
        """Note what one node of the tree would do."""
        if isinstance(node, ast.Call):
            self._call(node, full_name(node.func, self.read.values.names))
        elif isinstance(node, ast.Constant):
            self._constant(node.value)
        elif isinstance(node, ast.Subscript):
            self._subscript(node)

    def _add(self, kind: str, name: str, verb: str = "", *, is_local: bool = True) -> None:
        self.found.append(Effect(kind, name, verb, is_local=is_local))

    def _file(self, kind: str, name: str, text: str) -> None:
        if _PLACE.fullmatch(text):
            path = text if text[0] in "/~" else self.folder + text
            self.found.append(Effect(kind, name, "", path, not _MARKS.isdisjoint(text)))

    def _constant(self, value: object) -> None:
        if isinstance(value, str) and _PATH.fullmatch(value):
            self._file("reads", "python", value)

    def _subscript(self, node: ast.Subscript) -> None:
        if ast.unparse(node.value).endswith(_BY_TEXT):
            self._add("unknown", "a name that is only known when it runs")

    def _call(self, node: ast.Call, name: str) -> None:
        kind = _kind_of(name)
        handler = getattr(self, f"_{kind}", None)
        if handler is not None:
            handler(node, name)
        elif kind:
            self._add(kind, name, is_local=kind not in _REMOTE_KINDS)
        else:
            self._library(node, name, name.rpartition(".")[2])

    # Calls by the kinds of python.txt

    def _by_name(self, node: ast.Call, name: str) -> None:
        if not all(isinstance(each, ast.Constant) for each in node.args[1:2]):
            self._add("unknown", name, "a name that is only known when it runs")

    def _asks(self, node: ast.Call, name: str) -> None:
        if node.args[1:] + [key.value for key in node.keywords if key.arg == "data"]:
            self._add("send", name, is_local=False)

    def _delete(self, node: ast.Call, name: str) -> None:
        places = self._places(node)
        for each in places:
            self._file("takes" if name.endswith("rmtree") else "deletes", name, each)
        if places or not self.is_remote or name.startswith(_OF_FILES):
            self._add("delete", name)
        else:
            self._library(node, name, name.rpartition(".")[2])

    def _moves(self, node: ast.Call, name: str) -> None:
        self._add("delete", name, "moves or replaces files")
        for each in self._places(node)[:1]:
            self._file("takes", name, each)

    def _locks(self, node: ast.Call, name: str) -> None:
        for each in self._places(node)[:1]:
            self._file("locks", name, each)
        if name.endswith("chown"):
            self._add("rights", name)

    def _unknown(self, node: ast.Call, name: str) -> None:
        first = node.args[0] if node.args else None
        if not isinstance(first, ast.Constant):
            self._add("unknown", name)
        elif name in ("exec", "eval"):
            self.found += effects_of(str(self.text(first)), self.cwd, self.shell)
        elif not name.endswith(_LOADS):
            self._add("unknown", name)

    def _places(self, node: ast.Call) -> list[str]:
        """Return the places that a call names: its arguments, or `x` of `Path(x).unlink()`."""
        named = [*node.args, *_receiver(node)]
        return [text for each in named for text in self.read.values.texts(each)]

    def _runs(self, node: ast.Call, name: str) -> None:
        first = node.args[0] if node.args else ast.Constant(None)
        if isinstance(first, (ast.List, ast.Tuple)):
            texts = [self._line(first.elts)]
        elif isinstance(first, (ast.JoinedStr, ast.BinOp)):
            texts = [self.read.values.rough(first).replace("?", "$unknown")]
        else:
            texts = self.read.values.texts(first)
        for text in texts:
            self.shell(text)
        if not texts:
            self._add("unknown", name, "a command that is only known when it runs")

    def _line(self, items: list[ast.expr]) -> str:
        words = [self.text(item) for item in items]
        return " ".join('"$unknown"' if word is None else shlex.quote(word) for word in words)

    def _opens(self, node: ast.Call, name: str) -> None:
        own = [] if name in _OPENS else _receiver(node)
        targets, rest = (own, node.args) if own else (node.args[:1], node.args[1:])
        if not name.endswith(_WRITES) and _WRITING.isdisjoint(_mode(rest, node.keywords)):
            return
        for text in (text for each in targets for text in self.read.values.texts(each)):
            self._file("writes", name, text)

    # Libraries of databases, clouds and services

    def _library(self, node: ast.Call, name: str, last: str) -> None:
        if self.has_tables and last in python_names()["statements"]:
            self._statement(node, last)
        elif self.is_remote and "." in name:
            self._there(node, last)

    def _statement(self, node: ast.Call, last: str) -> None:
        text = self.read.values.rough(node.args[0]) if node.args else "?"
        if " " in text.strip():
            if self._loses(text):
                is_local = not self.is_server
                self._add("delete", last, "may change or delete data", is_local=is_local)
        elif self.is_server and text == "?":
            self._add("unknown", last, "asks a database what is only known then", is_local=False)

    def _loses(self, text: str) -> bool:
        """Return True of SQL that changes a server, or takes away from a file."""
        if self.is_server:
            return changes_sql(text)
        if self.is_in_memory:
            return False
        return _LOSES.search(text) is not None

    def _there(self, node: ast.Call, last: str) -> None:
        words = self._verb(node, last)
        if not python_names()["deletes"].isdisjoint(words[:1]):
            self._add("delete", last, is_local=False)
        elif "post" in words or not python_names()["sends"].isdisjoint(words[:1]):
            self._add("send", last, is_local=False)

    def _verb(self, node: ast.Call, last: str) -> list[str]:
        """Return the words of a call that says what is done; one word alone says it where only
        services or few libraries are so called."""
        names, words = python_names(), pieces(last)
        if last in names["neither"]:
            return []
        is_drop = last == "drop" and not [*node.args, *node.keywords]
        is_plain = self.has_services or last in names["plain"]
        return words if is_plain or is_drop or len(words) > 1 else []


def _receiver(node: ast.Call) -> list[ast.expr]:
    return [node.func.value] if isinstance(node.func, ast.Attribute) else []


def _kind_of(name: str) -> str:
    """Return the row of python.txt for a call: by its last two names, its full name, or as a
    method."""
    kinds = _kinds()
    dot, last = name.rpartition(".")[1:]
    names = (".".join(name.split(".")[-2:]), name, f"{dot}{last}")
    return next((kinds[each] for each in names if each in kinds), "")


def _mode(rest: list[ast.expr], keywords: list[ast.keyword]) -> str:
    """Return the letters of a mode: of `open(x, "w")`, `open(x, mode="w")`, `Path(x).open("w")`."""
    given = [*rest[:1], *[key.value for key in keywords if key.arg == "mode"]]
    return "".join(str(each.value) for each in given if isinstance(each, ast.Constant))
