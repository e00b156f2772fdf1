"""Keep what waits for the owner: questions, confirmations, proposals, notices."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.inbox.entries import Answer as Answer
    from memory.inbox.entries import Entry as Entry
    from memory.inbox.entries import Inbox as Inbox
    from memory.inbox.entries import InboxError as InboxError
    from memory.inbox.entries import NoSuchEntry as NoSuchEntry
    from memory.inbox.entries import OtherKind as OtherKind
    from memory.inbox.entries import call_hash as call_hash
else:
    __getattr__ = lazy(__name__)
