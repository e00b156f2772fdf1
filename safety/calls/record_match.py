"""Tell what was read about a thing of which a call names only the id: a request for one thing must
not reach another.

`cancel_event(id=24)` says nothing by itself. What the run has read says what 24 is, and whether
something else that was read is what the request speaks of.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from safety.calls.tool_words import is_verb, request_words
from text import pattern
from text.patterns import names

MAX_CHARS = 200_000  # of one result
MAX_DEPTH = 12
_KEY = pattern(r"\d{1,20}|[0-9a-f-]{16,64}")
_ID = pattern(r"(?i)(.*[_.-])?(id_?|uid|uuid|guid|number|no|nr)|\w+I[dD]|编号")
_ID_LINE = pattern(
    r"(?im)^[\s>*-]*[\"']?(?:[\w.-]*?(?:id_?|uid|uuid)|编号)[\"']?\s*[:=：]\s*[\"']?([\w-]{1,64})"
)
_BLOCKS = pattern(r"\n\s*\n|\n(?=\s{0,6}- )|\n(?=[-=]{3,})")
_CHINESE = pattern(r"[\u3400-\u9fff]{2,}")
_SMALL = names(
    "the a an of for to with and or in on at my our your this that from by about please it is be me i all any new old set get put file files mail mails email emails message messages event events"
)


class Record(NamedTuple):
    """One thing that was read: what it is called by, and the words of what it says."""

    ids: frozenset[str]
    words: frozenset[str]


def misfit(
    request: str, id: str, texts: Iterable[str], is_named: Callable[[str], bool]
) -> Literal["", "not_read", "another"]:
    """Return True if the thing of this id is hardly what the request speaks of, by what was read;
    "" if nothing speaks against it. `is_named` says of another id whether the request has it."""
    read = [record for text in texts for record in records(text[:MAX_CHARS])]
    own = [record for record in read if id.strip().casefold() in record.ids]
    if not own:
        return "not_read" if read else ""
    if any(map(is_named, frozenset[str]().union(*(record.ids for record in read)))):
        return "another"
    said = set(itertools.filterfalse(is_verb, _words(request) - _SMALL))
    return "another" if 2 * _most(said, own) < _most(said, read) else ""


def _most(said: set[str], read: list[Record]) -> int:
    """Return how many of the words a record has that has most of them."""
    return max(len(said & record.words) for record in read)


def records(text: str) -> list[Record]:
    """Return the things that a result tells of, each with an id of its own."""
    found = [record for document in _documents(text) for record in _of_data(document)]
    return found or list(_of_lines(text))


def _documents(text: str) -> Iterator[Any]:
    """Yield the JSON in a text."""
    decoder, at = json.JSONDecoder(), 0
    for _ in range(50):
        start = min((place for sign in "{[" if (place := text.find(sign, at)) >= 0), default=-1)
        if start < 0:
            return
        try:
            document, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield document


def _of_data(data: Any, depth: int = 0) -> Iterator[Record]:
    """Yield each object that has an id. Texts in it are words, whatever they look like: others
    wrote them."""
    if depth > MAX_DEPTH:
        return
    below = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    if isinstance(data, dict):
        yield from _of_object(data)
        yield from (_named_by_key(key, each) for key, each in data.items() if _is_key(key, each))
    for each in below:
        yield from _of_data(each, depth + 1)


def _of_object(data: dict[str, Any]) -> Iterator[Record]:
    named = {str(name): value for name, value in data.items() if _ID.fullmatch(str(name))}
    ids = [str(each).casefold() for each in named.values() if type(each) in (str, int)]
    said = [value for name, value in data.items() if str(name) not in named]
    if ids:
        words = json.dumps(said, ensure_ascii=False, default=str)
        yield Record(frozenset(ids), _words(words))


def _is_key(key: object, value: object) -> bool:
    """Return True for `{"24": {…}}`: the id is the key."""
    return isinstance(value, dict) and bool(_KEY.fullmatch(str(key)))


def _named_by_key(key: object, value: object) -> Record:
    words = _words(json.dumps(value, ensure_ascii=False, default=str))
    return Record(frozenset({str(key).casefold()}), words)


def _of_lines(text: str) -> Iterator[Record]:
    """Yield the blocks of `name: value`. Whoever writes into one can pretend to be another: what is
    told by JSON cannot."""
    for block in _BLOCKS.split(text):
        if ids := frozenset(found.casefold() for found in _ID_LINE.findall(block)):
            yield Record(ids, _words(_ID_LINE.sub(" ", block)))


def _words(text: str) -> frozenset[str]:
    """Return words with their forms; of Chinese the pairs of characters."""
    text = text[:20_000]
    runs = _CHINESE.findall(text)
    return request_words(text) | {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
