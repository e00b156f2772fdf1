"""How Chinese says when. The text has simplified characters and plain digits (`simplified`)."""

from text.time.chinese import amounts, clocks, counted, days, moments, periods, whole
from text.time.chinese.words import CHINESE, simplified

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
