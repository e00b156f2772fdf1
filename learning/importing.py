"""Takes skills from elsewhere into the store: from a folder, a zip or a git address, scanned and put under quarantine.

Nothing that comes in is executed, linked to or trusted: files are read into memory under limits, links and devices
refuse the skill that holds them, whatever status it claims it lands as a draft with `sopwith-quarantine` in its
metadata, and neither a model nor a replay gets to see it until its owner enables it (`release`). A status is then
earned here, as by any other SOP. Source: seed 001 §2.3 (its front matter is understood); docs/learning.md.

    SopError
    └── ImportRefused    nothing was imported; two lines: what is wrong, what would work
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from learning.suspicion import Finding, scan
from memory.history import contents_of
from memory.sops import NAME, QUARANTINE, Sop, SopError, read_sop
from memory.sops.changing import SopChanges, with_metadata
from memory.sops.store import FRONT_MATTER

MAX_FILES = 2_000  # of one skill
MAX_BYTES = 50_000_000  # of one skill
MAX_FILE_BYTES = 10_000_000
MAX_RATIO = 200  # of a packed file, above SMALL_BYTES
SMALL_BYTES = 1_000_000
MAX_ENTRIES = 50_000  # of a whole collection
BESIDE = "-imported"  # behind the name of a skill that is called like a seed
MAX_SKILLS = 500
MAX_DEPTH = 12
CLONE_SECONDS = 120.0
CLONE_BLOCKS = 400_000  # of 512 bytes, the largest file that a clone may write
LEFT_OUT = {
    ".git",
    ".hg",
    ".svn",
    "__pycache__",
    "node_modules",
    ".venv",
    ".DS_Store",
    "Thumbs.db",
    "__MACOSX",
}
GIT_ADDRESS = re.compile(r"(?:https|ssh|file)://\S+|[\w.-]+@[\w.-]+:[\w./~-]+")
ANY_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?::|//)\S*|[\w.-]+@[\w.-]+:\S+|-.*")
NOBODY = {"NAME": "Sopwith", "EMAIL": "sopwith@localhost"}
SETTINGS = (
    *(
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.symlinks=true",
        "submodule.recurse=false",
    ),
    *(
        "protocol.allow=never",
        "protocol.https.allow=always",
        "protocol.ssh.allow=always",
        "protocol.file.allow=always",
    ),
    *(
        "credential.helper=",
        "http.lowSpeedLimit=1000",
        "http.lowSpeedTime=30",
        "transfer.fsckObjects=true",
    ),
)


class ImportRefused(SopError):
    """The source cannot be imported, or not safely."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill as it was found: its files by path, where it lay in the source, and what the scan found in it.

    `problem` says why it cannot be imported; its files are then not to be used.
    """

    name: str
    place: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    description: str = ""
    findings: tuple[Finding, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """One file of a source: its size as stated, why it must not be taken, and how to read at most so many bytes."""

    size: int
    problem: str
    read: Callable[[int], bytes]


def find_skills(source: str, cwd: Path) -> list[Skill]:
    """The skills in a folder, a Markdown file, a zip or a git repository, scanned. Changes nothing.

    A folder of many skills gives each of them; the problem of one does not stop the others. Raises ImportRefused.
    """
    with _opened(source, cwd) as (entries, fallback):
        skills = [_skill(place, inside, fallback) for place, inside in _grouped(entries).items()]
    if not skills:
        raise ImportRefused(
            f"there is no SKILL.md in {source}.\nA skill is a folder with SKILL.md in it."
        )
    if len(skills) > MAX_SKILLS:
        raise ImportRefused(
            f"{source} holds {len(skills)} skills; at most {MAX_SKILLS} at once.\nImport a part of it."
        )
    return _without_doubles(skills)


def store(skill: Skill, source: str, changes: SopChanges, known: Mapping[str, Sop]) -> Sop:
    """Puts a skill into the store, under quarantine.

    A name that is taken is refused; only what is under quarantine itself may be imported again. One that has the name of
    a seed comes in beside it, under another name: a seed is never hidden by what nobody has let in.
    Raises ImportRefused, and what SopChanges.write raises; the store is then as it was.
    """
    if skill.problem:
        raise ImportRefused(f"{skill.name} is not imported: {skill.problem}.")
    present = known.get(skill.name)
    if present is not None and present.is_seed:
        skill = _beside(skill)
        present = known.get(skill.name)
    if present is not None and not present.is_quarantined:
        raise ImportRefused(
            f'{skill.name} is not imported: there is an SOP of this name already.\nRename the folder and its "name".'
        )
    since = datetime.now(UTC).isoformat(timespec="seconds")
    said = {QUARANTINE: since, "sopwith-source": safe_source(source), "sopwith-status": "draft"}
    text = with_metadata(skill.files["SKILL.md"].decode(), said)
    files = {**skill.files, "SKILL.md": text.encode()}
    return changes.write(
        skill.name, files, reason=f"imported from {safe_source(source)}", status="draft"
    )


def _beside(skill: Skill) -> Skill:
    """The skill under a name of its own."""
    name = f"{skill.name[: 64 - len(BESIDE)]}{BESIDE}"
    front, body = _front(skill.files["SKILL.md"])
    return replace(
        skill, name=name, files={**skill.files, "SKILL.md": _written({**front, "name": name}, body)}
    )


def release(sop: Sop, changes: SopChanges, reason: str) -> Sop:
    """Takes an SOP out of quarantine: a draft like any other. Raises what SopChanges.write raises."""
    files = {path: content.data for path, content in contents_of(sop.folder).items()}
    files["SKILL.md"] = with_metadata(files["SKILL.md"].decode(), {QUARANTINE: None}).encode()
    return changes.write(sop.name, files, reason=reason, status="draft")


def findings_of(sop: Sop) -> list[Finding]:
    """Return what the scan finds in an SOP that is in the store."""
    return scan({path: content.data for path, content in contents_of(sop.folder).items()})


# the sources


@contextmanager
def _opened(source: str, cwd: Path) -> Iterator[tuple[dict[str, _Entry], str]]:
    """The files of a source, and the name of a skill that has none."""
    path = cwd / Path(source).expanduser() if not ANY_ADDRESS.fullmatch(source) else None
    if path is None:
        with tempfile.TemporaryDirectory(prefix="sopwith-import-") as scratch:
            folder = cloned(source, Path(scratch))
            yield _of_folder(folder), re.split(r"[/:]", source.rstrip("/").removesuffix(".git"))[-1]
        return
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            raise ImportRefused(f"{source} is a link.\nName what it leads to.")
        if stat.S_ISDIR(mode):
            yield _of_folder(path), path.resolve().name
        elif not stat.S_ISREG(mode):
            raise ImportRefused(
                f"{source} is no folder and no file.\nGive a folder, a zip, or a git address."
            )
        elif path.suffix.lower() == ".md":
            fallback = path.stem if path.name != "SKILL.md" else path.resolve().parent.name
            yield {"SKILL.md": _of_file(path)}, fallback
        else:
            with _zip(path, source) as archive:
                yield _of_zip(archive), path.stem
    except OSError as error:
        raise ImportRefused(
            f"{source} cannot be read: {error.strerror or error}.\nNothing was imported."
        ) from error


def _of_folder(folder: Path) -> dict[str, _Entry]:
    """All files below a folder; links are seen, never followed."""
    found: dict[str, _Entry] = {}
    waiting = [(folder, PurePosixPath())]
    while waiting:
        place, inside = waiting.pop()
        with os.scandir(place) as listed:
            children = sorted(listed, key=lambda entry: entry.name)
        for entry in children:
            if entry.name in LEFT_OUT:
                continue
            path = inside / entry.name
            if entry.is_dir(follow_symlinks=False) and len(path.parts) <= MAX_DEPTH:
                waiting.append((Path(entry.path), path))
            else:
                found[str(path)] = _of_file(Path(entry.path))
            if len(found) > MAX_ENTRIES:
                raise ImportRefused(
                    f"{folder} holds more than {MAX_ENTRIES} files.\nImport a part of it."
                )
    return found


def _of_file(path: Path) -> _Entry:
    found = path.lstat()
    problem = (
        ""
        if stat.S_ISREG(found.st_mode)
        else "a link"
        if stat.S_ISLNK(found.st_mode)
        else "no ordinary file"
    )

    def read(limit: int) -> bytes:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(f"{path.name} is no ordinary file")
            return file.read(limit)

    return _Entry(found.st_size, problem, read)


@contextmanager
def _zip(path: Path, source: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
        EOFError,
        ValueError,
        UnicodeError,
    ) as error:
        raise ImportRefused(
            f"{source} is no zip that can be read: {error}.\nNothing was imported."
        ) from error


def _of_zip(archive: zipfile.ZipFile) -> dict[str, _Entry]:
    """The files of a zip. Names that lead out of it, or that one disk would take for the same, refuse all of it."""
    infos = archive.infolist()
    if len(infos) > MAX_ENTRIES:
        raise ImportRefused(
            f"the zip holds {len(infos)} entries; at most {MAX_ENTRIES}.\nNothing was imported."
        )
    found: dict[str, _Entry] = {}
    seen: dict[str, str] = {}
    for info in infos:
        name = _safe_name(info.filename)
        folded = unicodedata.normalize("NFC", name).casefold()
        if folded in seen and not (info.is_dir() and seen[folded] == name):
            raise ImportRefused(
                f"the zip holds {name!r} twice, or but for its case.\nNothing was imported."
            )
        seen[folded] = name
        if not info.is_dir() and not LEFT_OUT & set(name.split("/")):
            found[name] = _of_packed(archive, info)
    return found


def _safe_name(name: str) -> str:
    parts = name.removesuffix("/").split("/")
    is_bad = (
        name.startswith(("/", "\\", "~"))
        or "\\" in name
        or re.match(r"[A-Za-z]:", name)
        or "\0" in name
    )
    if (
        is_bad
        or any(part in ("", ".", "..") for part in parts)
        or not name.isprintable()
        or len(parts) > MAX_DEPTH + 1
    ):
        raise ImportRefused(
            f"the zip holds the name {name[:80]!r}, which leads out of it.\nNothing was imported."
        )
    return "/".join(parts)


def _of_packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Entry:
    mode = info.external_attr >> 16
    kind = stat.S_IFMT(mode) if info.create_system == 3 else 0
    problem = (
        "a link"
        if kind == stat.S_IFLNK
        else "no ordinary file"
        if kind not in (0, stat.S_IFREG)
        else ""
    )
    if info.flag_bits & 1:
        problem = "encrypted"
    if info.file_size > SMALL_BYTES and info.file_size > MAX_RATIO * max(1, info.compress_size):
        problem = f"packed more than {MAX_RATIO} times"

    def read(limit: int) -> bytes:
        with archive.open(info) as file:
            return file.read(limit)

    return _Entry(info.file_size, problem, read)


def cloned(address: str, scratch: Path) -> Path:
    """A shallow clone. Only https, ssh and file; no hooks, no submodules, no questions, none of the owner's settings."""
    if (
        not GIT_ADDRESS.fullmatch(address)
        or "::" in address
        or "\n" in address
        or re.search(r"://-|@-", address)
    ):
        raise ImportRefused(
            f"{address[:200]} is no address to import from.\nIt must begin with https://, ssh:// or file://."
        )
    if shutil.which("git") is None:
        raise ImportRefused(
            "git is not installed, and it is needed for a git address.\nInstall the package git."
        )
    target = scratch / "clone"
    flags = [
        "--depth=1",
        "--single-branch",
        "--no-tags",
        "--no-recurse-submodules",
        "--template=",
        "--quiet",
    ]
    said = git_says(
        ["clone", *flags, "--", address, str(target)], scratch, limit_blocks=CLONE_BLOCKS
    )
    if said is not None:
        shown = safe_source(address)
        raise ImportRefused(
            f"{shown} cannot be cloned: {said}.\nNothing was imported. Check the address: git ls-remote {shown}"
        )
    return target


def git_says(words: list[str], cwd: Path, *, limit_blocks: int = 0) -> str | None:
    """Runs git with none of the owner's settings, no hooks and no questions; None when it worked, else what it said last.
    `limit_blocks`: of 512 bytes, the largest file that it may write."""
    git = shutil.which("git") or "git"
    command = [git, *(word for setting in SETTINGS for word in ("-c", setting)), *words]
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE") if name in os.environ}  # fmt: skip
    environment |= {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ALLOW_PROTOCOL": "https:ssh:file",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=15",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
        **{
            f"GIT_{who}_{what}": word
            for who in ("AUTHOR", "COMMITTER")
            for what, word in NOBODY.items()
        },
    }
    if limit_blocks:
        command = ["sh", "-c", f'ulimit -f {limit_blocks}; exec "$@"', "sh", *command]
    return _run(command, environment, cwd)


def _run(command: list[str], environment: Mapping[str, str], cwd: Path) -> str | None:
    """None when it worked, else what it said last."""
    import signal

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
    if child.returncode == 0:
        return None
    lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    told = next(
        (line for line in lines if line.startswith(("fatal:", "error:"))),
        lines[-1] if lines else "git failed",
    )
    return " ".join(told.removeprefix("fatal:").removeprefix("error:").split())[:300].rstrip(".")


def safe_source(source: str) -> str:
    """A source without a password or a token in its address, on one line."""
    return " ".join(re.sub(r"(://)[^/@\s]+@", r"\1", source).split())[:300]


# skills


def _grouped(entries: Mapping[str, _Entry]) -> dict[str, dict[str, _Entry]]:
    """The files of each skill: a folder with SKILL.md, as far as none above it has one."""
    folders = sorted(
        {
            str(PurePosixPath(path).parent)
            for path in entries
            if PurePosixPath(path).name == "SKILL.md"
        }
    )
    outer = [
        place
        for place in folders
        if not any(place != up and (up == "." or place.startswith(f"{up}/")) for up in folders)
    ]
    grouped: dict[str, dict[str, _Entry]] = {place: {} for place in outer}
    for path, entry in entries.items():
        for place in outer:
            if place == "." or path.startswith(f"{place}/"):
                grouped[place][path if place == "." else path[len(place) + 1 :]] = entry
                break
    return grouped


def _skill(place: str, entries: Mapping[str, _Entry], fallback: str) -> Skill:
    shown = PurePosixPath(place).name if place != "." else fallback
    try:
        files = _files(entries)
        front, body = _front(files["SKILL.md"])
        name = _name(str(front.get("name") or shown))
        front["name"] = name
        described = str(front.get("description") or "").strip()
        if not described:
            raise ImportRefused("SKILL.md has no description")
        findings = tuple(scan(files))
        files["SKILL.md"] = _written(front, body)
        _can_be_read(name, files)
        return Skill(name, place, files, described, findings)
    except SopError as error:
        return Skill(shown, place, problem=str(error).replace("\n", " ").rstrip("."))
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        return Skill(shown, place, problem=f"it cannot be read: {error}")


def _files(entries: Mapping[str, _Entry]) -> dict[str, bytes]:
    """The bytes of a skill, as many as are allowed: what an archive states about sizes is not believed."""
    if len(entries) > MAX_FILES:
        raise ImportRefused(f"it has {len(entries)} files; at most {MAX_FILES}")
    files: dict[str, bytes] = {}
    seen: set[str] = set()
    total = 0
    for path, entry in sorted(entries.items()):
        if entry.problem:
            raise ImportRefused(f"{path} is {entry.problem}")
        folded = unicodedata.normalize("NFC", path).casefold()
        if folded in seen:
            raise ImportRefused(f"{path} is there twice but for its case")
        seen.add(folded)
        data = entry.read(MAX_FILE_BYTES + 1) if entry.size <= MAX_FILE_BYTES else b""
        total += max(len(data), entry.size)
        if len(data) > MAX_FILE_BYTES or entry.size > MAX_FILE_BYTES or total > MAX_BYTES:
            raise ImportRefused(
                f"{path} makes it too large: at most {MAX_FILE_BYTES} bytes a file, {MAX_BYTES} together"
            )
        files[path] = data
    return files


def _front(data: bytes) -> tuple[dict[str, Any], str]:
    """Front matter, that of seed 001 too, and body."""
    import yaml

    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ImportRefused(f"SKILL.md is not UTF-8: {error}") from error
    match = FRONT_MATTER.match(text)
    if match is None:
        raise ImportRefused(
            "SKILL.md has no front matter: name and description between two lines of ---"
        )
    try:
        front = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ImportRefused(
            f"SKILL.md: the front matter is not YAML: {' '.join(str(error).split())[:200]}"
        ) from error
    if not isinstance(front, dict) or not isinstance(front.get("metadata") or {}, dict):
        raise ImportRefused("SKILL.md: the front matter must be a mapping, and its metadata too")
    return front, match[2]


def _written(front: Mapping[str, Any], body: str) -> bytes:
    """SKILL.md with a name that the format takes. What it claims about its own standing here is left out."""
    import yaml

    metadata = {
        str(key): str(value)
        for key, value in (front.get("metadata") or {}).items()
        if not str(key).startswith("sopwith-")
    }
    kept = {**front, "metadata": metadata}
    dumped: str = yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{dumped}---\n{body}".encode()


def normal(skill: bytes) -> bytes:
    """A SKILL.md as it comes in: without what it claims about its standing, its front matter in one form."""
    return _written(*_front(skill))


def _name(said: str) -> str:
    """A name in the form of the Agent Skills format: task_management is task-management."""
    name = re.sub(r"[^a-z0-9]+", "-", said.strip().lower()).strip("-")[:64].strip("-")
    if not NAME.fullmatch(name):
        raise ImportRefused(f"{said[:60]!r} is no name for an SOP: letters, digits and hyphens")
    return name


def _can_be_read(name: str, files: Mapping[str, bytes]) -> None:
    """Refuses what the store would refuse, before anything is written to it."""
    with tempfile.TemporaryDirectory(prefix="sopwith-import-") as scratch:
        folder = Path(scratch) / name
        for path, data in files.items():
            if path in ("SKILL.md", "sop.yaml") or path.startswith("scripts/"):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)
        problem = read_sop(folder, False).problem
    if problem:
        raise ImportRefused(problem.replace(f"{folder}/", ""))


def _without_doubles(skills: list[Skill]) -> list[Skill]:
    """Take neither of two skills of one name."""
    names = [skill.name for skill in skills if not skill.problem]
    return [
        Skill(skill.name, skill.place, problem="two skills of the source have this name")
        if not skill.problem and names.count(skill.name) > 1
        else skill
        for skill in skills
    ]
