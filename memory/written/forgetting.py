"""Take what the owner wants forgotten out of the notes, MEMORY.md and the facts: one commit a file,
`memory undo` takes it back. Loads nothing for other requests.

What was said stays in the journal, which is only ever appended to; recall does not bring it up
(memory/recall/written.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from text import pattern

if TYPE_CHECKING:
    from memory.written.lines import Written

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


def says(text: str, wanted: frozenset[str], thirds: int = 2) -> bool:
    """Tell whether a text says more than two thirds of some words."""
    from text.words import cut

    return 3 * len(wanted & set(cut(text))) > thirds * len(wanted) > 0


def is_to_forget(home: Path, request: str) -> bool:
    """Return True for a request to forget something that is written down."""
    wanted = forgets(request)
    return bool(wanted) and any(_lines(home, wanted))


class Forgotten(NamedTuple):
    """Hold the lines that say what is to be forgotten, else those that say some of it. `is_done`:
    they were taken out; False where it is not sure which are meant."""

    lines: list[str]
    is_done: bool


def forget(home: Path, request: str) -> Forgotten:
    """Take out the lines that say it, if they say one thing or the owner wants all of them
    forgotten.

    Raises OSError, RepositoryError, FactLineError.
    """
    wanted = forgets(request)
    found = list(_lines(home, wanted))
    if not found:
        near = (line.text for _, lines in _lines(home, wanted, thirds=1) for line in lines)
        return Forgotten(list(dict.fromkeys(near)), is_done=False)
    said = sorted((line for _, lines in found for line in lines), key=lambda line: line.at)
    texts = list(dict.fromkeys(line.text for line in said))
    if not wants_all(request) and len(_current(texts)) > 1:
        return Forgotten(texts, is_done=False)
    for name, lines in found:
        _take_out(home, name, lines, wanted)
    return Forgotten(texts, is_done=True)


def _current(texts: list[str]) -> list[str]:
    """Return the sentences that no later one takes the place of."""
    from memory.wording import supersedes

    later = {text: texts[place + 1 :] for place, text in enumerate(texts)}
    return [text for text in texts if not any(supersedes(new, text) for new in later[text])]


def _lines(
    home: Path, wanted: frozenset[str], thirds: int = 2
) -> Iterator[tuple[str, list[Written]]]:
    """Yield the files that say it, each with its lines."""
    from memory.written.lines import written_files, written_lines

    for name in written_files(home):
        found = [line for line in written_lines(home, name) if says(line.text, wanted, thirds)]
        if found:
            yield name, found


def _take_out(home: Path, name: str, lines: list[Written], wanted: frozenset[str]) -> None:
    from memory.change import changing, store
    from memory.facts.lines import FACTS, read
    from memory.facts.store import SUBJECT, texts_of

    with changing(home) as history:
        if name == FACTS:
            kept = [fact for fact in read(home) if not says(fact.text, wanted)]
            store(history, texts_of(kept), f"{SUBJECT} forget {len(lines)} of them\n")
            return
        text = (home / name).read_bytes().decode("utf-8")
        places = {int(line.source.rpartition(":")[2]) for line in lines}
        store(history, {name: "".join(_left(text, places))}, f"note: forget {len(lines)} lines\n")


def _left(text: str, places: set[int]) -> Iterator[str]:
    """Yield the lines of a file but for the entries that begin at these places."""
    is_out = False
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        is_more = line[:1] in (" ", "\t") and bool(line.strip())
        is_out = number in places or (is_out and is_more)
        if not is_out:
            yield line
