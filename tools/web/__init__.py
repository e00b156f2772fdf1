"""Fetch a page as Markdown, or a file, from addresses that the gate allowed."""
