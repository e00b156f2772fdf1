"""The schema of a tool comes from its code; arguments are checked against it in words that a model
can act on."""

import importlib
import json
from typing import Annotated, Any, Literal

import pytest

from models.base import ToolResult
from tests.rows import cases
from tools.base import Between, ToolContext, tool
from tools.registry import all_tools
from tools.schema import check_args, derive, stored_schemas

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


@pytest.mark.filterwarnings("ignore:open_binary is deprecated")  # bpe_openai's own
def test_descriptions_together_stay_under_700_tokens() -> None:
    bpe_openai = importlib.import_module("bpe_openai")  # it has no types
    text = json.dumps(list(stored_schemas().values()), ensure_ascii=False, separators=(",", ":"))
    assert len(bpe_openai.get_encoding("o200k_base").encode(text)) < 700


@cases
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


@cases
def test_mistake_is_said_so_that_it_can_be_mended(args: dict[str, Any], message: str) -> None:
    said = check_args(SAMPLE, {"path": "p", "kind": "one"} | args)
    assert said is not None
    assert said.startswith(message)
    assert len(said) < 200
