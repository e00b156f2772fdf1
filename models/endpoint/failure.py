"""Why an attempt failed, how often it is worth another one, and what the owner can do: from a
status, or an error in a stream."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from config import Message, Worded
from models.streams import sample, scrub
from models.streams.typed import record_of, text_of
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


class Failure(Worded):
    """One attempt failed: what the endpoint said, how many retries such a failure is worth, what
    the owner can do (the end of a key of `error.models.hint`), how many seconds the endpoint asks
    to wait, its status (0 without one), body, and cause (assets/models/causes.json)."""

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
        **values: object,
    ) -> None:
        super().__init__(reason, **values)
        self.reason, self.retries, self.hint = self.message, retries, hint
        self.after, self.status, self.body, self.cause = after, status, body, cause

    @property
    def words(self) -> str:
        """Return all that the endpoint said."""
        return _readable(self.body) or self.reason

    @property
    def error(self) -> dict[str, Any]:
        """Return the error object of the body; empty where there is none."""
        said = record_of(parsed(self.body))
        return record_of(said.get("error", said))


def of_status(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """Return the failure that a status other than 200 is."""
    said = parsed(body)
    is_object = isinstance(said, dict)
    words = error_words(said.get("error") or said, status) if is_object else sample(body)
    reason = words if words.startswith(str(status)) else f"{status}: {words}"
    if not words:
        reason = Message("error.models.no-reason", status=status)
    if status < 400:
        place = sample(headers.get("location", "nowhere"))
        reason = Message("error.models.redirects", status=status, place=place)
    row = _row(status, _readable(body))
    retries = RETRIES if row.get("retries", status >= 500) else 0
    if headers.get("x-should-retry") == "false":
        retries = 0
    after = _after(headers, body) if retries else None
    hint, cause = row.get("hint", "entry"), row.get("cause", "")
    return Failure(reason, retries, hint=hint, after=after, status=status, body=body, cause=cause)


def in_stream(chunk: dict[str, Any]) -> Failure | None:
    """Return the failure that an object of a stream is; None for all others."""
    if chunk.get("type") == "response.failed":
        chunk = record_of(chunk.get("response"))
    is_error = "error" in (chunk.get("object"), chunk.get("type"))
    error = chunk.get("error") or (chunk if is_error else None)
    said = record_of(chunk.get("base_resp"))  # MiniMax sends it with status 200
    if said.get("status_code"):
        error = error or {"code": said["status_code"], "message": said.get("status_msg")}
    if not error:
        return None
    kind = " ".join(str(record_of(error).get(key, "")) for key in ("code", "type", "status"))
    body = json.dumps({"error": error}, ensure_ascii=False).encode("utf-8", "replace")
    row = _row(0, body.decode())
    is_final = _FATAL.search(kind) is not None or not row.get("retries", True)
    retries, hint, cause = 0 if is_final else RETRIES, row.get("hint", ""), row.get("cause", "")
    return Failure(error_words(error), retries, hint=hint, body=body, cause=cause)


def error_words(error: object, status: int = 0) -> str:
    """Return the endpoint's own words from an error object, on one line: its message, then of code
    and type what neither the message nor the status has said."""
    if not isinstance(error, dict):
        return sample(scrub(str(error)))
    said: Any = error.get("message") or error.get("detail") or error
    message = text_of(said) or json.dumps(said, ensure_ascii=False)
    if raw := text_of(record_of(error.get("metadata")).get("raw")):
        message += f": {raw}"
    named = {str(error.get(key) or status) for key in ("code", "type")} - {str(status)}
    new = sorted(name for name in named if name not in message)
    return sample(scrub(message)) + f" ({', '.join(new)})" * bool(new)


def parsed(body: bytes) -> Any:
    """Return the JSON of a body, out of the list that one provider wraps it in; None where it is no
    JSON."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return said[0] if isinstance(said, list) and said else said


def _readable(body: bytes) -> str:
    """Return a body as text, the letters of its JSON not escaped."""
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
    """Return the row of the table that fits; without a status only a row that is told by its
    words."""
    for statuses, pattern_, row in _causes():
        is_told = status in statuses if status else bool(row["words"])
        if (is_told or not statuses) and pattern_.search(words):
            return row
    return {}


def _after(headers: Mapping[str, str], body: bytes) -> float | None:
    """Return the seconds that the endpoint asks to wait, at most MAX_WAIT_SECONDS; None when it
    does not say."""
    waits = [*_retry_after(headers)] or [*_until_reset(headers)]
    if not waits:
        told = _IN_WORDS.findall(body.decode("utf-8", "replace"))[:1]
        waits = [float(number.rstrip(".")) * _UNITS[unit.lower()] for number, unit in told]
    return min(max(*waits, 0.0), MAX_WAIT_SECONDS) if waits else None


def _retry_after(headers: Mapping[str, str]) -> Iterator[float]:
    """Yield the seconds of the header that says them; `retry-after` may be a date."""
    for header, unit in (("retry-after-ms", "ms"), ("retry-after", "s")):
        written = headers.get(header, "")
        yield from _seconds(f"{written}{unit}") or _seconds(written)
        if written:
            return


def _until_reset(headers: Mapping[str, str]) -> Iterator[float]:
    """Yield when the limits of which nothing remains begin anew: `6m0s`, or a time."""
    for name, left in headers.items():
        if "ratelimit" in name and "remaining" in name and left.strip() == "0":
            yield from _seconds(headers.get(name.replace("remaining", "reset"), ""))


def _seconds(written: str) -> list[float]:
    """Return a duration, or the time to a date of HTTP or ISO 8601; nothing for what is neither."""
    from datetime import datetime

    parts = _DURATION.findall(written)
    is_duration = "".join(number + unit for number, unit in parts) == written
    if parts and is_duration:
        return [sum(float(number) * _UNITS[unit] for number, unit in parts)]
    for read in (email.utils.parsedate_to_datetime, datetime.fromisoformat):
        with suppress(ValueError, TypeError, OverflowError, OSError):
            return [read(written).timestamp() - time.time()]
    return []
