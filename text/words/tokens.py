"""Cuts a text into the words that keywords are looked up by: the same cut for what is kept and for
what is asked.

Languages with spaces: each word as it is (lower case, no accents) and its English stem. Languages
without (Chinese, kana, hangul, Thai, …): pairs of characters, which need no dictionary, and single
characters, for a question of one. A token holds ASCII letters and digits and whatever is not ASCII;
so FTS5's `ascii` tokeniser leaves it whole, and no syntax of FTS5 can be in it. Source: figures
"Recall"; issue of the journal, "SQLite".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain
from typing import Any

from text import pattern

MAX_WORD_CHARS = 64
MAX_ASKED_CHARS = 20_000  # a question is not longer; what stands behind is not looked up
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    # kana, Han, hangul
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff々〇"
)
_PICTURE = "\u2600-\u27bf\U0001f000-\U0001faff"
_RUNS = pattern(f"([{_UNSPACED}]+)")
_PIECES = pattern(
    rf"(?P<picture>[{_PICTURE}])|(?P<number>\d+(?:,\d{{3}})+)|[^\W_]+(?:['’][^\W_]+)*"
)
# the same for the most frequent case, in half the time
_ASCII = pattern(r"\d+(?:,\d{3})+|[^\W_]+(?:'[^\W_]+)*", re.ASCII)
MAX_STATED_CHARS = 6000  # of a text of which the words are asked for
_SMALL = """
    a an the of to in on at for and or is are was were be been do does did has have had what when where who
    whom whose which why how much many long often with by from about as that this it its his her their them
    they he she i you your my me we our us would could should will can may might ever any some both there than
    then so if not no into during after before since also still current recent recently currently type kind s
    be ani whi onli dure sinc
"""
SMALL = frozenset(_SMALL.split())
_ENGLISH = re.compile(r"[a-z]{3,24}")


def cut(text: str) -> list[str]:
    """Return all tokens of a text that is to be found, in order, again each time that they stand
    there."""
    return list(_tokens(text, singles=True))


def cut_each(texts: Iterable[str]) -> list[list[str]]:
    """Return the tokens of each of many short texts, as `cut` gives them."""
    return [list(_tokens(text, singles=True)) for text in texts]


def asked(query: str) -> list[str]:
    """Return the tokens that a question is looked up by, each once, in order. A single character
    only where it stands alone."""
    return list(dict.fromkeys(_tokens(query[:MAX_ASKED_CHARS], singles=False)))


def _tokens(text: str, *, singles: bool) -> Iterable[str]:
    if not text.isascii():
        return _of_any_script(text, singles=singles)
    found = (
        _forms(piece[:MAX_WORD_CHARS]) if "," not in piece else (piece.replace(",", ""),)
        for piece in _ASCII.findall(text)
    )
    return chain.from_iterable(found)


def _of_any_script(text: str, *, singles: bool) -> list[str]:
    tokens: list[str] = []
    for place, part in enumerate(_RUNS.split(unicodedata.normalize("NFKC", text))):
        if place % 2:
            tokens += [part[at : at + 2] for at in range(len(part) - 1)]
            tokens += part if singles or len(part) == 1 else ""
        else:
            for found in _PIECES.finditer(part):
                piece = found[0]
                tokens += (
                    (piece.replace(",", ""),) if found.lastgroup else _forms(piece[:MAX_WORD_CHARS])
                )
    return tokens


@lru_cache(maxsize=65_536)
def _forms(word: str) -> tuple[str, ...]:
    """Return a word and its stem; the stem alone where they are the same."""
    plain = re.sub(r"['’]s?\b", "", word.lower())
    if not plain.isascii():
        plain = "".join(
            each for each in unicodedata.normalize("NFD", plain) if not unicodedata.combining(each)
        )
        plain = "".join(each for each in plain if each.isalnum())
    if not plain:
        return ()
    stem = _stemmer().stemWord(plain) if plain.isascii() else plain
    return (plain,) if stem == plain else (plain, stem)


@cache
def _stemmer() -> Any:
    return import_module("Stemmer").Stemmer("english")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text that say something, each once, in order."""
    words = dict.fromkeys(_ENGLISH.findall(text[:MAX_STATED_CHARS].lower()))
    return tuple(word for word in words if word not in SMALL)
