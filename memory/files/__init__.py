"""Write files so that a crash leaves the old content or the new; read what the owner wrote by
hand."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.files.owner_files import OwnerText as OwnerText
    from memory.files.owner_files import Unreadable as Unreadable
    from memory.files.owner_files import read_owner_text as read_owner_text
    from memory.files.owner_files import whole_text as whole_text
    from memory.files.sections import with_line as with_line
    from memory.files.writing import fsync_folder as fsync_folder
    from memory.files.writing import write_atomic as write_atomic
    from memory.files.writing import write_new as write_new
else:
    __getattr__ = lazy(__name__)
