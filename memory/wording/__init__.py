"""Compare what sentences say: the values in them, their words, and which takes the place of
which."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.wording.supersede import supersedes as supersedes
    from memory.wording.tokens import TELLING as TELLING
    from memory.wording.tokens import coverage as coverage
    from memory.wording.tokens import same_said as same_said
    from memory.wording.tokens import stands_in as stands_in
    from memory.wording.tokens import told as told
    from memory.wording.tokens import values as values
    from memory.wording.tokens import words as words
else:
    __getattr__ = lazy(__name__)
