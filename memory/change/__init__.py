"""Change files of the memory and record it: all of them and the commit, or nothing; the next change
finishes what a crash left.

What is to be written stands in `memory/.change.json` first. The first file decides: once it holds
the new text, the rest is written and committed; until then the change has not happened. Facts,
notes and MEMORY.md all change through here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memory.files import write_atomic
from memory.history import Repository
from memory.history.repository import is_covered

PENDING = "memory/.change.json"
Texts = Mapping[str, str | None]  # path in the home folder → its text; None: no such file


@contextmanager
def changing(home: Path) -> Iterator[Repository]:
    """Take the turn, and finish what a crash left. Raises OSError, RepositoryError."""
    (home / "memory").mkdir(mode=0o700, parents=True, exist_ok=True)
    history = Repository(home)
    with history.locked():
        _finish(history)
        yield history


def store(history: Repository, texts: Texts, message: str) -> None:
    """Write the files, the one that decides first, and commit those that the history covers.

    What the owner edited by hand goes before, as a commit of its own. Raises OSError and leaves all
    as it was; RepositoryError: the files are written, and the next change commits them.
    """
    home = history.home
    history.commit_hand_edits([path for path in texts if is_covered(path)])
    pending = {"message": message, "files": dict(texts)}
    write_atomic(home / PENDING, json.dumps(pending), mode=0o600)
    first, *_ = texts
    try:
        _put(home / first, texts[first])
    except OSError:
        (home / PENDING).unlink(missing_ok=True)
        raise
    _complete(history, texts, message)


def is_unfinished(home: Path) -> bool:
    """Return True if a change was interrupted and nothing has changed since."""
    return (home / PENDING).exists()


def _finish(history: Repository) -> None:
    if not is_unfinished(history.home):
        return
    with suppress(ValueError, KeyError, TypeError, AttributeError):  # torn: it had not begun
        pending = json.loads((history.home / PENDING).read_bytes())
        _complete_begun(history, pending)
    (history.home / PENDING).unlink(missing_ok=True)


def _complete_begun(history: Repository, pending: dict[str, Any]) -> None:
    first, text = next(iter(pending["files"].items()))
    if _read(history.home / first) == _data(text):
        _complete(history, pending["files"], pending["message"])


def _complete(history: Repository, texts: Texts, message: str) -> None:
    for path, text in texts.items():
        if _read(history.home / path) != _data(text):
            _put(history.home / path, text)
    history.commit([path for path in texts if is_covered(path)], message)
    (history.home / PENDING).unlink(missing_ok=True)


def _data(text: str | None) -> bytes | None:
    return text.encode("utf-8", "replace") if text is not None else None


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _put(path: Path, text: str | None) -> None:
    data = _data(text)
    if data is None:
        path.unlink(missing_ok=True)
    else:
        write_atomic(path, data, mode=None if path.exists() else 0o600)
