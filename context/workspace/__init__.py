"""The owner's Markdown files as one session may read them: loaded, watched between turns, checked;
and personas."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from context.workspace.changes import Changes as Changes
    from context.workspace.changes import Reloaded as Reloaded
    from context.workspace.files import State as State
    from context.workspace.files import Workspace as Workspace
    from context.workspace.persona_files import persona as persona
    from context.workspace.persona_files import personas as personas
    from context.workspace.persona_files import prompt as prompt
    from context.workspace.shapes import MemoryEntry as MemoryEntry
else:
    __getattr__ = lazy(__name__)
