"""What a call brought, in the shapes that a later step can take a value from: lines, fields, rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from learning.units import MIN_BYTES, as_text, scalars
from memory.runlog.evidence import Result
from models.base import ToolResult
from replay.extract import extract, rows_of

FIELD = re.compile(r"[A-Za-z0-9_]+")
_MAX_ROWS = 2_000


@dataclass(slots=True)
class Output:
    """What a call brought, in the shapes that a later step can use."""

    text: str
    lines: list[str]
    fields: list[tuple[str, str, str]]  # extractor, field name, value
    tokens: set[str]
    stems: set[str]
    tables: list[tuple[str, list[dict[str, str]]]] = field(
        default_factory=list
    )  # "json.items", its rows

    @classmethod
    def of(cls, call: Result) -> Output:
        result = ToolResult("ok", call.data)
        try:
            text = str(extract(result, "output"))
            lines = [line for line in extract(result, "lines") if line]
        except (OSError, ValueError):
            text, lines = "", []
        fields = list(_fields(call, text))
        tokens = (
            set(re.split(r"[\s,;:|\t\"'()\[\]{}=]+", text))
            | set(lines)
            | {value for _, _, value in fields}
        )
        if call.tool != "code_run":
            tokens |= {as_text(scalar) for _, scalar in scalars(call.data)}
        tokens |= {part for token in tokens if "/" in token for part in token.split("/")}
        tokens = {token for token in tokens if len(token.encode()) >= MIN_BYTES}
        return cls(
            text,
            lines,
            fields,
            tokens,
            {re.sub(r"\.[A-Za-z]\w{0,7}$", "", token) for token in tokens},
            list(_tables(text)),
        )

    def holding(self, text: str, hints: tuple[str, ...]) -> list[tuple[str, bool]]:
        """How a later step would get exactly this value; and whether the field has the argument's name."""
        found = [
            (extractor, name.lower() in hints)
            for extractor, name, value in self.fields
            if value == text
        ]
        if not found and self.lines and self.text == text and len(text.encode()) >= MIN_BYTES:
            return [("output", False)]
        named = [each for each in found if each[1]]
        return named or found

    def shows(self, token: str) -> bool:
        """True when the token, or a name that differs from it in its suffix alone, was printed."""
        token = token.removeprefix("./").rstrip("/")
        if token in self.tokens:
            return True
        stem = re.sub(r"\.[A-Za-z]\w{0,7}$", "", token)
        return stem != token and len(stem.encode()) >= MIN_BYTES and stem in self.stems


def _fields(call: Result, text: str) -> Iterator[tuple[str, str, str]]:
    """JSON fields of the output, and fields of the tool's data, that a template can reach."""
    roots: list[tuple[str, Any]] = []
    if text[:1] in "{[" and text:
        try:
            roots.append(("json", json.loads(text)))
        except (ValueError, RecursionError):
            roots = []
    if call.tool != "code_run" and isinstance(call.data, dict):
        said_twice = (
            roots and call.data.get("structured") == roots[0][1]
        )  # an MCP server's answer, once as text
        roots.append(
            ("data", {k: v for k, v in call.data.items() if not (said_twice and k == "structured")})
        )
    for root, value in roots:
        for path, scalar in scalars(value):
            parts = [str(part) for part in path]
            is_first_of_many = any(
                isinstance(part, int) for part in path
            )  # which one is a decision
            if (
                parts
                and not is_first_of_many
                and all(re.fullmatch(r"[A-Za-z0-9_]+", part) for part in parts)
            ):
                yield ".".join([root, *parts]), parts[-1], as_text(scalar)


def _tables(text: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The lists of objects in JSON, or the table that the text is: their rows, with values as text."""
    if text[:1] in ("{", "["):
        try:
            roots = list(_lists("json", json.loads(text)))
        except (ValueError, RecursionError):
            return
    else:
        roots = ["csv"]
    for root in roots:
        try:
            rows = rows_of(text, root)
        except ValueError:
            continue
        if rows and len(rows) <= _MAX_ROWS:
            kept = (str, int, float)
            yield (
                root,
                [{k: as_text(v) for k, v in row.items() if isinstance(v, kept)} for row in rows],
            )


def _lists(root: str, value: Any) -> Iterator[str]:
    if isinstance(value, list):
        yield root
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if FIELD.fullmatch(str(key)):
                yield from _lists(f"{root}.{key}", inner)
