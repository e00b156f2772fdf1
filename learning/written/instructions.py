"""Hold what a text says: the lines of its script, the parameters that they name, what is not
understood."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from learning.induce import written
from learning.wording import schema_of
from replay.procedure import BUILT_IN, UNSAFE_NAME
from text import names

PLACEHOLDER = re.compile(
    r"<([A-Za-z][A-Za-z0-9_ -]{0,30})>|(?<![\$\w}])\{([a-z][a-z0-9_]{0,30})\}|\[([A-Z][A-Z0-9_]{1,30})\]"
)
_VARIABLE = re.compile(r"\$(?:([A-Za-z][A-Za-z0-9_]*)|\{([A-Za-z][A-Za-z0-9_]*)[}:])")
_SET = re.compile(
    r"(?:^|[\s;&|({])(?:(?:export|local|readonly|declare)\s+)?([A-Za-z_]\w*)=|"
    r"\b(?:for|select)\s+(\w+)\b|\bread\s+(?:-\w+\s+)*(\w+)"
)
_UNREAD = re.compile(r"\\.|\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?<!\S)#[^\n]*", re.DOTALL)
_ENVIRONMENT = names(
    "HOME PATH USER PWD SHELL LANG TMPDIR HOSTNAME OLDPWD RANDOM SECONDS EDITOR TERM UID IFS "
    "REPLY LOGNAME BASH PPID"
)
_TYPES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("(.*_)?(folder|dir|directory|path|file|filename|target|source|src|dest|destination|output|input|log|repo|archive)(_path|_dir|_file)?", {"type": "string", "format": "path"}),
    ("(.*_)?(days?|count|number|num|n|limit|port|hours?|minutes?|weeks?|lines?|size|depth|max|min|top|keep|age|pages?|width|height)", {"type": "integer", "minimum": 0}),
    ("(.*_)?date", {"type": "string", "format": "date"}),
    ("(.*_)?url", {"type": "string", "format": "url"}),
)  # fmt: skip


@dataclass(slots=True)
class Instructions:
    """Hold what a text says. `is_whole`: a script, which decides itself when it fails."""

    title: str = ""
    lines: list[str] = field(default_factory=list)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    is_whole: bool = False

    @property
    def request(self) -> str:
        """Return the title as a request, with slots in the places of its placeholders."""
        slots = PLACEHOLDER.sub(
            lambda found: f"{{{self.parameter(next(filter(None, found.groups())))}}}", self.title
        )
        return slots[:1].lower() + slots[1:] if "{" in slots else ""

    def call(self, title: str) -> None:
        """Take a title, unless there is one."""
        self.title = self.title or title

    def parameter(self, wish: str, example: str = "") -> str:
        """Return the name of the parameter for a placeholder; it is made when first met."""
        name = re.sub(r"[^a-z0-9]+", "_", wish.lower()).strip("_") or "value"
        if name in BUILT_IN or UNSAFE_NAME.fullmatch(name) or not name[0].isalpha():
            name = f"the_{name}"
        if name not in self.parameters:
            self.parameters[name] = _schema(name, example)
        return name

    def default(self, name: str, example: str) -> None:
        """Give a parameter the value that the text has for it."""
        schema = self.parameters[name]
        if schema["type"] == "string":
            schema["default"] = example
        elif re.fullmatch(r"\d{1,9}", example):
            schema["default"] = int(example)

    def add(self, script: str, number: int) -> None:
        """Take a piece of shell: its placeholders and unset variables are parameters."""
        marks: dict[str, str] = {}

        def mark(found: re.Match[str]) -> str:
            token = f"SOPWITH{len(marks)}MARK"
            marks[token] = self.parameter(next(filter(None, found.groups())))
            return token

        made = PLACEHOLDER.sub(mark, script)
        for token, name in marks.items():
            made = written(made, {name: [token]}).text
        if re.search(r"SOPWITH\d+MARK", made):
            self.problems.append(
                f"line {number}: a placeholder stands where no value can be put in"
            )
            return
        self.lines.append(self.with_arguments(self.with_unset(made), {}, {}))

    def with_unset(self, script: str) -> str:
        """Return a script whose unset variables come from parameters of their name."""
        asked = _named(_VARIABLE, without_quoted(script))
        known = {*_named(_SET, script), *_ENVIRONMENT, *BUILT_IN, *self.parameters}
        names = {name: self.parameter(name) for name in asked if name not in known}
        first = [f'{name}="${taken}"' for name, taken in names.items() if name != taken]
        return "\n".join([*first, script])

    def with_arguments(
        self, script: str, names: Mapping[int, str], taken: Mapping[int, str]
    ) -> str:
        """Return a script with parameters for `$1`; `taken` ones are parameters already."""
        plain = without_quoted(script)
        used = {int(a or b) for a, b in re.findall(r"\$(?:([1-9])|\{([1-9])[}:#%/-])", plain)}
        if not used and not (taken and "$#" in plain):
            return script
        numbers = range(1, max(used | taken.keys()) + 1)
        found = [taken.get(n) or self.parameter(names.get(n, f"argument{n}")) for n in numbers]
        return "set -- " + " ".join(f'"${name}"' for name in found) + f"\n{script}"


def _named(form: re.Pattern[str], script: str) -> dict[str, None]:
    """Return the variables in the groups of a form, each once."""
    return dict.fromkeys(filter(None, chain.from_iterable(form.findall(script))))


def without_quoted(script: str) -> str:
    """Return a script without what stands in single quotes: that is for awk and the like."""
    return _UNREAD.sub(lambda found: "" if found[0][0] in "'\\#" else found[0], script)


def _schema(name: str, example: str) -> dict[str, Any]:
    plain = re.sub(r"\d$", "", name)
    for pattern, schema in _TYPES:
        if re.fullmatch(pattern, plain):
            return dict(schema)
    if example:
        return schema_of(example)
    return {"type": "string", "minLength": 1, "pattern": "^[^-]"}
