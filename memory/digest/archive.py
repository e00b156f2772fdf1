"""Puts old notes away: `memory/archive/YYYY-MM.zip`, read back and compared before the note itself
goes to the trash.

A kill at any moment leaves the note, the zip that holds it, or both; the next time finishes. A zip
that cannot be read is left alone, and its month waits. Source: seed 000 "Background tasks"; issue
of the journal, "Heartbeat".
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path

from memory.files import write_atomic
from memory.history import Repository

FOLDER = "memory/archive"


def archive(home: Path, days: Sequence[date], history: Repository) -> tuple[list[str], str]:
    """Archive the notes of these days, one commit a month; return the notes that were put away, and
    what went wrong with others, in one line. The caller holds the history's lock. Raises OSError,
    RepositoryError."""
    done: list[str] = []
    problem = ""
    for month, group in groupby(sorted(days), key=lambda day: f"{day:%Y-%m}"):
        found = {f"{day.isoformat()}.md": home / f"memory/{day.isoformat()}.md" for day in group}
        texts = {
            name: path.read_bytes()
            for name, path in found.items()
            if path.is_file() and not path.is_symlink()
        }
        if not texts:  # links: where they lead is not ours to put away
            continue
        target = home / FOLDER / f"{month}.zip"
        paths = [f"memory/{name}" for name in texts]
        history.commit_hand_edits(paths)
        try:
            _store(target, texts)
            for path in paths:  # the zip was read back, and the history has them too
                (home / path).unlink()
        except zipfile.BadZipFile as error:
            problem = f"{target.relative_to(home)}: {error}"
            continue
        history.commit(
            [str(target.relative_to(home)), *paths], f"archive: {len(texts)} notes of {month}\n"
        )
        done += paths
    return done, problem


def _store(target: Path, texts: Mapping[str, bytes]) -> None:
    """Add files to a zip, which is written whole and read back. Raises BadZipFile when it does not
    hold them, OSError."""
    kept = _contents(target)
    new = {_free_name(name, text, kept): text for name, text in texts.items()}
    if new.items() <= kept.items():
        return  # a kill came between zip and trash
    whole = kept | new
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in sorted(whole.items()):
            file.writestr(name, text)
    target.parent.mkdir(mode=0o700, exist_ok=True)
    write_atomic(target, packed.getvalue(), mode=0o600)
    if _contents(target) != whole:
        raise zipfile.BadZipFile("it does not hold what was put in")


def _contents(target: Path) -> dict[str, bytes]:
    if not target.exists():
        return {}
    with zipfile.ZipFile(target) as stored:
        return {name: stored.read(name) for name in stored.namelist()}


def _free_name(name: str, text: bytes, kept: Mapping[str, bytes]) -> str:
    """Return the name, or one beside it when another note of the day is there already."""
    number, free = 1, name
    while free in kept and kept[free] != text:
        number += 1
        free = f"{name.removesuffix('.md')}.{number}.md"
    return free
