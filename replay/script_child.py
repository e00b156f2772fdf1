"""Run the script of an SOP in a process of its own: started by replay/script.py inside of
bubblewrap, imported by nobody.

One JSON object a line. In: `{"source", "path", "seconds"}` once, then `{"plan": p}`, `{"commit":
[p, plan]}` or `{"result": {…}}`. Out, one for each after the first: `{"call": {"tool", "args"},
"line"}`, `{"return": value}` or `{"error": text, "line"}`.

Bubblewrap shows it no file of the owner's and no network; the kernel holds its memory, its time and
what it may write.
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
    from collections.abc import Generator
    from types import CodeType, TracebackType
    from typing import Any, BinaryIO

MAX_LINE_BYTES = 10_000_000
MEMORY_BYTES = 512 << 20
LIMITS = (
    (resource.RLIMIT_AS, MEMORY_BYTES),
    (resource.RLIMIT_CPU, 600),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_NOFILE, 32),
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_NPROC, 0),
)


def main() -> None:
    """Serve one script until its input ends, which is how it is told to go."""
    lines, out = _take_pipes()
    opening = json.loads(lines.readline())
    _hold()
    talk = Talk(opening["path"], opening["seconds"], lines, out)
    try:
        talk.serve(compile(opening["source"], opening["path"], "exec", dont_inherit=True))
    except BaseException as error:
        talk.report(error)
        raise


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the two pipes of the protocol, where a script does not come across them: its input is
    empty, its output stderr."""
    lines, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return lines, out


def _hold() -> None:
    """Take the limits, for good."""
    for kind, value in LIMITS:
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


class Talk:
    """One script and its conversation with the replay."""

    def __init__(self, path: str, seconds: int, lines: BinaryIO, out: BinaryIO) -> None:
        self.path, self.seconds, self.lines, self.out = path, seconds, lines, out
        self.steps: Generator[Any, Any, Any] | None = None  # what plan or commit is at

    def serve(self, code: CodeType) -> None:
        """Run the module, then a move of the script for every line that comes in."""
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
        """Return a call that the script yields, with the line it stands on."""
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
        """Write one line. What is no JSON, or too much of it, becomes an error."""
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
        """Tell what the script died of, and on which of its lines."""
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
    """Raise TypeError for what `json` would change without a word: keys that are no text, sets,
    tuples in keys."""
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
