"""Prove a procedure: run it in a stage, see what it did, and say what that lets us expect."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.prove.expected import Case as Case
    from learning.prove.expected import expectation as expectation
    from learning.prove.seen import Seen as Seen
    from learning.prove.seen import plain as plain
    from learning.prove.seen import seen_in as seen_in
    from learning.prove.trying import Ground as Ground
    from learning.prove.trying import inputs_of as inputs_of
    from learning.prove.trying import tried as tried
else:
    __getattr__ = lazy(__name__)
