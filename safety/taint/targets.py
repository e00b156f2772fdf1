"""Whom and what an effect reaches: recipients, addresses, accounts, places, amounts, in the
arguments of a call."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from text import pattern
from text.sections import sections

Kind = Literal[
    "address", "url", "account", "phone", "name", "file", "amount", "time", "id", "title"
]
MAX_LENGTH = 20_000  # characters of one argument that are looked at: its head and its tail
MAX_DEPTH = 12
WORDS = {name: frozenset(text.split()) for name, text in sections("safety/targets.txt").items()}
# Letters of words that blanks stand between: Chinese stands right beside an address.
LETTER = r"A-Za-z0-9_\u00c0-\u1fff"
ADDRESS = pattern(
    rf"(?<![{LETTER}.+'%-])[{LETTER}.+'%-]{{1,64}}@(?:[{LETTER}-]{{1,63}}\.){{1,8}}[{LETTER}-]{{1,63}}"
)
_REST = r"[^\s<>\"'`|，。；、）】》\u3400-\u9fff]"
URL = pattern(rf"(?<![A-Za-z0-9_])(?:https?|ftp|wss?)://{_REST}+", re.IGNORECASE)
BARE = pattern(
    rf"(?<![{LETTER}@./-])(?:[{LETTER}-]{{1,63}}\.){{1,8}}[a-z]{{2,24}}(?::\d+)?(?:/{_REST}*)?(?![{LETTER}@])",
    re.IGNORECASE,
)
_NUMBERS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("account", pattern(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?\b")),
    (
        "account",
        pattern(r"\b(?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{25,60}|[13][1-9A-HJ-NP-Za-km-z]{25,34})\b"),
    ),
    ("phone", pattern(r"(?<!\w)\+\d[\d\s().-]{6,20}\d")),
)
_INVISIBLE = pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff]"
)
_HOSTS = {"host", "url", "domain", "uri", "website", "server"}
_AMOUNT = r"\D{0,4}[\d.,]+\D{0,4}"
_NAME_PARTS = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[\u3400-\u9fff]+")
_PAGE = pattern(
    r"(?i:www\.)|[^/]*\.[a-z]{2}(?::\d+)?/"
)  # of a country, where nobody lists them all
_ENDING = ".,;:!?)]}'*_"


class Target(NamedTuple):
    """One thing that an effect reaches; `value` as the call has it."""

    kind: Kind
    value: str


def of_call(args: Mapping[str, Any], *, effect: str) -> list[Target]:
    """Return the targets in the arguments of a call; for one that only reads, the URLs and hosts
    that it asks."""
    read = _of_reading if effect == "read" else _of_value
    found = [
        target for path, value in _leaves(args) for target in read(_words(path), value, effect)
    ]
    return list(dict.fromkeys(found))


def _of_reading(keys: set[str], value: Any, effect: str) -> list[Target]:
    found = [target for target in in_text(str(value)) if target.kind == "url"]
    names_host = not keys.isdisjoint(_HOSTS) and _is_said(value)
    return found or [Target("url", str(value))] * names_host


def _is_said(value: Any) -> bool:
    return not isinstance(value, bool | None) and bool(str(value).strip())


def _of_value(keys: set[str], value: Any, effect: str) -> Iterator[Target]:
    text = str(value)
    inside = list(in_text(text))
    yield from inside
    if not keys.isdisjoint(WORDS["mine"]) or not _is_said(value):
        return
    if keys.isdisjoint(WORDS["id"]) and not keys.isdisjoint(WORDS["free"]):
        return
    kind = _kind(keys, text, effect)
    if kind == "name":
        yield from _name(text, inside)
    elif kind:
        last = text.rstrip("/").rpartition("/")[2] or text
        yield Target(kind, last if keys & WORDS["file"] else text)


def _kind(keys: set[str], text: str, effect: str) -> Kind | None:
    """Return the kind of target that an argument of these names is."""
    deletes = effect == "delete"
    rows: tuple[tuple[str, Kind, str], ...] = (
        ("id", "id", ""),
        ("time", "time", r"\d"),
        ("amount", "amount", rf"\A\s*{_AMOUNT}\s*\Z"),
        ("file", "file" if deletes else "id", ""),
        ("who", "name", ""),
    )
    if keys == {"number"}:
        return "id"
    for words, kind, shape in rows:
        if keys & WORDS[words] and re.search(shape, text):
            return kind
    if effect in ("spend", "system") and len(text) <= 200:
        return "name"
    is_title: Kind = "file" if deletes else "title"
    return is_title if keys & WORDS["title"] else None


def _name(text: str, inside: list[Target]) -> Iterator[Target]:
    """Give what is left beside the addresses in a text: `Bob <bob@example.org>` is the address
    alone."""
    rest = text
    for target in inside:
        rest = rest.replace(target.value, " ")
    if not inside or ("<" not in text and re.search(r"\w{2}", rest)):
        yield Target("name", rest.strip(" ,;"))


def _leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Give each scalar with the names on the way to it; what is nested too deeply as one text."""
    if depth > MAX_DEPTH:
        yield path, str(value)[:MAX_LENGTH]
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(each, f"{path} {key}", depth + 1)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each, path, depth + 1)
    elif isinstance(value, str) and len(value) > 2 * MAX_LENGTH:
        yield path, value[:MAX_LENGTH] + "\n" + value[-MAX_LENGTH:]
    else:
        yield path, value


def _words(path: str) -> set[str]:
    """Split the last of an argument's names: `start_day` gives start, day; "attachments" counts
    anywhere."""
    words = {word.lower() for word in _NAME_PARTS.findall(path.split(" ")[-1])}
    return words | ({"attachments"} if "attachment" in path.lower() else set())


def in_text(text: str) -> Iterator[Target]:
    """Give addresses of every kind that stand in a text."""
    rest = plain(text, fold=False)
    for match in URL.finditer(rest):
        yield Target("url", match[0].rstrip(_ENDING))
    rest = URL.sub(" ", rest)
    for match in ADDRESS.finditer(rest):
        yield Target("address", match[0].rstrip("."))
    rest = ADDRESS.sub(" ", rest)
    for match in BARE.finditer(rest):
        if _is_host(match[0]):
            yield Target("url", match[0].rstrip(_ENDING))
    for kind, shape in _NUMBERS:
        yield from (Target(kind, match[0]) for match in shape.finditer(rest))


def _is_host(text: str) -> bool:
    host = text.partition("/")[0]
    top = host.split(":")[0].rpartition(".")[2]
    return top.lower() in WORDS["top"] or _PAGE.match(text) is not None


def plain(text: str, *, fold: bool = True) -> str:
    """Return one spelling: width, invisible characters, white space, and capitals if `fold`."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return re.sub(r"[ \t\r\f\v]+", " ", text.casefold() if fold else text)


def url_of(text: str) -> SplitResult | None:
    """Return one form for one address: no scheme, no www, no default port, the path decoded.

    None when it hides where it goes: a user before the host, a host that is not plain letters.
    """
    text = plain(text, fold=False).strip().rstrip(_ENDING)
    try:
        parts = urlsplit(text if re.match(r"(?i)[a-z][a-z0-9+.-]*://", text) else "//" + text)
        host, port = (parts.hostname or "").lower().rstrip("."), parts.port
    except ValueError:
        return None
    is_hidden = "@" in parts.netloc or "\\" in text
    if is_hidden or not re.fullmatch(r"[a-z0-9.:_-]+", host):
        return None
    host = host.removeprefix("www.")
    where = host if port in (None, 80, 443) else f"{host}:{port}"
    path = re.sub(r"/+", "/", unquote(parts.path)).rstrip("/").casefold()
    return None if "/.." in path else SplitResult("", where, path, unquote(parts.query), "")


def host_of(url: str) -> str:
    """Return the host of an address in its one form, "" when it hides it."""
    found = url_of(url)
    return found.netloc if found else ""
