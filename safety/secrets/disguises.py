"""Find a held value in what hides it from a search: between other signs, as numbers, in encoded or
packed pieces, in dumps.

Each way makes a view of the text with the place of each of its letters, looks for the value there,
and hides that stretch.
"""

from __future__ import annotations

import base64
import binascii
import bz2
import itertools
import lzma
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple

from safety.secrets.encodings import boil, letters_of, long_words
from text import pattern

_WINDOW = 8  # letters of a piece of a value that are hidden too
_MOST_PIECES = 2_000  # encoded pieces of one text that are opened
_SHORTEST_PIECE, _LONGEST_PIECE = 16, 64_000
_DEEPEST = 3  # encodings in one another
# Marks in front of lines and around letters: numbers of lines, offsets of dumps, tags. What stands in
# each such mark, and the mark. An expression that begins with a plain sign is searched quickly.
_AROUND = (
    (pattern("<"), pattern(r"<[^<>\n]{1,40}>")),
    (
        pattern("\n"),
        pattern(r"\n(?:[ \t]*\d{1,9}(?:[:.)|]|\t| {2,}| (?=\S(?:\n|\Z)))|[0-9a-f]{8}:)"),
    ),
    (
        pattern(r":(?:(?<=\d:)|(?<=\d['\"]:)) ?['\"]"),
        pattern(r"(?<!\w)\d{1,4}['\"]?: ?(?=['\"])"),
    ),
)
_SIGNS = "+/_-"  # beside letters and digits, in an encoded piece
# How packed bytes begin, and what unpacks them.
_PACKED: Mapping[bytes, Callable[[], Any]] = {
    **dict.fromkeys((b"\x1f\x8b", b"\x78"), lambda: zlib.decompressobj(zlib.MAX_WBITS | 32)),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ": lzma.LZMADecompressor,
}
_HASH = pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")  # thousands stand in a lock file
_DUMP = pattern(r"(?m)\n([0-9a-f]{6,10}:?((?:[ \t]+[0-9a-f]{2,4}){2,16})(?:[ \t].*)?)$")
# Codes of letters, by how they are written.
_CODES = {
    pattern(r"\d(?<![\dx]\d)\d{1,2}(?!\d)"): ("d", "o", "03o"),
    pattern(r"0x[0-9a-f]{2}(?![0-9a-f])"): ("#04x",),
}
_UU = pattern(r"(?m)\n([!-M][ -`]{8,60})$")
_MIXED = pattern(r"(?=.*\d)(?=.*[G-Z])(?=.*[g-z])[1-9A-HJ-NP-Za-km-z]{16,100}")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Known(NamedTuple):
    """A held value, its letters and digits, and what stands in its place."""

    value: str
    needle: bytes
    label: str


class Span(NamedTuple):
    """A stretch of a text, and what stands in its place."""

    start: int
    end: int
    label: str


def hide_disguised(text: str, values: Iterable[tuple[str, str]]) -> str:
    """Return the text without the stretches that hold a value in disguise; each value with its
    label."""
    known = [Known(value, boil(value), label) for value, label in values]
    known = [each for each in known if _WINDOW <= len(each.needle) <= len(text)]
    spans = {span for way in _WAYS for span in way(text, known)} if known else set()
    for start, end, label in reversed(_merged(spans)):
        text = text[:start] + label + text[end:]
    return text


def _merged(spans: set[Span]) -> list[Span]:
    """Return the spans with those that touch as one."""
    merged: list[Span] = []
    for span in sorted(spans):
        last = merged[-1] if merged else Span(-1, -1, "")
        if span.start <= last.end:
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _between(text: str, known: list[Known]) -> Iterator[Span]:
    """`s*k*-*Z`, `<b>s</b><b>k</b>`, one letter a line with its number, letters of other
    alphabets."""
    rest = _without_marks(text)
    letters = boil(rest if rest.isascii() else unicodedata.normalize("NFKC", rest))
    there = [each for each in known if each.needle in letters]
    places = _places(rest) if there else []
    whole = bytes(letter for letter, _ in places)
    for each in there:
        for found in re.finditer(re.escape(each.needle), whole):
            yield Span(places[found.start()][1], places[found.end() - 1][1] + 1, each.label)


def _without_marks(text: str) -> str:
    """Put blanks in the place of the marks around letters, so that each letter stays where it
    is."""
    text = f"\n{text}"
    for sign, marks in _AROUND:
        if sign.search(text):
            text = marks.sub(lambda found: " " * len(found[0]), text)
    return text[1:]


def _places(text: str) -> list[tuple[int, int]]:
    """Return each letter of a boiled text with its place."""
    found = []
    for at, sign in enumerate(text):
        plain = sign if sign.isascii() else unicodedata.normalize("NFKC", sign)
        found += [(letter, at) for letter in boil(plain)]
    return found


def _pieces(text: str, known: list[Known]) -> Iterator[Span]:
    """Yield parts of a value that is no word: its halves, a piece that was cut out."""
    for value, _, label in known:
        size = max(_WINDOW, len(value) // 3)
        is_long = len(value) >= 2 * _WINDOW
        is_no_word = any(map(str.isdigit, value))
        # each piece of that size has one of these halves in it
        half = size // 2
        halves = (value[at : at + half] for at in range(0, len(value) - half + 1, half))
        if not (is_long and is_no_word and any(each in text for each in halves)):
            continue
        for at in range(len(value) - size + 1):
            found = text.find(value[at : at + size])
            if found >= 0:
                yield Span(found, found + size, label)


def _numbers(text: str, known: list[Known]) -> Iterator[Span]:
    """`chr(115)+chr(107)`, `[115, 107]`, `163 153`: the codes of its letters, whatever stands
    between."""
    for codes, forms in _CODES.items() if text.count("1") > 2 or "0x" in text else ():
        said = " ".join(["", *codes.findall(text), ""])
        for form, (value, _, label) in product(forms, known):
            wanted = " ".join(["", *(format(code, form) for code in value.encode()), ""])
            at = said.find(wanted)
            if at >= 0:
                first = said.count(" ", 0, at)
                last = first + wanted.count(" ") - 2
                found = list(codes.finditer(text))
                yield Span(found[first].start(), found[last].end(), label)


def _encoded(text: str, known: list[Known]) -> Iterator[Span]:
    """Base64, hexadecimal, base58 or a number, of each other too, packed or turned round."""
    # no encoded value is shorter than the value
    shortest = max(_SHORTEST_PIECE, min(len(each.needle) for each in known))
    pieces = long_words(text, _SIGNS, shortest)
    for start, piece in itertools.islice(pieces, _MOST_PIECES):
        label = "" if _is_hash(piece) else _held_in(piece[:_LONGEST_PIECE], known, 0)
        if label:
            yield Span(start, start + len(piece), label)


def _is_hash(piece: str) -> bool:
    """Return True for what looks like a hash, and holds neither letters nor packed bytes."""
    if not _HASH.fullmatch(piece):
        return False
    data = bytes.fromhex(piece)
    return not data.isascii() and not data.startswith(tuple(_PACKED))


def _held_in(piece: str, known: list[Known], depth: int) -> str:
    """Return the label of the value that a piece holds, or ""."""
    for data in _opened(piece) if depth < _DEEPEST else ():
        letters = letters_of(data)
        both_ways = letters + b" " + letters[::-1]
        labels = [each.label for each in known if each.needle in both_ways]
        if not labels and data.isascii():
            labels = [_held_in(data.decode().strip(), known, depth + 1)]
        if any(labels):
            return labels[0]
    return ""


def _opened(piece: str) -> Iterator[bytes]:
    """Give what a piece may stand for."""
    for way in _CODINGS if len(piece) >= _SHORTEST_PIECE else ():
        try:
            data = way(piece)
        except ValueError:
            continue
        yield data
        if data.startswith(tuple(_PACKED)):
            yield from _unpacked(data)


def _unpacked(data: bytes) -> Iterator[bytes]:
    for start, unpacker in _PACKED.items():
        if data.startswith(start):
            with suppress(zlib.error, lzma.LZMAError, OSError, EOFError):
                yield unpacker().decompress(data, _LONGEST_PIECE)


def _base64(piece: str) -> bytes:
    plain = piece.replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


def _base32(piece: str) -> bytes:
    plain = piece.upper() if piece.isalnum() else ""
    return base64.b32decode(plain + "=" * (-len(plain) % 8))


def _base58(piece: str) -> bytes:
    number = 0
    for letter in piece if _MIXED.fullmatch(piece) else "":
        number = number * 58 + _BASE58.index(letter)
    return _bytes(number)


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _number(piece: str) -> bytes:
    return _bytes(int(piece[:1_000])) if piece.isdigit() else b""


_CODINGS: tuple[Callable[[str], bytes], ...] = (
    _base64,
    _base32,
    bytes.fromhex,
    lambda piece: bytes.fromhex(piece[::-1]),
    _base58,
    _number,
)


def _dumps(text: str, known: list[Known]) -> Iterator[Span]:
    """`xxd`, `od -x`: lines of an offset and bytes, in either order."""
    lines = list(_DUMP.finditer(f"\n{text}"))
    groups = [group for line in lines for group in line[2].split()]
    joined = "".join(groups)
    swapped = "".join(group[2:] + group[:2] for group in groups)
    for value, _, label in known if lines else ():
        wanted = value.encode().hex()
        if wanted in joined or wanted[:-2] in swapped:
            yield Span(lines[0].start(), lines[-1].end() - 1, label)


def _uuencoded(text: str, known: list[Known]) -> Iterator[Span]:
    for line in _UU.finditer(f"\n{text}"):
        letters, place = _from_uu(line[1]), (line.start(), line.end() - 1)
        yield from (Span(*place, each.label) for each in known if each.needle in letters)


def _from_uu(line: str) -> bytes:
    try:
        return boil(binascii.a2b_uu(line).decode("latin-1"))
    except binascii.Error:
        return b""


_WAYS = (_between, _pieces, _numbers, _encoded, _dumps, _uuencoded)
