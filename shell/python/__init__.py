"""Tell what Python code would do, by the rows in assets/commands/python.txt.

Nothing is run; code that does not parse has no effects, since it will not run."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from shell.python.judge import effects_of as effects_of
    from shell.python.values import read_code as read_code
else:
    __getattr__ = lazy(__name__)
