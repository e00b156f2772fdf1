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
from safety.tables import Finding, Risk

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
_RUNS_OTHERS = re.compile(r"os\.(exec|spawn|posix_spawn)\w*|pty\.spawn|asyncio\.create_subprocess_\w+")
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
_ROWS: dict[str, tuple[Risk, str]] = {name: (risk, reason) for risk, reason, names in CALLS for name in names.split()}
# Most scripts hold none of these words: then there is nothing to look for, at a hundredth of the cost.
_MARKERS = re.compile(
    r"remove|unlink|rmdir|rmtree|truncate|renam|replace|move|smtp|send|urlopen|requests|httpx|post|ftplib|paramiko|socket|kill|chown|setuid|fork|chroot"
    r"|terminate|ctypes|eval|exec|compile|__import__|import_module|runpy|marshal|pickle|system|popen|subprocess|spawn|open|write_|[/~]|getattr"
)


_NAMED = (*_RUNS, *_DELETES, *_ROWS)
_REMOVES = re.compile(r"['\"]\s*(sudo\s+)?(rm\s+-\w*[rf]|shred\s)")
_LISTS = {"os.walk", "os.listdir", "os.scandir"}


def look_at_python(code: str, places: Places, cwd: Path | None, shell: Callable[[str], list[Finding]]) -> list[Finding]:
    """The findings in Python code; `shell` looks at commands that it starts. Code that does not parse finds nothing: it
    will not run. Never raises."""
    code = unicodedata.normalize("NFKC", code)  # as Python reads names
    if is_bomb(code):
        return [Finding("catastrophic", "python starts itself again and again: a fork bomb")]
    if not _MARKERS.search(code):
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in somebody's string is no matter of ours
            tree = ast.parse(code)
        nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError):
        return []
    except (RecursionError, MemoryError):
        return [Finding("unknown", "Python nested too deeply to be looked at")]
    names = dict(_imported(nodes))
    found: list[Finding] = []
    listed: list[Path] = []  # vital folders whose files are gone through
    for node in nodes:
        if isinstance(node, ast.Call):
            found += _call(node, names, places, cwd, shell)
            if (path := _listed(node, names, places, cwd)) and places.is_vital(path):
                listed.append(path)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += _constant(node.value, places, cwd)
    deletes = any(finding.risk == "delete" for finding in found) or _REMOVES.search(code)
    if listed and "endswith" not in code and deletes:
        found.append(Finding("catastrophic", f"deletes what is in {listed[0]}: the system or a whole home"))
    return found


def _listed(node: ast.Call, names: dict[str, str], places: Places, cwd: Path | None) -> Path | None:
    """The folder whose files a call lists: `os.walk("/")`, `Path("/").rglob("*")`."""
    name = _full_name(node.func, names)
    if name in _LISTS and node.args:
        return _named(node.args[0], names, places, cwd)
    if name in ("glob.glob", "glob.iglob") and node.args and isinstance(node.args[0], ast.Constant):
        folder, _, pattern = str(node.args[0].value).rpartition("/")
        return _place(folder or "/", places, cwd) if pattern in ("*", "**", ".*") else None
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("rglob", "iterdir", "glob", "walk"):
        everything = not node.args or (isinstance(node.args[0], ast.Constant) and node.args[0].value in ("*", "**/*"))
        return _named(node.func.value, names, places, cwd) if everything else None
    return None


def _imported(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Local name → full name of what is imported: `from shutil import rmtree as rm` gives rm → shutil.rmtree."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            yield from ((name.rpartition(".")[2], name) for name in _NAMED if name.startswith(f"{node.module}."))
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.asname, alias.name) for alias in node.names if alias.asname)


def _full_name(function: ast.expr, names: dict[str, str]) -> str:
    if isinstance(function, ast.Name):
        return names.get(function.id, function.id)
    if isinstance(function, ast.Attribute):
        return f"{_full_name(function.value, names)}.{function.attr}"
    if isinstance(function, ast.Call) and _full_name(function.func, names) == "__import__" and function.args:
        module = function.args[0]
        return str(module.value) if isinstance(module, ast.Constant) else "?"
    return "?"


def _call(
    node: ast.Call, names: dict[str, str], places: Places, cwd: Path | None, shell: Callable[[str], list[Finding]]
) -> list[Finding]:
    name = _full_name(node.func, names)
    last = "." + name.rpartition(".")[2]
    if name in ("exec", "eval") and node.args and isinstance(node.args[0], ast.Constant):
        return look_at_python(str(node.args[0].value), places, cwd, shell)
    if name in _RUNS:
        return _started(node, name, shell)
    if name in _OPENS or last in _WRITES or (last == ".open" and name != "os.open"):
        return _opened(node, name, places, cwd)
    if plain := _by_name(node, name):
        return [plain]
    if lost := _lost(node, name, names, places, cwd):
        return lost
    if last == ".urlopen" and (len(node.args) > 1 or any(keyword.arg == "data" for keyword in node.keywords)):
        return [Finding("send", f"{name}: sends to others", name)]
    row = _ROWS.get(".".join(name.split(".")[-2:])) or (_ROWS.get(last) if "." in name else None)
    return [Finding(row[0], f"{name}: {row[1]}", name)] if row else []


def _by_name(node: ast.Call, name: str) -> Finding | None:
    """What a call says of itself, wherever it reaches."""
    if _RUNS_OTHERS.fullmatch(name):
        return Finding("unknown", f"{name} starts another program", name)
    if name in ("os.kill", "os.killpg") and node.args and ast.unparse(node.args[0]) in ("-1", "1"):
        return Finding("catastrophic", f"{name} stops every process", name)
    if name == "getattr" and len(node.args) > 1 and not isinstance(node.args[1], ast.Constant):
        return Finding("unknown", "getattr: a name that is only known when it runs", name)
    return None


def _lost(node: ast.Call, name: str, names: dict[str, str], places: Places, cwd: Path | None) -> list[Finding]:
    """What a call deletes or moves that is vital, or the agent's own."""
    last = "." + name.rpartition(".")[2]
    locks = name in ("os.chmod", "os.chown", "shutil.chown")
    if not locks and name not in _DELETES and last not in (".unlink", ".rmdir", ".rmtree"):
        return []
    named = [_named(each, names, places, cwd) for each in [*node.args, *_receiver(node)]]
    found = [path for path in named if path]
    is_deep = last == ".rmtree" or name in (
        "shutil.move",
        "os.rename",
        "os.replace",
        "os.chmod",
        "os.chown",
        "shutil.chown",
    )
    named = named[:1] if is_deep and last != ".rmtree" else named
    why = "the system or a whole home" if is_deep else "on which the machine depends"
    is_vital = places.is_lost if is_deep else places.is_vital_file
    own = "in the agent's own home"
    return [
        Finding("catastrophic", f"{name} on {path}{':' if is_deep else ','} {why}", name)
        for path in found
        if is_vital(path)
    ] + [Finding("agent", f"{name} on {path}, {own}", name) for path in found if path.is_relative_to(places.agent)]


def _receiver(node: ast.Call) -> list[ast.expr]:
    """`Path("x")` of `Path("x").unlink()`."""
    return [node.func.value] if isinstance(node.func, ast.Attribute) else []


def _named(node: ast.expr, names: dict[str, str], places: Places, cwd: Path | None) -> Path | None:
    """The path that an expression stands for: a text, Path(text), the owner's home."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _place(node.value, places, cwd) if node.value != "~" else places.owner
    if isinstance(node, ast.Subscript):
        return places.owner if ast.unparse(node) in ("os.environ['HOME']",) else None
    if isinstance(node, ast.Call):
        name = _full_name(node.func, names)
        if name.endswith(("Path.home", "os.getenv")) and (not node.args or ast.unparse(node.args[0]) == "'HOME'"):
            return places.owner
        if node.args and name.endswith(("Path", "expanduser", "abspath", "realpath", "str", "fspath")):
            return _named(node.args[0], names, places, cwd)
    return None


def _started(node: ast.Call, name: str, shell: Callable[[str], list[Finding]]) -> list[Finding]:
    first = node.args[0] if node.args else None
    if first is not None and (text := _joined(first)):
        return shell(text)
    if isinstance(first, (ast.List, ast.Tuple)):
        words = [item.value for item in first.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        if words and len(words) == len(first.elts):
            return shell(shlex.join(words))
    return [Finding("unknown", f"{name}: a command that is only known when it runs", name)]


def _joined(node: ast.expr) -> str | None:
    """A text that is put together of texts and the owner's home."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _joined(node.left), _joined(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        parts = [_joined(each.value if isinstance(each, ast.FormattedValue) else each) for each in node.values]
        return None if None in parts else "".join(part or "" for part in parts)
    is_home = ast.unparse(node) in (
        "os.environ['HOME']",
        "os.path.expanduser('~')",
        "Path.home()",
        "pathlib.Path.home()",
        "os.getenv('HOME')",
    )
    return "~" if is_home else None


def _opened(node: ast.Call, name: str, places: Places, cwd: Path | None) -> list[Finding]:
    """Writing to a place that is named in the code and outside; a place in a variable is left to the sandbox."""
    is_method = isinstance(node.func, ast.Attribute) and name not in _OPENS
    owner = node.func.value if isinstance(node.func, ast.Attribute) and is_method else None
    target = (
        owner.args[0]
        if isinstance(owner, ast.Call) and owner.args
        else None
        if is_method
        else next(iter(node.args), None)
    )
    rest = node.args if is_method else node.args[1:]
    modes = [*rest[:1], *[keyword.value for keyword in node.keywords if keyword.arg == "mode"]]
    mode = "".join(str(item.value) for item in modes if isinstance(item, ast.Constant))
    writes = name.endswith(("write_text", "write_bytes")) or set(mode) & set("wax+")
    if not writes or not isinstance(target, ast.Constant) or not isinstance(target.value, str):
        return []
    path = _place(target.value, places, cwd)
    kind = places.kind(path) if path else "inside"
    if path and places.is_vital_file(path):
        return [Finding("catastrophic", f"{name} writes to {path}, on which the machine depends", name)]
    risks: dict[str, Risk] = {
        "outside": "outside",
        "agent": "agent",
        "device": "catastrophic",
        "secret": "system",
        "startup": "system",
    }
    return [Finding(risks[kind], f"{name} writes to {path}", name)] if kind in risks else []


def _constant(text: str, places: Places, cwd: Path | None) -> list[Finding]:
    if not 4 < len(text) < 500 or not re.match(r"[~/.\w]", text) or "/" not in text:
        return []
    path = _place(text, places, cwd)
    return (
        [Finding("secret", f"names {path}, which holds keys or passwords")] if path and places.is_secret(path) else []
    )


def _place(text: str, places: Places, cwd: Path | None) -> Path | None:
    if "\0" in text:
        return None
    path = places.owner / text[2:] if text.startswith("~/") else (cwd or Path("/")) / text
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
