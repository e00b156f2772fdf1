"""Tell the kind of place that a path is: inside the roots, the agent's own home, a folder of secrets, a device, a start-up file.

Everything here looks at names only; the caller has followed the links (`Ask.paths` is resolved).
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["inside", "outside", "agent", "secret", "device", "startup"]

# Under the owner's home. A folder stands for all in it.
SECRETS = (
    *(
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".config/gcloud",
        ".kube",
        ".docker/config.json",
        ".netrc",
        ".pgpass",
    ),
    *(
        ".git-credentials",
        ".config/gh",
        ".config/git/credentials",
        ".npmrc",
        ".pypirc",
        ".vault-token",
        ".my.cnf",
    ),
    *(
        ".local/share/keyrings",
        ".password-store",
        ".config/rclone",
        ".terraform.d/credentials.tfrc.json",
        ".s3cfg",
    ),
    *(".mozilla", ".config/google-chrome", ".config/chromium", "Library/Keychains"),
    ".sopwith/config.yaml",  # of another agent of theirs, where this one's home is elsewhere
)
NO_SECRET = re.compile(r"/\.ssh/(known_hosts|config|authorized_keys|[^/]+\.pub)(\.old)?$")
# Wherever they are: `.env` and `.env.production`, but not `.env.example`; private keys by their usual names.
NAMED_SECRETS = re.compile(
    r"\.env(\.(local|production|prod|development|dev|staging|test|secret)\w*)?|id_(rsa|dsa|ecdsa|ed25519)|\.pgpass|\.netrc|\.htpasswd|credentials\.json"
)
ROOTS_KEYS = os.path.expanduser("~root/.ssh")  # noqa: PTH111 - as it stands where there is no root; it differs by system
SYSTEM_SECRETS = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private", ROOTS_KEYS)
# Files that run at the next login, commit or start without anyone asking.
STARTUP = (
    *(
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".profile",
        ".bash_logout",
        ".zshrc",
        ".zshenv",
        ".zprofile",
    ),
    *(
        ".config/autostart",
        ".config/systemd",
        ".config/fish",
        "Library/LaunchAgents",
        ".ssh/authorized_keys",
    ),
    *(
        ".ssh/config",
        ".ssh/rc",
        ".gitconfig",
        ".config/git",
        ".vimrc",
        ".inputrc",
        ".pam_environment",
    ),
)
HARMLESS_DEVICES = (
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/fd",
    "/dev/zero",
    "/dev/full",
    "/dev/shm",
)
# Where all keys and passwords are: whoever deletes it locks the owner out everywhere. Under the owner's home.
KEYRINGS = (
    ".ssh",
    ".gnupg",
    ".password-store",
    ".local/share/keyrings",
    "Library/Keychains",
    "Library",
    ".sopwith",
)
# Where all backups of a machine are, by their usual names.
BACKUPS = re.compile(
    r"(/(var|mnt|srv|media|data|opt|home))?/(\.snapshots?|snapshots|backups?|timeshift)(/snapshots)?"
)
HOMES = ("/home", "/Users")
# Folders that nobody deletes as a whole and lives.
SYSTEM = {
    *(
        "/",
        "/bin",
        "/boot",
        "/dev",
        "/etc",
        "/home",
        "/lib",
        "/lib32",
        "/lib64",
        "/opt",
        "/proc",
        "/root",
        "/run",
    ),
    *(
        "/sbin",
        "/srv",
        "/sys",
        "/usr",
        "/usr/bin",
        "/usr/lib",
        "/usr/lib32",
        "/usr/lib64",
        "/usr/sbin",
        "/usr/share",
        "/usr/local",
        "/var",
        "/var/lib",
        "/Users",
        "/System",
    ),
    *("/Applications", "/Library", "/Volumes", "/mnt", "/media", "C:\\", "C:\\Windows"),
    *(
        "/etc/systemd",
        "/etc/ssl",
        "/etc/security",
        "/etc/init.d",
        "/lib/modules",
        "/usr/lib/modules",
    ),
    *("/lib/systemd", "/usr/lib/systemd"),
    *(  # of package managers, containers and database servers: without them nothing is left that could be repaired
        f"/var/lib/{name}"
        for name in (
            *(
                "dpkg",
                "rpm",
                "pacman",
                "apt",
                "systemd",
                "docker",
                "containerd",
                "containers",
                "kubelet",
                "etcd",
            ),
            *(
                "libvirt",
                "mysql",
                "postgresql",
                "pgsql",
                "mongodb",
                "mongo",
                "redis",
                "influxdb",
                "elasticsearch",
            ),
        )
    ),
}
# Files of the kernel through which a running system loses its disks.
_UNPLUGS = re.compile(
    r"/sys/(block|class/(scsi|block|nvme|ata)\w*|bus|devices)/.*/(delete|remove|unbind|reset)"
)
# Files without which nobody logs in, or the machine does not start. A folder stands for all in it.
VITAL_FILES = (
    *(
        "/etc/passwd",
        "/etc/shadow",
        "/etc/group",
        "/etc/gshadow",
        "/etc/sudoers",
        "/etc/fstab",
        "/etc/pam.d",
        "/boot",
    ),
    *(
        "/proc/sysrq-trigger",
        "/proc/sys/kernel/sysrq",
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/sys/firmware",
        *(
            f"{folder}/{name}"
            for folder in ("/bin", "/usr/bin")
            for name in ("bash", "dash", "sh", "env", "dpkg", "rpm")
        ),
        *("/sbin/init", "/usr/sbin/init", "/usr/lib/systemd/systemd", "/lib/systemd/systemd"),
    ),
)
PROGRAM_FOLDERS = {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"}
_REFERENCE = re.compile(r"\{\{file:([^\n{}]+?):(\d+):(\d+)\}\}")


def references(text: str) -> list[re.Match[str]]:
    """The `{{file:path:start:end}}` in a text to be written: group 1 path, 2 first line, 3 last line."""
    return list(_REFERENCE.finditer(text))


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one run, all absolute and with links followed."""

    roots: tuple[Path, ...]
    agent: Path
    owner: Path
    temporary: Path
    secrets: tuple[str, ...]
    startup: tuple[str, ...]
    is_held: bool = (
        True  # a sandbox holds what scripts write: a place that nobody knows before is left to it
    )

    @classmethod
    def of(cls, roots: tuple[str | Path, ...], agent: Path, owner: Path, cwd: Path) -> Places:
        """`roots` as configured (~ allowed); none: the owner's home, the working folder, the folder for temporary files."""
        temporary = Path(tempfile.gettempdir())
        named = [
            owner / str(root)[2:] if str(root).startswith("~/") else cwd / root for root in roots
        ]
        allowed = named or [owner, cwd, temporary]
        owner = _real(owner)
        return cls(
            tuple(_real(root) for root in allowed),
            _real(agent),
            owner,
            _real(temporary),
            tuple(f"{owner}/{name}" for name in SECRETS),
            tuple(f"{owner}/{name}" for name in STARTUP),
        )

    def kind(self, path: Path) -> Kind:
        """The kind of a place for writing. The most guarded one wins."""
        text = str(path)
        if text.startswith("/dev/"):
            return "inside" if _within(text, HARMLESS_DEVICES) else "device"
        if path.is_relative_to(self.agent):
            return "agent"
        if _within(text, self.startup) or "/.git/hooks/" in text + "/":
            return "startup"
        if self.is_secret(path):
            return "secret"
        return "inside" if any(path.is_relative_to(root) for root in self.roots) else "outside"

    def is_secret(self, path: Path) -> bool:
        """Return True if reading the path shows keys or passwords."""
        text = str(path)
        if path == self.agent / "config.yaml" or NAMED_SECRETS.fullmatch(path.name):
            return True
        return _within(text, (*SYSTEM_SECRETS, *self.secrets)) and not NO_SECRET.search(text)

    def is_vital_file(self, path: Path) -> bool:
        """Return True if the machine, or everybody's login, depends on the file."""
        text = str(path)
        return _within(text, VITAL_FILES) or (
            text.startswith("/sys/") and _UNPLUGS.fullmatch(text) is not None
        )

    def is_vital(self, path: Path) -> bool:
        """Return True if deleting the path takes the system, the owner's home or the agent's own with it."""
        return (
            str(path) in SYSTEM
            or self.owner.is_relative_to(path)
            or self.agent.is_relative_to(path)
        )

    def is_lost(self, path: Path) -> bool:
        """Return True if deleting the path takes that, all keys of the owner, all backups, or the home of somebody else."""
        text = str(path)
        return (
            self.is_vital(path)
            or str(path.parent) in HOMES
            or text.removeprefix(f"{self.owner}/") in KEYRINGS
            or BACKUPS.fullmatch(text) is not None
        )


def without_links(path: Path) -> Path:
    """The path without dots, and without links as far as it exists."""
    try:
        return path.resolve()
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # links in a circle, a name too long, no name at all
        return Path(os.path.normpath(path))


def _within(text: str, folders: tuple[str, ...]) -> bool:
    return text.startswith(folders) and any(
        text == folder or text.startswith(folder + "/") for folder in folders
    )


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # links in a circle
        return path.absolute()
