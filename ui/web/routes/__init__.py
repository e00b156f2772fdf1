"""The routes by subject; each module has its router `to`.

The face holds what the routes of a sub-package take from here."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.web.routes.here import Here as Here
    from ui.web.routes.here import Json as Json
    from ui.web.routes.here import routes as routes
else:
    __getattr__ = lazy(__name__)
