"""The addresses that a script asks on the network, as far as they can be read from it. To fetch an address is to send it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from shell.bash import Command, NotUnderstood, Word, parse
from shell.catalogue.lists import REMOTE_LIBRARIES, SERVERS, SHELLS, WRAPPERS
from text import pattern

_FETCHERS = {"curl", "wget", "aria2c", "http", "https", "xh", "axel", "lynx", "w3m", "links", "yt-dlp", "youtube-dl", "ping", "ping6", "dig", "host", "nslookup", "whois", "telnet", "nc", "ncat", "websocat", "ftp"}  # fmt: skip
_FETCH_WITH = {"git": {"clone", "ls-remote", "fetch", "pull", "submodule"}, "docker": {"pull"}, "svn": {"checkout", "co", "export"}, "hg": {"clone"}}  # fmt: skip
_VALUED = {"-o", "--output", "-O", "-H", "--header", "-A", "--user-agent", "-e", "--referer", "-b", "--cookie", "-c", "-X", "--request", "-m", "--max-time", "--connect-timeout", "-w", "--write-out", "-u", "--user", "--retry", "-d", "--data", "-T", "-F", "--form", "-P", "-t", "-W", "-i", "-I", "-s", "-p", "-D", "--dump-header", "-U", "-L", "-n"}  # fmt: skip
_ELSEWHERE = {
    "--resolve",
    "--connect-to",
    "-K",
    "--config",
    "--unix-socket",
    "--input-file",
}  # where it goes stands elsewhere
_LIBRARIES = {"requests", "httpx", "aiohttp", "urllib", "urllib3", "http", "socket", "ftplib", "smtplib", "imaplib", "websockets", "websocket", "paramiko", "feedparser", "bs4", "scrapy", "selenium", "playwright"} | SERVERS | REMOTE_LIBRARIES  # fmt: skip
_LOCAL = pattern(
    r"(?i)(?:[a-z]+://)?(?:[^/@]*@)?(localhost|[\w-]+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?)(?::\d+)?(?:[/?#]|$)"
)
_HOST = pattern(r"(?i)(?:[a-z][a-z0-9+.-]*://)\S+|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?|\d+(?:\.\d+){3}(?::\d+)?(?:[/?#]\S*)?|[\w.-]+@[\w.-]+:\S+")  # fmt: skip
_URL = pattern(r"https?://[^\s'\"<>|;)\\]+")


class Fetches(NamedTuple):
    """`urls` as the script has them; what stands behind an unknown part is left out, and the part is `…`. `is_hidden`: it
    talks to somebody whom the text does not name."""

    urls: tuple[str, ...] = ()
    is_hidden: bool = False


def is_local(url: str) -> bool:
    """Return True if an address is this machine."""
    return bool(_LOCAL.match(url))


def fetches(script: str, *, is_python: bool, variables: Mapping[str, str]) -> Fetches:
    """Return what the script asks; nothing for one that does not parse, which the gate asks about anyway. Never raises."""
    return _python(script) if is_python else _shell(script, variables)


def _shell(script: str, variables: Mapping[str, str]) -> Fetches:
    if not re.search(r"[a-z]", script):
        return Fetches()
    try:
        commands = parse(script)
    except NotUnderstood:
        return Fetches(tuple(_URL.findall(script[:50_000])))
    urls: list[str] = []
    is_hidden = False
    known = dict(variables)
    for command in commands:
        for name, word in command.assignments:
            known[name] = word.value(known) or ""
        found = list(_of_command(command, known))
        urls += [url for url in found if url and not is_local(url)]
        is_hidden |= "" in found
    return Fetches(tuple(dict.fromkeys(urls)), is_hidden)


def _of_command(command: Command, known: Mapping[str, str]) -> Iterator[str]:
    """The addresses of one command; "" for one that cannot be read."""
    words = list(command.words)
    while words:
        name = (words[0].value(known) or "").rpartition("/")[2]
        if name in WRAPPERS and name not in _FETCHERS:
            words = next((words[at:] for at in range(1, len(words)) if re.fullmatch(r"[a-z/][\w./+-]*", words[at].value(known) or "")), [])  # fmt: skip
            continue
        rest = words[1:]
        if name in SHELLS or name.startswith("python"):
            code = next(
                (
                    word.value(known)
                    for at, word in enumerate(rest)
                    if at and rest[at - 1].literal == "-c"
                ),
                None,
            )
            inner = (
                fetches(code, is_python=name.startswith("python"), variables=known)
                if code
                else Fetches()
            )
            yield from inner.urls
            if inner.is_hidden:
                yield ""
        elif name in _FETCHERS or _FETCH_WITH.get(name, set()) & {word.literal for word in rest}:
            yield from _addresses(rest, known)
        return


def _addresses(words: list[Word], known: Mapping[str, str]) -> Iterator[str]:
    for at, word in enumerate(words):
        value = word.value(known)
        start = value if value is not None else word.known_start(known)
        if start in _ELSEWHERE:
            yield ""
        if start.startswith("-") and "=" not in start:
            continue
        if at and words[at - 1].literal in _VALUED and "://" not in start:
            continue
        if match := _HOST.match(
            start.partition("=")[2] if start.startswith("--url=") else start.lstrip("@")
        ):
            yield match[0] if value is not None else f"{match[0]}…"
        elif value is None:
            yield ""


def _python(code: str) -> Fetches:
    if not any(name in code for name in _LIBRARIES):
        return Fetches()
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Fetches()
    imported, texts, joined = set[str](), list[str](), list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported |= {f"{node.module}.{alias.name}" for alias in node.names} | {
                node.module or ""
            }
        elif (
            isinstance(node, ast.JoinedStr)
            and node.values
            and isinstance(node.values[0], ast.Constant)
        ):
            joined.append(str(node.values[0].value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
    used = {name for name in imported if name.split(".")[0] in _LIBRARIES and name not in ("http", "urllib.parse", "http.HTTPStatus", "bs4", "bs4.BeautifulSoup") and not name.startswith("urllib.parse")}  # fmt: skip
    if not used:
        return Fetches()
    urls = [f"{text}…" for text in joined if _URL.match(text)]
    urls += [
        text for text in texts if _URL.match(text) and not any(text == each for each in joined)
    ]
    there = [url for url in urls if not is_local(url)]
    return Fetches(tuple(dict.fromkeys(there)), not urls)
