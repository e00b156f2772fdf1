"""Lists and reports: a table for people, in colour only on a terminal, or one JSON document for machines."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ui.plain import as_json


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `styles` colours a cell by what stands in it; the column that `grows` takes the room that is left."""

    title: str
    style: str = ""
    styles: Mapping[str, str] = field(default_factory=dict)
    right: bool = False
    grows: bool = False


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    print(as_json(document, indent=1))


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], none: str) -> None:
    """The rows as a table, or the sentence `none`. In a pipe: one row a line, cells separated by tabs, nothing cut."""
    if not rows:
        print(none)
    elif sys.stdout.isatty():
        _print_rich(columns, rows)
    else:
        for row in rows:
            print("\t".join(row))


def _print_rich(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from ui.terminal import make_console

    console = make_console()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(
            column.title,
            style=column.style,
            justify="right" if column.right else "left",
            no_wrap=True,
            overflow="ellipsis" if column.grows else "fold",
            ratio=1 if column.grows and console.width >= 100 else None,
        )
    for row in rows:
        table.add_row(*(Text(cell, each.styles.get(cell, "")) for each, cell in zip(columns, row, strict=True)))
    console.print(table)
