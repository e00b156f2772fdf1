"""Words and stems: the tokens that keywords are looked up by, for what is kept and for what is
asked.

English words with their stems; pairs of characters for scripts without spaces.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from text.words.tokens import SMALL as SMALL
    from text.words.tokens import asked as asked
    from text.words.tokens import cut as cut
    from text.words.tokens import cut_each as cut_each
    from text.words.tokens import words_of as words_of
else:
    __getattr__ = lazy(__name__)
