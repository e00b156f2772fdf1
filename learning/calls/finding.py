"""Find how a later step can take a value of an earlier answer: a path, and for each row on it what
picks the row.

Candidates are made of what the rows say, and each is tried on every run with the extractor that a
replay uses: only one that gives the right value everywhere is taken. Of several, the one that uses
the request's words wins, then the one whose field has the name of the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, NamedTuple

from learning.calls import places, requests
from learning.calls.book import Book, Source, path_of
from learning.calls.places import ROW, Form, Path, differ
from replay.extract import EVERY, KEY, is_like, plain
from replay.template import as_text

MAX_CONSTANTS = 10  # fields tried as what is always the same
MOST_DOUBLES = 2  # fields that must pick the same rows
MAX_PATHS = 12  # to the same value in one answer
Case = tuple[int, Path]  # a run, and the path of one of its values


@dataclass(frozen=True, slots=True)
class Found:
    """An extractor that gives the values of all runs. `is_asked`: words of the request pick its
    row; `is_invented`: a text does that no request has; `named`: 2 where the field is called as the
    argument, 1 where its name ends so. `doubles` are other extractors of these very lists: which of
    the fields decides is not known."""

    source: Source
    extractor: str
    is_asked: bool = False
    is_invented: bool = False
    named: int = 2
    doubles: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Return the order in which one is better than another."""
        return self.is_asked, not self.is_invented, self.named

    def is_rival(self, other: Found) -> bool:
        """Return True for a way that is as good, and takes the value of another answer."""
        is_as_good = other.rank == self.rank and not self.source.is_looped
        return is_as_good and other.source is not self.source

    def guard(self, value: Any) -> None:
        """Let the step that brings the answer expect a value in it."""
        path = path_of(self.extractor)
        if path and not self.extractor.startswith("all "):
            self.source.expect(path, value)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Values to be found, one of each run, and the argument that they are."""

    values: Sequence[Any]
    key: str
    is_it: Callable[[Any, Any], bool]

    @property
    def is_list(self) -> bool:
        """Return True where several rows are picked."""
        return any(isinstance(value, list) for value in self.values)

    def is_met(self, found: Sequence[Any]) -> bool:
        """Return True for the values of all runs."""
        return all(map(self.is_it, found, self.values))

    def named(self, last: str) -> int:
        """Return how much the name of a field says that it is the argument."""
        mine, its = f"_{self.key}".casefold(), f"_{last}".casefold()
        return 2 if mine == its else int(mine.endswith(its))

    def cases(self, answers: Sequence[Any]) -> Iterator[list[Case]]:
        """Yield the paths that have the same form for each value of each run."""
        runs, paths = [], []
        for n, value in enumerate(self.values):
            for each in value if isinstance(value, list) else [value]:
                runs.append(n)
                paths.append(places.paths_to(answers[n], each, self.is_it))
        for form in sorted(places.shared(paths), key=lambda form: KEY in form)[:MAX_PATHS]:
            yield [(n, forms[form]) for n, forms in zip(runs, paths, strict=True)]


class Clue(NamedTuple):
    """A field of a row at one level of the path, and what it is compared with: the value of a name,
    or a text. `~` asks for a mapping that is like another but for what is asked."""

    level: int
    field: Form
    name: str = ""
    text: str = ""
    sign: str = "="

    def __str__(self) -> str:
        return f"{'.'.join(self.field)}{self.sign}" + (self.name or f"'{self.text}'")

    def value(self, book: Book, n: int) -> str:
        """Return the text that the field is compared with in a run."""
        return as_text(book.known[self.name][n]) if self.name else self.text

    def inside(self, like: Clue) -> Clue:
        """Return the clue as one of any field of the mapping that is compared: "in blue" may be its
        colour or another."""
        is_within = self.level == like.level and self.field[0] == like.field[0]
        return self._replace(field=(*like.field, EVERY)) if is_within else self


def found_in(book: Book, values: Sequence[Any], key: str, *, as_text: bool = False) -> list[Found]:
    """Return the ways to take these values, one of each run, of earlier answers; the best first."""
    wanted = Wanted(values, key, places.is_written if as_text else places.is_same)
    found = [each for source in book.sources for each in _of_source(book, source, wanted)]
    return sorted(found, key=lambda each: each.rank, reverse=True)


def _of_source(book: Book, source: Source, wanted: Wanted) -> Iterator[Found]:
    if source.root == "output":
        if wanted.is_met(source.answers):
            yield Found(source, "output")
        return
    for cases in wanted.cases(source.answers):
        if each := _Search(book, source, wanted, cases).found():
            yield each


class _Search:
    """The search for what picks the rows of one path: fields that the requests name (`asked`), that
    are known values, or that are always the same text (`fixed`)."""

    def __init__(self, book: Book, source: Source, wanted: Wanted, cases: Sequence[Case]) -> None:
        self.book, self.source, self.wanted, self.cases = book, source, wanted, cases
        self.form = places.signature(cases[0][1])
        self.last = self.form[-1] if self.form else ""
        self.levels = [level for level, key in enumerate(self.form) if key == ROW]
        self.asked: list[Clue] = []
        self.known: list[Clue] = []
        self.fixed: list[Clue] = []
        self.tried: set[str] = set()  # parameters made on the way

    def found(self) -> Found | None:
        """Return the first extractor that gives all values."""
        if self.last == ROW and not isinstance(self._rows(self.levels[-1])[0], dict):
            return None if self.wanted.is_list else self._tested(())  # an item of a plain list
        for level in self.levels:
            self._look_at(level)
        tested = ((chosen, self._tested(chosen)) for chosen in self._attempts())
        chosen, found = next((each for each in tested if each[1]), ((), None))
        self.book.forget(self.tried - {clue.name for clue in chosen})
        return found

    # what the rows say

    def _rows(self, level: int) -> list[Any]:
        """Return the row of each case at a level."""
        return [path[level].value for _, path in self.cases]

    def _look_at(self, level: int) -> None:
        """Add the clues that the rows at a level give."""
        columns = self._columns(level)
        asked: dict[str, Clue] = {}
        for where in sorted(columns, key=lambda each: each.count(EVERY)):  # a name before "any"
            if name := self._asked(where, columns[where]):
                asked.setdefault(name, Clue(level, where, name))
        self.asked += asked.values()
        taken = [clue.field for clue in asked.values()]
        for where in (each for each in columns if each not in taken and EVERY not in each):
            self._compare(level, where, [as_text(leaves[0]) for leaves in columns[where]])

    def _compare(self, level: int, where: Form, texts: Sequence[str]) -> None:
        """Add a clue for each known value that a field says, and for a text that all say."""
        by_run = self._by_run(texts)
        for name, row in self.book.known.items():
            if all(map(_is_said, by_run, row)):
                self.known.append(Clue(level, where, name))
        if not differ(texts) and "'" not in texts[0]:
            self.fixed.append(Clue(level, where, text=texts[0]))

    def _columns(self, level: int) -> dict[Form, list[list[Any]]]:
        """Return the fields of all rows at a level with what each says, the longest first."""
        rows = self._rows(level)
        if not all(isinstance(row, dict) for row in rows):
            return {}
        told = [places.fields(row, level == self.levels[-1]) for row in rows]
        own = (self.form[level + 1 :], self.wanted.key)
        columns = {each: [row[each] for row in told] for each in places.shared(told)}
        found = [each for each in columns.items() if not {each[0], each[0][-1]} & set(own)]
        return dict(sorted(found, key=lambda item: -len(str(item[1][0]))))

    def _asked(self, where: Form, rows: Sequence[Sequence[Any]]) -> str:
        """Return the name of the parameter by which the requests name a field. One that all
        requests say alike is tried as a text: it is needed only where it picks."""
        leaves = [self._said_leaf(n, row) for (n, _), row in zip(self.cases, rows, strict=True)]
        if "" in leaves or self.book.is_constant(list(map(plain, leaves))):
            return ""
        values = _one_each(self._by_run(leaves))
        before = set(self.book.parameters)
        name = self.book.parameter([key for key in where if key != EVERY][-1], values, False)
        if name and name not in before:
            self.tried.add(name)
            if self.book.is_given(values):
                return ""
            self.book.picking.add(name)
        return name if name in self.book.picking else ""

    def _said_leaf(self, run: int, leaves: Sequence[Any]) -> str:
        request = self.book.runs[run].request
        texts = [as_text(leaf) for leaf in leaves if not isinstance(leaf, bool)]
        said = [text for text in texts if requests.spans(request, text, False)]
        return max(said, key=len, default="")

    def _by_run(self, leaves: Sequence[str]) -> list[Any]:
        """Return what the cases of each run say: one text, or a list where values are lists."""
        if not self.wanted.is_list:
            return list(leaves)
        rows: list[Any] = [[] for _ in self.wanted.values]
        for (n, _), leaf in zip(self.cases, leaves, strict=True):
            rows[n].append(leaf)
        return rows

    # what is tried

    def _attempts(self) -> Iterator[tuple[Clue, ...]]:
        """Yield what may pick the rows, the simplest first."""
        asked = tuple(self.asked)
        known = sorted(self.known, key=self._is_far)
        fixed = sorted(self.fixed, key=lambda clue: (clue.level, len(clue.field)))[:MAX_CONSTANTS]
        if asked or not known:
            yield asked
        yield from ((*asked, *more) for more in _chosen(known, (1, 2, len(known))))
        said = [(clue,) for clue in fixed if self.book.says(clue.text)]
        for named in [asked] if asked else said:
            yield from self._likenesses(named)
        yield asked
        for fewer in (known, []):
            yield from ((*asked, *fewer, *more) for more in _chosen(fixed, (1, 2)))

    def _is_far(self, clue: Clue) -> tuple[bool, int, int]:
        return clue.name not in self.book.parameters, -clue.level, len(clue.field)

    def _likenesses(self, asked: Sequence[Clue]) -> Iterator[tuple[Clue, ...]]:
        """Yield what is asked, and that a mapping is else like one of an earlier answer."""
        rows = [] if self.wanted.is_list else self._rows(self.levels[-1])
        for key in places.shared([row if isinstance(row, dict) else {} for row in rows]):
            wanted = [row[key] for row in rows]
            if all(isinstance(each, dict) for each in wanted):
                for name in self._models(key, wanted, asked):
                    like = Clue(self.levels[-1], (key,), name, sign="~")
                    yield (*(clue.inside(like) for clue in asked), like)

    def _models(self, key: str, wanted: Sequence[Any], asked: Sequence[Clue]) -> Iterator[str]:
        """Yield the names of earlier mappings that are like the wanted, but for what is asked."""
        told = [{clue.value(self.book, n) for clue in asked} for n in range(len(wanted))]
        for source in self.book.sources:
            if source is self.source or source.is_looped:
                continue
            for form in places.forms_of_key(source.answers[0], key):
                rows = zip(source.answers, wanted, told, strict=True)
                models = [_model(form, *row) for row in rows]
                found = found_in(self.book, models, key) if None not in models else []
                if found:
                    yield self.book.save(found[0].source, found[0].extractor, models, key)

    def _tested(self, chosen: Sequence[Clue]) -> Found | None:
        for takes_all in (False, True) if self.wanted.is_list else (False,):
            extractor = self._extractor(chosen, takes_all)
            if self._gives(extractor):
                return self._made(extractor, chosen, takes_all)
        return None

    def _made(self, extractor: str, chosen: Sequence[Clue], takes_all: bool) -> Found:
        unsaid = [clue for clue in chosen if not clue.name and not self.book.says(clue.text)]
        said = [clue for clue in chosen if clue not in unsaid]
        is_asked = any(not clue.name or clue.name in self.book.picking for clue in said)
        doubles = self._doubles(unsaid[0], said, takes_all) if len(unsaid) == 1 else {}
        if not takes_all:
            extractor = self._extractor([*chosen, *doubles.values()], takes_all)
        named = self.wanted.named(self.last)
        return Found(self.source, extractor, is_asked, bool(unsaid), named, tuple(doubles))

    def _doubles(self, own: Clue, rest: Sequence[Clue], takes_all: bool) -> dict[str, Clue]:
        """Return the fields that pick the rows which a text does that nobody said."""
        others = [each for each in self.fixed if each.level == own.level and each != own]
        found = {self._extractor([*rest, each], takes_all): each for each in others}
        return {text: found[text] for text in islice(filter(self._gives, found), MOST_DOUBLES)}

    def _extractor(self, chosen: Sequence[Clue], takes_all: bool) -> str:
        parts = [f"{'all ' if takes_all else ''}{self.source.root}"]
        for level, key in enumerate(self.form):
            here = dict.fromkeys(str(clue) for clue in chosen if clue.level == level)
            if key != ROW:
                parts.append(f".{key}")
            elif here or (level == self.levels[-1] and not takes_all):
                parts.append(f"[{' & '.join(here)}]")
            else:
                parts.append(".*")
        return "".join(parts)

    def _gives(self, extractor: str) -> bool:
        return self.wanted.is_met(self.book.taken(self.source, extractor))


def _one_each(rows: list[Any]) -> list[Any]:
    """Return what all rows of each run say, where each run says one text: it picks all of them."""
    several = [row for row in rows if isinstance(row, list) and len(row) > 1]
    is_one = several != [] and not any(map(differ, rows))
    return [row[0] for row in rows] if is_one else rows


def _chosen(clues: Sequence[Clue], counts: Iterable[int]) -> Iterator[tuple[Clue, ...]]:
    """Yield choices of clues, so many at a time."""
    for count in counts:
        yield from combinations(clues, min(count, len(clues)))


def _model(form: Form, answer: Any, wanted: Any, told: Collection[str]) -> Any:
    """Return the first mapping at a form that is like the wanted, but for what is told."""
    found = (each for path, each in places.nodes(answer) if places.signature(path) == form)
    return next((each for each in found if is_like(wanted, each, told)), None)


def _is_said(told: Any, known: Any) -> bool:
    """Return True where rows say a known value, or each its item; a list of rows may say one."""
    text = list(map(as_text, known)) if isinstance(known, list) else as_text(known)
    return told == text or (isinstance(told, list) and all(each == text for each in told))
