"""The SOP lane of a run, dry runs, and models for special cases."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.replaying.replaying import guards as guards
    from runs.replaying.replaying import lane as lane
    from runs.replaying.replaying import steps as steps
    from runs.replaying.special_models import Nobody as Nobody
    from runs.replaying.special_models import Recorded as Recorded
    from runs.replaying.special_models import offline as offline
    from runs.replaying.trial import trial as trial
else:
    __getattr__ = lazy(
        __name__,
        Nobody="special_models",
        Recorded="special_models",
        guards="replaying",
        lane="replaying",
        offline="special_models",
        steps="replaying",
        trial="trial",
    )
