"""Regression cases of an SOP: parameters and what came of them, with a small copy of the inputs where that is possible.

`cases/NAME.yaml` holds `{parameters, request, run, cwd, expect: {status, result, steps, produced}}`; everything but the
parameters may be missing, and what is missing is not compared. Beside it `cases/.NAME.fixture.json` holds the inputs as
they were, with ages instead of times, so that "older than 30 days" means the same on another day. It is a hidden file:
the owner's own data is not exported. Source: docs/sop-format.md.
"""

from __future__ import annotations

import base64
import json
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from learning.scratch import path_parameters
from memory.sops import SopError

MAX_FIXTURE_BYTES = 256_000
MAX_FIXTURE_ENTRIES = 2_000
MAX_CASES = 50  # more than anybody waits for
MASKS = (  # what differs from day to day and run to run
    (re.compile(r"\d{8}-\d{6}-[0-9a-f]{4,6}"), "<id>"),
    (
        re.compile(
            r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
        ),
        "<date>",
    ),
    (re.compile(r"\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\b"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms|seconds)\b"), "<time>"),
)

Fixture = dict[str, dict[str, Any]]  # absolute path → {kind, mode, age, text | base64 | target}


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `expect` holds those of status, result, steps (statuses) and produced that are known."""

    name: str
    parameters: Mapping[str, Any]
    expect: Mapping[str, Any] = field(default_factory=dict)
    request: str = ""
    run: str = ""
    cwd: str = ""
    fixture: Fixture | None = None

    def files(self) -> dict[str, str]:
        """The case as files of the SOP's folder."""
        import yaml

        said = {"parameters": dict(self.parameters), "expect": dict(self.expect)}
        said |= {key: getattr(self, key) for key in ("request", "run", "cwd") if getattr(self, key)}
        files = {
            f"cases/{self.name}.yaml": yaml.safe_dump(
                said, allow_unicode=True, sort_keys=False, width=120
            )
        }
        if self.fixture is not None:
            files[_fixture_path(self.name)] = json.dumps(
                self.fixture, ensure_ascii=False, indent=0, sort_keys=True
            )
        return files


def read_cases(folder: Path) -> list[Case]:
    """The cases of the SOP in a folder, by name. Raises SopError, which names the file, for one that cannot be read."""
    paths = sorted((folder / "cases").glob("*.yaml"))
    return [_read(path, folder) for path in paths[:MAX_CASES]]


def capture(
    parameters: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]], extra: list[Path]
) -> Fixture | None:
    """Return what the path parameters (and `extra`) name, as it is now; None when it is too large or cannot be read."""
    found: Fixture = {}
    room, now = MAX_FIXTURE_BYTES, time.time()
    waiting = [*path_parameters(parameters, schemas), *extra]
    to_be_made: list[Path] = []
    while waiting:
        path = waiting.pop()
        if str(path) in found:
            continue
        if not os.path.lexists(path):
            to_be_made.append(path)
            continue
        try:
            entry = _entry(path, now)
            below = list(path.iterdir()) if path.is_dir() and not path.is_symlink() else []
        except OSError:
            return None
        room -= len(str(path)) + len(entry.get("text", entry.get("base64", "")))
        if room < 0 or len(found) + len(waiting) + len(below) > MAX_FIXTURE_ENTRIES:
            return None
        found[str(path)] = entry
        waiting += below
    for folder in (path.parent for path in to_be_made if path.parent.is_dir()):
        found.setdefault(str(folder), _entry(folder, now))
    return found


def restore(fixture: Fixture, folder: Path) -> None:
    """Puts a fixture into a scratch folder, below which it mirrors absolute paths. Raises SopError, OSError."""
    now, folders = time.time(), []
    for name in sorted(fixture):
        entry, place = fixture[name], folder / Path(os.path.normpath(name)).relative_to("/")
        if not os.path.normpath(name).startswith("/"):
            raise SopError(f"the fixture names {name}, which is no absolute path")
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry["kind"] == "folder":
            place.mkdir(exist_ok=True)
            folders.append((place, entry))
        elif entry["kind"] == "link":
            target = Path(os.path.normpath(Path(name).parent / entry["target"]))
            place.symlink_to(folder / target.relative_to("/"))
        else:
            data = entry["text"].encode() if "text" in entry else base64.b64decode(entry["base64"])
            place.write_bytes(data)
            place.chmod(entry["mode"])
            os.utime(place, (now - entry["age"], now - entry["age"]))
    for place, entry in reversed(folders):
        place.chmod(entry["mode"] | 0o700)
        os.utime(place, (now - entry["age"], now - entry["age"]))


def masked(value: Any) -> Any:
    """The value without dates, times and ids, for comparing what came of two runs."""
    if isinstance(value, str):
        for pattern, sign in MASKS:
            value = pattern.sub(sign, value)
        return value
    if isinstance(value, list):
        return [masked(item) for item in value]
    if isinstance(value, Mapping):
        return {masked(key): masked(item) for key, item in value.items()}
    return value


def free_name(taken: list[Case]) -> str:
    """A name for one more case: its number."""
    names = {case.name for case in taken}
    return next(
        name for number in range(1, len(names) + 2) if (name := f"case-{number}") not in names
    )


def _fixture_path(name: str) -> str:
    return f"cases/.{name}.fixture.json"


def _read(path: Path, folder: Path) -> Case:
    import yaml

    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
        beside = folder / _fixture_path(path.stem)
        fixture = json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else None
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise SopError(
            f"cases/{path.name} cannot be read: {' '.join(str(error).split())[:200]}"
        ) from error
    parameters = said.get("parameters") if isinstance(said, dict) else None
    expect = (said.get("expect") or {}) if isinstance(said, dict) else None
    if (
        not isinstance(parameters, dict)
        or not isinstance(expect, dict)
        or not isinstance(fixture, dict | None)
    ):
        raise SopError(f"cases/{path.name} must be a mapping with parameters and expect")
    texts = {key: str(said.get(key) or "") for key in ("request", "run", "cwd")}
    return Case(path.stem, parameters, expect, **texts, fixture=fixture)


def _entry(path: Path, now: float) -> dict[str, Any]:
    about = path.lstat()
    entry: dict[str, Any] = {"mode": about.st_mode & 0o777, "age": round(now - about.st_mtime, 1)}
    if path.is_symlink():
        return entry | {"kind": "link", "target": str(path.readlink())}
    if path.is_dir():
        return entry | {"kind": "folder"}
    if not path.is_file() or about.st_size > MAX_FIXTURE_BYTES:
        raise OSError(f"{path} cannot be kept")
    data = path.read_bytes()
    try:
        return entry | {"kind": "file", "text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return entry | {"kind": "file", "base64": base64.b64encode(data).decode()}
