"""What takes the system, a home or a disk with it: refused, not asked. catastrophes.py has the ordinary programs put to that use."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path
from typing import TYPE_CHECKING

from safety.expand import Arg
from safety.options import operands_of, value_of
from safety.paths import BACKUPS, SYSTEM
from safety.tables import names
from text import pattern

if TYPE_CHECKING:
    from safety.commands import Look


_DISKS = pattern(
    r"mkfs|mke2fs|mkdosfs|mkntfs|mkexfatfs|newfs|wipefs|blkdiscard|shred|scrub|mkswap|sgdisk|sfdisk|parted|hdparm|badblocks|pvremove|pvcreate|mdadm|cryptsetup|nvme|sg_format|sg_sanitize|flash_erase"
    r"|dd$|ddrescue|gdisk|nwipe|wipe$"
)
_DISK_READS = names(
    "-l --list -p --print -d --dump print list -I -i --detail --examine luksDump isLuks smart-log id-ctrl -n --no-act status -tT -t -T open close luksOpen luksClose luksUUID luksDump luksHeaderBackup benchmark tcryptOpen"
)
_NEVER_READS = pattern(
    r"mkfs|mke2fs|mkdosfs|shred|mkswap|blkdiscard|dd$|ddrescue|pvremove|pvcreate|scrub|nwipe|wipe$"
)
_DESTROYS = {
    ("lvremove", ""),
    ("vgremove", ""),
    ("zpool", "destroy"),
    ("zpool", "labelclear"),
    ("zfs", "destroy"),
    ("diskpart", ""),
}
# A pattern that leaves out nothing, or hardly anything: `*`, `.[!.]*`, `[a-z]*`, `*/`.
_EVERY = pattern(r"(?=.*\*)(?:[.*?]|\[[^\]]*\])+")
_RIGHTS = names("chmod chown chgrp chattr setfacl")
_DELETES = names(
    "rm rmdir unlink shred srm truncate mv chmod chown chgrp chattr setfacl Remove-Item rimraf wipe"
)
_REMOVERS = names("rm rmdir unlink shred srm wipe")


def judge(look: Look, name: str, args: list[Arg], values: list[str | None]) -> None:
    """What takes the system, the owner's home or the agent's own with it is refused, not asked."""
    flags = "".join(value[1:] for value in values if value and re.fullmatch(r"-[A-Za-z]+", value))
    is_deep = bool(set("rR") & set(flags)) or "--recursive" in values
    if name == "rm" and "--no-preserve-root" in values:
        look.add("catastrophic", "rm --no-preserve-root", name)
    if name == "kill" and "-1" in values[1:]:
        look.add("catastrophic", "kill -1 stops every process", name)
    if name == "nwipe" or (
        _DISKS.match(name)
        and not is_tried(name, values)
        and (_NEVER_READS.match(name) or not _DISK_READS & set(values))
        and any(
            re.search(r"^(of=)?/dev/(?!null|zero|u?random|shm|std|fd)", arg.start)
            for arg in args[1:]
        )
    ):
        look.add("catastrophic", f"{name} overwrites a device", name)
    second = next((value for value in values if value and not value.startswith("-")), "")
    if (name, "") in _DESTROYS or (name, second) in _DESTROYS:
        look.add("catastrophic", f"{name} {second}: destroys a volume", name)
    if name == "format" and any(re.match(r"[A-Za-z]:", value or "") for value in values):
        look.add("catastrophic", "formats a drive", name)
    if name == "btrfs" and "delete" in values:
        refuse(look, name, args[1:])
        if any(re.fullmatch(r"/@\w*/?", value or "") for value in values):
            look.add("catastrophic", f"{name} {second}: destroys a volume", name)
    _spread(look, name, args, values)
    if name in _DELETES:
        deletes(look, name, args, is_deep)


def is_tried(name: str, values: list[str | None]) -> bool:
    """Whether a program for disks only says what it finds there, or what it would do."""
    if name == "wipefs":
        return not any(
            re.fullmatch(r"-[a-z]*[ao].*|--(all|offset)(=.*)?", value or "-o") for value in values
        )
    return "-n" in values and bool(re.fullmatch(r"mkfs\.ext[234]|mke2fs|mkfs\.ntfs|mkntfs", name))


def _spread(look: Look, name: str, args: list[Arg], values: list[str | None]) -> None:
    """Ordinary commands that empty a folder with all in it, or lock everybody out."""
    if name == "rsync" and any((value or "").startswith("--delete") for value in values):
        refuse(look, name, args[-1:], removes=False)
    if name == "rclone" and {"purge", "delete", "rmdirs"} & set(values):
        refuse(look, name, args[1:])
    if {"erase", "destroy", "wipe", "format", "zero", "initialize", "sanitize"} & set(
        values
    ) and any(
        re.match(r"/dev/(?!null|zero|full|shm|std|fd|tty)\w|disk\d", value or "")
        for value in values
    ):
        look.add("catastrophic", f"{name} overwrites a device", name)
    _unpacks(look, name, values)
    if name == "tar" and "--remove-files" in values:
        folder = value_of(values, "-C") or value_of(values, "--directory") or "."
        refuse(
            look,
            name,
            [
                Arg(value if value.startswith("/") else f"{folder}/{value}", "")
                for value in operands_of(name, values)
                if value
            ],
        )
    if name in ("userdel", "deluser") and "root" in values:
        look.add("catastrophic", f"{name} root: nobody can repair the machine then", name)
    if name == "chmod" and any(
        re.fullmatch(r"[augo]*-[rwXst]*x[rwXst]*|0*|0?[0-6]{3}", value or "-") for value in values
    ):
        refuse(look, name, _reached(look, name, args[1:]), removes=False)


def _reached(look: Look, name: str, args: list[Arg]) -> list[Arg]:
    """What a change of rights could lock somebody out of: `chmod -R go-rwx ~` takes nothing from the owner."""
    if name != "chmod" or not any(re.fullmatch(r"[go]+[-=][rwxX]*", arg.start) for arg in args):
        return args
    return [
        arg
        for arg in args
        if (path := look.path(arg)) is None or not path.is_relative_to(look.places.owner)
    ]


def _unpacks(look: Look, name: str, values: list[str | None]) -> None:
    """An archive that takes the place of what the system is made of."""
    clusters = [
        value
        for at, value in enumerate(values)
        if value and re.fullmatch(r"-[A-Za-z]+" if at else r"-?[A-Za-z]+", value)
    ]
    flags = "".join(clusters)
    if name in ("tar", "bsdtar", "gtar"):
        replaces = {
            "--overwrite",
            "--recursive-unlink",
            "--unlink-first",
            "-U",
            "--overwrite-dir",
        } & set(values)
        folder = value_of(values, "-C") or value_of(values, "--directory")
        is_meant = bool(replaces) and ("x" in flags or bool({"--extract", "--get"} & set(values)))
    elif name == "cpio":
        folder, is_meant = (
            value_of(values, "-D") or value_of(values, "--directory"),
            {"i", "u"} <= set(flags),
        )
    else:
        folder, is_meant = value_of(values, "-d"), name == "unzip" and "o" in flags
    place = look.join(folder or ".") if is_meant else None
    if place is not None and str(place) in SYSTEM:
        look.add(
            "catastrophic",
            f"{name} replaces what is in {place}, on which the machine depends",
            name,
        )


def deletes(look: Look, name: str, args: list[Arg], is_deep: bool) -> None:
    """What a command that deletes, moves or locks would take; `is_deep`: with all that is in it."""
    if name in ("rm", "mv", "shred", "Remove-Item", "rimraf", "srm") or is_deep:
        targets = args[1:-1] if name == "mv" and len(args) > 2 else args[1:]
        if is_deep or name in ("mv", "Remove-Item", "rimraf"):
            refuse(look, name, _reached(look, name, targets), removes=name not in _RIGHTS)
    if name in ("shred", "srm", "wipe", "truncate", "unlink"):
        refuse(look, name, [arg for arg in args[1:] if arg.is_pattern])
    for arg in args[1:-1] if name == "mv" and len(args) > 2 else args[1:]:
        path = look.path(arg) if arg.text and not arg.text.startswith("-") else None
        if path is None:
            _somewhere(look, name, arg)
            continue
        if path.is_relative_to(look.places.agent):
            look.add("agent", f"{name} on {path}, in the agent's own home", name)
        elif look.places.is_vital_file(path):
            look.add("catastrophic", f"{name} on {path}, on which the machine depends", name)
        elif name in _REMOVERS and look.places.kind(path) == "outside":  # no sandbox would let it
            leaves_sandbox(look, path, name)


def _somewhere(look: Look, name: str, arg: Arg) -> None:
    """What is deleted in a folder outside, where only its name is not known: `rm "/srv/old/$x"`."""
    if arg.text is None and name in _REMOVERS:
        folder = re.sub(
            r"/(found|listed)$", "", arg.start.rpartition("/")[0]
        )  # what stands for a name that is found
        place = look.join(folder or ("/" if arg.start.startswith("/") else "."))
        if place is not None and str(place) != "/" and look.places.kind(place) == "outside":
            leaves_sandbox(look, f"in {place}", name)


def leaves_sandbox(look: Look, place: Path | str, name: str) -> None:
    """A removal that no sandbox would let happen: once the owner has allowed it, it leaves."""
    look.add("outside", f"deletes {place}, which is outside the allowed folders or guarded", name)


def refuse(look: Look, name: str, args: list[Arg], *, removes: bool = True) -> None:
    """Refuses the command where one of its arguments is vital. `removes`: it takes it away, and does not only change who
    may read it."""
    for arg in args:
        if is_vital(look, arg, removes=removes):
            look.add("catastrophic", f"{name} on {arg.text}: the system or a whole home", name)


def is_vital(look: Look, arg: Arg, *, removes: bool = True) -> bool:
    """Whether an argument is, or matches all in, the system, a whole home or (`removes`) all keys or all backups."""
    value = arg.text
    if not value or value.startswith("-"):
        return False
    is_lost = look.places.is_lost if removes else look.places.is_vital
    if not arg.is_pattern:
        path = look.join(value)
        return path is not None and is_lost(path)
    folder, found, behind = _pattern(value)
    path = look.join(folder or ("/" if value.startswith("/") else "."))
    if path is not None and removes and BACKUPS.fullmatch(str(path)) and _EVERY.fullmatch(found):
        return True
    if path is None or behind.strip("/*"):
        return False
    if (
        removes and path.name == ".ssh" and found in ("id_*", "id*")
    ):  # all keys, whatever else stays there
        return True
    if is_lost(path) and _EVERY.fullmatch(found):
        return True
    inside = [
        each
        for each in (*SYSTEM, str(look.places.owner))
        if each.rpartition("/")[0] == str(path).rstrip("/")
    ]
    return any(
        fnmatch.fnmatchcase(each.rpartition("/")[2], found) for each in inside if each != "/"
    )


def _pattern(value: str) -> tuple[str, str, str]:
    """The folder in front of the first name with a wildcard, that name, and what stands behind it."""
    folder, name = "", value
    while "/" in name and not re.search(r"[*?\[]", name.partition("/")[0]):
        first, _, name = name.partition("/")
        folder += f"{first}/"
    found, _, behind = name.partition("/")
    return folder, found, behind
