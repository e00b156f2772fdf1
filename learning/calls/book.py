"""Keep what is known of several runs of a task: parameters with their places in the requests, and
saved values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, product
from typing import Any

from learning.calls import requests
from learning.calls.places import differ, is_same
from learning.calls.requests import Span
from learning.calls.runs import Run
from learning.draft import DraftStep
from replay.extract import parse, picked
from replay.procedure import BUILT_IN, ITEM, UNSAFE_NAME

MIN_CHARS = 3  # of a value that one run alone can tell from chance
KINDS = {bool: "boolean", int: "integer", float: "number", list: "array"}


@dataclass(slots=True)
class Source:
    """A step with its answers, one of each run; of a loop the list of its answers."""

    step: DraftStep
    answers: list[Any]
    root: str
    items: list[list[Any]] = field(default_factory=list)  # of the list that was gone through
    asked: dict[str, list[Any]] = field(default_factory=dict)  # what each argument was in each run

    @property
    def is_looped(self) -> bool:
        """Return True where the answer is a list of answers."""
        return bool(self.step.each)

    @property
    def rows(self) -> list[str]:
        """Return the extractors of the rows of which values were taken."""
        rows = [re.match(r"json.*\]", text) for text in self.step.save.values()]
        return list(dict.fromkeys(row[0] for row in rows if row))

    def expect(self, path: str, value: Any) -> None:
        """Let the step expect a value at a path of its answer."""
        if self.root == "json" and not self.is_looped:
            self.step.expect.setdefault("fields", {})[path] = value


@dataclass(slots=True)
class Book:
    """Parameters and saved values: by name what each was in each run. `spans`: where a parameter
    stands in each request; of a list where each of its items does."""

    runs: Sequence[Run]
    wanted: Mapping[str, str] = field(default_factory=dict)  # names that the owner gave, by value
    known: dict[str, list[Any]] = field(default_factory=dict)
    spans: list[dict[str, list[Span]]] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)  # name → JSON type
    sources: list[Source] = field(default_factory=list)
    # lists that other extractors must give, too
    again: list[tuple[Source, str, Sequence[str]]] = field(default_factory=list)
    picking: set[str] = field(default_factory=set)  # parameters that pick rows

    def __post_init__(self) -> None:
        self.spans = [{} for _ in self.runs]

    @property
    def is_single(self) -> bool:
        """Return True where nothing can be compared."""
        return len(self.runs) == 1

    def is_constant(self, values: Sequence[Any]) -> bool:
        """Return True for what is the same in several runs."""
        return not self.is_single and not differ(values)

    def tells(self, values: Sequence[Any]) -> bool:
        """Return True for values that are not met by chance: they differ, or are long."""
        return differ(values) or (self.is_single and len(str(values[0])) >= MIN_CHARS)

    def says(self, text: str, is_exact: bool = False) -> bool:
        """Return True where all requests name a text."""
        return all(requests.spans(run.request, text, is_exact) for run in self.runs)

    def taken(self, source: Source, extractor: str) -> list[Any]:
        """Return what an extractor takes of the answer of each run; None where it is not there."""
        return [self.taken_of(n, answer, extractor) for n, answer in enumerate(source.answers)]

    def taken_of(self, n: int, answer: Any, extractor: str) -> Any:
        """Return what an extractor takes of an answer of a run; None where it is not there."""
        read = parse(extractor)
        known = {name: values[n] for name, values in self.known.items()}
        try:
            return picked(answer, read, known) if read else None
        except ValueError:
            return None

    def called(self, values: Sequence[Any], key: str) -> str:
        """Return the name of these values; what all runs say alike must be called so, too."""
        same = (name for name, known in self.known.items() if all(map(is_same, known, values)))
        is_telling, plain = self.tells(values), plain_name(key)
        return next((n for n in same if is_telling or re.sub(r"_\d+$", "", n) == plain), "")

    def free_name(self, key: str) -> str:
        """Return a name for a value that is taken by no other."""
        base = plain_name(key)
        taken = {*self.known, *BUILT_IN, ITEM, "plan"}
        names = chain([base], (f"{base}_{number}" for number in count(2)))
        return next(name for name in names if name not in taken)

    def parameter(self, key: str, values: Sequence[Any], is_exact: bool = True) -> str:
        """Return the name of the parameter that has these values in the requests; "" where a
        request names no such."""
        beside = self._words_beside(values, is_exact)
        places = [self._said(n, value, is_exact, beside) for n, value in enumerate(values)]
        if not all(places):
            return ""
        given = [self._text_of(n, *each) for n, each in enumerate(zip(values, places, strict=True))]
        if name := self.called(given, key):
            return name
        owners = self.wanted.get(str(given[0]), "")
        name = self.free_name(key) if owners in {"", *self.known} else owners
        self.known[name] = given
        for spans, taken in zip(places, self.spans, strict=True):
            taken[name] = spans
        self.parameters[name] = kind_of(given[0])
        return name

    def _text_of(self, n: int, value: Any, spans: Sequence[Span]) -> Any:
        """Return a value as the request has it; a number stays one."""
        texts = [self.runs[n].request[slice(*span)] for span in spans]
        if isinstance(value, list):
            return texts
        return texts[0] if isinstance(value, str) else value

    def _words_beside(self, values: Sequence[Any], is_exact: bool) -> set[str]:
        """Return the words before these values in all requests: `by card`, not `card 2024`."""
        rows = []
        for run, value in zip(self.runs, values, strict=True):
            spans = requests.spans(run.request, str(value), is_exact)
            rows.append({_word_before(run.request, span) for span in spans})
        return set.intersection(*rows)

    def _said(self, n: int, value: Any, is_exact: bool, beside: Collection[str]) -> list[Span]:
        """Return where a request names a value or all its items, beside other values; or []."""
        request = self.runs[n].request
        taken = [span for spans in self.spans[n].values() for span in spans]
        found: list[Span] = []
        for each in value if isinstance(value, list) else [value]:
            spans = requests.spans(request, str(each), is_exact)
            spans.sort(key=lambda span: _word_before(request, span) not in beside)
            its = self._again(n, each) or requests.free(spans, [*taken, *found])
            if not its:
                return []
            found += its
        return found

    def _again(self, n: int, value: Any) -> list[Span]:
        """Return the place of a parameter of one value that is this one already."""
        own = self.spans[n].items()
        return next((spans for name, spans in own if str(self.known[name][n]) == str(value)), [])

    def is_given(self, values: Sequence[Any]) -> bool:
        """Return True for values that a write is given as they are: they need not pick a row."""
        writes = [[call.args for call in run.writes] for run in self.runs]
        pairs = zip(values, writes, strict=True)
        return all(str(value) in map(str, leaves(args)) for value, args in pairs)

    def save(self, source: Source, extractor: str, values: Sequence[Any], key: str) -> str:
        """Let a step save what an extractor takes; return its name."""
        known = {text: name for name, text in source.step.save.items()}
        if extractor in known:
            return known[extractor]
        name = self.free_name(key)
        source.step.save[name] = extractor
        self.known[name] = list(values)
        return name

    def forget(self, names: Collection[str]) -> None:
        """Take parameters out that were only tried."""
        tables: tuple[dict[str, Any], ...] = (self.known, self.parameters, *self.spans)
        for table, name in product(tables, names):
            table.pop(name, None)

    def taught(self, n: int) -> dict[str, Any]:
        """Return the parameters of a run."""
        return {name: self.known[name][n] for name in self.parameters}


def slot(name: str) -> str:
    """Return the place of a value in a template; "" where it has no name."""
    return f"{{{{{name}}}}}" if name else ""


def path_of(extractor: str) -> str:
    """Return the path of an extractor of JSON without its root, as `expect.fields` has it."""
    return extractor.partition("json")[2].removeprefix(".")


def _word_before(request: str, span: Span) -> str:
    return request[: span[0]].rpartition(" ")[0].rpartition(" ")[2]


def leaves(value: Any) -> Iterator[Any]:
    """Yield the scalars of arguments."""
    if not isinstance(value, Mapping | list):
        yield value
        return
    for each in value.values() if isinstance(value, Mapping) else value:
        yield from leaves(each)


def kind_of(value: Any) -> str:
    """Return the JSON type of a value."""
    return KINDS.get(type(value), "string")


def plain_name(key: str) -> str:
    """Return a key as a name: lower-case, and none that a program obeys."""
    name = re.sub(r"\W+|_+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key)).strip("_").lower()
    name = re.sub(r"[^a-z0-9_]", "", name).lstrip("0123456789_")[:40] or "value"
    is_taken = UNSAFE_NAME.fullmatch(name) is not None or name in BUILT_IN
    return f"{name}_value" if is_taken else name
