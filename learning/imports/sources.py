"""List the files of a folder, a Markdown file or a zip; nothing is followed, unpacked or believed.

SopError
└── ImportRefused    nothing was imported; two lines: what is wrong, what would work
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from config import Message
from memory.sops import SopError
from text import names

MAX_FILE_BYTES = 10_000_000
MAX_RATIO = 200  # of a packed file, above SMALL_BYTES
SMALL_BYTES = 1_000_000
MAX_ENTRIES = 50_000  # of a whole collection
MAX_DEPTH = 12
LEFT_OUT = names(".git .hg .svn __pycache__ node_modules .venv .DS_Store Thumbs.db __MACOSX")
ANY_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?::|//)\S*|[\w.-]+@[\w.-]+:\S+|-.*")
LEADS_OUT = re.compile(r"[/\\~]|[A-Za-z]:|.*[\\\0]", re.DOTALL)
NOTHING = "error.imports.nothing"


class ImportRefused(SopError):
    """The source cannot be imported, or not safely."""


class Entry(NamedTuple):
    """One file of a source: its stated size, why it is refused, how to read so many bytes."""

    size: int
    problem: str
    read: Callable[[int], bytes]


Entries = dict[str, Entry]


@contextmanager
def opened(source: str, cwd: Path) -> Iterator[tuple[Entries, str]]:
    """Yield the files of a source, and the name of a skill that has none. Raises ImportRefused."""
    if ANY_ADDRESS.fullmatch(source):
        raise ImportRefused("error.imports.address-import", address=source[:200])
    path = cwd / Path(source).expanduser()
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            raise ImportRefused("error.imports.link", source=source)
        if stat.S_ISDIR(mode):
            yield _of_folder(path), path.resolve().name
        elif not stat.S_ISREG(mode):
            said = Message("error.imports.no-place", source=source)
            raise ImportRefused("error.imports.text-4", rest=said)
        elif path.suffix.lower() == ".md":
            own = path.resolve().parent.name if path.name == "SKILL.md" else path.stem
            yield {"SKILL.md": _of_file(path)}, own
        else:
            with _zip(path, source) as archive:
                yield _of_zip(archive), path.stem
    except OSError as error:
        raise ImportRefused("error.imports.source-unread", source=source, why=error) from error


def _of_folder(folder: Path) -> Entries:
    """Return all files below a folder; links are seen, never followed."""
    found: Entries = {}
    waiting = [(folder, PurePosixPath())]
    while waiting:
        place, inside = waiting.pop()
        with os.scandir(place) as listed:
            children = sorted(listed, key=lambda entry: entry.name)
        for entry in children:
            path = inside / entry.name
            if entry.name in LEFT_OUT:
                continue
            if entry.is_dir(follow_symlinks=False) and len(path.parts) <= MAX_DEPTH:
                waiting.append((Path(entry.path), path))
            else:
                found[str(path)] = _of_file(Path(entry.path))
        if len(found) > MAX_ENTRIES:
            said = Message("error.imports.many-files", folder=folder, most=MAX_ENTRIES)
            raise ImportRefused("error.imports.text-2", rest=said)
    return found


def _kind(mode: int) -> str:
    """Return what is wrong with a file of this mode."""
    if stat.S_ISLNK(mode):
        return Message("error.imports.a-link")
    return "" if stat.S_ISREG(mode) else Message("error.imports.no-file")


def _of_file(path: Path) -> Entry:
    found = path.lstat()

    def read(limit: int) -> bytes:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(f"{path.name} is no ordinary file")
            return file.read(limit)

    return Entry(found.st_size, _kind(found.st_mode), read)


@contextmanager
def _zip(path: Path, source: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, RuntimeError, EOFError, ValueError) as error:
        said = Message("error.imports.no-zip", source=source, error=error)
        raise ImportRefused("error.lines", one=said, other=Message(NOTHING)) from error


def _of_zip(archive: zipfile.ZipFile) -> Entries:
    """Return the files of a zip. Names that lead out, or differ only in case, refuse it all."""
    infos = archive.infolist()
    if len(infos) > MAX_ENTRIES:
        said = Message("error.imports.zip-entries", n=len(infos), most=MAX_ENTRIES)
        raise ImportRefused("error.lines", one=said, other=Message(NOTHING))
    found: Entries = {}
    seen: dict[str, str] = {}
    for info in infos:
        name = _safe_name(info.filename)
        is_same_folder = info.is_dir() and seen.get(folded(name)) == name
        if folded(name) in seen and not is_same_folder:
            said = Message("error.imports.zip-twice", name=f"{name!r}")
            raise ImportRefused("error.lines", one=said, other=Message(NOTHING))
        seen[folded(name)] = name
        if not info.is_dir() and not LEFT_OUT & set(name.split("/")):
            found[name] = _of_packed(archive, info)
    return found


def folded(name: str) -> str:
    """Return a name as a disk may take it that knows no case."""
    return unicodedata.normalize("NFC", name).casefold()


def _safe_name(name: str) -> str:
    parts = name.removesuffix("/").split("/")
    is_odd = bool({"", ".", ".."} & set(parts)) or not name.isprintable()
    if is_odd or LEADS_OUT.match(name) or len(parts) > MAX_DEPTH + 1:
        said = Message("error.imports.zip-out", name=f"{name[:80]!r}")
        raise ImportRefused("error.lines", one=said, other=Message(NOTHING))
    return "/".join(parts)


def _of_packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Entry:
    mode = info.external_attr >> 16
    is_unix = info.create_system == 3 and stat.S_IFMT(mode) != 0
    problem = _kind(mode) if is_unix else ""
    if info.flag_bits & 1:
        problem = "encrypted"
    if info.file_size > max(SMALL_BYTES, MAX_RATIO * info.compress_size):
        problem = f"packed more than {MAX_RATIO} times"

    def read(limit: int) -> bytes:
        with archive.open(info) as file:
            return file.read(limit)

    return Entry(info.file_size, problem, read)


def grouped(entries: Mapping[str, Entry]) -> dict[str, Entries]:
    """Return the files of each skill: a folder with SKILL.md, as far as none above it has one."""
    entries = {_as_skill(path): entry for path, entry in entries.items()}
    folders = {
        PurePosixPath(path).parent for path in entries if PurePosixPath(path).name == "SKILL.md"
    }
    outer = sorted(each for each in folders if not folders & set(each.parents))
    return {str(place): _within(place, entries) for place in outer}


def _as_skill(path: str) -> str:
    """Return the path with SKILL.md in capitals, where its author wrote it in others."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}SKILL.md" if name.casefold() == "skill.md" else path


def _within(place: PurePosixPath, entries: Mapping[str, Entry]) -> Entries:
    paths = [PurePosixPath(path) for path in entries]
    inside = [path for path in paths if path.is_relative_to(place)]
    return {str(path.relative_to(place)): entries[str(path)] for path in inside}
