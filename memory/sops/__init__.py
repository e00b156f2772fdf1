"""Read the SOPs on disk (L3): seeds, and those of the owner, which shadow them."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.sops.store import NAME as NAME
    from memory.sops.store import QUARANTINE as QUARANTINE
    from memory.sops.store import Sop as Sop
    from memory.sops.store import SopError as SopError
    from memory.sops.store import SopStore as SopStore
    from memory.sops.store import Status as Status
    from memory.sops.store import contract_of as contract_of
    from memory.sops.store import read_sop as read_sop
else:
    __getattr__ = lazy(__name__)
