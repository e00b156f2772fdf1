"""All that is in a folder, given to another command: by find, ls or a pattern; through pipes, loops and substitutions.

`find /usr | while read f; do rm "$f"; done` deletes what `rm -r /usr` does, so it is refused like it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from safety import finds, vital
from safety.expand import Arg
from safety.shell import Command, Word
from safety.tables import names

if TYPE_CHECKING:
    from safety.commands import Look

_PASS_ON = names(
    "sort cat tac tr uniq shuf tee rev nl xargs parallel"
)  # what they read, they print
_WRAPS = names("sudo doas env nice ionice nohup command time timeout")
_CHOOSE = names("grep egrep fgrep rg test [ file ls")
_LOCKS = names("chmod chown chgrp setfacl chattr mv")
_EMPTIES = names("rm shred unlink truncate srm wipe mv rimraf")


class Listing(NamedTuple):
    """The folders whose names are printed; `is_bare`: without the folder in front of them, as `ls FOLDER` prints them."""

    folders: tuple[Arg, ...] = ()
    is_bare: bool = False


NOTHING = Listing()


def printed_by(look: Look, command: Command) -> Listing:
    """What a command lists of folders, all of it; NOTHING when it chooses."""
    command = _without_wrapper(command)
    name = ((command.words[0].literal or "") if command.words else "").rpartition("/")[2]
    if name in _PASS_ON and command.source is not None:
        if name in ("xargs", "parallel") and any(
            word.literal in _CHOOSE for word in command.words[1:6]
        ):
            return NOTHING
        return printed_by(look, command.source)
    if (
        name == "sed"
        and command.source is not None
        and re.match(r"s(\W)\^", "".join(word.written for word in command.words[1:2]))
    ):
        return Listing(
            printed_by(look, command.source).folders
        )  # puts a folder in front of the names
    if name not in ("find", "ls", "echo", "printf"):
        return NOTHING
    args = look.expander().words(command.words)
    if name == "find":
        return (
            NOTHING
            if finds.is_filtered([arg.start for arg in args])
            else Listing(tuple(finds.roots(args)))
        )
    plain = [arg for arg in args[1:] if not arg.start.startswith("-")]
    patterns = tuple(arg for arg in plain if arg.is_pattern and (arg.text or "").endswith("*"))
    if name == "ls" and not any(arg.is_pattern for arg in plain):
        return Listing(tuple(plain) or (Arg(".", "."),), is_bare=True)
    return Listing(patterns)


def _without_wrapper(command: Command) -> Command:
    """`sudo find /` lists what `find /` does."""
    words = command.words
    while len(words) > 1 and (words[0].literal or "").rpartition("/")[2] in _WRAPS:
        at = next(
            (n for n, word in enumerate(words[1:], 1) if re.match(r"[a-z/]", word.literal or "")),
            len(words),
        )
        words = words[at:]
    return command if words is command.words else replace(command, words=words)


def given_to(look: Look, command: Command) -> Listing:
    """What a command reads of such lists: from a pipe, from `< <(…)` or from `<<< "$(…)"`."""
    for redirect in command.redirects:
        for part in redirect.word.parts if redirect.operator in ("<", "<<<") else ():
            if part.commands:
                return printed_by(look, part.commands[-1])
    return printed_by(look, command.source) if command.source is not None else NOTHING


def in_words(look: Look, words: Sequence[Word]) -> Listing:
    """What `for NAME in …` goes over: a pattern, or the output of a list."""
    for word in words:
        for part in word.parts:
            if part.commands and (found := printed_by(look, part.commands[-1])).folders:
                return found
        patterns = tuple(
            arg
            for arg in look.expander().word(word)
            if arg.is_pattern and (arg.text or "").endswith("*")
        )
        if patterns:
            return Listing(patterns)
    return NOTHING


def refuse(look: Look, args: list[Arg], command: Command) -> None:
    """Refuses a command that deletes each name of a list, where the list is the whole of what is vital."""
    for word in command.words[1:]:
        parts = [part for part in word.parts if part.kind != "text" or part.value]
        if not parts:
            continue
        last = parts[-1]
        array = re.fullmatch(r"\$\{(\w+)(\[[@*]\])?\}", last.source)
        if last.kind == "variable" or array:
            listing = look.listed.get(array[1] if array else last.value, NOTHING)
        else:
            listing = printed_by(look, last.commands[-1]) if last.commands else NOTHING
        before = look.expander().word(Word(parts[:-1])) if parts[:-1] else [Arg("", "")]
        if listing.folders and len(before) == 1 and before[0].text is not None:
            refuse_named(look, args, listing, before[0].text)


def harm(look: Look) -> tuple[int, int]:
    """How much has been found so far that `refuse_harm` goes by."""
    return len(look.findings), len(look.unplaced)


def refuse_harm(
    look: Look, args: list[Arg], folders: Sequence[Arg], before: tuple[int, int]
) -> None:
    """Refuses what is done to each file of a vital folder, when it was found (since `before`) to delete, overwrite or lock."""
    name = (args[0].text or "").rpartition("/")[2] if args else ""
    deletes = any(finding.risk in ("delete", "outside") for finding in look.findings[before[0] :])
    if deletes or look.unplaced[before[1] :] or name in _LOCKS:
        vital.refuse(look, name, list(folders))


def refuse_named(look: Look, args: list[Arg], listing: Listing, before: str = "") -> None:
    """`before`: what stands in front of each name."""
    programs = {(arg.text or "").rpartition("/")[2] for arg in args[:6]}
    if not programs & _EMPTIES or (before and not listing.is_bare):
        return
    vital.refuse(
        look,
        min(programs & _EMPTIES),
        [Arg(before or ".", before or ".")] if listing.is_bare else list(listing.folders),
    )
