"""L1, the window: the last turns of a session, in Redis for all processes, and in this process when
Redis is not there.

Redis is never the only copy: the run logs hold every turn, and what neither Redis nor this process
knows is read there. What is said is written by the thread of runs/start/spoken.py, so no run waits
for Redis; a reader waits a second at most. A session's turns are its own. Source: seed 003 P2;
figures "Staying alive".
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from config import SopwithError
from memory.home import Session
from memory.journal.turns import Turn
from memory.logs import read_events, run_ids
from memory.window.places import MAX_TURNS, TTL_SECONDS, RedisList, Ring
from memory.window.shared import SharedWindow
from models.base import Event
from safety.secrets import Redactor

MAX_TEXT_CHARS = 4_000  # of a turn
_NAMED = re.compile(r"([^\s:][^:\n]*): (.*)")
_OURS = ("owner", "agent")
NOT_SAID = (
    "verifies",
    "teaches",
    "bounds",
)  # of the first event of runs in which nobody talks with the owner
MAX_RUNS_READ = 100  # of all sessions, when the run logs are asked


class Window:
    """The last turns of the sessions of one home folder. Any thread may ask; `url` "" means no
    Redis.

    Texts are redacted before they are kept anywhere.
    """

    def __init__(
        self,
        home: Path,
        url: str = "",
        *,
        redact: Callable[[str], str] | None = None,
        max_turns: int = MAX_TURNS,
        ttl_seconds: float = TTL_SECONDS,
    ) -> None:
        self._home, self._max, self._ttl = home, max_turns, ttl_seconds
        self._redact = redact or Redactor({})
        self._ring = Ring(max_turns, ttl_seconds)
        self._shared = (
            SharedWindow(RedisList(url, user_of(home), max_turns, ttl_seconds), self._ring)
            if url
            else None
        )

    def add(self, session: Session, turn: Turn) -> None:
        """Keep a turn, here and in Redis."""
        kept = turn._replace(text=self._redact(turn.text)[:MAX_TEXT_CHARS], session=session.name)
        self._ring.push(session, [kept])
        if self._shared is not None:
            self._shared.send(session, kept)

    def hear(self, session: Session, event: Event) -> None:
        """Keep what an event of a run says, if it says something; the run's log must have it
        already."""
        for turn in turns_of(event["run"], session, [event]):
            self.add(session, turn)

    def recent(self, session: Session, count: int, *, without: Iterable[str] = ()) -> list[Turn]:
        """Return the last `count` turns of a session, the newest last; none of the runs `without`,
        none older than the time to live. Raises nothing."""
        left_out = set(without)
        found = [turn for turn in self._known(session) if turn.run not in left_out]
        runs = {turn.run for turn in found} if len(found) >= count else set()
        said = {(turn.run, turn.who, turn.text) for turn in found}
        for turn in self._logged(session, count, left_out, runs):
            if (turn.run, turn.who, turn.text) not in said:
                found.append(turn)
        oldest = datetime.now(UTC) - timedelta(seconds=self._ttl)
        fresh = [turn for turn in found if turn.at >= oldest]
        return sorted(fresh, key=lambda turn: turn.at)[-count:]

    def _known(self, session: Session) -> Iterable[Turn]:
        known = {turn.id: turn for turn in self._ring.last(session, self._max)}
        if self._shared is not None:
            known = {turn.id: turn for turn in self._shared.last(session, self._max)} | known
        return known.values()

    @property
    def is_shared(self) -> bool:
        """Tell whether Redis answers."""
        return self._shared is not None and self._shared.is_up

    def flush(self) -> bool:
        """Send what waits for Redis; False when it is down."""
        return self._shared is None or self._shared.flush()

    def close(self) -> None:
        """Send what waits, if Redis answers, and let go of it."""
        if self._shared is not None:
            self._shared.close()

    def _logged(
        self, session: Session, count: int, left_out: set[str], known: set[str]
    ) -> list[Turn]:
        """Return the last turns from the run logs, back to the newest run that is `known`. A run of
        another session is not read beyond its first line."""
        found: list[Turn] = []
        for run in run_ids(self._home, archived=False)[:MAX_RUNS_READ]:
            if run not in left_out:
                found = [*self._turns_of(run, session), *found]
            if len(found) >= count or run in known:
                break
        return found

    def _turns_of(self, run: str, session: Session) -> list[Turn]:
        events = read_events(self._home, run)
        try:
            opening = next(events, None)
            if not isinstance(opening, dict) or any(opening.get(key) for key in NOT_SAID):
                return []
            if Session.parse(opening.get("session")) != session:
                return []
            said = [opening, *events]
            return [
                turn._replace(text=self._redact(turn.text)[:MAX_TEXT_CHARS])
                for turn in turns_of(run, session, said)
            ]
        except (SopwithError, KeyError, TypeError, ValueError):  # a damaged log tells nothing
            return []


def turns_of(run: str, session: Session, events: Iterable[Event]) -> Iterator[Turn]:
    """Yield what was said in a run: by the owner, or the group, and by the agent to them."""
    asks = "owner" if session.is_main else session.name
    for event in events:
        kind = event["type"]
        if kind == "run_started":
            who, text = asks, event["task"]
        elif kind in ("steered", "answered"):
            who, text = asks, event["text"]
        elif kind == "asked":
            who, text = "agent", event["question"]
        elif kind == "run_ended" and event["status"] == "done":
            who, text = "agent", event["result"]
        else:
            continue
        if isinstance(text, str) and text.strip():
            at = datetime.fromisoformat(event["at"])
            yield Turn(f"{run}/{kind}/{event['at']}", session.name, who, text, at, run=run)


def user_of(home: Path) -> str:
    """Return whose window it is: the login name and the home folder."""
    from getpass import getuser  # which loads the terminal's functions

    try:
        name = getuser()
    except (KeyError, OSError):  # a user without an entry, as in containers
        name = str(os.getuid())
    return f"{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}-{hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:8]}"


def speakers(text: str, session: Session, *, is_named: bool) -> Iterator[tuple[str, str]]:
    """Yield what was said to the agent, by whom. `is_named`: each message of the text begins with a
    name and a colon, and its further lines are set in, as channels write it
    (ui/channels/letters.py); without names the group itself speaks."""
    if session.is_main:
        yield "owner", text
        return
    if not is_named:
        yield session.name, text
        return
    said: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        found = _NAMED.fullmatch(line)
        if found:
            said.append((_other_than_ours(found[1].strip()), [found[2]]))
        elif said:
            said[-1][1].append(line.removeprefix("    "))
        else:
            said.append((session.name, [line]))
    yield from ((who, "\n".join(lines)) for who, lines in said)


def _other_than_ours(name: str) -> str:
    """Return the name, changed where somebody calls themselves owner or agent."""
    return f"“{name}”" if name.casefold() in _OURS else name
