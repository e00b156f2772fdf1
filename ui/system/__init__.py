"""The commands `doctor`, `mcp` and `safety`."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.system.doctor import print_checks as print_checks
    from ui.system.settings import settings_of as settings_of
else:
    __getattr__ = lazy(__name__)
