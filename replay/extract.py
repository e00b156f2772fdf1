"""Take from an outcome what a step saves: text, lines, a part of JSON, or one field of the row that a value names.

    output   lines   exit_code   json   json.items.0.id   data.path
    json[name=product].sku        of a list of objects: the field of the only one whose `name` is the value `product`
    json.items[].id               of the only one there is
    csv[sku=code].price           the same, of a table with a head

A row that is not there, or is there more than once, is an error: which one is meant would be a guess.
Source: seed 002 §2 (look-ups by selection need no model).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.base import ToolResult
from replay import template

EXTRACTOR = re.compile(r"output|lines|exit_code|(?:json|data)(?:\.[A-Za-z0-9_]+)*")
SELECTION = re.compile(
    r"(?P<root>csv|json(?:\.[A-Za-z0-9_]+)*)\[(?:(?P<key>[A-Za-z0-9_]+)=(?P<value>[a-z][a-z0-9_]*))?\]\.(?P<field>[A-Za-z0-9_]+)"
)
MAX_OUTPUT_BYTES = 64_000_000


def uses_value(extractor: str) -> str:
    """The name of the value that picks the row; "" for an extractor without one."""
    match = SELECTION.fullmatch(extractor)
    return match["value"] or "" if match else ""


def extract(result: ToolResult, extractor: str, values: Mapping[str, Any] | None = None) -> Any:
    """Return what the extractor takes of a result. `values` are the parameters and what was saved before.

    Raises ValueError, TemplateError, OSError. When the output is cut, `data["file"]` holds the whole of it.
    """
    if chosen := SELECTION.fullmatch(extractor):
        return _selected(rows_of(whole_output(result.data), chosen["root"]), chosen, values or {})
    kind, _, path = extractor.partition(".")
    if kind == "data" or kind == "exit_code":
        return (
            template.find(path or kind, result.data) if path or kind == "exit_code" else result.data
        )
    text = whole_output(result.data)
    if kind == "json":
        value = json.loads(text)
        return template.find(path, value) if path else value
    if kind == "lines":
        return text.removesuffix("\n").split("\n") if text else []
    return text.strip("\n")


def rows_of(text: str, root: str) -> list[Mapping[str, Any]]:
    """The rows of a table: objects of a JSON list ("json", "json.items"), or lines of CSV ("csv") below their head.

    Raises ValueError, TemplateError when the text holds none.
    """
    if root == "csv":
        import csv  # few SOPs read tables
        import io

        read = csv.reader(io.StringIO(text), strict=True)
        try:
            head, *lines = [line for line in read if line]
        except (csv.Error, ValueError) as error:
            raise ValueError(f"it is no table: {error}") from error
        if (
            len(head) < 2
            or len(set(head)) < len(head)
            or any(len(line) != len(head) for line in lines)
        ):
            raise ValueError("it is no table: each line must have as many fields as its head")
        return [dict(zip(head, line, strict=True)) for line in lines]
    value = json.loads(text)
    path = root.partition(".")[2]
    found = template.find(path, value) if path else value
    if not isinstance(found, list) or not all(isinstance(row, Mapping) for row in found):
        raise ValueError(f"{root} is no list of objects")
    return found


def _selected(
    rows: list[Mapping[str, Any]], chosen: re.Match[str], values: Mapping[str, Any]
) -> Any:
    own, told = rows, "row"
    if key := chosen["key"]:
        wanted = template.as_text(values.get(chosen["value"]))
        own = [row for row in rows if key in row and template.as_text(row[key]) == wanted]
        told = f"row whose {key} is {wanted!r}"
    if len(own) != 1:
        raise ValueError(
            f"there is no {told}"
            if not own
            else f"there are {len(own)} {told.replace('row', 'rows', 1)}"
        )
    return template.find(chosen["field"], own[0])


def whole_output(data: Any) -> str:
    """All that a call printed, also what was too long to show. Raises ValueError, OSError."""
    if not isinstance(data, dict):
        return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    if not data.get("file"):
        return str(data.get("output", ""))
    path = Path(data["file"])
    if path.stat().st_size > MAX_OUTPUT_BYTES:
        raise ValueError(f"{path} is larger than {MAX_OUTPUT_BYTES} bytes")
    return path.read_text(encoding="utf-8")
