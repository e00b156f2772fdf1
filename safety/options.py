"""Which rows of the table fit a command line, what its options and operands are, and when it only shows something."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator

from safety.expand import Arg
from safety.patterns import pattern
from safety.tables import INTERPRETERS, SHELLS, TABLE, VALUED, WRAPPERS, Risk, names

LOCAL_TOOLS = {
    "tsc",
    "eslint",
    "prettier",
    "jest",
    "vitest",
    "mocha",
    "webpack",
    "vite",
    "rollup",
    "playwright",
    "cypress",
    "stylelint",
    "ts-node",
    "tsx",
    "next",
    "nuxt",
    "ng",
    "nx",
    "turbo",
    "biome",
    "karma",
    "nyc",
    "c8",
    "esbuild",
    "parcel",
    "storybook",
    "tailwindcss",
    "svelte-check",
    "vue-tsc",
    "markdownlint",
    "commitlint",
    "lint-staged",
    *(
        "docusaurus",
        "astro",
        "gatsby",
        "remix",
        "tsup",
        "swc",
        "babel",
        "sass",
        "postcss",
        "terser",
        "typedoc",
        "jsdoc",
    ),
    *("ava", "tap", "wdio", "nodemon", "concurrently", "standard", "xo", "knip", "depcheck", "madge", "size-limit"),
}


_IMAGE = pattern(r"(?i)test|tmp|temp|dummy|sample|swap|blank|zero|random|\.(img|iso|raw|bin|dat|swap|qcow2)$")
_DEBUGGER = pattern(
    r"(bt|backtrace|where|thread (apply all )?(bt|backtrace)|thread list|info [\w ]+|list|disas\w*|frame \w+|x/\w+ \S+|print [\w$.>\[\]-]+|run|quit|q)( full| all)?"
)
_SAME = {"mamba": "conda", "micromamba": "conda", "pip2": "pip", "podman-compose": "docker-compose", "gtar": "tar", "gfind": "find", "gsed": "sed", "nodejs": "node"}  # fmt: skip


def value_of(values: list[str | None], option: str) -> str | None:
    """What stands behind an option."""
    return values[values.index(option) + 1] if option in values[:-1] else None


def matches(name: str, values: list[str | None]) -> Iterator[tuple[Risk, str]]:
    """The rows of the table that fit a command; each risk once."""
    table = rows_by_name()
    name = _SAME.get(name, name)
    rows = table.get(name, []) + [row for start, row in _prefix_rows() if name.startswith(start)]
    if not rows:
        return
    operands = operands_of(name, values)
    seen = set()
    for parts, risk, reason in rows:
        plain = [part for part in parts if not part.startswith("-") or part == "--"]
        options = [part for part in parts if part.startswith("-") and part != "--"]
        fits = all(_has_plain(part, n, operands, values) for n, part in enumerate(plain))
        if fits and all(_has_option(name, option, values) for option in options) and risk not in seen:
            seen.add(risk)
            yield risk, reason


def _has_plain(part: str, at: int, operands: list[str | None], values: list[str | None]) -> bool:
    if part in ("--", "."):
        return part in values
    if at >= len(operands):
        return False
    operand = operands[at]
    if operand is None:
        return True  # a subcommand that is only known when it runs could be this one
    return operand.startswith(part[:-1]) if part.endswith("*") else operand == part


def _has_option(name: str, option: str, values: list[str | None]) -> bool:
    letter = option[1] if len(option) == 2 and name != "find" else ""
    valued = {item[1] for item in VALUED.get(name, "").split() if len(item) == 2}
    for value in values:
        if value is None or not value.startswith("-"):
            continue
        if option.endswith("*") and value.startswith(option[:-1]):
            return True
        if value == option or value.startswith(option + "="):
            return True
        if letter and (cluster := re.match(r"-([A-Za-z]+)", value)):
            for found in cluster[1]:
                if found == letter:
                    return True
                if found in valued:
                    break
    return False


@functools.cache
def rows_by_name() -> dict[str, list[tuple[list[str], Risk, str]]]:
    table: dict[str, list[tuple[list[str], Risk, str]]] = {}
    for risk, reason, patterns in TABLE:
        for row in patterns.split(";"):
            name, *parts = row.split()
            table.setdefault(name, []).append((parts, risk, reason))
    return table


@functools.cache
def _prefix_rows() -> list[tuple[str, tuple[list[str], Risk, str]]]:
    return [(name[:-1], row) for name, rows in rows_by_name().items() if name.endswith("*") for row in rows]


def operands_of(name: str, values: list[str | None]) -> list[str | None]:
    listed = [name, *values]
    return [listed[at] for at in range(1, len(listed)) if is_operand(name, listed, at)]


def is_operand(name: str, values: list[str | None], at: int) -> bool:
    value = values[at]
    if value is not None and value.startswith("-") and value != "-" and "--" not in values[1:at]:
        return False
    return values[at - 1] not in VALUED.get(name, "").split()


def option_values(args: list[Arg], values: list[str | None], options: list[str]) -> list[Arg]:
    found = [args[at + 1] for at, value in enumerate(values[:-1]) if value in options]
    glued = [arg for arg in args if "=" in arg.start and arg.start.partition("=")[0] in options]
    return found + [cut(arg, arg.start.index("=") + 1) for arg in glued]


def cut(arg: Arg, length: int) -> Arg:
    """The value of `name=value`."""
    return Arg(None if arg.text is None else arg.text[length:], arg.start[length:], arg.is_pattern, arg.has_output)


def behind(args: list[Arg], valued: str, skipped: int) -> list[Arg]:
    """The command that a wrapper runs: what is left without its options, assignments and plain arguments."""
    at, options = 1, valued.split()
    while at < len(args):
        value = args[at].start
        if value == "--" and not skipped:
            return args[at + 1 :]
        if value.startswith("-"):
            at += 2 if value in options else 1
        elif re.match(r"[A-Za-z_]\w*=", value):
            at += 1
        elif skipped:
            skipped, at = skipped - 1, at + 1
        else:
            return args[at:]
    return []


# Programs that both show and change: what their first words must be for showing, and which words only say of what.
_VERBED = names("mdadm zpool zfs btrfs diskutil dnf yum microdnf zypper apt-mark apt-key nmcli hostnamectl timedatectl localectl loginctl rfkill cryptsetup launchctl supervisorctl update-alternatives"
                " pm2 tmutil multipath iscsiadm efibootmgr semanage brctl nvme firewall-cmd pw dmsetup losetup snapper aptitude tc xattr security spctl networksetup systemsetup pmset defaults")  # fmt: skip
_SHOWN = names("list ls show status stats --detail --examine info get search repoquery provides check-update repolist deplist whatprovides iostat df du usage props se if lu lp lr list-updates repos what-provides packages patches print print-disabled"
               " list-units list-sessions list-users list-seats list-timezones list-locales list-keymaps user-status session-status seat-status show-session show-user showmanual showauto showhold"
               " luksDump isLuks smart-log id-ctrl listFilesystems table targets blame dump read find-certificate find --list --display --query -l --list-all --get-default-zone --get-zones --get-active-zones --state --list-ports --list-services"
               " activity latestbackup listbackups destinationinfo export timesync-status")  # fmt: skip
_OF_WHAT = names(
    "history filesystem subvolume fi su device dev connection con c d general g radio networking wifi apfs cs appleRAID qgroup scrub group module alternatives hdd class qdisc filter chain action"
)


def _is_shown(name: str, known: list[str]) -> bool:
    """`zpool status`, `btrfs filesystem df /`, `dnf repoquery X`, `nmcli con show`."""
    if (
        known
        and re.match(r"--?(list|get|show|print|display|query)", known[0])
        and not any(re.match(r"--?(add|remove|set|delete|change|create|enable|disable)", value) for value in known)
    ):
        return True
    plain = [value for value in operands_of(name, list(known)) if value] + [
        value for value in known if value.startswith("-") and value in _SHOWN
    ]
    for value in plain[:3]:
        if value in _SHOWN or re.match(r"(show|list|get|print)[a-z-]", value):
            return True
        if value not in _OF_WHAT:
            return False
    return (name == "nmcli" and bool(plain)) or plain[-1:] == ["history"]


def are_own_jobs(operands: list[str | None]) -> bool:
    """Whether `kill` is given jobs of the script alone: `%1`, `$!`."""
    return bool(operands) and all(value and value.startswith("%") for value in operands)


def _gives_ordinary_rights(modes: list[str]) -> bool:
    """`755`, `u+rwX,go+rX`: what the owner can do stays, and nobody else may write."""
    mode = modes[0] if modes else ""
    if re.fullmatch(r"0?[67][0-7][045]", mode):
        return True
    clauses = [re.fullmatch(r"([ugoa]*)([+=-])([rwxX]+)", clause) for clause in mode.split(",")]
    return all(
        clause is not None
        and not (clause[2] == "-" and (not clause[1] or {"u", "a"} & set(clause[1])))
        and not (clause[2] != "-" and "w" in clause[3] and (not clause[1] or {"o", "a"} & set(clause[1])))
        and not (clause[2] == "=" and {"u", "a"} & set(clause[1]) and not {"r", "w"} <= set(clause[3]))
        for clause in clauses
    )


def _makes_image(known: list[str]) -> bool:
    """`truncate -s 1G disk.img`: an empty image to try something on."""
    size = next((after for before, after in itertools.pairwise(known) if before in ("-s", "--size")), "0")
    return bool(re.fullmatch(r"[1-9]\d*[KMGT]i?B?", size)) and all(
        _IMAGE.search(value) for value in known if not value.startswith("-") and value != size
    )


def _blanks(known: list[str]) -> bool:
    """Whether `dd` puts zeros or noise in the place of what a file holds; an image is made that way."""
    written = next((value[3:] for value in known if value.startswith("of=")), "/dev/null")
    is_blank = any(re.fullmatch(r"if=/dev/(zero|null|u?random)", value) for value in known)
    return is_blank and not written.startswith("/dev/") and not _IMAGE.search(written)


def _reads_disk(known: list[str]) -> bool:
    """`dd if=/dev/sda of=disk.img`: all that is on the disk, past the rights of its files."""
    return "of=/dev/null" not in known and any(
        re.match(r"if=/dev/(sd|hd|vd|nvme|mmcblk|disk|mapper|dm-|md)", value) for value in known
    )


def _only_asks_debugger(known: list[str]) -> bool:
    """`gdb -batch -ex bt ./app core`: what a program did when it crashed."""
    orders = [value for before, value in itertools.pairwise(known) if before in ("-ex", "--ex", "-o", "--eval-command")]
    return bool({"-batch", "--batch", "-b"} & set(known)) and bool(orders) and all(map(_DEBUGGER.fullmatch, orders))


def only_shows(name: str, values: list[str | None]) -> bool:
    """The uses of a dangerous command that only show something."""
    if (
        values
        and set(values) <= {"--help", "--version", "-h", "-V", "--dry-run", "help", "-version", "-help"}
        and name not in ("find", "shutdown")
    ):
        return True
    known = [value or "" for value in values]
    if (
        len(known) == 2
        and known[1] == "--help"
        and name not in SHELLS | WRAPPERS.keys() | INTERPRETERS.keys()
        and not name.startswith("python")
    ):
        return True
    if name in _VERBED and _is_shown(name, known):
        return True
    shows = {
        "systemctl": known[:1] == [] or bool(re.match(r"(status|list|show|is-|cat|get-|help|--version|-h)", next((value for value in known if value == "--version" or not value.startswith("-")), "list"))),
        "ansible-playbook": bool({"--syntax-check", "--check", "-C", "--list-hosts", "--list-tasks"} & set(known)),
        "kill": values[:1] in (["-0"], ["-l"], ["-L"]) or are_own_jobs(operands_of("kill", values)),
        "crontab": "-l" in known and not {"-r", "-e", "-", "-i"} & set(known),
        "sudo": bool(known) and set(known) <= {"-l", "-ll", "-n", "-nl", "-V", "-v"},
        "trap": not known or known[0] in ("-", "", "-p") or known[1:] == [],
        "alias": not any("=" in value for value in known),
        "mount": not values,
        "ifconfig": len(values) <= 1,
        "route": not values or values == ["-n"],
        "git": known[:2] in (["stash", "list"], ["rebase", "--abort"], ["sparse-checkout", "list"]) or (known[:1] == ["symbolic-ref"] and len(operands_of("git", values)) == 2) or (known[:1] == ["clean"] and any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", value) for value in known)) or "--dry-run" in known or (known[:1] == ["rm"] and "--cached" in known) or (known[:1] == ["restore"] and "--staged" in known and not {"--worktree", "-W", "-SW"} & set(known)),
        "ssh-keygen": bool({"-l", "-lf", "-lvf", "-F", "-B", "-y"} & set(known)),
        "rsync": "--dry-run" in known or any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", value) for value in known),
        "nc": any(re.fullmatch(r"-[a-z0-9]*z[a-z0-9]*", value) for value in known) and not {"-e", "-c"} & set(known),
        "curl": bool({"-G", "--get", "-sG", "-sSG", "-Gs", "-fsSG", "-fsG"} & set(known)) and not any("@" in value or value.startswith(("-T", "-F", "--form", "--upload")) for value in known),
        "ssh": known[:1] in (["-V"], ["-G"], ["-Q"]),
        "ip": not {"add", "del", "set", "flush", "change", "replace"} & set(known),
        "apt-get": bool({"-s", "--simulate", "--dry-run", "--just-print", "--print-uris"} & set(known)),
        "apt": bool({"-s", "--simulate", "--dry-run"} & set(known)),
        "mdadm": known[:1] in (["--detail"], ["-D"], ["--examine"], ["-E"], ["--query"], ["-Q"]),
        "dscl": bool({"-list", "-read", "-readall", "-search"} & set(known)),
        "dd": None not in values and not _blanks(known) and not _reads_disk(known),  # where it writes to is judged like any other place (file_effects.py)
        "service": known[-1:] in (["status"], ["--status-all"]),
        "loginctl": not known,
        "pmset": known[:1] == ["-g"],
        "hostnamectl": not known,
        "timedatectl": not known,
        "localectl": not known,
        "chmod": _gives_ordinary_rights([value for value in known if not re.fullmatch(r"-R|--recursive|-[Rvcf]+", value)][:1]),
        "truncate": _makes_image(known),
        "ldconfig": bool({"-p", "--print-cache"} & set(known)),
        "add-apt-repository": bool({"-L", "--list"} & set(known)),
        "pg_restore": bool({"-l", "--list"} & set(known)),
        "pg_ctl": "status" in known,
        "losetup": not known or bool({"-l", "-a", "-j", "--list", "--all", "--associated"} & set(known)),
        "swapon": bool({"-s", "--show", "--summary"} & set(known)),
        "hdparm": bool(known) and {value for value in known if value.startswith("-")} <= {"-I", "-i", "-t", "-T", "-tT", "-g", "-C"},
        "tune2fs": known[:1] == ["-l"],
        "sgdisk": known[:1] in (["-p"], ["-i"], ["-v"], ["--print"]),
        "sfdisk": known[:1] in (["-l"], ["-d"], ["-J"], ["--dump"], ["--list"], ["--json"]),
        "gdisk": known[:1] == ["-l"],
        "xfs_repair": "-n" in known,
        "e2fsck": "-n" in known,
        "gdb": bool(known) and _only_asks_debugger(known),
        "lldb": bool(known) and _only_asks_debugger(known),
        "fdisk": known[:1] == ["-l"],
        "parted": known[:1] == ["-l"] or known[-1:] == ["print"],
        "screen": known[:1] == ["-ls"],
        "npx": next((value for value in known if not value.startswith("-")), "") in LOCAL_TOOLS,
        "make": "-n" in known or "--just-print" in known or "--dry-run" in known,
        "passwd": known[:1] == ["-S"],
        "fsck": "-n" in known or "-N" in known,
        "nft": known[:1] == ["list"],
        "iptables": known[:1] in (["-L"], ["-S"]) or "-L" in known,
        "ufw": known[:1] == ["status"],
    }  # fmt: skip
    return shows.get(name, False)
