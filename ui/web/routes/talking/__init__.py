"""Conversations: what is said to the agent, and what was said.

`routers` are those of its modules."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.web.routes.talking.chat import files_of as files_of
    from ui.web.routes.talking.chat import opening as opening
    from ui.web.routes.talking.chat import uploaded as uploaded
    from ui.web.routes.talking.talks import routers as routers
else:
    __getattr__ = lazy(__name__)
