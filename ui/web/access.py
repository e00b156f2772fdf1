"""Decide who may do what on the page: the address that it is known by, the token of this start, the
browsers that have shown it, the tokens of programs.

Holders are kept in `web/access.json` of the home folder as hashes, so a browser stays signed in
when the server is started again; what lies there lets nobody in. Source: seed 003 P5.6.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
import time
from collections import deque
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from config import SopwithError
from memory.files import write_atomic

LOCAL = "127.0.0.1"
HTTP_PORT = 80
WRONG_A_MINUTE = 5
BROWSER_DAYS = 60
MAX_BROWSERS = 50


@dataclass(frozen=True)
class Place:
    """Where the server listens: the names that a browser may know it by, each with its port."""

    name: str  # the one that addresses carry
    hosts: frozenset[str]
    port: int

    @classmethod
    def at(cls, port: int) -> Place:
        """Return the place of a port of this machine."""
        names = {f"{name}:{port}" for name in (LOCAL, "localhost", "[::1]")}
        bare = {LOCAL, "localhost", "[::1]"} if port == HTTP_PORT else set()
        return cls(f"{LOCAL}:{port}", frozenset(names | bare), port)

    @property
    def origins(self) -> frozenset[str]:
        """Return the origins of our own pages."""
        return frozenset(f"http://{host}" for host in self.hosts)

    @property
    def cookie(self) -> str:
        """Return a cookie name of this server alone: ports share cookies."""
        return f"sopwith_{self.port}"


class NotSignedIn(SopwithError):
    """The token is not the right one."""


class TooManyTries(SopwithError):
    """It was wrong too often in the last minute."""


@dataclass(slots=True)
class Holder:
    """A browser or a program that may come in. `may_change`: it may do more than read. `id` names
    it and lets nobody in."""

    id: str
    kind: str  # browser or program
    made: str  # UTC, ISO 8601
    name: str = ""
    may_change: bool = False


@dataclass(slots=True)
class Access:
    """The holders of one home folder."""

    folder: Path
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _holders: dict[str, Holder] = field(default_factory=dict)
    _wrong: deque[float] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        try:
            kept = json.loads(self._file.read_text("utf-8"))
            holders = {name: Holder(**given) for name, given in kept.items()}
            oldest = time.time() - BROWSER_DAYS * 86_400
            self._holders = {
                name: holder
                for name, holder in holders.items()
                if datetime.fromisoformat(holder.made).timestamp() >= oldest
                or holder.kind != "browser"
            }
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, AttributeError):  # damaged: everybody signs in anew
            self._holders = {}

    def sign_in(self, given: str) -> str:
        """Return the value of the cookie for a browser that shows the token. Raises NotSignedIn,
        TooManyTries."""
        with self._lock:
            now = time.monotonic()
            while self._wrong and self._wrong[0] < now - 60:
                self._wrong.popleft()
            if len(self._wrong) >= WRONG_A_MINUTE:
                raise TooManyTries("error.ui-web.wrong-too-often")
            if not hmac.compare_digest(_hash(given), _hash(self.token)):
                self._wrong.append(now)
                raise NotSignedIn("error.ui-web.right-one")
            browsers = [name for name, holder in self._holders.items() if holder.kind == "browser"]
            for name in browsers[: max(0, len(browsers) - MAX_BROWSERS + 1)]:
                del self._holders[name]
            return self._add(Holder("", "browser", _now()))

    def add_program(self, name: str, *, may_change: bool) -> tuple[str, str]:
        """Return a new token for a program: its id, and the token, which is kept nowhere."""
        with self._lock:
            holder = Holder("", "program", _now(), name, may_change)
            token = self._add(holder)
            return holder.id, token

    def holder(self, secret: str, kind: str) -> Holder | None:
        """Return whom a cookie or a bearer token belongs to."""
        found = self._holders.get(_hash(secret)) if secret else None
        return found if found is not None and found.kind == kind else None

    def programs(self) -> list[Holder]:
        """Return the programs, oldest first."""
        return [holder for holder in self._holders.values() if holder.kind == "program"]

    def set_changes(self, holder: Holder, on: bool) -> None:
        """Turn changes on or off in one browser."""
        with self._lock:
            holder.may_change = on
            self._keep()

    def remove(self, id: str) -> bool:
        """Let a holder in no more; False when there is none with this id."""
        with self._lock:
            names = [name for name, holder in self._holders.items() if holder.id == id]
            for name in names:
                del self._holders[name]
            if names:
                self._keep()
            return bool(names)

    @property
    def _file(self) -> Path:
        return self.folder / "access.json"

    def _add(self, holder: Holder) -> str:
        secret = secrets.token_urlsafe(32)
        holder.id = secrets.token_hex(6)
        self._holders[_hash(secret)] = holder
        self._keep()
        return secret

    def _keep(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = {name: asdict(holder) for name, holder in self._holders.items()}
        write_atomic(self._file, json.dumps(kept, indent=1), mode=0o600)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
