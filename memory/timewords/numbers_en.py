"""Number words in English: "twenty-three", "two thousand and five", "twenty-third"."""

from __future__ import annotations

import re

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
ONES = {word: value for value, word in enumerate(_ONES.split())}
TENS = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
_ORDINAL_ONES = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
ORDINAL_ONES = {word: value for value, word in enumerate(_ORDINAL_ONES.split())}
ORDINAL_TENS = {"twentieth": 20, "thirtieth": 30}

_ONE = "|".join(sorted(ONES, key=len, reverse=True))
_TEN = "|".join(TENS)
_DIGIT = "one|two|three|four|five|six|seven|eight|nine"
SMALL = rf"(?:(?:{_TEN})(?:[\s-](?:{_DIGIT})\b)?|(?:{_ONE}))\b"
_HUNDRED = rf"(?:(?:{SMALL}|an?)\s+hundred\b(?:\s+(?:and\s+)?{SMALL})?|{SMALL})"
CARDINAL = rf"(?:(?:{_HUNDRED}|an?)\s+thousand\b(?:,?\s+(?:and\s+)?{_HUNDRED})?|{_HUNDRED})"
_ORDINAL = "|".join(sorted({**ORDINAL_ONES, **ORDINAL_TENS}, key=len, reverse=True))
ORDINAL = rf"(?:(?:twenty|thirty)[\s-])?(?:{_ORDINAL})\b|\d{{1,3}}(?:st|nd|rd|th)\b"


def cardinal(said: str) -> int | None:
    """What a number says in digits or words; None when the words are none."""
    said = said.lower().replace(",", "")
    if said.isdigit():
        return int(said)
    total = part = 0
    for word in re.split(r"[\s-]+", said):
        if word in ("a", "an", "and"):
            part += word != "and"
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word == "thousand":
            total, part = total + max(part, 1) * 1000, 0
        elif word in ONES or word in TENS:
            part += ONES.get(word, 0) + TENS.get(word, 0)
        else:
            return None
    return total + part


def ordinal(said: str) -> int | None:
    """What "third", "twenty-third" or "23rd" says."""
    said = said.lower()
    if said[0].isdigit():
        return int(said[:-2])
    *tens, last = re.split(r"[\s-]+", said)
    before = TENS.get(tens[0], 0) if tens else 0
    value = ORDINAL_ONES.get(last, 0) or ORDINAL_TENS.get(last, 0)
    return before + value if value and not (before and value > 9) else None


def spoken_year(said: str) -> int | None:
    """What "nineteen ninety-nine", "twenty oh five" or "two thousand sixteen" says as a year."""
    said = said.lower()
    if "thousand" in said:
        return cardinal(said)
    first, rest = re.split(r"[\s-]+", said, maxsplit=1)
    century = cardinal(first)
    if century is None:
        return None
    if rest == "hundred":
        return century * 100
    last = cardinal(re.sub(r"^(?:oh|o|zero)[\s-]", "", rest))
    return None if last is None else century * 100 + last


SPOKEN_YEAR = (
    rf"(?:(?:fifteen|sixteen|seventeen|eighteen|nineteen|twenty)[\s-](?:(?:oh|o|zero)[\s-](?:{_DIGIT})\b|hundred\b"
    rf"|(?:{_TEN})(?:[\s-](?:{_DIGIT})\b)?|(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)\b)"
    rf"|two\s+thousand\b(?:\s+(?:and\s+)?{SMALL})?)"
)
