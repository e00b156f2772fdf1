"""The write side of the SOP store: a whole SOP folder changes at once, or not at all, and its
history only grows.

A change is built and checked in `sops/.new-…`, recorded in the history, and put in place by one
rename. A reader sees the old folder or the new one; a crash or a full disk at any point leaves the
one or the other. What the history holds and the folder does not yet is finished by the next change.
Seeds are never written: changing one makes a copy in the home folder that shadows it. Source:
docs/sop-format.md; seed 002 §2, §3.

    SopError               the SOP, or a text of it, cannot be meant
    ├── SopConflict        the change was built on a version that is no longer the current one
    └── SopNotWritten      the disk did not take it; the store is as it was
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from config import Message
from memory.files import fsync_folder, write_atomic
from memory.history import (
    BY_HAND,
    Content,
    Repository,
    RepositoryError,
    contents_of,
    is_kept,
    one_line,
)
from memory.history.repository import Contents, mode_of
from memory.sops import Sop, SopError, Status, read_sop
from memory.sops.changing.front_matter import metadata_of, with_metadata
from memory.sops.store import PROVEN, READ_NAME, contract
from text import pattern

DRAFT = ".new-"  # how the folders begin in which changes are built
MAX_FILES = 2_000
MAX_BYTES = 50_000_000
MAX_NAME_BYTES = 200  # file systems take 255
FROM_SEED = "as it was shipped"
REMOVED_BY_HAND = "removed by hand"
_TRAILER = pattern(r"^Sopwith-(Version|Status|Run|Restores): (.+)$", re.MULTILINE)
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the same SOP gives the same bytes


class SopConflict(SopError):
    """Somebody changed the SOP in the meantime."""


class SopNotWritten(SopError):
    """The disk is full, read-only, or the like."""


@dataclass(frozen=True, slots=True)
class Version:
    """One entry of an SOP's history. A change of status and a hand edit keep the version they stand
    on.

    `commit` names it in the history of the home folder; `at` is UTC, ISO 8601; `run` is the run
    that brought the change; `restores` is the version whose files a rollback brought back.
    """

    version: int
    commit: str
    at: str
    reason: str
    run: str | None
    status: str
    restores: int | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    """Hold what becomes of the metadata, and what the history says about it."""

    version: int
    status: str
    reason: str
    run: str | None = None
    restores: int | None = None

    def message(self, name: str) -> str:
        """Return the commit message, which `_versions` reads back."""
        lines = [
            f"{name}: {one_line(self.reason) or 'changed'}",
            "",
            f"Sopwith-Version: {self.version}",
        ]
        lines.append(f"Sopwith-Status: {self.status}")
        lines += [f"Sopwith-Run: {one_line(self.run)}"] if self.run else []
        lines += [f"Sopwith-Restores: {self.restores}"] if self.restores else []
        return "\n".join(lines) + "\n"


class SopChanges:
    """Changes the SOPs of one home folder. Any number of processes may do so at once; they take
    turns."""

    def __init__(self, home: Path, seeds: Path) -> None:
        self.home, self._folder, self._seeds = home, home / "sops", seeds
        self._history = Repository(home)

    def write(
        self,
        name: str,
        files: Mapping[str, str | bytes],
        *,
        reason: str,
        run: str | None = None,
        status: Status | None = None,
        expects_version: int | None = None,
    ) -> Sop:
        """Store a new version of an SOP, or a new one. Return it as it lies on the disk now.

        `files`: everything the folder is to hold, by paths like "scripts/run.py"; version and
        contract in the metadata of SKILL.md are set here. `status`: None takes what SKILL.md says
        (draft when it says nothing). `expects_version`: the version that this one was built on, 0
        for a new SOP; when the current one is another, nothing is written. Raises SopConflict,
        SopNotWritten, SopError, RepositoryError; the store is then as it was.
        """
        contents = _contents(name, files)
        with self._changing(name):
            self._check_version(name, expects_version)
            said = status or str(metadata_of(_skill_text(contents)).get("sopwith-status", "draft"))
            return self._store(name, contents, _Change(self._next_version(name), said, reason, run))

    def set_status(
        self,
        name: str,
        status: Status,
        reason: str,
        run: str | None = None,
        *,
        expects_version: int | None = None,
    ) -> Sop:
        """Change the status and nothing else; the version stays. `expects_version` and errors as in
        `write`."""
        with self._changing(name):
            files = self._current_files(name)
            version = self._check_version(name, expects_version)
            return self._store(name, files, _Change(version, status, reason, run), is_new=False)

    def remove(self, name: str, reason: str) -> None:
        """Take an SOP away; the history keeps it, and `rollback` brings it back. Raises as `write`
        does."""
        with self._changing(name):
            place, version = self._folder / name, max(1, self._current_version(name))
            if not place.is_dir():
                raise SopError("error.sops.sop-your-own", name=one_line(name))
            status = read_sop(place, False).status
            aside = self._folder / f"{DRAFT}{secrets.token_hex(6)}"
            aside.mkdir(mode=0o700)
            place.rename(aside / f"{name}.gone")
            if not self._history.problem:
                change = _Change(version, status, reason)
                self._history.commit([_path(name)], change.message(name))
            self._discard(aside)

    def history(self, name: str) -> list[Version]:
        """Return all entries of an SOP's history, newest first; of a seed that nobody changed,
        none.

        Raises RepositoryError, which says in one line what is missing when no history is kept.
        """
        if self._history.problem:
            raise RepositoryError(self._history.problem)
        found: list[Version] = []
        version, status = 1, "draft"
        for commit in reversed(self._history.log(_path(name))):
            said = dict(_TRAILER.findall(commit.message))
            version, status = int(said.get("Version", version)), said.get("Status", status)
            restores = int(said["Restores"]) if "Restores" in said else None
            reason = commit.subject.removeprefix(f"{name}: ")
            found.append(
                Version(version, commit.id, commit.at, reason, said.get("Run"), status, restores)
            )
        return found[::-1]

    def rollback(
        self, name: str, to: int | None = None, reason: str = "", run: str | None = None
    ) -> Sop:
        """Bring the files of an earlier version back, as a new version. The status is the one it
        had then.

        `to`: None takes the newest version before this one; what a rollback brought back counts as
        what it was, so a second rollback goes further back and never returns to what the first one
        left. Of a version that was edited by hand the last state that can be read is taken. Raises
        as `write` does.
        """
        with self._changing(name):
            number, broken = self._next_version(name), SopError("")
            found = [
                (each, self._history.files(each.commit, _path(name)))
                for each in self._targets(name, to)
            ]
            if to is not None:  # what was proven goes before what its owner made of it by hand
                found.sort(key=lambda pair: not _is_as_proven(pair[1]))
            for target, contents in found:
                status = (
                    target.status
                    if _is_as_proven(contents) or target.status not in PROVEN
                    else "draft"
                )
                why = reason or f"back to version {target.version}"
                try:
                    return self._store(
                        name, contents, _Change(number, status, why, run, target.version)
                    )
                except SopError as error:
                    broken = error
            raise broken

    def export(self, name: str, path: Path) -> Path:
        """Copy an SOP's files to `path/NAME`, or into a new archive when `path` ends with .zip.
        Return what was made.

        The same SOP gives the same bytes. Hidden files, and links that lead out of the folder, are
        left out. Raises SopError, also when the target exists already.
        """
        folder = self._folder_of(name)
        target = path if path.suffix.lower() == ".zip" or path.name == name else path / name
        if os.path.lexists(target):
            raise SopError("error.sops.already", target=target)
        try:
            files = dict(exported(folder))
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.suffix.lower() == ".zip":
                write_atomic(target, _archive(name, files))
            else:
                with _beside(target) as draft:
                    _write_files(draft, files)
                    draft.rename(target)
        except OSError as error:
            raise SopNotWritten(
                "error.sops.cannot-written", name=name, target=target, error=error
            ) from error
        return target

    # what is there

    def _folder_of(self, name: str) -> Path:
        """Return where the SOP lies that counts. Raises SopError."""
        _check_name(name)
        for folder in (self._folder / name, self._seeds / name):
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                raise SopError("error.sops.folder-own-put-real", folder=folder)
            if folder.is_dir():
                return folder
        raise SopError("error.sops.none", name=one_line(name))

    def _current_files(self, name: str) -> dict[str, Content]:
        return contents_of(self._folder_of(name))

    def _current_version(self, name: str) -> int:
        """Return the version; 0 when there is none, or none that can be read."""
        found = [
            read_sop(folder / name, False)
            for folder in (self._folder, self._seeds)
            if (folder / name).exists()
        ]
        return found[0].version if found and found[0].description else 0

    def _check_version(self, name: str, expected: int | None) -> int:
        """Return the current version. Raises SopConflict where another one is expected."""
        current = self._current_version(name)
        if expected not in (None, current):
            raise SopConflict(
                "error.sops.version-change-built-version",
                name=name,
                current=current,
                expected=expected,
            )
        return current

    def _next_version(self, name: str) -> int:
        """Return one more than any before: also than one that was removed, or edited to say
        less."""
        known = [] if self._history.problem else [entry.version for entry in self.history(name)]
        return max([self._current_version(name), *known]) + 1

    def _targets(self, name: str, to: int | None) -> list[Version]:
        """Return the entries to go back to, the best one first; at least one. Raises SopError,
        RepositoryError."""
        entries = self.history(name)
        wanted = self._wanted(name, to, entries)
        there = [each for each in wanted if self._history.files(each.commit, _path(name))]
        if there:
            return there
        kept = ", ".join(map(str, sorted({entry.version for entry in entries})))
        key = "error.sops.no-earlier" if to is None else "error.sops.no-version"
        raise SopError(Message(key, name=name, n=to, known=kept or Message("error.none")))

    def _wanted(self, name: str, to: int | None, entries: list[Version]) -> list[Version]:
        """Return the entries that may be meant: of one version; without one all, or all older ones
        of an SOP that is there."""
        if to is not None:
            return [each for each in entries if each.version == to]
        if not (self._folder / name).exists():
            return entries
        limit = self._origin(entries)
        return [each for each in entries if each.version < limit]

    def _origin(self, entries: list[Version]) -> int:
        """Return the version that the newest entry's files are of, through the rollbacks that
        brought them back."""
        restored = {entry.version: entry.restores for entry in entries if entry.restores}
        version = entries[0].version if entries else 0
        while older := restored.get(version):
            version = older
        return version

    # how it changes

    @contextlib.contextmanager
    def _changing(self, name: str) -> Iterator[None]:
        """Take the lock, finish what a crash left, and record the owner's edits."""
        _check_name(name)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._history.locked():
                self._settle()
                self._record_hand_edits(name)
                yield
        except OSError as error:
            raise SopNotWritten("error.sops.unwritten", name=name, error=error) from error

    def _record_hand_edits(self, name: str) -> None:
        """Record what is about to be replaced, whoever wrote it, so that it can be brought back."""
        if self._history.problem:
            return
        known, place = self.history(name), self._folder / name
        reason = BY_HAND if place.exists() else REMOVED_BY_HAND
        version = self._current_version(name) if place.exists() else 0
        status = read_sop(place, False).status if version else "draft"
        change = _Change(version or (known[0].version if known else 1), status, reason)
        self._history.commit([_path(name)], change.message(name))

    def _store(
        self, name: str, contents: Mapping[str, Content], change: _Change, is_new: bool = True
    ) -> Sop:
        """Build, check, record, and put in place."""
        final = _stamped(contents, change, is_new)
        draft = self._folder / f"{DRAFT}{secrets.token_hex(6)}" / name
        try:
            _write_files(draft, final)
            _check(draft, is_new)
            self._history.record(
                {_path(name): _at(_path(name), final)}, change.message(name), self._shipped(name)
            )
            self._put_in_place(draft)
        except BaseException:  # an interrupt too; it is raised again
            self._settle()
            raise
        return read_sop(self._folder / name, False)

    def _shipped(self, name: str) -> tuple[Contents, str] | None:
        """Return the seed as it is, for the history of the copy that is about to shadow it."""
        if (
            (self._folder / name).exists()
            or not (self._seeds / name).is_dir()
            or self._history.log(_path(name), 1)
        ):
            return None
        seed = read_sop(self._seeds / name, True)
        change = _Change(seed.version, seed.status, FROM_SEED)
        return {_path(name): _at(_path(name), self._current_files(name))}, change.message(name)

    def _put_in_place(self, draft: Path) -> None:
        """Change the folder, in one step."""
        place = self._folder / draft.name
        if not place.exists():
            draft.rename(place)
        elif not _exchange(draft, place):
            old = draft.with_name(f"{draft.name}.old")
            place.rename(old)
            draft.rename(place)
            old.rename(draft)
        fsync_folder(self._folder)
        self._discard(draft.parent)

    def _settle(self) -> None:
        """Finish each change that the history holds already; what else a crash left is removed."""
        for leftover in self._folder.glob(f"{DRAFT}*"):
            # it stays for the next time, and keeps no other SOP from changing
            with contextlib.suppress(OSError):
                self._finish(leftover)

    def _finish(self, leftover: Path) -> None:
        for old in leftover.glob("*.old"):  # between the two renames where one would not do
            if not (self._folder / old.stem).exists():
                old.rename(self._folder / old.stem)
        for draft in list(leftover.iterdir()):
            if READ_NAME.fullmatch(draft.name) and self._is_recorded(draft):
                self._put_in_place(draft)
        self._discard(leftover)

    def _is_recorded(self, draft: Path) -> bool:
        """Return True when the draft is the history's newest word on its SOP, and the folder is
        still as it was before that."""
        path, built = _path(draft.name), contents_of(draft)
        newest = self._history.log(path, 1)
        if not newest or not self._history.holds(newest[0].id, path, _at(path, built)):
            return False
        here = self._history.on_disk(path)
        return not here or self._history.holds(f"{newest[0].id}~1", path, here)

    def _discard(self, leftover: Path) -> None:
        """Remove the folder of a draft. A git of the owner's own that lay in the SOP goes on in the
        new one."""
        for nested in leftover.glob("*/.git"):
            place = self._folder / nested.parent.name.removesuffix(".old")
            if place.is_dir() and not os.path.lexists(place / ".git"):
                nested.rename(place / ".git")
        shutil.rmtree(leftover, ignore_errors=True)


def _contract(files: Mapping[str, Content]) -> str | None:
    return contract(
        {
            path: content.data
            for path, content in files.items()
            if path == "sop.yaml" or path.startswith("scripts/")
        }
    )


def _is_as_proven(files: Mapping[str, Content]) -> bool:
    """Return False where sop.yaml or a script is another one than SKILL.md says."""
    try:
        said = metadata_of(_skill_text(files)).get("sopwith-contract")
    except SopError:
        return True  # nothing is said
    return not said or said == _contract(files)


def _path(name: str) -> str:
    return f"sops/{name}"


def _at(path: str, files: Mapping[str, Content]) -> dict[str, Content]:
    return {f"{path}/{name}": content for name, content in files.items()}


def _check_name(name: str) -> None:
    if not READ_NAME.fullmatch(name):
        raise SopError("error.sops.name-sop-lower-case", name=f"{one_line(name)[:80]!r}")


def _contents(name: str, files: Mapping[str, str | bytes]) -> dict[str, Content]:
    """Return the files as they are to be stored. Raises SopError for a path or a text that cannot
    be."""
    _check_name(name)
    for path in files:
        _check_path(name, path)
    contents = {path: _content(name, path, text) for path, text in files.items() if is_kept(path)}
    _check_folders(name, contents)
    if "SKILL.md" not in contents:
        raise SopError("error.sops.skill-md", name=name)
    size = sum(len(content.data) for content in contents.values())
    if len(contents) > MAX_FILES or size > MAX_BYTES:
        raise SopError(
            "error.sops.files-bytes-most-together",
            name=name,
            n=len(contents),
            size=size,
            most=MAX_FILES,
            all=MAX_BYTES,
        )
    return contents


def _check_folders(name: str, contents: Mapping[str, Content]) -> None:
    folders = {str(parent) for path in contents for parent in PurePosixPath(path).parents}
    if above := folders & contents.keys():
        raise SopError("error.sops.cannot-both-file-folder", name=name, path=min(above))


def _check_path(name: str, path: str) -> None:
    parts = path.split("/")
    is_plain = all(part not in ("", ".", "..") and part.isprintable() for part in parts)
    if not is_plain or "\\" in path:
        raise SopError("error.sops.path-inside-sop-folder", name=name, path=repr(path))
    if any(len(os.fsencode(part)) > MAX_NAME_BYTES for part in parts):
        raise SopError(
            "error.sops.name-longer-than-bytes",
            name=name,
            path=f"{path[:40]!r}",
            most=MAX_NAME_BYTES,
        )


def _content(name: str, path: str, text: str | bytes) -> Content:
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        raise SopError(
            "error.sops.holds-half-character-position", name=name, path=path, position=error.start
        ) from error
    return Content(data, mode_of(data))


def _skill_text(contents: Mapping[str, Content]) -> str:
    try:
        return contents["SKILL.md"].data.decode()
    except KeyError:
        raise SopError("error.sops.skill-md-2") from None
    except UnicodeDecodeError as error:
        raise SopError("error.sops.skill-md-utf", error=error) from error


def _stamped(contents: Mapping[str, Content], change: _Change, is_new: bool) -> dict[str, Content]:
    """Return it with version, status and contract in the metadata. A change of status leaves the
    contract that was proven."""
    said: dict[str, str | None] = {
        "sopwith-version": str(change.version),
        "sopwith-status": change.status,
    }
    if is_new:
        said["sopwith-contract"] = _contract(contents)
    text = with_metadata(_skill_text(contents), said)
    return {**contents, "SKILL.md": Content(text.encode())}


def _check(draft: Path, is_new: bool) -> None:
    """Refuse what a reader would find broken. A status can change all the same: one that broke may
    be suspended."""
    sop = read_sop(draft, False)
    if sop.problem and (is_new or not sop.description):
        raise SopError(
            "error.sops.stored", name=draft.name, problem=sop.problem.replace(f"{draft}/", "")
        )


# files and folders


def _write_files(folder: Path, files: Mapping[str, Content]) -> None:
    """Make a folder with these files and return when they are on the disk."""
    folders = {folder, folder.parent, *((folder / path).parent for path in files)}
    for place in sorted(folders):
        place.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        if content.mode == "120000":
            (folder / path).symlink_to(os.fsdecode(content.data))
            continue
        mode = 0o755 if content.mode == "100755" else 0o644
        descriptor = os.open(
            folder / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode
        )
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.data)
            file.flush()
            os.fsync(descriptor)
    for place in folders:
        fsync_folder(place)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step; False where the system or the file system cannot."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    at_cwd = -100
    if hasattr(libc, "renameat2"):
        failed = libc.renameat2(at_cwd, first, at_cwd, second, 2)  # RENAME_EXCHANGE
    elif hasattr(libc, "renamex_np"):
        failed = libc.renamex_np(first, second, 2)  # RENAME_SWAP
    else:
        return False
    if failed and ctypes.get_errno() not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(other))
    return not failed


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield a place beside the target to build it in; remove what is left of it afterwards."""
    draft = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}.tmp")
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def exported(folder: Path) -> Iterator[tuple[str, Content]]:
    """Yield the files of an SOP that may leave this machine: nothing hidden, no link that leads out
    of the folder."""
    for path, content in sorted(contents_of(folder).items()):
        if any(part.startswith(".") for part in path.split("/")):
            continue
        if content.mode != "120000":
            yield path, content
        elif (place := (folder / path).resolve()).is_relative_to(
            folder.resolve()
        ) and place.is_file():
            data = place.read_bytes()
            yield path, Content(data, mode_of(data))


def _archive(name: str, files: Mapping[str, Content]) -> bytes:
    """Return a zip with the folder `name` in it. Nothing of this machine or this moment is in
    it."""
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(str(PurePosixPath(name, path)), _ZIP_DATE)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = int(content.mode, 8) << 16
            archive.writestr(entry, content.data)
    return packed.getvalue()
