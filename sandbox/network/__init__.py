"""The way out of a cell: a proxy for the hosts that a call may reach, and a journal of what went
where.

It serves sockets that a cell hands over; nothing in a cell holds a connection to the outside.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from sandbox.network.exits import Exits as Exits
    from sandbox.network.exits import proxied as proxied
    from sandbox.network.journal import read as read
    from sandbox.network.leaving import NOTHING as NOTHING
    from sandbox.network.leaving import Leave as Leave
    from sandbox.network.leaving import Outside as Outside
    from sandbox.network.leaving import leave_of as leave_of
    from sandbox.network.named import local_ports as local_ports
else:
    __getattr__ = lazy(__name__)
