"""Read a request to forget something, and tell which sentences say it. Loads nothing for other
requests."""

from __future__ import annotations

from text import pattern

_ASKS = pattern(
    r"(?i)^(?:please |pls |can you |could you |now )*forget "
    r"(?:(?:that|about|everything about|all about|what i (?:said|told you) about|the fact that)\s+)*(\S.*)$"
    r"|^(?:请你?|帮我)*(?:忘记|忘掉|忘了)(?:所有|一切|全部)?(?:关于)?(\S.*?)"
    r"(?:这件事|这回事|的事情?|的(?:所有|全部)?内容|的一切)?吧?[。！!]*$"
    r"|^(?:请你?|帮我)*把(?:所有|一切|全部)?(?:关于)?(\S.*?)"
    r"(?:这件事|这回事|的事情?|的(?:所有|全部)?内容|的一切)?(?:忘记|忘掉|忘了)吧?[。！!]*$"
)


_ALL = pattern(r"(?i)^[\w ,]*?forget (?:everything|all) about\b|(?:一切|所有|全部)")


def wants_all(text: str) -> bool:
    """Return True for a request to forget all that is known of something."""
    return _ALL.search(text) is not None


def forgets(text: str) -> frozenset[str]:
    """Return the words of what a request asks to forget; none for another request."""
    found = _ASKS.match(text.strip())
    if found is None:
        return frozenset()
    from memory.recall.question import is_small
    from text.words import asked

    what = next(filter(None, found.groups()))
    return frozenset(term for term in asked(what) if not is_small(term))


def says(text: str, wanted: frozenset[str]) -> bool:
    """Tell whether a text says more than two thirds of some words."""
    from text.words import cut

    return 3 * len(wanted & set(cut(text))) > 2 * len(wanted) > 0
