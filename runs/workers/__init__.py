"""Share tasks among many machines through PostgreSQL: the backend `queue.postgresql`
(text/plugin.py)."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.workers.log import copied as copied
    from runs.workers.log import gone_on_with as gone_on_with
    from runs.workers.log import resumed_by_hand as resumed_by_hand
    from runs.workers.tasks import counts as counts
    from runs.workers.tasks import send as send
    from runs.workers.tasks import sent as sent
    from runs.workers.tasks import take_back as take_back
    from runs.workers.worker import Worker as Worker
else:
    __getattr__ = lazy(__name__)
