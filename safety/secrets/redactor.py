"""Hide secrets in text: the values that the agent holds, in every spelling; keys known by their
looks; named values.

In this order: encodings.py and disguises.py, key_shapes.py, named_values.py. Patterns are compiled
when a text first needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from safety.secrets.disguises import hide_disguised
from safety.secrets.encodings import FEWEST, Held, fold, held
from safety.secrets.key_shapes import compiled, hide_keys
from safety.secrets.named_values import has_name, hide_commands, hide_named

HIDDEN = "[secret]"
_LONGEST_WAIT = 8_192  # characters that a stream holds back at most
_NEAR = 2_000
_BLOCK, _BLOCK_END = "-----BEGIN", "-----END [A-Z0-9 ]*-----"
# Stands for the next line: where it would be hidden, a secret goes on in it.
_TO_COME = "Vx7Probe92kQ"


@dataclass(slots=True)
class Redactor:
    """`Redactor({"OPENAI_API_KEY": "…"})(text)` gives the text with each such value replaced by
    `[OPENAI_API_KEY]`.

    Takes more than 5 MB a second. What cannot be hidden without taking half of every text with it
    (fewer than four characters; a word or a number of fewer than six) is left out.
    """

    values: Mapping[str, str]
    _held: list[Held] | None = field(init=False, repr=False, default=None)
    _shortest: int = field(init=False, repr=False, default=0)  # characters

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        if self.values:
            text = self._without_held(text)
        if len(text) < 8:
            return text
        return hide_commands(hide_named(hide_keys(text, HIDDEN), HIDDEN), HIDDEN)

    def hold(self, name: str, value: str) -> None:
        """Hide this value too from now on: a password that its owner has just typed."""
        self.values, self._held = {**self.values, name: value}, None

    def _without_held(self, text: str) -> str:
        known = self.held()
        if not known or len(text) < self._shortest:
            return text
        for each in known:
            if each.value in text and not each.is_short:
                text = text.replace(each.value, each.label)
        folded = fold(text)
        for each in known:
            text = each.hide(text, folded)
        return hide_disguised(text, [(e.value, e.label) for e in known if not e.is_short])

    def held(self) -> list[Held]:
        """Return the values with their spellings, the longest first: one may be a part of
        another."""
        if self._held is None:
            found = [
                each for name, value in self.values.items() for each in held(f"[{name}]", value)
            ]
            self._held = sorted(found, key=lambda each: -len(each.value))
            self._shortest = min((len(each.value) for each in found), default=0)
        return self._held

    def redact(self, data: Any, hide: Callable[[str], str] | None = None) -> Any:
        """Return JSON data of any depth below Python's own limit without secrets: in keys, values,
        and values by their key. `hide`: a memory of what this redactor makes of a text."""
        # Rows repeat their keys and most of their values: each text is looked at once.
        return self._redacted(data, hide or cache(self.__call__))

    def _redacted(self, data: Any, hide: Callable[[str], str]) -> Any:
        if isinstance(data, str):
            return hide(data)
        if isinstance(data, dict):
            return {
                self._redacted(name, hide): self._named(name, value, hide)
                for name, value in data.items()
            }
        if isinstance(data, (list, tuple)):
            return [self._redacted(item, hide) for item in data]
        return data

    def _named(self, name: Any, value: Any, hide: Callable[[str], str]) -> Any:
        if isinstance(name, str) and isinstance(value, str) and has_name(name):
            quote = "'" if '"' in value else '"'
            shown = hide_named(f"{quote}{name}{quote}: {quote}{value}{quote}", HIDDEN)
            if shown.endswith(f": {quote}{HIDDEN}{quote}"):
                return HIDDEN
        return self._redacted(value, hide)

    def stream(self) -> Stream:
        """Return a filter for a text that comes in pieces."""
        return Stream(self)


class Stream:
    """Hide secrets in a text that comes in pieces, also one that two pieces share.

    What could still become a secret waits: an unfinished word, what follows a name on its line, a
    key of many lines.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor, self._waiting = redactor, ""
        self._needles = [needle.folded for each in redactor.held() for needle in each.needles]

    def feed(self, piece: str) -> str:
        """Take the next piece and return what can be shown now."""
        self._waiting += piece
        cut = self._cut()
        if len(self._waiting) - cut > _LONGEST_WAIT:
            # A long line: all of it is looked at, its end again with what follows.
            self._waiting = self._redactor(self._waiting)
            cut = max(0, len(self._waiting) - _LONGEST_WAIT // 2)
        while cut > 0 and not self._is_apart(cut):
            cut = _word_start(self._waiting[: cut - 1])
        return self._shown(cut)

    def _shown(self, cut: int) -> str:
        ready, self._waiting = self._redactor(self._waiting[:cut]), self._waiting[cut:]
        return ready

    def _is_apart(self, cut: int) -> bool:
        """Return True if both sides of the cut hide the same as the whole does; a look at what is
        near is enough."""
        before, behind = self._waiting[max(0, cut - _NEAR) : cut], self._waiting[cut:]
        return self._redactor(before) + self._redactor(behind) == self._redactor(before + behind)

    def settle(self) -> str:
        """Return the lines that are whole, unless a secret plainly goes on in the next one.

        The source is silent, so that somebody may be waiting for its last lines.
        """
        cut = self._waiting.rfind("\n") + 1
        if not self._goes_on(self._waiting[:cut]) and self._is_apart(cut):
            return self._shown(cut)
        return ""

    def _goes_on(self, lines: str) -> bool:
        near = lines[-_NEAR:]
        if _BLOCK in lines or self._open_letters(near) >= FEWEST:
            return True
        return not self._redactor(near + _TO_COME).endswith(_TO_COME)

    def _open_letters(self, text: str) -> int:
        """Count the letters of a value that we hold at the end of a text where it is not all of
        it."""
        tail = fold(text)
        unfinished = (needle for needle in self._needles if not tail.endswith(needle))
        return max((_overlap(tail, needle) for needle in unfinished), default=0)

    def close(self) -> str:
        """Return what still waited."""
        return self._shown(len(self._waiting))

    def _cut(self) -> int:
        """Return how much of what waits is complete."""
        text = self._waiting
        return min(_named_start(text), _block_start(text), self._held_start(text))

    def _held_start(self, text: str) -> int:
        """Return where a spelling of a value that we hold may begin that goes on behind the end."""
        letters = self._open_letters(text[-_LONGEST_WAIT:]) if self._needles else 0
        if not letters:
            return len(text)
        start = len(text) - letters
        while start > 0 and len(fold(text[start:])) < letters:
            start -= 1
        return _word_start(text[:start])


def _word_start(text: str) -> int:
    """Return where the last word begins, which may be unfinished."""
    return max(map(text.rfind, " \n\t")) + 1


def _named_start(text: str) -> int:
    """Return the start of the last word, or of the line with a name or an address, or of a name's
    line before it."""
    cut = _word_start(text)
    line = text.rfind("\n", 0, cut) + 1
    has_address = "://" in text[line:]
    if has_address or has_name(text[line:]):
        cut = line
    previous = text.rfind("\n", 0, max(0, line - 1)) + 1
    value_may_follow = cut == line and has_name(text[previous:line])
    return previous if value_may_follow else cut


def _block_start(text: str) -> int:
    """Return where a key of many lines begins that has not ended."""
    before, begun, key = text.rpartition(_BLOCK)
    is_open = begun and not compiled(_BLOCK_END).search(key)
    return len(before) if is_open else len(text)


def _overlap(tail: bytes, needle: bytes) -> int:
    """Return how many letters at the end of `tail` are the beginning of `needle`."""
    end, last = len(needle), tail[-1:]
    while last and (end := needle.rfind(last, 0, end)) >= 0:
        if tail.endswith(needle[: end + 1]):
            return end + 1
    return 0
