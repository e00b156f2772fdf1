"""Why an attempt failed, how often it is worth another one, and what the owner can do: from a status, or an error in a stream."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from models.streams import sample, scrub
from text import pattern

RETRIES = 4
MAX_WAIT_SECONDS = 60.0
TABLES = Path(__file__).parents[2] / "assets" / "models"
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_FATAL = pattern(
    r"\b(400|401|403|404)\b|invalid|context_length|insufficient_quota|not_found|authentication|tool_use_failed"
)
_IN_WORDS = pattern(r"(?:try again in|retry in|retryDelay\"?:)\s*\"?([\d.]+)\s*(ms|s|m)\b", re.I)
_DURATION = pattern(r"([\d.]+)(ms|s|m|h)")
_OTHER_HINT = "Check this model's entry in config.yaml."


class Failure(Exception):
    """One attempt failed: what the endpoint said, how many retries such a failure is worth, what the owner can do,
    how many seconds the endpoint asks to wait, its status (0 without one), body, and cause (assets/models/causes.json)."""

    def __init__(
        self,
        reason: str,
        retries: int = RETRIES,
        *,
        hint: str = "",
        after: float | None = None,
        status: int = 0,
        body: bytes = b"",
        cause: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason, self.retries, self.hint = reason, retries, hint
        self.after, self.status, self.body, self.cause = after, status, body, cause

    @property
    def words(self) -> str:
        """All that the endpoint said."""
        return _readable(self.body) or self.reason

    @property
    def error(self) -> dict[str, Any]:
        """The error object of the body; empty where there is none."""
        said = parsed(self.body)
        found = said.get("error", said) if isinstance(said, dict) else {}
        return found if isinstance(found, dict) else {}


def of_status(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """The failure that a status other than 200 is."""
    words = _words_of_body(body, status) or "no reason given"
    reason = words if words.startswith(str(status)) else f"{status}: {words}"
    if status < 400:
        reason = f"{status}: it redirects to {sample(headers.get('location', 'nowhere'))}"
    row = _row(status, _readable(body))
    retries = RETRIES if row.get("retries", status >= 500) else 0
    if headers.get("x-should-retry") == "false":
        retries = 0
    after = _after(headers, body) if retries else None
    hint, cause = row.get("hint", _OTHER_HINT), row.get("cause", "")
    return Failure(reason, retries, hint=hint, after=after, status=status, body=body, cause=cause)


def in_stream(chunk: dict[str, Any]) -> Failure | None:
    """The failure that an object of a stream is; None for all others."""
    if chunk.get("type") == "response.failed" and isinstance(chunk.get("response"), dict):
        chunk = chunk["response"]
    is_error = chunk.get("object") == "error" or chunk.get("type") == "error"
    error = chunk.get("error") or (chunk if is_error else None)
    if not error:
        return None
    kind = ""
    if isinstance(error, dict):
        kind = " ".join(str(error.get(key, "")) for key in ("code", "type", "status"))
    body = json.dumps({"error": error}, ensure_ascii=False).encode("utf-8", "replace")
    row = _row(0, body.decode())
    is_final = bool(_FATAL.search(kind)) or not row.get("retries", True)
    hint, cause = row.get("hint", ""), row.get("cause", "")
    return Failure(
        error_words(error), 0 if is_final else RETRIES, hint=hint, body=body, cause=cause
    )


def error_words(error: object, status: int = 0) -> str:
    """The endpoint's own words from an error object, on one line: its message, then of code and type what neither the
    message nor the status has said."""
    if not isinstance(error, dict):
        return sample(scrub(str(error)))
    message: Any = error.get("message") or error.get("detail") or error
    message = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    names = {
        str(error[key])
        for key in ("code", "type")
        if isinstance(error.get(key), str | int) and error[key]
    }
    upstream = error.get("metadata")
    raw = upstream.get("raw") if isinstance(upstream, dict) else None
    message += f": {raw}" if isinstance(raw, str) else ""
    new = sorted(name for name in names if name != str(status) and name not in message)
    return sample(scrub(message)) + (f" ({', '.join(new)})" if new else "")


def parsed(body: bytes) -> Any:
    """The JSON of a body, out of the list that one provider wraps it in; None where it is no JSON."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return said[0] if isinstance(said, list) and said else said


def _readable(body: bytes) -> str:
    """A body as text, the letters of its JSON not escaped."""
    said = parsed(body)
    text = body.decode("utf-8", "replace") if said is None else json.dumps(said, ensure_ascii=False)
    return scrub(text)


@cache
def _causes() -> list[tuple[frozenset[int], re.Pattern[str], dict[str, Any]]]:
    rows = json.loads((TABLES / "causes.json").read_text("utf-8"))["causes"]
    return [
        (frozenset(row.get("status", ())), re.compile(row["words"], re.I | re.S), row)
        for row in rows
    ]


def _row(status: int, words: str) -> dict[str, Any]:
    """The row of the table that fits; without a status only a row that is told by its words."""
    for statuses, pattern_, row in _causes():
        is_told = status in statuses if status else bool(row["words"])
        if (is_told or not statuses) and pattern_.search(words):
            return row
    return {}


def _words_of_body(body: bytes, status: int) -> str:
    said = parsed(body)
    if not isinstance(said, dict):
        return sample(body)
    return error_words(said.get("error") or said, status)


def _after(headers: Mapping[str, str], body: bytes) -> float | None:
    """The seconds that the endpoint asks to wait, at most MAX_WAIT_SECONDS; None when it does not say."""
    found = _retry_after(headers)
    if found is None:
        found = _until_reset(headers)
    if found is None and (match := _IN_WORDS.search(body.decode("utf-8", "replace"))):
        found = float(match[1].rstrip(".")) * _UNITS[match[2].lower()]
    return None if found is None else min(max(found, 0.0), MAX_WAIT_SECONDS)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(header, "")) * unit
        except ValueError:
            continue
        if seconds >= 0:  # also leaves out NaN
            return seconds
    return _seconds_to(headers.get("retry-after", ""))


def _until_reset(headers: Mapping[str, str]) -> float | None:
    """When a limit of which nothing remains begins anew: `6m0s`, or a time."""
    waits = [
        _reset_seconds(headers.get(name.replace("remaining", "reset"), ""))
        if name.startswith("x-ratelimit")
        else _reset_seconds(headers.get(name.removesuffix("remaining") + "reset", ""))
        for name, left in headers.items()
        if "ratelimit" in name and "remaining" in name and left.strip() == "0"
    ]
    known = [wait for wait in waits if wait is not None]
    return max(known) if known else None


def _reset_seconds(written: str) -> float | None:
    parts = _DURATION.findall(written)
    is_duration = "".join(number + unit for number, unit in parts) == written
    if parts and is_duration:
        return sum(float(number) * _UNITS[unit] for number, unit in parts)
    return _seconds_to(written)


def _seconds_to(written: str) -> float | None:
    """The seconds to a date of HTTP or ISO 8601."""
    from datetime import datetime

    for read in (email.utils.parsedate_to_datetime, datetime.fromisoformat):
        try:
            return read(written).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError, OSError):
            continue
    return None
