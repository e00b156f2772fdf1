"""What a request names: its paths, numbers, dates, addresses, quoted texts and words, normalised, each with its place.

A *hard* mention is certainly a value: when no step uses it, something in the procedure is missing. A *soft* one is a
plain word; it is a value only where an argument is that very word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from learning.route import Where
from learning.slots import DATE, PLACE_WORDS, TENS, UNITS, Slot, Unclear, value_of

Kind = Literal["path", "integer", "number", "date", "url", "glob", "text", "word"]

NUMBER_WORDS = "|".join(sorted([*UNITS, *TENS, "hundred"], key=len, reverse=True))
MEASURES = "天日周月年个行条份页名次张小分秒倍"
_FOUND = re.compile(
    rf"""(?P<quoted>(?<!\w)"[^"\n]+"|(?<!\w)'[^'\n]+'(?!\w)|`[^`\n]+`|「[^」\n]+」|『[^』\n]+』|“[^”\n]+”|‘[^’\n]+’|《[^》\n]+》)
    |(?P<url>https?://[^\s"'<>「」,，。]+)
    |(?P<date>\d{{4}}-\d{{1,2}}-\d{{1,2}}(?!\d)|\d{{4}}/\d{{1,2}}/\d{{1,2}}(?!\d)|\d{{4}}年\d{{1,2}}月\d{{1,2}}日)
    |(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    |(?P<path>(?<![\w.])(?:~|\.{{1,2}})?/[^\s"'`,;:|&<>*?$!()\[\]{{}}，。；：、「」]*|~(?![\w/])|(?<![\w./-])[\w.-]+/[\w./-]*)
    |(?P<glob>[\w.\-\[\]]*[*?][\w.*?\-\[\]]*(?<!\?))
    |(?P<file>(?<![\w.])[A-Za-z0-9_\u4e00-\u9fff-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{{0,7}}(?![\w]))
    |(?P<ending>(?<![A-Za-z0-9_./~*\\-])(?:\.[A-Za-z][A-Za-z0-9]{{0,9}}){{1,2}}(?![A-Za-z0-9_/-]|\.\w))
    |(?P<code>(?<![\w-])(?=[A-Za-z0-9_.-]*[A-Za-z_-])(?=[A-Za-z0-9_.-]*[0-9_])[A-Za-z_][A-Za-z0-9_.-]*[A-Za-z0-9_]|(?<!\w)\d+(?:[-:]\d|\.\d+\.\d)[\d.:-]*[A-Za-z0-9-]*)
    |(?P<digits>(?<![\w.])[+-]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?![\d]))
    |(?P<spelled>\b(?:{NUMBER_WORDS})(?:[ -](?:{NUMBER_WORDS}))*\b)
    |(?P<chinese>[零〇一二两三四五六七八九十百]+(?=\s*[{MEASURES}]))
    |(?P<word>[A-Za-z][A-Za-z'-]*|(?:(?![零〇一二两三四五六七八九十百]+\s*[{MEASURES}])[^\W\d_a-zA-Z])+)""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
_SOFT_NUMBERS = {"one", "zero", "一", "零"}
_NO_VALUE_WORDS = (
    "the a an my is are of in on at by from to for and or not with all any each every it this that these those them than as into"
    " list show find make get give me how many much what which who do does please can you could would count"
)
_NO_VALUE = frozenset(_NO_VALUE_WORDS.split())
_WORD = re.compile(r"[A-Za-z]+|[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Mention:
    """One value that a request names. `start` and `end` are its place there, quotes included; -1 when the owner gave
    it apart from the request. `value` is normalised: an absolute path, digits, a date as in 2026-01-31."""

    start: int
    end: int
    text: str
    value: str
    kind: Kind
    near: tuple[str, ...] = ()
    is_quoted: bool = False
    is_hard: bool = True
    name: str = ""
    before: str = ""  # the word right before it


def mentions_in(request: str, cwd: Path, owner_home: Path) -> list[Mention]:
    """What the request names, in order."""
    where = Where(cwd, owner_home)
    found = [mention for match in _FOUND.finditer(request) if (mention := _read(match, where))]
    hard = [mention for mention in found if mention.is_hard]
    places = [
        place
        for place in _places(request, where)
        if not any(_overlap(place, each) for each in hard)
    ]
    words = [
        each for each in found if each.is_hard or not any(_overlap(place, each) for place in places)
    ]
    near = [replace(each, **_around(request, each.start, each.end)) for each in [*words, *places]]
    return sorted(near, key=lambda mention: mention.start)


def _overlap(one: Mention, two: Mention) -> bool:
    return one.start < two.end and two.start < one.end


def given(values: Mapping[str, str], cwd: Path, owner_home: Path) -> list[Mention]:
    """What the owner says is a parameter: name → the value that it had."""
    where, found = Where(cwd, owner_home), list[Mention]()
    for name, text in values.items():
        match = _FOUND.fullmatch(text)
        read = _read(match, where) if match else None
        kind: Kind = read.kind if read is not None and read.kind != "word" else "text"
        value = read.value if read is not None and kind == read.kind else text
        if kind == "text" and (text in (".", "..") or text.startswith(("/", "~/", "./", "../"))):
            kind, value = "path", str(_absolute(text, where))  # with a space in it
        near = (name, *name.split("_"))
        found.append(Mention(-1, -1, text, value, kind, near, is_quoted=True, name=name))
    return found


def merged(
    asked: Sequence[Mention], confirmed: Iterable[Mention], request: str = ""
) -> list[Mention]:
    """The mentions of a request with the owner's names; what the owner names elsewhere is added. A text of several words
    that stands in the request as it is, once, is mentioned there."""
    found = list(asked)
    for mention in confirmed:
        same = [
            n
            for n, each in enumerate(found)
            if each.value == mention.value or each.text == mention.text
        ]
        if len(same) == 1:
            old = found[same[0]]
            found[same[0]] = replace(
                old, name=mention.name, is_hard=True, near=(*old.near, *mention.near)
            )
        elif mention.kind == "text" and " " in mention.text and request.count(mention.text) == 1:
            start = request.index(mention.text)
            there = replace(mention, start=start, end=start + len(mention.text), is_quoted=False)
            found = [each for each in found if each.is_hard or not _overlap(each, there)]
            found.append(there if not any(_overlap(each, there) for each in found) else mention)
        else:
            found.append(mention)
    return found


def _places(request: str, where: Where) -> list[Mention]:
    """Well-known folders: "my downloads", 下载文件夹. Soft: people also say "the desktop"."""
    found: list[Mention] = []
    for words in sorted(PLACE_WORDS, key=len, reverse=True):
        pattern = (
            rf"(?<![\w/.~]){re.escape(words)}(?:\s+folder)?(?![\w/.])"
            if words.isascii()
            else re.escape(words)
        )
        for match in re.finditer(pattern, request, re.IGNORECASE):
            if any(m.start < match.end() and match.start() < m.end for m in found):
                continue
            try:
                value = value_of(
                    Slot(match[0], match[0]), {"type": "string", "format": "path"}, "", where
                )
            except Unclear:
                continue
            if value is not None:
                found.append(Mention(*match.span(), match[0], value, "path", is_hard=False))
    return found


def _read(match: re.Match[str], where: Where) -> Mention | None:
    """The mention at a match of `_FOUND`."""
    kind, text, span = match.lastgroup, match[0], match.span()
    if kind == "quoted":
        return _quoted(text[1:-1], span, where)
    if kind in ("url", "glob"):
        return Mention(*span, text, text, "url" if kind == "url" else "glob")
    if kind == "date":
        iso = iso_date(text)
        return Mention(*span, text, iso or text, "date" if iso else "text")
    if kind in ("path", "file"):
        end = len(text.rstrip(".")) if text.strip("./") else len(text)
        text = text[:end]
        return Mention(span[0], span[0] + end, text, str(_absolute(text, where)), "path")
    if kind == "ending":
        return Mention(*span, text, text, "text")
    if kind in ("code", "mail"):
        text = text.rstrip(".:-")
        return Mention(span[0], span[0] + len(text), text, text, "text")
    if kind in ("digits", "spelled", "chinese"):
        return _number(text, span, where)
    is_value = len(text.encode()) >= 3 and text.lower() not in _NO_VALUE
    return Mention(*span, text, text, "word", is_hard=False) if is_value else None


def _quoted(text: str, span: tuple[int, int], where: Where) -> Mention | None:
    inner = _FOUND.fullmatch(text)
    read = (
        _read(inner, where)
        if inner and inner.lastgroup in ("url", "date", "path", "glob", "file")
        else None
    )
    if read is None and re.match(
        r"(~|\.{1,2})?/|[^/]+\.[A-Za-z]\w{0,7}$", text
    ):  # a path with spaces
        return Mention(*span, text, str(_absolute(text, where)), "path", is_quoted=True)
    if read is None:
        return Mention(*span, text, text, "text", is_quoted=True)
    return replace(read, start=span[0], end=span[1], is_quoted=True)


def _number(text: str, span: tuple[int, int], where: Where) -> Mention | None:
    plain = text.lower().replace(",", "").lstrip("+")
    kind: Kind = "number" if "." in plain else "integer"
    if re.fullmatch(r"-?\d+(\.\d+)?", plain):
        if re.fullmatch(r"0\d+", plain):  # 007 is a name
            return Mention(*span, text, text, "text")
        return Mention(*span, text, plain, kind)
    value = value_of(Slot(text, text), {"type": "integer"}, "", where)
    if value is None:
        return None
    return Mention(*span, text, str(value), "integer", is_hard=text.lower() not in _SOFT_NUMBERS)


def is_ending(text: str) -> bool:
    """True for `.txt`, `.tar.gz`: the end of a name, with its dot."""
    return re.fullmatch(r"(\.[A-Za-z][A-Za-z0-9]{0,9}){1,2}", text) is not None


def iso_date(text: str) -> str | None:
    """A date as people write it, in ISO; None when it is none."""
    match = DATE.fullmatch(text)
    if not match:
        return None
    year, *months, day = match.groups()
    try:
        return date(int(year), int(next(filter(None, months))), int(day)).isoformat()
    except ValueError:
        return None


def _absolute(text: str, where: Where) -> Path:
    path = (
        where.owner_home / text[1:].lstrip("/")
        if text == "~" or text.startswith("~/")
        else where.cwd / text
    )
    return Path(*_normal(path.parts))


def _normal(parts: Iterable[str]) -> Iterator[str]:
    found: list[str] = []
    for part in parts:
        if part == ".." and len(found) > 1:
            found.pop()
        elif part != "..":
            found.append(part)
    return iter(found)


def _around(request: str, start: int, end: int) -> dict[str, Any]:
    """The words around a place: three before, two behind, nearest first; and the one right before it."""
    before = [word.lower() for word in _WORD.findall(request[:start])][-3:][::-1]
    behind = [word.lower() for word in _WORD.findall(request[end:])][:2]
    glued = [a + b for a, b in pairwise(behind) if not a.isascii()]
    near = (*behind[:1], *before[:1], *glued, *before[1:], *behind[1:])
    return {"near": near, "before": before[0] if before else ""}
