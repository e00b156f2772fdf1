"""Numbers and lengths of time in Chinese."""

from __future__ import annotations

import re

from text.time.chinese.words import pattern, rule, words
from text.time.grammar import Place
from text.time.spans import Quantity
from text.values import chinese_number as number


@rule("amount", "'几|数|好几'")
def _some(_place: Place) -> float:
    return 3


pattern(
    "about_two", "[一二两三四五六七八][二两三四五六七八九](?![十百千])", lambda said: _upper(said)
)
words(
    "about_ten",
    {
        "十几": 15,
        "十来": 10,
        "十多": 12,
        "二十多": 22,
        "三十多": 32,
        "几十": 30,
        "几百": 300,
        "好几": 4,
    },
)


def _upper(said: str) -> int | None:
    """ "两三": two or three, the larger; other pairs of digits are a number."""
    low, high = number(said[0]), number(said[1])
    return high if low is not None and high is not None and high == low + 1 else None


@rule("amount", "about_two", "about_ten")
def _about(_place: Place, value: int) -> float:
    return value


@rule("amount", "number")
def _amount(_place: Place, value: int) -> float:
    return value


@rule("amount", "'半'")
def _half(_place: Place) -> float:
    return 0.5


@rule("one_quantity", "amount '个'? '多'? unit")
def _quantity(place: Place, amount: float, unit: str) -> Quantity | None:
    if unit == "week" and place.precedes(re.compile("[一二三四五六日天末](?!次)")):
        return None
    if unit == "weekend" or (unit == "day" and place.said.endswith(("夜", "晚上"))):
        return None
    if place.said[0] == "半" and unit in ("day", "week"):
        return [(amount, unit)] if unit == "day" else None
    return [(amount, unit)]


@rule("one_quantity", "amount '个' '多'? '月'", "amount '多'? '个' '多'? '月'")
def _months(_place: Place, amount: float) -> Quantity:
    return [(amount, "month")]


@rule("one_quantity", "'两' '月'")
def _two_months(_place: Place) -> Quantity:
    return [(2, "month")]


@rule("one_quantity", "number '个' '半' '月'")
def _months_and_a_half(_place: Place, amount: float) -> Quantity:
    return [(amount + 0.5, "month")]


@rule("one_quantity", "number '个'? '半' unit", "number '个'? unit '半'")
def _and_a_half(_place: Place, amount: float, unit: str) -> Quantity:
    return [(amount + 0.5, unit)]


@rule("one_quantity", "amount '刻钟'", "amount '个'? '世纪'")
def _quarters(place: Place, amount: float) -> Quantity:
    return [(amount * 15, "minute")] if place.said.endswith("钟") else [(amount * 100, "year")]


@rule("quantity", "one_quantity '又|零|加|和'? one_quantity", "one_quantity")
def _quantities(_place: Place, first: Quantity, more: Quantity | None = None) -> Quantity | None:
    order = ["second", "minute", "hour", "day", "week", "month", "quarter", "year", "century"]
    if more and order.index(more[0][1]) >= order.index(first[0][1]):
        return None
    return first + (more or [])
