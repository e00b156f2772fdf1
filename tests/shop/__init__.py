"""A shop with a customer desk: an MCP server over a small database of our own, and tasks of six
kinds."""
