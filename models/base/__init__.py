"""Define a model: it turns a request into a reply. Every kind of model in this room fills in `Model`.

The errors of the layer are in models/errors.py.
"""

from models.base.reply import Event, Message, Reply
from models.base.request import Model, Request
from models.base.result import Status, ToolCall, ToolResult

__all__ = ["Event", "Message", "Model", "Reply", "Request", "Status", "ToolCall", "ToolResult"]
