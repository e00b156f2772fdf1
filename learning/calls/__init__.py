"""Induce a procedure from calls that cannot be staged: compare runs, and find each value in a request, an earlier result,
or in all runs alike."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.calls.induce import induce as induce
    from learning.calls.retrace import retrace as retrace
    from learning.calls.runs import Run as Run
    from learning.calls.same import is_same as is_same
    from learning.calls.writing import source_in as source_in
    from learning.calls.writing import with_script as with_script
else:
    __getattr__ = lazy(
        __name__,
        Run="runs",
        induce="induce",
        is_same="same",
        retrace="retrace",
        source_in="writing",
        with_script="writing",
    )
