"""The history of what the agent keeps: a git repository inside the home folder."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.history.repository import BY_HAND as BY_HAND
    from memory.history.repository import Commit as Commit
    from memory.history.repository import Content as Content
    from memory.history.repository import Repository as Repository
    from memory.history.repository import RepositoryError as RepositoryError
    from memory.history.repository import contents_of as contents_of
    from memory.history.repository import is_kept as is_kept
    from memory.history.repository import one_line as one_line
else:
    __getattr__ = lazy(__name__)
