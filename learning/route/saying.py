"""Say a request in other ways that mean the same: with its folder apart, and without the words that
only ask to be shown.

"rename a.txt to b.txt on my desktop" is "rename a.txt to b.txt" in that folder; "list the photos
here" is "photos here".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from learning.route.place import Where, words
from learning.route.request import Asked
from learning.route.typed import path_said
from text.values import folder_names


class Way(NamedTuple):
    """A way to say a request. `folder`: it was said apart, and a value must lie in it; `reads`:
    only for what reads; `is_bare`: wordings are said without the words that ask to be shown
    something, too."""

    asked: Asked
    where: Where
    folder: str = ""
    reads: bool = False
    is_bare: bool = False

    def takes_folder(self, parameters: Mapping[str, Any]) -> bool:
        """Return True where a value lies in the folder that was said apart."""
        values = (each for value in parameters.values() for each in _each(value))
        return not self.folder or any(Path(each).is_relative_to(self.folder) for each in values)


def _each(value: Any) -> list[str]:
    """Return a value, or those of a list, as texts."""
    return list(map(str, value)) if isinstance(value, list) else [str(value)]


def ways(asked: Asked, where: Where) -> Iterator[Way]:
    """Yield a request as it is, then in other ways."""
    apart = [Way(asked, where), *_apart(asked, where)]
    for way in apart:
        yield way
        if rest := bare(way.asked.task):
            yield way._replace(asked=Asked.read(rest), reads=True)


def bare(task: str) -> str:
    """Return a task without what asks to be shown something; "" where it has nothing of it."""
    first, last = _shows()
    rest = last.sub("", first.sub("", task, count=1)).strip()
    return rest if rest != task else ""


@cache
def _shows() -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = words()["shows"]
    first, last = _either(table["before"]), _either(table["behind"])
    return re.compile(f"^(?:{first})", re.IGNORECASE), re.compile(f"(?:{last})$", re.IGNORECASE)


def _either(said: list[str]) -> str:
    bounded = (rf"\b{re.escape(each)}\b" if each.isascii() else re.escape(each) for each in said)
    return rf"(?:{'|'.join(bounded)})\s*"


def _apart(asked: Asked, where: Where) -> Iterator[Way]:
    """Yield the request without a folder that it names, to be done in that folder."""
    for match in _places().finditer(asked.plain, asked.start, asked.end):
        folder = path_said(match["en"] or match["zh"], where)
        if folder is None or Path(folder).is_file():
            continue
        front = asked.written[asked.start : match.start()]
        behind = asked.written[match.end() : asked.end]
        if not front:
            yield Way(Asked.read(f"{behind} {match[0]}"), where)
        is_edge = (match["at"] or match["from"]) not in words()["places"]["away"] and not (
            front and behind
        )
        there = where._replace(cwd=Path(folder), new=None if is_edge else where.cwd)
        yield Way(Asked.read(f"{front} {behind}"), there, folder)


@cache
def _places() -> re.Pattern[str]:
    """Match a folder with the words that say that something is in it."""
    table = words()["places"]
    at, before, behind = ("|".join(table[each]) for each in ("at", "before", "behind"))
    articles = "|".join(each for each in words()["articles"] if each.isascii())
    called = "|".join(each for each in folder_names() if not each.isascii())
    named = rf"(?:{called}|[~./]*[A-Za-z0-9_][A-Za-z0-9_./-]*)"
    return re.compile(
        rf"(?<!\S)(?P<at>{at})\s+(?:(?:{articles})\s+)?(?P<en>[^\s,?!]+)(?:\s+(?:folder|directory))?(?![^\s,?!])"
        rf"|(?:(?P<from>{before})\s*|(?={named}\s*(?:文件夹|目录)?\s*(?:{behind})))(?P<zh>{named})"
        rf"\s*(?:文件夹|目录)?\s*(?:{behind})*",
        re.IGNORECASE,
    )
