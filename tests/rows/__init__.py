"""Read the tables of a test module: tests/rows/test_x.txt has tables `== name` with a JSON value a
line.

A table `== name: first, second` gives its rows to the arguments of `test_name`, which is marked
with `@cases`.
"""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., None])


@functools.cache
def _tables(module: str) -> dict[str, tuple[str, list[Any]]]:
    tables: dict[str, tuple[str, list[Any]]] = {}
    table: list[Any] = []
    text = (Path(__file__).parent / f"{module.rpartition('.')[2]}.txt").read_text("utf-8")
    for line in filter(None, text.split("\n")):
        if line.startswith("== "):
            name, _, arguments = line.removeprefix("== ").partition(": ")
            tables[name] = arguments, (table := [])
        elif not line.startswith("# "):
            table.append(json.loads(line, object_hook=_repeated))
    return tables


def _repeated(value: dict[str, Any]) -> Any:
    """Return the long text that `{"repeat": "x", "times": 400}` stands for."""
    return value["repeat"] * value["times"] if value.keys() == {"repeat", "times"} else value


def rows(module: str, table: str) -> list[Any]:
    """Return the rows of one table of a module, which is named by its `__name__`."""
    return _tables(module)[table][1]


def cases(test: Test) -> Test:
    """Run a test once for each row of the table that has its name."""
    arguments, table = _tables(test.__module__)[test.__name__.removeprefix("test_")]
    marked: Test = pytest.mark.parametrize(arguments, table)(test)
    return marked
