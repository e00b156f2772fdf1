"""The three protocols: a request into the body of a post, the objects that come back into an
answer.

`WIRES` names them: chat (chat completions), responses (OpenAI Responses), messages (Anthropic
Messages).
"""

from models.wires.answer import Answer, Tokens
from models.wires.chat import Chat
from models.wires.messages import Messages
from models.wires.responses import Responses
from models.wires.written import Asked, Manners, Wire

WIRES: dict[str, type[Wire]] = {"chat": Chat, "responses": Responses, "messages": Messages}

__all__ = ["WIRES", "Answer", "Asked", "Manners", "Tokens", "Wire"]
