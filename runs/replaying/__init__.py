"""Do an SOP by rote in a run, or in a dry run."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.replaying.replaying import guards as guards
    from runs.replaying.replaying import lane as lane
    from runs.replaying.replaying import steps as steps
    from runs.replaying.trying import foreseen as foreseen
    from runs.replaying.trying import outcome_of as outcome_of
else:
    __getattr__ = lazy(__name__)
