"""Read skills from elsewhere into memory under limits, scan them, and put them into the store under
quarantine.

Links and devices refuse the skill that holds them; whatever status it claims it lands as a draft
with `sopwith-quarantine` in its metadata, and neither a model nor a replay gets to see it until its
owner enables it (`release`). A status is then earned here, as by any other SOP. Source: seed 001
§2.3 (its front matter is understood).
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from config import Message
from learning.folder import in_folder
from learning.imports.findings import Finding, scan
from learning.imports.sources import MAX_FILE_BYTES, Entries, ImportRefused, folded, grouped, opened
from memory.history import contents_of
from memory.sops import NAME, QUARANTINE, Sop, SopError
from memory.sops.changing import SopChanges, with_metadata
from memory.sops.store import FRONT_MATTER

MAX_FILES = 2_000  # of one skill
MAX_BYTES = 50_000_000  # of one skill
MAX_SKILLS = 500
_PLAIN = re.compile(r"^(\w[\w-]*:[ ]+)([^\s\"'|>\[{&*!].*:[ ].*?)[ ]*$", re.MULTILINE)
BESIDE = "-imported"  # behind the name of a skill that is called like a seed


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill as it was found: its files by path, where it lay in the source, and what the scan
    found in it.

    `problem` says why it cannot be imported; its files are then not to be used.
    """

    name: str
    place: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    description: str = ""
    findings: tuple[Finding, ...] = ()
    problem: str | None = None


def find_skills(source: str, cwd: Path) -> list[Skill]:
    """Return the skills in a folder, a Markdown file or a zip, scanned. Changes nothing.

    A folder of many skills gives each of them; the problem of one does not stop the others. Raises
    ImportRefused.
    """
    with opened(source, cwd) as (entries, fallback):
        skills = [_skill(place, inside, fallback) for place, inside in grouped(entries).items()]
    if not skills:
        said = f"there is no SKILL.md in {source}."
        raise ImportRefused("error.imports.text", rest=said)
    if len(skills) > MAX_SKILLS:
        said = f"{source} holds {len(skills)} skills; at most {MAX_SKILLS} at once."
        raise ImportRefused("error.imports.text-2", rest=said)
    return _without_doubles(skills)


def _without_doubles(skills: list[Skill]) -> list[Skill]:
    """Take neither of two skills of one name."""
    names = [skill.name for skill in skills if not skill.problem]
    double = {name for name in names if names.count(name) > 1}
    told = "two skills of the source have this name"
    for at, skill in enumerate(skills):
        if skill.name in double:
            skills[at] = Skill(skill.name, skill.place, problem=skill.problem or told)
    return skills


def store(skill: Skill, source: str, changes: SopChanges, known: Mapping[str, Sop]) -> Sop:
    """Put a skill into the store, under quarantine.

    A name that is taken is refused; only what is under quarantine itself may be imported again. One
    that has the name of a seed comes in beside it, under another name: a seed is never hidden by
    what nobody has let in. Raises ImportRefused, and what SopChanges.write raises; the store is
    then as it was.
    """
    if skill.problem:
        raise ImportRefused("error.imports.imported", name=skill.name, problem=skill.problem)
    present = known.get(skill.name)
    if present is not None and present.is_seed:
        skill = _beside(skill)
        present = known.get(skill.name)
    if present is not None and not present.is_quarantined:
        said = f"{skill.name} is not imported: there is an SOP of this name already."
        raise ImportRefused("error.imports.text-3", rest=said)
    since = datetime.now(UTC).isoformat(timespec="seconds")
    said = " ".join(source.split())[:300]
    metadata = {QUARANTINE: since, "sopwith-source": said, "sopwith-status": "draft"}
    text = with_metadata(skill.files["SKILL.md"].decode(), metadata)
    files = {**skill.files, "SKILL.md": text.encode()}
    return changes.write(skill.name, files, reason=f"imported from {said}", status="draft")


def _beside(skill: Skill) -> Skill:
    """Return the skill under a name of its own."""
    name = f"{skill.name[: 64 - len(BESIDE)]}{BESIDE}"
    front, body = _front(skill.files["SKILL.md"])
    text = _written({**front, "name": name}, body)
    return replace(skill, name=name, files={**skill.files, "SKILL.md": text})


def release(sop: Sop, changes: SopChanges, reason: str) -> Sop:
    """Take an SOP out of quarantine: a draft like any other. Raises as SopChanges.write."""
    files = {path: content.data for path, content in contents_of(sop.folder).items()}
    files["SKILL.md"] = with_metadata(files["SKILL.md"].decode(), {QUARANTINE: None}).encode()
    return changes.write(sop.name, files, reason=reason, status="draft")


def findings_of(sop: Sop) -> list[Finding]:
    """Return what the scan finds in an SOP that is in the store."""
    return scan({path: content.data for path, content in contents_of(sop.folder).items()})


def _skill(place: str, entries: Entries, fallback: str) -> Skill:
    shown = PurePosixPath(place).name if place != "." else fallback
    try:
        files = _files(entries)
        front, body = _front(files["SKILL.md"])
        front["name"] = _name(str(front.get("name") or shown))
        described = str(front.get("description") or "").strip()
        if not described:
            raise ImportRefused("error.imports.skill-md-description")
        findings = tuple(scan(files))
        files["SKILL.md"] = _written(front, body)
        _check_reading(front["name"], files)
        return Skill(front["name"], place, files, described, findings)
    except SopError as error:
        return Skill(shown, place, problem=str(error).replace("\n", " ").rstrip("."))
    except (OSError, zipfile.BadZipFile, RuntimeError, EOFError) as error:
        return Skill(shown, place, problem=Message("error.imports.unread", error=error))


def _files(entries: Entries) -> dict[str, bytes]:
    """Return the bytes of a skill under limits; sizes that an archive states are not believed."""
    if len(entries) > MAX_FILES:
        raise ImportRefused("error.imports.files-most", n=len(entries), most=MAX_FILES)
    files: dict[str, bytes] = {}
    seen: set[str] = set()
    left = MAX_BYTES
    for path, entry in sorted(entries.items()):
        if entry.problem:
            raise ImportRefused("error.imports.odd-file", path=path, problem=entry.problem)
        if folded(path) in seen:
            raise ImportRefused("error.imports.twice-but-case", path=path)
        seen.add(folded(path))
        data = entry.read(MAX_FILE_BYTES + 1) if entry.size <= MAX_FILE_BYTES else b""
        size = max(len(data), entry.size)
        left -= size
        if size > MAX_FILE_BYTES or left < 0:
            limits = Message("error.imports.limits", size=MAX_FILE_BYTES, total=MAX_BYTES)
            raise ImportRefused("error.imports.makes-too-large", path=path, limits=limits)
        files[path] = data
    return files


def _front(data: bytes) -> tuple[dict[str, Any], str]:
    """Return front matter, that of seed 001 too, and body."""
    import yaml

    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").lstrip()
    except UnicodeDecodeError as error:
        raise ImportRefused("error.imports.skill-md-utf", error=error) from error
    match = FRONT_MATTER.match(text)
    if match is None:
        said = Message("error.imports.no-front")
        raise ImportRefused(said)
    try:
        front = _parsed(match[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        raise ImportRefused("error.imports.skill-md-front-matter-2", error=why) from error
    if not isinstance(front, dict) or not isinstance(front.get("metadata") or {}, dict):
        raise ImportRefused("error.imports.skill-md-front-matter")
    return front, match[2]


def _parsed(text: str) -> Any:
    """Return what front matter says; a text with a colon may stand without quotes."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return yaml.safe_load(_PLAIN.sub(lambda found: found[1] + json.dumps(found[2]), text))


def _written(front: Mapping[str, Any], body: str) -> bytes:
    """Return SKILL.md without what it claims about its own standing here."""
    import yaml

    said = {str(key): str(value) for key, value in (front.get("metadata") or {}).items()}
    metadata = {key: value for key, value in said.items() if not key.startswith("sopwith-")}
    kept = {**front, "metadata": metadata}
    dumped: str = yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{dumped}---\n{body}".encode()


def _name(said: str) -> str:
    """Return a name in the form of the Agent Skills format: task_management is task-management."""
    name = re.sub(r"[^a-z0-9]+", "-", said.strip().lower()).strip("-")[:64].strip("-")
    if not NAME.fullmatch(name):
        raise ImportRefused("error.imports.name-sop-letters-digits", name=f"{said[:60]!r}")
    return name


def _check_reading(name: str, files: Mapping[str, bytes]) -> None:
    """Refuse what the store would refuse, before anything is written to it."""
    read = ("SKILL.md", "sop.yaml")
    own = {path: data for path, data in files.items() if path in read or path[:8] == "scripts/"}
    with in_folder(name, own) as sop:
        if sop.problem:
            raise ImportRefused(sop.problem.replace(f"{sop.folder}/", ""))
