"""Read the files of jobs; find their due times, and what becomes of them."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.schedule.due.calendar import Due as Due
    from runs.schedule.due.calendar import due_between as due_between
    from runs.schedule.due.calendar import health as health
    from runs.schedule.due.calendar import problems as problems
    from runs.schedule.due.folder import JobFolder as JobFolder
    from runs.schedule.due.rows import due_rows as due_rows
    from runs.schedule.due.times import coming as coming
    from runs.schedule.due.times import due_after as due_after
else:
    __getattr__ = lazy(
        __name__,
        Due="calendar",
        JobFolder="folder",
        coming="times",
        due_after="times",
        due_between="calendar",
        due_rows="rows",
        health="calendar",
        problems="calendar",
    )
