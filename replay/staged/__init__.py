"""Hold what a script did in a stage against what its SOP expects of it, before anything is
committed."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from replay.staged.expectation import KINDS as KINDS
    from replay.staged.expectation import Touched as Touched
    from replay.staged.expectation import touched as touched
    from replay.staged.expectation import unmet as unmet
    from replay.staged.output_kinds import observed as observed
else:
    __getattr__ = lazy(__name__)
