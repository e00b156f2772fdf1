"""Write the log of a run: the evidence everything else points to."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.runlog.log import LEFT as LEFT
    from memory.runlog.log import NOT_LOGGED as NOT_LOGGED
    from memory.runlog.log import SHARED as SHARED
    from memory.runlog.log import RunLog as RunLog
    from memory.runlog.log import append_undone as append_undone
    from memory.runlog.log import cannot_write as cannot_write
    from memory.runlog.log import line_of as line_of
    from memory.runlog.log import new_run_id as new_run_id
else:
    __getattr__ = lazy(__name__)
