"""The files of the jobs, `schedule/<id>.json`: read when they change, written whole, every change
in the history.

They are written by the owner's hand, by `schedule add`, or by the agent. A broken file is kept,
named with its problem, and stops no other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from config import Message, SopwithError
from memory.files import write_atomic
from runs.schedule.jobs import Broken, Job, JobError, job_of

MAX_BYTES = 100_000


class NoSuchJob(SopwithError):
    """Refuse a name that is no job's."""

    exit_code = 2


class JobFolder:
    """The files of `schedule/`, each read once as long as it does not change."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "schedule"
        self._home = home
        self._read: dict[str, tuple[tuple[int, int, int], Job | Broken]] = {}

    def all(self) -> dict[str, Job | Broken]:
        """Return every file as a job, or as what is wrong with it, by id."""
        found: dict[str, tuple[tuple[int, int, int], Job | Broken]] = {}
        for path in sorted(self.folder.glob("[!.]*.json")):
            with suppress(OSError):
                about, known = path.stat(), self._read.get(path.stem)
                state = (about.st_mtime_ns, about.st_size, about.st_ino)
                if known is None or known[0] != state:
                    known = (state, self._job(path.stem))
                found[path.stem] = known
        self._read = found
        return {id: job for id, (_, job) in found.items()}

    def rules(self) -> dict[str, tuple[str, datetime]]:
        """Return the rule of each job as it was last read, disabled or not, and when its file was
        written."""
        return {
            id: (job.rule, datetime.fromtimestamp(state[0] / 1e9, UTC))
            for id, (state, job) in self._read.items()
            if isinstance(job, Job)
        }

    def one(self, id: str) -> Job | Broken | None:
        """Return one job as its file is now, without a look at the others; None: there is no
        file."""
        return self._job(id) if self._path(id).exists() else None

    def get(self, id: str) -> Job | Broken:
        """Return one job. Raises NoSuchJob with the nearest names."""
        known = self.all()
        if id not in known:
            from difflib import get_close_matches

            near = get_close_matches(id, known, 3, 0.5) or list(known)[:5] or ["none"]
            raise NoSuchJob("error.schedule.job-nearest", id=id, known=", ".join(near))
        return known[id]

    def free(self, name: str) -> str:
        """Return an id like this name that no job has."""
        taken = self.all()
        ids = (name if n == 1 else f"{name}-{n}" for n in count(1))
        return next(each for each in ids if each not in taken)

    def write(self, id: str, fields: Mapping[str, Any], why: str) -> None:
        """Write a job's file whole, and into the history. Raises OSError, RepositoryError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._recorded(id, why, json.dumps(fields, ensure_ascii=False, indent=1) + "\n")

    def change(self, id: str, why: str, **changes: Any) -> None:
        """Set some fields of a job and leave the others as they are; None takes one out."""
        fields = {**json.loads(self._path(id).read_text("utf-8-sig")), **changes}
        self.write(id, {key: value for key, value in fields.items() if value is not None}, why)

    def remove(self, id: str, why: str) -> str | None:
        """Take a job away; the history keeps it. Return the commit; None without git."""
        return self._recorded(id, why, None)

    def _recorded(self, id: str, why: str, text: str | None) -> str | None:
        from memory.history import Repository

        repository, name = Repository(self._home), f"schedule/{id}.json"
        with repository.locked():
            repository.commit_hand_edits([name])
            if text is None:
                self._path(id).unlink(missing_ok=True)
            else:
                write_atomic(self._path(id), text)
            return repository.commit([name], why)

    def _path(self, id: str) -> Path:
        return self.folder / f"{id}.json"

    def _job(self, id: str) -> Job | Broken:
        try:
            if not self._path(id).is_file():
                raise JobError("error.job.no-file")  # a pipe would be waited for
            with self._path(id).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                raise JobError("error.job.too-large", max_bytes=MAX_BYTES)
            fields = json.loads(data.decode("utf-8-sig"))
            if not isinstance(fields, dict):
                raise JobError("error.job.no-object")
            return job_of(id, fields)
        except JobError as error:
            return Broken(id, error.message)
        except (ValueError, RecursionError) as error:
            return Broken(id, Message("error.job.no-json", text=str(error)[:200]))
        except OSError as error:
            return Broken(id, Message("error.job.unread", text=error))
