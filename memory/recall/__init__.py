"""Find the turns that answer a question, by words, meaning and time."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.recall.answering import answer as answer
    from memory.recall.meaning import embed as embed
    from memory.recall.ranking import search as search
    from memory.recall.unasked import context_lines as context_lines
    from memory.recall.unasked import mark_read as mark_read
    from memory.recall.unasked import relevant as relevant
    from memory.recall.unasked import with_names as with_names
    from memory.recall.written import refresh as refresh
else:
    __getattr__ = lazy(__name__)
