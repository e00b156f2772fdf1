"""Decide which older memory a newer one replaces: it says the contrary, names what it gives up, or
another value.

Rows alone (assets/memory/wording.toml), and only where there can be little doubt: what is not found
stays, and a model may find more. Source: seed 000 "Background tasks" (clean out what is outdated or
in conflict).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial

from memory.wording.tokens import pattern_of, replaces, table, words

_LIVES = (("moved to", "live in"), ("moved to", "live at"), ("搬到", "住在"))
LONGEST_CHARS = 600  # the rows take time that grows with the square of it
_row = partial(pattern_of, "supersedes")


def supersedes(new: str, old: str) -> bool:
    """Return True if a newer sentence takes the place of an older one. A long text is no
    sentence."""
    if max(len(new), len(old)) > LONGEST_CHARS:
        return False
    if _taste(new) is None and replaces(new, old):  # one may like both room 12 and room 14
        return True
    if any(_says_the_contrary(part, old) for part in (new, *_row("break").split(new))):
        return True
    rules = (_has_another_value, _is_in_another_language, _gives_it_up)
    return any(rule(new, old) for rule in rules)


def _says_the_contrary(new: str, old: str) -> bool:
    ours = _taste(new)
    if ours is None or not ours[1]:
        return False
    contrary = (not ours[0], ours[1])
    if _taste(old) == contrary:
        return True
    if ours[0] or _row("when").search(new):
        return False
    # "I drink no coffee any more" after "I prefer coffee in the morning"
    return _taste(_row("when").sub(" ", old)) == contrary


def _taste(text: str) -> tuple[bool, frozenset[str]] | None:
    """Return True if a sentence likes or not, and the words of what."""
    for is_liked, name in ((False, "dislikes"), (True, "likes")):
        if _row(name).search(text):
            rest = _row("idle").sub(" ", _row(name).sub(" ", text))
            return is_liked, frozenset(words(rest))
    return None


def _has_another_value(new: str, old: str) -> bool:
    """Return True where both say the same of something, but for the value."""
    if any(_differ(pattern, new, old) for pattern in _list("values")):
        return True
    if not _row("changed").search(new):
        return False
    plain = [_row("idle").sub("", text) for text in (new, old)]
    return any(_differ(pattern, *plain) for pattern in _list("changed_values"))


def _differ(pattern: re.Pattern[str], new: str, old: str) -> bool:
    ours, theirs = pattern.search(new), pattern.search(old)
    if ours is None or theirs is None:
        return False
    is_same = _head(theirs["same"]) in _heads(_head(ours["same"]))
    return is_same and _tail(ours["value"]) != _tail(theirs["value"])


def _head(said: str) -> str:
    """Return what something is said of."""
    return re.sub(r"now |现在|了$", "", _tail(said)).replace("搬去", "搬到")


def _heads(said: str) -> Iterator[str]:
    """Yield what says the same of somebody: who moved to a place lives there."""
    yield said
    for moved, lives in _LIVES:
        yield said.replace(moved, lives)


def _tail(said: str) -> str:
    return said.casefold().strip().rstrip(".。!！")


def _is_in_another_language(new: str, old: str) -> bool:
    """Return True for "Always answer in English" after "always answer in German"."""
    names = _row("languages")
    ours, theirs = names.findall(new.casefold()), names.findall(old.casefold())
    if [len(ours), len(theirs)] != [1, 1] or ours == theirs:
        return False
    rest = words(names.sub(" ", new))
    return bool(rest) and rest == words(names.sub(" ", old))


def _gives_it_up(new: str, old: str) -> bool:
    if any(_given_up(old)):
        return False
    return any(_is_about(what, new, old) for what in _given_up(new))


def _given_up(text: str) -> Iterator[str]:
    for pattern in _list("gives_up"):
        yield from (match["what"].rstrip(".") for match in pattern.finditer(text))


def _is_about(what: str, new: str, old: str) -> bool:
    whole = rf"(?<![A-Za-z0-9]){re.escape(what)}(?![A-Za-z0-9])"
    is_name = what.casefold() not in table("supersedes")["no_name"].split()
    if not is_name or not re.search(whole, old, re.IGNORECASE):
        return False
    if not _row("time").fullmatch(what):
        return True
    return bool((words(new) & words(old)) - words(what))  # a day says nothing of what is on it


@cache
def _list(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each) for each in table("supersedes")[name])
