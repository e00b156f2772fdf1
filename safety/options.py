"""Which rows of the table fit a command line, and what its options and operands are."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from safety.expand import Arg
from safety.tables import TABLE, VALUED, Risk

_SAME = {"mamba": "conda", "micromamba": "conda", "pip2": "pip", "podman-compose": "docker-compose", "gtar": "tar", "gfind": "find", "gsed": "sed", "nodejs": "node"}  # fmt: skip


def value_of(values: list[str | None], option: str) -> str | None:
    """What stands behind an option."""
    return values[values.index(option) + 1] if option in values[:-1] else None


def matches(name: str, values: list[str | None]) -> Iterator[tuple[Risk, str]]:
    """The rows of the table that fit a command; each risk once."""
    table = rows_by_name()
    name = _SAME.get(name, name)
    rows = table.get(name, []) + [row for start, row in _prefix_rows() if name.startswith(start)]
    if not rows:
        return
    operands = operands_of(name, values)
    seen = set()
    for parts, risk, reason in rows:
        plain = [part for part in parts if not part.startswith("-") or part == "--"]
        options = [part for part in parts if part.startswith("-") and part != "--"]
        fits = all(_has_plain(part, n, operands, values) for n, part in enumerate(plain))
        if (
            fits
            and all(_has_option(name, option, values) for option in options)
            and risk not in seen
        ):
            seen.add(risk)
            yield risk, reason


def _has_plain(part: str, at: int, operands: list[str | None], values: list[str | None]) -> bool:
    if part in ("--", "."):
        return part in values
    if at >= len(operands):
        return False
    operand = operands[at]
    if operand is None:
        return True  # a subcommand that is only known when it runs could be this one
    return operand.startswith(part[:-1]) if part.endswith("*") else operand == part


def _has_option(name: str, option: str, values: list[str | None]) -> bool:
    letter = option[1] if len(option) == 2 and name != "find" else ""
    valued = {item[1] for item in VALUED.get(name, "").split() if len(item) == 2}
    for value in values:
        if value is None or not value.startswith("-"):
            continue
        if option.endswith("*") and value.startswith(option[:-1]):
            return True
        if value == option or value.startswith(option + "="):
            return True
        if letter and (cluster := re.match(r"-([A-Za-z]+)", value)):
            for found in cluster[1]:
                if found == letter:
                    return True
                if found in valued:
                    break
    return False


@functools.cache
def rows_by_name() -> dict[str, list[tuple[list[str], Risk, str]]]:
    table: dict[str, list[tuple[list[str], Risk, str]]] = {}
    for risk, reason, patterns in TABLE:
        for row in patterns.split(";"):
            name, *parts = row.split()
            table.setdefault(name, []).append((parts, risk, reason))
    return table


@functools.cache
def _prefix_rows() -> list[tuple[str, tuple[list[str], Risk, str]]]:
    return [
        (name[:-1], row)
        for name, rows in rows_by_name().items()
        if name.endswith("*")
        for row in rows
    ]


def operands_of(name: str, values: list[str | None]) -> list[str | None]:
    listed = [name, *values]
    end = listed.index("--", 1) if "--" in values else len(listed)  # behind it all are operands
    valued = VALUED.get(name, "").split()
    return [
        value
        for at, value in enumerate(listed)
        if at
        and listed[at - 1] not in valued
        and (at > end or value is None or value == "-" or value[:1] != "-")
    ]


def is_operand(name: str, values: list[str | None], at: int) -> bool:
    value = values[at]
    if value is not None and value.startswith("-") and value != "-" and "--" not in values[1:at]:
        return False
    return values[at - 1] not in VALUED.get(name, "").split()


def option_values(args: list[Arg], values: list[str | None], options: list[str]) -> list[Arg]:
    found = [args[at + 1] for at, value in enumerate(values[:-1]) if value in options]
    glued = [arg for arg in args if "=" in arg.start and arg.start.partition("=")[0] in options]
    return found + [cut(arg, arg.start.index("=") + 1) for arg in glued]


def cut(arg: Arg, length: int) -> Arg:
    """The value of `name=value`."""
    return Arg(
        None if arg.text is None else arg.text[length:],
        arg.start[length:],
        arg.is_pattern,
        arg.has_output,
    )


def behind(args: list[Arg], valued: str, skipped: int) -> list[Arg]:
    """The command that a wrapper runs: what is left without its options, assignments and plain arguments."""
    at, options = 1, valued.split()
    while at < len(args):
        value = args[at].start
        if value == "--" and not skipped:
            return args[at + 1 :]
        if value.startswith("-"):
            at += 2 if value in options else 1
        elif re.match(r"[A-Za-z_]\w*=", value):
            at += 1
        elif skipped:
            skipped, at = skipped - 1, at + 1
        else:
            return args[at:]
    return []
