"""The mind graph: who and what the talk is about, an index over the episodes of the journal
(docs/graph.md)."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.graph.aliases import synonyms as synonyms
    from memory.graph.corrections import correct as correct
    from memory.graph.people import FORMS as FORMS
    from memory.graph.rows import Graph as Graph
    from memory.graph.rows import Wanted as Wanted
    from memory.graph.rows import opened as opened
    from memory.graph.work import read as read
    from memory.graph.work import weave as weave
else:
    __getattr__ = lazy(__name__)
