"""MCP servers whose tools or answers are not as the protocol says: each tool is looked at alone,
each answer comes at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drained import result_of
from tests.test_mcp import command, context, found, use
from tools.base import ToolContext, ToolError
from tools.processes.calls import identity, process_stop
from tools.shells.calls import shell_run

pytest.importorskip("mcp", reason="the extra mcp is not installed: scripts/setup --extra mcp")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolContext]:
    folder = tmp_path_factory.mktemp("odd")
    ctx = context(folder, {"odd": command("odd")})
    yield ctx
    ctx.close()


def test_one_odd_tool_does_not_cost_the_others_of_its_server(odd: ToolContext) -> None:
    assert found(odd) == [
        "odd.get_nothing(): ",
        "odd.get_anything(): ",
        "odd.get_empty(): ",
        "odd.get_one(): ",
        "odd.get_untyped(a?: integer): ",
        "odd.get_order(order: {sku: string, next?: {sku: string, next?: object}}, note?: string): ",
        "odd: left out, since their names or arguments are none: get_text, get_list, one without a name",
    ]


def test_a_server_outlives_a_shell_that_was_opened_before_it_and_is_never_stopped(
    odd: ToolContext, tmp_path: Path
) -> None:
    ctx = context(tmp_path, {"desk": command("stdio")})
    assert result_of(shell_run.run(ctx, "echo open")).status == "ok"
    pid = use(ctx, "desk.get_pid").data["output"]
    assert "has ended" in result_of(shell_run.run(ctx, "exit")).data["note"]
    assert use(ctx, "desk.get_pid").data["output"] == pid
    with pytest.raises(ToolError, match="is Sopwith, or what it runs in"):
        result_of(process_stop.run(ctx, identity(int(pid))))
    ctx.close()
