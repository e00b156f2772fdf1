"""Say what works here, what is missing, and the command that would fix it."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.doctor.machine import Check as Check
    from runs.doctor.stores import checks as checks
else:
    __getattr__ = lazy(__name__)
