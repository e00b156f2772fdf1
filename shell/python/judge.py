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
from shell.python.reading import TOO_DEEP, Code, read_code
from shell.python.values import full_name
from text import pattern

Shell = Callable[[str], None]
_OPENS = {"open", "io.open", "os.open", "codecs.open"}
_WRITES = (".write_text", ".write_bytes")
_OPEN_METHODS = (*_WRITES, ".open")
_OF_FILES = ("os.", "shutil.", "send2trash")
_LOADS = ("import_module", "__import__")
_REMOTE_KINDS = ("send", "install", "secret")
_EMPTY_ALL = ("flushall", "flushdb", "drop_all")
_BY_TEXT = ("__dict__", "__builtins__", "globals()")
_FILE_SERVERS = {"sqlalchemy", "sqlmodel", "records", "peewee"}
_LOSES = pattern(
    r"(?is)^[\s(]*(with\b.*\b)?(delete\s+from|drop\s+\w+|truncate\b|alter\s+table\b.*\bdrop\b|update\b(?!.*\bwhere\b))"
    r"|;\s*(delete\s+from|drop\s+\w+|truncate\b)"
)
_IN_MEMORY = pattern(r"""\bconnect\(\s*(database\s*=\s*)?['"]:memory:['"]""")
_SQLITE = pattern(r"['\"]sqlite:|\bSqliteDatabase\(")
_PATH = pattern(r"[~/.\w][^\s]{3,400}")
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
        self.found: list[Effect] = []
        self.text = read.values.text
        server = read.modules & python_names()["servers"]
        is_file = server <= _FILE_SERVERS and bool(_SQLITE.search(code))
        self.is_server = bool(server) and not is_file
        self.is_remote = self.is_server or bool(read.modules & python_names()["remote"])
        self.has_tables = bool(
            read.modules & (python_names()["tables"] | python_names()["servers"])
        )
        self.is_in_memory = bool(_IN_MEMORY.search(code))

    def node(self, node: ast.AST) -> None:
        """Note what one node of the tree would do."""
        if isinstance(node, ast.Call):
            self._call(node, full_name(node.func, self.read.values.names))
        elif isinstance(node, ast.Constant):
            self._constant(node.value)
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(_BY_TEXT):
            self._add("unknown", "a name that is only known when it runs")

    def _add(self, kind: str, name: str, verb: str = "", *, is_local: bool = True) -> None:
        self.found.append(Effect(kind, name, verb, is_local=is_local))

    def _file(self, kind: str, name: str, text: str | None) -> None:
        if text and _PLACE.fullmatch(text):
            is_whole = text.startswith(("/", "~")) or self.cwd is None
            path = text if is_whole else f"{self.cwd}/{text}"
            self.found.append(Effect(kind, name, "", path, any(mark in text for mark in "*?")))

    def _call(self, node: ast.Call, name: str) -> None:
        last = "." + name.rpartition(".")[2]
        kind = _kind_of(name)
        handler = getattr(self, f"_{kind}", None)
        if name in _OPENS or last in _OPEN_METHODS:
            self._opened(node, name)
        elif handler is not None:
            handler(node, name)
        elif kind:
            self._add(kind, name, is_local=kind not in _REMOTE_KINDS)
        else:
            self._of_no_kind(node, name, last[1:])

    def _of_no_kind(self, node: ast.Call, name: str, last: str) -> None:
        if name == "getattr" and not all(isinstance(each, ast.Constant) for each in node.args[1:2]):
            self._add("unknown", "getattr", "a name that is only known when it runs")
        elif last == "urlopen" and (node.args[1:] or "data" in [key.arg for key in node.keywords]):
            self._add("send", name, is_local=False)
        else:
            self._library(node, name, last)

    def _delete(self, node: ast.Call, name: str) -> None:
        places = self._places(node)
        for each in places:
            self._file("takes" if name.endswith("rmtree") else "deletes", name, each)
        is_file = bool(places) or name.startswith(_OF_FILES)
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

    def _unknown(self, node: ast.Call, name: str) -> None:
        first = node.args[0] if node.args else ast.Name("_")
        is_plain = isinstance(first, ast.Constant)
        if name in ("exec", "eval") and is_plain:
            self.found += effects_of(self.text(first) or "", self.cwd, self.shell)
        elif not (is_plain and name.endswith(_LOADS)):
            self._add("unknown", name)

    def _places(self, node: ast.Call) -> list[str]:
        """Return the places that a call names: its arguments, or `x` of `Path(x).unlink()`."""
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [text for each in [*node.args, *receiver] for text in self.read.values.texts(each)]

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

    def _replaces(self, node: ast.Call, name: str) -> None:
        self._add("unknown", name, "starts another program")

    def _opened(self, node: ast.Call, name: str) -> None:
        is_method = isinstance(node.func, ast.Attribute) and name not in _OPENS
        targets = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        targets = targets if is_method else node.args[:1]
        writes = name.endswith(_WRITES) or bool(_mode(node, is_method) & set("wax+"))
        for target in targets if writes else []:
            for text in self.read.values.texts(target):
                self._file("writes", name, text)

    def _constant(self, value: object) -> None:
        if isinstance(value, str) and "/" in value and _PATH.fullmatch(value):
            self._file("reads", "python", value)

    def _library(self, node: ast.Call, name: str, last: str) -> None:
        """Libraries of databases, clouds and services."""
        if self.has_tables and last in python_names()["statements"]:
            self._statement(node, last)
        elif self.is_remote and "." in name and last not in python_names()["neither"]:
            self._there(node, last)

    def _statement(self, node: ast.Call, last: str) -> None:
        text = self.read.values.rough(node.args[0]) if node.args else "?"
        if self.is_server and text == "?":
            self._add("unknown", last, "asks a database what is only known then", is_local=False)
        elif " " in text.strip() and self._loses(text):
            self._add("delete", last, "may change or delete data", is_local=not self.is_server)

    def _loses(self, text: str) -> bool:
        """Return True of SQL that changes a server, or takes away from a file."""
        if self.is_server:
            return changes_sql(text)
        return not self.is_in_memory and _LOSES.search(text) is not None

    def _there(self, node: ast.Call, last: str) -> None:
        words = pieces(last)
        if not self._is_verb(node, words, last):
            return
        if words[0] in python_names()["deletes"] or last in _EMPTY_ALL:
            self._add("delete", last, is_local=False)
        elif words[0] in python_names()["sends"] or "post" in words:
            self._add("send", last, is_local=False)

    def _is_verb(self, node: ast.Call, words: list[str], last: str) -> bool:
        is_plain = last in python_names()["plain"] or not python_names()["services"].isdisjoint(
            self.read.modules
        )
        is_drop = last == "drop" and not [*node.args, *node.keywords]
        return len(words) > 1 or is_drop or (is_plain and bool(words))


def _kind_of(name: str) -> str:
    """Return the row of python.txt for a call: by its last two names, its full name, or as a
    method."""
    kinds = _kinds()
    last = "." + name.rpartition(".")[2] if "." in name else ""
    return kinds.get(".".join(name.split(".")[-2:])) or kinds.get(name) or kinds.get(last, "")


def _mode(node: ast.Call, is_method: bool) -> set[str]:
    """Return the letters of a mode: of `open(x, "w")`, `open(x, mode="w")`, `Path(x).open("w")`."""
    rest = node.args if is_method else node.args[1:]
    given = [*rest[:1], *[key.value for key in node.keywords if key.arg == "mode"]]
    return set("".join(str(each.value) for each in given if isinstance(each, ast.Constant)))
