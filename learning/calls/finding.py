"""Find how a later step can take a value of an earlier answer: a path, and for each row on it what
picks the row.

Candidates are made of what the rows say, and each is tried on every run with the extractor that a
replay uses: only one that gives the right value everywhere is taken. Of several, the one that uses
the request's words wins, then the one whose field has the name of the argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any, NamedTuple

from learning.calls import places, requests
from learning.calls.book import Book, Source
from learning.calls.places import ROW, Path
from replay.extract import KEY, is_like, parse, picked, plain

MAX_CONSTANTS = 10  # fields tried as what is always the same
MOST_DOUBLES = 2  # fields that must pick the same rows
MAX_PATHS = 12  # to the same value in one answer
Field = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An extractor that gives the values of all runs. `is_asked`: words of the request pick its
    row; `is_invented`: a text does that no request has; `named`: 2 where the field is called as the
    argument, 1 where its name ends so."""

    source: Source
    extractor: str
    is_asked: bool
    is_invented: bool
    named: int
    names: tuple[str, ...] = ()  # of the values that pick its rows
    doubles: tuple[
        str, ...
    ] = ()  # other extractors of these very lists: which of the fields decides is not known

    @property
    def is_named(self) -> bool:
        """Return True where the field's name says that it is the argument."""
        return self.named > 0

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Return the order in which one is better than another."""
        return self.is_asked, not self.is_invented, self.named

    @property
    def path(self) -> str:
        """Return the path without its root, as `expect.fields` has it."""
        return self.extractor.partition("json")[2].removeprefix(".")


class Clue(NamedTuple):
    """A field of a row at one level of the path, and what it is compared with: a text, or the value
    of a name."""

    level: int
    field: Field
    text: str
    name: str
    kind: str  # asked, known, constant or like

    def __str__(self) -> str:
        sign = "~" if self.kind == "like" else "="
        return f"{'.'.join(self.field)}{sign}{self.name or repr_of(self.text)}"


def repr_of(text: str) -> str:
    """Return a text as a condition has it."""
    return f"'{text}'"


def found_in(book: Book, values: Sequence[Any], key: str, *, as_text: bool = False) -> list[Found]:
    """Return the ways to take these values, one of each run, of earlier answers; the best first."""
    found = [
        each for source in book.sources for each in _of_source(book, source, values, key, as_text)
    ]
    return sorted(found, key=lambda each: each.rank, reverse=True)


def _of_source(
    book: Book, source: Source, values: Sequence[Any], key: str, as_text: bool
) -> Iterator[Found]:
    if source.root == "output":
        whole = [places.is_same(a, v, as_text) for a, v in zip(source.answers, values, strict=True)]
        if all(whole):
            yield Found(source, "output", False, False, 2)
        return
    for cases in _cases(source, values, as_text):
        if each := _Search(book, source, values, cases, key, as_text).found():
            yield each


class Case(NamedTuple):
    """One value of one run and its path."""

    run: int
    path: Path


def _cases(source: Source, values: Sequence[Any], as_text: bool) -> Iterator[list[Case]]:
    """Yield the paths that have the same form for each value of each run."""
    wanted = [(n, each) for n, value in enumerate(values) for each in _items(value)]
    by_form = [_by_form(source.answers[n], each, as_text) for n, each in wanted]
    if not by_form:
        return
    shared = [form for form in by_form[0] if all(form in other for other in by_form)]
    shared.sort(key=lambda form: KEY in form)
    for form in shared[:MAX_PATHS]:
        yield [Case(n, forms[form]) for (n, _), forms in zip(wanted, by_form, strict=True)]


def _by_form(answer: Any, wanted: Any, as_text: bool) -> dict[tuple[str, ...], Path]:
    forms: dict[tuple[str, ...], Path] = {}
    for path in places.paths_to(answer, wanted, as_text):
        forms.setdefault(places.signature(path), path)
    return forms


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


class _Search:
    """The search for what picks the rows of one path."""

    def __init__(
        self,
        book: Book,
        source: Source,
        values: Sequence[Any],
        cases: Sequence[Case],
        key: str,
        as_text: bool,
    ) -> None:
        self.book, self.source, self.values, self.cases = book, source, values, cases
        self.form = places.signature(cases[0].path)
        self.key, self.as_text = key, as_text
        self.is_list = any(isinstance(value, list) for value in values)
        self.tried: list[str] = []  # parameters made on the way

    def found(self) -> Found | None:
        """Return the first extractor that gives all values."""
        last = self.form[-1] if self.form else ""
        if last == ROW and self._is_scalar_list():
            return self._tested((), last) if not self.is_list else None
        clues = [clue for level in self._levels() for clue in self._clues_at(level)]
        attempts = (self._tested(chosen, last) for chosen in self._attempts(clues))
        found = next((each for each in attempts if each), None)
        used = found.names if found else ()
        self.book.forget([name for name in self.tried if name not in used])
        return found

    def _is_scalar_list(self) -> bool:
        case = self.cases[0]
        return not isinstance(places.at(self.source.answers[case.run], case.path), dict)

    def _attempts(self, clues: list[Clue]) -> Iterator[tuple[Clue, ...]]:
        """Yield what may pick the rows, the simplest first."""
        kinds = {
            kind: [c for c in clues if c.kind == kind] for kind in ("asked", "known", "constant")
        }
        asked, constant = kinds["asked"], kinds["constant"][:MAX_CONSTANTS]
        known = sorted(kinds["known"], key=self._is_far)
        if asked or not known:
            yield tuple(asked)
        for count in (1, 2, len(known)):
            for chosen in combinations(known, min(count, len(known))):
                yield (*asked, *chosen)
        yield from self._like_another(asked, constant)
        yield tuple(asked)
        for fewer, more in product((known, []), (1, 2)):
            for chosen in combinations(constant, more):
                yield (*asked, *fewer, *chosen)

    def _like_another(self, asked: list[Clue], constant: list[Clue]) -> Iterator[tuple[Clue, ...]]:
        """Yield what is asked, and that all else is as in an earlier answer."""
        said = [[clue] for clue in constant if self._is_said(clue.text)]
        for named in [asked] if asked else said:
            for like in self._likenesses(named):
                yield (*(_inside(clue, like) for clue in named), like)

    def _is_said(self, text: str) -> bool:
        return all(requests.spans(run.request, text, False) for run in self.book.runs)

    def _is_far(self, clue: Clue) -> tuple[bool, int, int]:
        return clue.name not in self.book.parameters, -clue.level, len(clue.field)

    def _tested(self, chosen: Sequence[Clue], last: str) -> Found | None:
        for takes_all in (False, True) if self.is_list else (False,):
            extractor = self._extractor(chosen, takes_all)
            if self._gives(extractor):
                doubles = self._doubles(chosen, takes_all)
                if doubles and not takes_all:
                    extractor = self._extractor([*chosen, *doubles.values()], takes_all)
                said = [c for c in chosen if c.kind == "constant" and self._is_said(c.text)]
                is_asked = bool(said) or any(clue.kind == "asked" for clue in chosen)
                names = tuple(clue.name for clue in chosen)
                rank = (is_asked, self._is_invented(chosen), self._named(last))
                return Found(self.source, extractor, *rank, names, tuple(doubles))
        return None

    def _doubles(self, chosen: Sequence[Clue], takes_all: bool) -> dict[str, Clue]:
        """Return the fields that pick the same rows in all runs as a text does that nobody said, by
        their extractors."""
        own = [clue for clue in chosen if clue.kind == "constant" and not self._is_said(clue.text)]
        rest = [clue for clue in chosen if clue not in own]
        levels = {clue.level for clue in own} if len(own) == 1 else set()
        others = [c for level in levels for c in self._clues_at(level) if c.kind == "constant"]
        found = {
            self._extractor([*rest, each], takes_all): each for each in others if each not in own
        }
        return dict(
            islice(((text, c) for text, c in found.items() if self._gives(text)), MOST_DOUBLES)
        )

    def _is_invented(self, chosen: Sequence[Clue]) -> bool:
        constant = [clue.text for clue in chosen if clue.kind == "constant"]
        return any(not self._is_said(text) for text in constant)

    def _named(self, last: str) -> int:
        mine, its = f"_{self.key}".casefold(), f"_{last}".casefold()
        return 2 if mine == its else int(mine.endswith(its))

    def _extractor(self, chosen: Sequence[Clue], takes_all: bool) -> str:
        parts = [f"{'all ' if takes_all else ''}{self.source.root}"]
        levels = self._levels()
        for level, key in enumerate(self.form):
            here = [str(clue) for clue in chosen if clue.level == level]
            inner_most = bool(levels) and level == levels[-1]
            if key != ROW:
                parts.append(f".{key}")
            elif here or (inner_most and not takes_all):
                parts.append(f"[{' & '.join(dict.fromkeys(here))}]")
            else:
                parts.append(".*")
        return "".join(parts)

    def _gives(self, extractor: str) -> bool:
        read = parse(extractor)
        if read is None:
            return False
        for n, value in enumerate(self.values):
            named = {name: known[n] for name, known in self.book.known.items()}
            try:
                got = picked(self.source.answers[n], read, named)
            except ValueError:
                return False
            if not self._is_value(got, value):
                return False
        return True

    def _is_value(self, got: Any, value: Any) -> bool:
        if isinstance(value, list) and isinstance(got, list):
            pairs = zip(got, value, strict=False)
            return len(got) == len(value) and all(places.is_same(a, b) for a, b in pairs)
        return places.is_same(got, value, self.as_text)

    # what the rows say

    def _levels(self) -> list[int]:
        return [level for level, key in enumerate(self.form) if key == ROW]

    def _clues_at(self, level: int) -> Iterator[Clue]:
        rows = [places.at(self.source.answers[c.run], c.path[: level + 1]) for c in self.cases]
        if not all(isinstance(row, dict) for row in rows):
            return
        is_inner = level == self._levels()[-1]
        told = [places.fields(row, is_inner) for row in rows]
        own = self.form[level + 1 :]
        shared = [each for each in places.common(told) if each != own and each[-1] != self.key]
        shared.sort(key=lambda each: -len(str(told[0][each][0])))
        asked: dict[str, Clue] = {}
        for each in sorted(shared, key=lambda each: each.count("*")):  # a name goes before "any"
            if clue := self._asked(level, each, told):
                asked.setdefault(clue.name, clue)
        yield from asked.values()
        taken = [clue.field for clue in asked.values() if clue.kind == "asked"]
        rest = [each for each in shared if each not in taken and "*" not in each]
        for each in rest:
            yield from self._known(level, each, told)
        for each in sorted(rest, key=len):
            yield from _constant(level, each, [row[each][0] for row in told])

    def _asked(
        self, level: int, where: Field, told: Sequence[dict[Field, list[Any]]]
    ) -> Clue | None:
        """Return a field that the requests name: by a parameter where the runs differ, by its text
        where all say the same."""
        leaves = [
            self._said_leaf(c.run, row[where]) for c, row in zip(self.cases, told, strict=True)
        ]
        if "" in leaves:
            return None
        differ = len(set(map(plain, leaves))) > 1
        if not differ and not self.book.is_single:
            return None  # needed only where it picks: it is tried as a constant
        values = self._by_run(leaves)
        if values is None:
            return None
        before = set(self.book.parameters)
        words = [key for key in where if key != "*"]
        name = self.book.parameter(words[-1], values, False)
        if name and name not in before:
            self.tried.append(name)
            if self.book.is_given(values):
                return Clue(level, where, "", name, "known")
            self.book.picking.add(name)
        return Clue(level, where, "", name, "asked") if name in self.book.picking else None

    def _said_leaf(self, run: int, leaves: Sequence[Any]) -> str:
        request = self.book.runs[run].request
        texts = [_text(leaf) for leaf in leaves if not isinstance(leaf, bool)]
        said = [text for text in texts if requests.spans(request, text, False)]
        return max(said, key=len, default="")

    def _by_run(self, leaves: Sequence[str]) -> list[Any] | None:
        """Return what the cases of each run say: one text, or a list where values are lists."""
        if not self.is_list:
            return list(leaves)
        rows: list[Any] = [[] for _ in self.values]
        for case, leaf in zip(self.cases, leaves, strict=True):
            rows[case.run].append(leaf)
        return rows

    def _known(
        self, level: int, where: Field, told: Sequence[dict[Field, list[Any]]]
    ) -> Iterator[Clue]:
        by_run = self._by_run([_text(row[where][0]) for row in told])
        for name, known in self.book.known.items():
            if _is_known(known, by_run):
                yield Clue(level, where, "", name, "known")

    def _likenesses(self, asked: Sequence[Clue]) -> Iterator[Clue]:
        """Yield mappings of the row that are like one of an earlier answer, but for what is asked:
        "else the same"."""
        levels = self._levels()
        if not levels or not asked or self.is_list:
            return
        level = levels[-1]
        rows = [places.at(self.source.answers[c.run], c.path[: level + 1]) for c in self.cases]
        keys = list(rows[0]) if all(isinstance(row, dict) for row in rows) else []
        for key in filter(places.is_plain_key, keys):
            wanted = [row.get(key) for row in rows]
            if all(isinstance(each, dict) for each in wanted):
                yield from self._like(level, key, wanted, asked)

    def _like(
        self, level: int, key: str, wanted: Sequence[Any], asked: Sequence[Clue]
    ) -> Iterator[Clue]:
        told = [
            {_text(self.book.known[c.name][n]) if c.name else c.text for c in asked}
            for n in range(len(wanted))
        ]
        earlier = [each for each in self.book.sources if each is not self.source]
        for source in (each for each in earlier if not each.is_looped):
            paths = places.paths_of_key(source.answers[0], key)
            for form in dict.fromkeys(map(places.signature, paths)):
                models = [
                    _model(*each, form) for each in zip(source.answers, wanted, told, strict=True)
                ]
                found = found_in(self.book, models, key) if None not in models else []
                if found:
                    name = self.book.save(found[0].source, found[0].extractor, models, key)
                    yield Clue(level, (key,), "", name, "like")


def _constant(level: int, where: Field, leaves: Sequence[Any]) -> Iterator[Clue]:
    texts = {_text(leaf) for leaf in leaves}
    if len(texts) == 1 and "'" not in (text := texts.pop()):
        yield Clue(level, where, text, "", "constant")


def _inside(clue: Clue, like: Clue) -> Clue:
    """Return a clue as one of any field of the mapping that is compared: "in blue" may be its
    colour or another."""
    is_within = clue.level == like.level and clue.field[0] == like.field[0]
    return clue._replace(field=(*like.field, "*")) if is_within else clue


def _model(answer: Any, wanted: Any, told: set[str], form: tuple[str, ...]) -> Any:
    """Return the first mapping at a form of path that is like the wanted one but for what is
    told."""
    for path in places.paths_of_key(answer, form[-1]):
        found = places.at(answer, path)
        if places.signature(path) == form and is_like(wanted, found, told):
            return found
    return None


def _is_known(known: Sequence[Any], by_run: list[Any] | None) -> bool:
    if by_run is None:
        return False
    for value, row in zip(known, by_run, strict=True):
        texts = [_text(each) for each in value] if isinstance(value, list) else _text(value)
        is_each = isinstance(row, list) and all(text == texts for text in row)
        if texts != row and not is_each:
            return False
    return True


def _text(value: Any) -> str:
    from replay.template import as_text

    return as_text(value)
