"""The home folder and the sessions: where all is kept, and with whom the agent speaks."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.home.folder import LAYOUT as LAYOUT
    from memory.home.folder import HomeError as HomeError
    from memory.home.folder import check_layout as check_layout
    from memory.home.folder import open_home as open_home
    from memory.home.sessions import MAIN as MAIN
    from memory.home.sessions import Session as Session
else:
    __getattr__ = lazy(__name__)
