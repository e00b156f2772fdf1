"""Measure a checkout from which one data file, or one row of it, is taken out."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.places import CHECKOUT, Figure


def figures_without(part: str, names: list[str], data: Path) -> tuple[list[Figure], dict[str, str]]:
    """Return the figures of a copy without `FILE` or `FILE:ROW`, and what is absent."""
    file, _, row = part.partition(":")
    with tempfile.TemporaryDirectory(prefix="sopwith-without-") as folder:
        copy = Path(folder) / "checkout"
        _copy(copy)
        take_out(copy / file, row)
        only = [word for name in names for word in ("--only", name)]
        options = ["--json", "--keep-last", "--data", str(data.resolve()), *only]
        done = subprocess.run(
            [sys.executable, "-m", "bench.figures", *options],
            cwd=copy,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    found = json.loads(done.stdout)
    return [Figure(**each) for each in found["figures"]], found["absent"]


def _copy(target: Path) -> None:
    """Copy the files of the checkout that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.split("\0"):
        if (CHECKOUT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, target / name)


def take_out(file: Path, row: str) -> None:
    """Empty a data file, or switch one row of it off: a key of JSON, a line that begins so.

    Raises SystemExit when there is no such file or row.
    """
    if not file.is_file() or file.suffix == ".py":
        raise SystemExit(f"--without takes a data file of the checkout, and {file.name} is none")
    text = file.read_text("utf-8")
    if file.suffix == ".json":
        read = json.loads(text)
        without, count = _without_key(read, row) if row else (type(read)(), 1)
        changed = json.dumps(without, ensure_ascii=False)
    else:
        lines = text.splitlines(keepends=True)
        kept = [line for line in lines if row and not line.startswith(row)]
        changed, count = "".join(kept), len(lines) - len(kept)
    if not count:
        raise SystemExit(f"{file.name} has no {row!r}")
    file.write_text(changed, "utf-8")


def _without_key(value: Any, key: str) -> tuple[Any, int]:
    """Return the value with each `key` at any depth as nothing of its type, and how many there
    were."""
    if isinstance(value, list):
        parts = [_without_key(each, key) for each in value]
        return [part for part, _ in parts], sum(count for _, count in parts)
    if not isinstance(value, dict):
        return value, 0
    found = {name: _without_key(each, key) for name, each in value.items() if name != key}
    result = {name: part for name, (part, _) in found.items()}
    count = sum(each for _, each in found.values())
    if key in value:
        return result | {key: type(value[key])()}, count + 1
    return result, count
