"""Lists and reports: a table for people, in colour only on a terminal, or one JSON document for
machines."""

from __future__ import annotations

import json
import re
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ui.words import say, says

if TYPE_CHECKING:
    from rich.console import Console

NARROW = 70  # columns of a terminal that is too narrow for a table
_COLOURS = {
    "green": ("ok", "done", "active", "open", "closed", "rote"),
    "red": ("failed", "failing", "broken", "no_model", "damaged", "suspended", "refused"),
    "yellow": ("waiting", "limit", "interrupted", "overdue", "paused", "skipped", "diverged"),
    "cyan": ("working",),
}
STYLES = {word: colour for colour, words in _COLOURS.items() for word in words}  # of states


Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `styles` colours a cell by what stands in it; the column that `grows` takes the
    room that is left."""

    title: str
    style: str = ""
    styles: Mapping[str, str] = field(default_factory=dict)
    right: bool = False
    grows: bool = False


def columns(said: str, **styles: Mapping[str, str]) -> list[Column]:
    """Return columns by the names of their titles: `run:cyan cost> task*` is coloured, set to the
    right, grows. `styles` colours the cells of a column by what stands in them."""
    return [_column(each, styles) for each in said.split()]


def _column(said: str, styles: Mapping[str, Mapping[str, str]]) -> Column:
    name, _, style = said.rstrip(">*").partition(":")
    key = name if "." in name or "_" in name else f"column.{name}"
    by_cell = styles.get(name, STYLES if name == "status" else {})
    return Column(say(key), style, by_cell, said[-1] == ">", said[-1] == "*")


def worded(prefix: str) -> dict[str, str]:
    """Return the styles of states as they are said: by the texts `prefix` + state."""
    return {say(prefix + word): STYLES[word] for word in STYLES if says(prefix + word)}


def as_json(value: object, indent: int | None = None) -> str:
    """Return JSON that any reader takes: lone surrogates, which no encoding can carry, become
    `�`."""
    return re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(value, ensure_ascii=False, indent=indent))


def make_console(**options: Any) -> Console:
    """Return a console that takes text as it is: no markup, no emoji codes, nothing highlighted by
    guessing."""
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, **options)


def print_json(document: Any) -> int:
    """Print one JSON document on stdout; return the exit code 0."""
    print(as_json(document, indent=1))
    return 0


def print_list(
    args: Namespace, document: Any, said: Sequence[Column] | str, rows: Rows, none: str
) -> int:
    """Print a document with --json, else its rows as a table; return the exit code 0."""
    if args.json:
        return print_json(document)
    print_table(columns(said) if isinstance(said, str) else said, rows, none)
    return 0


def print_table(columns: Sequence[Column], rows: Rows, none: str) -> None:
    """Print the rows as a table, or the sentence `none`. In a pipe: one row a line, cells separated
    by tabs, nothing cut."""
    if not rows:
        print(none)
    elif sys.stdout.isatty():
        _print_rich(columns, rows)
    else:
        for row in rows:
            print("\t".join(row))


def _print_rich(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    console = make_console()
    if console.width < NARROW:
        for row in rows:
            _print_narrow(columns, row)
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    needed = [
        max(map(cell_len, cells)) for cells in zip([c.title for c in columns], *rows, strict=True)
    ]
    for column, width in zip(columns, _widths(columns, needed, console.width), strict=True):
        justify: Literal["left", "right"] = "right" if column.right else "left"
        table.add_column(
            column.title, style=column.style, justify=justify, no_wrap=True, width=width
        )
    for row in rows:
        cells = zip(columns, row, strict=True)
        table.add_row(*(Text(cell, each.styles.get(cell, "")) for each, cell in cells))
    console.print(table)


def _widths(columns: Sequence[Column], needed: Sequence[int], most: int) -> list[int]:
    """Return the width of each column; one that grows gets the room that the others leave."""
    pairs = list(zip(columns, needed, strict=True))
    room = most - sum(width + 2 for column, width in pairs if not column.grows)
    return [min(width, max(10, room - 2)) if column.grows else width for column, width in pairs]


def _print_narrow(columns: Sequence[Column], row: Sequence[str]) -> None:
    """Print two lines: the short cells, then the long one."""
    pairs = list(zip(columns, row, strict=True))
    print(" · ".join(cell for column, cell in pairs if cell and not column.grows))
    for _, cell in (pair for pair in pairs if pair[0].grows):
        print(f"  {cell}")
