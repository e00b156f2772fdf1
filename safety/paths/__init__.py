"""Guarded places by their names, and files opened so that nothing else can stand in their place."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from safety.paths.handles import folder_of as folder_of
    from safety.paths.handles import open_beneath as open_beneath
    from safety.paths.places import RUNS as RUNS
    from safety.paths.places import SYSTEM_SECRETS as SYSTEM_SECRETS
    from safety.paths.places import Guard as Guard
    from safety.paths.places import Places as Places
    from safety.paths.places import references as references
    from safety.paths.places import shared_folder_of as shared_folder_of
else:
    __getattr__ = lazy(__name__)
