"""The desktop: look at windows, type, click, in a process that has the display."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.desktop.calls import lack as lack
else:
    __getattr__ = lazy(__name__)
