"""Sopwith as an MCP server: other programs call its proven SOPs as tools, over stdio or HTTP."""
