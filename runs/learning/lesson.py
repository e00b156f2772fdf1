"""A lesson: from lines that were typed, run or written to a procedure whose proof is seen, step by
step.

The owner's files stay as they were before the demonstration until its own values are proven; then
it is made real.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

from learning.induce import (
    Candidate,
    Derived,
    Written,
    candidates,
    derived,
    guarded,
    spellings,
    written,
)
from learning.induce.from_runs import differing, lines_of, other_values
from learning.prove import Case, Ground, Seen, inputs_of, plain
from learning.prove.strictness import HEADS, Line, strict
from learning.recording import Typed
from learning.trace import Trace
from learning.wording import schema_of
from learning.written import Instructions
from memory.sops import Status
from replay.parameters import bind
from replay.staged import KINDS, touched
from safety.changes import ChangeSet
from safety.secrets import HIDDEN

ABSENT = "not-there"  # ends the name of a path that no file has


@dataclass(slots=True)
class Lesson:
    """All that is known so far. `traces`: of the runs that teach it; `before`: what the
    demonstration did; `number`: of its stage while it waits; `declared`: the parameters of a text,
    with their schemas; `problems`: what of a text is not understood."""

    name: str
    ground: Ground
    traces: list[Trace] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    before: Seen | None = None
    number: str = ""
    head: str = HEADS[0]
    kind: str = "bash"
    values: dict[str, str] = field(default_factory=dict)
    places: dict[str, list[int]] = field(default_factory=dict)  # where a short number varies
    request: str = ""
    follows: list[Derived] = field(default_factory=list)
    baseline: Seen | None = None
    cases: list[Case] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_done_before: bool = False  # by runs that ended well, or a demonstration before today
    is_cut: bool = False  # its recording was stopped from outside: nobody is there to be asked
    whole: str = ""  # all lines of the first of several runs
    others: list[str] = field(default_factory=list)  # those of the other runs
    safe_script: str = ""  # with -- where a value could be taken for an option
    undashed: list[str] = field(default_factory=list)  # values that may not begin with a dash
    patterns: dict[str, str] = field(default_factory=dict)  # of values that are part of code
    declared: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    relative: list[str] = field(default_factory=list)  # paths that a program must not see whole
    is_settled: bool = True  # False where the lines alone do not do it again
    needed: list[str] = field(default_factory=list)  # parameters that must name what is there
    suggested: str = ""  # the title of a text, with slots
    _volatile: frozenset[str] = frozenset()

    @classmethod
    def recorded(cls, name: str, ground: Ground, trace: Trace, typed: Sequence[Typed]) -> Lesson:
        """Return the lesson of a recording."""
        usable = [each for each in typed if not each.why_not]
        folders = [each.folder for each in usable if each.folder]
        lesson = cls(name, ground, [trace], [each.line for each in usable], folders)
        lesson.notes += [f"{each.why_not}: {each.line.text}" for each in typed if each.why_not]
        return lesson

    @classmethod
    def of_runs(cls, name: str, ground: Ground, traces: Sequence[Trace]) -> Lesson | None:
        """Return the lesson that finished runs hold; None where a run did more than scripts and
        files can do again."""
        found = [lines_of(trace) for trace in traces]
        if not found[0] or any(lines is None for lines in found):
            return None
        lesson = cls(name, replace(ground, cwd=traces[0].cwd), list(traces), found[0])
        lesson.request, lesson.is_done_before = traces[0].request, True
        lesson.folders = [str(traces[0].cwd)]
        texts = ["\n".join(line.text for line in lines or ()) for lines in found]
        lesson.whole, lesson.others = texts[0], texts[1:]
        return lesson

    @classmethod
    def of_text(cls, name: str, ground: Ground, said: Instructions) -> Lesson:
        """Return the lesson that a text holds: its own lines, or a script whose parameters it
        names."""
        lesson = cls(name, ground, lines=[Line(line) for line in said.lines])
        lesson.suggested = said.request  # names parameters, so it comes first
        lesson.problems, lesson.declared = list(said.problems), said.parameters
        lesson.folders = [str(ground.cwd)]
        if said.parameters:
            head = [] if said.is_whole else [HEADS[0]]
            lesson.safe_script = "\n".join([*head, *said.lines])
        return lesson

    # the script as it was typed

    def settle(self) -> bool:
        """Find the strictest script that does what the demonstration did, and leave out what it
        does not need.

        False where the lines do not do it again.
        """
        for head in HEADS[:1] if self._has_changed_before else HEADS:
            seen = self._tried(strict(self.lines, head))
            if self._repeats(seen):
                self.head = head
                self._leave_out(seen)
                return True
        self.baseline = seen
        self.is_settled = self.is_done_before
        return False

    def _repeats(self, seen: Seen) -> bool:
        if seen.code != 0 or self.before is None:
            return seen.code == 0 and not self._is_done_already(seen)
        return self._is_same(seen, self.before)

    def _is_same(self, seen: Seen, other: Seen) -> bool:
        """Return True if the same was done, but for files that are another each time: they hold the
        time, or something random."""
        if not seen.is_like(other, seen.differing(other)):
            return False
        if not seen.differing(other) - self._volatile:
            return True
        first, second = (self._tried(strict(self.lines, self.head)) for _ in range(2))
        self._volatile |= first.differing(second)
        return not seen.differing(other) - self._volatile

    def _leave_out(self, baseline: Seen) -> None:
        """Leave out failed lines and looks, one by one, where the same is done and answered without
        them."""
        for number in self._spare(baseline):
            rest = [*self.lines[:number], *self.lines[number + 1 :]]
            if not rest:
                break
            seen = self._tried(strict(rest, self.head))
            if seen.code == 0 and self._is_same(seen, baseline):
                self.lines, baseline = rest, seen
        self.baseline = baseline

    def _spare(self, baseline: Seen) -> list[int]:
        """Return the places of the lines that failed or only look, the last one first; the answer
        is none of them."""
        failed = {at for at, line in enumerate(self.lines) if line.code != 0}
        printing = {at for at, line in enumerate(self.lines) if line.output.strip()}
        answer = len(self.lines) - 1 if baseline.touched else max(printing, default=-1)
        return sorted(failed | printing - {answer}, reverse=True)

    def _tried(self, script: str, values: Mapping[str, str] | None = None) -> Seen:
        return self.ground.tried(script, self.kind, values)

    # what varies

    @property
    def typed(self) -> str:
        """Return the lines as they were typed."""
        return "\n".join(line.text for line in self.lines)

    def candidates(self) -> list[Candidate]:
        """Return what may vary."""
        known = [Candidate(name, text, varies=True) for name, text in self.values.items()]
        there = filter(self._was_there, (each.text for each in candidates(self.typed, "")))
        differ = self.differing()
        found = candidates(self.typed, self.request, [*there, *differ], differ, self._spelled)
        varying = {each.name: self._spelled(each.text) for each in found if each.varies}
        able = varying.keys() - written(self.typed, varying).refused.keys()
        found = [each._replace(varies=each.name in able) for each in found]
        taken = {*self.values, *self.values.values()}
        return [*known, *(each for each in found if taken.isdisjoint(each[:2]))]

    def _spelled(self, value: str) -> list[str]:
        return spellings(value, Path.home(), self.folders)

    def take(self, values: Mapping[str, str]) -> dict[str, str]:
        """Let these values vary; return those that cannot, each with the reason."""
        self.values = dict(values)
        self.places = {}
        for name, spots in self.several().items():
            words = [at for at, (_, _, is_word) in enumerate(spots) if is_word]
            self.places[name] = words or list(range(len(spots)))
        found = self._written()
        missing = {name: "" for name in self.values if name not in found.used}
        refused = missing | found.refused
        for name in refused:
            del self.values[name]
        self.patterns = {
            name: found.patterns[name] for name in self.values.keys() & found.patterns.keys()
        }
        return refused

    def several(self) -> dict[str, list[tuple[int, int, bool]]]:
        """Return where each short number that stands more than once does, and if it is a word of
        its own there."""
        found = {name: Written.several(self.typed, text) for name, text in self.values.items()}
        return {name: list(each) for name, each in found.items() if each}

    def differing(self) -> list[str]:
        """Return what differs between several runs."""
        return differing(self.whole, self.others)

    def disagreeing(self) -> str:
        """Return the first line of another run that these values do not explain; "" where all runs
        agree."""
        for other in self.others:
            values, line = other_values(self.whole, self.values, other, self.places)
            if values is None:
                return line
        return ""

    def values_in(self, at: int) -> dict[str, str]:
        """Return the values that a run had: the first one, or another."""
        if at == 0 or at > len(self.others):
            return self.values
        other = self.others[at - 1]
        return other_values(self.whole, self.values, other, self.places)[0] or {}

    def done_in_runs(self) -> list[Case]:
        """Return what the runs changed with their values, as far as it is still known."""
        from sandbox.undo import UndoStore
        from tools.staged import net

        store, found = UndoStore(self.ground.home), []
        for at, trace in enumerate(self.traces if self.is_done_before else ()):
            changes = ChangeSet(tuple(net(store.changes(trace.run))))
            output = "".join(line.output for line in lines_of(trace) or ())
            seen = Seen(changes, touched(changes), output=output)
            found += [Case(self.bound(self.values_in(at)), seen)] if seen.touched else []
        return found

    def _was_there(self, text: str) -> bool:
        """Return True for a path that was there before the demonstration."""
        path = Path(text).expanduser()
        try:
            return "/" in text.strip("/") and (self.ground.cwd / path).exists()
        except (OSError, RuntimeError, ValueError):
            return False

    def doubts(self) -> list[Derived]:
        """Return what seems to follow from the values that vary."""
        return derived(self._written().text, self.values)

    def _written(self) -> Written:
        spelled = {name: self._spelled(value) for name, value in self.values.items()}
        if not self.relative:
            return self._put_into(spelled)
        return self._written_relative({**spelled, **self._apart()})

    def _put_into(self, spelled: Mapping[str, Sequence[str]]) -> Written:
        """Return the strict script of the lines with parameters in them; what makes it strict has
        no values."""
        found = written(self.typed, spelled, self.places)
        texts, at, lines = found.script.split("\n"), 0, []
        for line in self.lines:
            end = at + line.text.count("\n") + 1
            lines.append(line._replace(text="\n".join(texts[at:end])))
            at = end
        is_question = self.baseline is not None and not self.baseline.touched
        found.script = strict(lines, self.head, is_question=is_question)
        return found

    def _apart(self) -> dict[str, list[str]]:
        """Return the folder and the name of each path that stays relative, as variables of their
        own."""
        found: dict[str, list[str]] = {}
        for name in self.relative:
            folder, _, last = self.values[name].rpartition("/")
            found |= {f"{name}_folder": self._spelled(folder), f"{name}_name": [last], name: []}
        return found

    def _written_relative(self, spelled: Mapping[str, Sequence[str]]) -> Written:
        """Return the script that goes to the folder of a path, and names it there as it was
        typed."""
        found = self._put_into(spelled)
        first = []
        for name in self.relative:
            first += [f"{name}_folder=${{{name}%/*}}", f"{name}_name=${{{name}##*/}}"]
            if f"{name}_folder" not in found.used:
                first.append(f'cd "${name}_folder"')
            if f"{name}_name" in found.used:
                found.used[name] = 1
        found.first = [*first, *found.first]
        return found

    @property
    def script(self) -> str:
        """Return the script with parameters in the places of the values that vary."""
        if self.safe_script:
            return self.safe_script
        text: str = self._written().text
        for each in self.follows:
            again = written(text, {each.variable: [each.text]})
            text = "\n".join([*each.lines, again.text])
        return text

    # proving

    def bound(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values as a replay gets them. Raises ParameterError."""
        return bind(self.parameters, tuple(self.required), values, self.ground.cwd)

    @property
    def required(self) -> list[str]:
        """Return the names of the parameters that have no default."""
        return [name for name, schema in self.parameters.items() if "default" not in schema]

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """Return the schemas of the parameters, by name."""
        if self.declared:
            return self.declared
        schemas = {name: schema_of(value) for name, value in self.values.items()}
        patterns = dict.fromkeys(self.undashed, "^[^-]") | self.patterns
        for name, pattern in patterns.items():
            schemas[name]["pattern"] = pattern
        return schemas

    @property
    def has_branches(self) -> bool:
        """Return True if what is done depends on what is found: other values may take another
        way."""
        found = re.search(r"(?:^|[;\s])(?:if|case|elif|else)\s|\|\|", self.typed)
        return found is not None

    @property
    def is_ready(self) -> bool:
        """Return True when other values may prove it."""
        return bool(self.parameters) and any((self.cases, self.declared, self.is_done_before))

    def at_hand(self) -> dict[str, str]:
        """Return other values that lie beside its own: the next file or folder of the same kind,
        which it did not make."""
        found = {name: self._beside(value) for name, value in self.values.items()}
        return {name: other for name, other in found.items() if other}

    def _beside(self, value: str) -> str:
        """Return a value like this one that lies beside it, "" where none does."""
        made = {each.path for each in self.baseline.touched} if self.baseline else set()
        longer = re.findall(rf"[\w~./-]+/{re.escape(value)}(?![\w.-])", self.typed)
        said = [Path(each).expanduser() for each in (value, *longer)]
        paths = [Path(folder) / each for folder in self.folders for each in said]
        like = chain(*map(_like, paths))
        other = next((each.name for each in like if str(each) not in made), "")
        return other and value.rstrip("/").removesuffix(PurePath(value).name) + other

    def try_values(self, values: Mapping[str, Any]) -> Case:
        """Return what the procedure does with these values. Raises ParameterError, StageError."""
        bound = self.bound(values)
        given = {name: str(value) for name, value in bound.items()}
        inputs = inputs_of(bound, self.parameters)
        is_open = self._has_changed_before and not self.cases
        for head in HEADS if is_open else (self.head,):
            self.head = head
            seen = self._tried(self.script, given)
            if seen.code == 0:
                break
        return Case(bound, seen, inputs)

    def prove_own(self) -> str:
        """Try it with the demonstration's values; return why that proves nothing, "" when it does
        the same."""
        why = self._try_own()
        if why and (relative := self._typed_relative()):
            self.relative = relative
            why = self._try_own() and why
            self.relative = [] if why else relative
        if why and self._is_shown_by_runs():
            for case in self.done_in_runs():
                self.accept(case)
        return why

    def _is_shown_by_runs(self) -> bool:
        """Return True if several runs did the same with their values, and the script does today
        what their lines do today."""
        if not self.others or self.disagreeing():
            return False
        lines, own = self._tried(strict(self.lines, self.head)), self.try_values(self.values).seen
        return lines.code == own.code and own.is_like(lines)

    def _typed_relative(self) -> list[str]:
        """Return the paths that were typed by their last name alone, in the folder where they
        lie."""
        text = strict(self.lines, self.head)
        return [
            name
            for name, value in self.values.items()
            if "/" in value.strip("/")
            and str(Path(value).expanduser().parent) in self.folders
            and written(text, {name: [value.rpartition("/")[2]]}).used
        ]

    def _try_own(self) -> str:
        case = self.try_values(self.values)
        baseline = self.baseline
        if baseline is None:
            return "lines"
        if case.seen.code != 0:
            return _last_line(case.seen.output) or f"exit code {case.seen.code}"
        if not self._is_same(case.seen, baseline):
            return _first_difference(case.seen, baseline)
        if not case.seen.printed_like(baseline):
            first, second = (self._tried(strict(self.lines, self.head)) for _ in range(2))
            if first.printed_like(second):
                return _last_line(case.seen.output)
        if self._is_done_already(case.seen):
            return "it is done already"
        self.accept(case)
        return ""

    def accept(self, case: Case) -> None:
        """Take what was seen as right; the first time shows what it needs, and which values need
        `--`."""
        self.cases.append(case)
        if len(self.cases) > 1:
            return
        if not self.safe_script:
            self._guard_dashes()
        self.find_needed(case)

    def _is_done_already(self, seen: Seen) -> bool:
        """Return True if a run has changed what is to be changed: to do it once more shows
        nothing."""
        is_changed = any(each.kind in KINDS for each in seen.touched)
        return self._has_changed_before and not is_changed

    @property
    def _has_changed_before(self) -> bool:
        """Return True if a run has changed something: its lines cannot tell any more how strict
        they may be."""
        return self.is_done_before and any(trace.changed for trace in self.traces)

    def find_needed(self, case: Case) -> None:
        """Find which paths must be there: without them the script fails."""
        self.needed = []
        for name in case.inputs:
            absent = f"{str(case.values[name]).rstrip('/')}-{ABSENT}"
            given = {key: str(value) for key, value in case.values.items()} | {name: absent}
            if self._tried(self.script, given).code != 0:
                self.needed.append(name)

    @property
    def prints_what_was_seen(self) -> bool:
        """Return True if its own values print what the demonstration did."""
        seen = "\n".join(line.output for line in self.lines)
        return plain(self.cases[0].seen.output) == plain(seen)

    def _guard_dashes(self) -> None:
        """Put `--` before values that may begin with a dash, or refuse such values."""
        names = [
            name
            for name, each in self.parameters.items()
            if set(each) == {"type", "minLength"} and self.values.get(name, "")[:1] != "-"
        ]
        self.safe_script, self.undashed = guarded(self.script, names, self._does_the_same)

    def _does_the_same(self, script: str) -> bool:
        if self.has_branches:  # what was not run shows nothing
            return False
        own = self.cases[0]
        given = {name: str(value) for name, value in own.values.items()}
        seen = self._tried(script, given)
        return seen.code == 0 and self._is_same(seen, own.seen) and seen.printed_like(own.seen)

    def make_real(self) -> str:
        """Commit what the demonstration did, once. Returns why that cannot be, "" when it is done;
        it waits, then."""
        if not self.number:
            return ""
        from sandbox.stage import Stage
        from sandbox.undo import StageError

        stage = Stage.waiting(self.ground.home, self.number)
        if stage is not None:
            try:
                stage.commit()
            except StageError as error:
                stage.wait()
                return str(error)
        number, self.number = self.number, ""
        return "" if stage else f"its changes ({number}) are not there any more"

    # what it has earned

    @property
    def sets_known(self) -> int:
        """Count the different sets of values with which it did what it should: here, and in
        runs."""
        sets = [dict(case.values) for case in self.cases]
        if self.is_done_before:
            of_runs = map(self.values_in, range(len(self.others) + 1))
            sets += [self.bound(values) for values in of_runs if values]
        different = [each for at, each in enumerate(sets) if each not in sets[:at]]
        return len(different)

    @property
    def has_done_nothing(self) -> bool:
        """Return True if each line failed and nothing was changed."""
        if self.is_done_before:
            return False
        return not self.has_changed and all(line.code != 0 for line in self.lines)

    @property
    def has_changed(self) -> bool:
        """True if the demonstration changed something."""
        return self.before is not None and bool(self.before.touched)

    def leave(self) -> None:
        """Leave it for another day: what the demonstration changed is done by then, and cannot be
        done once more."""
        self.is_done_before |= self.has_changed and not self.cases

    def status(self) -> Status:
        """Return what the procedure has earned."""
        if not self.cases or self.problems or HIDDEN in self.script:
            return "draft"
        is_whole = self.sets_known > 1 or not self.parameters
        return "probation" if is_whole else "candidate"


def _like(path: Path) -> list[Path]:
    """Return what lies beside a file with its ending, or beside a folder; [] where it is not
    there."""
    if not path.name or not path.exists():
        return []
    beside = (each for each in sorted(path.parent.iterdir()) if each.suffix == path.suffix)
    seen = (each for each in beside if each != path and each.name[0] != ".")
    return [each for each in seen if each.is_dir() == path.is_dir()]


def _last_line(output: str) -> str:
    return output.strip().rpartition("\n")[2]


def _first_difference(seen: Seen, baseline: Seen) -> str:
    mine = {(each.kind, each.path) for each in seen.touched}
    its = {(each.kind, each.path) for each in baseline.touched}
    for kind, path in sorted(its - mine):
        return f"{kind} {path} is missing"
    for kind, path in sorted(mine - its):
        return f"{kind} {path} was not there"
    return ", ".join(sorted(seen.differing(baseline))[:3])
