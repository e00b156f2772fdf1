"""Tell what a script says: one reader of bash, one of Python, and the effects of each command over
assets/commands/.

Pure functions; nothing is run, no file is opened. Sub-packages: bash, python, catalogue, effects.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from shell.bash import Command as Command
    from shell.bash import NotUnderstood as NotUnderstood
    from shell.bash import parse as parse
    from shell.bash import read as read
    from shell.effects import Effect as Effect
    from shell.effects import Setting as Setting
    from shell.effects import scan as scan
    from shell.placed import words as words
else:
    __getattr__ = lazy(__name__)
