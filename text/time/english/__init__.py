"""How English says when. Each rule is a way to say it; what lies nearest to the calendar comes first."""

from text.time.english import (
    amounts,
    clocks,
    counted,
    days,
    moments,
    periods,
    seasons,
    weekdays,
    whole,
    within,
)
from text.time.english.words import ENGLISH, plain

__all__ = [
    "ENGLISH",
    "amounts",
    "clocks",
    "counted",
    "days",
    "moments",
    "periods",
    "plain",
    "seasons",
    "weekdays",
    "whole",
    "within",
]
