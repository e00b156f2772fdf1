"""Keep the owner's to-do list, TODO.md."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.tasks.todo import FILE as FILE
    from memory.tasks.todo import Status as Status
    from memory.tasks.todo import Task as Task
    from memory.tasks.todo import TaskError as TaskError
    from memory.tasks.todo import Tasks as Tasks
else:
    __getattr__ = lazy(__name__)
