"""L1: the recent turns of a session, in this process and in Redis."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.window.places import MISSING as MISSING
    from memory.window.places import problem_of as problem_of
    from memory.window.window import Window as Window
    from memory.window.window import speakers as speakers
else:
    __getattr__ = lazy(__name__)
