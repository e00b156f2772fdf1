"""Read a person's answer to "may this happen?": yes once, yes for this run, no, or nothing that can
be relied on.

The words stand in assets/words (consent.*), those of both languages count in either: who speaks
Chinese still types "ok". An answer must *be* such a word; a yes with more behind it is unclear and
is asked again, never taken for a yes.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal, NamedTuple

from text.sentences import catalogue

Meaning = Literal["once", "run", "no", "unclear"]
_LANGUAGES = ("en", "zh")


class Answer(NamedTuple):
    """Hold what was meant; of a no, the reason that was given with it."""

    meaning: Meaning
    reason: str = ""


def read(text: str) -> Answer:
    """Return the meaning of an answer. Nothing typed is a no."""
    word = _plain(text)
    if not word:
        return Answer("no")
    for meaning in ("once", "run", "no"):
        if word in _words(meaning):
            return Answer(meaning)
    said = unicodedata.normalize("NFKC", text).strip()
    for refusal in sorted(_words("no"), key=len, reverse=True):
        if found := re.fullmatch(
            rf"{re.escape(refusal)}(?:\s*[,:;.!、。\-–—]+\s*|\s+)(\S.*)",
            said,
            re.IGNORECASE | re.DOTALL,
        ):
            return Answer("no", found[1])
    return Answer("unclear")


def _plain(text: str) -> str:
    """Return one spelling for all: width, capitals, outer punctuation, a letter drawn out,
    "please"."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = "".join(c for c in text if c.isprintable())
    text = re.sub(r"[\s.,!;:~、。…\"'“”()\[\]]+$|^[\s.,!;:~、。…\"'“”()\[\]]+", "", text)
    return re.sub(r"\s+", " ", re.sub(r"[\s,]+(?:please|thanks|thank you)$|谢谢$", "", text)).strip(
        " ,"
    )


@cache
def _words(meaning: str) -> frozenset[str]:
    lists = (str(catalogue(lang)[f"consent.{meaning}"]) for lang in _LANGUAGES)
    return frozenset(word.strip() for each in lists for word in each.split("|"))
