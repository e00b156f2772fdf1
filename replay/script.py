"""An SOP's script: reads and checks `scripts/run.py`, and drives it in a sandboxed process of its
own.

`plan(p)` and `commit(p, plan)` are generators: they yield `{"tool": NAME, "args": {…}}`, are sent
`{"status", "data"}`, and return a plan (JSON) or the result (text), or `{"stop": REASON}`. They
compute in a child (replay/script_child.py) that can do nothing by itself: in bubblewrap it has no
network, no other process, and of the file system only Python's library. Each call they yield
becomes a step of the replay (replay/rote/).

    ScriptFault    whoever wrote the script: the line, and in a few words what is wrong
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

CHILD = Path(__file__).with_name("script_child.py")
STEP_SECONDS = 30.0  # of the script's own time, from one call to the next
MAX_LINE_BYTES = 10_000_000  # one way, at once
MAX_SCRIPT_BYTES = 500_000
KEPT_BYTES = 4096  # of what the script prints, for the error
PATIENCE_SECONDS = 0.5  # for bubblewrap


class ScriptFault(Exception):
    """The script did something that no script may, or died. `line` is 0 where it is not known."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


@dataclass(frozen=True, slots=True)
class Script:
    """A script on disk, read and checked. `texts` are its string constants: no other text is run as
    code."""

    name: str  # as sop.yaml names it: scripts/run.py
    source: str
    has_commit: bool
    texts: frozenset[str]

    @classmethod
    def load(cls, folder: Path, name: str) -> Script:
        """Read `folder/name`. Raises ScriptFault."""
        source = _source(folder, name)
        tree = _tree(source)
        _check_imports(tree)
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        _check_function(functions, "plan", 1)
        if "commit" in functions:
            _check_function(functions, "commit", 2)
        constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        texts = frozenset(value for value in constants if isinstance(value, str))
        return cls(name, source, "commit" in functions, texts)


def _source(folder: Path, name: str) -> str:
    path = folder / name
    try:
        # the hash of what was proven covers this folder
        if not path.resolve().is_relative_to(folder.resolve() / "scripts"):
            raise ScriptFault(f"{name} is not in the SOP's folder scripts/")
        if path.stat().st_size > MAX_SCRIPT_BYTES:
            raise ScriptFault(f"{name} is larger than {MAX_SCRIPT_BYTES:,} bytes")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptFault(f"{name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScriptFault(f"{name} is not text in UTF-8: {error}") from error


def _tree(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise ScriptFault(f"not Python: {error.msg}", error.lineno or 0) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ScriptFault(f"not Python that can be meant: {error}") from error


def _check_imports(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        for name in names:
            if name.partition(".")[0] not in sys.stdlib_module_names:
                raise ScriptFault(
                    f"imports {name}, which is not in Python's standard library", node.lineno
                )


def _check_function(functions: dict[str, ast.FunctionDef], name: str, count: int) -> None:
    wanted = "def plan(p)" if name == "plan" else "def commit(p, plan)"
    if name not in functions:
        raise ScriptFault(f"it must define `{wanted}`")
    args = functions[name].args
    takes = len(args.posonlyargs) + len(args.args)
    if takes != count or args.vararg or args.kwarg or args.kwonlyargs:
        raise ScriptFault(
            f"it must be `{wanted}`: {name} takes {takes} arguments", functions[name].lineno
        )


@dataclass(frozen=True, slots=True)
class Move:
    """Hold what a script does next: it asks for a call (`tool` and `args`), or, with no tool,
    returns `value`."""

    tool: str = ""
    args: dict[str, Any] | None = None
    value: Any = None
    line: int = 0


class RunningScript:
    """A script at work. It is started by its first move; `close` ends it, and so does the last
    reference going away.

    All moves raise ScriptFault, and the process is gone then.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self._child: _Child | None = None
        self._is_closed = False

    def close(self) -> None:
        """End the process. May be called again."""
        self._is_closed = True
        if self._child is not None:
            self._child.close()
            self._child = None

    def move(self, message: dict[str, Any]) -> Move:
        """Send what the child is told (replay/script_child.py); return what the script does."""
        try:
            said = self._exchange(message)
            if "error" in said:
                raise ScriptFault(str(said["error"]), int(said.get("line") or 0))
            if "call" in said:
                return Move(
                    str(said["call"]["tool"]), dict(said["call"]["args"]), line=int(said["line"])
                )
            return Move(value=said["return"])
        except (KeyError, TypeError, AttributeError) as error:
            self.close()
            raise ScriptFault(f"it disturbed its own conversation: {error!r}") from error
        except BaseException:  # a fault, or Ctrl-C in the middle of a wait
            self.close()
            raise

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._is_closed:
            raise ScriptFault("the script has ended already")
        line = json.dumps(message).encode()
        if len(line) > MAX_LINE_BYTES:
            raise ScriptFault(
                f"the script is sent {len(line):,} bytes at once; the most is {MAX_LINE_BYTES:,}"
            )
        if self._child is None:
            about = {"source": self.script.source, "path": self.script.name}
            opening = json.dumps({**about, "seconds": int(STEP_SECONDS) + 5}).encode()
            self._child, line = _Child(), opening + b"\n" + line
        said = self._child.exchange(line)
        try:
            found = json.loads(said)
        except (ValueError, RecursionError) as error:
            raise ScriptFault(f"it disturbed its own conversation: {error}") from error
        return found if isinstance(found, dict) else {}


class _Child:
    """The process and its pipes. It works in an empty file system of its own."""

    def __init__(self) -> None:
        # what costs the start of runs that have no script
        from sandbox.cells import bubblewrap as walls
        from sandbox.cells.levels import bubblewrap

        info, info_of_child = os.pipe()
        calls = walls.call_filter()
        passed = [info_of_child, *([calls] if calls >= 0 else [])]
        python = [os.path.realpath(sys.executable), "-P", "-s", "-S", "-B", "-X", "utf8"]
        held = [*walls.narrow([CHILD], calls), "--info-fd", str(info_of_child)]
        try:
            self._process = subprocess.Popen(
                [bubblewrap(), *held, "--", *python, str(CHILD)],
                cwd="/",
                # the seed of hashes is fixed, so that a script that goes over a set does the same
                # in a resumed run
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=passed,
                # Ctrl-C is for us; the session stays ours, as tools/processes/tree.py expects of
                # our own
                process_group=0,
            )
        except OSError as error:
            _close(info)
            raise ScriptFault(f"no process for it: {error}") from error
        finally:
            for descriptor in passed:
                os.close(descriptor)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._printed = bytearray()  # the end of it
        self._listener = threading.Thread(
            target=_listen, args=(self._process.stderr, self._printed), daemon=True
        )
        self._listener.start()
        self._info = info
        self.close = weakref.finalize(self, _end, self._process, info, self._listener)

    def exchange(self, line: bytes) -> bytes:
        """Write one line and read one, within the script's time."""
        assert self._process.stdin and self._process.stdout
        late: list[bool] = []
        timer = threading.Timer(STEP_SECONDS, _stop, (self._process, self._info, late))
        timer.start()
        try:
            with contextlib.suppress(BrokenPipeError):  # it is gone: so the other pipe says
                self._process.stdin.write(line + b"\n")
                self._process.stdin.flush()
            came = self._process.stdout.readline(MAX_LINE_BYTES + 2)
        finally:
            timer.cancel()
        if came.endswith(b"\n"):
            return came
        if late:
            raise ScriptFault(
                f"it took longer than {STEP_SECONDS:g} s for one step and was stopped"
            )
        if came:
            raise ScriptFault(f"it gives more than {MAX_LINE_BYTES:,} bytes at once")
        raise ScriptFault(self._death())

    def _death(self) -> str:
        """Return what a process that has closed its pipe died of."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._listener.join(1)
        said = " ".join(self._printed.decode("utf-8", "replace").split())[-300:]
        code = self._process.returncode
        how = "its process ended"
        if code is not None and (code < 0 or code > 128):  # bubblewrap says 128 + signal
            number = -code if code < 0 else code - 128
            with contextlib.suppress(ValueError):
                how = f"its process was killed by {signal.Signals(number).name}"
        return f"{how}: {said}" if said else how


def _listen(stream: IO[bytes], printed: bytearray) -> None:
    """Keep the end of what a script prints."""
    for piece in iter(lambda: os.read(stream.fileno(), 1 << 16), b""):
        printed += piece
        del printed[:-KEPT_BYTES]


def _stop(process: subprocess.Popen[bytes], info: int, late: list[bool]) -> None:
    """End a child that takes too long."""
    late.append(True)
    _kill(process, info)


def _kill(process: subprocess.Popen[bytes], info: int) -> None:
    if process.poll() is not None:
        return
    inner = _inside(info)
    with contextlib.suppress(ProcessLookupError):
        os.kill(inner or process.pid, signal.SIGKILL)
    # bubblewrap sees its child end, and goes; were it killed first, nobody would reap the child
    if inner:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_SECONDS)
        process.kill()
    process.wait()


def _end(process: subprocess.Popen[bytes], info: int, listener: threading.Thread) -> None:
    """End a child and clear up behind it."""
    _kill(process, info)
    listener.join()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    _close(info)


def _inside(info: int) -> int:
    """Return the pid of the process that bubblewrap holds; 0 without bubblewrap."""
    if info < 0 or not select.select([info], [], [], PATIENCE_SECONDS)[0]:
        return 0
    with contextlib.suppress(ValueError, KeyError):
        return int(json.loads(os.read(info, 1000))["child-pid"])
    return 0


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)
