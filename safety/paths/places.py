"""Tell the kind of place that a path is: inside the roots, the agent's own home, a secret, a
device, a start-up file.

By names alone, from assets/safety/places.txt; the caller has followed the links (`Ask.paths` is
resolved).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from text import pattern
from text.sections import sections

Kind = Literal["inside", "outside", "agent", "secret", "device", "startup"]
Guard = Literal["vital", Kind]
RUNS = (
    "@runs"  # stands for the folder of the run logs in a shared session, whose place is the owner's
)
_ROWS = sections("safety/places.txt")
_LISTS = {name: tuple(text.split()) for name, text in _ROWS.items()}
_NAMED = ("named_secrets", "named_startup", "no_secret", "backups", "unplugs")
_REGEXES = {name: pattern(_ROWS[name]) for name in _NAMED}
_SHARED_MEMORY = "/dev/shm"
_SYSTEM_PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ROOTS_KEYS = os.path.expanduser("~root/.ssh")  # noqa: PTH111 - as it stands where there is no root
SYSTEM_SECRETS = (*_LISTS["system_secrets"], _ROOTS_KEYS)
_SYSTEM = frozenset(_LISTS["system"])
_DEEPEST, _MOST_LOOKED_AT = 3, 2_000  # folders below the working folder, and names
_SETTLED_NS = (
    5_000_000_000  # a folder that changed later may change again within one tick of its clock
)
_REFERENCE = pattern(r"\{\{file:([^\n{}]+?):(\d+):(\d+)\}\}")


def references(text: str) -> list[re.Match[str]]:
    """Return the `{{file:path:start:end}}` in a text to be written: path, first line, last line."""
    return list(_REFERENCE.finditer(text))


def shared_folder_of(home: Path, id: str) -> Path:
    """Make and return the folder of the shared session with this id. Raises OSError."""
    name = id if id.strip(".") else f"_{id}"
    folder = home.resolve() / "shared" / name / "files"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Places(NamedTuple):
    """The places of one run, all absolute and with links followed."""

    roots: tuple[Path, ...]
    agent: Path
    owner: Path
    temporary: Path
    secrets: tuple[str, ...]
    startup: tuple[str, ...]

    @classmethod
    def of(cls, roots: tuple[str | Path, ...], agent: Path, owner: Path, cwd: Path) -> Places:
        """`roots` as configured (~ allowed); none: the owner's home, the working folder, the
        temporary one."""
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
            tuple(f"{owner}/{name}" for name in _LISTS["secrets"]),
            tuple(f"{owner}/{name}" for name in _LISTS["startup"]),
        )

    def kind(self, path: Path) -> Kind:
        """Return the kind of a place for writing. The most guarded one wins."""
        text = str(path)
        if text.startswith("/dev/") and not _within(text, (_SHARED_MEMORY,)):
            return "inside" if _within(text, _LISTS["harmless_devices"]) else "device"
        if path.is_relative_to(self.agent):
            return "agent"
        if self._is_startup(path, text):
            return "startup"
        if self.is_secret(path):
            return "secret"
        return "inside" if any(path.is_relative_to(root) for root in self.roots) else "outside"

    def guard(self, path: Path, *, is_taken: bool = False) -> Guard:
        """Return the kind of a place, or "vital" where the machine depends on the file; `is_taken`:
        also where it goes with the folder."""
        kind = self.kind(path)
        if kind == "agent":
            return kind
        is_vital = self.is_vital_file(path) or (is_taken and self.is_vital(path))
        return "vital" if is_vital else kind

    def _is_startup(self, path: Path, text: str) -> bool:
        if _within(text, self.startup) or part_that_decides(text):
            return True
        if not path.is_relative_to(self.owner):
            return False
        name = text[len(str(self.owner)) + 1 :]
        if _REGEXES["named_startup"].fullmatch(name):
            return True
        # a program of the owner's own that comes before the system's
        is_program = name.rpartition("/")[0] in _LISTS["own_programs"]
        return is_program and shutil.which(path.name, path=_SYSTEM_PROGRAMS) is not None

    def decides(self, path: str, content: str) -> bool:
        """Return True for a file in a new folder that is run without anyone asking; its bytes lie
        at `content`."""
        if path.endswith("/.git") or part_that_decides(path):
            return not is_plain(path, content)
        owns = (f"{self.owner}/.", f"{self.owner}/bin/")
        return path.startswith(owns) and self.kind(Path(path)) == "startup"

    def is_moved_repository(self, path: Path, was: Path) -> bool:
        """Return True for a file of a repository that has gone to the same place in another one, or
        with its own."""
        part = part_that_decides(str(path))
        return part != "" and part == part_that_decides(str(was))

    def is_secret(self, path: Path) -> bool:
        """Return True if reading the path shows keys or passwords."""
        is_named = _REGEXES["named_secrets"].fullmatch(path.name)
        if is_named or path == self.agent / "config.yaml":
            return True
        text = str(path)
        is_below = _within(text, (*SYSTEM_SECRETS, *self.secrets))
        return is_below and not _REGEXES["no_secret"].search(text)

    def secrets_below(self, folder: Path) -> list[str]:
        """Return the files with secrets by their names (`.env`) in a folder, those below and beside
        it."""
        found, folders = list[str](), [(str(folder.parent), 1), (str(folder), _DEEPEST)]
        left = _MOST_LOOKED_AT
        while folders and left > 0:
            place, depth = folders.pop()
            seen = _seen(place)
            left -= seen.entries
            found += [each for each in seen.named if Path(each).is_file() and not _is_tracked(each)]
            if depth > 1:
                # the folder above stays last: it may be full of other things
                folders[1:1] = [(each, depth - 1) for each in reversed(seen.folders)]
        return found

    def is_vital_file(self, path: Path) -> bool:
        """Return True if the machine, or everybody's login, depends on the file."""
        text = str(path)
        return _within(text, _LISTS["vital_files"]) or bool(_REGEXES["unplugs"].fullmatch(text))

    def is_vital(self, path: Path) -> bool:
        """Return True if deleting the path takes the system, the owner's home or the agent's with
        it."""
        homes = (self.owner, self.agent)
        return str(path) in _SYSTEM or any(home.is_relative_to(path) for home in homes)

    def is_lost(self, path: Path) -> bool:
        """Return True for these, and for all keys of the owner, all backups, the home of somebody
        else."""
        text = str(path)
        is_home = str(path.parent) in _LISTS["homes"]
        is_keyring = text.removeprefix(f"{self.owner}/") in _LISTS["keyrings"]
        is_backup = _REGEXES["backups"].fullmatch(text) is not None
        return is_home or is_keyring or is_backup or self.is_vital(path)

    def system_names(self, folder: Path) -> list[str]:
        """Return the names in a folder that are of the system, or the owner's home."""
        inside = [Path(each) for each in (*_SYSTEM, str(self.owner)) if each != "/"]
        return [each.name for each in inside if each.parent == folder]

    def resolved(self, text: str, cwd: Path = Path()) -> Path:
        """Return the path that a text means, without dots, and without links as far as it
        exists."""
        whole = str(self.owner) + text[1:] if text.startswith("~") else text
        path = cwd / whole
        try:
            return path.resolve()
        except (OSError, RuntimeError, ValueError):  # links in a circle, a name too long, no name
            return Path(os.path.normpath(path))


class _Seen(NamedTuple):
    """Hold what a folder has: how many entries, those with the name of a secret, its folders."""

    changed: int = 0  # when something last came or went in it, in ns
    entries: int = 0
    named: Sequence[str] = ()
    folders: Sequence[str] = ()


_known: dict[str, _Seen] = {}


def _seen(folder: str) -> _Seen:
    """Look through a folder; again only once something has come or gone in it."""
    try:
        changed = Path(folder).stat().st_mtime_ns
        if folder in _known and _known[folder].changed == changed:
            return _known[folder]
        with os.scandir(folder) as entries:
            listed = list(entries)
    except OSError:
        return _Seen()
    named = [each.path for each in listed if _REGEXES["named_secrets"].fullmatch(each.name)]
    folders = [each.path for each in listed if each.is_dir(follow_symlinks=False)]
    found = _Seen(changed, len(listed), named, folders)
    if time.time_ns() - changed > _SETTLED_NS:
        _known[folder] = found
    return found


def _is_tracked(path: str) -> bool:
    """Return True for a file of a repository as Git holds it: what is committed is no secret, and
    hidden it would count as changed. The name alone does not tell, since a script may have added
    it."""
    file = Path(path)
    for folder in file.parents:
        index = folder / ".git" / "index"
        try:
            held, content = index.read_bytes(), file.read_bytes()
        except OSError:
            continue
        number = hashlib.sha1(b"blob %d\0%s" % (len(content), content), usedforsecurity=False)
        entry = number.digest(), os.fsencode(file.relative_to(folder)) + b"\0"
        # between the two stand 16 or 32 bits of flags
        return re.search(b"..(?:..)?".join(map(re.escape, entry)), held, re.DOTALL) is not None
    return False


def _within(text: str, folders: tuple[str, ...]) -> bool:
    return f"{text}/".startswith(tuple(f"{folder}/" for folder in folders))


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # links in a circle
        return path.absolute()


_ROWS = sections("safety/places.txt")
_DECIDES = pattern(_ROWS["git_decides"])
_PLAIN = pattern("".join(_ROWS["git_plain"].split()))
_LINKED = pattern(r"gitdir: \S*\.git/(modules|worktrees)/[^\n]+\n?")
_SECTION = pattern(r'\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_MOST_BYTES = 100_000


def part_that_decides(path: str) -> str:
    """Return the path within its repository of a file that may start a program; "" for others."""
    match = _DECIDES.fullmatch(path)
    return match[1] if match else ""


def is_plain(path: str, content: str) -> bool:
    """Return True where `path`, whose bytes lie at `content`, is as `git init` and `git clone`
    write it."""
    if path.endswith(".sample"):
        return True
    try:
        text = Path(content).read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
    except OSError:
        return False
    if path.endswith("/.git"):
        return _LINKED.fullmatch(text) is not None
    is_hook = "/hooks/" in path
    return not is_hook and all(_PLAIN.fullmatch(key) for key in _keys(text))


def _keys(text: str) -> Iterator[str]:
    """Yield the settings of a config file, as `section.name.key`."""
    section = ""
    for line in text.splitlines():
        if match := _SECTION.match(line):
            section = ".".join(filter(None, match.groups()))
        setting = line[match.end() if match else 0 :].strip()
        if setting and setting[0] not in "#;":
            name = setting.partition("=")[0].split()[0]
            yield f"{section}.{name}".lower()
