"""Words and stems: the tokens that keywords are looked up by, for what is kept and for what is asked.

English words with their stems; pairs of characters for scripts without spaces.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text.words.english import SMALL, words_of
    from text.words.tokens import asked, cut

__all__ = ["SMALL", "asked", "cut", "words_of"]
_HOME = {"asked": "tokens", "cut": "tokens", "SMALL": "english", "words_of": "english"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"text.words has no {name}")
    return getattr(import_module(f"text.words.{_HOME[name]}"), name)
