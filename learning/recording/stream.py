"""Takes a recorded shell's terminal apart: its messages (learning/recording/shell.bash), and the
output of one command.

A message stands in the stream of the terminal between `ESC ] sopwith;TOKEN;` and `;TOKEN BEL`. Who
does not know the token cannot make one, so what a command prints is never taken for a message.
"""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import dataclass, field, replace

from tools.scripts import clean

HEAD_BYTES = TAIL_BYTES = 100_000  # kept of the output of one command
NOTE_CHARS = 20_000  # kept of one function of the owner
_ALTERNATE = rb"\x1b\[\?(?:1049|1047|47)"
_SCREEN_ON = re.compile(_ALTERNATE + b"h")
_SCREEN = re.compile(_ALTERNATE + rb"h.*?(?:" + _ALTERNATE + rb"l|\Z)", re.DOTALL)
_SCREEN_END = re.compile(rb"\A(?:(?!" + _ALTERNATE + rb"h).)*?" + _ALTERNATE + b"l", re.DOTALL)
_SHIFTS = b"\x0e\x0f"  # choose between sets of characters
_ENDED = re.compile(r"@(\d+)[.,](\d+)")  # seconds, as the shell's locale writes them
_LINE = re.compile(r" *(\d+)[* ] (.*)", re.DOTALL)  # of the shell's list of commands
_FUNCTION = re.compile(r"^([^\s()=]+) \(\) *\n\{.*?^\}$", re.DOTALL | re.MULTILINE)
_ALIAS = re.compile(r"^alias (?:-- )?([^=\s]+)=((?:'[^']*'|\\'|[^'\s])*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mark:
    """One message of the shell: a command line starts, it has ended, the shell is ready, the prompt
    is shown.

    `status` is the exit code of what ran before. `number` counts the lines in the shell's list;
    `text` is the last of them, None when it did not come through whole. `aliases` and `functions`
    are those that the line names.
    """

    kind: str
    status: int = 0
    folder: str = ""
    number: int = 0
    text: str | None = ""
    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    at: float = (
        math.inf
    )  # of an end: when (Unix time); inf where the shell has no such clock (before 5.0)
    is_line_waiting: bool = False


class Marks:
    """Splits the stream of the terminal into output and messages, however it is cut into pieces."""

    def __init__(self, token: str) -> None:
        self._start = b"\x1b]sopwith;" + token.encode() + b";"
        self._end = b";" + token.encode() + b"\x07"
        self._held = b""  # a message, or what may become one

    def split(self, data: bytes) -> list[bytes | Mark]:
        """Return what came, in order; the beginning of a message is held until its end has come."""
        data = self._held + data
        self._held = b""
        found: list[bytes | Mark] = []
        while data:
            at = data.find(self._start)
            if at < 0:
                keep = self._overlap(data)
                self._held = data[len(data) - keep :]
                found += [data[: len(data) - keep]] if keep < len(data) else []
                break
            found += [data[:at]] if at else []
            end = data.find(self._end, at + len(self._start))
            if end < 0:
                self._held = data[at:]
                break
            found.append(read_mark(data[at + len(self._start) : end]))
            data = data[end + len(self._end) :]
        return found

    def rest(self) -> bytes:
        """Return what is still held when the stream has ended: no message."""
        rest, self._held = self._held, b""
        return rest

    def _overlap(self, data: bytes) -> int:
        """Return how many bytes at the end may be the beginning of a message."""
        at = data.rfind(b"\x1b")
        is_start = at >= 0 and self._start.startswith(data[at:])
        return len(data) - at if is_start else 0


def read_mark(message: bytes) -> Mark:
    """Return the message as the shell meant it; the terminal has made CR LF of each LF."""
    parts = message.decode("utf-8", "replace").replace("\r\n", "\n").split("\x1f", 5)
    if len(parts) < 6:
        return Mark(parts[0])
    kind, status, length, folder, notes, line = parts
    number, text = _numbered(line)
    is_whole = length in (str(len(line)), str(len(line.encode())))
    functions = [found for found in _FUNCTION.finditer(notes) if len(found[0]) <= NOTE_CHARS]
    mark = Mark(
        kind,
        int(status) if status.isdecimal() else 0,
        folder,
        number,
        text if is_whole else None,
        {found[1]: _unquoted(found[2]) for found in _ALIAS.finditer(notes)},
        {found[1]: found[0] for found in functions},
    )
    return _with_end(mark, notes) if kind == "end" else mark


def _numbered(line: str) -> tuple[int, str | None]:
    """Return a line of the shell's list with its number."""
    found = _LINE.fullmatch(line)
    return (int(found[1]), found[2]) if found else (0, None)


def _with_end(mark: Mark, notes: str) -> Mark:
    ended = _ENDED.search(notes)
    at = float(f"{ended[1]}.{ended[2]}") if ended else math.inf
    return replace(mark, at=at, is_line_waiting=notes.endswith("ahead"))


def _unquoted(text: str) -> str:
    try:
        return "".join(shlex.split(text))
    except ValueError:
        return text


class Capture:
    """The output of one command in bounded memory: how it began and how it ended."""

    def __init__(self) -> None:
        self.size = 0  # bytes
        self.had_screen = False  # it took the whole screen, as an editor does
        self._head, self._tail = bytearray(), bytearray()

    def add(self, data: bytes) -> None:
        """Take in the next piece."""
        self.size += len(data)
        end = bytes((self._tail or self._head)[-8:])
        self.had_screen = self.had_screen or bool(_SCREEN_ON.search(end + data))
        room = HEAD_BYTES - len(self._head)
        self._head += data[: max(0, room)]
        self._tail += data[max(0, room) :]
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    @property
    def is_cut(self) -> bool:
        """Return True when the middle is not here."""
        return self.size > HEAD_BYTES + TAIL_BYTES

    def text(self) -> str:
        """Return it as a reader wants it: without colours, without what was painted over and full
        screens; long output as head and tail, cut at line ends so that nothing stands half in it.
        """
        if not self.is_cut:
            return readable(bytes(self._head + self._tail))
        head, tail = bytes(self._head), bytes(self._tail[-TAIL_BYTES:])
        head = head[: head.rfind(b"\n", -5_000) + 1] or head
        tail = tail[tail.find(b"\n", 0, 5_000) + 1 :]
        gap = f"[… {self.size:,} bytes in all; the middle is not recorded …]"
        return f"{readable(head).rstrip()}\n{gap}\n{readable(_SCREEN_END.sub(b'', tail))}"


def readable(data: bytes) -> str:
    """Return what the terminal left standing, as text."""
    plain = _SCREEN.sub(b"", data).translate(None, _SHIFTS)
    text = plain.decode("utf-8", "replace").replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return clean(text)
