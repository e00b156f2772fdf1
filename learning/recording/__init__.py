"""Record a demonstration: the owner's shell in a stage, each command line a turn of a run;
what was typed comes back as the lines of a script."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.recording.lines import Typed as Typed
    from learning.recording.lines import typed_lines as typed_lines
    from learning.recording.shell import RecordError as RecordError
    from learning.recording.shell import check_terminal as check_terminal
    from learning.recording.shell import record as record
    from learning.recording.staged import StagedShell as StagedShell
else:
    __getattr__ = lazy(__name__)
