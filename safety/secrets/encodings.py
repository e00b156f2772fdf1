"""Finds a value that the agent holds in a text, in whatever way a program wrote it there.

Two steps. `fold` boils a text down to its letters and digits, escapes undone, in lower case: a
search for a folded spelling costs next to nothing and misses none. Only when one is there, a
pattern finds the exact place.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

# characters; a value below is hidden only where it stands alone, and if it is no mere word or
# number
SHORT = 8
FEWEST = 4  # a value below cannot be hidden: it would take half of every text with it
_DROPPED = bytes(code for code in range(256) if not (code < 128 and chr(code).isalnum()))
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u2400"
_ANSI = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))"
# Escapes that stand for one byte or one character, escaped once or many times. Begins with a class,
# which is searched quickly; a row of backslashes is read once, from its first.
_ESCAPED = (
    r"[%\\&](?:(?<=%)(?:25)*([0-9A-Fa-f]{2})|(?<=\\)(?<!\\\\)\\*(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})"
    r"|([0-7]{3})|[nrt])|(?<=&)(?:amp;)*(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|[A-Za-z]{2,8}[0-9]?);)"
)
_MOST_ESCAPES = 3  # a URL in JSON in HTML
_BASES = (16, 16, 16, 16, 8, 10, 16)
_BYTE = r"(?<![0-9A-Za-z])0[xX]([0-9A-Fa-f]{2})(?![0-9A-Za-z])"


class Needle(NamedTuple):
    """One spelling: `folded` is what to look for in a folded text, `pattern` gives the regex of the
    exact place."""

    folded: bytes
    pattern: Callable[[], str]


class Held(NamedTuple):
    """A value, the label that stands in its place, and its spellings."""

    value: str
    label: str
    needles: tuple[Needle, ...]

    @property
    def is_short(self) -> bool:
        """Return True when it is hidden only where it stands alone."""
        return len(self.value) < SHORT

    def hide(self, text: str, folded: bytes) -> str:
        """Return the text without the value. `folded` is `fold(text)`."""
        for needle in self.needles:
            if needle.folded in folded:
                text = _compiled(needle.pattern()).sub(lambda _: self.label, text)
        return text


def held(label: str, value: str) -> Iterator[Held]:
    """Give a value as it is looked for; of one of many lines also each long line, since tools show
    single lines."""
    if len(value) < SHORT:
        yield from _short(label, value)
        return
    lines = value.splitlines() if "\n" in value else []
    long_lines = [line for line in lines if len(line) >= 16]
    for text in (value, *(line for line in long_lines if not line.startswith("-----"))):
        yield Held(text, label, tuple(_needles(text)))


def _short(label: str, value: str) -> Iterator[Held]:
    """Give a value that is hidden where it stands alone; a word or a number of few letters never
    is."""
    is_plain = value.isalpha() or value.isdigit()
    if len(value) >= (6 if is_plain else FEWEST):
        alone = rf"(?<!\w){re.escape(value)}(?!\w)"
        yield Held(value, label, (Needle(fold(value), lambda: alone),))


def fold(text: str) -> bytes:
    """Return the ASCII letters and digits of a text in lower case, with escapes and terminal codes
    undone."""
    if not text.isascii() and _compiled("[\uff01-\uff5e]").search(text):
        import unicodedata

        text = unicodedata.normalize("NFKC", text)  # full-width letters
    if "\x1b" in text:
        text = _compiled(_ANSI).sub("", text)
    if "0x" in text:
        text = _compiled(_BYTE).sub(lambda code: _letter(code[1], 16), text)
    for _ in range(_MOST_ESCAPES):
        text, count = _compiled(_ESCAPED).subn(_undone, text)
        if not count:
            break
    return boil(text)


def boil(text: str) -> bytes:
    """Return the ASCII letters and digits of a text in lower case."""
    return letters_of(text.encode("utf-8", "surrogatepass"))


def letters_of(data: bytes) -> bytes:
    """Return the ASCII letters and digits in bytes, in lower case."""
    return data.lower().translate(None, _DROPPED)


def long_words(text: str, signs: str, shortest: int) -> Iterator[tuple[int, str]]:
    """Give each word of letters, digits and signs that has a capital or a digit, with its place.

    Names in code have neither, keys and encoded values hardly ever lack both. Splitting bytes takes a
    quarter of the time of a regular expression.
    """
    data = text.encode("latin-1", "replace").translate(_blanks(signs))
    plain, at = string.ascii_lowercase + signs, 0
    for word in [each.decode() for each in data.split() if len(each) >= shortest]:
        at = text.index(word, at)
        if word.strip(plain):
            yield at, word
        at += len(word)


@cache
def _blanks(signs: str) -> bytes:
    """Return the table that leaves letters, digits and signs, and a blank for all else."""
    kept = (string.ascii_letters + string.digits + signs).encode()
    return bytes(code if code in kept else ord(" ") for code in range(256))


def _undone(code: re.Match[str]) -> str:
    """Return the character that an escape stands for."""
    if code.lastindex:
        return _letter(code[code.lastindex], _BASES[code.lastindex - 1])
    return "&" if code[0] == "&amp;" else ""


def _letter(digits: str, base: int) -> str:
    number = int(digits, base)
    return chr(number) if number < 128 else ""


def _needles(value: str) -> Iterator[Needle]:
    import base64
    import codecs

    data, wide = value.encode("utf-8", "surrogatepass"), value.encode("utf-16-le", "surrogatepass")
    for folded in {fold(value), boil(value)}:  # "100%20" may be cut where it looks like an escape
        yield Needle(folded, partial(_spelled, value))
    yield Needle(fold(value[::-1]), partial(_spelled, value[::-1]))
    for turned in (codecs.encode(value, "rot13"), *_turned(value)):
        yield Needle(fold(turned), partial(_spelled, turned))
    for each in (data, wide):
        code = each.hex()
        yield Needle(code.encode(), partial(_joined, re.findall("..", code)))
        for whole in _aligned(each):
            yield Needle(fold(whole), partial(_base64, whole))
            yield Needle(fold(whole[::-1]), partial(_base64, whole[::-1]))
    others = (base64.b32encode, base64.b32hexencode, base64.b85encode, base64.a85encode)
    for five in (encode(data) for encode in others):
        text = five.decode().rstrip("=")
        yield Needle(fold(text), partial(_spelled, text))
    for form in ("d", "03o", "08b"):
        numbers = [format(byte, form) for byte in data]
        yield Needle("".join(numbers).encode(), partial(_joined, numbers))


def _turned(value: str) -> Iterator[str]:
    """Give the value with its letters moved: a few places on in the alphabet, its end for its
    beginning, rot47."""
    upper, lower = string.ascii_uppercase, string.ascii_lowercase
    for places in (1, 3, 5, 23, 25):
        moved = upper[places:] + upper[:places] + lower[places:] + lower[:places]
        yield value.translate(str.maketrans(upper + lower, moved))
    yield value.translate(str.maketrans(upper + lower, upper[::-1] + lower[::-1]))
    signs = "".join(map(chr, range(33, 127)))
    yield value.translate(str.maketrans(signs, signs[47:] + signs[:47]))


def _aligned(data: bytes) -> Iterator[str]:
    """Yield the base64 of data that may stand anywhere in what was encoded: letters that hold no
    other byte."""
    import base64

    for before in range(3):
        text = base64.b64encode(b"\0" * before + data).decode()
        yield text[(8 * before + 5) // 6 : (8 * (before + len(data))) // 6]


def _noise(own: str) -> str:
    """Tell what may stand between two characters: line ends, terminal codes, NULs, quotes and + of
    a text put together."""
    free = "".join(
        letter
        for letter in " \t\r\n\0\"'`+,|.-_:/" + _INVISIBLE
        if letter == " " or letter not in own
    )
    slash = "" if "\\" in own else r"|\\+(?:[nrt]|(?![ux0-7\w]))|\\(?=\\)"
    return rf"(?>(?:[{re.escape(free)}]|{_ANSI}{slash})*)"


def _spelled(value: str) -> str:
    """Return the value with each character plain or escaped, in upper or lower case."""
    return "(?i)" + _noise(value).join(_character(letter) for letter in value)


def _character(letter: str) -> str:
    """Return the pattern of one letter in all its spellings."""
    import unicodedata

    code, data = ord(letter), letter.encode("utf-8", "surrogatepass")
    units = re.findall("....", letter.encode("utf-16-be", "surrogatepass").hex())
    ways = [
        *([] if letter.isalnum() else _of_sign(letter)),
        re.escape(letter),
        *(
            "".join(map(form.format, data))
            for form in ("%(?:25)*{:02x}", r"\\+x{:02x}", r"\\+{:03o}")
        ),
        *(
            form.format(code)
            for form in (r"\\+u\{{0*{:x}\}}", "&(?:amp;)*#0*{};", "&(?:amp;)*#x0*{:x};")
        ),
        "".join(rf"\\+u{unit}" for unit in units),
        *(_of_ascii(code) if code < 128 else [rf"\\+x{code:02x}", f"%{code:02x}"]),
        re.escape(unicodedata.normalize("NFD", letter)),
    ]
    return f"(?:{'|'.join(dict.fromkeys(ways))})"


def _of_ascii(code: int) -> list[str]:
    """Return hexadecimal and the full-width form; a blank may be a + or gone as noise."""
    wide = [chr(code + 0xFEE0)] if code > ord(" ") else [r"\+", "\u3000", ""]
    return [rf"0x{code:02x}(?:,\s?)?", *wide]


def _of_sign(letter: str) -> list[str]:
    """Return the ways in which shells, JSON and HTML write a sign."""
    quoted = [letter * 2, r"'\\+''", "'\"'\"'"] if letter in "'\"" else []
    named = ["&nbsp;", "%0d%0a"] if letter <= " " else [r"&(?:amp;)*[a-z]{2,8}\d?;"]
    return [*quoted, r"\\+" + re.escape(letter), *named, r"\\+[nrt]"]


def _joined(codes: list[str]) -> str:
    return "(?i)" + r"(?:[^0-9a-z]{0,6}|[\s,]{0,3}(?:0x|\\+x|0b))".join(codes)


def _base64(whole: str) -> str:
    """Return the letters of base64 in both alphabets, over several lines, in a URL or in JSON, with
    what else the last group holds."""
    letters = {"+": r"(?:[+-]|%2b)", "-": "[+-]", "/": r"(?:\\*/|_|%2f)", "_": r"(?:\\*/|_)"}
    between = r"(?>(?:[\s\0\u2400\"',]|['\"]\s*\+|\\+[nr]|" + _ANSI + ")*)"
    return (
        "(?i:" + between.join(letters.get(letter, letter) for letter in whole) + ")(?:=|%3d){0,2}"
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
