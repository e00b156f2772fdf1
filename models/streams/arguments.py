"""Read the arguments that a model wrote for a call: a JSON object that is safe to pass on, or the
reason why not.

Strict JSON first (with raw line breaks in strings, which small models write); then json_repair, for
trailing commas, single quotes and the like. An object that is not closed is never repaired: its end
is missing, and a call that is cut in half must not run.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from text import pattern

# what comes later (schemas, JSON again) recurses; the deepest arguments of real tools are below 10
MAX_DEPTH = 100
MAX_REPAIR_CHARS = 200_000
MAX_INTEGER = 2**63
_TOO_DEEP = f"the arguments are nested deeper than {MAX_DEPTH} levels"
_FENCE = pattern(r"^```\w*\s*\n(.*?)\n?\s*```$", re.DOTALL)


class BadArguments(Exception):
    """The text is no object of arguments; says why, for the model."""


def scrub(text: str) -> str:
    """Return the text as it can be encoded: halves of a surrogate pair are joined, a lone one and
    NUL become U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def parse_arguments(written: object, *, is_whole: bool = False) -> dict[str, Any]:
    """Return the arguments as an object. `is_whole`: the end is known to be there (a closing tag),
    so a missing brace may be added. Raises BadArguments."""
    if isinstance(written, str):
        written = _parse(scrub(written).strip(), is_whole)
    if isinstance(written, str):  # encoded twice
        written = _parse(written.strip(), is_whole)
    if written is None:
        return {}
    if not isinstance(written, dict):
        raise BadArguments(f"the arguments should be a JSON object, not {_json_type(written)}")
    cleaned: dict[str, Any] = _clean(written, 0)
    return cleaned


def _parse(text: str, is_whole: bool) -> Any:
    if not text:
        return None
    try:
        return json.loads(text, strict=False, parse_constant=_no_number)
    except RecursionError:
        raise BadArguments(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        return _repair(text, str(error), is_whole)
    except ValueError as error:  # an integer of thousands of digits
        raise BadArguments(f"the arguments are not valid JSON: {error}") from None


def _repair(text: str, flaw: str, is_whole: bool) -> Any:
    """Return the tolerant path. Raises BadArguments with the flaw when the text is too large, too
    deep, or has no end."""
    if match := _FENCE.match(text):
        text = match[1].strip()
    flaw = f"the arguments are not valid JSON: {flaw[:200]}"
    is_object = text.startswith("{") and len(text) <= MAX_REPAIR_CHARS
    if is_object:
        _check_end(text, flaw, is_whole)
        found = _repaired(text)
        if isinstance(found, dict) and found:
            return found
    raise BadArguments(flaw)


def _check_end(text: str, flaw: str, is_whole: bool) -> None:
    depth, deepest, is_in_string = _scan(text)
    if deepest > MAX_DEPTH:
        raise BadArguments(_TOO_DEEP)
    is_open = depth > 0 and not is_whole
    if is_in_string or is_open:
        raise BadArguments(f"{flaw}; the end is missing")


def _repaired(text: str) -> Any:
    import json_repair

    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):
        return None


def _scan(text: str) -> tuple[int, int, bool]:
    """Return how many brackets are open at the end, at most, and whether a string is."""
    depth = deepest = 0
    quote = ""
    for token in re.finditer(r"""\\.|["'{}\[\]]""", text, re.DOTALL):
        sign = token[0]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "}]":
            depth -= 1
    return depth, deepest, bool(quote)


def _clean(value: Any, depth: int) -> Any:
    """Return the same value, so that nothing behind can stumble: encodable texts, finite numbers,
    few levels."""
    if depth > MAX_DEPTH:
        raise BadArguments(_TOO_DEEP)
    match value:
        case str():
            return scrub(value)
        case dict():
            return {scrub(str(key)): _clean(item, depth + 1) for key, item in value.items()}
        case list():
            return [_clean(item, depth + 1) for item in value]
        case float() if not math.isfinite(value):
            return _no_number(str(value))
        case int() if abs(value) >= MAX_INTEGER:
            raise BadArguments("an integer of the arguments is beyond 64 bits")
    return value


def _no_number(name: str) -> Any:
    raise BadArguments(f"{name} is not a JSON number")


def _json_type(value: object) -> str:
    names = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)
