"""Run bash and Python scripts in the cells of a run, with output in bounded memory."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.scripts.calls import code_run as code_run
    from tools.scripts.calls import environment as environment
    from tools.scripts.calls import kept_from as kept_from
    from tools.scripts.calls import started as started
    from tools.scripts.cells import Cells as Cells
    from tools.scripts.output import Live as Live
    from tools.scripts.output import Output as Output
    from tools.scripts.output import clean as clean
else:
    __getattr__ = lazy(__name__)
