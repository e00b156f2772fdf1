"""Replay a learned procedure as a model: each reply is its next step, each outcome is held against
what it expects. It never works around a difference: it raises `Diverged` and says what has
happened."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from replay.rote.course import Declined as Declined
    from replay.rote.guarding import Doubt as Doubt
    from replay.rote.guarding import Guards as Guards
    from replay.rote.guarding import Spent as Spent
    from replay.rote.guarding import Write as Write
    from replay.rote.model import RoteModel as RoteModel
    from replay.rote.scripted import MAX_SCRIPT_CALLS as MAX_SCRIPT_CALLS
else:
    __getattr__ = lazy(__name__)
