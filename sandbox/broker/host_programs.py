"""Runs one program outside a cell for a script inside: exactly one list of words, and nothing
around it.

The name leads to a file that belongs to root and that nobody else may write to, nor any folder
above it. A table of option forms (forms.py) or the owner's own yes must cover the words. The
environment is our own; there is no input.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import signal
import socket
import stat
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

RUN_SECONDS = 120.0
WORDS_BYTES = 65_536
PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
REFUSED, NOT_FOUND = 126, 127  # exit codes, as a shell has them
_OUTPUT, _ERRORS, _EXIT = 1, 2, 0

Gate = Callable[[Sequence[str]], str]  # words → why not; "" lets them pass


class Untrusted(Exception):
    """A program that cannot be run outside a cell. The text says why."""


def program(name: str, path: Sequence[str] = PATH) -> Path:
    """Return the file that `name` means outside. Raises Untrusted."""
    if not re.fullmatch(r"\w[\w.+-]*", name):
        raise Untrusted(
            f"{name[:100]!a}: a program outside the sandbox is called by its name alone"
        )
    for folder in path:
        file = Path(folder, name)  # the link, by whose name some programs know what they are
        if os.access(file, os.X_OK):
            _check(file.resolve())
            _check(file.parent.resolve() / name)
            return file
    raise Untrusted(f"{name}: not found among the programs of the system")


def _check(file: Path) -> None:
    """Raise Untrusted unless root alone decides what the file is."""
    for each in (file, *file.parents):
        found = each.stat()
        if any((found.st_uid, found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))):
            raise Untrusted(f"{file}: others than root may change {each}")
    if not file.is_file():
        raise Untrusted(f"{file} is not a file")


def serve(client: socket.socket, gate: Gate) -> None:
    """Serve one call of a cell to its end. Never raises."""
    with contextlib.suppress(OSError):
        client.settimeout(RUN_SECONDS)
        words = _words(client)
        try:
            if why := gate(words):
                raise Untrusted(why)
            file = program(words[0])
        except Untrusted as error:
            _send(client, _ERRORS, f"Sopwith: {error}\n".encode(errors="replace"))
            _send(client, _EXIT, b"%d" % REFUSED)
            return
        _send(client, _EXIT, b"%d" % _run(client, file, words))
        client.shutdown(socket.SHUT_RDWR)


def environment() -> dict[str, str]:
    """Return the variables that a program outside gets: nothing that a script has set."""
    owner = pwd.getpwuid(os.geteuid())
    found = {"PATH": ":".join(PATH), "LANG": os.environ.get("LANG", "C.UTF-8"), "TERM": "dumb"}
    return found | {"HOME": owner.pw_dir, "USER": owner.pw_name, "LOGNAME": owner.pw_name} | {
        name: os.environ[name] for name in ("XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "TZ") if name in os.environ
    }  # fmt: skip


def _words(client: socket.socket) -> list[str]:
    """Return the words of a call. Raises OSError for what is no call."""
    with client.makefile("rb") as sent:
        size = int.from_bytes(sent.read(4), "big")
        data = sent.read(min(size, WORDS_BYTES))
    if len(data) < max(1, size):
        raise OSError("no call")
    return [os.fsdecode(word) for word in data.split(b"\0")]


def _run(client: socket.socket, file: Path, words: list[str]) -> int:
    """Return the exit code; what the program says goes to the client while it runs."""
    try:
        process = subprocess.Popen(
            words,
            executable=file,
            cwd="/",
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        _send(client, _ERRORS, f"{words[0]}: {error.strerror}\n".encode())
        return NOT_FOUND
    lock = threading.Lock()
    threads = [
        threading.Thread(target=_copy, args=(client, kind, pipe, lock), daemon=True)
        for kind, pipe in ((_OUTPUT, process.stdout), (_ERRORS, process.stderr))
    ]
    threading.Thread(target=_watch, args=(client, process), daemon=True).start()
    with process:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _copy(client: socket.socket, kind: int, pipe: IO[bytes] | None, lock: threading.Lock) -> None:
    number = pipe.fileno() if pipe else -1
    with contextlib.suppress(OSError):  # the script has ended
        while data := os.read(number, WORDS_BYTES):
            with lock:
                _send(client, kind, data)


def _watch(client: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """End the program when the script goes away, or takes too long."""
    with contextlib.suppress(OSError):
        client.recv(1)
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _send(client: socket.socket, kind: int, data: bytes) -> None:
    client.sendall(bytes([kind]) + len(data).to_bytes(4, "big") + data)
