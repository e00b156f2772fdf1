"""Say of what kind an output is, and how another one differs from it: type, emptiness, the form of
its lines."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from replay import template
from replay.procedure import BUILT_IN
from text import pattern

TYPES = ("none", "text", "lines", "number", "json")
OUTPUT_KEYS = ("type", "empty", "zero", "form", "keys", "complains", "instead")
REFUSALS = (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR)
NUMBER = r"[-+]?\d+(?:\.\d+)?"
Difference = tuple[str, list[Any]]  # a key of assets/replay/said.json with its values
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
    shown = [output for output in outputs if output.strip()]
    if not shown:
        return {"type": "none"} | quiet
    kinds = set(map(kind_of, shown))
    kind = kinds.pop() if len(kinds) == 1 else "mixed"
    said = {"type": kind if kind in TYPES else "text", "empty": len(shown) < len(outputs)}
    for each in DETAILS:
        seen = each.seen(outputs, values) if each.kind == kind else None
        said |= {} if seen is None else {each.key: seen}
    return said | quiet


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
) -> Difference | None:
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
) -> Difference | None:
    kind, due = kind_of(output), wanted["type"]
    if due == "none":
        return None  # what is printed beside the change hurts nobody
    if kind == "none":
        return None if wanted.get("empty") else ("empty_output", [])
    if due in ("number", "json") and kind != due:
        return "other_type", [due, _cut(output)]
    for each in DETAILS:
        if each.key in wanted and (told := each.differs(wanted[each.key], output, values)):
            return each.said, told
    return None


class Detail(NamedTuple):
    """A thing that is compared in outputs of one kind: `seen` learns it from some of them,
    `differs` says how another one is not so, with the values of the text `said`."""

    kind: str
    key: str
    said: str
    seen: Callable[[Sequence[str], Sequence[Mapping[str, Any]]], Any]
    differs: Callable[[Any, str, Mapping[str, Any]], list[Any]]


def _zero(output: str) -> list[str]:
    """Return the output, if it is zero."""
    is_number = kind_of(output) == "number"
    return [output.strip()] if is_number and float(output) == 0 else []


def _one_form(outputs: Sequence[str], values: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the form that several lines share."""
    forms = set(map(form, outputs, values))
    return forms.pop() if len(forms) == 1 < len(outputs) else None


def _form_differs(wanted: str, output: str, values: Mapping[str, Any]) -> list[Any]:
    is_same = form(output, values) == wanted
    return [] if is_same else [template.as_text(wanted), _cut(output)]


def _shared_keys(outputs: Sequence[str], values: object) -> list[str]:
    return sorted(set.intersection(*(set(_keys(output)) for output in outputs if output.strip())))


DETAILS = (
    Detail(
        *("number", "zero", "zero_output"),
        lambda outputs, values: any(map(_zero, outputs)),
        lambda wanted, output, values: [] if wanted else _zero(output),
    ),
    Detail("text", "form", "other_form", _one_form, _form_differs),
    Detail(
        *("json", "keys", "missing_key"),
        _shared_keys,
        lambda wanted, output, values: sorted(set(wanted) - set(_keys(output)))[:1],
    ),
)


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
