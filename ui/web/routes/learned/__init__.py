"""The SOPs: what there is of them, and how they are taught, changed and proven.

`routers` are those of its modules."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.web.routes.learned.teaching import pairs as pairs
    from ui.web.routes.learned.teaching import routers as routers
else:
    __getattr__ = lazy(__name__)
