"""Runs the script of an SOP in a process of its own: started by replay/script.py, imported by nobody.

One JSON object a line. In: `{"source", "path", "seconds"}` once, then `{"plan": p}`, `{"commit": [p, plan]}` or `{"result": {…}}`.
Out, one for each after the first: `{"call": {"tool", "args"}, "line"}`, `{"return": value}` or `{"error": text, "line"}`.

Before the script is compiled this process gives up, for good: opening files (but for Python's own library), folders,
sockets, other processes, threads, memory above 512 MB; what it prints goes to stderr. Limits are held by the kernel; the
rest by an audit hook, which stops mistakes and plain malice. It does not stop code that is made to break out of
Python (bytecode of its own, a defect of a C module) or that asks the kernel what files there are, without reading them:
that takes bubblewrap, inside of which the same process sees no file of the owner and no network at all.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from types import GeneratorType

TYPE_CHECKING = False  # `typing` costs a tenth of the start
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import CodeType, TracebackType
    from typing import Any, BinaryIO

MAX_LINE_BYTES = 10_000_000
MEMORY_BYTES = 512 << 20
OPEN_FILES = 32
# Modules in C that act without being audited; the harmless ones of the library do without them.
CLOSED_MODULES = frozenset(
    ["_ctypes", "_posixsubprocess", "_posixshmem", "_multiprocessing", "_gdbm", "_dbm", "_sqlite3", "_tkinter", "_curses", "_testcapi", "readline", "mmap", "fcntl", "termios", "nis", "spwd", "syslog", "_xxsubinterpreters", "_interpreters", "_testinternalcapi", "ossaudiodev"]
)  # fmt: skip
CLOSED_EVENTS = frozenset(
    ["os", "shutil", "tempfile", "subprocess", "socket", "ssl", "ctypes", "fcntl", "ftplib", "smtplib", "imaplib", "poplib", "nntplib", "telnetlib", "http", "urllib", "pty", "sqlite3", "mmap", "syslog", "winreg", "resource", "gc", "glob", "pathlib", "webbrowser", "_thread", "code", "function", "msvcrt", "_winapi"]
)  # fmt: skip
CLOSED_EVENTS_BY_NAME = frozenset(
    ["sys.addaudithook", "sys.setprofile", "sys.settrace", "signal.pthread_kill"]
)
UNAUDITED = "mkfifo mknod memfd_create sendfile copy_file_range splice chroot eventfd openpty login_tty setsid setpgid"


def main() -> None:
    """Serves one script until its input ends, which is how it is told to go."""
    lines, out = _take_pipes()
    opening = json.loads(lines.readline())
    _close_the_door()
    talk = Talk(opening["path"], opening["seconds"], lines, out)
    try:
        talk.serve(compile(opening["source"], opening["path"], "exec", dont_inherit=True))
    except BaseException as error:
        talk.report(error)
        raise


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes of the protocol, where a script does not come across them: its input is empty, its output stderr."""
    lines, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return lines, out


def _close_the_door() -> None:
    for kind, value in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, 600),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    posix = sys.modules["posix"]
    for name in UNAUDITED.split():
        for module in (os, posix):
            if hasattr(module, name):
                delattr(module, name)
    vars(sys.modules["_thread"])["start_new_thread"] = (
        _no_thread  # Python 3.11 has no audit event for it
    )
    sys.addaudithook(_hook())


def _no_thread(*_: Any, **__: Any) -> None:
    raise PermissionError("a script may not start threads: what it does must be the same each time")


def _hook() -> Callable[[str, tuple[Any, ...]], None]:
    """The audit hook. All that it uses is bound here, so that a script that changes a module does not change it."""
    library = tuple({f"{os.path.realpath(place)}/" for place in (*sys.path, "/usr/share/zoneinfo")})
    library += tuple({f"{place}/" for place in sys.path})
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def hook(
        event: str,
        args: tuple[Any, ...],
        *,
        is_a: Callable[..., bool] = isinstance,
        text: type[str] = str,
        raw: type[bytes] = bytes,
        refusal: type[Exception] = PermissionError,
        closed: frozenset[str] = CLOSED_EVENTS,
        by_name: frozenset[str] = CLOSED_EVENTS_BY_NAME,
        modules: frozenset[str] = CLOSED_MODULES,
        free: frozenset[str] = frozenset(["os.putenv", "os.unsetenv"]),
    ) -> None:
        # methods are those of str itself, never of a class of the script's that only looks like one
        if event == "open" or event == "os.listdir" or event == "os.scandir":
            path = (
                raw.decode(args[0], "utf-8", "surrogateescape") if is_a(args[0], raw) else args[0]
            )
            if is_a(path, text) and not (event == "open" and args[2] & writing):
                path = text.__str__(path)
                if "/.." not in path and (path + "/").startswith(library):
                    return
            raise refusal(f"a script opens no files ({path!r}): it yields a call, as to file_read")
        if event == "import":
            if not modules.isdisjoint(text.split(args[0], ".")):
                raise refusal(
                    f"a script may not import {args[0]}: it does nothing by itself, it yields calls to tools"
                )
        elif (event.partition(".")[0] in closed and event not in free) or event in by_name:
            raise refusal(
                f"a script may not do this by itself ({event}): it yields a call to a tool"
            )

    return hook


class Talk:
    """One script and its conversation with the replay."""

    def __init__(self, path: str, seconds: int, lines: BinaryIO, out: BinaryIO) -> None:
        self.path, self.seconds, self.lines, self.out = path, seconds, lines, out
        self.steps: Generator[Any, Any, Any] | None = None  # what plan or commit is at

    def serve(self, code: CodeType) -> None:
        """Runs the module, then a move of the script for every line that comes in."""
        scope: dict[str, Any] = {"__name__": "sop_script", "__builtins__": __builtins__}
        has_run = False
        while line := self.lines.readline():
            signal.alarm(
                self.seconds
            )  # whoever started us may be gone: nobody else would stop an endless script
            if not has_run:
                exec(code, scope)
                has_run = True
            self.send(self.move(scope, json.loads(line)))
            signal.alarm(0)

    def move(self, scope: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
        """Return what the script does next."""
        try:
            if "result" in message:
                assert self.steps is not None
                return self.asked(self.steps.send(message["result"]))
            name, arguments = (
                ("plan", [message["plan"]]) if "plan" in message else ("commit", message["commit"])
            )
            begun = scope[name](*arguments)
            if not isinstance(begun, GeneratorType):
                return {"return": begun}
            self.steps = begun
            return self.asked(next(begun))
        except StopIteration as end:
            return {"return": end.value}

    def asked(self, call: Any) -> dict[str, Any]:
        """A call that the script yields, with the line it stands on."""
        steps: Any = self.steps
        line = 0
        while isinstance(steps, GeneratorType) and steps.gi_frame:
            if steps.gi_code.co_filename == self.path:
                line = steps.gi_frame.f_lineno
            steps = steps.gi_yieldfrom
        if (
            not isinstance(call, dict)
            or set(call) - {"args"} != {"tool"}
            or not isinstance(call["tool"], str)
        ):
            return {
                "error": f'it must yield {{"tool": NAME, "args": {{…}}}}, not {_shown(call)}',
                "line": line,
            }
        args = call.get("args", {})
        if not isinstance(args, dict):
            return {
                "error": f"the args of {call['tool'][:60]} must be a dict, not {_shown(args)}",
                "line": line,
            }
        return {"call": {"tool": call["tool"], "args": args}, "line": line}

    def send(self, message: dict[str, Any]) -> None:
        """Writes one line. What is no JSON, or too much of it, becomes an error."""
        try:
            _check(message)
            line = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8")
            problem = (
                f"{len(line):,} bytes at once; the most is {MAX_LINE_BYTES:,}"
                if len(line) > MAX_LINE_BYTES
                else ""
            )
        except (TypeError, ValueError) as error:  # UnicodeEncodeError is one
            problem = f"what it gives is not JSON: {error}"
        except RecursionError:
            problem = "what it gives is nested without end"
        if problem:
            line = json.dumps({"error": problem[:500], "line": message.get("line", 0)}).encode()
        self.out.write(line + b"\n")
        self.out.flush()

    def report(self, error: BaseException) -> None:
        """Tells what the script died of, and on which of its lines."""
        line = (
            error.lineno or 0
            if isinstance(error, SyntaxError)
            else _line(error.__traceback__, self.path)
        )
        text = " ".join(str(error).split())
        self.send(
            {
                "error": f"{type(error).__name__}: {text}"[:500] if text else type(error).__name__,
                "line": line,
            }
        )


def _check(value: Any) -> None:
    """Raises TypeError for what `json` would change without a word: keys that are no text, sets, tuples in keys."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {_shown(key)} is no text")
            _check(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check(item)


def _line(traceback: TracebackType | None, path: str) -> int:
    line = 0
    while traceback:
        if traceback.tb_frame.f_code.co_filename == path:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


if __name__ == "__main__":
    main()
