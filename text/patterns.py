"""Regular expressions that are compiled when they are first used: hundreds stand in modules, a run
needs a few."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Pattern:
    """Stands for the compiled expression until one of its methods is asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._text, self._flags)
        for method in (
            "search",
            "match",
            "fullmatch",
            "finditer",
            "findall",
            "sub",
            "split",
            "pattern",
            "flags",
        ):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return it as `re.compile`, but an expression that is wrong is found when it is used."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


def names(text: str) -> frozenset[str]:
    """Return the names in a text, with blanks between them."""
    return frozenset(text.split())
