"""Single programs of the host for a script in a cell: the table of what may look, and who runs it
outside.

In a cell a link stands for each program; it asks the broker, which runs exactly one list of
words.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from sandbox.broker.forms import ASKED as ASKED
    from sandbox.broker.forms import PORT as PORT
    from sandbox.broker.forms import mounted as mounted
    from sandbox.broker.forms import why_not as why_not
    from sandbox.broker.host_programs import Untrusted as Untrusted
    from sandbox.broker.host_programs import environment as environment
    from sandbox.broker.host_programs import program as program
    from sandbox.broker.host_programs import serve as serve
else:
    __getattr__ = lazy(__name__)
