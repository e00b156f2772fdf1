"""Takes back the last change that the agent made to the memory: a fact, a digest, or a note.

What was changed since stays: a fact is taken out line by line (memory/facts/store.py), of a text git merges the way back. What
cannot be told apart any more is left as it is, and said. Source: docs/memory.md.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from memory.facts.policy import Keeping
from memory.facts.store import UNDOES, FactConflict, FactStore
from memory.home.files import write_atomic
from memory.home.repository import Commit, Content, Repository, RepositoryError
from memory.notes import daily as notes
from memory.notes.digest import MEMORY, SUBJECT, finish

NOTE = "note:"  # how the messages of notes begin
FACTS = "facts:"


def undo(home: Path, keeping: Keeping | None = None) -> str:
    """Takes back the last change, as a new one; gives its first line. Raises FactConflict when there is none, or when it
    cannot be taken out of what stands there now, RepositoryError, OSError."""
    history = Repository(home)
    if history.problem:
        raise RepositoryError(history.problem)
    with history.locked():
        finish(home, history)
        commit = _last_change(history)
        if commit is not None and not commit.subject.startswith(FACTS):
            name = MEMORY if commit.subject.startswith(SUBJECT) else _note_of(home, history, commit)
            _take_back(home, history, commit, name)
            return commit.subject
    return FactStore(home, keeping).undo()  # it knows what to say when there is nothing


def _last_change(history: Repository) -> Commit | None:
    commits = history.log()
    undone = {
        line.partition(": ")[2]
        for each in commits
        for line in each.message.splitlines()
        if line.startswith(UNDOES)
    }
    for commit in commits:
        if (
            commit.subject.startswith((SUBJECT, NOTE, FACTS))
            and UNDOES not in commit.message
            and commit.id not in undone
        ):
            return commit
    return None


def _note_of(home: Path, history: Repository, commit: Commit) -> str:
    """The note that a commit changed."""
    for day in reversed(notes.days(home)):
        name = f"memory/{day.isoformat()}.md"
        if any(each.id == commit.id for each in history.log(name)):
            return name
    raise FactConflict(
        f"the note of that change is not there any more: {commit.subject}\nNothing was changed."
    )


def _take_back(home: Path, history: Repository, commit: Commit, name: str) -> None:
    history.commit_hand_edits([name])
    after, before = history.read(commit.id, name), _before(history, commit, name)
    here = history.on_disk(name).get(name, Content(b"")).data
    merged = before if here == after else _merged(here, after, before or b"")
    if merged is None and here != after:
        raise FactConflict(
            f"{name} was changed since at the same place: {commit.subject}\nTake it back by hand."
        )
    if merged is None:  # there was no such file before
        (home / name).unlink()
    else:
        write_atomic(home / name, merged)
    history.commit([name], f"undo: {commit.subject}\n\n{UNDOES}: {commit.id}\n")


def _before(history: Repository, commit: Commit, name: str) -> bytes | None:
    """The file before a commit; None when there was none: never yet, or since it had been removed."""
    commits = history.log(name)
    at = next(number for number, each in enumerate(commits) if each.id == commit.id)
    earlier = history.files(commits[at + 1].id, name).get("") if at + 1 < len(commits) else None
    return earlier.data if earlier else None


def _merged(here: bytes, after: bytes, before: bytes) -> bytes | None:
    """Return what is here, without the way from `before` to `after`; None when both changed the same lines."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("here", "after", "before")]
        for file, data in zip(files, (here, after, before), strict=True):
            file.write_bytes(data)
        done = subprocess.run(
            ["git", "merge-file", "-p", *files], capture_output=True, check=False, cwd=folder
        )
    return done.stdout if done.returncode == 0 else None
