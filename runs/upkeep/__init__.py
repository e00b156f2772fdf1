"""The heartbeat: distil notes and put old runs away, once a day."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.upkeep.heartbeat import Heartbeat as Heartbeat
    from runs.upkeep.heartbeat import beat as beat
    from runs.upkeep.heartbeat import in_spare_time as in_spare_time
    from runs.upkeep.heartbeat import memory_entries as memory_entries
else:
    __getattr__ = lazy(__name__)
