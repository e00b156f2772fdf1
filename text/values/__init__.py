"""Values in a text: paths, globs, quoted texts, numbers with units, dates, addresses, ids; each
with its place.

One reader and one table of number words for routing, memory and schedules (docs/reading.md).
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from text.values.numbers import cardinal as cardinal
    from text.values.numbers import chinese_number as chinese_number
    from text.values.numbers import ordinal as ordinal
    from text.values.numbers import spoken_year as spoken_year
    from text.values.reader import Value as Value
    from text.values.reader import folder_names as folder_names
    from text.values.reader import unit_of as unit_of
    from text.values.reader import values_in as values_in
else:
    __getattr__ = lazy(__name__)
