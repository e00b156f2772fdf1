"""Databases, containers, clouds and task runners: by their verbs (verbs.py) and by what they are asked (queries.py)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from safety import catastrophes, inputs, queries, verbs
from safety.expand import Arg
from safety.options import behind, operands_of
from safety.shell import Command
from safety.tables import PLAIN, Risk, names

if TYPE_CHECKING:
    from safety.commands import Look


_CONTAINER_READS = names(
    "ps images logs inspect stats version info search top diff history port events build buildx tag save pull ls df show config create wait manifest attach_none help"
)


_CLUSTERS = names("psql mysql mariadb pgcli mycli")  # `-Atc STATEMENT`


def cloud(look: Look, name: str, values: list[str | None], operands: list[str | None]) -> None:
    """What the command line of a cloud or a cluster does there."""
    kind = verbs.judge_cloud(name, values, operands)
    risks: dict[str, Risk] = {
        "deletes": "delete",
        "spends": "spend",
        "changes": "send",
        "shows keys": "secret",
    }
    reasons = {"deletes": "deletes or stops something there", "spends": "starts something there, which may cost money", "changes": "changes something on another machine", "shows keys": "shows keys or passwords"}  # fmt: skip
    if kind in risks:
        look.add(risks[kind], f"{name}: {reasons[kind]}", name)


def task(look: Look, name: str, operands: list[str | None], values: list[str | None]) -> None:
    """A task of make, npm and the like, by its name."""
    if any(value and verbs.DRY.fullmatch(value) for value in values) or (
        name in ("make", "gmake") and "-n" in values
    ):
        return
    at = 0
    if name in ("php", "python", "python3", "uv", "poetry", "bundle", "npx"):
        at = next(
            (
                n + 1
                for n, value in enumerate(operands[:3])
                if value and value.rpartition("/")[2] in verbs.RUNNERS
            ),
            0,
        )
        if not at:
            return
    task = verbs.judge_task(
        [value for value in operands[at:] if value not in ("run", "run-script", "exec")]
    )
    if task:
        look.add("send", f"{name} {task}: by its name it changes more than files here", name)


def container(
    look: Look,
    name: str,
    operands: list[str | None],
    args: list[Arg],
    values: list[str | None],
    command: Command,
) -> None:
    words = list(operands)
    if name.endswith("compose"):
        words.insert(0, "compose")
    while words and words[0] in ("compose", "container", "image", "volume", "network", "context", "system", "buildx", "builder", "node", "service", "stack", "manifest", "plugin", "machine"):  # fmt: skip
        group = words.pop(0)
        if not words and group in ("compose", "buildx"):
            return
    verb = words[0] if words else None
    if verb == "exec":
        at = next((n for n, arg in enumerate(args) if arg.text == "exec"), 0)
        inner = behind(args[at:], "-u --user -w --workdir -e --env --env-file --index", 1)
        _remote(look, name, inner, command)
    elif verb == "cp":
        if ":" in (words[-1] or ":"):
            look.add("send", f"{name} cp: copies into a container", name)
    elif verb not in _CONTAINER_READS and not set(values) <= {"--version", "--help", "-v"}:
        kind = verbs.kind_of_word(verb or "")
        look.add(
            "delete" if kind == "deletes" else "system",
            f"{name} {verb or ''}: changes what runs in containers",
            name,
        )
        if verb in ("run", "create"):
            catastrophes.container(look, args, values, command)


def _remote(look: Look, name: str, inner: list[Arg], command: Command) -> None:
    """A command in another place: reading there passes, a shell or anything else is asked about."""
    if not inner:
        look.add("system", f"{name}: a shell in another place", name)
        return
    before = len(look.findings)
    look.words(inner, command)
    word = (inner[0].text or "").rpartition("/")[2]
    if len(look.findings) == before and word not in PLAIN:
        look.add("system", f"{name} runs {word or 'something'} in another place", name)


def database(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    if set(values) & {"--version", "--help", "-V", "-l", "--list"}:
        return
    if name.endswith("-cli") and name not in ("linode-cli",):
        operands = operands_of("redis-cli", values)
        if (
            "--scan" in values
            or "--stat" in values
            or "--bigkeys" in values
            or any((value or "").startswith("--latency") for value in values)
        ):
            changes = False
        else:
            changes = queries.changes_redis(operands or _from_text(look, command))
    elif name in ("bq", "influx") and "query" not in values:
        if name in verbs.CLOUDS:
            cloud(look, name, values, operands_of(name, values))
        return
    else:
        texts = _statements(look, name, values, command)
        judge = queries.changes_mongo if name in ("mongosh", "mongo") else queries.changes_sql
        changes = not texts or any(text is None or judge(text) for text in texts)
        if texts and queries.only_in_memory(values, texts):
            changes = False
        for text in texts:
            for shell in re.findall(r"(?m)^\s*(?:\\!|\.(?:shell|system))\s+(.*)", text or ""):
                look.nested([shell])
    if changes:
        look.add("delete", f"{name}: may change or delete data, or waits for commands", name)


def _from_text(look: Look, command: Command) -> list[str | None]:
    given = inputs.input_of(look, command)
    return list(given.split()) if given else []


def _statements(
    look: Look, name: str, values: list[str | None], command: Command
) -> list[str | None]:
    options = queries.CLIENTS[name].split()
    found: list[str | None] = []
    valued = queries.VALUED.get(name, "").split()
    operands: list[str | None] = []
    for at, value in enumerate(values):
        before = values[at - 1] if at else None
        glued = re.match(r"(--[\w-]+)=(.*)", value or "", re.DOTALL)
        if before in options or (
            name in _CLUSTERS
            and re.fullmatch(r"-[A-Za-z]+", before or "")
            and f"-{(before or '-')[-1]}" in options
        ):
            found.append(value)
        elif glued and glued[1] in options:
            found.append(glued[2])
        elif value in ("-f", "--file") or (glued and glued[1] == "--file"):
            found.append(None)
        elif before not in valued and not (value or "").startswith("-"):
            operands.append(value)
    if "positional" in options or name == "bq":
        found += operands[1:]
    elif name in ("mongosh", "mongo") and any(
        value and value.endswith(".js") for value in operands
    ):
        found.append(None)
    if inputs.has_input(command):
        found.append(inputs.input_of(look, command))
    return found
