"""`find` and `fd`: where they look, whether they choose, and what they start for what they find."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING

from safety import file_effects, listings, vital
from safety.expand import Arg
from safety.options import is_operand
from safety.shell import Command
from safety.tables import names

if TYPE_CHECKING:
    from safety.commands import Look


_FILTERS = names(
    "-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -atime -ctime -newer -size -empty -user -perm -maxdepth -inum -cmin -amin -anewer -cnewer -group -samefile -links -nouser -nogroup -uid -gid -used -xtype -fstype -readable -writable -executable"
)


# Of each kind of file that a machine cannot do without, one.
_VITAL_NAMES = (
    "ld.so.conf",
    "libc.so.6",
    "vmlinuz-6.1.0",
    "sshd.service",
    "libpam.so",
    "ext4.ko",
    "grub.cfg",
    "passwd",
)


def find(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """What find deletes, writes and starts."""
    folders = roots(args)
    chooses = is_filtered([value or "" for value in values], look.places.owner.name)
    if "-delete" in values:
        _deletes(look, folders, is_all=not chooses)
    for at, value in enumerate(values):
        if value in ("-exec", "-execdir", "-ok", "-okdir"):
            inner = args[at + 2 :]
            end = next((n for n, arg in enumerate(inner) if arg.text in (";", "+")), len(inner))
            found = [
                Arg(None, _found_in(look, folders))
                if arg.text == "{}"
                or ("{}" in (arg.text or "") and arg.text is not None and " " not in arg.text)
                else arg
                for arg in inner[:end]
            ]
            if found:
                programs = {(each.text or "").rpartition("/")[2] for each in found}
                if not chooses and programs & {"rm", "shred", "unlink"}:
                    vital.refuse(look, "find", folders)
                before = listings.harm(look)
                look.words(found, command)
                if not chooses:
                    listings.refuse_harm(look, found, folders, before)
        elif value in ("-fprint", "-fprintf", "-fls", "-fprint0") and at + 2 < len(args):
            file_effects.write(look, args[at + 2], "find")


def _deletes(look: Look, folders: list[Arg], *, is_all: bool) -> None:
    if is_all:
        vital.refuse(look, "find", folders)
    for place in filter(None, map(look.path, folders)):
        if look.places.kind(place) == "outside":
            vital.leaves_sandbox(look, f"in {place}", "find")


def _found_in(look: Look, folders: list[Arg]) -> str:
    """The start of what find puts in the place of {}: of a folder outside the roots, if one of them is; "" if not known."""
    paths = [path for folder in folders if (path := look.path(folder))]
    outside = [path for path in paths if look.places.kind(path) != "inside"]
    return f"{str((outside or paths)[0]).rstrip('/')}/found/" if len(paths) == len(folders) else ""


def _leaves_most(before: str, value: str, after: str) -> bool:
    """Whether a filter leaves nearly everything: all but one name, whatever is not empty, whatever may be written."""
    return (
        before in ("!", "-not")
        or value in ("-perm", "-readable", "-writable", "-executable")
        or (value == "-size" and after.startswith("+0"))
        or (
            value in ("-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin")
            and bool(re.fullmatch(r"\+[01]|-\d{4,}", after))
        )
    )


def _spares_nothing_vital(value: str, after: str) -> bool:
    """Whether a name is none that files have on which the machine depends: `*.log`, and not `*.conf`."""
    if value not in ("-name", "-iname"):
        return True
    return not any(fnmatch.fnmatchcase(each, after) for each in _VITAL_NAMES)


def roots(args: list[Arg]) -> list[Arg]:
    """The folders in which find looks."""
    end = next(
        (n for n, arg in enumerate(args[1:], 1) if arg.start.startswith(("-", "(", "!"))), len(args)
    )
    return args[1:end] or [Arg(".", ".")]


def is_filtered(values: list[str], owner: str = "root") -> bool:
    """Whether find chooses some of the files. All that is right in a folder is all of it, and so is all that the owner has."""
    return any(
        (value in _FILTERS or value.startswith(("-newer", "-lname", "-ilname")))
        and after not in ("*", ".*", "*.*")
        and behind != "-prune"
        and not _leaves_most(before, value, after)
        and not (value in ("-user", "-uid") and after in (owner, "root", "0"))
        and _spares_nothing_vital(value, after)
        and not (value == "-maxdepth" and "-type" not in values)
        for before, value, after, behind in zip(
            ["", *values], values, [*values[1:], ""], [*values[2:], "", ""], strict=False
        )
    )


def fd(look: Look, name: str, args: list[Arg], values: list[str | None], command: Command) -> None:
    """What fd starts for what it finds."""
    at = next(
        (n for n, value in enumerate(values) if value in ("-x", "-X", "--exec", "--exec-batch")),
        None,
    )
    if at is None or not args[at + 2 :]:
        return
    before = listings.harm(look)
    look.words(args[at + 2 :], command)
    named = [args[n] for n in range(1, at + 1) if is_operand(name, [name, *values], n)]
    if (
        named
        and named[0].text in (".", "", ".*")
        and not {"-e", "--extension", "-t", "--type"} & set(values)
    ):
        listings.refuse_harm(look, args[at + 2 :], named[1:] or [Arg(".", ".")], before)
