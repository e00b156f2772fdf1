"""Distil the daily notes into MEMORY.md, through the evidence gate."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.digest.distilling import DAYS as DAYS
    from memory.digest.distilling import AskModel as AskModel
    from memory.digest.distilling import Digest as Digest
    from memory.digest.distilling import digest as digest
    from memory.digest.distilling import due as due
    from memory.digest.distilling import entries as entries
    from memory.digest.memory_file import Entry as Entry
else:
    __getattr__ = lazy(__name__)
