"""Open only regular files, know their encoding, and say what is near a missing name: what the file
tools share."""

from __future__ import annotations

import codecs
import errno
import itertools
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from config import Message
from memory.files import write_atomic
from safety.paths import folder_of, open_beneath
from tools.base import ToolContext, ToolError

SAMPLE = 65_536  # bytes that tell the encoding
WHOLE = 64_000_000  # bytes; a larger file is not edited in memory
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"%PDF", "PDF document"),
    (b"PK\x03\x04", "ZIP archive or Office document"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ", "xz archive"),
    (b"7z\xbc\xaf", "7-Zip archive"),
    (b"\x7fELF", "ELF program"),
    (b"MZ", "Windows program"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"RIFF", "RIFF media"),
    (b"ID3", "MP3 audio"),
    (b"OggS", "Ogg media"),
)
# The everyday Chinese characters stand in rows B0 to F7 of GB2312, punctuation in A1 to A3.
_GB_WORDS = re.compile(rb"[\xb0-\xf7\xa1-\xa3][\xa1-\xfe]")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b\b"))
_HIGH = re.compile(rb"[\x80-\xff]")


def open_regular(path: Path) -> BinaryIO:
    """Return the file, open for reading; no link is followed. Raises ToolError for what is missing,
    forbidden or no regular file."""
    try:
        descriptor = open_beneath(path, os.O_RDONLY | os.O_NONBLOCK)  # a FIFO must not make us wait
    except OSError as error:
        raise failure(path, error) from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        kinds = {stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
        what = Message(f"error.files.a-{kinds.get(stat.S_IFMT(mode), 'device')}")
        raise ToolError("error.files.regular-file", path=path, what=what)
    return os.fdopen(descriptor, "rb")


def write_beneath(path: Path, data: bytes | str | Iterable[bytes]) -> int:
    """Replace the content of a file and return its bytes; folders are made, no link is followed.
    Raises OSError."""
    with folder_of(path, makes=True) as folder:
        return write_atomic(path, data, folder=folder)


def failure(path: Path, error: OSError) -> ToolError:
    """Return what the system said of a path, for the model; of a missing one, what is there
    instead."""
    if error.errno == errno.ENXIO:
        return ToolError("error.files.socket-device-regular-file", path=path)
    if not isinstance(error, FileNotFoundError):
        return ToolError("error.tools.at", name=path, error=error)
    near = near_names(path)
    key = "error.files.not-there-near" if near else "error.files.not-there"
    return ToolError(Message(key, path=path, names=", ".join(near)))


def is_folder(path: Path) -> bool:
    """Return True if the path is a folder. Raises ToolError when we may not look."""
    try:
        return path.is_dir()
    except OSError as error:
        raise failure(path, error) from error


def near_names(path: Path) -> list[str]:
    """Return up to three paths beside one that does not exist, by whose names it may be meant."""
    folder, wanted = path.parent, path.name
    try:
        while not folder.is_dir() and folder != folder.parent:
            folder, wanted = folder.parent, folder.name
        with os.scandir(folder) as listed:
            names = [entry.name for entry in itertools.islice(listed, 5000)]
    except OSError:
        return []
    import difflib

    lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(wanted.lower(), lower, 3, 0.6)
    return [str(folder / lower[name]) for name in near]


def encoding_of(sample: bytes) -> str | None:
    """Return the encoding of a file that starts with `sample`; None when it is not text."""
    for bom, name in _BOMS:
        if sample.startswith(bom):
            return name
    if b"\0" in sample:
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8"
    except UnicodeDecodeError:
        pass
    head = sample[:4096]
    if 20 * (len(head) - len(head.translate(None, _CONTROLS))) > len(head):
        return None
    high = len(_HIGH.findall(sample))
    # accents of Western text stand alone, Chinese bytes in pairs
    if 2 * len(_GB_WORDS.findall(sample)) < 0.7 * high:
        return "latin-1"
    try:
        codecs.getincrementaldecoder("gb18030")().decode(sample)
        return "gb18030"
    except UnicodeDecodeError:
        return "latin-1"


def binary_kind(sample: bytes) -> str:
    """Return what a file that is not text seems to be."""
    return next(
        (name for magic, name in _MAGIC if sample.startswith(magic)), Message("error.files.binary")
    )


class Text(NamedTuple):
    """A text file in memory; `encoded(text)` gives back its very bytes, also of what is not valid
    in the encoding."""

    text: str  # without the byte order mark
    encoding: str
    newline: str  # "\r\n" when all its lines end so, else "\n"

    def encoded(self, text: str) -> bytes:
        """`text` in the encoding of the file. Raises ToolError when that lacks a character."""
        mark = "\ufeff" if self.encoding.startswith("utf-16") else ""  # utf-8-sig writes its own
        try:
            return (mark + text).encode(self.encoding, _errors(self.encoding))
        except UnicodeEncodeError as error:
            letters = ascii(error.object[error.start : error.end][:20])
            raise ToolError(
                "error.files.file-which-cannot-hold", encoding=self.encoding, letters=letters
            ) from error

    def adapted(self, text: str) -> str:
        """`text` with the newlines of the file."""
        return text.replace("\r\n", "\n").replace("\n", "\r\n") if self.newline == "\r\n" else text


def read_text(path: Path) -> Text:
    """Return the whole of a text file. Raises ToolError for what cannot be edited as text."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > WHOLE:
            raise ToolError(
                "error.files.bytes-most-edited-here",
                path=path,
                count=f"{size:,}",
                most=f"{WHOLE:,}",
            )
        data = file.read()
    encoding = encoding_of(data[:SAMPLE])
    if encoding is None:
        raise ToolError("error.files.text-but", path=path, what=binary_kind(data))
    try:
        text = data.decode(encoding, _errors(encoding))
    except UnicodeDecodeError as error:
        raise ToolError(
            "error.files.valid-byte-use-code", path=path, encoding=encoding, number=error.start
        ) from error
    text = text.removeprefix("\ufeff")
    crlf = text.count("\r\n")
    return Text(text, encoding, "\r\n" if crlf and crlf == text.count("\n") else "\n")


def _errors(encoding: str) -> str:
    # UTF-16 knows no single stray byte
    return "strict" if encoding.startswith("utf-16") else "surrogateescape"


def utf8(name: str, text: str) -> bytes:
    """Return the bytes of what a model wrote. Raises ToolError for half a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            "error.files.half-surrogate-pair-character", path=name, number=error.start
        ) from error


def keeps_no_secret(ctx: ToolContext, place: Path, text: str) -> None:
    """Raise ToolError for a job that would hold one: its words are told to a model, and stand in
    the home folder."""
    if place.parent == ctx.home.resolve() / "schedule" and ctx.redact(text) != text:
        raise ToolError("error.files.job-holds-secret-say", path=place.name)


def lines_changed(old: str, new: str, max_chars: int = 2_000) -> str:
    """Return a short unified diff; of what is long, its start. Only the lines between the first and
    last change are compared."""
    import difflib

    before, after = old.splitlines(), new.splitlines()
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    skip = max(0, head - 2)
    behind = max(0, tail - 2)
    before, after = before[skip : len(before) - behind], after[skip : len(after) - behind]
    if len(before) + len(after) > 4_000:
        return f"@@ from line {head + 1} @@ {len(before)} lines became {len(after)}"
    lines = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
    text = "\n".join(_moved(line[:300], skip) for line in lines)
    return text if len(text) <= max_chars else text[:max_chars].rpartition("\n")[0] + "\n…"


def _common(one: list[str], other: list[str]) -> int:
    """Return how many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (left, right) in pairs if left != right), min(len(one), len(other)))


def _moved(line: str, skip: int) -> str:
    if not line.startswith("@@"):
        return line
    return re.sub(r"(?<=[-+])\d+", lambda number: str(int(number[0]) + skip), line)
