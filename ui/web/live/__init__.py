"""Runs in processes of their own, for screens that live on: begun, spoken to, stopped, listened
to."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.web.live.hub import Hub as Hub
    from ui.web.live.work import Child as Child
    from ui.web.live.work import NotAsked as NotAsked
    from ui.web.live.work import NotBegun as NotBegun
    from ui.web.live.work import TooMuchWork as TooMuchWork
    from ui.web.live.work import Work as Work
else:
    __getattr__ = lazy(__name__)
