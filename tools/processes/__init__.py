"""Look at, wait for and stop processes; the tree of what a run has started."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.processes.tree import MARK as MARK
    from tools.processes.tree import Running as Running
    from tools.processes.tree import Tree as Tree
    from tools.processes.tree import Work as Work
    from tools.processes.tree import leaders as leaders
    from tools.processes.tree import mark as mark
    from tools.processes.tree import starting as starting
    from tools.processes.tree import stop_leftovers as stop_leftovers
else:
    __getattr__ = lazy(__name__)
