"""Split a sentence into values that can be looked up (paths, versions, names, numbers) and words.

The gate asks whether a run brought them; the store, whether two sentences say the same. English and Chinese; nothing is
guessed, and no dictionary is needed: Chinese is compared by pairs of characters. Source: seed 002 §3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Kind = Literal["quoted", "url", "path", "relative", "version", "number", "option", "name", "word"]
TELLING: tuple[Kind, ...] = (
    "quoted",
    "url",
    "path",
    "relative",
    "version",
    "option",
    "name",
)  # found by no accident

_VALUE = re.compile(
    r"(?P<quoted>\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|‘[^’\n]{1,200}’|`[^`\n]{1,200}`|(?<!\w)'[^'\n]{2,200}'(?!\w))"
    r"|(?P<url>[a-z][a-z0-9+.-]{1,10}://[^\s，。；、）)>\"'`]+)"
    r"|(?P<path>(?<![\w/.~])(?:~[\w.-]*)?/[^\s，。；、：“”（）()\"'`,;|<>]+|(?<![\w~])~(?![\w~])|(?<!\w)[A-Za-z]:\\[^\s，。；\"'`]+)"
    r"|(?P<relative>(?<![\w/.~@])(?:\.{1,2}/)?[\w@.-]+(?:/[\w.@-]+)+/?)"
    r"|(?P<option>(?<![\w-])--?[A-Za-z][\w-]*)"
    r"|(?P<version>(?<![A-Za-z0-9_.])v?\d+(?:\.\d+)+(?:[-+.]?[A-Za-z0-9]+)*)"
    r"|(?P<number>(?<![A-Za-z0-9_.])\d[\d,]*%?(?![A-Za-z0-9_]))"
    r"|(?P<name>[\w.+-]*@[\w.-]+|[A-Za-z0-9](?:[A-Za-z0-9]|[-_.+](?=[A-Za-z0-9]))*)",
    re.ASCII,
)
_IS_NAME = re.compile(
    r"[A-Za-z0-9.+-]*[\d_@][\w.+@-]*|[a-z]+[A-Z]\w*|[A-Z]{2,}[A-Z0-9-]*|\w[\w-]*\.[\w.-]*\w",
    re.ASCII,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。！？：；]\s*)[\s*\"'“(-]*$")
_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
_QUOTES = "\"'“”「」‘’`"
_SMALL = frozenset(
    re.findall(
        r"\S+",
        "a an and are as at be been but by can could did do does for from get gets had has have here how if in into is"
        " it its just lie lies like may more most must no not of off on one only or our out over own put set should so"
        " some such than that the their them then there these they this those to too under up use used uses using very"
        " via was were what when where which while who will with would you your owner user wants likes prefers prefer"
        " want always never please found find located lives live kept keep stored called named run runs running works"
        " work available there's",
    )
)
_SMALL_CHINESE = re.compile(
    r"[的了是在有和与及或也都就着过把被对从到为以之其这那个主人用户喜欢希望请要总永远位于存放]"
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text, without quotes and the full stop behind it."""

    kind: Kind
    text: str
    start: int


def values(text: str) -> list[Value]:
    """The values of a sentence, in order. A capital letter makes a word a value, but not at the start of a sentence."""
    return list(_values(text))


def _values(text: str) -> Iterator[Value]:
    for match in _VALUE.finditer(text):
        kind = _KINDS[match.lastgroup or "name"]
        found = (
            match[0].strip(_QUOTES).rstrip(".,:;!?")
            if kind != "quoted"
            else match[0].strip(_QUOTES)
        )
        if not found.strip():
            continue
        if kind == "name" and not _IS_NAME.fullmatch(found):
            if not found[0].isupper() or _SENTENCE_START.search(text[: match.start()]):
                continue
            kind = "word"
        if kind == "relative" and not _is_relative_path(found):
            continue
        yield Value(kind, found, match.start())


def _is_relative_path(text: str) -> bool:
    """ "src/app.py" and "./build", but not "and/or", "TCP/IP" or "text/html"."""
    return (
        text.startswith(("./", "../"))
        or text.endswith("/")
        or bool(re.search(r"\.[A-Za-z]\w{0,4}$", text))
    )


def stands_in(value: Value, text: str) -> bool:
    """Return True if a text holds the value, as a whole word; ~ and the home folder it stands for are the same."""
    return any(_holds(text, spelling) for spelling in _spellings(value))


def _spellings(value: Value) -> Iterator[str]:
    yield value.text
    home = str(Path.home())
    if value.text.startswith("~"):
        yield home + value.text[1:]
    elif value.text.startswith(home):
        yield "~" + value.text[len(home) :]
    if value.text.endswith("/"):
        yield value.text.rstrip("/")
    if value.kind == "number" and "," in value.text:
        yield value.text.replace(",", "")


def _holds(text: str, wanted: str) -> bool:
    wanted, text = _plain(wanted), _plain(text)
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(wanted) : at + len(wanted) + 1]
        if not (_joins(before) and _joins(wanted[0])) and not (
            _joins(after) and _joins(wanted[-1])
        ):
            return True
        at = text.find(wanted, at + 1)
    return False


def _joins(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "_")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def words(text: str) -> set[str]:
    """The words of a text that say something: stems of English ones, pairs of Chinese characters."""
    found = {
        _stem(word)
        for word in re.findall(r"[a-z][a-z'-]+", text.lower())
        if word not in _SMALL and len(word) > 2
    }
    for stretch in re.findall(r"[\u3400-\u9fff]+", _SMALL_CHINESE.sub(" ", text)):
        found |= {stretch[at : at + 2] for at in range(len(stretch) - 1)} or {stretch}
    return found


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    for ending in (
        "ations",
        "ation",
        "ings",
        "ing",
        "ies",
        "ied",
        "ers",
        "er",
        "ed",
        "es",
        "s",
        "y",
        "e",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def coverage(text: str, by: str) -> float:
    """The share of the words of a text that another one has too; 0 when it has no words."""
    wanted = words(text)
    return len(wanted & words(by)) / len(wanted) if wanted else 0.0


def same_said(one: str, other: str) -> bool:
    """Return True if two sentences say the same: their values are the same, and nearly all of their words."""
    if _plain(one).rstrip(".。") == _plain(other).rstrip(".。"):
        return True
    if _negates(one) != _negates(other):
        return False
    if {_plain(value.text) for value in values(one) if value.kind != "word"} != {
        _plain(value.text) for value in values(other) if value.kind != "word"
    }:
        return False
    first, second = words(one), words(other)
    return len(first & second) >= 0.8 * max(len(first | second), 1) if first or second else True


def _negates(text: str) -> bool:
    return bool(re.search(r"(?i)\b(?:not|no|never|cannot|without)\b|n't\b|不|没|无|未", text))


def replaces(new: str, old: str) -> bool:
    """Return True if a sentence is an older one with another value at its end: "git is 2.45" after
    "git is 2.39".

    Only a version, number, path or address may differ, and only the last value: what comes first is what it is about.
    """
    ours, theirs = values(new), values(old)
    if not ours or len(ours) != len(theirs) or ours[-1].kind != theirs[-1].kind:
        return False
    if (
        ours[-1].kind not in ("version", "number", "path", "url")
        or ours[-1].start == 0
        or ours[-1].text == theirs[-1].text
    ):
        return False
    before = new[: ours[-1].start], old[: theirs[-1].start]
    after = (
        new[ours[-1].start + len(ours[-1].text) :],
        old[theirs[-1].start + len(theirs[-1].text) :],
    )
    return (
        _plain(before[0]) == _plain(before[1])
        and bool(before[0].strip())
        and _plain(after[0]) == _plain(after[1])
    )
