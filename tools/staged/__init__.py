"""Judge what a call did to files before it is committed,
and keep what stood there before, so that it can be taken back."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.staged.kept import images as images
    from tools.staged.kept import net as net
    from tools.staged.kept import standing as standing
    from tools.staged.shown import difference as difference
    from tools.staged.shown import lines as lines
    from tools.staged.shown import listed as listed
    from tools.staged.staging import Recording as Recording
    from tools.staged.staging import Staging as Staging
else:
    __getattr__ = lazy(__name__)
