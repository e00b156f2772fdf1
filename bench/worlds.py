"""Small worlds for shell tasks: make one, look at its tree, and take the difference of two
looks."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

SECONDS = 60
NOT_OF_THE_WORLD = (".sopwith", ".cache", ".bash_history", ".local", ".config", ".gitconfig")
Tree = dict[str, str]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of an owner who lives in `home`; caches are shared by all worlds."""
    cache = home.parent.parent / "cache"
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(cache), "GIT_CONFIG_NOSYSTEM": "1"}
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", **own, **more}


def make(home: Path, *scripts: str) -> None:
    """Empty the folder but for `.sopwith`, and run the scripts of the fixture in it."""
    home.mkdir(parents=True, exist_ok=True)
    for entry in home.iterdir():
        if entry.name == ".sopwith":
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    script = "\n".join(scripts)
    subprocess.run(
        ["bash", "-c", script], cwd=home, env=environment(home), check=True, timeout=SECONDS
    )


def run(home: Path, script: str, values: Mapping[str, str], cwd: Path) -> tuple[int, str]:
    """Run a script as its author would, strict; return its exit code and its output."""
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail\n{script}"],
        cwd=cwd,
        env=environment(home, **{name: expanded(home, each) for name, each in values.items()}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


def expanded(home: Path, value: str) -> str:
    """Return a value with `~/` as the owner's home."""
    return f"{home}/{value[2:]}" if value.startswith("~/") else value


def look(home: Path) -> Tree:
    """Return path → kind, mode and content of all that lies in the world."""
    found: Tree = {}
    for folder, names, files in os.walk(home):
        at = Path(folder)
        if at == home:
            names[:] = [name for name in names if name not in NOT_OF_THE_WORLD]
            files = [name for name in files if name not in NOT_OF_THE_WORLD]
        if ".git" in names:
            names.remove(".git")
            found[f"{at.relative_to(home)}/.git"] = _repository(at)
        for name in [*names, *files]:
            path = at / name
            found[str(path.relative_to(home))] = _entry(path)
    return found


def _entry(path: Path) -> str:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"link {path.readlink()}"
    if stat.S_ISDIR(mode):
        return f"folder {mode & 0o777:o}"
    if tarfile.is_tarfile(path):
        return f"archive {_members(path)}"
    return f"file {mode & 0o777:o} {_hash(path.read_bytes())}"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _members(path: Path) -> str:
    """Return names and contents of an archive; its times are those of the fixture."""
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member) for member in archive}
        return str(
            sorted((name, _hash(file.read()) if file else "") for name, file in files.items())
        )


def _repository(folder: Path) -> str:
    """Return the subjects, names and state of a repository; its hashes hold the time."""
    commands = (["log", "--all", "--format=%s %D"], ["tag"], ["status", "--porcelain"])
    return "\n".join(
        subprocess.run(
            ["git", *command],
            cwd=folder,
            env=environment(folder),
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        for command in commands
    )
