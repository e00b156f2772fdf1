"""Keep the facts (L2), each with its evidence; the gate that says what may be kept."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.facts.lines import Fact as Fact
    from memory.facts.noted import Line as Line
    from memory.facts.noted import check_line as check_line
    from memory.facts.rules import Refusal as Refusal
    from memory.facts.sop_gate import check_sop as check_sop
    from memory.facts.store import FactRefused as FactRefused
    from memory.facts.store import FactStore as FactStore
else:
    __getattr__ = lazy(__name__)
