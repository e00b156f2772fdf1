"""Find what a write changed, by reading before and after it: that is looked at again when it is
done by rote.

A field of the record, or of a row that was picked of it, counts when it is another one after the
write. It is looked at again where its new value is explained: by a parameter, a value that was
looked up or is given, or as a text that is the same in all runs. No field counts for its name:
`address.state` says "TX", and is no state.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from learning.calls import places
from learning.calls.book import MIN_CHARS, Book, Source, leaves
from learning.calls.places import is_same
from learning.calls.runs import Run
from learning.calls.values import expect
from learning.draft import DraftStep
from replay.extract import field_of, parse, picked
from replay.procedure import ITEM
from replay.template import names

Path = tuple[str, ...]
Leaves = dict[Path, Any]


class Change(NamedTuple):
    """A field of each run before and after the writes."""

    old: list[Any]
    new: list[Any]


def checks(
    book: Book, before: Sequence[Source], writes: Sequence[Source], runs: Sequence[Run]
) -> list[dict[str, Any]]:
    """Return the reads that prove the writes, as steps. What was so before in all runs is expected
    before the write."""
    given = {value for write in writes for value in leaves(write.step.args)}
    found = []
    for source in before:
        one = _one_of(book, source, writes) if source.is_looped else source
        changed = dict(_changed(book, one, writes, runs)) if one else {}
        if one is source and len(runs) > 1:
            _expect_before(book, source, changed)
        if one and (fields := dict(_told(book, changed, given))):
            found.append(DraftStep(one.step.tool, one.step.args, {"fields": fields}).as_yaml())
    return found


def _expect_before(book: Book, source: Source, changed: Mapping[Path, Change]) -> None:
    """Let a read expect what was the same in all runs before it changed, and something left of what
    is used up."""
    for path, change in changed.items():
        where, first = ".".join(path), change.old[0]
        if first is not None and all(is_same(value, first) for value in change.old):
            expect(source, where, first)
        elif source.root == "json" and all(map(_is_used_up, change.old, change.new)):
            name = book.save(source, field_of(where), change.old, path[-1])
            source.step.expect.setdefault("min_count", {})[name] = 1


def _is_used_up(old: Any, new: Any) -> bool:
    return type(old) is type(new) is int and old > new >= 0


def _told(
    book: Book, changed: Mapping[Path, Change], given: Collection[Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the fields whose new value is known, is what a write is given, or is a text that all
    runs have."""
    for path, change in changed.items():
        first = change.new[0]
        is_text = isinstance(first, str | bool) and not re.search(r"\d", str(first))
        if name := book.called(change.new, path[-1]):
            yield ".".join(path), f"{{{{{name}}}}}"
        elif None in change.old or not (is_text or first in given):
            continue
        elif all(is_same(value, first) for value in change.new):
            yield ".".join(path), first


def expect_rows(book: Book, before: Sequence[Source], writes: Sequence[Source]) -> None:
    """Let each read expect a row of the name that a write is given, where it had one in all runs:
    `stock[sku=sku]`."""
    given = {
        (key, name)
        for write in writes
        for key, value in write.step.args.items()
        for name in book.parameters
        if value == f"{{{{{name}}}}}" and book.parameters[name] == "string"
    }
    for (key, name), source in product(sorted(given), before):
        for form in places.rows_of(source.answers[0], key):
            path = f"{form}[{key}={name}].{key}"
            if not source.is_looped and _picked(book, source, path) == book.known[name]:
                expect(source, path, f"{{{{{name}}}}}")


def _picked(book: Book, source: Source, path: str) -> list[Any]:
    """Return what stands at a path of the answers; None where one has it not."""
    return [_at(book, n, answer, path) for n, answer in enumerate(source.answers)]


def _at(book: Book, n: int, answer: Any, path: str) -> Any:
    """Return what stands at a path of the answer of a run; all of it for "", None where it is not
    there."""
    read = parse(field_of(path)) if path else None
    try:
        known = {name: values[n] for name, values in book.known.items()}
        return picked(answer, read, known) if read else answer
    except ValueError:
        return None


def expect_states(book: Book, before: Sequence[Source], *, is_changed: bool) -> None:
    """Let each read of a row, or of a record by its id that `is_changed`, expect the state that it
    had in all runs: `state: overdue`."""
    for source in [] if book.is_single else before:
        for row in _picked_rows(source):
            _expect_states(source, _picked(book, source, row), row)
        for path in _records(source.answers[0], ()) if is_changed else ():
            records = [places.below(answer, path) for answer in source.answers]
            if _is_asked_for(records, source):
                _expect_states(source, records, ".".join(path))


def _expect_states(source: Source, rows: Sequence[Any], where: str) -> None:
    for key, text in places.states(rows).items():
        expect(source, f"{where}.{key}" if where else key, text)


def _is_asked_for(records: Sequence[Any], source: Source) -> bool:
    """Return True for a mapping that holds what the read was asked with, another value in each
    run."""
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
    """Return the read of that item of a list which the writes changed, where a name says which one
    it is."""
    used = [name for write in writes for name in names(write.step.args)]
    name = next(
        (each for each in used if each != ITEM and _is_item(book.known[each], source.items)), ""
    )
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


def _is_alike(before: Any, after: Any) -> bool:
    """Return True for two states of the same thing: most fields are the same ones, and something
    names it in both."""
    one, two = _leaves(before), _leaves(after)
    if not one or not two:
        return False
    same = [path for path in one if two.get(path) == one[path]]
    return len(set(one) & set(two)) * 2 > len(one) and len(same) * 2 >= len(set(one) & set(two))


def _changed(
    book: Book, source: Source, writes: Sequence[Source], runs: Sequence[Run]
) -> Iterator[tuple[Path, Change]]:
    """Yield the paths at which the record of a read, or a row that was picked of it, says something
    else later."""
    for row in ("", *_picked_rows(source)):
        earlier = [_at(book, n, answer, row) for n, answer in enumerate(source.answers)]
        after = [_later(book, source, row, n, run, writes) for n, run in enumerate(runs)]
        told = [list(map(_leaves, each)) for each in (earlier, after)]
        for path in told[1][0]:
            change = Change(*([leaves.get(path) for leaves in each] for each in told))
            if None not in change.new and not any(map(is_same, change.old, change.new)):
                yield (row, *path) if row else path, change


def _picked_rows(source: Source) -> list[str]:
    """Return the paths of the rows of which values were taken."""
    taken = [text for text in source.step.save.values() if text.startswith("json") and "]" in text]
    return list(dict.fromkeys(text[4 : text.rindex("]") + 1].removeprefix(".") for text in taken))


def _later(book: Book, source: Source, row: str, n: int, run: Run, writes: Sequence[Source]) -> Any:
    """Return what a read, or a row of it, says after the writes: it was read again, or a write
    answered with its like."""
    before = source.answers[n]
    own = next((call for call in run.plan if call.value == before), None)
    again = [_at(book, n, call.value, row) for call in run.after if own and call.key == own.key]
    answers = [a for w in writes for a in (w.answers[n] if w.is_looped else [w.answers[n]])]
    told = [places.below(each, path) for each in answers for path in _records(each, ())]
    alike = [each for each in told if _is_alike(_at(book, n, before, row), each)]
    return next(reversed(again or alike), None)


def _leaves(answer: Any) -> Leaves:
    """Return the scalars of a mapping by their path; lists are left out, since their rows have no
    lasting place."""
    found = places.fields(answer, goes_into_lists=False) if isinstance(answer, dict) else {}
    return {path: values[0] for path, values in found.items()}
