"""Sopwith as an MCP server: other programs call its proven SOPs as tools, over stdio or HTTP."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.mcp_server.calls import Calls as Calls
    from ui.mcp_server.offers import Offered as Offered
    from ui.mcp_server.offers import offered as offered
else:
    __getattr__ = lazy(__name__)
