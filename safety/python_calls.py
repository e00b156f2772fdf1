"""What a Python script would do to the world, judged by the names of the calls in it; a sandbox holds what this cannot see."""

from __future__ import annotations

import ast
import re
import shlex
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from safety.code import is_bomb
from safety.paths import Places
from safety.python_values import Values, full_name
from safety.tables import (
    FILES_OF_TABLES,
    MACHINE_LIBRARIES,
    REMOTE_LIBRARIES,
    SERVERS,
    Finding,
    Risk,
)

# The last two names of a call, or the last one after a dot.
CALLS: tuple[tuple[Risk, str, str], ...] = (
    ("delete", "deletes files", "os.remove os.unlink os.rmdir os.removedirs os.truncate shutil.rmtree .unlink .rmdir .rmtree .truncate"),
    ("delete", "moves or replaces files", "os.rename os.renames os.replace shutil.move"),
    ("send", "sends to others", "smtplib.SMTP smtplib.SMTP_SSL .sendmail .send_message requests.post requests.put requests.patch requests.delete "
     "httpx.post httpx.put httpx.patch httpx.delete session.post client.post ftplib.FTP paramiko.SSHClient socket.socket socket.create_connection"),
    ("system", "stops processes or changes rights", "os.kill os.killpg os.chown shutil.chown os.setuid os.fork os.chroot .terminate .kill ctypes.CDLL"),
    ("unknown", "runs code that is only known when it runs", "eval exec compile __import__ importlib.import_module runpy.run_path runpy.run_module marshal.loads pickle.loads"),
)  # fmt: skip
_RUNS = {"os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "subprocess.getoutput", "subprocess.getstatusoutput"}  # fmt: skip
_RUNS_OTHERS = re.compile(
    r"os\.(exec|spawn|posix_spawn)\w*|pty\.spawn|asyncio\.create_subprocess_\w+"
)
_DELETES = {
    "shutil.rmtree",
    "os.remove",
    "os.unlink",
    "os.rmdir",
    "os.removedirs",
    "shutil.move",
    "os.rename",
    "os.replace",
}
_OPENS = {"open", "io.open", "os.open", "codecs.open"}
_WRITES = {".write_text", ".write_bytes"}
_ROWS: dict[str, tuple[Risk, str]] = {
    name: (risk, reason) for risk, reason, names in CALLS for name in names.split()
}
# Most scripts hold none of these words: then there is nothing to look for, at a hundredth of the cost.
_MARKERS = re.compile(
    r"remove|unlink|rmdir|rmtree|truncate|renam|replace|move|smtp|send|urlopen|requests|httpx|post|ftplib|paramiko|socket|kill|chown|setuid|fork|chroot"
    r"|terminate|ctypes|eval|exec|compile|__import__|import_module|runpy|marshal|pickle|system|popen|subprocess|spawn|open|write_|[/~]|getattr"
)
_LIBRARIES = FILES_OF_TABLES | SERVERS | REMOTE_LIBRARIES | MACHINE_LIBRARIES


_NAMED = (*_RUNS, *_DELETES, *_ROWS)
_REMOVES = re.compile(r"['\"]\s*(sudo\s+)?(rm\s+-\w*[rf]|shred\s)")
_HIDES = re.compile(r"b(64|32|16|85)decode|a85decode|fromhex|unhexlify|codecs|::-1|\bchr\(")
_LISTS = {"os.walk", "os.listdir", "os.scandir"}
_Shell = Callable[[str], list[Finding]]


def look_at_python(code: str, places: Places, cwd: Path | None, shell: _Shell) -> list[Finding]:
    """The findings in Python code; `shell` looks at commands that it starts. Code that does not parse finds nothing: it
    will not run. Never raises."""
    code = unicodedata.normalize("NFKC", code)  # as Python reads names
    if is_bomb(code):
        return [Finding("catastrophic", "python starts itself again and again: a fork bomb")]
    if not _MARKERS.search(code) and not any(name in code for name in _LIBRARIES):
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # an odd escape in somebody's string is no matter of ours
            tree = ast.parse(code)
        nodes = list(ast.walk(tree))
        values = Values(nodes, dict(_imported(nodes)), places, cwd)
        return _findings(code, nodes, values, shell)
    except (SyntaxError, ValueError):
        return []
    except (RecursionError, MemoryError):
        return [Finding("unknown", "Python nested too deeply to be looked at")]


def _findings(code: str, nodes: list[ast.AST], values: Values, shell: _Shell) -> list[Finding]:
    found: list[Finding] = []
    listed: list[Path] = []  # vital folders whose files are gone through
    modules = _modules(nodes)
    for node in nodes:
        if isinstance(node, ast.Call):
            found += _call(node, values, shell)
            found += _of_libraries(node, values, modules, code)
            if (path := _listed(node, values)) and values.places.is_vital(path):
                listed.append(path)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += _constant(node.value, values)
        elif isinstance(node, ast.Subscript) and _is_module_s(node.value, values, modules):
            found.append(Finding("unknown", "a name of a module that is only known when it runs"))
        elif isinstance(node, ast.Expr) and (emptied := _emptied(node.value, values)):
            found.append(emptied)
    deletes = any(finding.risk == "delete" for finding in found) or _REMOVES.search(code)
    if listed and "endswith" not in code and deletes:
        found.append(
            Finding("catastrophic", f"deletes what is in {listed[0]}: the system or a whole home")
        )
    return found


def _is_module_s(node: ast.expr, values: Values, modules: set[str]) -> bool:
    """`os.__dict__`, `vars(os)`: all that a module has, by its name."""
    if isinstance(node, ast.Call) and full_name(node.func, values.names) == "vars" and node.args:
        return full_name(node.args[0], values.names) in modules
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "__dict__"
        and full_name(node.value, values.names) in modules | {"__builtins__"}
    )


def _listed(node: ast.Call, values: Values) -> Path | None:
    """The folder whose files a call lists: `os.walk("/")`, `Path("/").rglob("*")`."""
    name = full_name(node.func, values.names)
    if name in _LISTS and node.args:
        return values.path(node.args[0])
    if (
        name in ("glob.glob", "glob.iglob")
        and node.args
        and (text := values.text(node.args[0])) is not None
    ):
        folder, _, pattern = text.rpartition("/")
        return values.place(folder or "/") if pattern in ("*", "**", ".*") else None
    if isinstance(node.func, ast.Attribute) and node.func.attr in (
        "rglob",
        "iterdir",
        "glob",
        "walk",
    ):
        everything = not node.args or (
            isinstance(node.args[0], ast.Constant) and node.args[0].value in ("*", "**/*")
        )
        return values.path(node.func.value) if everything else None
    return None


def _imported(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Local name → full name of what is imported: `from shutil import rmtree as rm` gives rm → shutil.rmtree."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            yield from (
                (name.rpartition(".")[2], name)
                for name in _NAMED
                if name.startswith(f"{node.module}.")
            )
        elif isinstance(node, ast.ImportFrom):
            yield from (
                (alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names
            )
        elif isinstance(node, ast.Import):
            yield from ((alias.asname, alias.name) for alias in node.names if alias.asname)


def _modules(nodes: list[ast.AST]) -> set[str]:
    """The top modules that the code loads."""
    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in named}


def _of_libraries(
    node: ast.Call, values: Values, modules: set[str], code: str
) -> Iterator[Finding]:
    if modules & _LIBRARIES:
        from safety import (
            python_libraries,
        )  # what a script without them never needs is not loaded for it

        yield from python_libraries.judge(
            node, full_name(node.func, values.names), values, modules, code
        )


def _call(node: ast.Call, values: Values, shell: _Shell) -> list[Finding]:
    name = full_name(node.func, values.names)
    last = "." + name.rpartition(".")[2]
    if name in ("exec", "eval") and node.args and (text := values.text(node.args[0])) is not None:
        hidden = [] if isinstance(node.args[0], ast.Constant) else [Finding("unknown", f"{name}: runs code that was written so that it cannot be read", name)]  # fmt: skip
        return look_at_python(text, values.places, values.cwd, shell) + hidden
    if name in _RUNS:
        return _started(node, name, values, shell)
    if name in _OPENS or last in _WRITES or (last == ".open" and name != "os.open"):
        return _opened(node, name, values)
    if _RUNS_OTHERS.fullmatch(name):
        return _replaced(node, name, values, shell)
    if plain := _by_name(node, name):
        return [plain]
    if lost := _lost(node, name, values):
        return lost
    if last == ".urlopen" and (
        len(node.args) > 1 or any(keyword.arg == "data" for keyword in node.keywords)
    ):
        return [Finding("send", f"{name}: sends to others", name)]
    row = _ROWS.get(".".join(name.split(".")[-2:])) or (_ROWS.get(last) if "." in name else None)
    return [Finding(row[0], f"{name}: {row[1]}", name)] if row else []


def _by_name(node: ast.Call, name: str) -> Finding | None:
    """What a call says of itself, wherever it reaches."""
    if name in ("os.kill", "os.killpg") and node.args and ast.unparse(node.args[0]) in ("-1", "1"):
        return Finding("catastrophic", f"{name} stops every process", name)
    if name in ("operator.methodcaller", "operator.attrgetter"):
        return Finding("unknown", f"{name}: a name that is only known when it runs", name)
    if name == "getattr" and len(node.args) > 1 and not isinstance(node.args[1], ast.Constant):
        return Finding("unknown", "getattr: a name that is only known when it runs", name)
    return None


def _lost(node: ast.Call, name: str, values: Values) -> list[Finding]:
    """What a call deletes or moves that is vital, or the agent's own."""
    last = "." + name.rpartition(".")[2]
    places = values.places
    locks = name in ("os.chmod", "os.chown", "shutil.chown")
    if not locks and name not in _DELETES and last not in (".unlink", ".rmdir", ".rmtree"):
        return []
    named = [values.paths(each) for each in [*node.args, *_receiver(node)]]
    is_deep = last == ".rmtree" or name in (
        "shutil.move",
        "os.rename",
        "os.replace",
        "os.chmod",
        "os.chown",
        "shutil.chown",
    )
    named = named[:1] if is_deep and last != ".rmtree" else named
    found = [path for paths in named for path in paths]
    why = "the system or a whole home" if is_deep else "on which the machine depends"
    is_vital = places.is_lost if is_deep else places.is_vital_file
    own = "in the agent's own home"
    return [
        Finding("catastrophic", f"{name} on {path}{':' if is_deep else ','} {why}", name)
        for path in found
        if is_vital(path)
    ] + [
        Finding("agent", f"{name} on {path}, {own}", name)
        for path in found
        if path.is_relative_to(places.agent)
    ]


def _receiver(node: ast.Call) -> list[ast.expr]:
    """`Path("x")` of `Path("x").unlink()`."""
    return [node.func.value] if isinstance(node.func, ast.Attribute) else []


def _started(node: ast.Call, name: str, values: Values, shell: _Shell) -> list[Finding]:
    first = node.args[0] if node.args else None
    if isinstance(first, (ast.List, ast.Tuple)):
        words = [values.text(item) for item in first.elts]
        if words and None not in words:
            return shell(shlex.join(word or "" for word in words))
    elif first is not None and (texts := values.texts(first)):
        found = [finding for text in texts for finding in shell(text)]
        return found + ([Finding("unknown", f"{name}: a command that was written so that it cannot be read", name)] if _is_hidden(first) else [])  # fmt: skip
    return [Finding("unknown", f"{name}: a command that is only known when it runs", name)]


def _replaced(node: ast.Call, name: str, values: Values, shell: _Shell) -> list[Finding]:
    """`os.execvp("rm", ["rm", "x"])`, `pty.spawn(…)`: another program, with what it would do as far as that is known."""
    found = [Finding("unknown", f"{name} starts another program", name)]
    listed = next(
        (arg.elts for arg in node.args if isinstance(arg, (ast.List, ast.Tuple))), node.args[1:]
    )
    words = [values.text(each) for each in listed]
    if words and None not in words:
        found += [
            each
            for each in shell(shlex.join(word or "" for word in words))
            if each.risk == "catastrophic"
        ]
    return found


def _is_hidden(node: ast.expr) -> bool:
    """Whether a text was written so that one could not read it: nobody needs that for what is harmless."""
    return bool(_HIDES.search(ast.unparse(node)))


def _written_to(node: ast.Call, name: str) -> tuple[ast.expr | None, bool]:
    """The place that a call of `open` and the like names, and whether it writes there."""
    is_method = isinstance(node.func, ast.Attribute) and name not in _OPENS
    target = (
        node.func.value
        if isinstance(node.func, ast.Attribute) and is_method
        else next(iter(node.args), None)
    )
    rest = node.args if is_method else node.args[1:]
    modes = [*rest[:1], *[keyword.value for keyword in node.keywords if keyword.arg == "mode"]]
    mode = "".join(str(item.value) for item in modes if isinstance(item, ast.Constant))
    return target, name.endswith(("write_text", "write_bytes")) or bool(set(mode) & set("wax+"))


def _opened(node: ast.Call, name: str, values: Values) -> list[Finding]:
    """Writing to a place that is named in the code and outside; one that is only known when it runs is left to the sandbox."""
    target, writes = _written_to(node, name)
    if not writes or target is None:
        return []
    found = [
        finding for path in values.paths(target) for finding in _placed(path, name, values.places)
    ]
    is_empty = (
        name.endswith(("write_text", "write_bytes"))
        and node.args
        and values.text(node.args[0]) == ""
    )
    return found + ([Finding("delete", f"{name} empties a file", name)] if is_empty else [])


def _placed(path: Path, name: str, places: Places) -> list[Finding]:
    if places.is_vital_file(path):
        return [
            Finding("catastrophic", f"{name} writes to {path}, on which the machine depends", name)
        ]
    risks: dict[str, Risk] = {
        "outside": "outside",
        "agent": "agent",
        "device": "catastrophic",
        "secret": "system",
        "startup": "system",
    }
    kind = places.kind(path)
    return [Finding(risks[kind], f"{name} writes to {path}", name)] if kind in risks else []


def _emptied(node: ast.expr, values: Values) -> Finding | None:
    """`open("x", "w").close()`, and `open("x", "w")` with nobody to write to it."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "close"
    ):
        node = node.func.value
    if not isinstance(node, ast.Call) or (name := full_name(node.func, values.names)) not in (
        "open",
        "io.open",
    ):
        return None
    modes = [
        *node.args[1:2],
        *[keyword.value for keyword in node.keywords if keyword.arg == "mode"],
    ]
    empties = any("w" in (values.text(mode) or "") for mode in modes)
    return Finding("delete", f"{name} empties a file", name) if empties else None


def _constant(text: str, values: Values) -> list[Finding]:
    if not 4 < len(text) < 500 or not re.match(r"[~/.\w]", text) or "/" not in text:
        return []
    path = values.place(text)
    is_secret = path is not None and values.places.is_secret(path)
    return [Finding("secret", f"names {path}, which holds keys or passwords")] if is_secret else []
