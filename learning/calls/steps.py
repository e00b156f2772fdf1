"""Make steps of the calls of several runs: each with templates for its arguments, once or for each
item of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from learning.calls import places
from learning.calls.book import Book, Source
from learning.calls.forms import Act
from learning.calls.runs import ACT, SCAN, Call, Group
from learning.calls.scripts import as_one
from learning.calls.values import Unexplained, Values
from learning.draft import DraftStep
from replay.pages import VERBS
from replay.procedure import ITEM

CHOICES = ("radio", "checkbox")  # one of them is a value, and its label says which


class Steps:
    """Adds one step after the other to what is known."""

    def __init__(self, book: Book) -> None:
        self.book, self.values = book, Values(book)

    def reads(self, group: Group) -> list[DraftStep]:
        """Return the steps of calls that only read. Raises Unexplained."""
        if all(len(calls) == 1 for calls in group):
            try:
                return [self._once(group)]
            except Unexplained:
                return [self._for_each(group, may_be_part=True)]
        try:
            return [self._for_each(group, may_be_part=True)]
        except Unexplained:
            return list(self._one_by_one(group))

    def writes(self, group: Group) -> list[DraftStep]:
        """Return the steps of calls that change something. Raises Unexplained."""
        if all(len(calls) == 1 for calls in group):
            return [self._once(group)]
        try:
            return [self._for_each(group, may_be_part=False)]
        except Unexplained:
            return list(self._one_by_one(group))

    def _one_by_one(self, group: Group) -> Iterator[DraftStep]:
        if len({len(calls) for calls in group}) > 1:
            counts = " / ".join(str(len(calls)) for calls in group)
            raise Unexplained(f"{group[0][0].tool} was called {counts} times: no list explains it")
        for calls in zip(*group, strict=True):
            yield self._once(tuple((call,) for call in calls))

    def _once(self, group: Group) -> DraftStep:
        calls = [calls[0] for calls in group]
        tool = calls[0].tool
        args = self._script_args(calls) if tool == "code_run" else self._args(calls)
        step = DraftStep(tool, args, {"status": "ok"})
        answers = [call.value for call in calls]
        if "acts" in args and (line := _line_shown(self.values, answers)):
            step.expect["contains"] = line
        self._known(step, answers, {call.root for call in calls})
        asked = {key: [call.args[key] for call in calls] for key in args if key in calls[0].args}
        self.book.sources[-1].asked = asked
        return step

    def _args(self, calls: Sequence[Call]) -> Any:
        if all("acts" in call.args for call in calls):
            acts = _acts(self.values, [call.args["acts"] for call in calls])
            return {**{k: v for k, v in calls[0].args.items() if k != "acts"}, "acts": acts}
        return self.values.template([call.args for call in calls], "args", calls[0].tool)

    def _script_args(self, calls: Sequence[Call]) -> dict[str, Any]:
        scripts = [str(call.args.get("script", "")) for call in calls]
        script = as_one(self.book, scripts, str(calls[0].args.get("type", "bash")))
        if script is None:
            raise Unexplained(f"code_run: its scripts differ: {' / '.join(scripts)}"[:300])
        rest = [{k: v for k, v in call.args.items() if k != "script"} for call in calls]
        return {**self.values.template(rest, "args", "code_run"), "script": script}

    def _known(self, step: DraftStep, answers: list[Any], roots: set[str]) -> None:
        root = roots.pop() if len(roots) == 1 else "output"
        self.book.sources.append(Source(step, answers, root))
        is_page = step.tool in (SCAN, ACT)
        if (
            root == "output"
            and not is_page
            and (form := form_of([str(answer) for answer in answers]))
        ):
            step.expect["matches"] = form

    def _for_each(self, group: Group, *, may_be_part: bool) -> DraftStep:
        """Return a call for each item of a list; the runs may have read only a part of it, up to
        what they looked for."""
        tool, arguments = group[0][0].tool, varying(group)
        items, item = self._items(group, arguments)
        name = self._list_of(items, arguments[0], may_be_part=may_be_part)
        rest = [{k: v for k, v in run[0].args.items() if k not in arguments} for run in group]
        args = {**self.values.template(rest, "args", tool), **item}
        step = DraftStep(tool, {k: args[k] for k in group[0][0].args}, {"status": "ok"}, each=name)
        self._known(step, [[call.value for call in run] for run in group], {"json"})
        self.book.sources[-1].items = items
        return step

    def _items(
        self, group: Group, arguments: Sequence[str]
    ) -> tuple[list[list[Any]], dict[str, str]]:
        """Return what each run went through, and what the arguments take of an item: all of it, or
        fields of a row."""
        if len(arguments) == 1:
            values = [[call.args[arguments[0]] for call in run] for run in group]
            return values, {arguments[0]: f"{{{{{ITEM}}}}}"}
        given = [[{name: call.args[name] for name in arguments} for call in run] for run in group]
        for source in self.book.sources if arguments else ():
            found = [_rows_with(*pair) for pair in zip(source.answers, given, strict=True)]
            if all(found):
                return found, {name: f"{{{{{ITEM}.{name}}}}}" for name in arguments}
        told = f"{group[0][0].tool}: more than one argument differs between its calls"
        raise Unexplained(f"{told}: {', '.join(arguments)}")

    def _list_of(self, items: list[list[Any]], argument: str, *, may_be_part: bool) -> str:
        many = argument if argument.endswith("s") else f"{argument}s"
        is_longer = any(len(row) > 1 for row in items)
        if is_longer:
            try:
                name = self.values.template(items, many)
                if isinstance(name, str) and name.startswith("{{"):
                    return name.strip("{}")
            except Unexplained:
                pass
        if may_be_part and (name := self._whole_list(items, many)):
            return name
        shown = " / ".join(", ".join(map(str, row)) for row in items)
        raise Unexplained(f"{argument}: no list holds {shown}")

    def _whole_list(self, items: list[list[Any]], key: str) -> str:
        """Return the name of a list of an earlier answer that these items are the first of, or some
        of."""
        for source in self.book.sources:
            for form in _lists_with(source.answers[0], items[0]):
                lists = [places.below(answer, form) for answer in source.answers]
                holds = [
                    isinstance(each, list) and all(item in each for item in row)
                    for each, row in zip(lists, items, strict=True)
                ]
                if all(holds) and not source.is_looped:
                    extractor = ".".join([source.root, *form])
                    return self.book.called(lists, key) or self.book.save(
                        source, extractor, lists, form[-1] if form else key
                    )
        return ""


def _lists_with(answer: Any, items: Sequence[Any]) -> list[tuple[str, ...]]:
    found = (places.signature(path)[:-1] for path in places.paths_to(answer, items[0]) if path)
    return [form for form in dict.fromkeys(found) if places.ROW not in form]


def _rows_with(answer: Any, given: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return for each call the row of an answer that has all its arguments; nothing where one has
    none, or unlike ones."""
    first = next(iter(given[0]))
    rows = [
        places.at(answer, path[:-1])
        for each in dict.fromkeys(call[first] for call in given)
        for path in places.paths_to(answer, each)
        if path and path[-1][0] == first
    ]
    found = [[row for row in rows if _has(row, call)] for call in given]
    is_clear = all(each and all(row == each[0] for row in each) for each in found)
    return [each[0] for each in found] if is_clear else []


def _has(row: Any, call: Mapping[str, Any]) -> bool:
    """Return True for a row that has these arguments."""
    return all(places.is_same(row.get(name), value) for name, value in call.items())


def varying(group: Group) -> list[str]:
    """Return the arguments in which calls of one run differ; of single calls those in which the
    runs do."""
    names = list(group[0][0].args)
    if any(set(call.args) != set(names) for run in group for call in run):
        return []
    several = [run for run in group if len(run) > 1] or [
        tuple(call for run in group for call in run)
    ]
    return [n for n in names if any(len({repr(c.args[n]) for c in run}) > 1 for run in several)]


def form_of(texts: Sequence[str]) -> str:
    """Return a pattern that these texts share: a number, or one word; an error in words has another
    form."""
    if all(re.fullmatch(r"-?\d+(\.\d+)?", text) for text in texts):
        return r"^-?\d+(\.\d+)?$"
    if not all(re.fullmatch(r"\S{1,80}", text) for text in texts):
        return ""
    return r"^(?=.*\d)\S+$" if all(re.search(r"\d", text) for text in texts) else r"^\S+$"


def _acts(values: Values, runs: Sequence[Sequence[Act]]) -> list[Act]:
    """Return the acts of all runs as one list with templates. Raises Unexplained where they are not
    the same acts."""
    if len({len(acts) for acts in runs}) > 1:
        raise Unexplained("the runs filled in other fields")
    return [_act(values, list(acts)) for acts in zip(*runs, strict=True)]


def _act(values: Values, acts: Sequence[Act]) -> Act:
    first = acts[0]
    verb = next(iter(first))
    if any(set(act) != set(first) for act in acts):
        raise Unexplained(
            f"the runs do not do the same on the page: {[next(iter(a)) for a in acts]}"
        )
    if verb not in VERBS:
        return first
    labels, roles = ([str(act[verb][key]) for act in acts] for key in ("label", "role"))
    if len(set(roles)) > 1:
        raise Unexplained(f"the runs filled in other fields: {' / '.join(labels)}")
    made = dict(first)
    if len(set(labels)) > 1 or (len(acts) == 1 and roles[0] in CHOICES):
        label = values.template(labels, "choice")
        is_same = label == labels[0]
        made[verb] = first[verb] if is_same else {"label": label, "role": roles[0]}
    if key := VERBS[verb]:
        texts = [act[key] for act in acts]
        made[key] = values.template(texts, labels[0])
    return made


def _line_shown(values: Values, answers: Sequence[str]) -> str:
    """Return the line of a page's answers that says a value that was given, in the same words in
    all runs."""
    columns = [answer.splitlines() for answer in answers]
    for line in columns[0]:
        for others in _alike(line, columns[1:]):
            shared = _shared(values.with_names([line, *others]))
            if "{{" in shared:
                return shared
    return ""


def _shared(texts: Sequence[str]) -> str:
    """Return what texts share behind the last word in which they differ, such as the number of an
    entry."""
    words = [text.split(" ")[::-1] for text in texts]
    same = list(takewhile(lambda row: len(set(row)) == 1, zip(*words, strict=False)))
    return " ".join(row[0] for row in reversed(same))


def _alike(line: str, columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the lines of the other answers with as many words: each is tried with its
    neighbours."""
    if not columns:
        return [[]]
    count = len(line.split())
    tails = _alike(line, columns[1:])
    same = [each for each in columns[0] if len(each.split()) == count]
    return [[each, *tail] for each in same[:20] for tail in tails]
