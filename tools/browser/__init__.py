"""A real browser over the DevTools protocol: pages as text, scripts, keys, uploads."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.browser.calls import problem as problem
    from tools.browser.start import answers as answers
    from tools.browser.start import has_display as has_display
    from tools.browser.start import program as program
else:
    __getattr__ = lazy(__name__)
