"""Values in a text: paths, globs, quoted texts, numbers with units, dates, addresses, ids; each with its place.

One reader and one table of number words for routing, memory and schedules (docs/text.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text.values.numbers import cardinal, chinese_number, ordinal, spoken_year
    from text.values.reader import Value, values_in

__all__ = ["Value", "cardinal", "chinese_number", "ordinal", "spoken_year", "values_in"]
_HOME = {"Value": "reader", "values_in": "reader"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"text.values has no {name}")
    return getattr(import_module(f"text.values.{_HOME.get(name, 'numbers')}"), name)
