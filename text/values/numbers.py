"""Number words of both languages: "twenty-three", "two thousand and five", "23rd", 二十三, 两千零五, 二〇二四.

The one table of number words is assets/text/numbers.toml.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parents[2] / "assets" / "text" / "numbers.toml"
_TABLES: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
_ENGLISH, _CHINESE = _TABLES["english"], _TABLES["chinese"]

ONES = {word: value for value, word in enumerate(_ENGLISH["ones"].split())}
TENS = {word: 10 * value for value, word in enumerate(_ENGLISH["tens"].split(), 2)}
_ORDINAL_ONES = {word: value for value, word in enumerate(_ENGLISH["ordinals"].split())}
_ORDINAL_TENS = {word: 10 * value for value, word in enumerate(_ENGLISH["ordinal_tens"].split(), 2)}
_ORDINALS = _ORDINAL_ONES | _ORDINAL_TENS

_DIGITS: dict[str, int] = {
    digit: value for value, digit in enumerate(_CHINESE["digits"])
} | _CHINESE["same"]
_POWERS: dict[str, int] = _CHINESE["tens"]
_SCORES: dict[str, int] = _CHINESE["scores"]
CHINESE_DIGITS = "".join((*_DIGITS, *_POWERS, *_SCORES))


def _either(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_DIGIT = "|".join(word for word, value in ONES.items() if 0 < value < 10)
_TEEN = "|".join(word for word, value in ONES.items() if value >= 10)
_TEN = _either(TENS)
SMALL = rf"(?:(?:{_TEN})(?:[\s-](?:{_DIGIT})\b)?|(?:{_either(ONES)}))\b"
_HUNDRED = rf"(?:(?:{SMALL}|an?)\s+hundred\b(?:\s+(?:and\s+)?{SMALL})?|{SMALL})"
CARDINAL = rf"(?:(?:{_HUNDRED}|an?)\s+thousand\b(?:,?\s+(?:and\s+)?{_HUNDRED})?|{_HUNDRED})"
ORDINAL = rf"(?:(?:{_TEN})[\s-])?(?:{_either(_ORDINALS)})\b|\d{{1,3}}(?:st|nd|rd|th)\b"
SPOKEN_YEAR = (
    rf"(?:(?:fifteen|sixteen|seventeen|eighteen|nineteen|twenty)[\s-]"
    rf"(?:(?:oh|o|zero)[\s-](?:{_DIGIT})\b|hundred\b(?:\s+(?:and\s+)?{SMALL})?|(?:{_TEN})(?:[\s-](?:{_DIGIT})\b)?|(?:{_TEEN})\b)"
    rf"|two\s+thousand\b(?:\s+(?:and\s+)?{SMALL})?)"
)


def cardinal(said: str) -> int | None:
    """Return what a number says in digits or English words; None when the words are none."""
    said = said.lower().replace(",", "")
    if said.isdigit():
        return int(said)
    total = part = 0
    for word in re.split(r"[\s-]+", said):
        if word in ("a", "an"):
            part += 1
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word == "thousand":
            total, part = total + max(part, 1) * 1000, 0
        elif word != "and":
            value = ONES.get(word, TENS.get(word))
            if value is None:
                return None
            part += value
    return total + part


def ordinal(said: str) -> int | None:
    """Return what "third", "twenty-third" or "23rd" says."""
    said = said.lower()
    if said[0].isdigit():
        return int(re.sub(r"\D", "", said))
    *tens, last = re.split(r"[\s-]+", said)
    value = _ORDINALS.get(last)
    if value is None or not tens:
        return value
    before = TENS.get(tens[0], 0)
    return before + value if before and value < 10 else None


def spoken_year(said: str) -> int | None:
    """Return what "nineteen ninety-nine", "twenty oh five" or "two thousand sixteen" says as a
    year."""
    said = said.lower()
    if "thousand" in said:
        return cardinal(said)
    first, rest = re.split(r"[\s-]+", said, maxsplit=1)
    century = cardinal(first)
    if century is None:
        return None
    last = cardinal(re.sub(r"^(?:oh|o|zero)[\s-]|^hundred(?: and)? ?", "", rest) or "zero")
    return None if last is None else century * 100 + last


def chinese_number(said: str) -> int | None:
    """Return what a number in Chinese or Arabic digits says; None when the characters make none."""
    if said.isdigit():
        return int(said)
    if all(character in _DIGITS for character in said):
        return int("".join(str(_DIGITS[character]) for character in said))
    total = part = digit = 0
    for character in said:
        if character in _DIGITS:
            digit = _DIGITS[character]
            continue
        if character in _SCORES:
            part += _SCORES[character]
        elif character == "万":
            total, part = max(part + digit, 1) * 10_000, 0
        elif character in _POWERS:
            part += max(digit, 1) * _POWERS[character]
        else:
            return None
        digit = 0
    return total + part + digit
