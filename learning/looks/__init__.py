"""Tell which calls only read, and which hosts may be asked: what is not known to read counts as a change."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.looks.reads import only_reads as only_reads
    from learning.looks.scripts import hosts_in as hosts_in
    from learning.looks.scripts import hosts_of as hosts_of
    from learning.looks.scripts import only_looks as only_looks
    from learning.looks.scripts import python_only_reads as python_only_reads
    from learning.looks.scripts import shell_only_reads as shell_only_reads
else:
    __getattr__ = lazy(
        __name__,
        hosts_in="scripts",
        hosts_of="scripts",
        only_looks="scripts",
        only_reads="reads",
        python_only_reads="scripts",
        shell_only_reads="scripts",
    )
