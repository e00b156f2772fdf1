"""Tools of MCP servers: found, called as `SERVER.TOOL`, each server a child or an address."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.mcp.client import MISSING as MISSING
    from tools.mcp.client import Offer as Offer
    from tools.mcp.client import finder as finder
    from tools.mcp.client import keep_servers as keep_servers
    from tools.mcp.client import offers as offers
    from tools.mcp.client import problem as problem
    from tools.mcp.servers import McpServers as McpServers
else:
    __getattr__ = lazy(__name__)
