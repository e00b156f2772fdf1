"""Put right what MCP servers say where it is only not quite as it should be: half surrogate pairs,
and lists of tools.

The SDK takes a list whole or not at all, so one odd tool would cost all the others of its server.
Here each is looked at alone: where the meaning is clear it is put right; a tool that nobody could
call is left out and named.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCResponse

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
# others no model could call, or would be read as more than a name
_NAME = re.compile(r"[^\s\x00-\x20\x7f]{1,128}")
_KINDS = {"properties": dict, "required": list, "$defs": dict}
_OBJECTS = ("object", ["object"], ["object", "null"])
_HINTS = {"title": str} | {
    f"{name}Hint": bool for name in ("readOnly", "destructive", "idempotent", "openWorld")
}


def whole_letters(text: bytes) -> bytes:
    """JSON whose escapes are letters, each of them: half a surrogate pair is U+FFFD. Bytes that are
    no UTF-8 too."""
    return _ESCAPE.sub(
        lambda found: rb"\ufffd" if found[1] else found[0], text.decode("utf-8", "replace").encode()
    )


@asynccontextmanager
async def mended(
    transport: AbstractAsyncContextManager[Any],
    left_out: dict[str, None],
    changed: Callable[[], None],
) -> AsyncIterator[Any]:
    """Yield the streams of a transport, with lists of tools as the SDK takes them. `left_out` gets
    the names of those left out; `changed` is called when the server says that it offers others now.
    """
    async with transport as (incoming, outgoing):
        yield _Incoming(incoming, left_out, changed), outgoing


class _Incoming:
    """A stream of messages on which lists of tools are mended."""

    def __init__(self, stream: Any, left_out: dict[str, None], changed: Callable[[], None]) -> None:
        self._stream, self._left_out, self._changed = stream, left_out, changed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> _Incoming:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return self._taken(await anext(self._stream))

    async def __aenter__(self) -> _Incoming:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, *failed: type[BaseException] | BaseException | TracebackType | None
    ) -> bool | None:
        ended: bool | None = await self._stream.__aexit__(*failed)
        return ended

    def _taken(self, message: SessionMessage | Exception) -> SessionMessage | Exception:
        said = message.message if isinstance(message, SessionMessage) else None
        if (
            isinstance(said, JSONRPCNotification)
            and said.method == "notifications/tools/list_changed"
        ):
            self._changed()
        if isinstance(said, JSONRPCResponse) and isinstance(said.result.get("tools"), list):
            kept = []
            for each in said.result["tools"]:
                if (whole := _tool(each)) is None:
                    name = each.get("name") if isinstance(each, dict) else None
                    self._left_out[" ".join(str(name or "one without a name").split())[:40]] = None
                else:
                    kept.append(whole)
            said.result["tools"] = kept
        return message


def _tool(said: Any) -> dict[str, Any] | None:
    """Return a tool with what we take of it; None for one that has no usable name, or whose
    arguments are no object."""
    name = said.get("name") if isinstance(said, dict) else None
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return None
    schema = _schema(said.get("inputSchema"))
    if schema is None:
        return None
    kept: dict[str, Any] = {"name": name, "inputSchema": schema}
    kept |= {key: said[key] for key in ("title", "description") if isinstance(said.get(key), str)}
    if isinstance(hints := said.get("annotations"), dict):
        kept["annotations"] = {
            key: hints[key] for key, kind in _HINTS.items() if isinstance(hints.get(key), kind)
        }
    return kept


def _schema(said: Any) -> dict[str, Any] | None:
    """Return the schema of the arguments, which are always an object, also where it does not say
    so."""
    said = {} if said in (None, True) else said
    if not isinstance(said, dict) or said.get("type", "object") not in _OBJECTS:
        return None
    kept: dict[str, Any] = {
        key: each for key, each in said.items() if isinstance(each, _KINDS.get(key, object))
    }
    if "required" in kept:
        kept["required"] = [each for each in kept["required"] if isinstance(each, str)]
    return kept | {"type": "object"}
