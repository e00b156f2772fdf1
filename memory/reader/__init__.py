"""Read what a session may read: the split between the owner and a group."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.reader.readers import MAIN_FILES as MAIN_FILES
    from memory.reader.readers import SHARED_FILES as SHARED_FILES
    from memory.reader.readers import NotForThisSession as NotForThisSession
    from memory.reader.readers import Reader as Reader
    from memory.reader.readers import reader_for as reader_for
else:
    __getattr__ = lazy(__name__)
