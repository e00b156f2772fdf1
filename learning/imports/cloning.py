"""Clone a git address with none of the owner's settings: only https, ssh and file, no hooks, no
submodules, no questions."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from memory.sops import SopError
from text import names

CLONE_SECONDS = 120.0
CLONE_BLOCKS = 400_000  # of 512 bytes, the largest file that a clone may write
ADDRESS = re.compile(r"(?:https|ssh|file)://(?!-)\S+|[\w.-]+@(?!-)[\w.-]+:[\w./~-]+")
PROTOCOLS = ("https", "ssh", "file")
SETTINGS = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=true",
    "submodule.recurse=false",
    "credential.helper=",
    "transfer.fsckObjects=true",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
    "protocol.allow=never",
] + [f"protocol.{name}.allow=always" for name in PROTOCOLS]
FLAGS = [
    "--depth=1",
    "--single-branch",
    "--no-tags",
    "--no-recurse-submodules",
    "--template=",
    "--quiet",
]
OF_THE_OWNER = names(
    "PATH HOME SSH_AUTH_SOCK HTTPS_PROXY https_proxy NO_PROXY no_proxy SSL_CERT_FILE"
)
ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=15",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "LC_ALL": "C",
}


class ImportRefused(SopError):
    """The source cannot be imported, or not safely."""


def cloned(address: str, scratch: Path) -> Path:
    """Return a shallow clone. Raises ImportRefused."""
    if not ADDRESS.fullmatch(address) or "::" in address:
        raise ImportRefused("error.imports.address-import", address=address[:200])
    git = shutil.which("git")
    if git is None:
        raise ImportRefused("error.imports.git-installed-needed-git")
    target = scratch / "clone"
    settings = [word for setting in SETTINGS for word in ("-c", setting)]
    command = [git, *settings, "clone", *FLAGS, "--", address, str(target)]
    limited = ["sh", "-c", f'ulimit -f {CLONE_BLOCKS}; exec "$@"', "sh", *command]
    own = {name: os.environ[name] for name in OF_THE_OWNER if name in os.environ}
    if said := _run(limited, own | ENVIRONMENT, scratch):
        shown = safe_source(address)
        raise ImportRefused("error.imports.cannot-cloned", source=shown, error=said)
    return target


def _run(command: list[str], environment: Mapping[str, str], cwd: Path) -> str:
    """Return the line that git failed with; "" when it worked."""
    with subprocess.Popen(
        command, env=dict(environment), cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, start_new_session=True,
    ) as child:  # fmt: skip
        try:
            _, said = child.communicate(timeout=CLONE_SECONDS)
        except BaseException as error:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                return f"no answer within {CLONE_SECONDS:g} seconds"
            raise  # an interrupt; nothing goes on behind it
    return "" if child.returncode == 0 else _told(said.decode("utf-8", "replace"))


def _told(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith(("fatal:", "error:"))]
    told = (wrong or lines[-1:] or ["git failed"])[0]
    return " ".join(told.removeprefix("fatal:").removeprefix("error:").split())[:300].rstrip(".")


def safe_source(source: str) -> str:
    """Return a source without a password or a token in its address, on one line."""
    return " ".join(re.sub(r"(://)[^/@\s]+@", r"\1", source).split())[:300]
