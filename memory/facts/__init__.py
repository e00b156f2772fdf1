"""Keep the facts (L2), each with its evidence, and say which memory may be written."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.facts.lines import fact_of as fact_of
    from memory.facts.supersede import supersedes as supersedes
else:
    __getattr__ = lazy(__name__, fact_of="lines", supersedes="supersede")
