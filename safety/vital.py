"""What takes the system, a home or a disk with it: refused, not asked. catastrophes.py has the ordinary programs put to that use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from safety.expand import Arg
from safety.options import operands_of, value_of
from safety.paths import SYSTEM
from safety.patterns import pattern
from safety.tables import names

if TYPE_CHECKING:
    from safety.commands import Look


_DISKS = pattern(
    r"mkfs|mke2fs|mkdosfs|wipefs|blkdiscard|shred|mkswap|sgdisk|sfdisk|parted|hdparm|badblocks|pvremove|pvcreate|mdadm|cryptsetup|nvme|dd$|ddrescue|gdisk|wipe$"
)
_DISK_READS = names(
    "-l --list -p --print -d --dump print list -I -i --detail --examine luksDump isLuks smart-log id-ctrl -n --no-act status -tT -t -T"
)
_NEVER_READS = pattern(r"mkfs|mke2fs|mkdosfs|shred|mkswap|blkdiscard|dd$|ddrescue|pvremove|pvcreate|wipe$")
_DESTROYS = {
    ("lvremove", ""),
    ("vgremove", ""),
    ("zpool", "destroy"),
    ("zpool", "labelclear"),
    ("zfs", "destroy"),
    ("diskpart", ""),
}
_DELETES = names("rm rmdir unlink shred srm truncate mv chmod chown chgrp chattr setfacl Remove-Item rimraf wipe")


def judge(look: Look, name: str, args: list[Arg], values: list[str | None]) -> None:
    """What takes the system, the owner's home or the agent's own with it is refused, not asked."""
    flags = "".join(value[1:] for value in values if value and re.fullmatch(r"-[A-Za-z]+", value))
    is_deep = bool(set("rR") & set(flags)) or "--recursive" in values
    if name == "rm" and "--no-preserve-root" in values:
        look.add("catastrophic", "rm --no-preserve-root", name)
    if name == "kill" and "-1" in values[1:]:
        look.add("catastrophic", "kill -1 stops every process", name)
    if (
        _DISKS.match(name)
        and (_NEVER_READS.match(name) or not _DISK_READS & set(values))
        and any(
            re.search(r"^(of=)?/dev/(?!null|zero|u?random|shm|std|fd)", value or "")
            for value in values
            if not (value or "").startswith("if=")
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
    _spread(look, name, args, values)
    if name in _DELETES:
        deletes(look, name, args, is_deep)


def _spread(look: Look, name: str, args: list[Arg], values: list[str | None]) -> None:
    """Ordinary commands that empty a folder with all in it, or lock everybody out."""
    if name == "rsync" and any((value or "").startswith("--delete") for value in values):
        refuse(look, name, args[-1:])
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
        refuse(look, name, args[1:])


def deletes(look: Look, name: str, args: list[Arg], is_deep: bool) -> None:
    """What a command that deletes, moves or locks would take; `is_deep`: with all that is in it."""
    if name in ("rm", "mv", "shred", "Remove-Item", "rimraf", "srm") or is_deep:
        targets = args[1:-1] if name == "mv" and len(args) > 2 else args[1:]
        if is_deep or name in ("mv", "Remove-Item", "rimraf"):
            refuse(look, name, targets)
    if name in ("shred", "srm", "wipe", "truncate", "unlink"):
        refuse(look, name, [arg for arg in args[1:] if arg.is_pattern])
    for arg in args[1:-1] if name == "mv" and len(args) > 2 else args[1:]:
        path = look.path(arg) if arg.text and not arg.text.startswith("-") else None
        if path is None:
            continue
        if path.is_relative_to(look.places.agent):
            look.add("agent", f"{name} on {path}, in the agent's own home", name)
        elif look.places.is_vital_file(path):
            look.add("catastrophic", f"{name} on {path}, on which the machine depends", name)


def refuse(look: Look, name: str, args: list[Arg]) -> None:
    """Refuses the command where one of its arguments is vital."""
    for arg in args:
        if is_vital(look, arg):
            look.add("catastrophic", f"{name} on {arg.text}: the system or a whole home", name)


def is_vital(look: Look, arg: Arg) -> bool:
    """Whether an argument is, or matches all in, the system or a whole home."""
    value = arg.text
    if not value or value.startswith("-"):
        return False
    bare = re.sub(r"(/\.?\*+|/\.\[[^/]*|/\.\.?\?\*)$", "", value) if arg.is_pattern else value
    if arg.is_pattern and bare in ("*", ".*"):
        bare = "."
    path = look.join(bare or "/")
    return (
        path is not None and not re.search(r"[*?\[]", str(path)) and (look.places.is_vital(path) or str(path) in SYSTEM)
    )
