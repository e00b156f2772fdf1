"""Whose words a run has read, and whether the owner has named what a call reaches.

What others wrote may ask for anything: then only what the owner named passes."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from safety.taint.naming import Named as Named
    from safety.taint.origins import Origin as Origin
    from safety.taint.origins import foreign as foreign
    from safety.taint.origins import of_messages as of_messages
    from safety.taint.origins import of_result as of_result
    from safety.taint.targets import Target as Target
    from safety.taint.targets import host_of as host_of
    from safety.taint.targets import of_call as of_call
else:
    __getattr__ = lazy(__name__)
