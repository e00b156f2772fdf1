"""Say of what kind an output is, and how another one differs from it: type, emptiness, the form of
its lines."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from replay import template
from replay.procedure import BUILT_IN
from text import pattern

TYPES = ("none", "text", "lines", "number", "json")
OUTPUT_KEYS = ("type", "empty", "zero", "form", "keys", "complains", "instead")
REFUSALS = (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR)
NUMBER = r"[-+]?\d+(?:\.\d+)?"
_NUMBER = pattern(rf"(?<![\w.]){NUMBER}(?![\w]|\.\d)")


def kind_of(output: str) -> str:
    """Return the type of an output: none, number, json, lines or text."""
    text = output.strip()
    if not text:
        return "none"
    if re.fullmatch(NUMBER, text):
        return "number"
    if text[0] in "[{" and _json(text) is not None:
        return "json"
    return "lines" if "\n" in text else "text"


def observed(outputs: Sequence[str], values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what holds for all of these outputs, as `expect.output` of sop.yaml. `values`: of the
    parameters, for each."""
    quiet = {} if any(map(complaint, outputs)) else {"complains": False}
    return _kinds_observed(outputs, values) | quiet


def _kinds_observed(outputs: Sequence[str], values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    shown = [output for output in outputs if output.strip()]
    kinds = {kind_of(output) for output in shown}
    if not kinds:
        return {"type": "none"}
    kind = kinds.pop() if len(kinds) == 1 else ""
    said = {"type": kind or "text", "empty": len(shown) < len(outputs)}
    if kind == "number":
        return said | {"zero": 0 in map(float, shown)}
    if kind == "json":
        return said | {"keys": sorted(set.intersection(*map(set, map(_keys, shown))))}
    forms = set(map(form, outputs, values))
    is_one_form = kind == "text" and len(forms) == 1 < len(outputs)
    return said | ({"form": forms.pop()} if is_one_form else {})


def form(output: str, values: Mapping[str, Any]) -> str:
    """Return a line with `#` for each number and {{name}} for each value."""
    text = " ".join(output.split())
    own = {name: str(value) for name, value in values.items() if name not in BUILT_IN}
    for name, value in sorted(own.items(), key=lambda pair: -len(pair[1])):
        if len(value) > 1:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", f"{{{{{name}}}}}", text)
    return _NUMBER.sub("#", text)


def difference(
    wanted: Mapping[str, Any], output: str, values: Mapping[str, Any]
) -> tuple[str, list[Any]] | None:
    """Return how an output differs, as a key of the texts with its values; None when it does
    not."""
    if not wanted:
        return None
    told = complaint(output) if wanted.get("complains") is False else ""
    return ("complains", [told]) if told else _kind_differs(wanted, output, values)


def is_none_found(wanted: Mapping[str, Any], output: str) -> bool:
    """Return True where a list is asked for and not even a blank line is printed: a number or a
    form that is left out is a fault."""
    return not output and wanted.get("type") in ("text", "lines") and "form" not in wanted


def _kind_differs(
    wanted: Mapping[str, Any], output: str, values: Mapping[str, Any]
) -> tuple[str, list[Any]] | None:
    kind, due = kind_of(output), wanted["type"]
    if kind == "none":
        may_be = wanted.get("empty", False) or due == "none"
        return None if may_be else ("empty_output", [])
    if due == "none":
        return None  # what is printed beside the change hurts nobody
    if due in ("number", "json") and kind != due:
        return "other_type", [due, _cut(output)]
    if kind == "number" and not wanted.get("zero", True) and float(output) == 0:
        return "zero_output", [output.strip()]
    return _form_differs(wanted, output, values)


def _form_differs(
    wanted: Mapping[str, Any], output: str, values: Mapping[str, Any]
) -> tuple[str, list[Any]] | None:
    if "form" in wanted and form(output, values) != wanted["form"]:
        return "other_form", [template.as_text(wanted["form"]), _cut(output)]
    missing = set(wanted.get("keys", ())) - set(_keys(output))
    return ("missing_key", [min(missing)]) if missing else None


def complaint(output: str) -> str:
    """Return the first line in which a program says what the system refused it: the exit code of a
    part may be lost."""
    lines = (_cut(line) for line in output.splitlines() if ": " in line)
    return next((line for line in lines if line.endswith(_refusals())), "")


def refused(output: str) -> bool:
    """Return True when a program that failed says that the system refused it a file."""
    return any(text in output for text in _refusals())


def _refusals() -> tuple[str, ...]:
    return tuple(os.strerror(number) for number in REFUSALS)


def problem(raw: Any) -> str:
    """Return what is wrong with an `expect.output`; "" when nothing is."""
    if not isinstance(raw, dict) or set(raw) - set(OUTPUT_KEYS):
        return f"must be a mapping of {', '.join(OUTPUT_KEYS)}"
    if raw and raw.get("type") not in TYPES:
        return f"must have a type: one of {', '.join(TYPES)}"
    return ""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _keys(output: str) -> list[str]:
    """Return the keys of a JSON object, or of the first object of a list."""
    found = _json(output.strip())
    if isinstance(found, list) and found:
        found = found[0]
    return list(found) if isinstance(found, dict) else []


def _cut(output: str) -> str:
    text = " ".join(output.split())
    return text if len(text) <= 120 else f"{text[:120]}…"
