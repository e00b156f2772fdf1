"""Find what a write changed, by reading before and after it: that is looked at again when it is done by rote.

A field counts when it is another one after the write and its new value is explained: by a parameter, a value that was
looked up, or since it is the same in all runs. No field counts for its name: `address.state` says "TX", and is no state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from learning.calls import places
from learning.calls.book import Book, Source
from learning.calls.runs import Run
from learning.draft import DraftStep

Leaves = dict[tuple[str, ...], Any]


def checks(
    book: Book, before: Sequence[Source], writes: Sequence[Source], runs: Sequence[Run]
) -> list[dict[str, Any]]:
    """Return the reads that prove the writes, as steps. What was so before in all runs is expected before the write."""
    found = []
    for source in before:
        later = [_later(source, n, run, writes) for n, run in enumerate(runs)]
        if source.is_looped or None in later:
            continue
        changed = dict(_changed(book, source.answers, later))
        if changed:
            _expect_before(source, list(changed), len(runs))
            fields = {".".join(path): value for path, value in changed.items()}
            found.append(
                DraftStep(source.step.tool, source.step.args, {"fields": fields}).as_yaml()
            )
    return found


def _later(source: Source, n: int, run: Run, writes: Sequence[Source]) -> Any:
    """Return what a read says after the writes: it was read again, or a write answered in the same form."""
    before = source.answers[n]
    own = next((c for c in run.plan if c.value is before or c.value == before), None)
    again = [call for call in run.after if own is not None and call.key == own.key]
    if again:
        return again[-1].value
    alike = [each for write in writes for each in _answers(write, n) if _is_alike(before, each)]
    return alike[-1] if alike else None


def _answers(write: Source, n: int) -> list[Any]:
    return write.answers[n] if write.is_looped else [write.answers[n]]


def _is_alike(before: Any, after: Any) -> bool:
    """True for two states of the same thing: most fields are the same ones, and something names it in both."""
    one, two = _leaves(before), _leaves(after)
    if not one or not two:
        return False
    same = [path for path in one if two.get(path) == one[path]]
    return len(set(one) & set(two)) * 2 > len(one) and len(same) * 2 >= len(set(one) & set(two))


def _changed(
    book: Book, before: Sequence[Any], after: Sequence[Any]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    earlier, later = [_leaves(each) for each in before], [_leaves(each) for each in after]
    for path in later[0]:
        pairs = [(one.get(path), two.get(path)) for one, two in zip(earlier, later, strict=True)]
        if all(one == two for one, two in pairs) or any(two is None for _, two in pairs):
            continue
        value = _explained(book, [two for _, two in pairs], path[-1])
        if value is not None:
            yield path, value


def _explained(book: Book, values: Sequence[Any], key: str) -> Any:
    if name := book.called(values, key):
        return f"{{{{{name}}}}}"
    is_same = all(value == values[0] for value in values)
    return values[0] if is_same and isinstance(values[0], str | bool) else None


def _expect_before(source: Source, paths: Sequence[tuple[str, ...]], runs: int) -> None:
    for path in paths:
        row = [_leaves(answer).get(path) for answer in source.answers]
        is_state = all(value == row[0] for value in row) and isinstance(row[0], str | bool)
        if runs > 1 and is_state and source.root == "json":
            source.step.expect.setdefault("fields", {})[".".join(path)] = row[0]


def _leaves(answer: Any) -> Leaves:
    """Return the scalars of a mapping by their path; lists are left out, since their rows have no lasting place."""
    found = places.fields(answer, goes_into_lists=False) if isinstance(answer, dict) else {}
    return {path: values[0] for path, values in found.items()}
