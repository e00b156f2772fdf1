"""Calls that are no files and no scripts: tools of others, pages, the desktop, typing into a
shell.

What a name, a label or a text means, and whether the request asks for it.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from safety.calls.desktop import TERMINALS as TERMINALS
    from safety.calls.desktop import desktop_calls as desktop_calls
    from safety.calls.foreign import foreign_calls as foreign_calls
    from safety.calls.pages import page_calls as page_calls
    from safety.calls.terminals import typed_script as typed_script
    from safety.calls.tool_words import read_name as read_name
else:
    __getattr__ = lazy(__name__)
