"""The table of dialects (assets/models/dialects.json), compiled at first use."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).parents[2] / "assets" / "models" / "dialects.json"


class Mark(NamedTuple):
    """One row: what opens calls and what closes them."""

    close: re.Pattern[str]
    is_own: bool
    needs_offer: bool
    is_open: bool  # the end of the text closes it too


class Marks(NamedTuple):
    """The table. Group `m0`, `m1` … of `opens` names the row that matched."""

    rows: tuple[Mark, ...]
    opens: re.Pattern[str]
    silent: re.Pattern[str]
    shows: re.Pattern[str]
    announces: re.Pattern[str]
    offers: re.Pattern[str]
    thoughts: dict[str, str]  # what opens them, and what closes them

    def row(self, match: re.Match[str]) -> Mark:
        """Return the row of a match of `opens`."""
        return self.rows[int((match.lastgroup or "m0")[1:])]


@cache
def marks() -> Marks:
    """Read and compile the table."""
    table = json.loads(TABLE.read_text("utf-8"))
    rows = table["marks"]
    opens = "|".join(f"(?P<m{at}>{row['open']})" for at, row in enumerate(rows))
    return Marks(
        tuple(
            Mark(
                re.compile(row["close"], re.M),
                row.get("own", False),
                row.get("needs_offer", False),
                row["close"].endswith("\\Z"),
            )
            for row in rows
        ),
        re.compile(opens, re.M),
        re.compile("|".join(f"(?:{each})" for each in table["silent"]), re.S),
        re.compile(table["shows"], re.I),
        re.compile(table["announces"], re.I),
        re.compile(table["offers"], re.I),
        dict(table["thoughts"]),
    )
