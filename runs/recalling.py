"""What a session's runs recall: a few lines when a run begins, and what the tool `recall` asks for later.

At a run's start nobody waits for a model to load, so recall goes by words there, and is silent unless much of the request
was spoken of before. A shared session gets an index that knows its own turns only. Source: seed 000 stage 2; seed 003
P4.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from config import EmbeddingsConfig, SopwithError
from memory.sessions import MAIN, Session

if TYPE_CHECKING:
    from memory.journal_store import Store
    from models.embeddings import Embedder

AT_START = 6  # turns
START_CHARS = 3000
ASKED = 12
ASKED_CHARS = 9000


class Recalling:
    """For the runs of one session in the home folder."""

    def __init__(self, home: Path, session: Session, embeddings: EmbeddingsConfig | None) -> None:
        self._path = home / "journal" / "memory.sqlite3"
        self._only = None if session == MAIN else session.name
        self._config = embeddings
        self._embedder: Embedder | None = None

    def at_start(self, request: str) -> Sequence[str]:
        """What was said before that a request is about; most often nothing."""
        from memory import recall

        store = self._opened()
        if store is None:
            return ()
        try:
            found = recall.relevant(store, request, datetime.now(UTC), AT_START)
            return recall.context_lines(found, START_CHARS)
        except SopwithError:  # without its memory a run goes on
            return ()
        finally:
            store.close()

    def asked(self, query: str) -> tuple[list[str], list[str]]:
        """What answers a question, as lines by talk and time, and what could not be used."""
        from memory import recall
        from models.embeddings import embedder

        store = self._opened()
        if store is None:
            return [], []
        try:
            self._embedder = self._embedder or embedder(self._config)
            now = datetime.now().astimezone()
            found, degraded = recall.search(store, query, now, ASKED, embedder=self._embedder)
            lines = recall.context_lines(found, ASKED_CHARS)
        except SopwithError:
            return [], ["index"]
        finally:
            store.close()
        recall.mark_read(self._path, self._only, found, now)
        return lines, degraded

    def _opened(self) -> Store | None:
        from memory.journal_store import Store

        if not self._path.is_file():
            return None
        try:
            return Store(self._path, readonly=True, only=self._only)
        except SopwithError:
            return None
