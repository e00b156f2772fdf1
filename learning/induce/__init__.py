"""Induce a procedure from lines as they were typed: which values may vary, what they are called,
and the script with parameters in their places."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.induce.candidates import Candidate as Candidate
    from learning.induce.candidates import candidates as candidates
    from learning.induce.derived import Derived as Derived
    from learning.induce.derived import derived as derived
    from learning.induce.schemas import schema_of as schema_of
    from learning.induce.writing import Written as Written
    from learning.induce.writing import spellings as spellings
    from learning.induce.writing import written as written
else:
    __getattr__ = lazy(
        __name__,
        Candidate="candidates",
        Derived="derived",
        Written="writing",
        candidates="candidates",
        derived="derived",
        schema_of="schemas",
        spellings="writing",
        written="writing",
    )
