"""The server of the package mcp: tools are listed and called, and the client's user is asked, in
both ways that MCP has.

Until 2025-11-25 the server asks by a request of its own; from 2026-07-28 on it answers "input
required", and the client calls again with the answer. Imported inside functions only.
"""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from config import Config, SopwithError
from ui.command import VERSION
from ui.mcp_server.calls import ANSWER, RECALL, Asked, Calls, Ended, Offered, offered
from ui.words import say, words_of

Context = ServerRequestContext[Any]
Answer = types.CallToolResult | types.InputRequiredResult


def make_server(config: Config, calls: Calls) -> Server[Any]:
    """Return the server of these calls."""

    async def list_tools(
        ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        found = await asyncio.to_thread(offered, config)
        return types.ListToolsResult(tools=[_tool(each) for each in found])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Answer:
        try:
            return await _called(calls, config, ctx, params)
        except SopwithError as error:
            return _result(Ended(words_of(error), {}, True))

    return Server(
        "sopwith",
        version=VERSION,
        instructions=say("mcp.instructions"),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _called(
    calls: Calls, config: Config, ctx: Context, params: types.CallToolRequestParams
) -> Answer:
    given = params.arguments or {}
    if params.name == RECALL:
        return _result(await calls.recall(given))
    if params.request_state:
        return await _followed(calls, ctx, _gone_on(calls, params))
    if params.name not in {each.name for each in await asyncio.to_thread(offered, config)}:
        raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name!r}.")
    run = await calls.begin(params.name, given, has_owner=_can_ask(ctx))
    return await _followed(calls, ctx, run)


def _gone_on(calls: Calls, params: types.CallToolRequestParams) -> str:
    """Take the answer that a repeated call brings; return its run. Raises MCPError for a run that
    asks nothing."""
    run = params.request_state or ""
    asked = calls.asked_by(run)
    if asked is None and run not in calls.work.children:
        raise MCPError(types.INVALID_PARAMS, f"Nobody waits for an answer as {run!r}.")
    said = (params.input_responses or {}).get(asked["id"]) if asked else None
    if asked is not None and isinstance(said, types.ElicitResult):
        calls.answer(asked, said.action, dict(said.content or {}))
    return run


async def _followed(calls: Calls, ctx: Context, run: str) -> Answer:
    async def progress(count: int, what: str) -> None:
        await ctx.session.report_progress(float(count), message=what)

    try:
        while True:
            found = await calls.follow(run, progress)
            if isinstance(found, Ended):
                return _result(found)
            if found.asked["kind"] == "secret":  # a client must not be asked for one
                calls.answer(found.asked, "cancel", {})
            elif ctx.session.protocol_version in MODERN_PROTOCOL_VERSIONS:
                return types.InputRequiredResult(
                    input_requests={found.asked["id"]: types.ElicitRequest(params=_form(found))},
                    request_state=run,
                )
            else:
                await _ask(calls, ctx, found)
    except asyncio.CancelledError:
        calls.abandoned(run)
        raise


async def _ask(calls: Calls, ctx: Context, found: Asked) -> None:
    form = _form(found)
    try:
        said = await ctx.session.elicit_form(form.message, form.requested_schema, ctx.request_id)
    except MCPError:  # it cannot after all
        calls.answer(found.asked, "cancel", {})
        return
    calls.answer(found.asked, said.action, dict(said.content or {}))


def _can_ask(ctx: Context) -> bool:
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    if elicitation is None:
        return False
    return elicitation.form is not None or elicitation.url is None


def _form(found: Asked) -> types.ElicitRequestFormParams:
    """Return what the client shows its user: the whole effect, and what may be said to it."""
    asked = found.asked
    if asked["kind"] == "question":
        lines = [asked["text"], *(f"- {each}" for each in asked["candidates"])]
        properties: dict[str, Any] = {"answer": {"type": "string"}}
        required = ["answer"]
    else:
        lines = [words_of(asked["reason"]), f"{asked['tool']} ({asked['risk']})", asked["preview"]]
        decision = {"type": "string", "enum": ["allow", "deny"]}
        properties = {"decision": decision, "reason": {"type": "string"}}
        required = ["decision"]
    schema = {"type": "object", "properties": properties, "required": required}
    return types.ElicitRequestFormParams(message="\n".join(lines), requested_schema=schema)


def _tool(each: Offered) -> types.Tool:
    return types.Tool(
        name=each.name,
        description=each.description,
        input_schema=each.schema,
        output_schema=None if each.name == RECALL else ANSWER,
        annotations=types.ToolAnnotations(title=each.name, **each.hints),
        _meta={"sopwith": each.about} if each.about else None,
    )


def _result(ended: Ended) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=ended.text)],
        structured_content=ended.data or None,
        is_error=ended.is_error,
    )
