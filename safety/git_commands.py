"""What a command of Git starts, and which of its uses throw work away or change every project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from safety import vital
from safety.expand import Arg
from safety.options import operands_of
from safety.shell import Command

if TYPE_CHECKING:
    from safety.commands import Look


def git(look: Look, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
    """Settings, options and subcommands of Git that start a command or lose work."""
    known = [value or "" for value in values]
    operands = [value or "" for value in operands_of("git", values)]
    verb = operands[0] if operands else ""
    settings = [known[at + 1] for at, value in enumerate(known[:-1]) if value in ("-c", "--config")]
    settings += [value[2:] for value in known if re.match(r"-c\w+\.", value)]
    if (
        verb == "config"
        and len(operands) > 2
        and not any(value.startswith(("--get", "--list")) for value in known)
    ):
        settings.append(f"{operands[1]}={operands[2]}")
    for setting in settings:
        if re.match(
            r"(?i)(core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)|alias\.|credential\..*helper|diff\..*\.(command|textconv)|filter\.|merge\..*driver|pager\.|sequence\.editor|gpg\.program|uploadpack|http\..*proxy|url\.|include\.path|protocol\.)",
            setting,
        ):
            look.add(
                "unknown",
                f"git: {setting.partition('=')[0]} runs a command or leads elsewhere",
                "git",
            )
            text = setting.partition("=")[2]
            look.nested([text[1:]] if text.startswith("!") else [])
    if any("ext::" in value for value in known) or any(
        re.match(r"--(upload-pack|receive-pack|exec|open-files-in-pager|extcmd|tool)=", value)
        or (value == "-O" and verb == "grep")
        for value in known
    ):
        look.add("unknown", "git: starts a command that is named in an argument", "git")
    _git_place(look, known, verb, operands)
    starts = {("bisect", "run"), ("submodule", "foreach")}
    if tuple(operands[:2]) in starts:
        at = known.index(operands[1]) + 1
        rest = [value for value in known[at:] if value not in ("--recursive", "--quiet")]
        look.nested([" ".join(rest)])
    for option in {
        "rebase": ("--exec", "-x"),
        "difftool": ("-x", "--extcmd"),
        "filter-branch": ("--tree-filter",),
    }.get(verb, ()):
        if option in known[:-1]:
            look.add("unknown", f"git {verb}: starts a command", "git")
            look.nested([known[known.index(option) + 1]])


def _git_place(look: Look, known: list[str], verb: str, operands: list[str]) -> None:
    """Git at work in the agent's own home, and checkouts that throw changes away."""
    folder = look.cwd
    for at, value in enumerate(known[:-1]):
        if value == "-C":
            folder = look.join(known[at + 1])
    if (
        folder
        and folder.is_relative_to(look.places.agent)
        and verb not in ("status", "log", "diff", "show", "ls-files", "blame", "rev-parse", "grep")
    ):
        look.add("agent", f"git {verb} in the agent's own home", "git")
    _git_clean(look, known, verb, operands, str(folder) if folder else "")
    if (
        verb == "checkout"
        and len(operands) > 2
        and not {"-b", "-B", "-t", "--track", "--orphan"} & set(known)
    ):
        look.add("delete", "git checkout of files: throws away work in git", "git")
    if verb == "branch" and "-d" in known and "-f" in known:
        look.add("delete", "git branch -d -f: throws away work in git", "git")
    if (
        verb == "config"
        and {"--global", "--system"} & set(known)
        and (
            len(operands) > 2
            or {"--unset", "--unset-all", "--add", "--replace-all", "--remove-section"} & set(known)
        )
    ):
        look.add("system", "git config: changes settings for every project", "git")


def _git_clean(look: Look, known: list[str], verb: str, operands: list[str], folder: str) -> None:
    """`git clean -f` where the whole of a home or of the system is what Git does not know."""
    is_forced = any(re.fullmatch(r"-[a-zA-Z]*f[a-zA-Z]*|--force", value) for value in known)
    if (
        verb == "clean"
        and is_forced
        and not any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*|--dry-run", value) for value in known)
    ):
        trees = [value.partition("=")[2] for value in known if value.startswith("--work-tree=")]
        vital.refuse(
            look, "git clean", [Arg(place, place) for place in operands[1:] or trees or [folder]]
        )
