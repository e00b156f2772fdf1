"""Tell what one command line does by the rows of its program: the longest row that fits, else its verbs, else its default."""

from __future__ import annotations

import re
from typing import NamedTuple

from shell.catalogue import verbs
from shell.catalogue.options import Values, fits, has_option, operands
from shell.catalogue.packs import EFFECTS, Entry, entry

_HELP = {"--help", "--version", "-h", "-V", "help", "-version", "-help", "version"}
_NO_HELP = {"find", "shutdown"}
_DRY = re.compile(
    r"--?(dry-?run(=(client|server|true|all))?|just-print|syntax-check|check-only|whatif|what-if|plan-only|preview)"
)
_HARD_OPTION = re.compile(
    r"--(delete|purge|drop|destroy|wipe|erase|nuke|reset|clear|flush)(-(all|everything|data|database|db|offsets|disk))"
    r"|--(purge|destroy|wipe|erase|nuke|factory-reset)"
)
_LOCAL = {"read", "delete", "rights", "unknown", "catastrophic"}
_ORDINARY_MODE = re.compile(
    r"0?[67][0-7][045]|[ug]*\+[rwxX]+|a?\+[rxX]+|[go]+-[rwx]+|[ug]+=[rwxX]+"
)


class Use(NamedTuple):
    """Hold what a command line does. `kind` is an effect, or "local"; `is_local`: it reaches this
    machine's files alone."""

    kind: str
    verb: str = ""
    is_local: bool = True


def use_of(name: str, values: Values) -> Use:
    """Return what a command line does by its name, its first words and its options."""
    known = entry(name)
    plain = operands(known, values)
    verb = next((word for word in plain if word), "")
    if name not in _NO_HELP and _only_asks(values):
        return Use("read", verb)
    runs_others = known is not None and {"runs", "code", "runs_remote"} & known.more.keys()
    if "--help" in values and not runs_others:
        return Use("read", verb)
    if known is None:
        kind = _hard_option(values) or verbs.of_stranger(name, plain)
        return Use(kind or "local", verb, is_local=kind != "send")
    kind = _by_rows(known, values, plain)
    is_remote = "verbs" in known.more or kind not in (*_LOCAL, "local")
    return Use(kind, verb, is_local=not is_remote)


def _only_asks(values: Values) -> bool:
    asked = {value for value in values if value is not None}
    return bool(values) and asked <= _HELP and len(asked) == len(values)


def _hard_option(values: Values) -> str:
    found = any(value and _HARD_OPTION.fullmatch(value) for value in values)
    return "delete" if found else ""


def _by_rows(known: Entry, values: Values, plain: list[str | None]) -> str:
    before = values[: list(values).index("--")] if "--" in values else values
    if any(option in known.dry for option in before if option) or _is_dry(known, before):
        return "read"
    groups = set(known.listed("groups"))
    named = [word for word in plain if word not in groups] if groups else plain
    found = [row for row in known.rows if fits(known, row, values, plain)]
    if groups:
        found += [row for row in known.rows if fits(known, row, values, named)]
    best = max(found, key=lambda row: (row.size, -EFFECTS.index(row.effect)), default=None)
    if "modes" in known.more:
        return _of_mode(plain)
    if "transfers" in known.more and (kind := verbs.transfer(known, plain)):
        return kind
    if best is not None and (best.size or "verbs" not in known.more):
        return best.effect
    return _without_row(known, values, plain)


def _is_dry(known: Entry, values: Values) -> bool:
    if any(value and _DRY.fullmatch(value) for value in values):
        return "verbs" in known.more
    return any(len(option) == 2 and has_option(known, option, values) for option in known.dry)


def _of_mode(plain: list[str | None]) -> str:
    modes = (plain[0] or "?") if plain else ""
    is_ordinary = all(_ORDINARY_MODE.fullmatch(mode) for mode in modes.split(","))
    return "local" if is_ordinary or not plain else "rights"


def _without_row(known: Entry, values: Values, plain: list[str | None]) -> str:
    given = str(known.more.get("any", ""))
    if "verbs" in known.more:
        return verbs.judge(known, plain) if plain or given != "verb" else "read"
    if "runs_task" in known.more:
        task = _task_words(known, plain)
        return "send" if verbs.task(task) else "local"
    return given or "local"


def _task_words(known: Entry, plain: list[str | None]) -> list[str | None]:
    """The words behind `npm run`; nothing of `npm test`."""
    first = known.listed("runs_task")
    if not first or ("tasks_bare" in known.more and plain and plain[0] not in first):
        return plain
    return plain[1:] if plain and plain[0] in first else []
