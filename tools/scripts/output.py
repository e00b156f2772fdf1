"""Holds the output of a process in bounded memory: head and tail for the reader, the whole in a
file when it is long."""

from __future__ import annotations

import codecs
import contextlib
import errno
import math
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from safety.secrets import Redactor, Stream
from text import pattern

SHOWN = 5_600  # characters shown of the head, and of the tail
# bytes held of the head, and of the tail: SHOWN characters of any encoding, and room for escapes
HELD = 32_768
FILE_BYTES = 32_000_000  # bytes kept in the file
# taken of the disk before a script starts, so that its output and its end can be written
RESERVED_BYTES = 65_536
_ESCAPES = pattern(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
)
# bold and underlined, as manuals have it for paper
_STRUCK_TWICE = pattern(r"(.)(?:\x08\1)+|_\x08(?=.)")
_REWRITTEN = pattern(r"[^\n]*\r+(?=[^\r\n])")  # what a progress bar has painted over
# Control characters as their pictures (U+2400 …), so that a NUL or a backspace is seen and does
# nothing.
_VISIBLE = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"} | {
    0x7F: "\u2421"
}
_VISIBLE |= {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}


def clean(text: str) -> str:
    """Return text as a reader wants it: no terminal escapes, no lines that were painted over,
    control characters visible."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = _REWRITTEN.sub("", text.replace("\r\n", "\n")).replace("\r", "")
    if "\b" in text:
        text = _STRUCK_TWICE.sub(r"\1", text)
    return text.translate(_VISIBLE)


class Output:
    """Takes bytes as they come. `redact` hides secrets in what is kept and shown.

    The file is there, with room reserved, before anything is run: on a full disk making it raises
    OSError. A disk that fills later does not spoil what was done; head and tail are shown, and the
    file holds what it could take.
    """

    def __init__(self, file: Path, redact: Callable[[str], str] = str) -> None:
        self.path, self.redact, self.size = file, redact, 0
        self._head, self._tail = bytearray(), bytearray()
        # the end of what came, not yet in the file: a secret may be cut in two here
        self._waiting = b""
        self._written = 0
        self._is_long, self._is_full = False, False
        self._file = file.open("wb", buffering=0)
        if self._write(bytes(RESERVED_BYTES)) < RESERVED_BYTES:
            self.close()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file.parent))
        self._file.seek(0)
        self._written = 0

    def add(self, data: bytes) -> None:
        """Take the next piece."""
        self.size += len(data)
        if not self._is_long and self.size > SHOWN:
            self._is_long = True
            self._keep(bytes(self._head))
        room = HELD - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room else data
        if len(self._tail) > 4 * HELD:
            del self._tail[:-HELD]
        if self._is_long:
            self._keep(data)

    def close(self) -> None:
        """Give back what was reserved; remove a file that adds nothing to what is shown."""
        if self._is_long:
            self._keep(b"", last=True)
        self._file.truncate(self._written)
        self._file.close()
        if self.file is None:
            self.path.unlink(missing_ok=True)

    @property
    def file(self) -> Path | None:
        """Return the file with the whole output; None when all of it is shown."""
        return self.path if self._is_long and not self._is_short else None

    @property
    def _is_short(self) -> bool:
        return self.size <= 2 * HELD and len(self._all()) <= 2 * SHOWN

    def _all(self) -> str:
        return clean((self._head + self._tail).decode(errors="replace"))

    def shown(self) -> str:
        """Return what a model reads: all of it, or head and tail with a line between them that says
        what is missing."""
        if self._is_short:
            return self.redact(self._all())
        if self.size <= 2 * HELD:
            head = tail = self.redact(self._all())
        else:
            whole = codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self._head))
            behind = self._tail[-HELD:].lstrip(bytes(range(0x80, 0xC0)))
            head, tail = map(self.redact, map(clean, (whole, behind.decode(errors="replace"))))
        head, tail = head[:SHOWN], tail[-SHOWN:]
        head = head[: head.rfind("\n", -300) + 1 or None]  # whole lines, if one ends near by
        tail = tail[tail.find("\n", 0, 300) + 1 :]
        is_cut = self._is_full or self.size > FILE_BYTES
        kept = f", its first {self._written:,} bytes" if is_cut else ""
        kept += ": the disk is full" if self._is_full else ""
        gap = f"[… {self.size:,} bytes in all; the whole is in {self.path}{kept} …]"
        return f"{head.rstrip()}\n{gap}\n{tail}"

    def _keep(self, data: bytes, last: bool = False) -> None:
        if self._is_full or self._written >= FILE_BYTES:
            return
        if self.redact is not str:
            data = self._redacted(data, last)
        data = data[: FILE_BYTES - self._written]
        self._is_full = self._write(data) < len(data)

    def _write(self, data: bytes) -> int:
        """Return how many of the bytes went into the file."""
        before = self._written
        with contextlib.suppress(OSError):  # disk full, quota, the limit of a file
            while data:
                taken = self._file.write(data)
                self._written += taken
                data = data[taken:]
        return self._written - before

    def _redacted(self, data: bytes, last: bool) -> bytes:
        """Return what can go to the file now. The end waits, already redacted, in case a secret
        goes on in what comes next."""
        self._waiting += data
        if len(self._waiting) < 2 * HELD and not last:
            return b""
        data, rest = self._waiting, b""
        begun = data.rfind(b"-----BEGIN")
        # a key of many lines, not yet whole
        if begun > 0 and b"-----END" not in data[begun:] and not last:
            data, rest = data[:begun], data[begun:][: 8 * HELD]
        data = self.redact(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")
        cut = len(data) if last else max(0, len(data) - 4096)
        self._waiting = data[cut:] + rest
        return data[:cut]


class Live:
    """Makes the stream for a screen: text at most every 50 ms, at most 4,000 characters at a
    time."""

    every_seconds = 0.05
    max_chars = 4_000

    def __init__(self, redact: Callable[[str], str] = str) -> None:
        self._redact = redact
        self._stream: Stream | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = b""
        self._last = 0.0

    def add(self, data: bytes) -> None:
        self._pending += data
        # from a line's beginning on: half a secret is none that is known
        if len(self._pending) > 4 * self.max_chars:
            self._pending = self._pending[-4 * self.max_chars :].partition(b"\n")[2]

    @property
    def due(self) -> float:
        """Return when the next text should go out, in monotonic seconds; never, when there is
        none."""
        return self._last + self.every_seconds if self._pending else math.inf

    def ready(self) -> Iterator[str]:
        """Give the text that should go out now."""
        if self.due <= time.monotonic():
            yield from filter(None, [self.take()])

    def take(self) -> str:
        """Return the text that waits; of a flood its end."""
        self._last = time.monotonic()
        text = clean(self._decoder.decode(self._pending))
        self._pending = b""
        if isinstance(self._redact, Redactor):
            if self._stream is None:
                self._stream = self._redact.stream()
            text = self._stream.feed(text)
        else:
            text = self._redact(text)
        return text if len(text) <= self.max_chars else "…" + text[-self.max_chars :]

    def rest(self) -> str:
        """Return what waited, in case a secret went on in it."""
        return self._stream.close() if self._stream is not None else ""
