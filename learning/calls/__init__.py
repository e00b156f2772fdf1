"""Induce a procedure from calls that cannot be staged: compare runs, and find each value in a request, an earlier result,
or in all runs alike."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.calls.induce import induce as induce
    from learning.calls.reads import only_reads as only_reads
    from learning.calls.retrace import retrace as retrace
    from learning.calls.runs import Run as Run
else:
    __getattr__ = lazy(__name__, Run="runs", induce="induce", only_reads="reads", retrace="retrace")
