"""The routes by subject; each module has its router `to`.

The face holds what the routes of a sub-package take from here."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.web.routes.here import Here as Here
else:
    __getattr__ = lazy(__name__, Here="here")
