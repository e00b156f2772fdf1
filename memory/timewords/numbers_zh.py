"""Number words in Chinese: 二十三, 两千零五, 二〇二四, 廿三."""

from __future__ import annotations

DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
    "○": 0,
}
TENS = {"十": 10, "百": 100, "千": 1000}
SCORES = {"廿": 20, "卅": 30}
CHARACTERS = "".join((*DIGITS, *TENS, *SCORES))


def number(said: str) -> int | None:
    """What a number in Chinese or Arabic digits says; None when the characters make none."""
    if said.isdigit():
        return int(said)
    if len(said) > 1 and all(character in DIGITS for character in said):
        return int("".join(str(DIGITS[character]) for character in said))
    total = digit = 0
    for character in said:
        if character in DIGITS:
            digit = DIGITS[character]
        elif character in SCORES:
            total += SCORES[character]
        elif character in TENS:
            total, digit = total + max(digit, 1) * TENS[character], 0
        else:
            return None
    return total + digit
