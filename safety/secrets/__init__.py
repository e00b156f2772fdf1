"""Secrets: which values the agent holds, and texts without them, in whatever way a program wrote
them.

Also keys known by their looks, and values behind a name such as `password=`.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from safety.secrets.known_values import given as given
    from safety.secrets.known_values import held_values as held_values
    from safety.secrets.known_values import is_secret_name as is_secret_name
    from safety.secrets.known_values import resolved as resolved
    from safety.secrets.known_values import without as without
    from safety.secrets.redactor import HIDDEN as HIDDEN
    from safety.secrets.redactor import Redactor as Redactor
    from safety.secrets.redactor import Stream as Stream
else:
    __getattr__ = lazy(__name__)
