"""The files that a command reads and writes: by redirections, by its nature, by its arguments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from safety import inputs
from safety.expand import Arg
from safety.options import cut, is_operand, option_values
from safety.paths import without_links
from safety.shell import Command, Redirect
from safety.showing import only_shows
from safety.tables import WRITES, names
from text import pattern

if TYPE_CHECKING:
    from safety.commands import Look


_NAMED_ONLY = names(
    "ls stat test [ cd echo printf mkdir which type file realpath basename dirname touch du find chmod git"
)


# What the machine runs by itself, besides what the owner's login runs (paths.py).
_RUN_LATER = pattern(
    r"(/usr)?/lib/systemd/|/etc/(systemd/|udev/|xdg/autostart/|rc\.local|cron[\w.]*/|profile|bash\.bashrc|zsh|init\.d/)|/var/spool/cron/"
)


_ORDERS = pattern(
    r"(?m)^[ \t]*Exec\w*[ \t]*=[ \t]*[-@:+!]*(.+)$|\bRUN\+?=\"([^\"\n]+)\""
    r"|^[ \t]*(?:@\w+|(?:[\d*/,-]+[ \t]+){4}[\w*/,-]+)[ \t]+(?:(?:root|\w+)[ \t]+(?=/?\w))?(.+)$"
)


# All that is on a disk, read past the rights of its files.
_DISK = pattern(r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|dm-|md|mem$|kmem$)")
_DUMPS = names(
    "cat strings xxd od hexdump head tail cp grep less more base64 < pv photorec foremost"
)


def redirects(look: Look, command: Command, args: list[Arg]) -> None:
    name = (args[0].text or "") if args else ""
    for redirect in command.redirects:
        operator = redirect.operator
        if operator in (">", ">>", ">|", "<>", "&>", "&>>", ">&"):
            targets = look.expander().word(redirect.word)
            if operator == ">&" and (
                not targets or re.fullmatch(r"\d+-?|-", targets[0].text or "")
            ):
                continue
            _redirected(look, targets[0] if targets else Arg(""), redirect, command, name)
        elif operator == "<":
            for arg in look.expander().word(redirect.word):
                read(look, arg, "<")


def _redirected(look: Look, target: Arg, redirect: Redirect, command: Command, name: str) -> None:
    if target.stream:
        return
    if target.start.startswith(("/dev/tcp/", "/dev/udp/")):
        look.add("send", f"talks to {target.start[9:]}", name)
        return
    is_append = redirect.operator.endswith(">>")
    write(look, target, ">")
    path = look.path(target)
    if path is None:
        return
    text = inputs.output(look, command) if command.words else ""
    if not is_append and redirect.operator != "<>" and not str(path).startswith("/dev/"):
        is_empty = (not command.is_piped and (name in ("", ":", "true") or text == "")) or (
            name == "cat" and text is None and _reads_nothing(command)
        )
        if is_empty:
            look.add("delete", f"empties {path}", name)
    runs_later(look, path, text)
    before = look.written.get(str(path), "") if is_append else ""
    look.written[str(path)] = None if text is None or before is None else before + text


def runs_later(look: Look, path: Path, text: str | None) -> None:
    """Refuses what would destroy everything at the next login, or at a set time."""
    if text and (look.places.kind(path) == "startup" or _RUN_LATER.match(str(path))):
        for script in (text, *_orders(text)):
            look.findings += [
                each
                for each in look.inner().script(script)
                if each.risk in ("catastrophic", "agent")
            ]


def _orders(text: str) -> list[str]:
    """The command lines in a unit of systemd, a desktop entry, a table of cron, a rule of udev."""
    found = [next(each for each in match.groups() if each) for match in _ORDERS.finditer(text)]
    return [order for order in found if len(order) < 2000][:50]


def _reads_nothing(command: Command) -> bool:
    return [word.literal for word in command.words[1:]] == ["/dev/null"]


def write(look: Look, arg: Arg, name: str) -> None:
    """What it means that a program writes to a place."""
    if arg.stream:
        return
    path = look.path(arg)
    if path is None:
        is_placed = (
            arg.start.count("/") > 1
            if arg.start.startswith("/")
            else re.match(r"\w[\w.-]*/", arg.start)
        )
        if arg.text is None and not is_placed:
            look.unplaced.append(name)
            if not look.places.is_held or name == "dd":
                look.add(
                    "unknown", f"{name} writes to a place that is only known when it runs", name
                )
            return
        path = look.join(arg.start or "/") or without_links(Path(arg.start))
    kind = look.places.kind(path)
    if kind == "device" or look.places.is_vital_file(path):
        look.add("catastrophic", f"{name} writes to {path}, on which the machine depends", name)
    elif kind == "agent":
        look.add("agent", f"{name} writes to {path}, in the agent's own home", name)
    elif kind in ("secret", "startup"):
        look.add("system", f"{name} writes to {path}, which decides what runs or who gets in", name)
    elif kind == "outside":
        look.add("outside", f"{name} writes to {path}, outside the allowed folders", name)


def read(look: Look, arg: Arg, name: str) -> None:
    value = (arg.text if arg.text is not None else arg.start).removeprefix("@")
    value = value.removeprefix("file://")
    if "=" in value and value.startswith("-"):
        value = value.partition("=")[2].removeprefix("@")
    if not re.search(r"[/~.]", value) or (name, value, look.cwd) in look.seen or len(value) > 4096:
        return
    look.seen.add((name, value, look.cwd))
    if name in _NAMED_ONLY:
        return
    path = look.join(value)
    if path and (look.places.is_secret(path) or (name in _DUMPS and _DISK.match(str(path)))):
        look.add("secret", f"{name} reads {path}, which holds keys or passwords", name)


def targets(look: Look, name: str, args: list[Arg], command: Command) -> None:
    """The files that a command writes to by its nature."""
    if name not in WRITES:
        return
    rule, *options = WRITES[name].split() or [""]
    if rule.startswith("-"):
        rule, options = "", [rule, *options]
    values = [arg.text for arg in args]
    if name == "dd":
        _write_all(look, [cut(arg, 3) for arg in args[1:] if arg.start.startswith("of=")], name)
        return
    plain = [args[at] for at in range(1, len(args)) if is_operand(name, values, at)]
    if name in ("sed", "perl"):
        if any(re.match(r"-[a-zA-Z]*i|--in-place", value or "") for value in values[1:]):
            _write_all(look, plain if "-e" in values else plain[1:], name)
        return
    if name == "rsync" and (
        only_shows(name, values[1:]) or any(re.match(r"[\w.@-]+:", arg.start) for arg in plain)
    ):
        return
    _write_all(
        look, [*_chosen(name, rule, plain, values), *option_values(args, values, options)], name
    )


def _chosen(name: str, rule: str, plain: list[Arg], values: list[str | None]) -> list[Arg]:
    """Which of its plain arguments a command writes to."""
    chosen = {"all": plain, "last": plain[-1:], "rest": plain[1:], "first": plain[:1]}.get(rule, [])
    if name == "mv":
        chosen = [arg for arg in plain if arg.text != "/dev/null"]
    if name in ("cp", "ln", "install") and any(
        value and value.startswith(("-t", "--target-directory")) for value in values
    ):
        chosen = []
    return [] if name == "ln" and len(plain) == 1 else chosen  # a link of the same name, here


def _write_all(look: Look, args: list[Arg], name: str) -> None:
    for arg in args:
        if (
            arg.text is None
            and not arg.start.startswith("/")
            and name in ("mkdir", "touch", "chmod", "gzip")
        ):
            continue  # makes or marks; what is there stays
        write(look, arg, name)
