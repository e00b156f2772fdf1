"""Read the tables of a test module: tests/rows/test_x.txt has tables `== name` with a JSON value a line."""

import functools
import json
from pathlib import Path
from typing import Any


@functools.cache
def _tables(module: str) -> dict[str, list[Any]]:
    tables: dict[str, list[Any]] = {}
    name = ""
    text = (Path(__file__).parent / f"{module}.txt").read_text("utf-8")
    for line in filter(None, text.split("\n")):
        if line.startswith("== "):
            name = line.removeprefix("== ")
            tables[name] = []
        elif not line.startswith("# "):
            tables[name].append(json.loads(line))
    return tables


def rows(module: str, table: str) -> list[Any]:
    """Return the rows of one table of a module, which is named by its `__name__`."""
    return _tables(module.rpartition(".")[2])[table]
