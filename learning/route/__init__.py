"""Find the SOP that serves a request, and with which values: an exact wording is done, all else is
shown (docs/asking.md).

No table decides what words mean; the owner's yes is what a new wording is learned from.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.route.choosing import Choice as Choice
    from learning.route.choosing import choose as choose
    from learning.route.filling import Shown as Shown
    from learning.route.matching import Match as Match
    from learning.route.matching import exact_match as exact_match
    from learning.route.place import Where as Where
    from learning.route.remembered import Remembered as Remembered
    from learning.route.request import task_of as task_of
else:
    __getattr__ = lazy(
        __name__,
        Choice="choosing",
        Match="matching",
        Remembered="remembered",
        Shown="filling",
        Where="place",
        choose="choosing",
        exact_match="matching",
        task_of="request",
    )
