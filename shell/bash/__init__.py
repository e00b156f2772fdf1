"""One reader of bash: commands with their words, redirections and loops, each with its place in the
script.

Nothing is run or expanded; what cannot be read is said, never raised, but by `parse`.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from shell.bash.reader import parse as parse
    from shell.bash.reader import read as read
    from shell.bash.syntax import Command as Command
    from shell.bash.syntax import NotUnderstood as NotUnderstood
    from shell.bash.syntax import Part as Part
    from shell.bash.syntax import Redirect as Redirect
    from shell.bash.syntax import Script as Script
    from shell.bash.syntax import Word as Word
else:
    __getattr__ = lazy(__name__)
