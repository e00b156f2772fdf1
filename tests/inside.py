"""Run a command of the terminal within this process: on real file descriptors, without the start of
an interpreter."""

import atexit
import contextlib
import functools
import gc
import json
import os
import select
import signal
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import pytest

PATIENCE_SECONDS = 10.0  # for threads that a process joins at its end


def command_line(
    args: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: str
) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of `python launch.py ARGS`."""
    with contextlib.ExitStack() as opened:
        out, err = (opened.enter_context(tempfile.TemporaryFile("w+b")) for _ in range(2))
        given = opened.enter_context(_piped(stdin.encode("utf-8", "surrogatepass")))
        with pytest.MonkeyPatch.context() as patch, _streams(patch, given, out, err):
            for name, value in env.items():
                patch.setenv(name, value)
            patch.chdir(cwd)
            code = _ended(list(args), patch)
        return code, _text(out), _text(err)


@contextlib.contextmanager
def _piped(data: bytes) -> Iterator[IO[bytes]]:
    """Give what a command reads: a pipe, or a file for what no pipe holds."""
    if len(data) > select.PIPE_BUF:
        with tempfile.TemporaryFile("w+b") as file:
            file.write(data)
            file.seek(0)
            yield file
        return
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        yield pipe


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


@contextlib.contextmanager
def _streams(patch: pytest.MonkeyPatch, *files: IO[bytes]) -> Iterator[None]:
    """Put the files in place of the first three descriptors, and Python's streams on them."""
    kept = [os.dup(number) for number in range(3)]
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
        name = ("stdin", "stdout", "stderr")[number]
        stream = os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False)
        patch.setattr(sys, name, stream)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, before in enumerate(kept):
            os.dup2(before, number)
            os.close(before)


def _ended(args: list[str], patch: pytest.MonkeyPatch) -> int:
    """Run `main` as a process does, with its ends, signals and last words; a defect is raised."""
    import launch
    from ui import words

    last = _last_words(patch)
    patch.setattr(sys, "argv", ["launch.py", *args])
    patch.setattr(sys, "excepthook", sys.excepthook)
    spoken, threads = words.language(), set(threading.enumerate())
    _tidy()
    gc.freeze()
    patch.setattr(gc, "freeze", lambda: None)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = {number: signal.getsignal(number) for number in numbers}
    try:
        return launch.main(args)
    except SystemExit as error:
        return _code_of(error)
    finally:
        for each in set(threading.enumerate()) - threads:
            if not each.daemon:
                each.join(PATIENCE_SECONDS)
        for call in reversed(last):
            call()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        words.use(spoken)
        _tidy()


def _tidy() -> None:
    """Collect garbage as the end of a process does: what is open is closed without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def _last_words(patch: pytest.MonkeyPatch) -> list[Callable[[], Any]]:
    """Return the list that gathers what is registered for the end of the process."""
    last: list[Callable[[], Any]] = []
    register, finalize = atexit.register, weakref.finalize

    def gather(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if getattr(call, "__self__", None) is finalize:  # for all of its kind, once
            return register(call)
        last.append(functools.partial(call, *args, **kwargs))
        return call

    def finalized(*args: Any, **kwargs: Any) -> Any:
        last.append(finalize(*args, **kwargs))
        return last[-1]

    patch.setattr(atexit, "register", gather)
    patch.setattr(weakref, "finalize", finalized)
    return last


def _code_of(error: SystemExit) -> int:
    if isinstance(error.code, str):
        sys.stderr.write(f"{error.code}\n")
        return 1
    return error.code or 0


def main() -> None:
    """Run the commands that stdin lists as JSON, one a line; answer each with code, stdout and
    stderr."""
    for line in sys.stdin:
        ended = command_line(json.loads(line), {}, Path.cwd(), "")
        sys.stdout.write(json.dumps(ended) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
