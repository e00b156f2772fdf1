"""The SOPs on disk: seeds that are shipped, and those of the owner in the home folder, which shadow
seeds of their name.

Each SOP is a folder in the Agent Skills format: SKILL.md, and for a replay sop.yaml
(replay/procedure.py). A broken one is listed with its problem and never stops the others. Source:
seed 002 §2, §6; seed 001 §2.3.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from config import SopwithError
from memory.sops.catalogue import Catalogue, Entry, stamp_of
from replay.kept_procedure import KeptProcedure, keep
from replay.procedure import NotYaml, Procedure, ProcedureError, parse_yaml
from text import pattern

Status = Literal["draft", "candidate", "probation", "active", "suspended", "archived"]
NAME = pattern(r"(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*")
# older skills are called task_management
READ_NAME = pattern(r"(?=.{1,64}$)[a-z0-9]+([-_][a-z0-9]+)*")
FRONT_MATTER = pattern(r"\A\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)(.*)", re.DOTALL)
QUARANTINE = "sopwith-quarantine"  # metadata of an imported SOP that its owner has not enabled yet
EDITED = "edited by hand"  # metadata that no file holds: the status that it had before
_OLDER_FIELDS = ("triggers", "always_load", "tags", "author", "version")  # of seed 001
PROVEN = ("candidate", "probation", "active")
MAX_SKILL_BYTES = 1_000_000
MAX_READS = 10  # of a folder that changes each time


class SopError(SopwithError):
    """Why an SOP, or one of its texts, cannot be used: whoever wrote it can mend it. One line."""


@dataclass(frozen=True, slots=True)
class Sop:
    """One SOP. `steps` are None for text alone; `problem` says why it cannot be used, or not by
    rote."""

    name: str
    folder: Path
    is_seed: bool
    description: str = ""
    status: Status = "draft"
    version: int = 1
    metadata: Mapping[str, Any] = field(default_factory=dict)
    steps: Procedure | KeptProcedure | None = None
    problem: str | None = None
    translated: str | None = None  # the description in Chinese, where it was read already
    # of its files as they were read; () unknown
    stamp: Sequence[int] = field(default=(), compare=False, repr=False)

    @property
    def procedure(self) -> Procedure | None:
        """Return what is done by rote."""
        return self.steps.procedure() if isinstance(self.steps, KeptProcedure) else self.steps

    @property
    def runs_alone(self) -> bool:
        """Return True when a request may lead to a replay without a model: it has steps, and they
        are proven."""
        return (
            self.steps is not None
            and self.status in ("probation", "active")
            and QUARANTINE not in self.metadata
        )

    @property
    def is_offered(self) -> bool:
        """Return True when its header stands in prompts: it is shipped or proven, or a text that
        the owner put there. A seed for what a model does as well by itself says `sopwith-offered:
        "no"`."""
        if self.metadata.get("sopwith-offered") == "no":
            return False
        if self.is_seed or self.status in ("probation", "active"):
            return True
        return self.steps is None and "sopwith-status" not in self.metadata

    @property
    def is_edited(self) -> bool:
        """Return True when its steps are not those that were proven: somebody edited them by hand,
        so it is a draft again."""
        return EDITED in self.metadata

    @property
    def was(self) -> Status | None:
        """Return the status that it had before it was edited by hand; None where nobody did."""
        return self.metadata.get(EDITED)

    @property
    def is_quarantined(self) -> bool:
        """Return True for what was imported and not enabled yet: neither a model nor a replay may
        use it."""
        return QUARANTINE in self.metadata

    def body(self, lang: str) -> str:
        """Return the instructions, without front matter; the Chinese ones where they exist and are
        asked for. Raises SopError."""
        return _split(self._text(lang))[1].strip()

    def summary(self, lang: str) -> str:
        """Return the description in the language, where there is one."""
        if lang == "en":
            return self.description
        if lang == "zh" and self.translated is not None:
            return self.translated
        return str(self._front(lang).get("description") or self.description)

    def schemas(self, lang: str) -> dict[str, dict[str, Any]]:
        """Return the parameters by name, described in the language where SKILL.LANG.md does so."""
        procedure = self.procedure
        known = dict(procedure.parameters) if procedure else {}
        meanings = self._front(lang).get("parameters") if known and lang != "en" else None
        said = meanings if isinstance(meanings, dict) else {}
        return {
            name: {**schema, "description": str(said[name])} if name in said else dict(schema)
            for name, schema in known.items()
        }

    def _front(self, lang: str) -> Mapping[str, Any]:
        """Return the front matter in the language; {} where the translation is broken."""
        try:
            return _front_matter(self._text(lang))
        except SopError:
            return {}

    def _text(self, lang: str) -> str:
        translated = self.folder / f"SKILL.{lang}.md"
        is_there = lang != "en" and translated.is_file()
        return _read(translated if is_there else self.folder / "SKILL.md", self.folder)


class SopStore:
    """Reads the SOPs of both folders when it is first asked; `reload` reads them again."""

    def __init__(self, seed_folder: Path, home_folder: Path) -> None:
        self._folders = ((seed_folder, True), (home_folder, False))
        self._sops: dict[str, Sop] | None = None

    def all(self) -> list[Sop]:
        """Return all SOPs by name, broken ones too."""
        return list(self._by_name().values())

    def get(self, name: str) -> Sop | None:
        """Return the SOP of this name."""
        return self._by_name().get(name)

    def reload(self) -> None:
        """Forget what was read."""
        self._sops = None

    def header_lines(self, lang: str, *, seeds: bool) -> list[str]:
        """Return one line per SOP that a model may read, "name: description", for the system
        prompt: the seeds, or the others. What is in quarantine is nobody's to read yet."""
        usable = [
            sop
            for sop in self.all()
            if sop.description
            and sop.is_seed == seeds
            and sop.status != "archived"
            and sop.is_offered
            and not sop.is_quarantined
        ]
        return [f"{sop.name}: {' '.join(sop.summary(lang).split())}" for sop in usable]

    def _by_name(self) -> dict[str, Sop]:
        if self._sops is None:
            catalogue = Catalogue(self._folders[-1][0])
            found: dict[str, Sop] = {}
            for folder, is_seed in self._folders:
                if folder.is_dir():
                    for entry in os.scandir(folder):
                        if not entry.name.startswith((".", "_")) and (
                            entry.is_dir() or entry.is_symlink()
                        ):
                            is_link = entry.is_symlink()
                            found[entry.name] = _known_or_read(
                                folder / entry.name, is_seed, is_link, catalogue
                            )
            self._sops = dict(sorted(found.items()))
            catalogue.keep()
        return self._sops


def _known_or_read(folder: Path, is_seed: bool, is_link: bool, catalogue: Catalogue) -> Sop:
    """Return it from the catalogue when nothing of it changed; else read it, and keep it there when
    nothing is wrong with it."""
    name = os.fspath(folder)
    stamp = [] if is_link else stamp_of(name)
    if known := catalogue.get(name, stamp):
        with suppress(KeyError, TypeError):  # a damaged file
            return _kept(folder, is_seed, known, stamp)
    sop = read_sop(folder, is_seed)
    entry = _entry(sop)
    if entry is None or stamp_of(name) != stamp:
        return sop
    catalogue.put(name, stamp, entry)
    return _kept(folder, is_seed, entry, stamp)


def _entry(sop: Sop) -> Entry | None:
    """Return what the catalogue keeps of an SOP; None when something is wrong with it."""
    procedure = sop.procedure
    text = keep(procedure) if procedure else ""
    if sop.problem or text is None:
        return None
    header = {key: getattr(sop, key) for key in ("description", "status", "version", "metadata")}
    wordings = procedure.wordings if procedure else ()
    groups = [list(each.anchors[0]) if each.anchors else [""] for each in wordings]
    return Entry({"header": {**header, "translated": sop.summary("zh")}, "asked": groups}, text)


def _kept(folder: Path, is_seed: bool, entry: Entry, stamp: Sequence[int]) -> Sop:
    steps = KeptProcedure(folder, entry.text, entry.said["asked"]) if entry.text else None
    return Sop(folder.name, folder, is_seed, **entry.said["header"], steps=steps, stamp=stamp)


def read_sop(folder: Path, is_seed: bool) -> Sop:
    """Read one folder. What is wrong with it stands in `problem`; it raises nothing for a broken
    one.

    A change swaps the whole folder (memory/sops/changing/changes.py): one that was swapped while it
    was read is read again, so that no SOP is ever put together from two versions.
    """
    for _ in range(MAX_READS):
        before = _identity(folder)
        sop = _read_sop(folder, is_seed)
        if _identity(folder) == before:
            break
    return sop


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _read_sop(folder: Path, is_seed: bool) -> Sop:
    try:
        if folder.is_symlink() and not folder.resolve().is_relative_to(folder.parent.resolve()):
            raise SopError("error.sops.folder-link-leads-out")
        front = _front_matter(_read(folder / "SKILL.md", folder))
        known = _described(folder, front)
    except SopError as error:
        return Sop(folder.name, folder, is_seed, problem=str(error))
    procedure, problem = _procedure(folder)
    proven = known["metadata"].get("sopwith-contract")
    if (
        procedure
        and proven
        and not is_seed
        and known["status"] in PROVEN
        and contract_of(folder) != proven
    ):
        known |= {"status": "draft", "metadata": {**known["metadata"], EDITED: known["status"]}}
    return Sop(folder.name, folder, is_seed, **known, steps=procedure, problem=problem)


def contract_of(folder: Path) -> str | None:
    """Return what the machine goes by, as one value: "sha256:…" over sop.yaml and scripts/; None
    where there is neither.

    It stands in the metadata of SKILL.md as `sopwith-contract`; when it differs, somebody edited
    the files by hand, and what was proven is not what is there.
    """
    from memory.history import contents_of

    try:
        own = {
            f"sop.yaml{rest}": content for rest, content in contents_of(folder / "sop.yaml").items()
        }
        scripts = {
            f"scripts/{name}": content for name, content in contents_of(folder / "scripts").items()
        }
    except OSError as error:
        raise SopError("error.sops.cannot-read", file=folder.name, error=error) from error
    return contract({path: content.data for path, content in {**own, **scripts}.items()})


def contract(parts: Mapping[str, bytes]) -> str | None:
    """Return the contract of sop.yaml and scripts by their paths."""
    if not parts:
        return None
    import hashlib  # as above

    digest = hashlib.sha256()
    for path in sorted(parts):
        digest.update(b"%s\0%d\0%s" % (os.fsencode(path), len(parts[path]), parts[path]))
    return f"sha256:{digest.hexdigest()}"


def _described(folder: Path, front: Mapping[str, Any]) -> dict[str, Any]:
    """Name, description, status and version from front matter; seed 001's fields at the top level
    are kept as metadata."""
    if front.get("name") != folder.name or not READ_NAME.fullmatch(folder.name):
        raise SopError("error.sops.skill-md-name-must", name=repr(front.get("name")))
    description, extra = front.get("description"), front.get("metadata") or {}
    if not isinstance(description, str) or not description.strip():
        raise SopError("error.sops.skill-md-description-missing")
    if not isinstance(extra, dict):
        raise SopError("error.sops.skill-md-metadata-must")
    status, version = _standing(extra)
    metadata = {key: front[key] for key in _OLDER_FIELDS if key in front} | extra
    return {"description": description, "status": status, "version": version, "metadata": metadata}


def _standing(metadata: Mapping[str, Any]) -> tuple[Status, int]:
    status, version = (
        metadata.get("sopwith-status", "draft"),
        str(metadata.get("sopwith-version", "1")),
    )
    if status not in get_args(Status):
        raise SopError(
            "error.sops.skill-md-sopwith-status",
            status=repr(status),
            known=", ".join(get_args(Status)),
        )
    if not re.fullmatch(r"[1-9][0-9]{0,5}", version):
        raise SopError("error.sops.skill-md-sopwith-version", version=repr(version))
    return status, int(version)


def _procedure(folder: Path) -> tuple[Procedure | None, str | None]:
    path = folder / "sop.yaml"
    if not path.exists() and not path.is_symlink():
        return None, None
    from replay.reading import read_procedure  # a kept procedure needs no reader

    try:
        _inside(path, folder)
        return read_procedure(folder), None
    except (ProcedureError, SopError) as error:
        return None, str(error)


def _front_matter(text: str) -> Mapping[str, Any]:
    try:
        front = parse_yaml(_split(text)[0])
    except NotYaml as error:
        raise SopError(
            "error.sops.skill-md-front-matter-4", error=" ".join(str(error).split())
        ) from error
    if not isinstance(front, dict):
        raise SopError("error.sops.skill-md-front-matter")
    return front


def _split(text: str) -> tuple[str, str]:
    """Return front matter and body; a text without front matter is all body."""
    match = FRONT_MATTER.match(text)
    return (match[1], match[2]) if match else ("", text)


def _read(path: Path, folder: Path) -> str:
    _inside(path, folder)
    try:
        if path.stat().st_size > MAX_SKILL_BYTES:
            raise SopError("error.sops.larger-than-bytes", name=path.name, most=MAX_SKILL_BYTES)
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SopError("error.sops.cannot-read", file=path.name, error=error) from error


def _inside(path: Path, folder: Path) -> None:
    """Refuse a file that is a link out of the SOP's own folder."""
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise SopError("error.sops.link-leads-out-sop", name=path.name)
    except (OSError, RuntimeError) as error:
        raise SopError("error.sops.link-leads-nowhere", name=path.name, error=error) from error
