"""The commands `teach` and `sops …`."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.sops.search import as_json as as_json
    from ui.sops.sops import SopUsage as SopUsage
    from ui.sops.sops import entry as entry
    from ui.sops.sops import parameters as parameters
else:
    __getattr__ = lazy(__name__, SopUsage="sops", as_json="search", entry="sops", parameters="sops")
