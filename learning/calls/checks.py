"""Find what a write changed, by reading before and after it: that is looked at again when it is
done by rote.

A field of the record, or of a row that was picked of it, counts when it is another one after the
write. It is looked at again where its new value is explained: by a parameter, a value that was
looked up or is given, or as a text that is the same in all runs. No field counts for its name:
`address.state` says "TX", and is no state.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from operator import contains
from typing import Any, NamedTuple

from learning.calls import places
from learning.calls.book import MIN_CHARS, Book, Source, leaves, path_of, slot
from learning.calls.places import Form, differ, is_same
from learning.draft import DraftStep
from replay.extract import field_of, parse
from replay.procedure import ITEM
from replay.template import names

_STATE = re.compile(r"[a-z][a-z_-]*|True|False")
WHOLE = "json"  # the extractor of a whole answer


class Change(NamedTuple):
    """A field of each run before and after the writes."""

    path: Form
    old: list[Any]
    new: list[Any]

    @property
    def where(self) -> str:
        """Return the path as `expect.fields` has it."""
        return ".".join(self.path)

    @property
    def is_used_up(self) -> bool:
        """Return True for a count that is less than it was in all runs."""
        pairs = zip(self.old, self.new, strict=True)
        return all(type(a) is type(b) is int and a > b >= 0 for a, b in pairs)


@dataclass(frozen=True, slots=True)
class Writing:
    """The writes of all runs, and what was read around them."""

    book: Book
    before: Sequence[Source]
    writes: Sequence[Source]

    def checks(self) -> list[dict[str, Any]]:
        """Return the reads that prove the writes, as steps. What was so before in all runs is
        expected before the write."""
        given = {value for write in self.writes for value in leaves(write.step.args)}
        found = []
        for source in self.before:
            one = self._one_of(source) if source.is_looped else source
            changes = list(self._changes(one)) if one else []
            if not source.is_looped and not self.book.is_single:
                self._expect_before(source, changes)
            if one and (fields := dict(self._told(changes, given))):
                found.append(DraftStep(one.step.tool, one.step.args, {"fields": fields}).as_yaml())
        return found

    def _expect_before(self, source: Source, changes: Sequence[Change]) -> None:
        """Let a read expect what all runs said alike, and something left of what is used up."""
        for change in changes:
            first = change.old[0]
            if first is not None and all(is_same(value, first) for value in change.old):
                source.expect(change.where, first)
            elif source.root == "json" and change.is_used_up:
                path = field_of(change.where)
                name = self.book.save(source, path, change.old, change.path[-1])
                source.step.expect.setdefault("min_count", {})[name] = 1

    def _told(self, changes: Sequence[Change], given: Collection[Any]) -> Iterator[tuple[str, Any]]:
        """Yield the fields whose new value is known, is given to a write, or is the same text."""
        for change in changes:
            first = change.new[0]
            if name := self.book.called(change.new, change.path[-1]):
                yield change.where, slot(name)
            elif None in change.old or differ(change.new):
                continue
            elif _is_word(first) or first in given:
                yield change.where, first

    def _one_of(self, source: Source) -> Source | None:
        """Return the read of the item of a list that the writes changed, where it has a name."""
        known, items, step = self.book.known, source.items, source.step
        used = [name for write in self.writes for name in names(write.step.args) if name != ITEM]
        name = next((each for each in used if all(map(contains, items, known[each]))), "")
        if not name:
            return None
        places = map(list.index, items, known[name])
        answers = [row[place] for row, place in zip(source.answers, places, strict=True)]
        args = {key: slot(name) if each == slot(ITEM) else each for key, each in step.args.items()}
        return Source(DraftStep(step.tool, args), answers, source.root)

    def _changes(self, source: Source) -> Iterator[Change]:
        """Yield what the record of a read, or a row that was picked of it, says else later; nothing
        of a row that would no longer be picked."""
        for row in (WHOLE, *source.rows):
            where = tuple(filter(None, [path_of(row)]))
            earlier = self.book.taken(source, row)
            later = [self._later(source, row, n, was) for n, was in enumerate(earlier)]
            old, new = list(map(_leaves, earlier)), list(map(_leaves, later))
            rows = {
                path: [[each.get(path) for each in leaves] for leaves in (old, new)]
                for path in places.shared(new)
            }
            changed = {path: row for path, row in rows.items() if not any(map(is_same, *row))}
            if not _picking(row) & set(changed):
                yield from (Change((*where, *path), *row) for path, row in changed.items())

    def _later(self, source: Source, row: str, n: int, was: Any) -> Any:
        """Return what a read, or a row of it, says later, or a write that answered its like."""
        run = self.book.runs[n]
        keys = {call.key for call in run.plan if call.value == source.answers[n]}
        again = [call.value for call in run.after if call.key in keys]
        if again:
            return self.book.taken_of(n, again[-1], row)
        told = [each for write in self.writes for each in _records(write.answers[n])]
        return next((each for each in reversed(told) if _is_alike(was, each)), None)


def _records(answer: Any) -> list[Any]:
    """Return the mappings of an answer, or of a list of answers."""
    answers = answer if isinstance(answer, list) else [answer]
    return [each for one in answers for each in places.records(one).values()]


def _picking(extractor: str) -> set[Form]:
    """Return the fields that pick the rows of an extractor."""
    read = parse(extractor)
    rows = [each for each in read.segments if not isinstance(each, str)] if read else []
    return {condition.path for row in rows for condition in row}


def _is_word(value: Any) -> bool:
    """Return True for a text that is no number or date."""
    return isinstance(value, str | bool) and not re.search(r"\d", str(value))


def expect_rows(book: Book, before: Sequence[Source], writes: Sequence[Source]) -> None:
    """Let each read expect a row of the name that a write is given, where it had one in all runs:
    `stock[sku=sku]`."""
    slots = {slot(name): name for name, kind in book.parameters.items() if kind == "string"}
    args = sorted((key, str(each)) for write in writes for key, each in write.step.args.items())
    given = dict.fromkeys((key, slots[value]) for key, value in args if value in slots)
    for (key, name), source in product(given, before):
        for form in () if source.is_looped else places.rows_of(source.answers[0], key):
            path = f"{form}[{key}={name}].{key}"
            if book.taken(source, field_of(path)) == book.known[name]:
                source.expect(path, slot(name))


def expect_states(book: Book, before: Sequence[Source], *, is_changed: bool) -> None:
    """Let each read of a row, or of a record by its id that `is_changed`, expect the state that it
    had in all runs: `state: overdue`."""
    for source in [] if book.is_single else before:
        for row in source.rows:
            _expect_states(source, book.taken(source, row), path_of(row))
        for path in places.records(source.answers[0]) if is_changed else ():
            records = [places.below(answer, path) for answer in source.answers]
            if _is_asked_for(records, source):
                _expect_states(source, records, ".".join(path))


def _expect_states(source: Source, rows: Sequence[Any], where: str) -> None:
    """Let a read expect the words of a program, and the yes and no, that all rows say."""
    if not all(isinstance(row, dict) for row in rows):
        return
    for key in filter(places.is_plain_key, places.shared(rows)):
        said = rows[0][key]
        if _STATE.fullmatch(str(said)) and all(is_same(row[key], said) for row in rows):
            source.expect(f"{where}.{key}" if where else key, said)


def _is_asked_for(records: Sequence[Any], source: Source) -> bool:
    """Return True for mappings that hold what the read was asked with, unlike in the runs."""
    ids = [row for row in source.asked.values() if differ(list(map(str, row)))]
    is_whole = all(isinstance(each, dict) for each in records)
    return is_whole and any([each.get(key) for each in records] in ids for key in records[0])


def echoes(book: Book, write: Source) -> None:
    """Let a write expect the values that it was given and its answer repeats."""
    if write.is_looped or write.root != "json":
        return
    answers = list(map(_leaves, write.answers))
    given = set(names(write.step.args))
    for path in answers[0]:
        row = [each.get(path) for each in answers]
        is_telling = book.tells(row) and all(len(str(value)) >= MIN_CHARS for value in row)
        if is_telling and (name := book.called(row, path[-1])) in given:
            write.expect(".".join(path), slot(name))


def _is_alike(before: Any, after: Any) -> bool:
    """Return True for two states of the same thing: most fields are the same ones, and something
    names it in both."""
    one, two = _leaves(before), _leaves(after)
    shared = set(one) & set(two)
    same = [path for path in shared if two[path] == one[path]]
    return len(shared) * 2 > len(one) and len(same) * 2 >= len(shared)


def _leaves(answer: Any) -> dict[Form, Any]:
    """Return the scalars of a mapping by path; not of lists: rows have no lasting place."""
    found = places.fields(answer, goes_into_lists=False) if isinstance(answer, dict) else {}
    return {path: values[0] for path, values in found.items() if values[0] is not None}
