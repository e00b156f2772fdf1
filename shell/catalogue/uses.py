"""Tell what one command line does by the rows of its program: the longest row that fits, else its
verbs, else its default."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

from shell.catalogue import verbs
from shell.catalogue.options import Values, fits, given_options, operands
from shell.catalogue.packs import EFFECTS, Entry, Row, entry
from text import pattern

_HELP = frozenset(["--help", "--version", "-h", "-V", "help", "-version", "-help", "version"])
_NO_HELP = {"find", "shutdown"}
_DRY = pattern(
    r"--?(dry-?run(=(client|server|true|all))?|just-print|syntax-check|check-only|whatif|what-if|plan-only|preview)"
)
_LOCAL = {"read", "delete", "rights", "unknown", "catastrophic", "local"}
_RUN_OTHERS = {"runs", "code", "runs_remote"}
_ORDINARY_MODE = pattern(r"0?[67][0-7][045]|[ug]*\+[rwxX]+|a?\+[rxX]+|[go]+-[rwx]+|[ug]+=[rwxX]+")


class Use(NamedTuple):
    """Tell what a command line does. `kind` is an effect, or "local"; `is_local`: it reaches this
    machine's files alone."""

    kind: str
    verb: str = ""
    is_local: bool = True


def use_of(name: str, values: Values) -> Use:
    """Return what a command line does by its name, its first words and its options; nothing of a
    stranger."""
    known = entry(name) or Entry(name)
    plain = operands(known, values)
    verb = next(filter(None, plain), "")
    kind = "read" if _asks_for_help(known, values) else _by_rows(known, values, plain)
    local = {"read"} if "verbs" in known.more else _LOCAL
    return Use(kind, verb, is_local=kind in local)


def _asks_for_help(known: Entry, values: Values) -> bool:
    if not values or known.name in _NO_HELP:
        return False
    if _HELP.issuperset(values):
        return True
    return "--help" in values and _RUN_OTHERS.isdisjoint(known.more)


def _by_rows(known: Entry, values: Values, plain: list[str | None]) -> str:
    if _is_dry(known, itertools.takewhile(lambda value: value != "--", values)):
        return "read"
    if "modes" in known.more:
        return _of_mode(plain)
    copied = verbs.transfer(known, plain) if "transfers" in known.more else ""
    if copied:
        return copied
    best = _best_row(known, values, plain)
    return best.effect if best else _without_row(known, plain)


def _best_row(known: Entry, values: Values, plain: list[str | None]) -> Row | None:
    """Return the row that names most of the command line; the groups of a tool (`docker image`) may
    stand first."""
    groups, given = known.listed("groups"), given_options(known, values)
    named = [word for word in plain if word not in groups]
    found = [row for way in (plain, named) for row in known.rows if fits(row, given, values, way)]
    return max(found, key=lambda row: (row.size, -EFFECTS.index(row.effect)), default=None)


def _is_dry(known: Entry, values: Iterable[str | None]) -> bool:
    given = list(filter(None, values))
    if not known.dry.isdisjoint(given):
        return True
    if any(map(_DRY.fullmatch, given)):
        return "verbs" in known.more
    letters = {option for option in known.dry if len(option) == 2}
    return not letters.isdisjoint(given_options(known, given))


def _of_mode(plain: list[str | None]) -> str:
    modes = (plain[0] or "?").split(",") if plain else []
    return "local" if all(map(_ORDINARY_MODE.fullmatch, modes)) else "rights"


def _without_row(known: Entry, plain: list[str | None]) -> str:
    given = str(known.more.get("any", "local"))
    if "runs_task" in known.more:
        return "send" if verbs.task(_task_words(known, plain)) else "local"
    if "verbs" not in known.more:
        return given
    if given == "verb" and not plain:
        return "read"
    return verbs.judge(known, plain)


def _task_words(known: Entry, plain: list[str | None]) -> list[str | None]:
    """Return the words behind `npm run`; nothing of `npm test`."""
    first = known.listed("runs_task")
    if not first:
        return plain
    if plain[:1] in [[word] for word in first]:
        return plain[1:]
    return plain if "tasks_bare" in known.more else []
