"""One run on a terminal, the chat, questions to the owner, `init`."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.terminal.run_command import go_on as go_on
    from ui.terminal.run_command import options_of as options_of
    from ui.terminal.run_command import show as show
    from ui.terminal.text_screen import Screen as Screen
    from ui.terminal.typed_line import agrees as agrees
    from ui.terminal.typed_line import read_line as read_line
    from ui.terminal.typed_line import read_next as read_next
else:
    __getattr__ = lazy(
        __name__,
        agrees="typed_line",
        go_on="run_command",
        options_of="run_command",
        read_line="typed_line",
        read_next="typed_line",
        show="run_command",
        Screen="text_screen",
    )
