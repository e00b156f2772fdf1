"""Regression cases of an SOP: parameters and what came of them.

`cases/NAME.yaml` holds `{parameters, request, run, cwd, expect: {status, result, produced,
inputs}}`; everything but the parameters may be missing. `inputs` names the parameters that must be
there. Source: docs/sop-format.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.sops import SopError

MAX_CASES = 50  # more than anybody waits for
_DAY = r"\d{4}-\d{2}-\d{2}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
MASKS = (  # what differs from day to day and run to run
    (re.compile(r"\d{8}-\d{6}-[0-9a-f]{4,6}"), "<id>"),
    (re.compile(rf"{_DAY}(?:[T ]{_CLOCK}(?:Z|[+-]\d{{2}}:?\d{{2}})?)?"), "<date>"),
    (re.compile(rf"\b{_CLOCK}\b"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms|seconds)\b"), "<time>"),
)
TEXTS = ("request", "run", "cwd")


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `expect` holds those of status, result, produced and inputs that are known."""

    name: str
    parameters: Mapping[str, Any]
    expect: Mapping[str, Any] = field(default_factory=dict)
    request: str = ""
    run: str = ""
    cwd: str = ""

    def files(self) -> dict[str, str]:
        """Return the case as files of the SOP's folder."""
        import yaml

        said = {"parameters": dict(self.parameters), "expect": dict(self.expect)}
        said |= {key: getattr(self, key) for key in TEXTS if getattr(self, key)}
        text = yaml.safe_dump(said, allow_unicode=True, sort_keys=False, width=120)
        return {f"cases/{self.name}.yaml": text}


def read_cases(folder: Path) -> list[Case]:
    """Return the cases of the SOP in a folder, by name. Raises SopError."""
    paths = sorted((folder / "cases").glob("*.yaml"))
    return [_read(path) for path in paths[:MAX_CASES]]


def _read(path: Path) -> Case:
    import yaml

    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())[:200]
        raise SopError("error.learning.cases-cannot-read", name=path.name, error=why) from error
    said = said if isinstance(said, dict) else {}
    parameters, expect = said.get("parameters"), said.get("expect") or {}
    if not isinstance(parameters, dict) or not isinstance(expect, dict):
        raise SopError("error.learning.cases-must-mapping-parameters", name=path.name)
    texts = {key: str(said.get(key) or "") for key in TEXTS}
    return Case(path.stem, parameters, expect, **texts)


def masked(value: Any) -> Any:
    """Return a value without dates, times and ids, for comparing what came of two runs."""
    if isinstance(value, str):
        for pattern, sign in MASKS:
            value = pattern.sub(sign, value)
        return value
    if isinstance(value, list):
        return [masked(item) for item in value]
    if isinstance(value, Mapping):
        return {masked(key): masked(item) for key, item in value.items()}
    return value


def free_name(taken: Sequence[Case]) -> str:
    """Return a name for one more case: its number."""
    names, number = {case.name for case in taken}, 1
    while f"case-{number}" in names:
        number += 1
    return f"case-{number}"
