"""Notifications: tell the owner by mail, chat or push how unattended runs ended, once, outside the quiet hours."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.notify.delivery import Deliverer as Deliverer
    from runs.notify.delivery import delivering as delivering
    from runs.notify.notices import Notice as Notice
    from runs.notify.notices import missed as missed
    from runs.notify.notices import of_run as of_run
    from runs.notify.outbox import Outbox as Outbox
    from runs.notify.senders import problem as problem
    from runs.notify.senders import tried as tried
else:
    __getattr__ = lazy(
        __name__,
        Deliverer="delivery",
        delivering="delivery",
        Notice="notices",
        missed="notices",
        of_run="notices",
        Outbox="outbox",
        problem="senders",
        tried="senders",
    )
