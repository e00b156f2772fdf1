"""Keep no longer what the owner wants forgotten."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.forget.lines import forget as forget
    from memory.forget.lines import is_to_forget as is_to_forget
    from memory.forget.words import forgets as forgets
    from memory.forget.words import says as says
else:
    __getattr__ = lazy(__name__)
