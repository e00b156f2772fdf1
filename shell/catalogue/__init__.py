"""Tell what programs do, from the rows in assets/commands/: options that take values, verbs, files,
commands that they run.

`use_of` judges one command line; `operands` and `values_of` split it.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from shell.catalogue.options import operands as operands
    from shell.catalogue.options import values_of as values_of
    from shell.catalogue.packs import Entry as Entry
    from shell.catalogue.packs import entry as entry
    from shell.catalogue.packs import words as words
    from shell.catalogue.uses import Use as Use
    from shell.catalogue.uses import use_of as use_of
else:
    __getattr__ = lazy(__name__)
