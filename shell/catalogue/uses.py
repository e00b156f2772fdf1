"""Tell what one command line does by the rows of its program: the longest row that fits, else its verbs, else its default."""

from __future__ import annotations

import re
from typing import NamedTuple

from shell.catalogue import verbs
from shell.catalogue.options import Values, fits, has_option, operands
from shell.catalogue.packs import EFFECTS, Entry, Row, entry

_HELP = {"--help", "--version", "-h", "-V", "help", "-version", "-help", "version"}
_NO_HELP = {"find", "shutdown"}
_DRY = re.compile(
    r"--?(dry-?run(=(client|server|true|all))?|just-print|syntax-check|check-only|whatif|what-if|plan-only|preview)"
)
_LOCAL = {"read", "delete", "rights", "unknown", "catastrophic", "local"}
_RUN_OTHERS = {"runs", "code", "runs_remote"}
_ORDINARY_MODE = re.compile(
    r"0?[67][0-7][045]|[ug]*\+[rwxX]+|a?\+[rxX]+|[go]+-[rwx]+|[ug]+=[rwxX]+"
)


class Use(NamedTuple):
    """Tell what a command line does. `kind` is an effect, or "local"; `is_local`: it reaches this machine's files alone."""

    kind: str
    verb: str = ""
    is_local: bool = True


def use_of(name: str, values: Values) -> Use:
    """Return what a command line does by its name, its first words and its options."""
    known = entry(name)
    plain = operands(known, values)
    verb = next(filter(None, plain), "")
    if _asks_for_help(name, known, values):
        return Use("read", verb)
    if known is None:
        kind = verbs.of_stranger(name, plain)
        return Use(kind or "local", verb, is_local=kind != "send")
    kind = _by_rows(known, values, plain)
    is_remote = "verbs" in known.more or kind not in _LOCAL
    return Use(kind, verb, is_local=not is_remote)


def _asks_for_help(name: str, known: Entry | None, values: Values) -> bool:
    runs_others = known is not None and bool(_RUN_OTHERS & known.more.keys())
    only_asks = bool(values) and all(value in _HELP for value in values)
    is_helper = only_asks and name not in _NO_HELP
    return is_helper or ("--help" in values and not runs_others)


def _by_rows(known: Entry, values: Values, plain: list[str | None]) -> str:
    if _is_dry(known, values[: list(values).index("--")] if "--" in values else values):
        return "read"
    if "modes" in known.more:
        return _of_mode(plain)
    if "transfers" in known.more and (kind := verbs.transfer(known, plain)):
        return kind
    best = _best_row(known, values, plain)
    if best is not None and (best.size or "verbs" not in known.more):
        return best.effect
    return _without_row(known, plain)


def _best_row(known: Entry, values: Values, plain: list[str | None]) -> Row | None:
    """Return the row that names most of the command line; the groups of a tool (`docker image`) may stand first."""
    groups = known.listed("groups")
    named = [word for word in plain if word not in groups]
    ways = [plain, named] if groups else [plain]
    found = [row for way in ways for row in known.rows if fits(known, row, values, way)]
    return max(found, key=lambda row: (row.size, -EFFECTS.index(row.effect)), default=None)


def _is_dry(known: Entry, values: Values) -> bool:
    if not known.dry.isdisjoint(values):
        return True
    if any(value and _DRY.fullmatch(value) for value in values):
        return "verbs" in known.more
    return any(len(option) == 2 and has_option(known, option, values) for option in known.dry)


def _of_mode(plain: list[str | None]) -> str:
    modes = (plain[0] or "?").split(",") if plain else []
    return "local" if all(map(_ORDINARY_MODE.fullmatch, modes)) else "rights"


def _without_row(known: Entry, plain: list[str | None]) -> str:
    given = str(known.more.get("any", ""))
    if "verbs" in known.more:
        return verbs.judge(known, plain) if plain or given != "verb" else "read"
    if "runs_task" in known.more:
        return "send" if verbs.task(_task_words(known, plain)) else "local"
    return given or "local"


def _task_words(known: Entry, plain: list[str | None]) -> list[str | None]:
    """Return the words behind `npm run`; nothing of `npm test`."""
    first = known.listed("runs_task")
    is_named = bool(plain) and plain[0] in first
    is_bare = "tasks_bare" in known.more and bool(plain) and not is_named
    if not first or is_bare:
        return plain
    return plain[1:] if is_named else []
