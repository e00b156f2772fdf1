"""A scratch copy: the folders and files that an SOP's parameters name, copied so that a replay can write and nothing real
changes; and what the replay did to them.

The copy mirrors absolute paths: `/home/o/box` becomes `SCRATCH/home/o/box`, so a path of the copy is turned back into
the real one by cutting the scratch folder off, in results and files too. Source: docs/sop-format.md.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from config import SopwithError

MAX_BYTES = 200_000_000
MAX_FILES = 20_000
MAX_READ_BYTES = (
    1_000_000  # of a file that was written: larger ones are compared byte for byte as they are
)
CLONE = 0x40049409  # FICLONE: shares the blocks of a file until one of the two is written
GONE = "gone"

Listing = dict[str, tuple[Any, ...]]  # path → what would differ after a change


class ScratchError(SopwithError):
    """The files that the parameters name cannot be copied: too large, not readable. One line."""


@dataclass(slots=True)
class Scratch:
    """A copy in use. `parameters` and `cwd` are those of the SOP, pointing into the copy."""

    folder: Path
    parameters: dict[str, Any]
    cwd: Path
    _real: tuple[Path, ...] = ()  # what was copied, where it really lies
    _outside: Listing = field(default_factory=dict)
    _copied: Listing = field(default_factory=dict)

    def back(self, value: Any) -> Any:
        """The value (text, lists, mappings) with paths of the copy turned into the real ones."""
        if isinstance(value, str):
            return value.replace(f"{self.folder}/", "/").replace(str(self.folder), "/")
        if isinstance(value, list):
            return [self.back(item) for item in value]
        if isinstance(value, Mapping):
            return {self.back(key): self.back(item) for key, item in value.items()}
        return value

    def produced(self) -> dict[str, str]:
        """Return what differs in the copy from what was copied: real path → hash of the content, "folder", "link …" or "gone"."""
        after = _listing([self.folder])
        changed = [
            path
            for path, found in after.items()
            if found != self._copied.get(path)
            and not _is_same_folder(found, self._copied.get(path))
        ]
        made = {self.back(path): self._content(Path(path)) for path in changed}
        return dict(
            sorted(
                (
                    made | {self.back(path): GONE for path in self._copied if path not in after}
                ).items()
            )
        )

    def touched(self) -> list[str]:
        """Real files and folders around and in what was copied that changed meanwhile; none, if all is well."""
        now = _outside(self._real, self.folder)
        return sorted(
            path
            for path in now.keys() | self._outside.keys()
            if now.get(path) != self._outside.get(path)
        )

    def _content(self, path: Path) -> str:
        if path.is_symlink():
            return f"link {self.back(str(path.readlink()))}"
        if path.is_dir():
            return "folder"
        if path.stat().st_size > MAX_READ_BYTES:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()[:16]
        data = (
            path.read_bytes()
            .replace(f"{self.folder}/".encode(), b"/")
            .replace(os.fsencode(self.folder), b"/")
        )
        return hashlib.sha256(data).hexdigest()[:16]


@contextlib.contextmanager
def scratch_copy(
    parameters: Mapping[str, Any],
    schemas: Mapping[str, Mapping[str, Any]],
    cwd: Path,
    place: Path | None = None,
    *,
    with_cwd: bool = False,
    fill: Callable[[Path], None] | None = None,
) -> Iterator[Scratch]:
    """A copy of all that the path parameters name (bound: absolute); with `with_cwd` of the working folder too.

    `place`: where copies are made, by default the folder for temporary files. A path that does not exist has its place
    in the copy where its parent exists. `fill` puts something else into the copy instead, as it once was (a fixture).
    Raises ScratchError.
    """
    named = path_parameters(parameters, schemas)
    wanted = [*named, cwd] if with_cwd else named
    real = tuple(
        path
        for path in dict.fromkeys(wanted)
        if not any(path.is_relative_to(o) and path != o for o in wanted)
    )
    with scratch_folder(place) as folder:
        sources = [(path, _mirrored(folder, path)) for path in real]
        if fill is not None:
            fill(folder)
        else:
            _measure(real, folder)
            for source, copy in sources:
                _copy(source, copy, folder)
        _mirrored(folder, cwd).mkdir(parents=True, exist_ok=True)
        yield Scratch(
            folder,
            _rewritten(parameters, schemas, folder),
            _mirrored(folder, cwd),
            real,
            _outside(real, folder),
            _listing([folder]),
        )


@contextlib.contextmanager
def scratch_folder(place: Path | None = None) -> Iterator[Path]:
    """An empty folder for copies, that only the owner may enter; it goes away at the end. Raises ScratchError."""
    try:
        if place is not None:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = Path(tempfile.mkdtemp(prefix="sopwith-scratch-", dir=place)).resolve()
    except OSError as error:
        raise ScratchError(
            f"a scratch copy cannot be made in {place or tempfile.gettempdir()}: {error.strerror}"
        ) from error
    try:
        yield folder
    finally:
        remove(folder)


def path_parameters(
    parameters: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]
) -> list[Path]:
    """The paths among the parameters."""
    found: list[Path] = []
    for name, value in parameters.items():
        schema = schemas.get(name, {})
        if schema.get("format") == "path":
            found.append(_plain(Path(value)))
        elif schema.get("items", {}).get("format") == "path":
            found += [_plain(Path(item)) for item in value]
    return found


def clone(source: Path, target: Path) -> None:
    """Copies a file's content, mode and times; where the file system can, without copying a block. Never a hard link."""
    with source.open("rb") as read, target.open("wb") as written:
        try:
            fcntl.ioctl(written.fileno(), CLONE, read.fileno())
        except OSError:  # the file system cannot, or it is another one
            shutil.copyfileobj(read, written, 1 << 20)
    shutil.copystat(source, target)


def remove(folder: Path) -> None:
    """Removes a folder of ours, also where a replay took the right to write away."""

    def unlock(function: Any, path: str, _: Any) -> None:
        Path(path).parent.chmod(0o700)
        if Path(path).is_dir() and not Path(path).is_symlink():
            Path(path).chmod(0o700)
        with contextlib.suppress(OSError):
            function(path)

    shutil.rmtree(folder, onerror=unlock)


def _plain(path: Path) -> Path:
    """Absolute and without "..": the mirror has no other way up."""
    return Path(os.path.normpath(path))


def _mirrored(folder: Path, path: Path) -> Path:
    return folder / _plain(path).relative_to("/")


def _rewritten(
    parameters: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]], folder: Path
) -> dict[str, Any]:
    new = dict(parameters)
    for name, value in parameters.items():
        schema = schemas.get(name, {})
        if schema.get("format") == "path":
            new[name] = str(_mirrored(folder, Path(value)))
        elif schema.get("items", {}).get("format") == "path":
            new[name] = [str(_mirrored(folder, Path(item))) for item in value]
    return new


def _measure(real: Iterable[Path], folder: Path) -> None:
    """Refuses what is too much before the first byte is copied."""
    files = size = 0
    for source in real:
        if folder.is_relative_to(source.resolve()) or str(source) == "/":
            raise ScratchError(
                f"{source} cannot be copied: it holds the place where copies are made"
            )
        for path in _walk(source.resolve()):
            found = path.lstat()
            files += 1
            size += found.st_size if stat.S_ISREG(found.st_mode) else 0
            if files > MAX_FILES or size > MAX_BYTES:
                raise ScratchError(
                    f"{source} is too large to be tried on a copy: more than {MAX_FILES} files or {MAX_BYTES // 10**6} MB"
                )


def _walk(source: Path) -> Iterator[Path]:
    """The path and all below it; links are not followed."""
    if os.path.lexists(source):
        yield source
    if source.is_dir() and not source.is_symlink():
        try:
            entries = sorted(source.iterdir())
        except OSError as error:
            raise ScratchError(f"{source} cannot be read: {error.strerror}") from error
        for entry in entries:
            yield from _walk(entry)


def _copy(source: Path, copy: Path, folder: Path) -> None:
    if source.parent.is_dir():
        copy.parent.mkdir(parents=True, exist_ok=True)
    root = source.resolve()  # the parameter itself may be a link; it counts as what it leads to
    try:
        if root.is_dir():
            _copy_folder(root, copy, folder, root)
        elif root.exists():
            _copy_entry(root, copy, folder, root)
    except OSError as error:
        raise ScratchError(
            f"{error.filename or source} cannot be copied: {error.strerror or error}"
        ) from error


def _copy_folder(source: Path, copy: Path, folder: Path, root: Path) -> None:
    copy.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            _copy_folder(entry, copy / entry.name, folder, root)
        else:
            _copy_entry(entry, copy / entry.name, folder, root)
    shutil.copystat(source, copy)
    copy.chmod(stat.S_IMODE(source.stat().st_mode) | 0o700)


def _copy_entry(source: Path, copy: Path, folder: Path, root: Path) -> None:
    """A file, or a link. A link that leads out of what is copied leads nowhere in the copy: nothing real is written."""
    if source.is_symlink():
        target = source.readlink()
        where = _plain(source.parent / target)
        if target.is_absolute() or not where.is_relative_to(root):
            target = _mirrored(folder, where)
        copy.symlink_to(target)
        shutil.copystat(source, copy, follow_symlinks=False)
    elif source.is_file():  # pipes, sockets and devices are passed over
        clone(source, copy)


def _listing(places: Iterable[Path]) -> Listing:
    found: Listing = {}
    for place in places:
        for path in _walk(place):
            with contextlib.suppress(FileNotFoundError):
                found[str(path)] = _state(path)
    return found


def _state(path: Path) -> tuple[Any, ...]:
    about = path.lstat()
    kind, mode = stat.S_IFMT(about.st_mode), stat.S_IMODE(about.st_mode)
    if kind == stat.S_IFDIR:
        return kind, mode
    target = str(path.readlink()) if kind == stat.S_IFLNK else ""
    return kind, mode, about.st_size, about.st_mtime_ns, about.st_ino, target


def _is_same_folder(found: tuple[Any, ...], before: tuple[Any, ...] | None) -> bool:
    return before is not None and found[0] == before[0] == stat.S_IFDIR


def _outside(real: Iterable[Path], folder: Path) -> Listing:
    """The real files that were copied, and the ones beside them; hidden ones beside them change by themselves."""
    found: Listing = {}
    for source in real:
        found |= {str(path): _state(path) for path in islice(_walk(source.resolve()), MAX_FILES)}
        with contextlib.suppress(OSError):
            for entry in source.parent.iterdir():
                is_ours = entry.name.startswith((".", "sopwith-scratch-")) or folder.is_relative_to(
                    entry
                )
                with contextlib.suppress(FileNotFoundError):
                    if not is_ours:
                        found[str(entry)] = _state(entry)
    return found
