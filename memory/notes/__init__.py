"""Keep the daily notes, and find what the owner wants written down."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.notes.daily import add as add
    from memory.notes.daily import days as days
    from memory.notes.daily import entries as entries
    from memory.notes.daily import read as read
    from memory.notes.remember import Kind as Kind
    from memory.notes.remember import Remembered as Remembered
    from memory.notes.remember import find as find
    from memory.notes.remember import importance as importance
else:
    __getattr__ = lazy(__name__)
