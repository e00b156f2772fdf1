"""Read the run logs: events, lists, the line of each run; put old runs away."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.logs.index import list_runs as list_runs
    from memory.logs.reading import RunLogError as RunLogError
    from memory.logs.reading import RunSummary as RunSummary
    from memory.logs.reading import find_run as find_run
    from memory.logs.reading import read_events as read_events
    from memory.logs.reading import run_ids as run_ids
    from memory.logs.reading import summarise as summarise
    from memory.logs.reading import worker as worker
else:
    __getattr__ = lazy(__name__)
