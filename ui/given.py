"""Take in what goes with a task: files (`-f FILE`) and text that is piped in. The owner's files
stay where they are."""

from __future__ import annotations

import os
import select
import stat
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ui.arguments import UsageError
from ui.sanitise import one_line
from ui.words import say

PIPE = "-"  # means standard input, among the words of a task, as a file and as a value
MAX_BYTES = 50_000_000  # of one file, as on the page
CHUNK_BYTES = 1 << 20
PATIENCE_SECONDS = 3.0  # without a byte from the pipe, then a note says what is waited for
_KINDS = ((b"\x89PNG", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF8", "gif"), (b"%PDF", "pdf"))


@contextmanager
def given(args: Namespace, words: Sequence[str] = ()) -> Iterator[tuple[Path, ...]]:
    """Copy the files of `-f` and what is piped in to a folder that lasts as long as the context.

    `words` are those of the task. Raises UsageError."""
    named = list(getattr(args, "files", None) or ())
    reads_pipe = PIPE in named or PIPE in words or is_piped()
    with TemporaryDirectory(prefix="sopwith-") as folder:
        paths = enumerate(name for name in named if name != PIPE)
        files = [_copied(name, Path(folder), number) for number, name in paths]
        piped = read_pipe(Path(folder)) if reads_pipe else None
        yield (*files, piped) if piped else tuple(files)


def is_piped() -> bool:
    """Return True when standard input is a pipe or a file: not a terminal, a socket or
    /dev/null."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def read_pipe(folder: Path) -> Path | None:
    """Write standard input to a file in the folder; None when it is empty. Raises UsageError."""
    if not sys.stdin.isatty() and not select.select([sys.stdin], [], [], PATIENCE_SECONDS)[0]:
        print(say("given.waits"), file=sys.stderr)
    content = _read(sys.stdin.fileno(), say("given.pipe"))
    if not content:
        return None
    kind = kind_of(content)
    if kind == "bin":
        print(say("given.binary", size=f"{len(content):,}"), file=sys.stderr)
    path = folder / f"stdin.{kind}"
    path.write_bytes(content)
    return path


def kind_of(content: bytes) -> str:
    """Return the suffix for a content: of an image or a PDF, `txt`, or `bin`."""
    for start, kind in _KINDS:
        if content.startswith(start):
            return kind
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "bin"
    return "bin" if b"\0" in content else "txt"


def _copied(name: str, folder: Path, number: int) -> Path:
    path = Path(name).expanduser()
    if path.is_dir():
        raise UsageError(say("given.folder", path=one_line(name, 200)))
    try:
        with path.open("rb") as file:
            content = _read(file.fileno(), one_line(name, 200))
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(say("given.unreadable", path=one_line(name, 200), why=why)) from error
    place = folder / str(number)  # two files may have one name
    place.mkdir()
    copy = place / path.name
    copy.write_bytes(content)
    return copy


def _read(number: int, name: str) -> bytes:
    """Read a file to its end. Raises UsageError when it is longer than MAX_BYTES."""
    content = bytearray()
    while chunk := os.read(number, CHUNK_BYTES):
        content += chunk
        if len(content) > MAX_BYTES:
            raise UsageError(say("given.too_large", name=name, mb=MAX_BYTES // 1_000_000))
    return bytes(content)
