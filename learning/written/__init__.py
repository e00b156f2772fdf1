"""Read written instructions as the script of a procedure: a Markdown how-to, a shell script, a list
of steps. Nothing is proven by a text; what cannot be understood is listed with its line and never
guessed."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.written.instructions import Instructions as Instructions
    from learning.written.reading import read_text as read_text
else:
    __getattr__ = lazy(__name__)
