"""The workspace files as they are shipped, written once where one is missing."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.workspace.templates import FILES as FILES
    from memory.workspace.templates import FIRST_START as FIRST_START
    from memory.workspace.templates import TEMPLATES as TEMPLATES
    from memory.workspace.templates import is_answered as is_answered
    from memory.workspace.templates import is_template as is_template
    from memory.workspace.templates import lay_out as lay_out
    from memory.workspace.templates import make as make
    from memory.workspace.templates import template as template
else:
    __getattr__ = lazy(__name__)
