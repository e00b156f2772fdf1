"""A small grammar over text: words, rules made of them, and every reading of a rule at a place,
each read once.

A rule's pattern names its parts, separated by spaces: a name is a word or another rule, `'a|b'` is
one of these texts, and a `?` behind a part lets it be absent. The action of a rule gets the place
and what its named parts mean (None for an absent one), and gives what the whole means; None,
ValueError and OverflowError say that it means nothing (February 30). No rule begins with itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

# a quote before a letter is an apostrophe
_PART = re.compile(r"('((?:[^']|'(?=\w))+)'|(?:([a-z_]+):)?([a-z_]+))(\?)?")
Readings = dict[int, Any]  # where a reading ends → what it means
Action = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rule applies: `text[begin:end]`, read at `now`; `now` is whatever the reader was
    given."""

    text: str
    begin: int
    end: int
    now: Any

    @property
    def said(self) -> str:
        """Return the text that the rule covers."""
        return self.text[self.begin : self.end]

    def follows(self, pattern: re.Pattern[str]) -> bool:
        """Return True when what stands before, 48 characters of it, ends with the pattern; the
        pattern brings its own `$`."""
        return pattern.search(self.text[max(0, self.begin - 48) : self.begin]) is not None

    def precedes(self, pattern: re.Pattern[str]) -> bool:
        """Return True when the pattern matches right behind the rule."""
        return pattern.match(self.text, self.end) is not None


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a rule's pattern. A literal has a pattern, and says nothing to the action."""

    name: str
    alias: str  # what the action calls it
    literal: re.Pattern[str] | None
    optional: bool


class Grammar:
    """The words and rules of one language. `boundary` is what must stand behind a word, as a
    lookahead."""

    def __init__(self, boundary: str) -> None:
        self._boundary = boundary
        self._words: dict[str, tuple[re.Pattern[str], Callable[[str], Any]]] = {}
        self._rules: dict[str, list[tuple[tuple[Part, ...], Action]]] = {}
        self._openings: dict[str, re.Pattern[str]] = {}
        self._plan: Plan | None = None

    def words(self, name: str, meanings: dict[str, Any]) -> None:
        """Add a word that is one of these, the longest first. Blanks in a word match any white
        space."""
        known = {re.sub(r"\s+", " ", word.lower()): meaning for word, meaning in meanings.items()}
        self._words[name] = (
            self._any_of(known),
            lambda said: known[re.sub(r"\s+", " ", said.lower())],
        )

    def pattern(
        self, name: str, pattern: str, meaning: Callable[[str], Any] = lambda said: said
    ) -> None:
        """Add a word of this form."""
        self._words[name] = (re.compile(pattern, re.IGNORECASE), meaning)

    def rule(self, name: str, *patterns: str) -> Callable[[Action], Action]:
        """Make a function the action of these patterns. Of two rules for the same stretch the
        earlier one holds."""

        def add(action: Action) -> Action:
            for pattern in patterns:
                self._rules.setdefault(name, []).append((tuple(self._parts(pattern)), action))
            return action

        return add

    def _any_of(self, words: Iterable[str]) -> re.Pattern[str]:
        longest_first = sorted(words, key=len, reverse=True)
        choices = "|".join(
            re.escape(word).replace(r"\ ", r"\s+") + (self._boundary if word[-1].isalnum() else "")
            for word in longest_first
        )
        return re.compile(f"(?:{choices})", re.IGNORECASE)

    def _parts(self, pattern: str) -> Iterable[Part]:
        for _, quoted, alias, name, mark in _PART.findall(pattern):
            literal = self._any_of(quoted.split("|")) if quoted else None
            yield Part(name, alias or name, literal, mark == "?")

    def reader(self, text: str, now: Any) -> Reader:
        """Read this text."""
        if self._plan is None:
            self._plan = self._planned()
        return Reader(self._plan, text, now)

    def openings(self, name: str) -> re.Pattern[str]:
        """Return what a rule can begin with; a place where this does not match need not be read.
        Compiled once."""
        if name not in self._openings:
            plan = self._plan = self._plan or self._planned()
            bits = plan.beginnings[name]
            some = [each for at, each in enumerate(plan.patterns) if bits >> at & 1]
            text = "|".join(f"(?:{each.pattern})" for each in some)
            self._openings[name] = re.compile(text, re.IGNORECASE)
        return self._openings[name]

    def _planned(self) -> Plan:
        """Return what can begin what, so that of some 300 ways to read a place only those are tried
        that can be one."""
        bits: dict[str, int] = {}
        patterns: list[re.Pattern[str]] = []
        names: dict[str, int] = {}

        def bit(pattern: re.Pattern[str]) -> int:
            if pattern.pattern not in bits:
                bits[pattern.pattern] = 1 << len(patterns)
                patterns.append(pattern)
            return bits[pattern.pattern]

        def beginnings(name: str) -> int:
            if name not in names:
                is_word = name in self._words
                names[name] = bit(self._words[name][0]) if is_word else 0
                for parts, _ in () if is_word else self._rules[name]:
                    names[name] |= of_parts(parts)
            return names[name]

        def of_parts(parts: tuple[Part, ...]) -> int:
            found = 0
            for part in parts:
                found |= bit(part.literal) if part.literal else beginnings(part.name)
                if not part.optional:
                    break
            return found

        rules = {
            name: [(of_parts(parts), parts, action) for parts, action in ways]
            for name, ways in self._rules.items()
        }
        for name in self._rules:
            beginnings(name)
        return Plan(self._words, rules, patterns, names)


@dataclass(frozen=True, slots=True)
class Plan:
    """A grammar as a reader wants it. With each way to read a rule stands what it can begin with:
    bit n is `patterns[n]`."""

    words: dict[str, tuple[re.Pattern[str], Callable[[str], Any]]]
    rules: dict[str, list[tuple[int, tuple[Part, ...], Action]]]
    patterns: list[re.Pattern[str]]
    beginnings: dict[str, int]  # of each rule


class Reader:
    """Reads one text by a grammar; what was read once at a place is not read again."""

    def __init__(self, plan: Plan, text: str, now: Any) -> None:
        self._words, self._rules, self._patterns = plan.words, plan.rules, plan.patterns
        self._text = text
        self._now = now
        self._known: dict[tuple[str, int], Readings] = {}
        self._begins: dict[int, int] = {}

    @property
    def effort(self) -> int:
        """Return how much was read so far: words and rules, each once a place."""
        return len(self._known)

    def readings(self, name: str, begin: int) -> Readings:
        """Return all readings of a word or rule from here."""
        key = (name, begin)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = (
                self._word(name, begin) if name in self._words else self._rule(name, begin)
            )
        return known

    def _word(self, name: str, begin: int) -> Readings:
        pattern, meaning = self._words[name]
        found = pattern.match(self._text, begin)
        if not found or found.end() == begin:
            return {}
        value = meaning(found[0])
        return {} if value is None else {found.end(): value}

    def _rule(self, name: str, begin: int) -> Readings:
        found: Readings = {}
        here = self._here(begin)
        for beginnings, parts, action in self._rules[name]:
            if not beginnings & here:
                continue
            for end, values in self._sequences(parts, begin):
                if end in found or end == begin:
                    continue
                try:
                    meaning = action(Place(self._text, begin, end, self._now), **values)
                except (ValueError, OverflowError):  # there is no such day
                    continue
                if meaning is not None:
                    found[end] = meaning
        return found

    def _here(self, at: int) -> int:
        """Return which of the patterns match here."""
        found = self._begins.get(at)
        if found is None:
            found = 0
            for number, pattern in enumerate(self._patterns):
                if pattern.match(self._text, at):
                    found |= 1 << number
            self._begins[at] = found
        return found

    def _sequences(self, parts: tuple[Part, ...], begin: int) -> list[tuple[int, dict[str, Any]]]:
        """Return every way to read the parts one after the other: where it ends, and the meanings;
        the fullest way first."""
        ways: list[tuple[int, dict[str, Any]]] = [(begin, {})]
        for part in parts:
            further: list[tuple[int, dict[str, Any]]] = []
            for at, values in ways:
                further.extend(self._part(part, self._next(at, begin), values))
                if part.optional:
                    further.append((at, values))
            if not further:
                return []
            ways = further
        return ways

    def _part(
        self, part: Part, at: int, values: dict[str, Any]
    ) -> list[tuple[int, dict[str, Any]]]:
        if part.literal:
            found = part.literal.match(self._text, at)
            return [(found.end(), values)] if found else []
        readings = self.readings(part.name, at)
        return [(end, {**values, part.alias: meaning}) for end, meaning in readings.items()]

    def _next(self, at: int, begin: int) -> int:
        while at > begin and at < len(self._text) and self._text[at] in " \t\n\r\u3000":
            at += 1
        return at
