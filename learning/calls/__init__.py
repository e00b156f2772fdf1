"""Induce a procedure from calls that cannot be staged: compare runs, and find each value in a
request, an earlier result, or in all runs alike."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.calls.book import kind_of as kind_of
    from learning.calls.forms import calls_in as calls_in
    from learning.calls.inducing import induce as induce
    from learning.calls.requests import described as described
    from learning.calls.requests import spans as spans
    from learning.calls.runs import ACT as ACT
    from learning.calls.runs import Call as Call
    from learning.calls.runs import Run as Run
else:
    __getattr__ = lazy(__name__)
