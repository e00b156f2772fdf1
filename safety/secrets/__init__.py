"""Secrets: which values the agent holds, and texts without them, in whatever way a program wrote them.

Also keys known by their looks, and values behind a name such as `password=`."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from safety.secrets.credentials import given as given
    from safety.secrets.credentials import resolved as resolved
    from safety.secrets.known_values import held_values as held_values
    from safety.secrets.known_values import is_secret_name as is_secret_name
    from safety.secrets.known_values import without as without
    from safety.secrets.redactor import HIDDEN as HIDDEN
    from safety.secrets.redactor import Redactor as Redactor
    from safety.secrets.redactor import Stream as Stream
else:
    _CREDENTIALS = dict.fromkeys(("given", "resolved"), "credentials")
    _VALUES = dict.fromkeys(("held_values", "is_secret_name", "without"), "known_values")
    _REDACTOR = dict.fromkeys(("HIDDEN", "Redactor", "Stream"), "redactor")
    __getattr__ = lazy(__name__, **_CREDENTIALS, **_VALUES, **_REDACTOR)
