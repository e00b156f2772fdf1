"""Find personal data in a text: numbers of accounts, addresses, telephone numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from memory.facts.rules import first, matches
from safety.secrets import HIDDEN, Redactor


def accounts(text: str) -> Iterator[str]:
    """Yield what reads like the number of an account; of cards the sum is right."""
    for match in matches("account", text):
        digits = re.sub(r"[ -]", "", match[0])
        is_card = digits.isdigit() and 13 <= len(digits) <= 19
        if not is_card or _luhn(digits) or _is_identity(digits):
            yield match[0]


def contacts(text: str) -> Iterator[str]:
    """Yield addresses and telephone numbers that may be somebody's."""
    for match in matches("contact", text):
        if not first("no_ones", match[0]):
            yield match[0]


def mask(text: str) -> str:
    """Return enough of personal data to find it, and no more."""
    text = text.strip()
    return f"{text[:3]}…{text[-2:]}" if len(text) > 6 else "…"


def hidden(text: str, redact: Callable[[str], str] | None) -> str:
    """Return the text without what must not be kept: credentials and the numbers of accounts."""
    said = (redact or Redactor({}))(text.strip())
    for match in list(matches("credential", said)):
        if HIDDEN not in match[0]:
            said = said.replace(match[0], match[0].replace(match["value"], HIDDEN))
    for number in list(accounts(said)):
        said = said.replace(number, mask(number))
    return said


def _luhn(digits: str) -> bool:
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def _is_identity(digits: str) -> bool:
    """Return True if 18 digits hold a day of birth, as those of a Chinese identity card do."""
    return re.fullmatch(r"\d{6}(?:19|20)\d{2}(?:0[1-9]|1[0-2])\d{5,6}", digits) is not None
