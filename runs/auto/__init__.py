"""Autonomous mode: works off the to-do list and writes reports."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.auto.work import Autonomous as Autonomous
else:
    __getattr__ = lazy(__name__)
