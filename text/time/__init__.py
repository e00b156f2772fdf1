"""Time expressions, English and Chinese: the stretches of time that a text means, due dates, times
that come again.

One engine serves recall, due dates, reminders and the schedule (docs/reading.md).
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from text.time.due import day_named as day_named
    from text.time.due import due_of as due_of
    from text.time.due import moment_of as moment_of
    from text.time.due import split_due as split_due
    from text.time.finding import find as find
    from text.time.finding import recurring as recurring
    from text.time.repeats import Repeat as Repeat
    from text.time.spans import TimeRange as TimeRange
else:
    __getattr__ = lazy(__name__)
