"""Lead from a lesson to a stored SOP, and learn from a run when it has ended."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from runs.learning.after_run import learn as learn
    from runs.learning.asking import asked as asked
    from runs.learning.asking import asker as asker
    from runs.learning.kinds import offer as offer
    from runs.learning.teach import Lesson as Lesson
else:
    __getattr__ = lazy(
        __name__,
        Lesson="teach",
        asked="asking",
        asker="asking",
        learn="after_run",
        offer="kinds",
    )
