"""How Chinese says when. The text has simplified characters and plain digits (`plain`)."""

from memory.timewords.chinese import amounts, clocks, counted, days, moments, periods, whole
from memory.timewords.chinese.words import CHINESE, plain

__all__ = ["CHINESE", "amounts", "clocks", "counted", "days", "moments", "periods", "plain", "whole"]
