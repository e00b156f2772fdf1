"""Values in text, and what every room shares about text."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from text.patterns import names as names
    from text.patterns import pattern as pattern
else:
    __getattr__ = lazy(__name__)
