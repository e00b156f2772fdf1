"""Reads a language's tables and rules (assets/time/LANGUAGE.toml and .rules) into a grammar.

A row of rules is `name = parts -> meaning, key value, ...`: what the parts are called goes to the
meaning, a function of days, periods, clocks or whole; without a meaning the one named part is the
whole. `not after X`, `only before Y`: a guard, a named pattern of the tables that is looked for at
the rule's edge.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from text.time import clocks, days, periods, repeats, whole
from text.time.feasts import feast_of
from text.time.grammar import Action, Grammar, Place
from text.time.spans import NIGHT, two_digits
from text.values import numbers

_FOLDER = Path(__file__).parents[2] / "assets" / "time"
_GUARD = re.compile(r"(not|only) (after|before) (\w+)")
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_READERS: dict[str, Callable[[str], Any]] = {
    "text": lambda said: said,
    "int": int,
    "float": float,
    "cardinal": numbers.cardinal,
    "ordinal": numbers.ordinal,
    "spoken_year": numbers.spoken_year,
    "number": numbers.chinese_number,
    "weekday": lambda said: "一二三四五六日1234567天".index(said) % 7 if said != "天" else 6,
    "short_weekday": lambda said: ("mon", "tue", "wed", "thu", "fri", "sat", "sun").index(
        said.lower()
    ),
    "month": lambda said: _MONTHS.find(said[:3].lower()) // 3 + 1,
    "int_short": lambda said: two_digits(int(said[1:])),
    "minute_words": lambda said: numbers.cardinal(re.sub(r"^(?:oh|o|zero)[\s-]", "", said.lower())),
    "figure": lambda said: int(re.sub(r"\D", "", said)),
    "figures": lambda said: [int(each) for each in re.findall(r"\d+", said)],
}
_NUMBER_WORDS = {
    "CARDINAL": numbers.CARDINAL,
    "ORDINAL": numbers.ORDINAL,
    "SMALL": numbers.SMALL,
    "SPOKEN_YEAR": numbers.SPOKEN_YEAR,
    "CHINESE": numbers.CHINESE_DIGITS,
}


class Language:
    """The grammar of one language, and what stands around time expressions in it."""

    def __init__(self, name: str) -> None:
        tables = tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))
        self.guards = {
            guard: re.compile(_filled(pattern), re.IGNORECASE)
            for guard, pattern in tables["guards"].items()
        }
        self.starts = re.compile(tables["starts"], re.IGNORECASE)
        self.same = {ord(one): other for one, other in zip(*tables["same"], strict=True)}
        self.grammar = Grammar(tables["boundary"])
        self._read(tables)
        for row in (_FOLDER / f"{name}.rules").read_text("utf-8").splitlines():
            if row.strip() and not row.startswith("#"):
                self._rule(row)

    def plain(self, text: str) -> str:
        """Return the same text, character for character, in the characters that the tables have."""
        return text.translate(self.same)

    def _read(self, tables: dict[str, Any]) -> None:
        for name, words in tables["words"].items():
            self.grammar.words(name, _by_word(words))
        feasts = {
            word: feast_of(rule) for rule, words in tables["feasts"].items() for word in words
        }
        self.grammar.words("feast", feasts)
        self.grammar.words("feasts", {_plural(word): feast for word, feast in feasts.items()})
        for name, (pattern, reader) in tables["patterns"].items():
            self.grammar.pattern(name, _filled(pattern), _READERS[reader])

    def _rule(self, row: str) -> None:
        head, _, rest = row.partition(" -> ")
        name, _, parts = head.partition(" = ")
        meaning, *settings = [each.strip() for each in rest.split(",")]
        action: Callable[..., Any] = meaning_of(meaning) if meaning else _itself
        values: dict[str, Any] = {}
        guards: list[Callable[[Place], bool]] = []
        for setting in settings:
            if guard := _GUARD.fullmatch(setting):
                guards.append(partial(_holds, self.guards[guard[3]], guard[2], guard[1]))
            else:
                key, value = setting.split(maxsplit=1)
                values[key] = _value(value)
        self.grammar.rule(name.strip(), parts)(_guarded(action, values, guards))


def meaning_of(name: str) -> Callable[..., Any]:
    """Return the function of that name in one of the modules of meanings."""
    modules = (days, periods, clocks, whole, repeats)
    found: Callable[..., Any] = next(
        getattr(module, name) for module in modules if hasattr(module, name)
    )
    return found


def _filled(pattern: str) -> str:
    for name, words in _NUMBER_WORDS.items():
        pattern = pattern.replace(f"<{name}>", words)
    return pattern


def _by_word(words: Any) -> dict[str, Any]:
    """Return a table as word → meaning; it is written so, or as meaning → list of words."""
    found: dict[str, Any] = {}
    for key, value in words.items():
        if isinstance(value, list) and value and isinstance(value[0], str):
            meaning = int(key) if re.fullmatch(r"-?\d+", key) else key
            found |= dict.fromkeys(value, meaning)
        else:
            found[key] = value
    return found


def _value(said: str) -> Any:
    """Read the value of a setting: a number, "1 day", "night", or a word."""
    if said == "night":
        return NIGHT
    if length := re.fullmatch(r"(\d+) (\w+)", said):
        return [(int(length[1]), length[2])]
    return int(said) if re.fullmatch(r"-?\d+", said) else said


def _plural(word: str) -> str:
    return word + ("es" if word.endswith("s") else "s")


def _itself(_place: Place, **values: Any) -> Any:
    return next(iter(values.values()))


def _holds(pattern: re.Pattern[str], side: str, how: str, place: Place) -> bool:
    is_there = place.follows(pattern) if side == "after" else place.precedes(pattern)
    return is_there == (how == "only")


def _guarded(
    action: Callable[..., Any], values: dict[str, Any], guards: list[Callable[[Place], bool]]
) -> Action:
    def read(place: Place, **found: Any) -> Any:
        if all(guard(place) for guard in guards):
            return action(place, **values, **found)
        return None

    return read


@cache
def language(name: str) -> Language:
    """Return the language "en" or "zh"; read once."""
    return Language(name)
