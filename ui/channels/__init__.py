"""Channels: Telegram and webhooks, through which the owner and groups talk to the agent while
`serve` runs."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.channels.channel import Channel as Channel
    from ui.channels.channel import Incoming as Incoming
    from ui.channels.channel import Refused as Refused
    from ui.channels.channel import TryLater as TryLater
    from ui.channels.opened import Channels as Channels
else:
    __getattr__ = lazy(__name__)
