"""Find what a write changed, by reading before and after it: that is looked at again when it is done by rote.

A field counts when it is another one after the write and its new value is explained: by a parameter, a value that was
looked up, or since it was there before and is the same in all runs now. No field counts for its name: `address.state` says "TX", and is no state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from learning.calls import places
from learning.calls.book import MIN_CHARS, Book, Source
from learning.calls.runs import Run
from learning.calls.values import expect
from learning.draft import DraftStep
from replay.procedure import ITEM
from replay.template import names

Leaves = dict[tuple[str, ...], Any]


def checks(
    book: Book, before: Sequence[Source], writes: Sequence[Source], runs: Sequence[Run]
) -> list[dict[str, Any]]:
    """Return the reads that prove the writes, as steps. What was so before in all runs is expected before the write."""
    found = []
    for source in before:
        one = _one_of(book, source, writes) if source.is_looped else source
        later = [_later(one, n, run, writes) for n, run in enumerate(runs)] if one else [None]
        if one is None or None in later:
            continue
        changed = dict(_changed(book, one.answers, later))
        if changed:
            if one is source:
                _expect_before(source, list(changed), len(runs))
            step = DraftStep(one.step.tool, one.step.args, _as_fields(changed))
            found.append(step.as_yaml())
    return found


def expect_states(before: Sequence[Source]) -> None:
    """Let each read of a record by its id expect the state that the record had in all runs: `state: overdue`."""
    for source in before:
        if source.root != "json" or source.is_looped:
            continue
        for path in _records(source.answers[0], ()):
            records = [places.below(answer, path) for answer in source.answers]
            if _is_asked_for(records, source):
                for key, text in places.states(records).items():
                    expect(source, ".".join([*path, key]), text)


def _is_asked_for(records: Sequence[Any], source: Source) -> bool:
    """True for a mapping that holds what the read was asked with, another value in each run."""
    ids = [row for row in source.asked.values() if len(set(map(str, row))) > 1]
    is_whole = all(isinstance(each, dict) for each in records)
    return is_whole and any([each.get(key) for each in records] in ids for key in records[0])


def _records(answer: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the mappings of an answer."""
    if isinstance(answer, dict):
        yield path
        for key, each in answer.items():
            yield from _records(each, (*path, key))


def _one_of(book: Book, source: Source, writes: Sequence[Source]) -> Source | None:
    """Return the read of that item of a list which the writes changed, where a name says which one it is."""
    used = [name for write in writes for name in names(write.step.args)]
    name = next((each for each in used if _is_item(book.known[each], source.items)), "")
    if not name:
        return None
    chosen = [row.index(value) for row, value in zip(source.items, book.known[name], strict=True)]
    args = {
        k: f"{{{{{name}}}}}" if v == f"{{{{{ITEM}}}}}" else v for k, v in source.step.args.items()
    }
    answers = [row[k] for row, k in zip(source.answers, chosen, strict=True)]
    return Source(DraftStep(source.step.tool, args), answers, source.root)


def _is_item(values: Sequence[Any], items: Sequence[Sequence[Any]]) -> bool:
    return all(value in row for value, row in zip(values, items, strict=True))


def echoes(book: Book, write: Source) -> None:
    """Let a write expect the values that it was given and its answer repeats."""
    if write.is_looped or write.root != "json":
        return
    leaves = list(map(_leaves, write.answers))
    rows = {path: [each.get(path) for each in leaves] for path in leaves[0]}
    told = {
        path: book.called(row, path[-1]) for path, row in rows.items() if _is_telling(book, row)
    }
    given = set(names(write.step.args))
    fields = {".".join(path): f"{{{{{name}}}}}" for path, name in told.items() if name in given}
    if fields:
        write.step.expect["fields"] = fields


def _is_telling(book: Book, row: Sequence[Any]) -> bool:
    is_long = all(len(str(value)) >= MIN_CHARS for value in row)
    differ = len(set(map(repr, row))) > 1 or book.is_single
    return is_long and differ


def _later(source: Source, n: int, run: Run, writes: Sequence[Source]) -> Any:
    """Return what a read says after the writes: it was read again, or a write answered in the same form."""
    before = source.answers[n]
    own = next((call for call in run.plan if call.value == before), None)
    again = [call.value for call in run.after if own and call.key == own.key]
    answers = [each for write in writes for each in _answers(write, n)]
    alike = [each for each in answers if _is_alike(before, each)]
    return next(reversed(again or alike), None)


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
    earlier, later = list(map(_leaves, before)), list(map(_leaves, after))
    for path in later[0]:
        old, new = [row.get(path) for row in earlier], [row.get(path) for row in later]
        if old == new or None in new:
            continue
        value = _explained(book, new, path[-1])
        is_new_and_told = isinstance(value, str) and value.startswith("{{")
        if value is not None and (None not in old or is_new_and_told):
            yield path, value


def _explained(book: Book, values: Sequence[Any], key: str) -> Any:
    if name := book.called(values, key):
        return f"{{{{{name}}}}}"
    is_same = all(value == values[0] for value in values)
    return values[0] if is_same and isinstance(values[0], str | bool) else None


def _expect_before(source: Source, paths: Sequence[tuple[str, ...]], runs: int) -> None:
    for path in [each for each in paths if "*" not in each]:
        row = [_leaves(answer).get(path) for answer in source.answers]
        is_state = all(value == row[0] for value in row) and isinstance(row[0], str | bool)
        if runs > 1 and is_state and source.root == "json":
            source.step.expect.setdefault("fields", {})[".".join(path)] = row[0]


def _as_fields(changed: dict[tuple[str, ...], Any]) -> dict[str, Any]:
    return {"fields": {".".join(path): value for path, value in changed.items()}}


def _leaves(answer: Any) -> Leaves:
    """Return the scalars of a mapping by their path; lists are left out, since their rows have no lasting place."""
    found = places.fields(answer, goes_into_lists=False) if isinstance(answer, dict) else {}
    return {path: values[0] for path, values in found.items()}
