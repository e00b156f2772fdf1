"""The screen around a recorded demonstration: what is recorded, said before; which commands count, shown afterwards."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from config import Config
from learning.demonstration import Command, commands_that_count
from learning.record import check_terminal, record, require_success
from memory.home.folder import open_home
from memory.runlog.log import read_events
from safety.held import held_values
from ui.sanitise import one_line
from ui.terminal import read_next
from ui.words import say


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Hold what the owner did by hand: the run that holds it, and its commands, kept or left out."""

    run: str
    commands: list[Command]


def record_demonstration(name: str, config: Config, cwd: Path) -> Demonstration:
    """Opens the recorded shell, then shows what was done and lets the owner change which commands count.

    Raises RecordError (no terminal, nothing that succeeded) and RunLogError.
    """
    check_terminal(name, os.environ)
    open_home(config.home)
    print(banner(name, os.environ.get("SHELL", "")))
    run = record(
        name,
        home=config.home,
        lang=config.lang,
        cwd=cwd,
        hidden=held_values(config, os.environ),
        environ=os.environ,
        label=say("record_label"),
    )
    commands = commands_that_count(read_events(config.home, run))
    require_success(name, run, commands)
    return Demonstration(run, choose(commands, read_next))


def banner(name: str, shell: str) -> str:
    """Return what the owner should know before the shell opens. `shell` is the owner's usual one."""
    lines = [say("record_banner", name=one_line(name, 60)), say("record_what"), say("record_end")]
    usual = shell.rpartition("/")[2]
    if usual not in ("", "bash", "sh"):
        lines.append(say("record_other_shell", shell=one_line(usual, 20)))
    return "\n".join(lines)


def choose(commands: list[Command], ask: Callable[[str], str]) -> list[Command]:
    """Shows the commands until the owner is content; a number puts a command in, or leaves it out."""
    while True:
        print(listing(commands))
        try:
            said = ask(say("record_change")).replace(",", " ").split()
        except EOFError:
            return commands
        if not said:
            return commands
        wrong = [
            word
            for word in said
            if not (word.isdecimal() and any(c.turn == int(word) for c in commands))
        ]
        if wrong:
            print(say("record_no_such", text=one_line(" ".join(wrong), 60)))
            continue
        turns = {int(word) for word in said}
        commands = [replace(c, kept=not c.kept) if c.turn in turns else c for c in commands]


def listing(commands: Sequence[Command]) -> str:
    """Every command on a line of its own: its number, what was typed, and why it is left out or what is to be known."""
    kept = [c for c in commands if c.kept]
    left = [c for c in commands if not c.kept]
    lines = ["", say("record_kept", n=len(kept))]
    folder = ""
    for command in kept:
        if command.cwd != folder:
            folder = command.cwd
            lines.append("  " + say("record_in", folder=one_line(_short(folder), 70)))
        lines.append(_line(command, [say(f"record_note_{note}") for note in command.notes]))
    if left:
        lines.append(say("record_left_out", n=len(left)))
        lines += [_line(command, [reason(command)]) for command in left]
    return "\n".join(_styled(line) for line in lines)


def reason(command: Command) -> str:
    """Why a command is left out, as a phrase."""
    return say(f"record_why_{command.reason or 'owner'}", turn=command.by or 0)


def _line(command: Command, remarks: Sequence[str]) -> str:
    text = " ⏎ ".join(one_line(line, 200) for line in command.text.splitlines()) or say(
        "record_nothing"
    )
    room = max(40, shutil.get_terminal_size((120, 24)).columns - 8)
    text = text if len(text) <= room else text[: room - 1] + "…"
    return f"  {command.turn:>3}  {text}" + (f"\t({'; '.join(remarks)})" if remarks else "")


def _styled(line: str) -> str:
    text, tab, remark = line.partition("\t")
    if not tab:
        return text
    return f"{text}  \x1b[2m{remark}\x1b[0m" if sys.stdout.isatty() else f"{text}  {remark}"


def _short(folder: str) -> str:
    home = str(Path.home())
    return "~" + folder[len(home) :] if folder == home or folder.startswith(home + "/") else folder
