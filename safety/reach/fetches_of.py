"""The addresses that a script asks on the network, as far as they can be read from it. To fetch an
address is to send it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from shell.bash import Command, NotUnderstood, Word, parse
from shell.catalogue import Entry, entry
from shell.catalogue.options import operand_places
from shell.catalogue.packs import remote_libraries, shells, wrappers
from shell.python import read_code
from text import pattern
from text.patterns import names

MOST_JUDGED = 20  # addresses of a call; no others may be asked
_TALKERS = names(
    "telnet nc ncat websocat ftp"
)  # beside the programs with `fetches` in the catalogue
# Behind these stands elsewhere where it goes.
_ELSEWHERE = names("--resolve --connect-to -K --config --unix-socket --input-file")
_LIBRARIES = names(
    "requests httpx aiohttp urllib urllib3 http socket ftplib smtplib imaplib websockets websocket paramiko"
    " feedparser bs4 scrapy selenium playwright"
)
_NO_LIBRARY = pattern(r"http|http\.HTTPStatus|urllib\.parse(\..*)?|bs4(\.BeautifulSoup)?")
_LOCAL = pattern(
    r"(?i)(?:[a-z]+://)?(?:[^/@]*@)?(localhost|[\w-]+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?)(?::\d+)?(?:[/?#]|$)"
)
_HOST = pattern(
    r"(?i)(?:[a-z][a-z0-9+.-]*://)\S+|(?:[\w-]+\.)+(?!git\b)[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?"
    r"|\d+(?:\.\d+){3}(?::\d+)?(?:[/?#]\S*)?|[\w.-]+@[\w.-]+:\S+"
)
_NAMES_ADDRESS = pattern("--url=|.*://")
_URL = pattern(r"https?://[^\s'\"<>|;)\\]+")
_PROGRAM = pattern(r"[a-z/][\w./+-]*")


class Fetches(NamedTuple):
    """`urls` as the script has them, at most MOST_JUDGED; what stands behind an unknown part is
    left out as `…`.

    `is_hidden`: it talks to somebody whom the text does not name.
    """

    urls: tuple[str, ...] = ()
    is_hidden: bool = False


def is_local(url: str) -> bool:
    """Return True for an address of this machine."""
    return bool(_LOCAL.match(url))


def fetches(script: str, *, is_python: bool, variables: Mapping[str, str]) -> Fetches:
    """Return what the script asks; nothing for one that does not parse. Never raises."""
    found = _python(script) if is_python else _shell(script, variables)
    urls = tuple(dict.fromkeys(url for url in found.urls if not is_local(url)))
    return Fetches(urls[:MOST_JUDGED], found.is_hidden or len(urls) > MOST_JUDGED)


def _shell(script: str, variables: Mapping[str, str]) -> Fetches:
    try:
        commands = parse(script)
    except NotUnderstood:
        return Fetches(tuple(_URL.findall(script[:50_000])))
    known, found = dict(variables), list[str]()
    for command in commands:
        known |= {name: _value(word, known) for name, word in command.assignments}
        found += _of_command(command, known)
    return Fetches(tuple(filter(None, found)), "" in found)


def _of_command(command: Command, known: Mapping[str, str]) -> Iterator[str]:
    """Give the addresses of one command; "" for one that cannot be read."""
    words = _behind_wrappers(list(command.words), known)
    name, texts = _name(words, known), [word.literal for word in words]
    is_python = name.startswith("python")
    if is_python or name in shells():
        code = words[texts.index("-c") + 1].known_start(known) if "-c" in texts[:-1] else ""
        inner = fetches(code, is_python=is_python, variables=known)
        yield from inner.urls
        yield from [""] * inner.is_hidden
        return
    program = entry(name) or Entry(name)
    asking = ["all"] if name in _TALKERS else program.listed("fetches")
    if not {"all", *texts}.isdisjoint(asking):
        yield from _addresses(program, words[1:], known)


def _name(words: list[Word], known: Mapping[str, str]) -> str:
    return "".join(_value(word, known) for word in words[:1]).rpartition("/")[2]


def _value(word: Word, known: Mapping[str, str]) -> str:
    return word.value(known) or ""


def _behind_wrappers(words: list[Word], known: Mapping[str, str]) -> list[Word]:
    while _name(words, known) in wrappers():
        rest = (_value(word, known) for word in words[1:])
        first = next(
            (at for at, text in enumerate(rest, 1) if _PROGRAM.fullmatch(text)), len(words)
        )
        words = words[first:]
    return words


def _addresses(program: Entry, words: list[Word], known: Mapping[str, str]) -> Iterator[str]:
    values = [word.value(known) for word in words]
    pairs = zip(words, values, strict=True)
    starts = [word.known_start(known) if value is None else value for word, value in pairs]
    plain = set(operand_places(program, starts))
    for at, start in enumerate(starts):
        if start in _ELSEWHERE:
            yield ""
        elif at in plain or _NAMES_ADDRESS.match(start):
            yield from _address(start, is_whole=values[at] is not None)


def _address(start: str, *, is_whole: bool) -> Iterator[str]:
    found = _HOST.match(start.removeprefix("--url=").lstrip("@"))
    if found:
        yield found[0] if is_whole else f"{found[0]}…"
    elif not is_whole:
        yield ""


def _python(code: str) -> Fetches:
    try:
        nodes = read_code(code).nodes
    except NotUnderstood:
        return Fetches()
    if not any(map(_is_library, _imported(nodes))):
        return Fetches()
    starts, texts = set[str](), list[str]()
    for node in nodes:
        match node:
            case ast.JoinedStr(values=[ast.Constant(value=text), *_]):
                starts.add(str(text))
            case ast.Constant(value=str(text)) if _URL.match(text):
                texts.append(text)
    urls = [f"{text}…" if text in starts else text for text in texts]
    return Fetches(tuple(urls), not urls)


def _is_library(name: str) -> bool:
    """Return True of a module that talks to others."""
    libraries = _LIBRARIES | remote_libraries()
    return name.partition(".")[0] in libraries and not _NO_LIBRARY.fullmatch(name)


def _imported(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases):
                yield str(module)
                yield from (f"{module}.{alias.name}" for alias in aliases)
