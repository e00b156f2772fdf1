"""Numbers and lengths of time in English."""

from __future__ import annotations

from text.time.english.words import UNITS, rule
from text.time.grammar import Place
from text.time.spans import Quantity


@rule("number", "decimal", "digits", "cardinal")
def _number(_place: Place, value: float) -> float:
    return value


@rule("amount", "number 'and a half'", "number 'and half'")
def _and_a_half(_place: Place, value: float) -> float:
    return value + 0.5


@rule("amount", "number", "amount_word", "'the'? amount_word")
def _amount(_place: Place, value: float) -> float:
    return value


@rule("quantity", "'a|an|one' unit 'or two|or so'")
def _one_or_two(place: Place, unit: str) -> Quantity:
    return [(2 if place.said.lower().endswith("two") else 1, unit)]


@rule("amount", "number 'or|to|-' number")
def _two_or_three(place: Place, low: float, high: float) -> float | None:
    return high if low < high <= low + 5 and low + high < 60 else None


@rule("quantity", "amount unit 'and a half'")
def _unit_and_a_half(_place: Place, amount: float, unit: str) -> Quantity:
    return [(amount + 0.5, unit)]


@rule(
    "quantity",
    "amount 'more|full|whole|business|working|calendar|long|short|-'? unit 'and|,'? quantity",
)
def _quantities(_place: Place, amount: float, unit: str, more: Quantity) -> Quantity | None:
    order = list(dict.fromkeys(UNITS.values()))
    if order.index(more[0][1]) >= order.index(unit):
        return None
    return [(amount, unit), *more]


@rule("quantity", "amount 'more|full|whole|business|working|calendar|long|short|-'? unit")
def _quantity(place: Place, amount: float, unit: str) -> Quantity | None:
    return [(amount, unit)]
