"""Name what the sandbox lets one call do beyond, once the gate has let it pass: the network, Git's settings, or everything.

    all      what the owner was asked about and what no sandbox can do (other rights, keys, places outside the roots);
             scripts that ship with Sopwith, word for word
    network  sending, installing, spending, and what plainly names a program or library of the network: the whole network
             where a cell has no proxy (sandbox/network); where it has one, the hosts that `leave_of` finds
    git      deleting, and the commands of Git that write its settings

A script that hides what it does gets less, not more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from safety.gate import LEAVE_SANDBOX, Ask, Gate
from sandbox.cells.levels import Lift
from sandbox.network import commands_of
from shell.catalogue.lists import REMOTE_LIBRARIES, SERVERS

SEEDS = Path(__file__).resolve().parent.parent.parent / "sops"
# Sending with keys of the owner, which no sandbox shows.
_WITH_KEYS = {"git", "ssh", "scp", "sftp", "rsync", "gh", "glab", "aws", "gcloud", "gsutil", "az", "kubectl", "helm", "docker", "podman", "npm", "pnpm", "yarn", "twine", "cargo", "gem", "rclone", "flyctl", "fly", "heroku", "vercel", "netlify", "svn", "hg", "ansible", "ansible-playbook", "mail", "mutt", "msmtp", "sendmail"}  # fmt: skip
_NETWORK = {"curl", "wget", "aria2c", "http", "https", "xh", "ping", "ping6", "traceroute", "tracepath", "mtr", "dig", "host", "nslookup", "whois", "yt-dlp", "youtube-dl", "nmap", "ssh-keyscan", "telnet", "nc", "lynx", "w3m", "links", "rsync", "pip", "pip3", "pipx", "uv", "uvx", "npm", "npx", "pnpm", "yarn", "bun", "brew", "apt", "apt-get", "gh", "glab", "aws", "gcloud", "az", "kubectl", "helm", "rclone", "ollama", "huggingface-cli", "hf"}  # fmt: skip
_NETWORK_WITH = {"git": "clone fetch pull push ls-remote submodule remote", "cargo": "fetch install add update search", "go": "get install mod", "gem": "install fetch", "poetry": "install add update", "conda": "install create update", "mamba": "install create update", "bundle": "install", "docker": "pull push"}  # fmt: skip
_LIBRARIES = re.compile(r"\b(urllib\.request|urllib3|requests|httpx|aiohttp|http\.client|ftplib|smtplib|imaplib|socket|websockets?|fetch|axios|openai|boto3|paramiko)\b|https?://(?!localhost|127\.)"
                        rf"|^\s*(import|from)\s+({'|'.join(sorted(SERVERS | REMOTE_LIBRARIES))})\b", re.MULTILINE)  # fmt: skip
_GIT_SETTINGS = {"remote", "branch", "config", "checkout", "switch", "submodule", "push", "clone", "init", "worktree", "sparse-checkout", "lfs"}  # fmt: skip
_MAX_FILE_BYTES = 1_000_000


def lifts_of(gate: Gate, ask: Ask) -> frozenset[Lift]:
    """Return what this call may do beyond; it is one that the gate allowed, or the owner."""
    script = str(ask.args.get("script", ""))
    is_python = ask.args.get("type") == "python"
    if is_python and _ships(script):
        return frozenset({"all"})
    decision = gate.decide(ask)
    risks = set(decision.risks)
    if risks & LEAVE_SANDBOX:
        return frozenset({"all"})
    commands = [] if is_python else commands_of(script)
    names = {name for name, _ in commands}
    if "send" in risks and decision.decision == "confirm" and names & _WITH_KEYS:
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
    """Return True if this very text is a script of ours."""
    size = len(script.encode("utf-8", "replace"))
    for file in SEEDS.glob("*/scripts/*.py"):
        if file.stat().st_size == size and file.read_text("utf-8") == script:
            return True
    return False


def _is_of_the_network(code: str, commands: list[tuple[str, list[str]]], cwd: Path) -> bool:
    if code and _LIBRARIES.search(code):
        return True
    for name, words in commands:
        if name in _NETWORK or set(_NETWORK_WITH.get(name, "").split()) & set(words):
            return True
        from shell.catalogue.lists import SHELLS

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
