"""The command `teach` on the screen: a demonstration that is recorded, runs, a text.

What is asked, what was seen, what is stored."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.sops.teaching.record import banner as banner
else:
    __getattr__ = lazy(__name__)
