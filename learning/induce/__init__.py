"""Induce a procedure from lines as they were typed: which values may vary, what they are called,
and the script with parameters in their places."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.induce.dashes import guarded as guarded
    from learning.induce.following import Derived as Derived
    from learning.induce.following import derived as derived
    from learning.induce.suggest import Candidate as Candidate
    from learning.induce.suggest import candidates as candidates
    from learning.induce.write import Written as Written
    from learning.induce.write import spellings as spellings
    from learning.induce.write import written as written
else:
    __getattr__ = lazy(__name__)
