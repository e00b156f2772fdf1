"""The bytes of a streamed answer, however they are cut, become the JSON objects that the endpoint
sent.

Reads server-sent events (CRLF, comments, no space after the colon, no blank line between events, an
object over several data lines) and, from endpoints that do not stream, one JSON object. Written by
hand because the package's typed events cost 75 µs each, and a line with json 3.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from config import Worded

MAX_LINE_BYTES = 32_000_000  # a line that never ends must not fill the memory; 10 MB of text fit in
SAMPLE_CHARS = 200
BOM = b"\xef\xbb\xbf"


class NotAnAnswer(Worded):
    """Refuse what is not a stream of JSON objects. The text shows how it starts."""


def chunks(data: Iterable[bytes]) -> Iterator[dict[str, Any] | None]:
    """Yield each object of the stream, and None for its `[DONE]`. Raises NotAnAnswer."""
    pieces = iter(data)
    start = b""
    for piece in pieces:
        start += piece
        is_begun = not BOM.startswith(start) and start.removeprefix(BOM).strip()
        if is_begun or len(start) > MAX_LINE_BYTES:
            break
    start = start.removeprefix(BOM).lstrip()
    if start[:1] in (b"{", b"["):
        yield _whole(start, pieces)
    else:
        yield from _events(_lines(start, pieces))


def _whole(start: bytes, pieces: Iterator[bytes]) -> dict[str, Any]:
    """Return the one object that came instead of a stream."""
    body = bytearray(start)
    for piece in pieces:
        body += piece
        if len(body) > MAX_LINE_BYTES:
            raise NotAnAnswer("error.models.big-object", n=f"{MAX_LINE_BYTES:,}")
    found = _object(body.decode("utf-8", "replace"))
    if found is None:
        raise NotAnAnswer(sample(body))
    return found


def _lines(start: bytes, pieces: Iterator[bytes]) -> Iterator[str]:
    """Yield the lines of the stream without their ends; a character cut by the network is whole
    again here."""
    rest: list[bytes] = [start]
    size = len(start)
    more = True
    while more:
        piece = rest[-1]
        if b"\n" in piece:
            *done, last = b"".join(rest).split(b"\n")
            yield from (line.rstrip(b"\r").decode("utf-8", "replace") for line in done)
            rest, size = [last], len(last)
        if size > MAX_LINE_BYTES:
            raise NotAnAnswer("error.models.long-line", n=f"{MAX_LINE_BYTES:,}")
        following = next(pieces, None)
        more = following is not None
        rest.append(following or b"")
        size += len(rest[-1])
    yield b"".join(rest).rstrip(b"\r").decode("utf-8", "replace")


def _events(lines: Iterator[str]) -> Iterator[dict[str, Any] | None]:
    pending: list[str] = []  # data lines that are no object by themselves
    for line in lines:
        key, _, text = line.partition(":")
        if key == "data":
            pending += [text.strip()] if text.strip() else []
            yield from _taken(pending)
        elif not line:
            yield from _joined(pending)
            pending = []
        elif key not in ("", "event", "id", "retry"):
            raise NotAnAnswer(sample(line))
    yield from _joined(pending)


def _taken(pending: list[str]) -> Iterator[dict[str, Any] | None]:
    """Take a single line off that is an object, or the end."""
    found = _object(pending[0]) if len(pending) == 1 else None
    if found is not None or pending == ["[DONE]"]:
        pending.clear()
        yield found


def _joined(pending: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the object of several data lines."""
    if not pending:
        return
    text = "\n".join(pending)
    found = _object(text)
    if found is None:
        raise NotAnAnswer(sample(text))
    yield found


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # ValueError: also an integer of thousands of digits
        return None
    return found if isinstance(found, dict) else None


def sample(text: str | bytes | bytearray) -> str:
    """Return the start of something unexpected, on one line."""
    start = text[: SAMPLE_CHARS * 4]
    plain = start if isinstance(start, str) else start.decode("utf-8", "replace")
    return " ".join(plain.split())[:SAMPLE_CHARS]
