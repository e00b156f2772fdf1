"""Hold what was induced against the runs that taught it, and let a model write a script that stands
the same."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.judged.retracing import retrace as retrace
    from learning.judged.writing import source_in as source_in
    from learning.judged.writing import with_script as with_script
else:
    __getattr__ = lazy(__name__)
