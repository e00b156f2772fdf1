"""docs/events.md describes every event that the code makes, with every field."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("context", "models", "runs")
SOURCES = [
    ROOT / "agent_loop.py",
    ROOT / "handler.py",
    *(path for name in FOLDERS for path in (ROOT / name).rglob("*.py")),
]
STAMP = {"type", "run", "at"}


def described() -> dict[str, str]:
    """Each event of the page with the text about it: from its name in bold to the next one."""
    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    parts = re.split(r"^\*\*`(\w+)`\*\*", page, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def made() -> list[tuple[str, str, str]]:
    """(event, field, where) of each dict in the sources that has a literal "type" and is no JSON
    schema."""
    found: list[tuple[str, str, str]] = []
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Dict):
                continue
            keys = [
                key.value
                for key in node.keys
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
            values = [
                value for key, value in zip(node.keys, node.values, strict=True) if _is_type(key)
            ]
            if (
                values
                and isinstance(values[0], ast.Constant)
                and values[0].value not in ("function", "object", "string", "bash", "json_schema")
                and "wires" not in source.parts  # what goes over a wire
            ):
                found += [
                    (str(values[0].value), key, f"{source.name}:{node.lineno}") for key in keys
                ]
    return found


def _is_type(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value == "type"


@pytest.mark.parametrize(("event", "field", "where"), made())
def test_every_event_and_field_is_described(event: str, field: str, where: str) -> None:
    assert event in described(), where
    assert (
        field in STAMP
        or f"`{field}`" in described()[event]
        or re.search(rf"\{{[^`]*\b{field}\b", described()[event])
    ), where


def test_the_walk_finds_the_events_that_frame_a_run() -> None:
    assert {
        "run_started",
        "turn_started",
        "model_called",
        "tool_started",
        "tool_ended",
        "run_ended",
    } <= {event for event, _, _ in made()}


def test_what_is_left_out_of_the_log_is_marked() -> None:
    from memory.runlog import NOT_LOGGED

    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\*\*`(\w+)`\*\* °", page, flags=re.MULTILINE)) == NOT_LOGGED
