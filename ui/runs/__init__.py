"""The commands `runs`, `inbox`, `trash`, `schedule`, `auto` and `worker`."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.runs.dry_run import rehearse as rehearse
    from ui.runs.schedule import when as when
else:
    __getattr__ = lazy(__name__)
