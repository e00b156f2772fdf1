"""The agent as a model for other programs, in OpenAI's two ways: chat completions and responses.

`to` is the router of both."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.web.routes.openai.responses import to as to
else:
    __getattr__ = lazy(__name__)
