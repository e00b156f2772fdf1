"""How Chinese says when. The text has simplified characters and plain digits (`simplified`)."""

from memory.timewords.chinese import amounts, clocks, counted, days, moments, periods, whole
from memory.timewords.chinese.words import CHINESE, simplified

__all__ = [
    "CHINESE",
    "amounts",
    "clocks",
    "counted",
    "days",
    "moments",
    "periods",
    "simplified",
    "whole",
]
