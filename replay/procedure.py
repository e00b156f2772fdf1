"""A learned procedure as a machine reads it: `sop.yaml`, parsed and checked (replay/reading.py), so
that a replay meets no surprise.

The format is that of docs "An SOP on disk", with a few additions of ours, all optional: a step's
`note` (what it does, for people), `when` and `unless` (a name: the step is left out unless, or if,
that value is there and not empty), `done` and `stop` instead of a tool (the SOP ends here, well or
not, with this text), `script: {file: scripts/NAME}` in the arguments, `requires.folders` and
`requires.files` (parameters that must exist). With `script: scripts/run.py` instead of `plan` and
`commit`, `{{plan}}` is what the script's plan returned, and `result` may be left out. In a wording
`[in|under|]` is a choice (an empty one: it may be left out), `{name:glob}` a slot for a name with a
wildcard or an ending, `{path:new}` one for a path or a name that need not be there, and
`{text:quoted}` one for a quoted text or a word as code has them. A wording needs a word of its own,
or a parameter with a pattern or choices. Source: seed 002 §2, §7.

    SopwithError
    ├── ProcedureError    whoever wrote the SOP: names file, line and key
    └── ParameterError    whoever asked: a value is missing, unknown, or of the wrong type (replay/parameters.py)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config import SopwithError
from replay.parameters import bind
from replay.wordings import Wording, read_wording
from text import pattern

if TYPE_CHECKING:
    from replay.script import Script

Text = Mapping[str, str]  # language → text; "en" is always there
NAME = pattern(r"[a-z][a-z0-9_]*")
BUILT_IN = ("lang", "cwd", "today")  # always there; no parameter may take their names
# names that learning does not give: next to the variables that they resemble they would confuse
UNSAFE_NAME = pattern(
    r"(ld|dyld|bash|git|ssh|python|perl|ruby|node)_\w+|\w*_proxy|path|ifs|home|shell|env|term|user|pwd|tmpdir|python\w*|ps\d|cdpath"
)
ITEM = "item"  # of the list that a step goes through
EFFECTS = ("none", "local", "external", "destructive")


class NotYaml(ValueError):
    """A text that is not YAML, or not YAML that can be meant (an impossible date, nesting without
    end)."""

    def __init__(self, problem: str, line: int = 1) -> None:
        super().__init__(problem)
        self.line = line


def parse_yaml(text: str) -> Any:
    """Return what a YAML text says. Raises NotYaml."""
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise NotYaml(str(getattr(error, "problem", error)), line) from error
    except (ValueError, RecursionError) as error:
        raise NotYaml(f"it cannot be meant: {error}") from error


class ProcedureError(SopwithError):
    """An sop.yaml that cannot be meant."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call with what it should bring; or, with `done` or `stop`, an end of the SOP before its
    last step."""

    id: str  # "plan.1", "commit.2", "check.1"
    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    expect: Mapping[str, Any] = field(default_factory=dict)
    save: Mapping[str, str] = field(default_factory=dict)
    note: Text = field(default_factory=dict)
    when: str = ""
    unless: str = ""
    done: Text | None = None
    stop: Text | None = None
    line: int = 0  # of the SOP's script, where a script asks for this call
    repeatable: bool = (
        False  # done a second time with the same SOPWITH_ONCE, it changes nothing more
    )
    each: str = ""  # the list for each `item` of which the call is done

    @property
    def changes_something(self) -> bool:
        """Return True for the steps behind the guards; what a plan does may be done again."""
        return self.id.startswith("commit") or self.is_staged

    @property
    def is_staged(self) -> bool:
        """Return True for the script that runs in a stage and is held against `expect` before its
        changes count."""
        return self.id == "run"


@dataclass(frozen=True, slots=True)
class Procedure:
    """Hold what stands in sop.yaml. `folder` is where it lies; `parameters` maps each name to its
    JSON schema."""

    folder: Path
    parameters: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    wordings: tuple[Wording, ...]
    requires: Mapping[str, tuple[str, ...]]
    effects: str
    steps: tuple[Step, ...]  # plan, then commit, then checks; of a script the checks alone
    result: Text  # empty when a script says it
    script: Script | None = None

    def bind(self, given: Mapping[str, Any], cwd: Path) -> dict[str, Any]:
        """Return the parameters with defaults filled in, text turned into numbers where a number is
        due, paths absolute.

        Raises ParameterError. Binding what was bound already changes nothing.
        """
        return bind(self.parameters, self.required, given, cwd)

    def takes_another_kind(self, values: Mapping[str, Any]) -> bool:
        """Return True for a file where `requires` needs a folder, or a folder for a file: the
        request does not mean it."""
        folders, files = (
            [Path(values[name]) for name in self.requires.get(kind, ()) if name in values]
            for kind in ("folders", "files")
        )
        return any(each.is_file() for each in folders) or any(each.is_dir() for each in files)

    def with_wording(self, text: str) -> Procedure:
        """Return the same with one more way to ask for it. Raises BadWording for one that cannot be
        meant."""
        found = read_wording(text, self.parameters, self.required)
        return replace(self, wordings=(*self.wordings, found))
