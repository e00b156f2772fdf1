"""Notifications: tell the owner by mail, chat or push how unattended runs ended, once, outside the
quiet hours."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.notify.delivery import Outbox as Outbox
    from runs.notify.delivery import deliver_until as deliver_until
    from runs.notify.delivery import delivering as delivering
    from runs.notify.notices import Notice as Notice
    from runs.notify.notices import missed as missed
    from runs.notify.notices import of_run as of_run
    from runs.notify.notices import problem as problem
    from runs.notify.notices import trials as trials
else:
    __getattr__ = lazy(__name__)
