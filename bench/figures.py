"""Write all figures of the project as one table, each beside a simple way and beside the last time.

    python -m bench.figures [--data DIR] [--only NAME]… [--last FILE] [--json]
    python -m bench.figures --only NAME --without assets/recall_weights.json:names

The collections lie outside the repository (`--data`, default `../shared/data`); an absent one is
said to be absent. `--without FILE` empties a data file in a copy of the checkout, `--without
FILE:ROW` one row, key or line of it, and shows what changes; the product knows nothing of it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.places import CACHE, DATA, Figure
from bench.without import figures_without

# Name → module and function that score it, and the file of the data that it needs; "" stands in the
# repository.
SCORERS: dict[str, tuple[str, str, str]] = {
    "recordings": ("bench.recordings", "score", "recordings-dev.json"),
    "model_runs": ("bench.model_runs", "score", "recordings-dev.json"),
    "drift": ("bench.drift", "score", ""),
    "requests": ("bench.requests", "score", "requests-dev.json"),
    "times": ("bench.times", "score", "timewords-dev.json"),
    "locomo": ("bench.talks", "score_locomo", "locomo-dev.json"),
    "madial": ("bench.talks", "score_madial", "madial-dev.json"),
    "wires": ("bench.wires", "score", "wire"),
    "routing": ("bench.routing", "score", ""),
    "gate": ("bench.guards", "score_gate", ""),
    "redaction": ("bench.guards", "score_redaction", ""),
    "injection": ("bench.guards", "score_injection", ""),
    "loop": ("bench.guards", "score_loop", ""),
}


def measured(names: list[str], data: Path) -> tuple[list[Figure], dict[str, str]]:
    """Return the figures, and why those that are missing are missing."""
    figures: list[Figure] = []
    absent: dict[str, str] = {}
    for name in names:
        module, function, file = SCORERS[name]
        if importlib.util.find_spec(module) is None:
            absent[name] = f"no {module}"
        elif not (data / file).exists():
            absent[name] = f"no {data / file}"
        else:
            began = time.monotonic()
            figures += getattr(importlib.import_module(module), function)(data)
            print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return figures, absent


def table(figures: list[Figure], last: dict[str, float], absent: dict[str, str]) -> str:
    """Return the figures as text."""
    lines = [f"{'':44}{'now':>16}{'simple way':>14}{'last':>10}"]
    for each in figures:
        before = f"{last[each.name]:g}" if each.name in last else ""
        beside = "" if each.baseline is None else f"{each.baseline:g}"
        lines.append(f"{each.name:44}{_value(each):>16}{beside:>14}{before:>10}")
    lines += [f"{name}: absent, {why}" for name, why in absent.items()]
    return "\n".join(lines)


def _value(figure: Figure) -> str:
    if figure.of is None:
        return f"{figure.value:g} {figure.unit}".strip()
    return f"{figure.value:g} of {figure.of}"


def read_last(file: Path) -> dict[str, float]:
    """Return the figures of the last time by name."""
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}


def main(arguments: list[str] | None = None) -> int:
    """Measure what is asked for and print it."""
    options = _parser().parse_args(arguments)
    names = options.only or list(SCORERS)
    last = read_last(options.last)
    if options.without:
        last = {each.name: each.value for each in measured(names, options.data)[0]}
        figures, absent = figures_without(options.without, names, options.data)
    else:
        figures, absent = measured(names, options.data)
    if options.json:
        document: dict[str, Any] = {"figures": [asdict(each) for each in figures]}
        print(json.dumps(document | {"absent": absent, "last": last}, ensure_ascii=False, indent=1))
    else:
        print(table(figures, last, absent))
    if not options.without and not options.keep_last:
        options.last.parent.mkdir(parents=True, exist_ok=True)
        kept = last | {each.name: each.value for each in figures}
        options.last.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections")
    parser.add_argument("--only", action="append", choices=list(SCORERS), help="this one alone")
    parser.add_argument("--last", type=Path, default=CACHE / "last.json", help="figures before")
    parser.add_argument("--keep-last", action="store_true", help="do not write them anew")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--without", metavar="PART", help="a data file, or FILE:ROW of it")
    return parser


if __name__ == "__main__":
    sys.exit(main())
