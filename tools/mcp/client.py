"""The tools of MCP servers: how a model finds them, and how one of them becomes a tool of ours
under `SERVER.TOOL`.

What a server says - names, descriptions, schemas, results - is data of others. Its schema is cut
down to what is checked here; its name and what it declares of itself are judged by the gate like
any tool that is not ours.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import mimetypes
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from config import Message
from models.base import ToolResult
from safety.taint import Origin
from tools.base import Tool, ToolContext, ToolError, tool
from tools.schema import Schema

if TYPE_CHECKING:
    import mcp_types

    from config import Config
    from tools.mcp.servers import McpServers

SHOWN_TOOLS = 12  # found at once
SHOWN = 16_000  # characters of a result; the whole is in a file
MAX_DESCRIPTION_CHARS = 400
MAX_FILE_BYTES = 20_000_000
MAX_NODES, MAX_DEPTH = 400, 6  # of a schema
SHOWN_DEPTH, SHOWN_ARGS = 2, 600  # of arguments within arguments, and in characters
MISSING = "error.mcp.no-package"
OWNERS_WORD = "effect by owner"  # among the hints; no server sets it
_APART = re.compile(r"[_./-]|(?<=[a-z])(?=[A-Z])")  # between the words of a name
_SMALL = re.compile(r"[a-z0-9]{1,2}|the|and|for|with|from|that|this|into|all|any")
_REF = re.compile(r"#/(\$defs|definitions)/([^/]+)")
_NULL = ("null", {"type": "null"})
_TYPES = ("string", "integer", "number", "boolean", "array", "object")
# Keywords of a node that are taken as they are, and what they must be.
_TAKEN: Mapping[str, Callable[[Any], bool]] = {
    "type": lambda said: said in _TYPES,
    "enum": lambda said: isinstance(said, list) and len(said) <= 200,
    "minimum": lambda said: isinstance(said, int | float),
    "maximum": lambda said: isinstance(said, int | float),
}


def problem() -> str:
    """Return what is missing for this family on this machine, or ""."""
    from importlib.util import find_spec

    return "" if find_spec("mcp") else Message(MISSING)


class Offer(NamedTuple):
    """One tool of a server."""

    server: str
    name: str
    description: str
    schema: Schema  # of its arguments, cut down
    hints: Mapping[str, Any]

    @property
    def full_name(self) -> str:
        """`SERVER.TOOL`."""
        return f"{self.server}.{self.name}"

    def line(self) -> str:
        """Return the tool as a model reads it."""
        args = _arguments(self.schema)
        args = args if len(args) <= SHOWN_ARGS else _arguments(self.schema, SHOWN_DEPTH)
        return f"{self.full_name}({args}): {self.description}"


@tool("read")
def mcp_find(ctx: ToolContext, query: str = "", server: str | None = None) -> ToolResult:
    """Find tools of MCP servers, other programs that the owner has set up.

    query: words for what it should do; left out: all
    """
    servers = _servers(ctx)
    asked = [_known(servers, server)] if server else list(servers.servers)
    found, failures = offers(servers, asked, ctx.tool_seconds)
    best = ranked(found, query)
    lines = [offer.line() for offer in best[:SHOWN_TOOLS]]
    if rest := best[SHOWN_TOOLS:]:
        names = ", ".join(offer.full_name for offer in rest)
        more = names if len(names) < 800 else f"{names[:800].rpartition(',')[0]}, …"
        lines.append(f"and {len(rest)} more; a query finds them: {more}")
    if not [*found, *failures]:
        lines.append("the servers offer no tools")
    elif not [*best, *failures]:
        lines.append(f"none of {len(found)} tools fits; leave the query out to see them")
    left_out = filter(None, map(servers.left_out, asked))
    said = [*map(ctx.redact, lines), *failures, *map(ctx.redact, left_out)]
    return ToolResult("ok", "\n".join(said), origin=Origin.TOOL)


def _known(servers: McpServers, server: str) -> str:
    """Return the name of a configured server. Raises ToolError."""
    if server not in servers.servers:
        raise ToolError(
            "error.mcp.mcp-server-called", name=f"{server[:60]!r}", names=", ".join(servers.servers)
        )
    return server


@tool("none")
def mcp_call(
    ctx: ToolContext, server: str, tool: str, args: dict[str, Any] | None = None
) -> ToolResult:
    """Call a tool of an MCP server.

    args: as mcp_find shows them
    """
    # A call of a tool that is there never comes here: tools/toolbox.py turns it into SERVER.TOOL.
    servers = _servers(ctx)
    _known(servers, server)
    from difflib import get_close_matches

    names = [each.name for each in servers.tools(server, ctx.tool_seconds)]
    near = get_close_matches(tool, names, 5, 0.3) or names[:10]
    raise ToolError(
        "error.mcp.tool-near", server=server, name=f"{tool[:60]!r}", names=", ".join(near) or "none"
    )


def _servers(ctx: ToolContext) -> McpServers:
    configured = ctx.config.mcp.servers if ctx.config else {}
    if not configured:
        raise ToolError("error.mcp.none")
    return keep_servers(ctx)


def keep_servers(ctx: ToolContext) -> McpServers:
    """Return the servers of the config, held until the run ends."""
    from tools.mcp.servers import Lease

    configured = ctx.config.mcp.servers if ctx.config else {}
    return ctx.keep("mcp", lambda: Lease(configured)).servers


def offers(
    servers: McpServers, names: Iterable[str], seconds: float
) -> tuple[list[Offer], list[Message]]:
    """Return what the servers offer, and a line for each that cannot say; asked at the same
    time."""
    from concurrent.futures import ThreadPoolExecutor

    from tools.mcp.servers import ServerFailure

    def ask(name: str) -> list[Offer] | Message:
        try:
            listed = {each.name: each for each in servers.tools(name, seconds)}
            said = servers.servers[name].effects
            return [offer_of(name, each, said) for each in listed.values()]
        except ServerFailure as error:
            return error.message

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, names))
    found = [offer for answer in answers if not isinstance(answer, str) for offer in answer]
    return found, [answer for answer in answers if isinstance(answer, str)]


def offer_of(server: str, each: mcp_types.Tool, effects: Mapping[str, str] | None = None) -> Offer:
    """Return a tool as its server describes it, in what we take of that; `effects` are the owner's
    word."""
    said = " ".join((each.description or each.title or "").split())
    hints = (
        each.annotations.model_dump(by_alias=True, exclude_none=True) if each.annotations else {}
    )
    hints[OWNERS_WORD] = (effects or {}).get(each.name)
    return Offer(
        server, each.name, said[:MAX_DESCRIPTION_CHARS], plain_schema(each.input_schema), hints
    )


def ranked(found: list[Offer], query: str) -> list[Offer]:
    """Return those with words of the query, the most telling first; all of them for an empty
    one."""
    from text.words import asked, cut

    wanted = {word for word in asked(query) if not _SMALL.fullmatch(word)}
    if not wanted:
        return found
    names = (cut(_APART.sub(" ", each.full_name)) for each in found)
    texts = [
        Counter([*name * 3, *cut(each.description)])
        for name, each in zip(names, found, strict=True)
    ]
    scores = _scores(texts, wanted)
    order = sorted(range(len(found)), key=lambda at: -scores[at])
    return [found[at] for at in order if scores[at] > scores[order[0]] / 4]


def _scores(texts: Sequence[Counter[str]], wanted: Collection[str]) -> list[float]:
    """Return how well each text fits: a word counts up to four times, a rare one more."""
    found = {word: sum(word in text for text in texts) for word in wanted}
    rare = {word: math.log(1 + len(texts) / (1 + found[word])) for word in wanted}
    return [sum(rare[word] * min(text[word], 4) for word in wanted) for text in texts]


def plain_schema(said: Any) -> Schema:
    """Return the part of a JSON schema that is checked here.

    The server checks the rest: to compile what a stranger wrote, or to fetch what it points to, is
    not for us.
    """
    given: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    kept = {"type": "object", "properties": {}, **_plain(given, given, 0, [MAX_NODES])}
    is_open = not given.keys().isdisjoint(("$ref", "oneOf", "anyOf", "allOf"))
    if given.get("additionalProperties") or is_open or not kept["properties"]:
        kept["additionalProperties"] = True
    return kept


def _plain(said: Any, root: Mapping[str, Any], depth: int, left: list[int]) -> Schema:
    """Return what is checked of one node. `left` are the nodes that may still be taken: one that
    points to itself has no end."""
    given = _pointed(said, root) if isinstance(said, Mapping) else {}
    left[0] -= 1
    kept: Schema = {key: given[key] for key, fits in _TAKEN.items() if fits(given.get(key))}
    if isinstance(given.get("description"), str):
        kept["description"] = " ".join(given["description"].split())[:MAX_DESCRIPTION_CHARS]
    if depth < MAX_DEPTH and left[0] > 0:
        kept |= _below(given, root, depth + 1, left)
    return kept


def _below(
    given: Mapping[str, Any], root: Mapping[str, Any], depth: int, left: list[int]
) -> Schema:
    """Return the properties and items of a node."""
    kept: Schema = {}
    if isinstance(inner := given.get("properties"), Mapping):
        needed = given.get("required")
        for name, each in list(inner.items())[:100]:
            is_needed = isinstance(needed, list) and name in needed
            whole = each if is_needed else _without_null(each)
            kept.setdefault("properties", {})[str(name)] = _plain(whole, root, depth, left)
    if isinstance(given.get("items"), Mapping):
        kept["items"] = _plain(given["items"], root, depth, left)
    if isinstance(required := given.get("required"), list):
        known = kept.get("properties", {})
        kept["required"] = [name for name in known if name in required]
    return kept


def _pointed(said: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a `$ref` into the schema itself points to; others are left alone."""
    for _ in range(MAX_DEPTH):
        found = _REF.fullmatch(str(said.get("$ref")))
        named = root.get(found[1]) if found else None
        there = named.get(found[2]) if found and isinstance(named, Mapping) else None
        if not isinstance(there, Mapping):
            return said
        said = there
    return {}


def _without_null(said: Any) -> Any:
    """Return the schema of an argument that may be null: to leave it out means that, too
    (tools/schema.py)."""
    for key in ("type", "anyOf", "oneOf") if isinstance(said, Mapping) else ():
        some = said.get(key)
        others = [each for each in some if each not in _NULL] if isinstance(some, list) else []
        if len(others) == 1:
            only = {"type": others[0]} if key == "type" else others[0]
            return {**said, **only} if isinstance(only, Mapping) else said
    return said


def _arguments(schema: Schema, depth: int = 0) -> str:
    required = schema.get("required", [])
    shown = (
        f"{name}{'' if name in required else '?'}: {_type_of(each, depth)}"
        for name, each in schema["properties"].items()
    )
    return ", ".join(shown)


def _type_of(schema: Schema, depth: int = 0) -> str:
    if "enum" in schema:
        return "|".join(map(str, schema["enum"][:8]))
    if schema.get("type") == "array":
        return f"[{_type_of(schema.get('items', {}), depth)}]"
    if schema.get("properties") and depth < SHOWN_DEPTH:
        return f"{{{_arguments(schema, depth + 1)}}}"
    return str(schema.get("type", "any"))


def finder(config: Config) -> Callable[[str], tuple[Tool, Schema] | None] | None:
    """Return what tools/toolbox.py takes as `foreign`; None where no server is configured."""
    return partial(_found, config) if config.mcp.servers else None


def _found(config: Config, name: str) -> tuple[Tool, Schema] | None:
    """Return the tool called `SERVER.TOOL` with its schema; of a server that cannot say, one that
    takes anything."""
    server, _, tool_name = name.partition(".")
    if server not in config.mcp.servers:
        return None
    anything = Offer(server, tool_name, "", plain_schema({}), {})
    if problem():  # the call says so
        return _tool(anything)
    from tools.mcp.servers import ServerFailure, of_process

    try:
        listed = of_process(config.mcp.servers).tools(server, config.limits.tool_seconds)
    except ServerFailure:  # it may come back: the call asks it once more, and says what is wrong
        return _tool(anything)
    said = config.mcp.servers[server].effects
    found = (_tool(offer_of(server, each, said)) for each in listed if each.name == tool_name)
    return next(found, None)


def _tool(offer: Offer) -> tuple[Tool, Schema]:
    function = {
        "name": offer.full_name,
        "description": offer.description,
        "parameters": offer.schema,
    }
    hints = dict(offer.hints)
    made = Tool(offer.full_name, partial(_called, offer), (), about=lambda *_: hints)
    return made, {"type": "function", "function": function}


def _called(offer: Offer, ctx: ToolContext, /, **args: Any) -> ToolResult:
    if missing := problem():
        raise ToolError(missing)
    from tools.mcp.servers import ServerFailure

    try:
        answer = _servers(ctx).call(
            offer.server,
            offer.name,
            ctx.resolved(args),
            ctx.seconds(),
            ctx.env.get("SOPWITH_ONCE", ""),
        )
    except ServerFailure as error:
        return ToolResult(
            "timeout" if error.is_timeout else "error", ctx.redact(str(error)), origin=Origin.TOOL
        )
    return _result(ctx, offer, answer)


def _result(ctx: ToolContext, offer: Offer, answer: mcp_types.CallToolResult) -> ToolResult:
    """Return what a server answered, as data: text as text, everything else as files."""
    said = [_of_part(ctx, part) for part in answer.content]
    texts = [each for each in said if isinstance(each, str)]
    files = [str(each) for each in said if isinstance(each, Path)]
    data = _texts(ctx, texts, answer.structured_content) | ({"files": files} if files else {})
    images = [file for file in files if file.endswith((".png", ".jpg", ".gif", ".webp"))]
    return ToolResult("error" if answer.is_error else "ok", data, origin=Origin.TOOL, images=images)


def _texts(ctx: ToolContext, texts: list[str], structured: Any) -> dict[str, Any]:
    """Return the text of an answer, beside the data that says the same."""
    if structured is None:
        return _shown(ctx, ctx.redact("\n".join(texts)))
    said = _shown(ctx, ctx.redact("\n".join(texts or [json.dumps(structured, ensure_ascii=False)])))
    return said if "file" in said else said | {"structured": structured}


def _shown(ctx: ToolContext, text: str) -> dict[str, Any]:
    """Return a text, or its head and tail and the file with the whole."""
    if len(text) <= SHOWN:
        return {"output": text}
    whole = _written(ctx, "txt", text.encode("utf-8", "replace"))
    cut = f"[… {len(text):,} characters in all; the whole is in {whole} …]"
    output = f"{text[: SHOWN * 3 // 4]}\n{cut}\n{text[-SHOWN // 4 :]}"
    return {"output": output, "file": str(whole)}


def _of_part(ctx: ToolContext, part: Any) -> str | Path:
    if part.type == "text":
        return str(part.text)
    if part.type in ("image", "audio"):
        return _kept(ctx, part.data, part.mime_type)
    if part.type == "resource_link":
        return f"[{part.name}]({part.uri})"
    text = getattr(part.resource, "text", None)
    return (
        str(text)
        if text is not None
        else _kept(ctx, part.resource.blob, part.resource.mime_type or "")
    )


def _kept(ctx: ToolContext, data: str, kind: str) -> Path:
    try:
        whole = base64.b64decode(data[: MAX_FILE_BYTES * 4 // 3 + 4], validate=True)
    except (binascii.Error, ValueError) as error:
        raise ToolError("error.mcp.server-sent-file-base", error=error) from error
    ending = mimetypes.guess_extension(kind.partition(";")[0].strip().lower()) or ".bin"
    return _written(ctx, ending.lstrip("."), whole)


def _written(ctx: ToolContext, ending: str, data: bytes) -> Path:
    from memory.files import write_atomic

    file = ctx.new_file("mcp", f"result.{ending}")
    write_atomic(file, data, 0o600)
    return file
