"""What the sandbox lets one call do beyond, once the gate has let the call pass: the network, Git's settings, or everything.

    all      what the owner was asked about and what no sandbox can do (other rights, keys, places outside the roots); known
             programs that only look at the machine; scripts that ship with Sopwith, word for word
    network  sending, installing, spending, and what plainly names a program or library of the network
    git      deleting, and the commands of Git that write its settings

A script that hides what it does gets less, not more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from safety.gate import LEAVE_SANDBOX, Ask, Gate
from safety.shell import Command, NotUnderstood, parse
from safety.tables import REMOTE_LIBRARIES, SERVERS, SHELLS, WRAPPERS
from sandbox.cells.levels import Lift

SEEDS = Path(__file__).resolve().parent.parent.parent / "sops"
# Sending with keys of the owner, which no sandbox shows.
_WITH_KEYS = {"git", "ssh", "scp", "sftp", "rsync", "gh", "glab", "aws", "gcloud", "gsutil", "az", "kubectl", "helm", "docker", "podman", "npm", "pnpm", "yarn", "twine", "cargo", "gem", "rclone", "flyctl", "fly", "heroku", "vercel", "netlify", "svn", "hg", "ansible", "ansible-playbook", "mail", "mutt", "msmtp", "sendmail"}  # fmt: skip
_NETWORK = {"curl", "wget", "aria2c", "http", "https", "xh", "ping", "ping6", "traceroute", "tracepath", "mtr", "dig", "host", "nslookup", "whois", "yt-dlp", "youtube-dl", "nmap", "ssh-keyscan", "telnet", "nc", "lynx", "w3m", "links", "rsync", "pip", "pip3", "pipx", "uv", "uvx", "npm", "npx", "pnpm", "yarn", "bun", "brew", "apt", "apt-get", "gh", "glab", "aws", "gcloud", "az", "kubectl", "helm", "rclone", "ollama", "huggingface-cli", "hf"}  # fmt: skip
_NETWORK_WITH = {"git": "clone fetch pull push ls-remote submodule remote", "cargo": "fetch install add update search", "go": "get install mod", "gem": "install fetch", "poetry": "install add update", "conda": "install create update", "mamba": "install create update", "bundle": "install", "docker": "pull push"}  # fmt: skip
_LIBRARIES = re.compile(r"\b(urllib\.request|urllib3|requests|httpx|aiohttp|http\.client|ftplib|smtplib|imaplib|socket|websockets?|fetch|axios|openai|boto3|paramiko)\b|https?://(?!localhost|127\.)"
                        rf"|^\s*(import|from)\s+({'|'.join(sorted(SERVERS | REMOTE_LIBRARIES))})\b", re.MULTILINE)  # fmt: skip
_GIT_SETTINGS = {"remote", "branch", "config", "checkout", "switch", "submodule", "push", "clone", "init", "worktree", "sparse-checkout", "lfs"}  # fmt: skip
# Programs that look at the whole machine and change nothing, and those that only sort out what they say.
_LOOKERS = {"ps", "pgrep", "pidof", "pstree", "lsof", "fuser", "ss", "netstat", "free", "vmstat", "iostat", "uptime", "w", "who", "last", "lsblk", "lscpu", "lsusb", "lspci", "journalctl", "dmesg", "findmnt", "nvidia-smi", "sensors", "ip", "df"}  # fmt: skip
_LOOKERS_WITH = {"docker": "ps images logs inspect stats version info", "podman": "ps images logs inspect version info", "systemctl": "status list-units list-timers is-active is-enabled show cat", "tmux": "ls list-sessions", "top": "-bn1 -b"}  # fmt: skip
_FILTERS = {"grep", "egrep", "fgrep", "head", "tail", "sort", "uniq", "wc", "cut", "tr", "column", "echo", "printf", "date", "hostname", "uname", "whoami", "id", "nproc", "ls", "cat", "du", "stat", "pwd", "true", "tac", "nl", "rev", "cd"}  # fmt: skip
# What awk and sed may say beside them: nothing that starts a program or writes a file.
_AWK = re.compile(r"system|getline|[|@]|print[^;}\n]*>")
_SED = re.compile(r"(\d+|\$)?(,(\d+|\$))?[pdq]|s/[^/;\n]*/[^/;\n]*/[gIp\d]*")
_MAX_FILE_BYTES = 1_000_000


def lifts_of(gate: Gate, ask: Ask) -> frozenset[Lift]:
    """What this call may do beyond; it is one that the gate allowed, or the owner."""
    script = str(ask.args.get("script", ""))
    is_python = ask.args.get("type") == "python"
    if is_python and _ships(script):
        return frozenset({"all"})
    decision = gate.decide(ask)
    risks = set(decision.risks)
    if risks & LEAVE_SANDBOX:
        return frozenset({"all"})
    commands = [] if is_python else _commands(script)
    names = {name for name, _ in commands}
    if "send" in risks and decision.decision == "confirm" and names & _WITH_KEYS:
        return frozenset({"all"})
    if (
        commands and not risks and ask.tool != "shell_run" and _only_looks(commands)
    ):  # a shell stays open behind it
        return frozenset({"all"})
    lifts: set[Lift] = set()
    cwd = ask.paths[0] if ask.paths else gate.cwd
    if risks & {"send", "install", "spend"} or _is_of_the_network(
        script if is_python else "", commands, cwd
    ):
        lifts.add("network")
    if "delete" in risks or any(
        name == "git" and set(words) & _GIT_SETTINGS for name, words in commands
    ):
        lifts.add("git")
    return frozenset(lifts)


def _ships(script: str) -> bool:
    """Whether this very text is a script of ours."""
    size = len(script.encode("utf-8", "replace"))
    for file in SEEDS.glob("*/scripts/*.py"):
        if file.stat().st_size == size and file.read_text("utf-8") == script:
            return True
    return False


def _commands(script: str) -> list[tuple[str, list[str]]]:
    """Name and words of each command, those behind a wrapper (`timeout 5 curl`) too; none for what is not understood."""
    try:
        parsed = parse(script)
    except NotUnderstood:
        return []
    return [each for command in parsed for each in _named(command)]


def _named(command: Command) -> Iterator[tuple[str, list[str]]]:
    words = [word.value({}) or "" for word in command.words]
    while words:
        name = words[0].rpartition("/")[2]
        yield name, words[1:]
        if name not in WRAPPERS:
            return
        rest = words[1:]
        words = next(
            (rest[at:] for at, word in enumerate(rest) if re.fullmatch(r"[a-z/][\w./+-]*", word)),
            [],
        )


def _is_of_the_network(code: str, commands: list[tuple[str, list[str]]], cwd: Path) -> bool:
    if code and _LIBRARIES.search(code):
        return True
    for name, words in commands:
        if name in _NETWORK or set(_NETWORK_WITH.get(name, "").split()) & set(words):
            return True
        is_interpreter = name in SHELLS or re.match(r"(python|pypy|node|ruby|perl|deno|php)", name)
        if is_interpreter and (
            set(words) & {"pip", "uv"} or any(map(_LIBRARIES.search, _code(words, cwd)))
        ):
            return True
    return False


def _code(words: list[str], cwd: Path) -> Iterator[str]:
    """Code that an interpreter is given: in its arguments, or in the file that they name."""
    for word in words:
        yield word
        file = cwd / word
        if "\0" not in word and len(word) < 1000 and re.search(r"\.\w+$", word) and file.is_file():
            with file.open("rb") as opened:
                yield opened.read(_MAX_FILE_BYTES).decode("utf-8", "replace")


def _only_looks(commands: list[tuple[str, list[str]]]) -> bool:
    def looks(name: str, words: list[str]) -> bool:
        return name in _LOOKERS or bool(set(words[:1]) & set(_LOOKERS_WITH.get(name, "").split()))

    def sorts_out(name: str, words: list[str]) -> bool:
        plain = [word for word in words if not re.fullmatch(r"-[nErF].{0,3}", word)]
        if name in ("awk", "gawk", "mawk"):
            return len(plain) == 1 and not plain[0].startswith("-") and not _AWK.search(plain[0])
        if name == "sed":
            return len(plain) == 1 and bool(_SED.fullmatch(plain[0]))
        return name in _FILTERS

    return any(looks(*each) for each in commands) and all(
        sorts_out(*each) or looks(*each) for each in commands
    )
