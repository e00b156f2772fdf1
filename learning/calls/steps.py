"""Make steps of the calls of several runs: each with templates for its arguments, once or for each
item of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product, takewhile
from pathlib import Path
from typing import Any

from learning.calls import places
from learning.calls.book import Book, Source, slot
from learning.calls.forms import Act
from learning.calls.places import ROW, Form, differ
from learning.calls.runs import ACT, SCAN, Call, Group
from learning.calls.values import Unexplained, Values
from learning.draft import DraftStep
from learning.induce import Written
from learning.induce.from_runs import differing, other_values
from replay.pages import VERBS
from replay.procedure import ITEM
from tools.scripts import clean

FORMS = (r"^-?\d+(\.\d+)?$", r"^(?=.*\d)\S+$", r"^\S+$")  # an error in words has none of them
MAX_CHARS = 80  # of an answer that is one word
CHOICES = ("radio", "checkbox")  # one of them is a value, and its label says which
MAX_LINES = 20  # of a page that may be the one in which it says what was given


class Steps:
    """Adds one step after the other to what is known."""

    def __init__(self, book: Book) -> None:
        self.book, self.values = book, Values(book)

    def reads(self, group: Group) -> list[DraftStep]:
        """Return the steps of calls that only read, maybe a part of a list. Raises Unexplained."""
        try:
            return self._once(group) if _is_single(group) else self._for_each(group, True)
        except Unexplained:
            return self._for_each(group, True) if _is_single(group) else self._one_by_one(group)

    def writes(self, group: Group) -> list[DraftStep]:
        """Return the steps of calls that change something. Raises Unexplained."""
        if _is_single(group):
            return self._once(group)
        try:
            return self._for_each(group, False)
        except Unexplained:
            return self._one_by_one(group)

    def _one_by_one(self, group: Group) -> list[DraftStep]:
        if differ([len(calls) for calls in group]):
            counts = " / ".join(str(len(calls)) for calls in group)
            raise Unexplained(f"{group[0][0].tool} was called {counts} times: no list explains it")
        singles = [tuple((call,) for call in calls) for calls in zip(*group, strict=True)]
        return [step for single in singles for step in self._once(single)]

    def _once(self, group: Group) -> list[DraftStep]:
        calls = [calls[0] for calls in group]
        tool = calls[0].tool
        args = self._script_args(calls) if tool == "code_run" else self._args(calls)
        step = DraftStep(tool, args, {"status": "ok"})
        answers = [call.value for call in calls]
        if "acts" in args and (line := _line_shown(self.values, answers)):
            step.expect["contains"] = line
        source = self._known(step, answers, {call.root for call in calls})
        shared = places.shared([args, *(call.args for call in calls)])
        source.asked = {key: [call.args[key] for call in calls] for key in shared}
        return [step]

    def _args(self, calls: Sequence[Call]) -> Any:
        given = [call.args for call in calls]
        if all("acts" in args for args in given):
            return {**given[0], "acts": _acts_as_one(self.values, [args["acts"] for args in given])}
        return self.values.template(given, "args", calls[0].tool)

    def _script_args(self, calls: Sequence[Call]) -> dict[str, Any]:
        scripts = [str(call.args.get("script", "")) for call in calls]
        script = _as_one(self.book, scripts, str(calls[0].args.get("type", "bash")))
        if script is None:
            raise Unexplained(f"code_run: its scripts differ: {' / '.join(scripts)}"[:300])
        rest = [{k: v for k, v in call.args.items() if k != "script"} for call in calls]
        return {**self.values.template(rest, "args", "code_run"), "script": script}

    def _known(self, step: DraftStep, answers: list[Any], roots: set[str]) -> Source:
        root = roots.pop() if len(roots) == 1 else "output"
        source = Source(step, answers, root)
        self.book.sources.append(source)
        if root == "output" and step.tool not in (SCAN, ACT):
            texts = [str(answer) for answer in answers]
            if form := form_of(texts):
                step.expect["matches"] = form
        return source

    def _for_each(self, group: Group, may_be_part: bool) -> list[DraftStep]:
        """Return a call for each item of a list."""
        tool, arguments = group[0][0].tool, varying(group)
        items, item = self._items(group, arguments)
        name = self._list_of(items, arguments[0], may_be_part)
        rest = [{k: v for k, v in run[0].args.items() if k not in arguments} for run in group]
        args = {**self.values.template(rest, "args", tool), **item}
        step = DraftStep(tool, {k: args[k] for k in group[0][0].args}, {"status": "ok"}, each=name)
        self._known(step, [[call.value for call in run] for run in group], {"json"}).items = items
        return [step]

    def _items(self, group: Group, names: Sequence[str]) -> tuple[list[list[Any]], dict[str, str]]:
        """Return what each run went through, and what the arguments take of an item."""
        if len(names) == 1:
            return [[call.args[names[0]] for call in run] for run in group], {names[0]: slot(ITEM)}
        for source in self.book.sources if names else ():
            found = [_rows_with(*pair, names) for pair in zip(source.answers, group, strict=True)]
            if all(found):
                return found, {name: slot(f"{ITEM}.{name}") for name in names}
        told = f"{group[0][0].tool}: more than one argument differs between its calls"
        raise Unexplained(f"{told}: {', '.join(names)}")

    def _list_of(self, items: list[list[Any]], argument: str, may_be_part: bool) -> str:
        many = argument if argument.endswith("s") else f"{argument}s"
        name = self._named(items, many) if any(len(row) > 1 for row in items) else ""
        if not name and may_be_part:
            name = self._whole_list(items, many)
        if not name:
            shown = " / ".join(", ".join(map(str, row)) for row in items)
            raise Unexplained(f"{argument}: no list holds {shown}")
        return name

    def _named(self, items: list[list[Any]], key: str) -> str:
        try:
            name = self.values.template(items, key)
        except Unexplained:
            return ""
        return name.strip("{}") if isinstance(name, str) else ""

    def _whole_list(self, items: list[list[Any]], key: str) -> str:
        """Return the name of a list of an earlier answer that holds these items."""
        for source in (each for each in self.book.sources if not each.is_looped):
            for form in _lists_with(source.answers[0], items[0][0]):
                lists = [_listed(places.below(answer, form)) for answer in source.answers]
                if all(
                    item in many for many, row in zip(lists, items, strict=True) for item in row
                ):
                    extractor, name = ".".join([source.root, *form]), [key, *form][-1]
                    found = self.book.called(lists, key)
                    return found or self.book.save(source, extractor, lists, name)
        return ""


# scripts of code_run: a value never becomes part of code


def _as_one(book: Book, scripts: Sequence[str], kind: str) -> str | None:
    """Return the script that all runs ran, with values as variables; None if they differ."""
    texts = [clean(script) for script in scripts]
    vectors = _by_name(book, texts)
    if vectors is None:
        return None
    if kind == "python":
        return texts[0] if len(set(texts)) == 1 else None
    found = set()
    for n, (text, run) in enumerate(zip(texts, book.runs, strict=True)):
        values = {name: str(row[n]) for name, row in vectors.items()}
        found.add(Written.of(text, values, [str(run.trace.cwd)]).text)
    return found.pop() if len(found) == 1 else None


def _by_name(book: Book, texts: Sequence[str]) -> Mapping[str, Sequence[Any]] | None:
    """Return the values in the scripts by name: known, in the request, or unlike."""
    for value in book.wanted if book.is_single else ():
        if value in texts[0]:
            book.parameter("value", [value])
    for n, vector in enumerate(_differing(texts), 1):
        if vector and not (book.called(vector, "value") or book.parameter(f"value_{n}", vector)):
            return None
    return {name: row for name, row in book.known.items() if all(map(_stands, row, texts))}


def _differing(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield what a text that differs is in each script; [] where they differ otherwise."""
    for text in differing(texts[0], texts[1:]):
        rows = [other_values(texts[0], {"it": text}, other)[0] for other in texts[1:]]
        yield [] if None in rows else [text, *(row["it"] for row in rows if row)]


def _stands(value: Any, text: str) -> bool:
    spelled = str(value)
    short = re.sub(rf"^{re.escape(str(Path.home()))}/", "~/", spelled)
    return len(spelled) > 1 and any(each in text for each in (spelled, short))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_single(group: Group) -> bool:
    return all(len(calls) == 1 for calls in group)


def form_of(texts: Sequence[str]) -> str:
    """Return a pattern that these texts share; "" where they share none."""
    forms = FORMS if max(map(len, texts)) <= MAX_CHARS else ()
    return next((form for form in forms if all(re.fullmatch(form, text) for text in texts)), "")


def _lists_with(answer: Any, item: Any) -> list[Form]:
    """Return the forms of the paths to lists that hold an item."""
    found = dict.fromkeys(
        form[:-1] for form in places.paths_to(answer, item, places.is_same) if form
    )
    return [form for form in found if ROW not in form]


def _rows_with(answer: Any, calls: Sequence[Call], names: Sequence[str]) -> list[Any]:
    """Return the row that has the arguments of each call; [] where one has none, or several."""
    rows = [each for _, each in places.nodes(answer) if isinstance(each, Mapping)]
    found = [[row for row in rows if _has(row, call, names)] for call in calls]
    is_clear = all(each and not differ(each) for each in found)
    return [each[0] for each in found] if is_clear else []


def _has(row: Mapping[str, Any], call: Call, names: Sequence[str]) -> bool:
    return all(places.is_same(row.get(name), call.args[name]) for name in names)


def varying(group: Group) -> list[str]:
    """Return the arguments in which the calls of a run differ, or single calls of all runs."""
    calls = [*chain(*group)]
    if differ([sorted(call.args) for call in calls]):
        return []
    runs = [run for run in group if len(run) > 1] or [tuple(calls)]
    return [n for n in calls[0].args if any(differ([c.args[n] for c in run]) for run in runs)]


def _acts_as_one(values: Values, runs: Sequence[Sequence[Act]]) -> list[Act]:
    """Return the acts of all runs as one list with templates. Raises Unexplained."""
    if differ([len(acts) for acts in runs]):
        raise Unexplained("the runs filled in other fields")
    return [_act(values, acts) for acts in zip(*runs, strict=True)]


def _act(values: Values, acts: Sequence[Act]) -> Act:
    verbs = [next(iter(act)) for act in acts]
    if differ([sorted(act) for act in acts]):
        raise Unexplained(f"the runs do not do the same on the page: {verbs}")
    verb, made = verbs[0], dict(acts[0])
    if verb not in VERBS:
        return made
    labels = [str(act[verb]["label"]) for act in acts]
    made[verb] = _thing(values, [act[verb] for act in acts], labels)
    if key := VERBS[verb]:
        made[key] = values.template([act[key] for act in acts], labels[0])
    return made


def _thing(values: Values, things: Sequence[Act], labels: Sequence[str]) -> Act:
    """Return what is filled in or pressed; its label is a value where it is a choice."""
    role = str(things[0]["role"])
    if differ([str(thing["role"]) for thing in things]):
        raise Unexplained(f"the runs filled in other fields: {' / '.join(labels)}")
    is_only_choice = len(things) == 1 and role in CHOICES
    if not is_only_choice and not differ(labels):
        return things[0]
    label = values.template(labels, "choice")
    return things[0] if label == labels[0] else {"label": label, "role": role}


def _line_shown(values: Values, answers: Sequence[str]) -> str:
    """Return the line of the pages that says a given value in the same words."""
    first, *others = [answer.splitlines() for answer in answers]
    for line in first:
        count = len(line.split())
        alike = [[each for each in lines if len(each.split()) == count] for lines in others]
        for rest in product(*(lines[:MAX_LINES] for lines in alike)):
            shared = _shared(values.with_names([line, *rest]))
            if "{{" in shared:
                return shared
    return ""


def _shared(texts: Sequence[str]) -> str:
    """Return what texts share behind the last word in which they differ."""
    words = [text.split(" ")[::-1] for text in texts]
    same = list(takewhile(lambda row: not differ(row), zip(*words, strict=False)))
    return " ".join(row[0] for row in reversed(same))
