"""The syntax tree of a script by tree-sitter's grammar of bash, within bounds of time and text."""

from __future__ import annotations

import functools
import re
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

SHORT = 1_000  # bytes: so little takes the grammar no longer than a few milliseconds
SECONDS_A_BYTE = 1e-6  # scripts take a quarter of it; other text can take the square of its length


_BEYOND_ASCII = re.compile(rb"[^\x00-\x7f]")


def tree_of(text: bytes) -> Tree | None:
    """Return the syntax tree, or None when the grammar takes too long.

    The grammar's scanner asks C's `isalpha` about each character, whose table ends at 255: what
    lies beyond reads memory of others, and ended a process. To bash such a character is a letter of
    a word and never one of a name, as a dot is, so dots stand for its bytes; places stay the same.
    """
    from tree_sitter import Parser

    text = _BEYOND_ASCII.sub(b".", text)
    parser = Parser(_language())
    if len(text) <= SHORT:
        return parser.parse(text)
    end = time.thread_time() + SECONDS_A_BYTE * len(text)
    try:
        return parser.parse(
            lambda at, _: text[at:], progress_callback=lambda _, __: time.thread_time() > end
        )
    except ValueError:
        return None


@functools.cache
def _language() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())
