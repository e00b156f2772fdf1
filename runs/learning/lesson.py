"""A lesson: from lines that were typed in a stage to a procedure whose proof is seen, step by step.

The owner's files stay as they were before the demonstration until its own values are proven; then it is made real.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from learning.folder import fitting_wordings
from learning.from_runs import differing, lines_of, other_values
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
from learning.lines import Typed
from learning.prove import Case, Ground, Seen, expectation, strict
from learning.prove.strictness import HEADS, Line
from learning.trace import Trace
from learning.value_schema import schema_of
from learning.wording import asked_with
from memory.sops.store import Status
from replay.expectation import Touched
from replay.procedure import Procedure
from safety.changes import ChangeSet

MAX_OUTPUT_CHARS = 2000  # kept of the output of each proof


@dataclass(slots=True)
class Lesson:
    """Hold what is known so far. `before`: what the demonstration did; `number`: of its stage while it waits."""

    name: str
    ground: Ground
    run: str = ""
    lines: list[Line] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    before: Seen | None = None
    number: str = ""
    head: str = HEADS[0]
    kind: str = "bash"
    values: dict[str, str] = field(default_factory=dict)
    request: str = ""
    follows: list[Derived] = field(default_factory=list)
    baseline: Seen | None = None
    cases: list[Case] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_done_before: bool = False  # by runs that ended well, not in a stage
    others: list[str] = field(default_factory=list)  # the lines of other runs
    safe_script: str = ""  # with -- where a value could be taken for an option
    undashed: list[str] = field(default_factory=list)  # values that may not begin with a dash
    _volatile: frozenset[str] = frozenset()

    @classmethod
    def recorded(
        cls,
        name: str,
        ground: Ground,
        run: str,
        typed: Sequence[Typed],
        seen: Seen | None,
        number: str,
    ) -> Lesson:
        """The lesson of a recording."""
        usable = [each for each in typed if not each.why_not]
        folders = [each.folder for each in usable if each.folder]
        lesson = cls(name, ground, run, [each.line for each in usable], folders, seen, number)
        lesson.notes += [f"{each.why_not}: {each.line.text}" for each in typed if each.why_not]
        return lesson

    @classmethod
    def of_runs(cls, name: str, ground: Ground, traces: Sequence[Trace]) -> Lesson | None:
        """The lesson that finished runs hold; None where a run did more than scripts and files can do again."""
        found = [lines_of(trace) for trace in traces]
        if not found[0] or any(lines is None for lines in found):
            return None
        lesson = cls(name, replace(ground, cwd=traces[0].cwd), traces[0].run, found[0])
        lesson.request, lesson.is_done_before = traces[0].request, True
        lesson.folders = [str(traces[0].cwd)]
        lesson.others = ["\n".join(line.text for line in lines or ()) for lines in found[1:]]
        return lesson

    @classmethod
    def kept(cls, name: str, folder: Path, ground: Ground) -> Lesson | None:
        """The lesson that an SOP in a folder is left at; None for one that is of another form."""
        try:
            said = json.loads((folder / "evidence.json").read_text("utf-8"))
        except (OSError, ValueError):
            return None
        if "lines" not in said:
            return None
        lesson = cls(name, replace(ground, cwd=Path(said["cwd"])))
        lesson.lines = [Line(**line) for line in said["lines"]]
        lesson.run = said["runs"][0]["run"] if said["runs"] else ""
        for key in ("head", "request", "folders", "values", "undashed", "notes", "is_done_before"):
            setattr(lesson, key, said[key])
        lesson.cases = [_case(proof) for proof in said["proofs"]]
        run = Procedure.load(folder).steps[0]
        if lesson.cases:
            lesson.safe_script = str(run.args["script"]).removesuffix("\n")
        return lesson

    # the script as it was typed

    def settle(self) -> bool:
        """Find the strictest script that does what the demonstration did, and leave out what it does not need.

        False where the lines do not do it again.
        """
        for head in HEADS:
            seen = self._tried(strict(self.lines, head))
            if self._repeats(seen):
                self.head, self.baseline = head, seen
                self._leave_out()
                return True
        self.baseline = seen
        return False

    def _repeats(self, seen: Seen) -> bool:
        if seen.code != 0 or self.before is None:
            return seen.code == 0
        return self._is_same(seen, self.before)

    def _is_same(self, seen: Seen, other: Seen) -> bool:
        """True if the same was done, but for files that are another each time: they hold the time, or something random."""
        if not seen.is_like(other, seen.differing(other)):
            return False
        if not seen.differing(other) - self._volatile:
            return True
        first, second = (self._tried(strict(self.lines, self.head)) for _ in range(2))
        self._volatile |= first.differing(second)
        return not seen.differing(other) - self._volatile

    def _leave_out(self) -> None:
        """Leave out failed lines and looks, one by one, where the same is done and answered without them."""
        printing = [number for number, line in enumerate(self.lines) if line.output.strip()]
        changes = bool(self.baseline and self.baseline.touched)
        answer = len(self.lines) - 1 if changes else max(printing, default=-1)
        for number in reversed(range(len(self.lines))):
            line = self.lines[number]
            is_look = number in printing and number != answer
            is_spare = line.code != 0 or is_look
            rest = [*self.lines[:number], *self.lines[number + 1 :]]
            if is_spare and rest and self.baseline is not None:
                seen = self._tried(strict(rest, self.head))
                if seen.code == 0 and self._is_same(seen, self.baseline):
                    self.lines, self.baseline = rest, seen

    def _tried(self, script: str, values: Mapping[str, str] | None = None) -> Seen:
        return self.ground.tried(script, self.kind, values)

    # what varies

    @property
    def typed(self) -> str:
        """The lines as they were typed."""
        return "\n".join(line.text for line in self.lines)

    def candidates(self) -> list[Candidate]:
        """Return what may vary."""
        named = [each.text for each in candidates(self.typed, "")]
        there = [text for text in named if self._was_there(text)]
        differ = self.differing()
        return candidates(self.typed, self.request, [*there, *differ], differ, self._spelled)

    def _spelled(self, value: str) -> list[str]:
        return spellings(value, Path.home(), self.folders)

    def differing(self) -> list[str]:
        """Return what differs between several runs."""
        return differing(self.typed, self.others)

    def disagreeing(self) -> str:
        """Return the first line of another run that these values do not explain; "" where all runs agree."""
        for other in self.others:
            values, line = other_values(self.typed, self.values, other)
            if values is None:
                return line
        return ""

    def _was_there(self, text: str) -> bool:
        """True for a path that was there before the demonstration."""
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
        return written(strict(self.lines, self.head), spelled)

    @property
    def script(self) -> str:
        """The script with parameters in the places of the values that vary."""
        if self.safe_script:
            return self.safe_script
        text: str = self._written().text
        for each in self.follows:
            again = written(text, {each.variable: [each.text]})
            text = "\n".join([*each.lines, again.text])
        return text

    @property
    def refused(self) -> dict[str, str]:
        """The values that can not vary: each with the reason."""
        found = self._written()
        missing = {name: "" for name in self.values if name not in found.used}
        return missing | found.refused

    # proving

    def bound(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values as a replay gets them. Raises ParameterError."""
        from replay.parameters import bind

        return bind(self.parameters, tuple(self.parameters), values, self.ground.cwd)

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """The schemas of the parameters, by name."""
        schemas = {name: schema_of(value) for name, value in self.values.items()}
        for name in self.undashed:
            schemas[name]["pattern"] = "^[^-]"
        return schemas

    @property
    def has_branches(self) -> bool:
        """True if what is done depends on what is found: other values may take another way."""
        found = re.search(r"(?:^|[;\s])(?:if|case|elif|else)\s|\|\|", self.typed)
        return found is not None

    def try_values(self, values: Mapping[str, Any]) -> Case:
        """Return what the procedure does with these values. Raises ParameterError, StageError."""
        bound = self.bound(values)
        given = {name: str(value) for name, value in bound.items()}
        return Case(bound, self._tried(self.script, given))

    def prove_own(self) -> str:
        """Try it with the demonstration's values; return why that proves nothing, "" when it does the same."""
        case = self.try_values(self.values)
        baseline = self.baseline
        if baseline is None:
            return "lines"
        if case.seen.code != 0:
            return case.seen.output.strip().rpartition("\n")[2] or f"exit code {case.seen.code}"
        if not self._is_same(case.seen, baseline):
            return _first_difference(case.seen, baseline)
        self.cases = [case]
        self._guard_dashes()
        return ""

    def _guard_dashes(self) -> None:
        """Put `--` before values that may begin with a dash, or refuse such values."""
        names = [
            name for name, each in self.parameters.items() if set(each) == {"type", "minLength"}
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
        """Commit what the demonstration did, once. Returns why that cannot be, "" when it is done."""
        if not self.number:
            return ""
        from sandbox.stage import Stage, StageError

        number, self.number = self.number, ""
        stage = Stage.waiting(self.ground.home, number)
        if stage is None:
            return f"its changes ({number}) are not there any more"
        try:
            stage.commit()
        except StageError as error:
            return str(error)
        return ""

    # what is stored

    @property
    def sets_known(self) -> int:
        """Count the different sets of values with which it did what it should: here, and in runs."""
        own = self.bound(self.values)
        others = [case for case in self.cases if dict(case.values) != own]
        has_own = self.is_done_before or len(others) < len(self.cases)
        return len(others) + has_own + len(self.others)

    def status(self) -> Status:
        """Return what the procedure has earned."""
        if not self.cases:
            return "draft"
        is_whole = self.sets_known > 1 or not self.values
        return "probation" if is_whole else "candidate"

    def files(self) -> dict[str, str]:
        """Return the files of the SOP's folder."""
        from learning.folder import files_of

        return files_of(self)

    def content(self) -> dict[str, Any]:
        """Return what sop.yaml says."""
        schema = {"type": "object", "properties": self.parameters, "required": list(self.values)}
        known = [case.seen for case in self.cases] + [self.before, self.baseline]
        changes = any(seen.touched for seen in known if seen)
        expect = expectation(self.cases, self.script) if self.cases else {}
        said = {
            "parameters": schema if self.values else {},
            "wordings": self._wordings(schema),
            "effects": "local" if changes else "none",
            "run": {"type": self.kind, "cwd": str(self.ground.cwd), "script": self.script + "\n"},
            "expect": expect,
        }
        return {key: value for key, value in said.items() if value}

    def _wordings(self, schema: Mapping[str, Any]) -> list[str]:
        """Return the request as a wording, where it can be one; else the name with its values."""
        asked = asked_with(self.name, self.request, self.values)
        plain = asked_with(self.name, "", self.values)
        return fitting_wordings(asked, schema) or fitting_wordings(plain, schema)

    def evidence(self) -> str:
        """Return evidence.json: what taught it, and what proved it."""
        runs = [{"run": self.run, "values": self.values}] if self.run else []
        lines = [line._asdict() for line in self.lines]
        proofs = [
            {
                "values": dict(case.values),
                "touched": [list(each) for each in case.seen.touched],
                "output": case.seen.output[:MAX_OUTPUT_CHARS],
            }
            for case in self.cases
        ]
        said = {
            "runs": runs,
            "lines": lines,
            "head": self.head,
            "request": self.request,
            "cwd": str(self.ground.cwd),
            "folders": list(dict.fromkeys(self.folders)),
            "values": self.values,
            "is_done_before": self.is_done_before,
            "undashed": self.undashed,
            "notes": self.notes,
            "proofs": proofs,
        }
        return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def _case(proof: Mapping[str, Any]) -> Case:
    touched = [Touched(*each) for each in proof["touched"]]
    return Case(proof["values"], Seen(ChangeSet(), touched, {}, proof["output"]))


def _first_difference(seen: Seen, baseline: Seen) -> str:
    mine = {(each.kind, each.path) for each in seen.touched}
    its = {(each.kind, each.path) for each in baseline.touched}
    for kind, path in sorted(its - mine):
        return f"{kind} {path} is missing"
    for kind, path in sorted(mine - its):
        return f"{kind} {path} was not there"
    return ", ".join(sorted(seen.differing(baseline))[:3])
