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

from memory.wording.rows import pattern_of, table
from memory.wording.tokens import replaces, words

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
    rules = (_has_another_value, _is_used_instead, _is_in_another_language, _gives_it_up)
    return any(rule(new, old) for rule in rules)


def _says_the_contrary(new: str, old: str) -> bool:
    ours, theirs = _taste(new), _taste(old)
    if ours is None or theirs is None:
        return False
    (is_liked, what), (was_liked, before) = ours, theirs
    if is_liked == was_liked or not what:
        return False
    if what == before:
        return True
    if is_liked or _row("when").search(new):
        return False
    # "I drink no coffee any more" after "I prefer coffee in the morning"
    always = _taste(_row("when").sub(" ", old))
    return always is not None and what == always[1]


def _taste(text: str) -> tuple[bool, frozenset[str]] | None:
    """Return True if a sentence likes or not, and the words of what."""
    for is_liked, name in ((False, "dislikes"), (True, "likes")):
        if _row(name).search(text):
            rest = _row("idle").sub(" ", _row(name).sub(" ", text))
            return is_liked, frozenset(words(rest))
    return None


def _has_another_value(new: str, old: str) -> bool:
    ours, theirs = _row("heads").search(new), _row("heads").search(old)
    if ours and theirs and _is_same_head(ours["head"], theirs["head"]):
        return _tail(ours["tail"]) != _tail(theirs["tail"])
    return _row("changed").search(new) is not None and _has_changed(new, old)


def _has_changed(new: str, old: str) -> bool:
    ours, theirs = (
        _row("changing_heads").search(_row("idle").sub("", text)) for text in (new, old)
    )
    if ours is None or theirs is None:
        return False
    (head, tail), (before, was) = (
        (match["head"] or match["zh"], match["tail"] or match["end"]) for match in (ours, theirs)
    )
    return head.casefold() == before.casefold() and _tail(tail) != _tail(was)


def _is_same_head(new: str, old: str) -> bool:
    ours, theirs = (re.sub(r"now |现在|了$", "", head.casefold()) for head in (new, old))
    if re.search("moved to|搬[到去]", ours):
        return re.sub("moved to|live at", "live in", theirs) == re.sub(
            "moved to", "live in", ours
        ) or (re.sub("搬[到去]", "住在", theirs) == re.sub("搬[到去]", "住在", ours))
    return ours == theirs


def _tail(said: str) -> str:
    return said.casefold().strip().rstrip(".。!！")


def _is_used_instead(new: str, old: str) -> bool:
    for pattern in _list("uses"):
        ours, theirs = pattern.search(new), pattern.search(old)
        if ours and theirs and _tail(ours["rest"]) == _tail(theirs["rest"]):
            return ours["what"].casefold() != theirs["what"].casefold()
    return False


def _is_in_another_language(new: str, old: str) -> bool:
    """Return True for "Always answer in English" after "always answer in German"."""
    names = _row("languages")
    ours, theirs = names.findall(new.casefold()), names.findall(old.casefold())
    if len(ours) != 1 or len(theirs) != 1 or ours == theirs:
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
