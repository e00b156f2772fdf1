"""The uses of dangerous programs that only show something, or do what everybody does every day."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from safety import vital
from safety.options import operands_of
from safety.tables import INTERPRETERS, SHELLS, WRAPPERS, names
from text import pattern

# Tools that a project has of its own, so that `npx` installs nothing.
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
    *(
        "ava",
        "tap",
        "wdio",
        "nodemon",
        "concurrently",
        "standard",
        "xo",
        "knip",
        "depcheck",
        "madge",
        "size-limit",
    ),
}
_IMAGE = pattern(
    r"(?i)test|tmp|temp|dummy|sample|swap|blank|zero|random|\.(img|iso|raw|bin|dat|swap|qcow2)$"
)
_DEBUGGER = pattern(
    r"(bt|backtrace|where|thread (apply all )?(bt|backtrace)|thread list|info [\w ]+|list|disas\w*|frame \w+|x/\w+ \S+|print [\w$.>\[\]-]+|run|quit|q)( full| all)?"
)
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
        and not any(
            re.match(r"--?(add|remove|set|delete|change|create|enable|disable)", value)
            for value in known
        )
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
        and not (
            clause[2] != "-" and "w" in clause[3] and (not clause[1] or {"o", "a"} & set(clause[1]))
        )
        and not (
            clause[2] == "=" and {"u", "a"} & set(clause[1]) and not {"r", "w"} <= set(clause[3])
        )
        for clause in clauses
    )


def _makes_image(known: list[str]) -> bool:
    """`truncate -s 1G disk.img`: an empty image to try something on."""
    size = next(
        (after for before, after in itertools.pairwise(known) if before in ("-s", "--size")), "0"
    )
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
    orders = [
        value
        for before, value in itertools.pairwise(known)
        if before in ("-ex", "--ex", "-o", "--eval-command")
    ]
    return (
        bool({"-batch", "--batch", "-b"} & set(known))
        and bool(orders)
        and all(map(_DEBUGGER.fullmatch, orders))
    )


# … and those that do by their options or their first word.
_USES: dict[str, Callable[[list[str | None], list[str]], bool]] = {
    "systemctl": lambda _, known: known[:1] == [] or bool(re.match(r"(status|list|show|is-|cat|get-|help|--version|-h)", next((value for value in known if value == "--version" or not value.startswith("-")), "list"))),
    "ansible-playbook": lambda _, known: bool({"--syntax-check", "--check", "-C", "--list-hosts", "--list-tasks"} & set(known)),
    "kill": lambda values, _: values[:1] in (["-0"], ["-l"], ["-L"]) or are_own_jobs(operands_of("kill", values)),
    "crontab": lambda _, known: "-l" in known and not {"-r", "-e", "-", "-i"} & set(known),
    "sudo": lambda _, known: bool(known) and set(known) <= {"-l", "-ll", "-n", "-nl", "-V", "-v"},
    "trap": lambda _, known: not known or known[0] in ("-", "", "-p") or known[1:] == [],
    "alias": lambda _, known: not any("=" in value for value in known),
    "mount": lambda values, _: not values,
    "ifconfig": lambda values, _: len(values) <= 1,
    "route": lambda values, _: not values or values == ["-n"],
    "git": lambda values, known: known[:2] in (["stash", "list"], ["rebase", "--abort"], ["sparse-checkout", "list"]) or (known[:1] == ["symbolic-ref"] and len(operands_of("git", values)) == 2) or (known[:1] == ["clean"] and any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", value) for value in known)) or "--dry-run" in known or (known[:1] == ["rm"] and "--cached" in known) or (known[:1] == ["restore"] and "--staged" in known and not {"--worktree", "-W", "-SW"} & set(known)),
    "ssh-keygen": lambda _, known: bool({"-l", "-lf", "-lvf", "-F", "-B", "-y"} & set(known)),
    "rsync": lambda _, known: "--dry-run" in known or any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", value) for value in known),
    "nc": lambda _, known: any(re.fullmatch(r"-[a-z0-9]*z[a-z0-9]*", value) for value in known) and not {"-e", "-c"} & set(known),
    "curl": lambda _, known: bool({"-G", "--get", "-sG", "-sSG", "-Gs", "-fsSG", "-fsG"} & set(known)) and not any("@" in value or value.startswith(("-T", "-F", "--form", "--upload")) for value in known),
    "ssh": lambda _, known: known[:1] in (["-V"], ["-G"], ["-Q"]),
    "ip": lambda _, known: not {"add", "del", "set", "flush", "change", "replace"} & set(known),
    "apt-get": lambda _, known: bool({"-s", "--simulate", "--dry-run", "--just-print", "--print-uris"} & set(known)),
    "apt": lambda _, known: bool({"-s", "--simulate", "--dry-run"} & set(known)),
    "mdadm": lambda _, known: known[:1] in (["--detail"], ["-D"], ["--examine"], ["-E"], ["--query"], ["-Q"]),
    "dscl": lambda _, known: bool({"-list", "-read", "-readall", "-search"} & set(known)),
    "dd": lambda values, known: None not in values and not _blanks(known) and not _reads_disk(known),  # where it writes to is judged like any other place (file_effects.py)
    "service": lambda _, known: known[-1:] in (["status"], ["--status-all"]),
    "loginctl": lambda _, known: not known,
    "pmset": lambda _, known: known[:1] == ["-g"],
    "hostnamectl": lambda _, known: not known,
    "timedatectl": lambda _, known: not known,
    "localectl": lambda _, known: not known,
    "chmod": lambda _, known: _gives_ordinary_rights([value for value in known if not re.fullmatch(r"-R|--recursive|-[Rvcf]+", value)][:1]),
    "truncate": lambda _, known: _makes_image(known),
    "ldconfig": lambda _, known: bool({"-p", "--print-cache"} & set(known)),
    "add-apt-repository": lambda _, known: bool({"-L", "--list"} & set(known)),
    "pg_restore": lambda _, known: bool({"-l", "--list"} & set(known)),
    "pg_ctl": lambda _, known: "status" in known,
    "losetup": lambda _, known: not known or bool({"-l", "-a", "-j", "--list", "--all", "--associated"} & set(known)),
    "swapon": lambda _, known: bool({"-s", "--show", "--summary"} & set(known)),
    "hdparm": lambda _, known: bool(known) and {value for value in known if value.startswith("-")} <= {"-I", "-i", "-t", "-T", "-tT", "-g", "-C"},
    "tune2fs": lambda _, known: known[:1] == ["-l"],
    "sgdisk": lambda _, known: known[:1] in (["-p"], ["-i"], ["-v"], ["--print"]),
    "sfdisk": lambda _, known: known[:1] in (["-l"], ["-d"], ["-J"], ["--dump"], ["--list"], ["--json"]),
    "gdisk": lambda _, known: known[:1] == ["-l"],
    "xfs_repair": lambda _, known: "-n" in known,
    "e2fsck": lambda _, known: "-n" in known,
    "gdb": lambda _, known: bool(known) and _only_asks_debugger(known),
    "lldb": lambda _, known: bool(known) and _only_asks_debugger(known),
    "fdisk": lambda _, known: known[:1] == ["-l"],
    "parted": lambda _, known: known[:1] == ["-l"] or known[-1:] == ["print"],
    "screen": lambda _, known: known[:1] == ["-ls"],
    "npx": lambda _, known: next((value for value in known if not value.startswith("-")), "") in LOCAL_TOOLS,
    "make": lambda _, known: "-n" in known or "--just-print" in known or "--dry-run" in known,
    "passwd": lambda _, known: known[:1] == ["-S"],
    "fsck": lambda _, known: "-n" in known or "-N" in known,
    "nft": lambda _, known: known[:1] == ["list"],
    "iptables": lambda _, known: known[:1] in (["-L"], ["-S"]) or "-L" in known,
    "efibootmgr": lambda _, known: not known or known in (["-v"], ["--verbose"]),
    "expect": lambda _, known: known in (["-v"], ["-version"]),
    "ufw": lambda _, known: known[:1] == ["status"],
}  # fmt: skip


_ASKED_OF_WINDOWS = {"reg": "query", "schtasks": "/query", "sc": "query", "vssadmin": "list", "bcdedit": "/enum", "wbadmin": "get"}  # fmt: skip
# Programs that say what they would do: the options that ask for it, in front of a `--`. What they start by themselves on the
# way there is the owner's own (`npm publish` builds the project); pip is not among them, since it runs what it fetched.
_DRY: dict[str, str] = {
    **{f"{name} {verb}": "--dry-run" for name in ("npm", "pnpm", "yarn", "bun") for verb in ("publish", "pack", "install", "i", "ci", "uninstall", "update", "prune")},
    **{f"{name} {verb}": "--dry-run" for name, verbs in (("cargo", "publish package update"), ("poetry", "publish install update add remove"), ("uv", "publish sync lock"), ("conda", "install create remove update"), ("mamba", "install create remove update")) for verb in verbs.split()},
    **dict.fromkeys(("rclone", "borg", "restic", "stow", "nix-collect-garbage", "brew"), "--dry-run -n"),
    **dict.fromkeys(("trash-empty", "nix-env", "goreleaser", "semantic-release", "release-it", "aptitude", "zypper", "docker compose", "docker-compose"), "--dry-run"),
    **dict.fromkeys(("git push", "git worktree", "git remote", "git prune", "git rm", "git lfs"), "--dry-run -n"),
    "git send-email": "--dry-run", "gsutil rsync": "-n", "dnf": "--assumeno", "yum": "--assumeno", "pacman": "-p --print", "logrotate": "-d --debug", "rename": "-n --nono --no-act --just-print",
    "ansible": "--list-hosts", "gio trash": "--list", "alembic upgrade": "--sql", "alembic downgrade": "--sql",
}  # fmt: skip


def _is_dry(name: str, known: list[str]) -> bool:
    before = known[: known.index("--")] if "--" in known else known
    first = next(iter(operands_of(name, list(before))), "")
    asked = _DRY.get(name) or _DRY.get(f"{name} {first}") or ""
    return bool(set(asked.split()) & set(before))


def only_shows(name: str, values: list[str | None]) -> bool:
    """The uses of a dangerous command that only show something."""
    if (
        values
        and set(values)
        <= {"--help", "--version", "-h", "-V", "--dry-run", "help", "-version", "-help"}
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
    if vital.is_tried(name, values) or _is_dry(name, known):
        return True
    if name in _VERBED and _is_shown(name, known):
        return True
    if known and known[0].lower() == _ASKED_OF_WINDOWS.get(name):
        return True
    judge = _USES.get(name)
    return judge is not None and judge(values, known)
