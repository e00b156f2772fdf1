"""The shapes of the context (seed 004 §1), and what must hold for them (§4). Needs pydantic: imported at use only.

A shape that breaks a rule cannot be made: pydantic raises ValidationError, which names the field.
"""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

MAX_DAILY_NOTES = 2  # today's and yesterday's


class SessionType(StrEnum):
    """With whom: the owner alone, or a group. What is not known is a group."""

    MAIN = "main"
    SHARED = "shared"

    @classmethod
    def _missing_(cls, value: object) -> SessionType:
        return cls.SHARED


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class AgentContext(_Shape):
    """All that the workspace files say to one run. In a shared session nothing of OWNER.md, MEMORY.md or yesterday."""

    session_id: str = Field(min_length=1)
    session_type: SessionType
    created_at: datetime
    today: date  # the day that counts as today
    agents_content: str | None = None
    spirit_content: str | None = None
    owner_content: str | None = None
    memory_content: str | None = None
    tools_content: str | None = None
    # pydantic copies a default; of the factory `list` it would read the signature first, which takes 5 ms
    daily_memories: list[str] = Field(default=[], max_length=MAX_DAILY_NOTES)  # today's first
    daily_dates: list[date] = []  # whose notes these are
    loaded_files: list[str] = []
    load_time_ms: int = Field(default=0, ge=0)
    version: str = ""  # the same texts, the same version

    @model_validator(mode="after")
    def _shared_shows_nothing_of_the_owner(self) -> AgentContext:
        if len(self.daily_memories) != len(self.daily_dates):
            raise ValueError("daily_memories and daily_dates belong together, one by one")
        if set(self.daily_dates) - {self.today, self.today - timedelta(days=1)}:
            raise ValueError("daily notes are those of today and yesterday")
        if self.session_type is not SessionType.SHARED:
            return self
        if self.memory_content is not None:
            raise ValueError("MEMORY.md has no place in a shared session")
        if self.owner_content is not None:
            raise ValueError("OWNER.md has no place in a shared session")
        if set(self.daily_dates) - {self.today}:
            raise ValueError("a shared session has the notes of today alone")
        if private := {"OWNER.md", "MEMORY.md"} & set(self.loaded_files):
            raise ValueError(f"a shared session has loaded {', '.join(sorted(private))}")
        return self


class FileLoadResult(_Shape):
    """How loading one file went. `file_path` is relative to the home folder; a success may have an `error` too: what was
    wrong, although there is a content (an older copy, a part)."""

    file_path: str
    success: bool
    content: str | None = None
    error: str | None = None
    loaded_at: datetime
    from_cache: bool = False
    is_default: bool = False

    @model_validator(mode="after")
    def _says_what_came_of_it(self) -> FileLoadResult:
        if self.success and self.content is None:
            raise ValueError("a success has a content")
        if not self.success and (self.content is not None or not self.error):
            raise ValueError("a failure has an error and no content")
        if self.from_cache and not self.error:
            raise ValueError("an older copy is used for a reason, and the reason is said")
        return self


class ContextFile(_Shape):
    """A workspace file: where it is, who may have it, and when it is loaded (1 is first)."""

    name: str
    path: str  # relative to the home folder
    home: Path = Field(exclude=True, repr=False)
    required: bool
    main_session_only: bool
    load_order: int = Field(ge=1)
    default_template: str | None = None

    @model_validator(mode="after")
    def _stays_inside_the_home(self) -> ContextFile:
        try:
            place, home = (self.home / self.path).resolve(), self.home.resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise ValueError(f"{self.path!r} leads nowhere: {error}") from error
        if not place.is_relative_to(home) or place == home:
            raise ValueError(f"{self.path!r} leads out of the home folder")
        return self


class MemoryEntry(_Shape):
    """One entry of MEMORY.md."""

    id: str = Field(default_factory=lambda: str(uuid.uuid4()))
    content: str
    source_date: date | None = None  # of the daily note that it comes from
    importance: int = Field(default=3, ge=1, le=5)
    category: str = Field(min_length=1)
    created_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    updated_at: datetime = Field(default_factory=lambda: datetime.now(UTC))

    @field_validator("id")
    @classmethod
    def _is_a_uuid(cls, value: str) -> str:
        return str(uuid.UUID(value))

    @field_validator("content")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a memory says something")
        return value.strip()

    @model_validator(mode="after")
    def _is_not_changed_before_it_is_made(self) -> MemoryEntry:
        if self.updated_at < self.created_at:
            raise ValueError("updated_at lies before created_at")
        return self
