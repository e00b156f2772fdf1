"""Find what the owner says that should be written down at once: instructions, preferences,
decisions, lessons.

No model is asked. A sentence counts when it *begins* as such a thing is said (rows of
assets/memory/remember.toml, English and Chinese), so that a task which only mentions one does not.
What stands in quotes, in code, or behind the colon of a task is somebody else's words; a question
is none of these. Source: seed 000 stage 4.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from text import pattern

Kind = Literal["instruction", "preference", "decision", "lesson", "todo", "event"]
MAX_CHARS = 20_000  # of a request; what stands behind is pasted
MAX_SENTENCES = 60
IMPORTANCE = {"instruction": 9, "preference": 8, "decision": 8, "lesson": 8, "todo": 7, "event": 6}
USUAL, LEAST = 5, 2
MAX_TRIVIAL_CHARS = 60
_FILE = Path(__file__).parents[2] / "assets" / "memory" / "remember.toml"
_OUTER = pattern(r"[ \t\r\n\-*•]*(.*?)\s*", re.DOTALL)
# none of a time, an address, a path
_COLON = pattern(r"：|:(?=\s|\x01|$)|(?<!\w{12}):(?=[^\d\s/\\])")


class Remembered(NamedTuple):
    """One thing to write down: its kind, the words as said (secrets hidden) without "remember
    that", whether the request is nothing else."""

    kind: Kind
    text: str
    is_whole: bool


class _Found(NamedTuple):
    kind: Kind
    start: int
    end: int


class _Rule(NamedTuple):
    kind: Kind
    begins: re.Pattern[str]
    unless: re.Pattern[str]
    alone: bool

    def fits(self, said: str) -> bool:
        return self.begins.match(said) is not None and not self.unless.search(said)


def importance(text: str, who: str) -> int:
    """Return how important something said is, 1 to 10: what the owner wants kept most, thanks and
    greetings least."""
    kinds = {each.kind for each in find(text)} if who == "owner" else set()
    if kinds:
        return max(IMPORTANCE[kind] for kind in kinds)
    is_short = len(text) <= MAX_TRIVIAL_CHARS
    return LEAST if is_short and _pattern("trivial").fullmatch(text) else USUAL


def find(text: str, redact: Callable[[str], str] | None = None) -> list[Remembered]:
    """Return what a request says that should be written down at once; nothing for most.

    `redact` hides what the run knows to be secret (default: what looks it).
    """
    text = text[:MAX_CHARS]
    if not _pattern("hint").search(text):
        return []
    from memory.facts.personal import hidden
    from memory.wording import told

    masked = _pattern("quoted").sub(lambda match: "\x01" * len(match[0]), text)
    found, has_task = _all(masked)
    return [
        Remembered(each.kind, hidden(told(text[each.start : each.end]), redact), not has_task)
        for each in found
    ]


def _all(text: str) -> tuple[list[_Found], bool]:
    """Return what a text says, and whether a task stands in it too."""
    if end := _pointed_at(text):
        return [_Found("instruction", 0, end)], False
    found: list[_Found] = []
    has_task = False
    for start, sentence in _sentences(text):
        if _pattern("trivial").fullmatch(sentence):
            continue
        has_colon = _COLON.search(sentence) is not None
        kind = _kind(sentence, has_task)
        if kind is None:
            has_task = True
            found += _later(sentence, start)
        else:
            takes_rest = has_colon and kind in ("instruction", "todo")
            end = len(text) if takes_rest else start + len(sentence)
            found.append(_Found(kind, start, end))
        if has_colon and kind in (None, "instruction", "todo"):
            break  # what follows is what the sentence is about
    return found, has_task


def _pointed_at(text: str) -> int:
    """Return where one statement ends that words behind it ask to keep; 0 where there is none."""
    pointing = _pattern("points_back").search(text)
    said = text[: pointing.start()] if pointing else ""
    if len(list(_sentences(said))) != 1 or _pattern("carries").match(said):
        return 0
    return len(said) if _pattern("tells").search(said) else 0


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence with its place; its outer space is left out."""
    for count, match in enumerate(_sentence().finditer(text)):
        inner = _OUTER.fullmatch(match[0])
        if count == MAX_SENTENCES or inner is None:
            return
        if inner[1]:
            yield match.start() + inner.start(1), inner[1]


def _kind(sentence: str, has_task: bool) -> Kind | None:
    """Return what a sentence is by the way it begins. `has_task`: a task was said before."""
    said = _pattern("filler").sub("", sentence, count=1)
    if _is_asked(sentence, said):
        return None
    rules = (rule for rule in _rules() if not (rule.alone and has_task))
    return next((rule.kind for rule in rules if rule.fits(said)), None)


def _is_asked(sentence: str, said: str) -> bool:
    """Return True for a question, but for "can you remember that …"."""
    if _pattern("question").search(sentence) and not _pattern("asks_to_keep").match(said):
        return True
    return _pattern("asks").match(said) is not None and not _pattern("can_you_ask").match(said)


def _later(sentence: str, start: int) -> Iterator[_Found]:
    """Yield what is said behind the first clause of a task: ", and remember that …"."""
    if _pattern("carries").match(sentence) or _pattern("question").search(sentence):
        return
    if match := _pattern("later").search(sentence):
        yield _Found("instruction", start + match.end(), start + len(sentence))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text("utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(
        _table()[name],
        re.IGNORECASE | re.DOTALL | re.MULTILINE if name == "quoted" else re.IGNORECASE,
    )


@cache
def _sentence() -> re.Pattern[str]:
    """Return the pattern of a sentence end: a dot behind a title or a short form is none."""
    inside = rf"(?:{_table()['short']}|[^.!?。！？\n]|[.!?](?!\s|$))+"
    return re.compile(inside + r"(?:[.!?]+(?=\s|$)|[。！？]+|(?=\n)|\Z)")


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(_rule(row) for row in _table()["rows"]["said"])


def _rule(row: dict[str, Any]) -> _Rule:
    begins, unless = row["begins"], row.get("unless", r"(?!)")
    for name, said in _table()["parts"].items():
        begins, unless = begins.replace(f"<{name}>", said), unless.replace(f"<{name}>", said)
    flags = re.IGNORECASE
    return _Rule(
        row["kind"], re.compile(begins, flags), re.compile(unless, flags), row.get("alone", False)
    )
