"""Says which commands of a recorded demonstration make the procedure, and why the others do not.

Nothing is thrown away: what is left out keeps its place in the list with the reason, so that the owner can put it back.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from models.base import Event, Status
from shell.bash import NotUnderstood, parse
from shell.catalogue.lists import WRAPPERS

# Why a command is left out. `redone`: `by` is the turn that did it; `folder`: the later commands know where they work.
Reason = Literal[
    "", "redone", "not_found", "interrupted", "folder", "shell", "job", "pager", "unread"
]
# What is to be known of a command. `looks`: it only looks, and nothing that it showed was used; `interactive`: it took
# keys or the whole screen, so it cannot be done by rote; `input`: it was answered by typing; `hidden_input`: it asked for
# a password; `failed`: its exit code was not 0; `state`: it changes the shell for all that follows; `background`.
Note = Literal["looks", "interactive", "input", "hidden_input", "failed", "state", "background"]

_FOLDER = {"cd", "pushd", "popd"}
_SHELL = {
    "clear",
    "reset",
    "history",
    "exit",
    "logout",
    "fc",
    "help",
    "man",
    "bind",
    "tput",
    "stty",
}
_JOB = {"jobs", "fg", "bg", "disown", "wait"}
_PAGERS = {"less", "more", "most", "man", "info", "top", "htop", "btop", "watch", "view"}
_STATE = {
    "export",
    "source",
    ".",
    "set",
    "shopt",
    "umask",
    "ulimit",
    "unset",
    "alias",
    "unalias",
    "conda",
    "nvm",
    "trap",
}
_DECLARES = {
    "export",
    "declare",
    "typeset",
    "readonly",
    "local",
    "read",
    "mapfile",
    "readarray",
    "let",
    "getopts",
}
_LOOK_WORDS = (
    "ls dir vdir tree exa eza pwd cat bat tac head tail grep egrep fgrep zgrep rg ag ack wc du df stat file which whereis type"
    " find fd locate ps pgrep free uptime uname whoami id groups date cal env printenv echo printf true false test [ : diff cmp"
    " comm md5sum sha1sum sha256sum shasum cksum sort uniq cut column nl od xxd hexdump strings readlink realpath basename"
    " dirname jq tr rev fold lsof ss netstat journalctl hostname nproc lscpu lsblk getent seq sleep command"
)
_LOOKS = frozenset(_LOOK_WORDS.split())
_LOOKS_SECOND = {  # commands of which only some subcommands look
    "git": {
        "status",
        "log",
        "diff",
        "show",
        "branch",
        "remote",
        "blame",
        "ls-files",
        "describe",
        "rev-parse",
        "shortlog",
    },
    "systemctl": {"status", "list-units", "list-timers", "is-active", "show", "cat"},
    "docker": {"ps", "images", "logs", "inspect", "version", "info"},
    "kubectl": {"get", "describe", "logs", "top"},
    "pip": {"list", "show", "freeze"},
    "npm": {"ls", "list", "view"},
}
_CHANGES = {
    "find": r"-(delete|exec|execdir|ok|okdir|fprint\w*|fls)",
    "sort": r"(-o.*|--output.*)",
    "git": r"(-D|-d|-m|add|remove)",
}
_WRITES = (">", ">>", ">|", "<>", "&>", "&>>", ">&")
_PIPE_CLOSED = 141  # the exit code of a command whose reader had enough: `… | head`
_SHORTEST = 3  # characters of a word that may be held to come from an earlier output
_SIMILAR = 0.5  # share of words that a command has in common with the one that redid it


@dataclass(frozen=True, slots=True)
class Command:
    """One command line of a demonstration.

    `text` is what was typed (after the shell's own history expansion, secrets hidden); `script` the same for a shell that
    does not know the owner's aliases and functions. `cwd` and `cwd_after` are absolute. `needs` are the turns of earlier
    commands whose variables, functions or settings it uses: they must run before it in the same shell.
    """

    turn: int
    call: str
    text: str
    script: str
    cwd: str
    cwd_after: str
    status: Status
    exit_code: int | None
    output: str
    seconds: float
    kept: bool = True
    reason: Reason = ""
    by: int | None = None
    notes: tuple[Note, ...] = ()
    needs: tuple[int, ...] = ()


@dataclass(slots=True)
class _Reading:
    """A command line, read: the words of each simple command, what it sets and what it uses."""

    calls: list[list[str]] = field(default_factory=list)
    writes: bool = False
    assigned: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)

    @property
    def verbs(self) -> list[str]:
        return [call[0].rpartition("/")[2] for call in self.calls]


def commands_that_count(events: Iterable[Event]) -> list[Command]:
    """All commands of a recorded run in order, each kept or left out with its reason. Unended ones are not listed."""
    commands: list[Command] = []
    readings: list[_Reading] = []
    data_of: list[dict[str, Any]] = []
    scripts: dict[str, str] = {}
    for event in events:
        if event["type"] == "tool_started":
            scripts[event["call"]] = event["args"].get("script", "")
        elif (
            event["type"] == "tool_ended"
            and event["call"] in scripts
            and isinstance(event["data"], dict)
        ):
            command = _command(event, scripts[event["call"]])
            commands.append(command)
            data_of.append(event["data"])
            readings.append(_read(command.text, event["data"].get("aliases", {})))
    commands = _with_outcome_of_jobs(commands, readings, data_of)
    commands = [
        replace(command, notes=_notes(command, reading, data))
        for command, reading, data in zip(commands, readings, data_of, strict=True)
    ]
    commands = _with_reasons(commands, readings, data_of)
    commands = _with_needs(commands, readings)
    return _with_looks(commands, readings)


def _command(event: Event, text: str) -> Command:
    data = event["data"]
    return Command(
        turn=event["turn"],
        call=event["call"],
        text=text,
        script=runnable(text, data.get("aliases", {}), data.get("functions", {})),
        cwd=data.get("cwd_before", ""),
        cwd_after=data.get("cwd_after", ""),
        status=event["status"],
        exit_code=data.get("exit_code"),
        output=data.get("output", ""),
        seconds=event["seconds"],
    )


def runnable(text: str, aliases: dict[str, str], functions: dict[str, str]) -> str:
    """The command line for a shell without the owner's start-up file.

    An alias that is the first word is put in its place; one that stands elsewhere, and functions, are defined in front,
    since only the shell itself knows which words it would replace.
    """
    aliases = {name: value for name, value in aliases.items() if not _only_colours(name, value)}
    seen: set[str] = set()
    while (first := re.match(r"\s*([^\s|&;()<>'\"\\$`]+)(?=\s|$)", text)) and first[1] in aliases:
        name = first[1]
        if name in seen or aliases[name].endswith((" ", "\t")):
            break
        seen.add(name)
        text = aliases[name] + text[first.end() :]
    elsewhere = {
        name: value
        for name, value in aliases.items()
        if name not in seen and re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w/.=-])", text)
    }
    before = [
        *functions.values(),
        *(f"alias {name}={shlex.quote(value)}" for name, value in elsewhere.items()),
    ]
    if elsewhere:
        before.insert(0, "shopt -s expand_aliases")
    return "\n".join([*before, text])


def _only_colours(name: str, value: str) -> bool:
    """`ls='ls --color=auto'` changes nothing where no terminal is."""
    return re.fullmatch(rf"{re.escape(name)}\s+--colou?r(=auto|=tty)?\s*", value) is not None


def _read(text: str, aliases: dict[str, str]) -> _Reading:
    reading = _Reading(used=set(re.findall(r"\$\{?[#!]?([A-Za-z_]\w*)", text)))
    reading.assigned |= set(
        re.findall(r"^\s*(?:function\s+)?([\w-]+)\s*\(\s*\)", text, re.MULTILINE)
    )
    try:
        found = parse(text)
    except NotUnderstood:
        reading.calls = [text.split()] if text.split() else []
        reading.writes = True  # who knows
        return reading
    for each in found:
        words = [
            "".join(part.value for part in word.parts if part.kind == "text") for word in each.words
        ]
        if each.loop_variable:
            reading.assigned.add(each.loop_variable)
            continue
        if not words:
            reading.assigned |= {name for name, _ in each.assignments}
        elif words[0] in _DECLARES:
            reading.assigned |= {
                word.partition("=")[0] for word in words[1:] if not word.startswith("-")
            }
        reading.writes |= any(
            redirect.operator in _WRITES
            and redirect.word.value({}) not in ("/dev/null", "1", "2", "-")
            for redirect in each.redirects
        )
        words = _unwrapped(_unaliased(words, aliases))
        if words:
            reading.calls.append(words)
            reading.used.add(words[0])
    return reading


def _unaliased(words: list[str], aliases: dict[str, str]) -> list[str]:
    seen: set[str] = set()
    while words and words[0] in aliases and words[0] not in seen:
        seen.add(words[0])
        try:
            words = [*shlex.split(aliases[words[0]]), *words[1:]]
        except ValueError:
            break
    return words


def _unwrapped(words: list[str]) -> list[str]:
    """`sudo -u me rm x` is an rm."""
    while words and words[0] in WRAPPERS:
        valued, skipped = WRAPPERS[words[0]]
        at = 1
        while at < len(words) and (
            words[at].startswith("-") or re.match(r"[A-Za-z_]\w*=", words[at]) or skipped
        ):
            if words[at].startswith("-"):
                at += words[at] in valued.split()
            elif not re.match(r"[A-Za-z_]\w*=", words[at]):
                skipped -= 1
            at += 1
        if at >= len(words):
            return words
        words = words[at:]
    return words


def _with_outcome_of_jobs(
    commands: list[Command], readings: list[_Reading], data_of: list[dict[str, Any]]
) -> list[Command]:
    """A command that was stopped (Ctrl-Z) and brought back with `fg` ended as `fg` did."""
    commands = list(commands)
    stopped: int | None = None
    for at, reading in enumerate(readings):
        if reading.verbs == ["fg"] and stopped is not None:
            end, begun = commands[at], commands[stopped]
            seconds = round(begun.seconds + end.seconds, 3)
            commands[stopped] = replace(
                begun,
                status=end.status,
                exit_code=end.exit_code,
                output=begun.output + end.output,
                cwd_after=end.cwd_after,
                seconds=seconds,
            )
            for note in ("interactive", "input", "hidden_input", "interrupted"):
                if data_of[at].get(note):
                    data_of[stopped][note] = True
            stopped = None if not data_of[at].get("stopped") else stopped
        elif data_of[at].get("stopped"):
            stopped = at
    return commands


def _notes(command: Command, reading: _Reading, data: dict[str, Any]) -> tuple[Note, ...]:
    found: dict[Note, bool] = {
        "interactive": bool(data.get("interactive")),
        "input": bool(data.get("input")),
        "hidden_input": bool(data.get("hidden_input")),
        "failed": command.status != "ok"
        or any(code not in (0, _PIPE_CLOSED) for code in data.get("pipe", ())),
        "state": any(verb in _STATE for verb in reading.verbs),
        "background": re.search(r"(?<![&>|])&\s*$", command.text) is not None,
    }
    return tuple(note for note, holds in found.items() if holds)


def _with_reasons(
    commands: list[Command], readings: list[_Reading], data_of: list[dict[str, Any]]
) -> list[Command]:
    found: list[Command] = []
    for at, command in enumerate(commands):
        reason, by = _reason(command, readings[at], data_of[at]), None
        if not reason and command.status != "ok":
            by = _redone_by(at, commands, readings)
            reason = "redone" if by is not None else ""
        found.append(replace(command, kept=not reason, reason=reason, by=by))
    return found


def _reason(command: Command, reading: _Reading, data: dict[str, Any]) -> Reason:
    verbs = set(reading.verbs)
    checks: tuple[tuple[Reason, bool], ...] = (
        ("unread", bool(data.get("unread"))),
        ("shell", bool(verbs) and verbs <= _SHELL),
        ("job", bool(verbs) and verbs <= _JOB),
        ("not_found", command.exit_code == 127 or 127 in data.get("pipe", ())),
        (
            "interrupted",
            bool(data.get("interrupted") or (data.get("stopped") and command.status != "ok")),
        ),
        (
            "folder",
            bool(verbs) and verbs <= _FOLDER and command.status == "ok" and not reading.writes,
        ),
        (
            "pager",
            "interactive" in command.notes
            and bool(verbs)
            and verbs <= _PAGERS | _LOOKS
            and not reading.writes,
        ),
    )
    return next((reason for reason, holds in checks if holds), "")


def _redone_by(at: int, commands: list[Command], readings: list[_Reading]) -> int | None:
    """The turn that did with success what this one tried: the same verb, most words the same."""
    mine = readings[at].calls
    if not mine:
        return None
    for later in range(at + 1, len(commands)):
        other = readings[later].calls
        if (
            commands[later].status == "ok"
            and other
            and _verb(mine) == _verb(other)
            and _alike(mine, other)
        ):
            return commands[later].turn
    return None


def _verb(calls: list[list[str]]) -> str:
    return calls[0][0].rpartition("/")[2]


def _alike(mine: list[list[str]], other: list[list[str]]) -> bool:
    words, others = (
        Counter(word for call in calls for word in call[1:]) for calls in (mine, other)
    )
    longer = max(words.total(), others.total())
    if not longer:
        return True
    if (words & others).total() / longer >= _SIMILAR:
        return True
    from difflib import SequenceMatcher

    a, b = (" ".join(word for call in calls for word in call) for calls in (mine, other))
    return SequenceMatcher(None, a[:2_000], b[:2_000], autojunk=False).ratio() >= 0.8


def _with_needs(commands: list[Command], readings: list[_Reading]) -> list[Command]:
    """For each command the earlier ones that must run before it in the same shell."""
    found: list[Command] = []
    setters: dict[str, int] = {}  # name → place of the command that set it last
    states: set[int] = set()
    for at, (command, reading) in enumerate(zip(commands, readings, strict=True)):
        needed = {setters[name] for name in reading.used if name in setters} | states
        turns = {found[place].turn for place in needed} | {
            turn for place in needed for turn in found[place].needs
        }
        found.append(replace(command, needs=tuple(sorted(turns))))
        if command.status == "ok" and not command.reason:
            setters |= dict.fromkeys(reading.assigned, at)
            if "state" in command.notes:
                states.add(at)
    return found


def _with_looks(commands: list[Command], readings: list[_Reading]) -> list[Command]:
    found: list[Command] = []
    typed: set[str] = set()
    for at, (command, reading) in enumerate(zip(commands, readings, strict=True)):
        typed |= set(_words(reading))
        if (
            command.kept
            and _only_looks(reading)
            and not _is_used(command, commands[at + 1 :], readings[at + 1 :], typed)
        ):
            command = replace(command, notes=("looks", *command.notes))
        found.append(command)
    return found


def _only_looks(reading: _Reading) -> bool:
    if reading.writes or reading.assigned or not reading.calls:
        return False
    for call, verb in zip(reading.calls, reading.verbs, strict=True):
        second = next((word for word in call[1:] if not word.startswith("-")), "")
        if verb not in _LOOKS | _PAGERS and second not in _LOOKS_SECOND.get(verb, ()):
            return False
        if verb in _CHANGES and any(re.fullmatch(_CHANGES[verb], word) for word in call[1:]):
            return False
    return True


def _is_used(
    command: Command, later: list[Command], readings: list[_Reading], typed: set[str]
) -> bool:
    """Whether a later command that counts has a word which this one showed and nobody had typed before."""
    lines = command.output.splitlines()
    shown = {word for line in lines for word in line.split()} | {line.strip() for line in lines}
    shown |= {word.rstrip("/").rpartition("/")[2] for word in shown}
    for other, reading in zip(later, readings, strict=True):
        if other.kept and any(
            word not in typed and (word in shown or word.rstrip("/").rpartition("/")[2] in shown)
            for word in _words(reading)
        ):
            return True
    return False


def _words(reading: _Reading) -> Iterator[str]:
    for call in reading.calls:
        yield from (
            word for word in call[1:] if len(word) >= _SHORTEST and not word.startswith("-")
        )
