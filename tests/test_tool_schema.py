"""The schema of a tool comes from its code; arguments are checked against it in words that a model can act on."""

import importlib
import json
from typing import Annotated, Any, Literal

import pytest

from models.base import ToolResult
from tests.rows import rows
from tools.base import Between, ToolContext, tool
from tools.registry import all_tools
from tools.schema import FILE, check_args, derive, schemas, stored_schemas

TOOLS = all_tools()


@tool("none")
def sample(
    ctx: ToolContext,
    path: str,
    kind: Literal["one", "two"],
    days: Annotated[int, Between(1, 9)] = 3,
    names: list[str] | None = None,
    env: dict[str, str] | None = None,
    deep: bool = False,
    share: float | None = None,
) -> ToolResult:
    """Do a thing
    in two lines.

    path: where it is
    days: how long
    """
    return ToolResult("ok")


SAMPLE = derive(sample)


def test_stored_schemas_are_those_of_the_code() -> None:
    derived = [derive(each) for each in TOOLS.values()]
    assert json.loads(FILE.read_text("utf-8")) == derived, "run: python -m tools.registry"
    assert schemas(TOOLS.values()) == derived


@pytest.mark.filterwarnings("ignore:open_binary is deprecated")  # bpe_openai's own
def test_descriptions_together_stay_under_700_tokens() -> None:
    bpe_openai = importlib.import_module("bpe_openai")  # it has no types
    text = json.dumps(list(stored_schemas().values()), ensure_ascii=False, separators=(",", ":"))
    assert len(bpe_openai.get_encoding("o200k_base").encode(text)) < 700


def test_schema_follows_signature_and_docstring() -> None:
    assert SAMPLE == {
        "type": "function",
        "function": {
            "name": "sample",
            "description": "Do a thing in two lines.",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "where it is"},
                    "kind": {"type": "string", "enum": ["one", "two"]},
                    "days": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 9,
                        "default": 3,
                        "description": "how long",
                    },
                    "names": {"type": "array", "items": {"type": "string"}},
                    "env": {"type": "object", "additionalProperties": {"type": "string"}},
                    "deep": {"type": "boolean", "default": False},
                    "share": {"type": "number"},
                },
                "required": ["path", "kind"],
            },
        },
    }
    assert schemas([sample]) == [SAMPLE]


@pytest.mark.parametrize(
    ("args", "fits"),
    rows(__name__, "what_is_only_written_otherwise_is_put_right"),
)
def test_what_is_only_written_otherwise_is_put_right(
    args: dict[str, Any], fits: dict[str, Any]
) -> None:
    given = {"path": "p", "kind": "one"} | args
    limits = SAMPLE if args.get("days") != "30" else _without_bounds()
    assert check_args(limits, given) is None
    assert given == {"path": "p", "kind": "one"} | fits
    assert [type(value) for value in given.values()] == [
        type(value) for value in ({"path": "p", "kind": "one"} | fits).values()
    ]


def _without_bounds() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(json.dumps(SAMPLE))
    del schema["function"]["parameters"]["properties"]["days"]["maximum"]
    return schema


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"days": "x"}, "days: must be an integer, got 'x'"),
        ({"days": True}, "days: must be an integer, got True"),
        ({"days": 2.5}, "days: must be an integer, got 2.5"),
        ({"days": 50}, "days: must be 1 to 9, got 50"),
        ({"kind": "three"}, "kind: must be one of one, two; got 'three'"),
        ({"names": [["a"]]}, "names[0]: must be text, got a list of 1"),
        ({"env": {"a": None}}, "env.a: must be text, got None"),
        ({"env": "x"}, "env: must be an object, got 'x'"),
        (
            {"dayz": 3},
            "dayz: no such argument; did you mean days? Known: path, kind, days, names, env, deep, share",
        ),
        ({"path": None}, "path: must be text, got None"),
        ({"path": {"a": 1}}, "path: must be text, got an object with 1 keys"),
        ({"deep": "maybe"}, "deep: must be true or false, got 'maybe'"),
        ({"days": "\x00" * 99}, "days: must be an integer, got '\\x00"),
    ],
)
def test_mistake_is_said_so_that_it_can_be_mended(args: dict[str, Any], message: str) -> None:
    said = check_args(SAMPLE, {"path": "p", "kind": "one"} | args)
    assert said is not None
    assert said.startswith(message)
    assert len(said) < 200
