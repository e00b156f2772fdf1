"""Take back the last change that the agent made to the memory: a fact, a digest, or a note.

What was changed since stays: facts are taken out and put back one by one, of a text git merges the
way back. What cannot be told apart any more is left as it is, and said. Source: docs/memory.md.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from memory.change import Texts, changing, store
from memory.facts import Fact
from memory.facts.lines import FACTS, INDEX, parse
from memory.facts.store import SUBJECT as FACT
from memory.facts.store import FactConflict, texts_of
from memory.history import Commit, Repository, RepositoryError

DIGEST, NOTE = "digest:", "note:"  # how the messages of other changes begin
UNDOES = "Sopwith-Undoes"


def undo(home: Path) -> str:
    """Take back the last change, as a new one; return its first line. Raises FactConflict when
    there is none, or when it cannot be taken out of what stands there now, RepositoryError,
    OSError."""
    with changing(home) as history:
        if history.problem:
            raise RepositoryError(history.problem)
        commit = newest(history)
        if commit is None:
            raise FactConflict(
                "there is no change of the agent's to take back.\nSee: sopwith memory show"
            )
        texts = _taken_back(history, commit)
        store(history, texts, f"undo: {commit.subject}\n\n{UNDOES}: {commit.id}\n")
        return commit.subject


def newest(history: Repository) -> Commit | None:
    """Return the last change, as far as nobody has taken it back."""
    commits = history.log()
    lines = (line for each in commits for line in each.message.splitlines())
    undone = {line.partition(": ")[2] for line in lines if line.startswith(UNDOES)}
    for commit in commits:
        is_change = commit.subject.startswith((DIGEST, NOTE, FACT))
        if is_change and UNDOES not in commit.message and commit.id not in undone:
            return commit
    return None


def _taken_back(history: Repository, commit: Commit) -> Texts:
    (name, *_) = [path for path in history.changed(commit.id) if path != INDEX]
    place = history.home / name
    here = place.read_bytes() if place.is_file() else b""
    after = history.content(commit.id, name) or b""
    before = history.content(f"{commit.id}~1", name)
    if name == FACTS:
        return _without_facts(here, after, before or b"")
    kept = before if here == after else _merged(here, after, before or b"", commit, name)
    return {name: kept.decode("utf-8", "replace") if kept is not None else None}


def _without_facts(here: bytes, after: bytes, before: bytes) -> Texts:
    now, then, earlier = (_facts(text) for text in (here, after, before))
    stays = [fact for line, fact in now.items() if line in earlier or line not in then]
    ids = {fact.id for fact in stays}
    gone = [fact for line, fact in earlier.items() if line not in then]
    return texts_of([*stays, *(fact for fact in gone if fact.id not in ids)])


def _facts(text: bytes) -> dict[str, Fact]:
    return {fact.line(): fact for fact in parse(text.decode("utf-8", "replace"))}


def _merged(here: bytes, after: bytes, before: bytes, commit: Commit, name: str) -> bytes:
    """Return what is here, without the way from `before` to `after`. Raises FactConflict where both
    changed a line."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("here", "after", "before")]
        for file, data in zip(files, (here, after, before), strict=True):
            file.write_bytes(data)
        command = ["git", "merge-file", "-p", *map(str, files)]
        done = subprocess.run(command, capture_output=True, check=False, cwd=folder)
    if done.returncode:
        raise FactConflict("error.undo.changed-since-same-place", name=name, subject=commit.subject)
    return done.stdout
