"""The history of what the agent keeps: a git repository inside the home folder, one commit for each
change.

It covers `memory/`, `sops/`, `schedule/` and the workspace files, and is made with the first
commit. The git of this machine does the work, cut off from the owner's settings, hooks, and any
repository around the home folder; contents are handed to it byte for byte, so no filter, ignore
file or line-end rule in the home folder can change or hide one. Before a change of ours, what the
owner edited by hand is committed first: no rollback can lose it. Without git nothing is recorded
and nothing fails. Source: docs/memory.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import re
import shutil
import stat
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from config import SopwithError
from memory.files import write_atomic
from memory.files.writing import locked

COVERED_FOLDERS = ("memory", "sops", "schedule")
COVERED_FILES = ("AGENTS.md", "SPIRIT.md", "OWNER.md", "TOOLS.md", "MEMORY.md", "BOOTSTRAP.md")
BRANCH = "refs/heads/main"
BY_HAND = "edited by hand"
NO_GIT = "git is not installed, so no history is kept. With git there (package: git), it is kept from then on."
MAX_SUBJECT_CHARS = 500
MANY_LOOSE_OBJECTS = 27  # in one of 256 folders: git packs at about 6,700 of them
STALE_LOCK_SECONDS = {
    "refs/heads/main.lock": 2,
    "HEAD.lock": 2,
    "index.lock": 3600,
}  # held for milliseconds; by editors
STALE_DRAFT_SECONDS = 3600
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsync=committed",
    "gc.autoDetach=false",
    "core.quotePath=false",
)
_EXCLUDE = "\n".join(  # for the owner's own `git status` here; what we commit is named file by file
    [
        "/*",
        *(line for name in COVERED_FOLDERS for line in (f"!/{name}/", f"/{name}/.*")),
        *(f"!/{name}" for name in COVERED_FILES),
        ".*.tmp\n__pycache__/\n",
    ]
)

Mode = Literal["100644", "100755", "120000"]  # plain, executable, symbolic link
_MODES: dict[str, Mode] = {"100755": "100755", "120000": "120000"}


class RepositoryError(SopwithError):
    """The history cannot be read or written. Says what git said."""


class Content(NamedTuple):
    """Hold what one file holds; of a link, where it leads."""

    data: bytes
    mode: Mode = "100644"


class Commit(NamedTuple):
    """One change: the id, when (UTC, ISO 8601), and the message."""

    id: str
    at: str
    message: str

    @property
    def subject(self) -> str:
        """Return the first line of the message."""
        return self.message.partition("\n")[0]


Files = Mapping[str, Content]  # path → content
Contents = Mapping[str, Files]  # path → all files at or below it, by their whole paths


class Repository:
    """The history of one home folder. Any number of processes and threads may use it at once; they
    take turns."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._folder = home / ".git"
        self._program = shutil.which("git")
        self._turn = threading.RLock()
        self._lock = -1  # the open lock file while this process has its turn

    @property
    def problem(self) -> str | None:
        """Return why no history is kept here, in one line."""
        return None if self._program else NO_GIT

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Wait until nobody else changes what the history covers. May be entered again inside.
        Raises OSError."""
        with self._turn:
            if self._lock >= 0:
                yield
                return
            with locked(self.home / ".history.lock") as self._lock:
                try:
                    yield
                finally:
                    self._lock = -1

    def commit(self, paths: Iterable[str], message: str) -> str | None:
        """Commit what lies at these paths now (files or folders, relative to the home folder), and
        nothing else.

        Returns the commit's id; None when nothing changed, or git is missing. Raises
        RepositoryError.
        """
        with self.locked():
            return self.record({path: self.on_disk(path) for path in paths}, message)

    def commit_hand_edits(self, paths: Iterable[str]) -> str | None:
        """Commit what the owner changed at these paths; call it before a change of ours."""
        return self.commit(paths, BY_HAND)

    def record(
        self, contents: Contents, message: str, first: tuple[Contents, str] | None = None
    ) -> str | None:
        """Commit contents that need not be on the disk: for each path all files below it, by their
        whole paths.

        `first`: a commit that goes before; both are made, or none. Returns as `commit` does. Once
        it returns, the commit survives a power cut.
        """
        if self._program is None:
            return None
        for path in contents:
            if not is_covered(path):
                raise ValueError(f"{path} is not covered by the history")
        with self.locked():
            self._make()
            head = self.head()
            changed = {
                path: files for path, files in contents.items() if self._differs(head, path, files)
            }
            if not changed:
                return None
            self._tidy()
            stream = _stream(head, [*([first] if first else []), (changed, message)])
            self._import(stream)
            self._follow_up(list(changed))
            return self.head()

    def holds(self, revision: str, path: str, files: Files) -> bool:
        """Return True when a revision (`ID~1`: the one before) has exactly these files at a path.
        One that is not, has none."""
        return not self._differs(revision, path, files)

    def log(self, path: str = "", limit: int | None = None) -> list[Commit]:
        """Return the commits that changed a path, newest first. Raises RepositoryError."""
        if (head := self.head()) is None:
            return []
        some = ["-n", str(limit)] if limit is not None else []
        said = self._git(
            "log", "-z", *some, "--format=%H %ct %B", head, "--", *([path] if path else [])
        )
        found = []
        for entry in said.decode("utf-8", "replace").split("\0"):
            if entry:
                commit, at, message = entry.split(" ", 2)
                found.append(
                    Commit(
                        commit, datetime.fromtimestamp(int(at), UTC).isoformat(), message.strip()
                    )
                )
        return found

    def content(self, revision: str, path: str) -> bytes | None:
        """Return one file as it was (`ID~1`: before a commit); None where there was none."""
        done = self._run("cat-file", "blob", f"{_revision(revision)}:{path}")
        return done.stdout if done.returncode == 0 else None

    def changed(self, commit: str) -> list[str]:
        """Return the paths that a commit changed. Raises RepositoryError."""
        flags = ("--no-commit-id", "--name-only", "--root", "-r", "-z")
        said = self._git("diff-tree", *flags, _revision(commit))
        return [os.fsdecode(name) for name in said.split(b"\0") if name]

    def files(self, revision: str, folder: str) -> dict[str, Content]:
        """Return all files of a folder as they were, by their paths in that folder. Raises
        RepositoryError."""
        listed = self._listed(_revision(revision), folder)
        wanted = "".join(f"{blob}\n" for _, blob in listed.values()).encode()
        answer, found, position = self._git("cat-file", "--batch", stdin=wanted), {}, 0
        for path, (mode, _) in listed.items():
            header_end = answer.index(b"\n", position)
            size = int(answer[position:header_end].split()[2])
            position = header_end + 1 + size + 1
            found[path[len(folder) + 1 :]] = Content(answer[header_end + 1 : position - 1], mode)
        return found

    def on_disk(self, path: str) -> dict[str, Content]:
        """Return the files at a path of the home folder now, by their whole paths. Raises
        OSError."""
        found = {
            f"{path}/{name}".rstrip("/"): content
            for name, content in contents_of(self.home / path).items()
        }
        return {name: content for name, content in found.items() if is_covered(name)}

    def head(self) -> str | None:
        """Return the newest commit; None before the first, or without git."""
        if self._program is None or not (self._folder / "HEAD").exists():
            return None
        with contextlib.suppress(FileNotFoundError):  # git may have packed it
            return (self._folder / BRANCH).read_text("ascii").strip() or None
        said = self._run("rev-parse", "--quiet", "--verify", BRANCH)
        return said.stdout.decode().strip() or None

    # what git is asked

    def _make(self) -> None:
        """Make the repository, or finish one that a crash left half made."""
        exclude = self._folder / "info" / "exclude"
        with contextlib.suppress(FileNotFoundError):
            if exclude.read_text("utf-8") == _EXCLUDE:
                return
        self._git("init", "--quiet", "--template=")
        (self._folder / "HEAD").write_text(f"ref: {BRANCH}\n", "ascii")
        with (self._folder / "config").open("a") as config:  # for the owner's own use of git here
            config.write("[core]\n\tfileMode = false\n\tautocrlf = false\n")
        self._folder.chmod(0o700)
        exclude.parent.mkdir(exist_ok=True)
        write_atomic(exclude, _EXCLUDE)

    def _differs(self, revision: str | None, path: str, files: Files) -> bool:
        known = self._listed(revision, path) if revision else {}
        return known != {name: (content.mode, _blob_id(content)) for name, content in files.items()}

    def _listed(self, revision: str, path: str) -> dict[str, tuple[Mode, str]]:
        """Return the mode and blob of each file below a path; nothing when the revision does not
        exist."""
        said = self._run("ls-tree", "-r", "-z", "--full-tree", revision, "--", path)
        found: dict[str, tuple[Mode, str]] = {}
        for entry in filter(None, said.stdout.split(b"\0")):
            about, name = entry.split(b"\t", 1)
            mode, kind, blob = about.decode().split()
            if kind == "blob":
                found[os.fsdecode(name)] = (_MODES.get(mode, "100644"), blob)
        return found

    def _tidy(self) -> None:
        """Remove locks that a killed git left. Our own git is not at work: it would hold our
        lock."""
        for name, seconds in STALE_LOCK_SECONDS.items():
            lock = self._folder / name
            with contextlib.suppress(FileNotFoundError):
                while name != "index.lock" and time.time() - lock.stat().st_mtime < seconds:
                    # the owner's git may be at work; it holds these for milliseconds
                    time.sleep(0.02)
                if time.time() - lock.stat().st_mtime >= seconds:
                    lock.unlink()
        self._remove("fast_import_crash_*", before=time.time() - STALE_DRAFT_SECONDS)
        self._remove("objects/pack/tmp_*", before=time.time() - STALE_DRAFT_SECONDS)

    def _remove(self, pattern: str, *, after: float = 0, before: float = math.inf) -> None:
        """Remove files of git's that were written between two times."""
        for left in self._folder.glob(pattern):
            with contextlib.suppress(FileNotFoundError):
                if after < left.stat().st_mtime < before:
                    left.unlink()

    def _import(self, stream: bytes) -> None:
        started = time.time()
        try:
            self._git("fast-import", "--quiet", "--done", "--date-format=raw", stdin=stream)
        except RepositoryError:  # a full disk is not to stay full by what did not fit on it
            self._remove("objects/pack/tmp_*", after=started - 1)
            self._remove("objects/??/tmp_*", after=started - 1)
            raise

    def _follow_up(self, paths: list[str]) -> None:
        """Keep `git status` of the owner in step, and the folder small. Neither matters enough to
        fail."""
        if (self._folder / "HEAD").read_text("utf-8", "replace").strip() == f"ref: {BRANCH}":
            self._run("reset", "--quiet", "--", *paths)
        with contextlib.suppress(FileNotFoundError):
            if len(list((self._folder / "objects" / "17").iterdir())) > MANY_LOOSE_OBJECTS:
                self._run("gc", "--auto", "--quiet")

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        done = self._run(*arguments, stdin=stdin)
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines() or [
                f"exit code {done.returncode}"
            ]
            telling = next(
                (line for line in said if line.startswith(("fatal:", "error:"))), said[-1]
            )
            if re.search(r"(?i)no space|out of disk ?space", "\n".join(said)):
                raise RepositoryError(
                    "error.history.history-cannot-written-space", folder=self._folder
                )
            raise RepositoryError(
                "error.history.history-cannot-used-git",
                folder=self._folder,
                command=arguments[0],
                problem=telling,
            )
        return done.stdout

    def _run(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        if self._program is None:
            raise RepositoryError(NO_GIT)
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        try:
            # when we are killed, our turn lasts until git ends
            return subprocess.run(
                [self._program, *settings, *arguments],
                input=stdin,
                capture_output=True,
                check=False,
                cwd=self.home,
                env=self._environment(),
                pass_fds=(self._lock,) if self._lock >= 0 else (),
            )
        except OSError as error:
            raise RepositoryError(
                "error.history.git-cannot-started", error=error.strerror or error
            ) from error

    def _environment(self) -> dict[str, str]:
        """Return an environment with nothing of the owner's: no settings, no identity, no other
        repository, no translated messages."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LC_ALL": "C",
            "HOME": str(self._folder),  # where a git older than 2.32 looks for settings
            "XDG_CONFIG_HOME": str(self._folder),
            "GIT_DIR": str(self._folder),
            "GIT_WORK_TREE": str(self.home),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_COMMITTER_NAME": "Sopwith",
            "GIT_COMMITTER_EMAIL": "sopwith@localhost",
        }


def is_covered(path: str) -> bool:
    """Return True if the history covers a path: not what lies hidden at the top of a covered folder
    (locks, counts)."""
    top, _, rest = path.partition("/")
    return path in COVERED_FILES or (top in COVERED_FOLDERS and not rest.startswith("."))


def one_line(text: str) -> str:
    """Return a text as one line of a commit message: no line breaks, no control characters, not
    endless."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[
        :MAX_SUBJECT_CHARS
    ]


def _stream(head: str | None, commits: list[tuple[Contents, str]]) -> bytes:
    """Return the commits in the form that `git fast-import` reads. Without the last line it takes
    none, so a half stream does no harm."""
    parts: list[bytes] = []
    for contents, message in commits:
        said = message.encode("utf-8", "replace")
        parts.append(
            f"commit {BRANCH}\ncommitter Sopwith <sopwith@localhost> {int(time.time())} +0000\n".encode()
        )
        parts += [b"data %d\n" % len(said), said, b"\n"]
        if head:
            parts.append(f"from {head}\n".encode())
        head = None  # the next one follows on this one by itself
        for path, files in contents.items():
            parts.append(b"D " + _quoted(path) + b"\n")
            for name, content in sorted(files.items()):
                parts.append(b"M " + content.mode.encode() + b" inline " + _quoted(name) + b"\n")
                parts += [b"data %d\n" % len(content.data), content.data, b"\n"]
    return b"".join([*parts, b"done\n"])


def _quoted(path: str) -> bytes:
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _blob_id(content: Content) -> str:
    return hashlib.sha1(
        b"blob %d\0" % len(content.data) + content.data, usedforsecurity=False
    ).hexdigest()


def _revision(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{4,64}(?:~1)?", text):
        raise RepositoryError("error.history.id-commit", text=repr(one_line(text)))
    return text


def contents_of(place: Path) -> dict[str, Content]:
    """Return all files in a folder by their paths in it; of a single file, itself under the path
    "". Raises OSError.

    Links are not followed; sockets and the like are passed over, and so is what `is_kept` says no
    to.
    """
    return dict(_walk(place, ""))


def is_kept(path: str) -> bool:
    """Return False for what is not anybody's work: a nested git, what Python derived, a draft of
    memory/files/writing.py."""
    name = path.rpartition("/")[2]
    return not {".git", "__pycache__"} & {*path.split("/")} and not (
        name.startswith(".") and name.endswith(".tmp")
    )


def mode_of(data: bytes) -> Mode:
    """Return the mode: a file that names its interpreter is executable."""
    return "100755" if data.startswith(b"#!") else "100644"


def _walk(place: Path, path: str) -> Iterator[tuple[str, Content]]:
    try:
        found = place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISLNK(found.st_mode):
        yield path, Content(os.fsencode(place.readlink()), "120000")
    elif stat.S_ISREG(found.st_mode):
        data = place.read_bytes()
        yield path, Content(data, mode_of(data))
    elif stat.S_ISDIR(found.st_mode):
        for entry in place.iterdir():
            if is_kept(entry.name):
                yield from _walk(entry, f"{path}/{entry.name}" if path else entry.name)
