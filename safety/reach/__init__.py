"""Where a call reaches on the network: the addresses that a script asks, and which numbers may be
asked at all.

Nothing is asked here but the resolver, by `Reach.find`.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from safety.reach.addresses import Address as Address
    from safety.reach.addresses import PrivateAddress as PrivateAddress
    from safety.reach.addresses import Reach as Reach
    from safety.reach.addresses import is_public as is_public
    from safety.reach.fetches_of import MOST_JUDGED as MOST_JUDGED
    from safety.reach.fetches_of import Fetches as Fetches
    from safety.reach.fetches_of import fetches as fetches
    from safety.reach.fetches_of import is_local as is_local
else:
    __getattr__ = lazy(__name__)
