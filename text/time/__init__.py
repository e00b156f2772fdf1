"""Time expressions, English and Chinese: the stretches of time that a text means, due dates, times that come again.

One engine serves recall, due dates, reminders and the schedule (docs/reading.md).
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from text.time.due import NoTime as NoTime
    from text.time.due import due_of as due_of
    from text.time.due import moment_of as moment_of
    from text.time.due import split_due as split_due
    from text.time.finding import find as find
    from text.time.spans import TimeRange as TimeRange
else:
    __getattr__ = lazy(
        __name__,
        NoTime="due",
        TimeRange="spans",
        due_of="due",
        find="finding",
        moment_of="due",
        split_due="due",
    )
