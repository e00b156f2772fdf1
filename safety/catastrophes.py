"""Ordinary programs put to the worst use: a disk as the output, what the system stands on removed, endless loops, a container
that is given the machine. commands.py asks about each command; rules for what destroys by its nature are there.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from safety import file_effects, inputs, vital
from safety.expand import Arg
from safety.options import behind, value_of
from safety.shell import Command, Part, Word
from text import pattern

if TYPE_CHECKING:
    from safety.commands import Look

_DEVICE = pattern(r"/dev/(?!null|zero|full|u?random|shm|std|fd|tty)\w")
_OUTPUT = pattern(
    r"-(o|O|out|outdev|-(output|outfile|output-document|output-dir|of|file|overwrite))"
)
_OUTPUT_GLUED = pattern(
    r"(?i:open|create|gopen|file):(?=/dev/)|(?:of|wipe|--(?:output|outfile|output-document|of|file|overwrite))=(?=/dev/)"
)
_LAST_OUTPUT = {"qemu-img": "convert", "mksquashfs": "", "genext2fs": "", "virt-sparsify": ""}
_PARTITIONERS = {"fdisk", "gdisk", "cfdisk", "sfdisk", "parted"}
_ONLY_SHOWN = pattern(r"\s*([pqlmivF?]|print|quit|help|unit \w+)?\s*")
_LOOP = pattern(
    r"\b(?:while\s{1,9}(?:true|:|\[\s?1\s?\]|\(\(\s?1\s?\)\)|!\s?false)|until\s{1,9}false|for\s{0,9}\(\(\s{0,9};\s{0,9};\s{0,9}\)\))"
    r"\s{0,9};?\s{0,9}do\b(.{0,400}?)\bdone\b",
    re.DOTALL,
)
_WAITS = pattern(
    r"\b(wait|read|inotifywait|break|exit|return|sem|flock)\b|\bsleep\s[^;&\n]*([;\n]|$)"
)
_IN_BACKGROUND = pattern(r"(?<![&><|])&(?![&>\d])")
_MAKES = pattern(r"\b(mkdir|touch|mktemp|mkfifo|fallocate|cp|ln|tee|dd)\b|>")
_EVERYBODY = pattern(r"\^?(\.\*?|\*)?\$?")
_FIRST_PROCESS = {"init", "systemd", "launchd"}
_SIGNAL_OPTIONS = (
    "-u --euid -U --uid -g --pgroup -G --group -P --parent -s --session --signal -t --terminal"
)
# Without these no machine starts or takes a command. One kernel by its version may go: the others stay.
_VITAL_PACKAGE = pattern(
    r"(libc6|libc-bin|glibc(-common|\*)?|musl|bash|dash|coreutils|dpkg|apt|rpm|pacman|busybox|util-linux|base-files|filesystem|init|login|passwd|libpam\*|systemd(\*|-sysv)?"
    r"|linux|linux-(image|generic|base)?\*|linux-(image-)?(generic|amd64|arm64|virtual)|kernel(-core|-default)?\*?|grub\*|\*)(:\w+)?"
)
_REMOVES_PACKAGES: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("apt", "apt-get", "aptitude"), pattern(r"remove|purge|autoremove|autopurge")),
    **dict.fromkeys(("yum", "dnf", "microdnf", "zypper"), pattern(r"remove|erase|rm|autoremove")),
    "dpkg": pattern(r"-[rP]|--purge|--remove"),
    "rpm": pattern(r"-\w*e\w*|--erase"),
    "pacman": pattern(r"-R\w*|--remove"),
    "apk": pattern(r"del"),
    "xbps-remove": pattern(r".*"),
    "emerge": pattern(r"-C|--unmerge"),
}
_LISTS_PROCESSES = pattern(
    r"ps( \S+)*? (-?\w*[aexA]\w*)( |$)|pgrep (-\w+ )*\.?\*?$|pidof|ls /proc$"
)
_LISTS_UNITS = pattern(r"systemctl( --?[\w=-]+)* (list-units|list-unit-files)\b")
_ALL_UNITS = pattern(
    r"(systemd-(logind|journald|udevd)|dbus(-broker)?)(\.(service|socket))?|\*(\.(service|socket|target|\*))?|default\.target|basic\.target|sysinit\.target|-\.mount|init\.scope|system\.slice"
)
_LISTS_USERS = pattern(
    r"ls( -\S+)* /home/?$|(cut|awk|cat|sed) .*/etc/passwd|getent passwd$|compgen -u"
)
_LOCKS_OUT = {
    "usermod": pattern(
        r" (-L|--lock|(-e|--expiredate)[ =][01]?) | (-s|--shell)[ =]\S*(nologin|false) "
    ),
    "passwd": pattern(r" (-l|--lock) "),
    "chage": pattern(r" (-E|--expiredate)[ =]?[01] "),
}
_STOPS_UNITS = {"stop", "kill", "disable", "mask", "isolate"}
_DISK_WRITERS = {"mcopy", "mdel", "mdeltree", "mmove", "mren", "mmd", "mrd", "mlabel", "mattrib", "minstall", "e2label", "fatlabel", "ntfslabel", "mtools"}  # fmt: skip
_LISTS_PACKAGES = pattern(
    r"dpkg (-l|--list|--get-selections)|dpkg-query |apt list|rpm -qa|pacman -Qq?e?$|apk info$"
)
_CHOOSES = pattern(r"e?grep|rg|deborphan|fzf|head|tail|comm|sed")
_CONTAINER_VALUED = (
    "-v --volume --mount -e --env --env-file --name -p --publish -u --user -w --workdir --network --net --entrypoint --platform -m --memory --cpus"
    " -h --hostname -l --label --add-host --device --cap-add --cap-drop --security-opt --pid --ipc --gpus --restart --shm-size --ulimit --tmpfs --pull --log-driver --dns --userns"
)


def judge(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """Refuses what one command would do to the whole machine, beyond what its name says."""
    _device(look, name, args, values)
    if name in _PARTITIONERS and any(_DEVICE.match(value or "") for value in values):
        _partitions(look, name, command)
    if name in ("pkill", "killall", "killall5", "skill", "slay"):
        _processes(look, name, values)
    if name in ("systemctl", "kill"):
        _everything(look, name, values, command)
    if name in _REMOVES_PACKAGES:
        _packages(look, name, values, command)
    if name == "diskutil" and any(
        re.match(r"(erase|delete|partition|zero|secureErase|reformat|randomDisk)", value or "")
        for value in values
    ):
        look.add("catastrophic", "diskutil: destroys a volume", name)
    if name in ("userdel", "deluser") and (
        look.places.owner.name in values or _is_given_all(look, command, _LISTS_USERS)
    ):
        look.add("catastrophic", f"{name} removes the owner's own account", name)
    if (
        name in _LOCKS_OUT
        and look.places.owner.name in values
        and _LOCKS_OUT[name].search(f" {' '.join(each or '?' for each in values)} ")
    ):
        look.add("catastrophic", f"{name} locks the owner out", name)


def _device(look: Look, name: str, args: list[Arg], values: list[str | None]) -> None:
    """What a program writes to a disk that it is given as the place of its output."""
    found = []
    for before, arg in zip([None, *values], args[1:], strict=False):
        if glued := _OUTPUT_GLUED.match(arg.start):
            found.append(Arg(arg.text and arg.text[glued.end() :], arg.start[glued.end() :]))
        elif _DEVICE.match(arg.start) and _OUTPUT.fullmatch(before or ""):
            found.append(arg)
    if name in _DISK_WRITERS:
        found += [arg for arg in args[1:] if _DEVICE.match(arg.start)]
    if name in _LAST_OUTPUT and _LAST_OUTPUT[name] in ("", *values):
        found += args[-1:]
    if name in ("tar", "bsdtar", "gtar") and re.match(
        r"-?\w*[cruA]|--(create|append|update)", values[0] or "" if values else ""
    ):
        at = next(
            (n for n, value in enumerate(values) if re.fullmatch(r"-?[a-zA-Z]*f", value or "")),
            None,
        )
        found += args[at + 2 : at + 3] if at is not None else []
    for arg in found:
        if _DEVICE.match(arg.start):
            file_effects.write(look, arg, name)


def _partitions(look: Look, name: str, command: Command) -> None:
    """A partition tool that is told by its input what to do with a disk."""
    if not inputs.has_input(command):
        return
    lines = inputs.input_of(look, command)
    if lines is None or not all(_ONLY_SHOWN.fullmatch(line) for line in lines.splitlines()):
        look.add("catastrophic", f"{name} changes a disk as its input says", name)


def _processes(look: Look, name: str, values: list[str | None]) -> None:
    known = ["?" if value is None else value for value in values]
    if {"-0", "-l", "-L", "--list", "-V"} & set(known):
        return
    listed = [name, *known]
    valued = _SIGNAL_OPTIONS.split()
    patterns = [
        listed[at]
        for at in range(1, len(listed))
        if not listed[at].startswith("-") and listed[at - 1] not in valued
    ]
    whose = f"(root|0|{re.escape(look.places.owner.name)})"
    user = re.search(rf"(?:^| )(?:-[uU]|--euid|--uid|--user)[ =]?{whose}(?: |$)", " ".join(known))
    if name in ("pkill", "skill") and {"-v", "--inverse"} & set(known):
        look.add("catastrophic", f"{name} -v stops everything else", name)
    elif name == "killall5" or (
        name != "killall" and any(_EVERYBODY.fullmatch(each) for each in patterns)
    ):
        look.add("catastrophic", f"{name} stops every process", name)
    elif user and not [each for each in patterns if each != user[1]]:
        look.add("catastrophic", f"{name} stops every process of {user[1]}", name)
    elif _FIRST_PROCESS & set(patterns):
        look.add("catastrophic", f"{name} stops the process that all others depend on", name)


def _packages(look: Look, name: str, values: list[str | None], command: Command) -> None:
    removes = _REMOVES_PACKAGES[name]
    if not any(removes.fullmatch(value or "") for value in values) or {
        "-s",
        "--dry-run",
        "--simulate",
        "-p",
        "--test",
    } & set(values):
        return
    for value in values:
        if value and not removes.fullmatch(value) and _VITAL_PACKAGE.fullmatch(value):
            look.add(
                "catastrophic",
                f"{name} removes {value}, without which the machine does not work",
                name,
            )
    if _is_given_all(look, command, _LISTS_PACKAGES):
        look.add("catastrophic", f"{name} removes all that is installed", name)


def _everything(look: Look, name: str, values: list[str | None], command: Command) -> None:
    """All services, or all processes, stopped at once."""
    if name == "kill":
        if not {"-0", "-l", "-L"} & set(values) and _is_given_all(look, command, _LISTS_PROCESSES):
            look.add("catastrophic", "kill stops every process", name)
        if not {"-0", "-l", "-L"} & set(values) and "1" in [
            value
            for before, value in zip([None, *values], values, strict=False)
            if before not in ("-s", "-n")
        ]:
            look.add("catastrophic", "kill 1: the process that all others depend on", name)
        return
    plain = [value for value in values if value is None or not value.startswith("-")]
    if plain[:1] and plain[0] in _STOPS_UNITS:
        named = [value for value in plain[1:] if value and _ALL_UNITS.fullmatch(value)]
        if (named and plain[0] != "isolate") or _is_given_all(look, command, _LISTS_UNITS):
            look.add(
                "catastrophic",
                f"systemctl {plain[0]}: every service, or what all of them need",
                name,
            )


def _is_given_all(look: Look, command: Command, lists: re.Pattern[str]) -> bool:
    """Whether a command works on the whole of a list, by a pipe or a substitution; False when something chooses from it."""
    parts = [part for word in command.words for part in word.parts]
    looped = [look.over.get(part.value, ()) for part in parts if part.kind == "variable"]
    for commands in (_piped(command), *(part.commands for part in parts), *looped):
        lines = [" ".join(word.literal or "?" for word in each.words) for each in commands]
        chosen = any(_CHOOSES.match(line) for line in lines) or any(
            re.search(r"[/~=]", inner.value)
            for each in commands
            if each.words and each.words[0].literal in ("awk", "gawk")
            for word in each.words[1:]
            for inner in word.parts
        )
        if not chosen and any(lists.match(line) for line in lines):
            return True
    return False


def _piped(command: Command) -> tuple[Command, ...]:
    """The commands whose output comes to this one."""
    found: list[Command] = []
    while command.source is not None and len(found) < 20:
        command = command.source
        found.append(command)
    return tuple(found)


def endless(look: Look, text: str) -> None:
    """A loop without an end that starts processes, or makes files, and never waits."""
    for loop in _LOOP.finditer(text):
        if re.search(r"<<(?!<)", text[: loop.start()]):
            return  # a document: what runs it looks at it
        body = loop[1]
        if _WAITS.search(body):
            continue
        if _IN_BACKGROUND.search(body):
            look.add("catastrophic", "starts processes without end", "")
        elif _MAKES.search(re.sub(r"\d?>+\s?(&\d|/dev/null)", "", body)):
            look.add("system", "makes files without end", "")


def container(look: Look, args: list[Arg], values: list[str | None], command: Command) -> None:
    """`docker run`: what it does to the folders of this machine that it is given, under their names here."""
    at = next(n for n, arg in enumerate(args) if arg.text in ("run", "create"))
    inner = behind(args[at:], _CONTAINER_VALUED, 1)
    entry = next(
        (args[n + 2].text for n, value in enumerate(values[:-1]) if value == "--entrypoint"), None
    ) or next((value[13:] for value in values if value and value.startswith("--entrypoint=")), None)
    inner = [Arg(entry, entry), *inner] if entry else inner
    mounts = {
        to: host for host, to in _mounts(args) if host and vital.is_vital(look, Arg(host, host))
    }
    is_open = any((value or "").startswith(("--privileged", "--device")) for value in values)
    shares_processes = "--pid=host" in values or value_of(values, "--pid") == "host"
    if not inner or not (mounts or is_open or shares_processes):
        return
    inside = look.inner()
    folder = next(
        (args[n + 2] for n, value in enumerate(values[:-1]) if value in ("-w", "--workdir")), None
    )
    inside.cwd = look.path(_named_here(folder, mounts)) if folder else None
    inside.words(
        [_named_here(arg, mounts) for arg in inner],
        Command([Word([Part("text", "")]) for _ in inner]),
    )
    for found in inside.findings:
        leaves = shares_processes and (inner[0].text or "").rpartition("/")[2] in (
            "nsenter",
            "chroot",
            "kill",
        )
        if found.risk == "catastrophic" and (
            mounts or leaves or "device" in found.reason or "/dev/" in found.reason
        ):
            look.findings.append(found)


def _mounts(args: list[Arg]) -> list[tuple[str, str]]:
    """Folder here and name there, of each mount that is written out."""
    found = []
    for before, arg in itertools.pairwise(args):
        text = arg.text or ""
        glued = re.match(r"(?:--volume|--mount|-v)=|-v(?=/|~)", text)
        if not (glued or before.text in ("-v", "--volume", "--mount")):
            continue
        text = text[glued.end() :] if glued else text
        fields = dict(re.findall(r"(\w+)=([^,]*)", text))
        host = fields.get("source") or fields.get("src")
        to = fields.get("target") or fields.get("dst") or fields.get("destination")
        if host and to:
            found.append((host, to))
        elif text.count(":") and not text.endswith(":ro"):
            found.append((text.split(":")[0], text.split(":")[1]))
    return found


def _named_here(arg: Arg, mounts: dict[str, str]) -> Arg:
    text = arg.text
    for to, host in mounts.items():
        place = pattern(rf"(?<![\w./-]){re.escape(to.rstrip('/') or '/')}(?![\w.-])/?")
        text = text and place.sub(host.rstrip("/").replace("\\", r"\\") + "/", text)
    return Arg(text, text or arg.start, bool(text and "*" in text))
