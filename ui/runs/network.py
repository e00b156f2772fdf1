"""The page of what went where on the network: `runs show RUN --network`."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from config import Config
from ui.lists import columns, print_list, worded
from ui.sanitise import one_line
from ui.words import say


def show(run: str, args: Namespace, config: Config) -> int:
    """Print a line for each way that the scripts of a run asked for."""
    from sandbox.network import read

    rows = list(read(config.home / "runs" / run))
    heads = columns("at host:cyan* address state sent> received>", state=worded("network."))
    cells = [_cells(row) for row in rows]
    return print_list(args, {"run": run, "network": rows}, heads, cells, say("network.none"))


def _cells(row: dict[str, Any]) -> list[str]:
    host = one_line(f"{row['host']}:{row['port']}", 200)
    state, why = say(f"network.{row['state']}"), one_line(str(row.get("why", "")), 200)
    moved = [f"{row[key]:,}" if key in row else "" for key in ("up", "down")]
    return [row["at"][:19], host, row.get("address") or why, state, *moved]
