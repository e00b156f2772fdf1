"""How English says when. Each rule is a way to say it; what lies nearest to the calendar comes first."""

from memory.timewords.english import amounts, clocks, counted, days, moments, periods, whole
from memory.timewords.english.words import ENGLISH, plain

__all__ = ["ENGLISH", "amounts", "clocks", "counted", "days", "moments", "periods", "plain", "whole"]
