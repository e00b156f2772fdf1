"""Do an SOP by rote in a run, or in a dry run."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.replaying.replaying import guards as guards
    from runs.replaying.replaying import lane as lane
    from runs.replaying.replaying import steps as steps
    from runs.replaying.trying import on_a_copy as on_a_copy
    from runs.replaying.trying import trial as trial
else:
    __getattr__ = lazy(
        __name__,
        guards="replaying",
        lane="replaying",
        on_a_copy="trying",
        steps="replaying",
        trial="trying",
    )
