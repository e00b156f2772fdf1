"""The shapes of the context (seed 004 §1), and what must hold for them (§4): one that breaks a rule
raises ValueError."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Literal

PRIVATE = {"OWNER.md", "MEMORY.md"}  # of the owner alone


@dataclass(frozen=True)
class AgentContext:
    """All that the workspace files say to one run. In a shared session nothing of OWNER.md,
    MEMORY.md or yesterday."""

    session_id: str
    session_type: Literal["main", "shared"]
    created_at: datetime
    today: date  # the day that counts as today
    agents_content: str | None = None
    spirit_content: str | None = None
    owner_content: str | None = None
    memory_content: str | None = None
    tools_content: str | None = None
    daily_memories: list[str] = field(default_factory=list)  # today's first
    daily_dates: list[date] = field(default_factory=list)  # whose notes these are
    loaded_files: list[str] = field(default_factory=list)
    load_time_ms: int = 0
    version: str = ""  # the same texts, the same version

    def __post_init__(self) -> None:
        is_main = self.session_type == "main"
        days = {self.today, self.today - timedelta(days=1)} if is_main else {self.today}
        if len(self.daily_memories) != len(set(self.daily_dates)):
            raise ValueError("daily_memories and daily_dates belong together, one by one")
        if set(self.daily_dates) - days:
            raise ValueError("daily notes are those of today, and of yesterday for the owner alone")
        if is_main:
            return
        if (self.memory_content, self.owner_content) != (None, None):
            raise ValueError("MEMORY.md and OWNER.md have no place in a shared session")
        if private := PRIVATE & set(self.loaded_files):
            raise ValueError(f"a shared session has loaded {', '.join(sorted(private))}")


@dataclass(frozen=True)
class FileLoadResult:
    """How loading one file went. `file_path` is relative to the home folder; a success may have an
    `error` too: what was wrong, although there is a content (an older copy, a part)."""

    file_path: str
    success: bool
    content: str | None
    error: str | None
    loaded_at: datetime
    from_cache: bool = False
    is_default: bool = False


@dataclass(frozen=True)
class MemoryEntry:
    """One entry of MEMORY.md."""

    id: str  # a UUID
    content: str
    source_date: date | None  # of the daily note that it comes from
    importance: int  # 1 to 5
    category: str
    created_at: datetime
    updated_at: datetime

    def __post_init__(self) -> None:
        if not self.content.strip():
            raise ValueError("a memory says something")
        if not 1 <= self.importance <= 5:
            raise ValueError("importance goes from 1 to 5")
        if self.updated_at < self.created_at:
            raise ValueError("updated_at lies before created_at")

    def said(self) -> dict[str, str | int | None]:
        """Return it for JSON, its times in ISO 8601."""
        values = asdict(self).items()
        return {key: each.isoformat() if isinstance(each, date) else each for key, each in values}
