"""Where the last turns of sessions are kept: a ring in this process, a list in Redis. Each does the
same by its means.

    mem:l1:{user}:{session}     the Redis list: JSON, the newest last; trimmed and given a new time
                                to live by each write

Source: seed 003 P2.1 to P2.3.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib import import_module
from typing import Any

from memory.home import Session
from memory.journal.turns import Turn
from safety.secrets import Redactor

MAX_TURNS = 40  # of a session
MAX_SESSIONS = 256  # in this process
TTL_SECONDS = 24 * 3600.0
SOCKET_SECONDS = 0.5  # to connect, and for an answer
MISSING = "the Redis client is not installed. Install it with: scripts/setup --extra redis"


class WindowDown(Exception):
    """A place for turns cannot be used now; the text says why. Never shown as an error: there is
    another place."""


class Ring:
    """The last turns in this process. Threads may share it."""

    def __init__(self, max_turns: int = MAX_TURNS, ttl_seconds: float = TTL_SECONDS) -> None:
        self._max, self._ttl = max_turns, ttl_seconds
        self._turns: OrderedDict[str, tuple[float, deque[Turn]]] = OrderedDict()
        self._lock = threading.Lock()

    def push(self, session: Session, turns: Sequence[Turn]) -> int:
        """Put turns at the end."""
        with self._lock:
            kept = self._kept(session)
            kept.extend(turns)
            self._turns[session.name] = time.monotonic(), kept
            self._turns.move_to_end(session.name)
            while len(self._turns) > MAX_SESSIONS:
                self._turns.popitem(last=False)
            return len(kept)

    def last(self, session: Session, count: int) -> list[Turn]:
        """Return the last turns."""
        with self._lock:
            return list(self._kept(session))[-count:] if count > 0 else []

    def sessions(self) -> list[Session]:
        """Return those of which there is something."""
        with self._lock:
            return [Session.parse(name) for name in self._turns]

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _kept(self, session: Session) -> deque[Turn]:
        found = self._turns.get(session.name)
        if found is None or time.monotonic() - found[0] >= self._ttl:
            return deque(maxlen=self._max)
        return found[1]


class RedisList:
    """The last turns in Redis. For one thread. `user` sets owners and homes apart that share one
    Redis."""

    def __init__(
        self, url: str, user: str, max_turns: int = MAX_TURNS, ttl_seconds: float = TTL_SECONDS
    ) -> None:
        self._url, self._user, self._max, self._ttl = url, user, max_turns, ttl_seconds
        self._client: Any = None

    def push(self, session: Session, turns: Sequence[Turn]) -> int:
        """Push, trim, and set the time to live, in one pipeline."""
        with self._asked() as client, client.pipeline(transaction=True) as pipeline:
            key = self.key(session)
            pipeline.rpush(key, *(_packed(turn, session) for turn in turns))
            pipeline.ltrim(key, -self._max, -1)
            pipeline.pexpire(key, round(self._ttl * 1000))
            return min(int(pipeline.execute()[0]), self._max)

    def last(self, session: Session, count: int) -> list[Turn]:
        """Return the last turns; what is no turn of this session is passed over."""
        with self._asked() as client:
            packed = client.lrange(self.key(session), -count, -1) if count > 0 else []
        return [turn for each in packed if (turn := _unpacked(each, session))]

    def ping(self) -> None:
        """Raise WindowDown when Redis does not answer."""
        with self._asked() as client:
            client.ping()

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def key(self, session: Session) -> str:
        """Return the name of the session's list."""
        return f"mem:l1:{self._user}:{session.name}"

    @contextlib.contextmanager
    def _asked(self) -> Iterator[Any]:
        try:
            redis, backoff, retry = (
                import_module(f"redis{part}") for part in ("", ".backoff", ".retry")
            )
        except ImportError as error:
            raise WindowDown(MISSING) from error
        except RuntimeError as error:  # the process is at its end, and begins nothing more
            raise WindowDown(str(error)) from error
        try:
            if self._client is None:
                # by default it tries a refused port for four seconds
                self._client = redis.Redis.from_url(
                    self._url,
                    socket_timeout=SOCKET_SECONDS,
                    socket_connect_timeout=SOCKET_SECONDS,
                    health_check_interval=15,
                    retry=retry.Retry(backoff.NoBackoff(), 0),
                )
            yield self._client
        except (
            redis.RedisError,
            OSError,
            ValueError,
        ) as error:  # ValueError: an address that is none
            said = str(error).partition("\n")[0] or type(error).__name__
            raise WindowDown(Redactor({"redis url": self._url})(said)) from error


def problem_of(url: str) -> str:
    """Return why Redis cannot be used at an address, in one line; "" when it can. Takes a second at
    most."""
    place = RedisList(url, "doctor")
    try:
        place.ping()
    except WindowDown as down:
        return str(down)
    finally:
        place.close()
    return ""


def _packed(turn: Turn, session: Session) -> str:
    said = {
        "id": turn.id,
        "session": session.name,
        "who": turn.who,
        "text": turn.text,
        "at": turn.at.isoformat(),
    }
    return json.dumps({**said, "timezone": turn.timezone, "run": turn.run})


def _unpacked(packed: bytes, session: Session) -> Turn | None:
    """Return the turn; None for what is no turn of this session: anybody may write into a Redis."""
    try:
        said = json.loads(packed)
        if said["session"] != session.name:
            return None
        fields = {name: said[name] for name in ("id", "session", "who", "text", "timezone", "run")}
        at = datetime.fromisoformat(said["at"])
        return (
            Turn(**fields, at=at)
            if at.tzinfo and all(isinstance(each, str) for each in fields.values())
            else None
        )
    except (ValueError, KeyError, TypeError):
        return None
