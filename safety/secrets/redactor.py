"""Hides secrets in text: the values that the agent holds, in every spelling; keys known by their looks; named values.

In this order: spellings.py, key_shapes.py, named_values.py. Patterns are compiled when a text first needs them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from safety.secrets.disguises import hide_disguised
from safety.secrets.encodings import FEWEST, Held, fold, held
from safety.secrets.key_shapes import hide_keys
from safety.secrets.named_values import MOST, has_name, hide_commands, hide_named

HIDDEN = "[secret]"
_LONGEST_WAIT = 8_192  # characters that a stream holds back at most
_NEAR = 2_000
_BLOCK = "-----BEGIN"
_TO_COME = (
    "Vx7Probe92kQ"  # stands for the next line: where it would be hidden, a secret goes on in it
)


@dataclass(slots=True)
class Redactor:
    """`Redactor({"OPENAI_API_KEY": "…"})(text)` gives the text with each such value replaced by `[OPENAI_API_KEY]`.

    Takes more than 5 MB a second. What cannot be hidden without taking half of every text with it (fewer than four
    characters; a word or a number of fewer than six) is left out.
    """

    values: Mapping[str, str]
    _held: list[Held] | None = field(init=False, repr=False, default=None)
    _shortest: int = field(
        init=False, repr=False, default=0
    )  # letters of the shortest spelling, folded

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if self.values:
            text = self._without_held(text)
        if len(text) < 8:
            return text
        return hide_commands(hide_named(hide_keys(text, HIDDEN), HIDDEN), HIDDEN)

    def hold(self, name: str, value: str) -> None:
        """Hides this value too from now on: a password that its owner has just typed."""
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
        """The values with their spellings, the longest first: one may be a part of another."""
        if self._held is None:
            found = [
                each for name, value in self.values.items() for each in held(f"[{name}]", value)
            ]
            self._held = sorted(found, key=lambda each: -len(each.value))
            self._shortest = min((len(each.value) for each in found), default=0)
        return self._held

    def redact(self, data: Any) -> Any:
        """The same for JSON data of any depth below Python's own limit: keys, values, and values by their key."""
        if isinstance(data, str):
            return self(data)
        if isinstance(data, dict):
            return {
                self(name) if isinstance(name, str) else name: self._named(name, value)
                for name, value in data.items()
            }
        if isinstance(data, (list, tuple)):
            return [self.redact(item) for item in data]
        return data

    def _named(self, name: Any, value: Any) -> Any:
        if (
            isinstance(value, str)
            and isinstance(name, str)
            and has_name(name)
            and 4 <= len(value) <= MOST
        ):
            quote = "'" if '"' in value else '"'
            if "\n" not in value and hide_named(
                f"{quote}{name}{quote}: {quote}{value}{quote}", HIDDEN
            ).endswith(f": {quote}{HIDDEN}{quote}"):
                return HIDDEN
        return self.redact(value)

    def stream(self) -> Stream:
        """A filter for a text that comes in pieces."""
        return Stream(self)


class Stream:
    """Hides secrets in a text that comes in pieces, also one that two pieces share.

    What could still become a secret waits: an unfinished word, what follows a name on its line, a key of many lines.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor, self._waiting = redactor, ""
        self._needles = [needle.folded for each in redactor.held() for needle in each.needles]

    def feed(self, piece: str) -> str:
        """The next piece; returns what can be shown now."""
        self._waiting += piece
        cut = self._cut()
        while cut > 0 and not self._is_apart(
            cut
        ):  # what stands on both sides of the cut is one secret
            cut = max(self._waiting.rfind(space, 0, cut - 1) for space in " \n\t") + 1
        if cut <= 0:
            return ""
        ready, self._waiting = self._redactor(self._waiting[:cut]), self._waiting[cut:]
        return ready

    def _is_apart(self, cut: int) -> bool:
        """Return True if both sides of the cut hide the same as the whole does; a look at what is near is enough."""
        before, behind = self._waiting[max(0, cut - _NEAR) : cut], self._waiting[cut:]
        return self._redactor(before) + self._redactor(behind) == self._redactor(before + behind)

    def settle(self) -> str:
        """The source is silent, so that somebody may be waiting for its last lines: those that are whole, unless a secret
        plainly goes on in the next one."""
        cut = self._waiting.rfind("\n") + 1
        lines = self._waiting[:cut]
        goes_on = _BLOCK in lines or not self._redactor(lines[-_NEAR:] + _TO_COME).endswith(
            _TO_COME
        )
        if (
            not cut
            or goes_on
            or self._open_letters(fold(lines[-_NEAR:])) >= FEWEST
            or not self._is_apart(cut)
        ):
            return ""
        self._waiting = self._waiting[cut:]
        return self._redactor(lines)

    def _open_letters(self, tail: bytes) -> int:
        """How many letters of a value that we hold stand at the end, where it is not all of it."""
        return max(
            (_overlap(tail, needle[:-1]) for needle in self._needles if not tail.endswith(needle)),
            default=0,
        )

    def close(self) -> str:
        """Tell what still waited."""
        rest, self._waiting = self._redactor(self._waiting), ""
        return rest

    def _cut(self) -> int:
        """How much of what waits is complete."""
        text = self._waiting
        cut = max(text.rfind(" "), text.rfind("\n"), text.rfind("\t")) + 1
        line = text.rfind("\n", 0, cut) + 1
        if has_name(text[line:]) or "://" in text[line:]:
            cut = line
        previous = text.rfind("\n", 0, max(0, line - 1)) + 1
        if cut == line and has_name(text[previous:line]):  # the value may come on the next line
            cut = previous
        begun = text.rfind(_BLOCK)
        ended = re.search("-----END [A-Z0-9 ]*-----", text[begun:]) if begun >= 0 else None
        if begun >= 0 and (ended is None or begun + ended.end() > cut):
            cut = min(cut, begun)
        cut = self._before_held(text, cut)
        if (
            len(text) - cut > _LONGEST_WAIT
        ):  # a long line: all of it is looked at, its end again with what follows
            self._waiting = self._redactor(text)
            cut = max(0, len(self._waiting) - _LONGEST_WAIT // 2)
        return cut

    def _before_held(self, text: str, cut: int) -> int:
        """`cut`, or where a spelling of a value that we hold may begin before it and go on behind the end."""
        needles, most = self._needles, max(map(len, self._needles), default=0)
        if not most:
            return cut
        start = len(text)
        while start > 0 and len(fold(text[start:])) < most and len(text) - start < _LONGEST_WAIT:
            start = max(0, start - 64)
        tail = fold(text[start:])
        open_letters = max((_overlap(tail, needle) for needle in needles), default=0)
        while cut > start and open_letters and len(fold(text[cut:])) < open_letters:
            cut -= 1
        while (
            cut > 0
            and open_letters
            and not text[cut - 1].isspace()
            and len(text) - cut < _LONGEST_WAIT
        ):
            cut -= 1  # an escape, and what stands before the first letter, belongs to it
        return cut


def _overlap(tail: bytes, needle: bytes) -> int:
    """How many letters at the end of `tail` are the beginning of `needle`, or all of it: a bracket may be to come."""
    return next(
        (
            size
            for size in range(min(len(tail), len(needle)), 0, -1)
            if tail.endswith(needle[:size])
        ),
        0,
    )
