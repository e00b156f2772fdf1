"""Let a model put a procedure into words: description, wordings, pitfalls, names of parameters.
The model is asked once and never trusted: code takes what it can prove, and says why it refuses the rest."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.authoring.files import with_words as with_words
    from learning.authoring.proposal import Proposal as Proposal
    from learning.authoring.proposal import proposed as proposed
    from learning.authoring.reply import BadReply as BadReply
    from learning.authoring.reply import read_reply as read_reply
    from learning.authoring.sketch import Sketch as Sketch
else:
    __getattr__ = lazy(
        __name__,
        BadReply="reply",
        Proposal="proposal",
        Sketch="sketch",
        proposed="proposal",
        read_reply="reply",
        with_words="files",
    )
