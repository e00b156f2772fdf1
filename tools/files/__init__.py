"""Read, write, patch and trash files, each in one atomic step."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.files.read import file_read as file_read
    from tools.files.text_files import is_folder as is_folder
    from tools.files.trash import file_trash as file_trash
    from tools.files.write import diff as diff
    from tools.files.write import file_patch as file_patch
    from tools.files.write import file_write as file_write
else:
    __getattr__ = lazy(__name__)
